// Finds the thinking that a prompt may send to a model that binds it to everything before it. Leaves out thinking that
// isn't known to be valid.

import type { Provider } from "../base/generated.js";
import { isRecord } from "../base/plain-data.js";
import type { BoundThinking } from "../config/outline.js";
import type { AnyMessage } from "../formats/any-message.js";
import { type RequestWriting, requests } from "../formats/requests.js";
import type { PlacedPart } from "../message/origin.js";
import { type ParsedMessage, parse } from "../message/read.js";
import type { Source } from "./transcript.js";

/** Claude Fable and Mythos from 5.1 on, Opus, Sonnet and Haiku from 5.5 on, and Claude 6 and later. */
const BINDING =
  /claude-(?:(?:fable|mythos)-5[-.][1-9](?!\d)|(?:opus|sonnet|haiku)-5[-.][5-9](?!\d)|[a-z]+-(?:[6-9]|[1-9]\d)(?!\d))/;

/** True if a model that a provider's request goes to binds its thinking to everything before it. */
export function bindsThinking(model: unknown, provider: Provider | null | undefined): model is string {
  return (
    (provider === "anthropic" || provider === "ai-sdk" || provider === "bedrock") &&
    typeof model === "string" &&
    BINDING.test(model.toLowerCase())
  );
}

/** Returns the proof of Claude's thinking; undefined if a part isn't such thinking. */
function proofOfPart({ part }: PlacedPart): string | undefined {
  if (part.type === "reasoning") {
    return part.provider === "anthropic" ? part.signature : undefined;
  }
  return part.type === "redacted_thinking" && part.provider === "anthropic" && part.note === undefined
    ? part.data
    : undefined;
}

/** Returns the proofs of the thinking in a message. */
export const proofsIn = ({ message, parts }: ParsedMessage): readonly string[] =>
  message.role === "assistant" ? parts.flatMap((part) => proofOfPart(part) ?? []) : [];

/** Returns a message without its thinking. */
export function withoutThinking(read: ParsedMessage): ParsedMessage {
  const parts = read.parts.filter((part) => proofOfPart(part) === undefined);
  return parts.length === read.parts.length ? read : { ...read, parts };
}

/**
 * Returns the positions of the messages whose thinking may be valid: those with thinking in the previous prompt, and
 * the newest reply.
 */
export function mayBeValid<M extends AnyMessage>(
  { messages, parsedAt, shape }: Pick<Source<M>, "messages" | "parsedAt" | "shape">,
  previous: BoundThinking | undefined,
  model: string,
): readonly number[] {
  if (previous?.model !== model) {
    return [];
  }
  const { digestOf } = requests.get();
  const known = new Set(previous.sent.map(([proof]) => proof));
  const found: number[] = [];
  let isBehindReply = true;
  let isInReply = false;
  for (let at = messages.length - 1; at >= 0 && (isBehindReply || known.size > 0); at--) {
    const given = messages[at] as M;
    const read = parsedAt?.(at) ?? parse(given, `messages[${at}]`, "context_build_error", { shape });
    const wasInReply: boolean = isInReply;
    isInReply = isBehindReply && read.message.role === "assistant";
    isBehindReply &&= isInReply || !wasInReply;
    const proofs = proofsIn(read).map(digestOf);
    if (proofs.length > 0 && (isInReply || proofs.some((proof) => known.has(proof)))) {
      found.push(at);
    }
    for (const proof of proofs) {
      known.delete(proof);
    }
  }
  return found.reverse();
}

/** A message of a prompt: its position, the parsed message, and the placeholders in it that replace secrets. */
export type PlacedMessage = readonly [position: number, read: ParsedMessage, placeholders: readonly string[]];

/**
 * The thinking of a prompt: its record for the next build, and the positions of the messages whose thinking is invalid.
 */
export interface CheckedThinking {
  readonly bound: BoundThinking | undefined;
  readonly invalid: ReadonlySet<number>;
}

/** Checks the thinking in a prompt as the provider does. */
export function checkThinking(
  placed: readonly PlacedMessage[],
  writing: RequestWriting,
  head: number,
  model: string,
  previous: BoundThinking | undefined,
): CheckedThinking {
  const { requestOfParsed, thoughtsIn, digestOf, comparedText } = requests.get();
  const holders = new Map<string, PlacedMessage[]>();
  for (const message of placed) {
    for (const proof of proofsIn(message[1])) {
      holders.set(proof, [...(holders.get(proof) ?? []), message]);
    }
  }
  let sent: ReturnType<typeof thoughtsIn>;
  try {
    const messages = placed.map(([, read]) => read);
    sent = thoughtsIn(requestOfParsed("anthropic", messages, writing), String(head));
  } catch {
    const all = Array.from(holders.values()).flat();
    return { bound: undefined, invalid: new Set(all.map(([position]) => position)) }; // the request reports the fault in the messages
  }
  const before = new Map(previous?.model === model ? previous.sent : []);
  const end = previous?.model === model ? previous.end : undefined;
  const isValid = ({ proof, before: now, start, blocks }: (typeof sent.thoughts)[number]): boolean => {
    const then = before.get(digestOf(proof));
    return then === undefined
      ? start === end && (holders.get(proof) ?? []).some((message) => isAsGiven(message, proof, blocks, comparedText))
      : then === now;
  };
  const valid = new Set(sent.thoughts.filter(isValid).map(({ proof }) => proof));
  const invalid = new Set<number>();
  for (const [proof, of] of holders) {
    // A proof that occurs twice could belong to either place.
    for (const [position] of of.length === 1 && valid.has(proof) ? [] : of) {
      invalid.add(position);
    }
  }
  return {
    bound: {
      model,
      end: sent.end,
      sent: sent.thoughts.map(({ proof, before: now }) => [digestOf(proof), now] as const),
    },
    invalid,
  };
}

/**
 * True if the model wrote everything before a block of thinking in its message and nothing in it has changed. It isn't
 * known if the model wrote a secret or its placeholder, because an app may restore a reply.
 */
function isAsGiven(
  [, { parts }, placeholders]: PlacedMessage,
  proof: string,
  blocks: readonly unknown[],
  textOf: (value: unknown) => string,
): boolean {
  const at = parts.findIndex((part) => proofOfPart(part) === proof);
  return (
    at === blocks.length &&
    blocks.every((block, index) => {
      const placed = parts[index] as PlacedPart;
      const { type, text, signature, data } = isRecord(block) ? block : {};
      const proven = proofOfPart(placed);
      if (placeholders.some((placeholder) => textOf(block).includes(placeholder))) {
        return false;
      }
      return proven === undefined
        ? (placed.part.type === "text" && type === "text" && text === placed.part.text) ||
            (isRecord(placed.given) && textOf(placed.given) === textOf(block))
        : proven === (signature ?? data);
    })
  );
}
