// Digests of a request for Claude's newer models, which bind their thinking: a signed block is valid if `system`,
// `tools` and everything before it are unchanged since the model wrote it. So windrow remembers a digest of everything
// before each block. https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks (read
// 2026-11-27)

import { isRecord } from "../../base/plain-data.js";

/** A block of thinking in a request. */
export interface SentThought {
  /** The proof: the signature, or the encrypted text. */
  readonly proof: string;
  /** A digest of everything before it. */
  readonly before: number;
  /** A digest of everything before its message. */
  readonly start: number;
  /** The blocks before it in its message. */
  readonly blocks: readonly unknown[];
}

/** The thinking in a request, and the digest that a reply to it is bound to. */
export interface SentThoughts {
  readonly thoughts: readonly SentThought[];
  /** A digest of the whole request: the first block of the reply comes after all of it. */
  readonly end: number;
}

/** Returns the proof of a block of thinking. Undefined for any other block. */
export function proofOf(block: unknown): string | undefined {
  const { type, signature, data } = isRecord(block) ? block : {};
  const proof = type === "thinking" ? signature : type === "redacted_thinking" ? data : undefined;
  return typeof proof === "string" ? proof : undefined;
}

/** Returns the text of a request's value without cache marks, which the provider doesn't compare. */
export const comparedText = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner)) ?? "";

/**
 * Finds the thinking in a request's body. `head` is a digest of everything else that is sent, such as tool definitions.
 */
export function thoughtsIn(
  { system, messages }: { readonly system?: unknown; readonly messages: readonly { role: string; content: unknown }[] },
  head: string,
): SentThoughts {
  const thoughts: SentThought[] = [];
  let state = digest(digest(START, head), comparedText(blocksOf(system)));
  for (const { role, content } of messages) {
    state = digest(state, role);
    const start = state;
    const blocks = blocksOf(content);
    for (const [at, block] of blocks.entries()) {
      const proof = proofOf(block);
      if (proof !== undefined) {
        thoughts.push({ proof, before: numberOf(state), start: numberOf(start), blocks: blocks.slice(0, at) });
      }
      state = digest(state, comparedText(block));
    }
  }
  return { thoughts, end: numberOf(digest(state, "assistant")) };
}

const blocksOf = (content: unknown): readonly unknown[] =>
  Array.isArray(content) ? content : content === undefined ? [] : [{ type: "text", text: content }];

// ---- The digest: 53 bits of two multiplicative hashes. ----

type DigestState = readonly [number, number];

const START: DigestState = [0xdeadbeef, 0x41c6ce57];

function digest([first, second]: DigestState, text: string): DigestState {
  // The length separates the texts.
  let one = Math.imul(first ^ text.length, 2654435761);
  let other = Math.imul(second ^ text.length, 1597334677);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 2654435761);
    other = Math.imul(other ^ unit, 1597334677);
  }
  return [
    Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909),
    Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909),
  ];
}

const numberOf = ([one, other]: DigestState): number => 4294967296 * (2097151 & other) + (one >>> 0);

/** Returns the digest of a text. */
export const digestOf = (text: string): number => numberOf(digest(START, text));
