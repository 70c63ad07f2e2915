// Messages between a page and the worker that builds for it.

import { ContextError } from "../base/errors.js";
import type { HookName } from "../base/generated.js";
import { describe } from "../base/options.js";
import type { BuiltContext } from "../context/context.js";
import type { AnyMessage } from "../formats/any-message.js";

/** One end of a channel: a `Worker`, a `MessagePort`, or the scope of a worker. */
export interface Channel {
  postMessage(message: unknown): void;
  addEventListener(type: string, listener: (event: { readonly data: never; readonly message?: string }) => void): void;
  /** A `MessagePort` delivers nothing before it is started. */
  start?(): void;
}

/** The fields of a built context that are sent unchanged. */
export type ContextField =
  | "text"
  | "tokens"
  | "charCount"
  | "trimmed"
  | "sections"
  | "focus"
  | "recall"
  | "triage"
  | "conversations"
  | "trace"
  | "snapshot"
  | "recording"
  | "outline"
  | "prefix"
  | "cacheBreakpoints";

/** A message: its position in the list if it is the caller's own object, or else a copy. */
export type SentMessage = number | object;

/** A built context. */
export interface SentContext {
  readonly fields: Pick<BuiltContext<AnyMessage>, ContextField>;
  readonly kept: readonly SentMessage[];
  readonly messages: readonly SentMessage[] | undefined;
}

/** A config without its functions. */
export interface SentConfig {
  readonly plain: object;
  /** The hooks that the page answers. */
  readonly hooks: readonly HookName[];
  readonly isAbortable: boolean;
}

/** The calls of a page: the arguments and result of each. */
export interface Calls {
  /** Keeps the first messages of an array and adds more. Creates the list if it doesn't exist. */
  readonly editArray: readonly [[list: number, messages: readonly unknown[], keep: number], undefined];
  readonly createTranscript: readonly [[list: number, messages: readonly unknown[], options: unknown], undefined];
  readonly append: readonly [[list: number, messages: readonly unknown[]], undefined];
  readonly replaceLast: readonly [[list: number, message: unknown], undefined];
  readonly truncate: readonly [[list: number, length: number], undefined];
  readonly buildContext: readonly [[list: number, context: number, config: SentConfig], SentContext];
  readonly request: readonly [[context: number, provider: unknown, options: unknown], unknown];
  readonly explain: readonly [[context: number, idOrPosition: unknown], unknown];
  readonly tokensBySource: readonly [[context: number], unknown];
  readonly retrieve: readonly [[context: number, given: unknown], string];
  readonly loadEncoding: readonly [[encoding: unknown], undefined];
  readonly loadMeaning: readonly [[table: unknown], undefined];
}

export type CallName = keyof Calls;

/** The messages that the page sends. */
export type ToWorker =
  | { readonly kind: "call"; readonly id: number; readonly name: CallName; readonly given: readonly unknown[] }
  /** Messages of a later call. A long list is sent in parts, so the page is never blocked for long. */
  | { readonly kind: "part"; readonly id: number; readonly messages: readonly unknown[] }
  /** The signal of a call is aborted. */
  | { readonly kind: "abort"; readonly id: number; readonly reason: unknown }
  /** The answer of a hook. */
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "hookFailed"; readonly id: number; readonly error: unknown }
  /** The page no longer needs a list or a context. */
  | { readonly kind: "forget"; readonly what: "list" | "context"; readonly id: number };

/** The messages that the worker sends. */
export type ToPage =
  | { readonly kind: "done"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly error: unknown }
  /** A question for a hook of a call. Messages in it are positions. */
  | {
      readonly kind: "ask";
      readonly id: number;
      readonly call: number;
      readonly hook: HookName;
      readonly question: readonly unknown[];
    }
  /** The answer of a hook is no longer wanted. */
  | { readonly kind: "unask"; readonly id: number; readonly reason: unknown };

/** The fields of a question that hold messages, or entries with messages. */
const LISTS = ["candidates", "conversations"] as const;

/** Replaces the messages in a hook's question. */
export function withMessages(part: unknown, replace: (message: unknown) => unknown): unknown {
  if (typeof part !== "object" || part === null || Array.isArray(part)) {
    return part;
  }
  const copy: Record<string, unknown> = { ...part };
  for (const name of LISTS) {
    const entries = copy[name];
    if (Array.isArray(entries)) {
      copy[name] = entries.map((entry) => withMessages(entry, replace));
    }
  }
  if (Array.isArray(copy["messages"])) {
    copy["messages"] = copy["messages"].map(replace);
  }
  return copy;
}

/** Listens to the other end of a channel. Fails with `WORKER_FAILED` if the value isn't one. */
export function listenTo(channel: Channel, listener: (data: never) => void): void {
  try {
    const { postMessage } = channel;
    channel.addEventListener("message", ({ data }) => listener(data));
    if (typeof postMessage === "function") {
      channel.start?.();
      return;
    }
  } catch {} // it isn't a channel
  throw new ContextError({
    kind: "load_error",
    code: "WORKER_FAILED",
    message: `expected a Worker or a MessagePort, got ${describe(channel)}`,
    nextAction: "Pass connectWorker a Worker, and call serveWorker without arguments in its script.",
  });
}
