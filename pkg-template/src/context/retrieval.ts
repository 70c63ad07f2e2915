// A tool that returns omitted results and messages to the model.

import { ContextError } from "../base/errors.js";
import type { EncodingChoice } from "../base/generated.js";
import { describe } from "../base/options.js";
import { publicMethods } from "../base/public-call.js";
import { call } from "../engine/engine.js";
import { needSelection } from "../engine/selection.js";
import type { AnyMessage } from "../formats/any-message.js";
import { textOfParts } from "../message/columns.js";
import type { CallPart, MessageInput } from "../message/message.js";
import { isResult, type PlacedPart } from "../message/origin.js";
import type { ParsedMessage } from "../message/read.js";
import { sharesOf } from "../message/shares.js";
import { countTokens } from "./tokens.js";
import { Transcript } from "./transcript.js";

/** The name of the tool. */
const NAME = "retrieve";

/** The default limit of an answer, in tokens. */
const DEFAULT_TOKENS = 1000;

/** Maximum share of the prompt's budget for an answer, because the next step must show it whole. */
const MOST_SHARE = 0.5;

/** The lowest limit of an answer, in tokens. With less, there would only be room for the line around it. */
const LEAST_TOKENS = 50;

/** Maximum number of messages in an answer to a query. */
const MOST_FOUND = 8;

/**
 * The answer to a call that was made before. The build knows these words, and keeps the earlier answer as long as it
 * can.
 */
const REFERENCE = "Unchanged: the same as the earlier result of this call.";

/** The answer to a call whose conversation isn't known yet. */
const AGAIN = "The conversation of this call isn't known yet. Make the call once more.";

/** The answer to a call with an unknown id. */
const UNKNOWN = "No result or message has this name. Pass a name from a mark, or a query.";

/** The arguments of a call. */
export interface RetrievalArguments {
  /** The name of a result or a message: `r12` as a mark has it, the message's id, or the id of the call. */
  readonly id?: string;
  /** The subject of the passages. */
  readonly query?: string;
  /** The offset in a long text to continue from, in characters. */
  readonly offset?: number;
  /** Maximum number of tokens of the answer. */
  readonly max_tokens?: number;
}

/** The definition of the tool by provider. */
export interface RetrievalDefinitions {
  readonly openai: {
    readonly type: "function";
    readonly function: {
      readonly name: string;
      readonly description: string;
      readonly parameters: RetrievalParameters;
    };
  };
  readonly "openai-responses": {
    readonly type: "function";
    readonly name: string;
    readonly description: string;
    readonly parameters: RetrievalParameters;
    readonly strict: false;
  };
  readonly anthropic: {
    readonly name: string;
    readonly description: string;
    readonly input_schema: RetrievalParameters;
  };
  readonly gemini: {
    readonly functionDeclarations: readonly [
      { readonly name: string; readonly description: string; readonly parametersJsonSchema: RetrievalParameters },
    ];
  };
  readonly bedrock: {
    readonly toolSpec: {
      readonly name: string;
      readonly description: string;
      readonly inputSchema: { readonly json: RetrievalParameters };
    };
  };
  readonly "ai-sdk": {
    readonly type: "function";
    readonly name: string;
    readonly description: string;
    readonly inputSchema: RetrievalParameters;
  };
  readonly chrome: {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: RetrievalParameters;
  };
  readonly "web-llm": RetrievalDefinitions["openai"];
}

/** The arguments of the tool as a JSON schema. */
export type RetrievalParameters = typeof PARAMETERS;

const DESCRIPTION =
  "Returns parts of this conversation that were left out. Pass `id` to get one result or message by its name, such as r12 in a mark " +
  "[… 2,140 tokens left out; result r12 …]. Pass `query` to get the passages about something, or both for passages of that result.";

const PARAMETERS = {
  type: "object" as const,
  properties: {
    id: { type: "string" as const, description: "The name of a result or message, such as r12." },
    query: { type: "string" as const, description: "Words to search for." },
    offset: {
      type: "integer" as const,
      description: "The offset in a long text to continue from, in characters. The previous answer has it.",
    },
    max_tokens: {
      type: "integer" as const,
      description: `The maximum number of tokens in the answer. Default: ${DEFAULT_TOKENS}.`,
    },
  },
  additionalProperties: false as const,
};

/**
 * The tool as every context has it: its name, its description, and its arguments as a JSON schema. `again` is the
 * answer if the host doesn't know the conversation of a call yet: the same call then has its answer later.
 */
export const retrievalTool: {
  readonly name: string;
  readonly description: string;
  readonly parameters: RetrievalParameters;
  readonly again: string;
} = {
  name: NAME,
  description: DESCRIPTION,
  parameters: PARAMETERS,
  again: AGAIN,
};

/** The original of a message, or of a result in it. */
export interface Original {
  /** The name in marks. */
  readonly name: string;
  /** The kind and the call that it answers. */
  readonly label: string;
  readonly text: string;
  readonly isUsers: boolean;
}

/** The messages that the tool may return. */
export interface Originals {
  /** Counts the way the prompt was counted. */
  readonly counting: { readonly model?: string | undefined; readonly encoding?: EncodingChoice | undefined };
  /** The budget of the prompt, in tokens. */
  readonly limit: number | undefined;
  /** Returns a message by its name or id. */
  get(id: string): Original | undefined | Promise<Original | undefined>;
  /** Returns the messages about a subject, best first. */
  find(query: string, count: number): Promise<readonly Original[]>;
  /**
   * Returns "original" if the prompt shows the whole message, and "answer" if it shows the earlier answer to the same
   * call.
   */
  shown(asked: RetrievalArguments): "original" | "answer" | undefined;
}

/** Builds the context of a few messages: `buildContext`. */
export type Excerpting = (
  messages: readonly MessageInput[],
  config: Originals["counting"] & { readonly budget: { readonly maxTokens: number } },
) => Promise<{ readonly messages: readonly unknown[] | undefined }>;

/** A tool that returns omitted results and messages to the model. */
export class Retrieval {
  /** The name of the tool. */
  readonly name: string = NAME;
  /** The description for the model. */
  readonly description: string = DESCRIPTION;
  /** The arguments as a JSON schema. */
  readonly parameters: RetrievalParameters = PARAMETERS;
  readonly #originals: Originals;
  readonly #build: Excerpting;
  /** The calls that were answered, as JSON. */
  readonly #answered = new Set<string>();

  /** @internal */
  constructor(originals: Originals, build: Excerpting) {
    publicMethods("context_build_error", Retrieval.prototype, ["definition"]);
    this.#originals = originals;
    this.#build = build;
  }

  /**
   * Returns its definition in the form of a provider: an element of the list `tools`. Fails with `INVALID_CONFIG` for
   * an unknown provider.
   */
  definition<Name extends keyof RetrievalDefinitions>(provider: Name): RetrievalDefinitions[Name] {
    return definitionFor(provider);
  }

  /**
   * Returns the answer to a call, as a text of at most `max_tokens` tokens, or 50 if it says less: an original by `id`,
   * or passages by `query`. If an argument is invalid, the answer says so. A call that was made before is answered by a
   * line that refers to the earlier answer, if the prompt still shows it. Takes the arguments as an object or as its
   * JSON.
   */
  async execute(given: RetrievalArguments | string): Promise<string> {
    const asked = argumentsIn(given);
    if (typeof asked === "string") {
      return asked;
    }
    const { id, query } = asked;
    const key = JSON.stringify(asked);
    const shown = this.#answered.has(key) ? "answer" : this.#originals.shown(asked);
    if (shown === "answer") {
      return REFERENCE;
    }
    const most = Math.floor((this.#originals.limit ?? Number.MAX_SAFE_INTEGER) * MOST_SHARE);
    const limit = Math.max(Math.min(asked.max_tokens ?? DEFAULT_TOKENS, most), LEAST_TOKENS);
    const original = id === undefined ? undefined : await this.#originals.get(id);
    if (shown === "original") {
      return `The conversation above has ${original?.name ?? "it"} in full.`;
    }
    if (id !== undefined && original === undefined) {
      // The model chose the id, so it may have any length.
      return UNKNOWN;
    }
    const answer =
      original === undefined ? await this.#passages(query ?? "", limit) : await this.#shown(original, asked, limit);
    this.#answered.add(key);
    return answer;
  }

  /** Returns passages about a subject from all messages. */
  async #passages(query: string, limit: number): Promise<string> {
    const found = await this.#originals.find(query, MOST_FOUND);
    const parts: string[] = [];
    for (const [at, original] of found.entries()) {
      const left = limit - this.#count(parts.join("\n\n")) - 2;
      // The best ones get more of the room, and the others the rest.
      const share = at === found.length - 1 ? left : Math.ceil(left / 2);
      if (share < LEAST_TOKENS && at > 0) {
        break;
      }
      parts.push(await this.#shown(original, { query }, share));
    }
    return parts.length === 0 ? "No omitted text is about this." : parts.join("\n\n");
  }

  /**
   * Returns as much of a message as there is room for: all of it, the passages about the query, or a stretch from the
   * offset on.
   */
  async #shown(original: Original, { query, offset: from = 0 }: RetrievalArguments, limit: number): Promise<string> {
    const offset = startOf(original.text, from);
    const head = `${this.#headOf(original, Math.floor(limit / 4))}\n`;
    const rest = original.text.slice(offset);
    const whole = head + rest;
    if (this.#count(whole) <= limit) {
      return whole;
    }
    let room = limit - this.#count(head);
    if (query === undefined) {
      room -= this.#count(endOf(offset, original.text.length, original.text.length));
    }
    for (; room > 0; room -= 1 + (room >>> 4)) {
      const text =
        query === undefined ? this.#stretch(original.text, offset, room) : await this.#about(rest, query, room);
      if (this.#count(head + text) <= limit) {
        return head + text;
      }
    }
    return head;
  }

  /** Returns the name of a message and the call that it answers. A long call is cut. */
  #headOf({ name, label }: Original, tokens: number): string {
    const end = this.#fitting(label, tokens);
    return `${name}, ${end < label.length ? `${label.slice(0, end)}…` : label}:`;
  }

  /** Returns the part of a text from an offset on that fits, and the offset to continue from. */
  #stretch(text: string, offset: number, tokens: number): string {
    const rest = text.slice(offset);
    const most = this.#fitting(rest, tokens);
    const line = rest.lastIndexOf("\n", most - 1) + 1;
    const end = offset + (line > most / 2 ? line : most);
    return text.slice(offset, end) + endOf(offset, end, text.length);
  }

  /** Returns the passages of a text about a subject, as an excerpt. */
  async #about(text: string, query: string, tokens: number): Promise<string> {
    const asking = (content: string): readonly MessageInput[] => [
      { role: "user", content: query },
      { role: "assistant", content: null, toolCalls: [{ id: NAME, name: NAME }] },
      { role: "tool", toolCallId: NAME, content },
    ];
    const { counting } = this.#originals;
    const maxTokens = countTokens(asking(""), counting).tokens + tokens;
    const { messages } = await this.#build(asking(text), { ...counting, budget: { maxTokens } });
    const [shown] = (messages ?? []).slice(-1) as readonly { readonly content?: unknown }[];
    return String(shown?.content);
  }

  /** Returns how much of a text fits, in code units: up to the end of a character that a reader sees as one. */
  #fitting(text: string, tokens: number): number {
    let [low, high] = [0, Math.min(text.length, MOST_TOKEN_LENGTH * tokens)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#count(text.slice(0, middle)) <= tokens) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return startOf(text, low);
  }

  #count(text: string): number {
    return countTokens(text, this.#originals.counting).tokens;
  }
}

const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Code units that are read around a place to find the end of a cluster. */
const MOST_CLUSTER_LENGTH = 64;

/** Returns the start of the character that a reader sees at a place of a text, or the end of the text. */
function startOf(text: string, at: number): number {
  if (at >= text.length) {
    return text.length;
  }
  const start = Math.max(at - MOST_CLUSTER_LENGTH, 0);
  const near = text.slice(start, at + MOST_CLUSTER_LENGTH);
  return start + (clusters.segment(near).containing(at - start)?.index ?? at - start);
}

/** No token of a vocabulary is longer, in code units. */
const MOST_TOKEN_LENGTH = 128;

/** Returns the line after a stretch of a text. */
function endOf(offset: number, end: number, length: number): string {
  return `\n[characters ${offset} to ${end} of ${length}${end < length ? `: go on with offset ${end}` : ""}]`;
}

/** Returns the definition of the tool for a provider. */
export function definitionFor<Name extends keyof RetrievalDefinitions>(provider: Name): RetrievalDefinitions[Name] {
  const own = { name: NAME, description: DESCRIPTION };
  const forms: RetrievalDefinitions = {
    openai: { type: "function", function: { ...own, parameters: PARAMETERS } },
    "web-llm": { type: "function", function: { ...own, parameters: PARAMETERS } },
    chrome: { ...own, inputSchema: PARAMETERS },
    "openai-responses": { type: "function", ...own, parameters: PARAMETERS, strict: false },
    anthropic: { ...own, input_schema: PARAMETERS },
    gemini: { functionDeclarations: [{ ...own, parametersJsonSchema: PARAMETERS }] },
    bedrock: { toolSpec: { ...own, inputSchema: { json: PARAMETERS } } },
    "ai-sdk": { type: "function", ...own, inputSchema: PARAMETERS },
  };
  if (!Object.hasOwn(forms, provider)) {
    throw new ContextError({
      kind: "context_build_error",
      code: "INVALID_CONFIG",
      message: `expected the name of a provider, got ${describe(provider)}`,
      nextAction: `The providers are ${Object.keys(forms).join(", ")}.`,
    });
  }
  return forms[provider];
}

/** Returns the arguments of a call in one canonical form, or an error for the model. */
export function argumentsIn(given: unknown): RetrievalArguments | string {
  let read = given;
  try {
    read = typeof given === "string" ? JSON.parse(given) : given;
  } catch {
    return "The arguments aren't JSON.";
  }
  const { id, query, offset, max_tokens: limit } = (read ?? {}) as Readonly<Record<string, unknown>>;
  const name = typeof id === "number" ? String(id) : typeof id === "string" ? id.trim().replace(/^result /, "") : "";
  const words = typeof query === "string" ? query.trim() : "";
  if (name === "" && words === "") {
    return "Pass `id`, `query` or both.";
  }
  const countOf = (value: unknown): number =>
    Number.isFinite(Number(value)) ? Math.max(0, Math.floor(Number(value))) : 0;
  return {
    ...(name === "" ? {} : { id: name }),
    ...(words === "" ? {} : { query: words }),
    ...(countOf(offset) === 0 ? {} : { offset: countOf(offset) }),
    ...(countOf(limit) === 0 ? {} : { max_tokens: countOf(limit) }),
  };
}

/** The originals of a context. */
export interface ContextOriginals extends Originals {
  /**
   * Returns the rows of a message that aren't whole in the prompt, by the number in its name. Undefined if the context
   * doesn't know the message.
   */
  partsOf(number: number): readonly Original[] | undefined;
}

/** A message, or a result in it, of a transcript. */
export interface TranscriptRow extends Original {
  /** The other names: the id of the message, and that of the call that it answers. */
  readonly ids: readonly unknown[];
  /** The position of its message. */
  readonly position: number;
  /** The place among the rows of its message, from 1 on; 0 if it is all of the message. */
  readonly share: number;
  /** The arguments of the call that it answers, if that is one of this tool. */
  readonly asked: RetrievalArguments | undefined;
}

/** The fields of a context that the tool reads. */
export interface AskedContext extends Pick<Originals, "counting" | "limit"> {
  readonly length: number;
  /** The number of a message in its name: its position, or its sequence number in a log. */
  numberOf(position: number): number;
  read(position: number): ParsedMessage;
  /** How much of a row the prompt shows. `hidden` rows aren't for this prompt, whatever its budget. */
  shownOf(position: number, share: number): "whole" | "part" | "hidden";
}

/** Returns the messages of a context that the tool may return. */
export function originalsOf(context: AskedContext): ContextOriginals {
  let rows: readonly TranscriptRow[] | undefined;
  const all = (): readonly TranscriptRow[] => {
    rows ??= rowsOf(context).filter(({ position, share }) => context.shownOf(position, share) !== "hidden");
    return rows;
  };
  const isWhole = ({ position, share }: TranscriptRow): boolean => context.shownOf(position, share) === "whole";
  // If several messages have one id, the newest is meant, as in `explain`.
  const get = (id: string): TranscriptRow | undefined =>
    all().find(({ name }) => name === id) ?? all().findLast(({ ids }) => ids.includes(id));
  let positions: ReadonlyMap<number, number> | undefined;
  const positionOf = (number: number): number | undefined => {
    positions ??= new Map(
      Array.from({ length: context.length }, (_, position) => [context.numberOf(position), position]),
    );
    return positions.get(number);
  };
  return {
    counting: context.counting,
    limit: context.limit,
    get,
    partsOf(number) {
      const position = positionOf(number);
      return position === undefined ? undefined : all().filter((row) => row.position === position && !isWhole(row));
    },
    find: (query, count) =>
      findIn(
        all().filter((row) => row.asked === undefined && !isWhole(row)),
        query,
        count,
      ),
    shown(asked) {
      const key = JSON.stringify(asked);
      const original = asked.id === undefined ? undefined : get(asked.id);
      if (original !== undefined && isWhole(original)) {
        return "original";
      }
      const isAnswer = (row: TranscriptRow): boolean => row.asked !== undefined && JSON.stringify(row.asked) === key;
      return all().some((row) => isAnswer(row) && isWhole(row) && ![REFERENCE, AGAIN].includes(row.text))
        ? "answer"
        : undefined;
    },
  };
}

interface CallText {
  readonly name: string;
  readonly input: unknown;
  /** The call in words. */
  readonly text: string;
}

/** Returns the rows of messages that say something. */
export function rowsOf({ length, numberOf, read }: Omit<AskedContext, "shownOf" | keyof Originals>): TranscriptRow[] {
  const calls = new Map<string, CallText>();
  const rows: TranscriptRow[] = [];
  for (let position = 0; position < length; position++) {
    const { message, parts } = read(position);
    const row = (own: readonly PlacedPart[], share: number): TranscriptRow => {
      const said = own.flatMap(({ part }) => {
        if (part.type !== "tool-call") {
          return [];
        }
        const made = callText(part);
        calls.set(part.toolCallId, made);
        return [made.text];
      });
      const result = own.find(isResult)?.part;
      const callId = result?.type === "tool-result" ? result.toolCallId : undefined;
      const made = callId === undefined ? undefined : calls.get(callId);
      const asked = made?.name === NAME ? argumentsIn(made.input) : undefined;
      return {
        name: `r${numberOf(position)}${share === 0 ? "" : `.${share}`}`,
        label: made?.text ?? (result === undefined ? message.role : "result"),
        text: [textOfParts(own), ...said].filter((text) => text !== "").join("\n"),
        isUsers: message.role === "user" && result === undefined,
        ids: [share > 1 ? undefined : message.id, callId],
        position,
        share,
        asked: typeof asked === "string" ? undefined : asked,
      };
    };
    const own = sharesOf(message, parts)?.map((share, at) => row(share.parts, at + 1)) ?? [row(parts, 0)];
    rows.push(...own.filter(({ text }) => text !== ""));
  }
  return rows;
}

const callText = ({ toolName: name, input }: CallPart): CallText => ({
  name,
  input,
  text: `${name} ${typeof input === "string" ? input : (JSON.stringify(input) ?? "")}`,
});

/** Finds the originals about a subject, best first, with recall's index. */
async function findIn(originals: readonly Original[], query: string, count: number): Promise<readonly Original[]> {
  await needSelection();
  const transcript = new Transcript<AnyMessage>();
  try {
    transcript.append(originals.map(({ isUsers, text }) => ({ role: isUsers ? "user" : "assistant", content: text })));
    transcript.setLog({ seqs: originals.map((_, at) => at + 1) });
    const { core } = transcript.source();
    const found = call("context_build_error", () => core.search(query, Date.now(), new Float64Array(), count));
    const { hits = [] } = JSON.parse(found ?? "{}") as { readonly hits?: readonly { readonly seq: number }[] };
    return hits.flatMap(({ seq }) => originals[seq - 1] ?? []);
  } finally {
    transcript.free();
  }
}
