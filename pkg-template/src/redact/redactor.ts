// Creates redactors. A message with secrets is copied in its own format, with placeholders for the secrets. Counts,
// ranking, requests and recordings all use the copy.

import { ContextError } from "../base/errors.js";
import { isListOf } from "../base/lists.js";
import { checkOptions } from "../base/options.js";
import { isPartMissing } from "../base/parts.js";
import { isRecord } from "../base/plain-data.js";
import { publicCall, publicFunction, publicMethods } from "../base/public-call.js";
import type { RecordedEdit, RecordedRedaction, RedactedContext, Redactor, Restorer } from "../config/redactor.js";
import { areSame, type MessageColumns } from "../message/columns.js";
import type { PlainPart } from "../message/message.js";
import { type ParsedMessage, parse } from "../message/read.js";
import { apart, SECRET_KINDS, type SecretKind, type SecretMatch, secretsIn } from "./find.js";
import { keyOf, randomKey, type SipKey, sipHash } from "./keyed.js";
import { mapped, PLACEHOLDER, type TextPlace, type TextVisit } from "./walk.js";

export type { Redactor };

/** Finds secrets in a text. */
export type FindSecrets = (text: string) => Iterable<SecretMatch>;

/** Options of a redactor. */
export interface RedactorOptions {
  /** Finds the secrets in a text. Default: `findSecrets` with `kinds`. */
  readonly find?: FindSecrets | undefined;
  /** The kinds that `findSecrets` searches for. Default: all of `SECRET_KINDS`. */
  readonly kinds?: readonly SecretKind[] | undefined;
  /**
   * A secret text of the application, with at least 16 characters. With the same key, a secret has the same placeholder
   * after a reload and in another worker. Default: a random key that lasts as long as the redactor.
   */
  readonly key?: string | undefined;
}

const OPTIONS = {
  find: ["a function", (value: unknown) => typeof value === "function"],
  kinds: [
    `a list of ${SECRET_KINDS.join(", ")}`,
    (value: unknown) => isListOf(value, (kind) => SECRET_KINDS.includes(kind as SecretKind)),
  ],
  key: ["a text of 16 characters or more", (value: unknown) => typeof value === "string" && value.length >= 16],
} as const;

const KIND = "context_build_error";

/** The alphabet of a placeholder's checksum. No two characters look alike. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
/** The length of a checksum: 40 bits. */
const LENGTH = 8;
/** Matches the beginning of a placeholder at the end of a text. */
const BEGINNING = /\[(?:[A-Z][A-Z0-9_]{0,30}(?:(?<=_)[0-9a-hjkmnp-tv-z]{1,8})?)?$/;
/** The address of data in base64, and the part before the data. Data isn't searched. */
const BASE64_URL = /^(data:[^,]{0,200};base64,)[A-Za-z0-9+/]*={0,2}$/i;
/** The kind for a text that only looks like a placeholder. */
const LOOKALIKE = "TEXT";

/** A redacted message. */
interface RedactedMessage {
  readonly columns: MessageColumns;
  readonly copy: object;
}

/** Creates a redactor. Fails with `INVALID_CONFIG` for an unknown option. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  return publicCall(KIND, "createRedactor", () => {
    checkOptions(KIND, options, OPTIONS);
    const { kinds, key, find = (text) => secretsIn(text, kinds) } = options;
    return new KeyedRedactor(find, key === undefined ? undefined : keyOf(key));
  });
}

/**
 * Returns the keys, tokens, addresses and numbers in a text, in order. Fails with `INVALID_CONFIG` if it isn't a text.
 */
export function findSecrets(text: string, kinds: readonly SecretKind[] = SECRET_KINDS): readonly SecretMatch[] {
  return publicCall(KIND, "findSecrets", () => {
    checkOptions(
      KIND,
      { text, kinds },
      { text: ["a text", (value) => typeof value === "string"], kinds: OPTIONS.kinds },
    );
    return secretsIn(text, kinds);
  });
}

class KeyedRedactor implements Redactor {
  readonly #find: FindSecrets;
  /** Created on first use, because a worker has no random numbers while it starts. */
  #key: SipKey | undefined;
  readonly #secrets = new Map<string, string>();
  readonly #placeholders = new Map<string, string>();
  readonly #known = new WeakMap<object, RedactedMessage>();
  /** The edits of each copy. */
  readonly #edits = new WeakMap<object, readonly RecordedEdit[]>();

  constructor(find: FindSecrets, key: SipKey | undefined) {
    publicMethods(KIND, KeyedRedactor.prototype, "all");
    this.#find = find;
    this.#key = key;
  }

  messages<M extends object>(messages: readonly M[], first: number, shape?: string): readonly M[] {
    const copies = messages.map((message, at) => this.#message(message, at < first, shape, messages[at - 1]));
    return copies.every((copy, at) => copy === messages[at]) ? messages : copies;
  }

  #message<M extends object>(message: M, isOlder: boolean, shape: string | undefined, before: unknown): M {
    if (typeof message !== "object" || message === null || this.#edits.has(message)) {
      return message; // a copy needs no copy; the build refuses anything else
    }
    const known = this.#known.get(message);
    if (known !== undefined && isOlder) {
      return known.copy as M;
    }
    let parsed: ParsedMessage;
    try {
      parsed = parse(message, "message", KIND, { shape, before });
    } catch (failure) {
      if (isPartMissing(failure)) {
        throw failure;
      }
      return message; // the build refuses it and names its place
    }
    if (known !== undefined && areSame(known.columns, parsed.columns)) {
      return known.copy as M;
    }
    const edits: RecordedEdit[] = [];
    const { isSilent, proofs } = silentTexts(parsed);
    const escapes = parsed.message.role !== "assistant";
    const find: TextVisit = (text, place) => {
      const spans = isSilent(text, place) ? NO_SPANS : this.#spans(text, escapes && !place.isInside);
      for (const [start, end, placeholder] of spans) {
        edits.push([place.slot, start, end, placeholder]);
      }
      return replaced(text, spans);
    };
    const undone = new Set<number>();
    const copy = mapped(message, find, { undo: (slot) => undone.add(slot), proofs }) as M;
    this.#known.set(message, { columns: parsed.columns, copy });
    if (copy !== message) {
      const made = edits.filter(([slot]) => !undone.has(slot));
      this.#edits.set(copy, made);
    }
    return copy;
  }

  value<T>(value: T, isModels = false): T {
    return mapped(value, (text, { isInside }) => replaced(text, this.#spans(text, !isModels && !isInside))) as T;
  }

  recorded(messages: readonly object[]): readonly RecordedRedaction[] {
    return messages.flatMap((message, at): RecordedRedaction[] => {
      const edits = this.#edits.get(message);
      return edits === undefined ? [] : [[at, edits]];
    });
  }

  replayed<M extends object>(
    messages: readonly M[],
    recorded: readonly RecordedRedaction[],
    shape?: string,
  ): readonly M[] {
    const copies = [...messages];
    for (const [at, edits] of checkedRecord(recorded)) {
      const message = messages[at];
      if (message !== undefined) {
        const { proofs } = silentTexts(parse(message, `messages[${at}]`, KIND, { shape, before: messages[at - 1] }));
        const bySlot = new Map<number, Span[]>();
        for (const [slot, ...span] of edits) {
          const spans = bySlot.get(slot) ?? [];
          spans.push(span);
          bySlot.set(slot, spans);
        }
        const replay: TextVisit = (text, { slot }) => {
          const spans = bySlot.get(slot) ?? NO_SPANS;
          for (const [start, end, placeholder] of spans) {
            this.#secrets.set(placeholder, text.slice(start, end));
          }
          return replaced(text, spans);
        };
        const copy = mapped(message, replay, { proofs });
        this.#edits.set(copy as object, edits);
        copies[at] = copy as M;
      }
    }
    return copies;
  }

  restored<T>(value: T, context: RedactedContext): T {
    const known = this.#knownIn(context);
    return mapped(value, (text) => restoredText(text, known), { restores: true }) as T;
  }

  restorer(context: RedactedContext): Restorer {
    const known = this.#knownIn(context);
    let held = "";
    return {
      push: publicFunction(KIND, "push", (piece) => {
        const text = held + piece;
        held = BEGINNING.exec(text)?.[0] ?? "";
        return restoredText(text.slice(0, text.length - held.length), known);
      }),
      end() {
        const rest = held;
        held = "";
        return restoredText(rest, known);
      },
    };
  }

  /**
   * Returns the placeholders that a context made and sent, with their secrets. An assistant's message may be forged, so
   * a placeholder in it counts only if the context made the same one elsewhere.
   */
  #knownIn({ messages, text, recording }: RedactedContext): ReadonlyMap<string, string> {
    const { redactions = [], request, config, answers, largeAnswers } = recording;
    // Summaries are a model's words.
    const given = [...answers, ...Object.values(largeAnswers)].filter(
      (answer) => !("hook" in answer && answer.hook === "tiers.summarize"),
    );
    const made = placeholdersIn([request, config.sections, given]);
    for (const [, , , placeholder] of redactions.flatMap(([, edits]) => edits)) {
      made.add(placeholder);
    }
    const known = new Map<string, string>();
    for (const placeholder of placeholdersIn([messages, text])) {
      const secret = made.has(placeholder) ? this.#secrets.get(placeholder) : undefined;
      if (secret !== undefined) {
        known.set(placeholder, secret);
      }
    }
    return known;
  }

  /** Finds the secrets in a text. `escapes` also treats a text that looks like a placeholder as a secret. */
  #spans(text: string, escapes: boolean): readonly Span[] {
    const searched = text.slice(0, BASE64_URL.exec(text)?.[1]?.length);
    const matches: SecretMatch[] = [];
    // The function may return a list with holes, which ends the search with an error.
    for (const { start, end, kind } of this.#find(searched)) {
      matches.push({ start, end, kind });
    }
    if (escapes) {
      for (const { index, 0: found } of searched.matchAll(PLACEHOLDER)) {
        matches.push({ start: index, end: index + found.length, kind: LOOKALIKE });
      }
    }
    return apart(matches).map(({ start, end, kind }) => [
      start,
      end,
      this.#placeholderOf(text.slice(start, end), kind),
    ]);
  }

  #placeholderOf(secret: string, kind: string): string {
    const name =
      kind
        .toUpperCase()
        .replace(/[^A-Z0-9]+/g, "_")
        .replace(/^[^A-Z]+/, "")
        .slice(0, 31) || LOOKALIKE;
    const known = this.#placeholders.get(`${name} ${secret}`);
    if (known !== undefined) {
      return known;
    }
    this.#key ??= randomKey();
    for (let round = 0; ; round++) {
      const placeholder = `[${name}_${digitsOf(sipHash(this.#key, `${round} ${name} ${secret}`))}]`;
      const taken = this.#secrets.get(placeholder);
      if (taken === undefined || taken === secret) {
        this.#secrets.set(placeholder, secret);
        this.#placeholders.set(`${name} ${secret}`, placeholder);
        return placeholder;
      }
    }
  }
}

/** Encodes the last 40 bits of a number. */
function digitsOf(bits: bigint): string {
  return Array.from({ length: LENGTH }, (_, at) => DIGITS[Number((bits >> BigInt(5 * at)) & 31n)]).join("");
}

/** Fails if a value isn't a list of recorded edits. It may come from a file. */
function checkedRecord(recorded: readonly RecordedRedaction[]): readonly RecordedRedaction[] {
  const isEdit = (edit: unknown): boolean =>
    Array.isArray(edit) && edit.slice(0, 3).every(Number.isInteger) && typeof edit[3] === "string";
  const isRecord = (one: unknown): boolean =>
    Array.isArray(one) && Number.isInteger(one[0]) && isListOf(one[1], isEdit);
  if (!isListOf(recorded, isRecord)) {
    throw new ContextError({
      kind: KIND,
      code: "INVALID_RECORDING",
      message: "the recording is damaged: its redactions aren't in the expected format",
      nextAction: "Pass the recording of a built context unchanged.",
    });
  }
  return recorded;
}

/** Returns all texts in a value that look like placeholders. */
function placeholdersIn(value: unknown): Set<string> {
  const found = new Set<string>();
  mapped(value, (text) => {
    for (const [placeholder] of text.matchAll(PLACEHOLDER)) {
      found.add(placeholder);
    }
    return text;
  });
  return found;
}

type Span = readonly [start: number, end: number, placeholder: string];
const NO_SPANS: readonly Span[] = [];

function replaced(text: string, spans: readonly Span[]): string {
  let made = "";
  let end = 0;
  for (const [start, next, placeholder] of spans) {
    made += text.slice(end, start) + placeholder;
    end = next;
  }
  return end === 0 ? text : made + text.slice(end);
}

/** Restores the secrets of a text in one pass, so a restored secret isn't searched for placeholders. */
const restoredText = (text: string, known: ReadonlyMap<string, string>): string =>
  known.size === 0 ? text : text.replace(PLACEHOLDER, (placeholder) => known.get(placeholder) ?? placeholder);

/** The texts of a message that nobody reads. */
interface SilentTexts {
  /** True for ids, proofs, and the data and addresses of media. */
  readonly isSilent: (text: string, place: TextPlace) => boolean;
  /** Signatures, encrypted reasoning, and the ids of reasoning. */
  readonly proofs: ReadonlySet<unknown>;
}

/** Fields that hold an id. An app may use an address as an id, and the same address may be said too. */
const ID_FIELD = /id$|^(?:replyTo|summaryOf|parent|key)$/i;

function silentTexts({ message, parts }: ParsedMessage): SilentTexts {
  const { id, replyTo, sessionId, conversationId, summaryOf, createdAt, name, source } = message;
  const ids = new Set<unknown>([id, replyTo, sessionId, conversationId, summaryOf]);
  const exempt = new Set<unknown>([String(createdAt)]);
  const proofs = new Set<unknown>();
  const said: unknown[] = [name, source];
  const open: PlainPart[] = parts.map(({ part }) => part);
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    switch (part.type) {
      case "image":
      case "audio":
      case "file":
        exempt.add(part.url).add(part.id);
        if (part.type !== "file" || !part.mediaType?.startsWith("text/")) {
          exempt.add(part.data);
        }
        break;
      case "reasoning":
      case "redacted_thinking":
        proofs.add(part.signature).add(part.data).add(part.id);
        said.push("text" in part ? part.text : "");
        break;
      case "text":
        proofs.add(part.signature);
        ids.add(part.id);
        said.push(part.text);
        break;
      case "tool-call":
        proofs.add(part.signature);
        ids.add(part.id).add(part.toolCallId);
        break;
      case "tool-result": {
        const { output, toolCallId } = part;
        ids.add(toolCallId);
        if (isRecord(output) && output.type === "content" && Array.isArray(output.value)) {
          open.push(...(output.value as readonly PlainPart[]));
        } else {
          said.push(output);
        }
        break;
      }
      default:
        ids.add(part.approvalId);
    }
  }
  for (const proof of proofs) {
    exempt.add(proof);
  }
  for (const text of said) {
    exempt.delete(text);
  }
  const isSilent = (text: string, { field = "" }: TextPlace): boolean =>
    exempt.has(text) || (ids.has(text) && ID_FIELD.test(field));
  return { isSilent, proofs };
}
