// The page's side: the calls of `windrow`, answered by a worker.

import { ContextError, type ErrorKind } from "../base/errors.js";
import type { Format, HookName } from "../base/generated.js";
import { publicPromise } from "../base/public-call.js";
import type { ContextConfig, InFormat } from "../config/config.js";
import { HOOK_NAMES } from "../config/hooks.js";
import type { BuiltContext, ContextMessage, ContextTokens, Explanation } from "../context/context.js";
import type { RetrievalArguments } from "../context/retrieval.js";
import type { TokensBySource } from "../context/token-sources.js";
import type { TranscriptOptions } from "../context/transcript.js";
import type { Vocabulary } from "../engine/encodings.js";
import type { MeaningTable } from "../engine/meaning.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { ProviderName, RequestBodies } from "../formats/requests.js";
import type { MessageInput } from "../message/message.js";
import {
  type CallName,
  type Calls,
  type Channel,
  type ContextField,
  listenTo,
  type SentContext,
  type SentMessage,
  type ToPage,
  type ToWorker,
  withMessages,
} from "./protocol.js";

/** The number of arrays that the worker remembers. The next build of one sends only its new messages. */
const REMEMBERED_ARRAYS = 4;

/** Maximum number of messages sent at once. */
const PART_LENGTH = 200;

/** The longest that sending may block the page, in milliseconds, unless a single part takes longer. */
const LONGEST_TURN_MS = 8;

const BUILD = "context_build_error";

type Hook = (...question: readonly unknown[]) => unknown;
type Fields = Pick<BuiltContext<MessageInput, Format>, Exclude<ContextField, "text" | "tokens">>;

/** A context built by a worker: the data of a `BuiltContext`. Its methods return promises. */
export interface WorkerContext<M extends AnyMessage = MessageInput, F extends Format = "messages"> extends Fields {
  /** The messages to send, as in `BuiltContext`. Undefined in the text formats. */
  readonly messages: F extends "messages" ? (M | ContextMessage)[] : undefined;
  /** The prompt, in the text formats. Undefined in the format `messages`. */
  readonly text: F extends "messages" ? undefined : string;
  /** The messages of the list that are in the context: the caller's own objects, as in `BuiltContext`. */
  readonly kept: M[];
  /** The cost of the context. `tokensBySource` returns its parts by source. */
  readonly tokens: Omit<ContextTokens, "bySource">;
  /** See `BuiltContext.request`. */
  request<Name extends ProviderName>(
    provider: Name,
    options?: Parameters<BuiltContext["request"]>[1],
  ): Promise<RequestBodies[Name]>;
  /** See `BuiltContext.explain`. */
  explain(idOrPosition: string | number): Promise<Explanation>;
  /** See `BuiltContext.tokens.bySource`. */
  tokensBySource(): Promise<TokensBySource>;
  /** See `BuiltContext.retrieval.execute`. `retrievalTool` of `windrow` has the tool's definition. */
  retrieve(given: RetrievalArguments | string): Promise<string>;
}

/**
 * A transcript in a worker. Its methods take effect in the order of the calls, and fail like those of a `Transcript`.
 */
export interface WorkerTranscript<M extends AnyMessage = MessageInput> {
  /** The messages in the worker. They are the caller's own objects. */
  readonly messages: readonly M[];
  append(messages: M | readonly M[]): Promise<void>;
  replaceLast(message: M): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Lets the worker forget the transcript. */
  free(): void;
}

/** The calls of `windrow` that a worker answers. */
export interface WorkerEngine {
  /**
   * Builds a context as `buildContext` of `windrow` does. Messages are sent by structured clone, each object once, so a
   * changed message must be a new object. Hooks run in the page. Takes no `redact`.
   */
  buildContext<M extends AnyMessage, const F extends Format = "messages">(
    transcript: readonly M[] | WorkerTranscript<M>,
    config?: InFormat<ContextConfig<M>, F>,
  ): Promise<WorkerContext<M, F>>;
  /** Makes a transcript in the worker. If the messages are invalid, its first use fails. */
  createTranscript<M extends AnyMessage = MessageInput>(
    messages?: readonly M[],
    options?: TranscriptOptions,
  ): WorkerTranscript<M>;
  /** Loads an encoding in the worker before it is needed. */
  loadEncoding(encoding: string | Vocabulary): Promise<void>;
  /** Loads the table for `recall.meaning: "static"` in the worker before it is needed. */
  loadMeaning(table?: MeaningTable): Promise<void>;
  /** Ends the worker. Calls in progress fail with `ABORTED`. */
  close(): void;
}

/** A list in the worker. */
interface KnownList<M> {
  readonly id: number;
  messages: readonly M[];
  /** Fails if the worker refused the list. */
  readonly created: Promise<unknown>;
  /** The newest change sent. It never fails. */
  changed: Promise<unknown>;
}

/** A call that waits for its answer. */
interface OpenCall {
  readonly kind: ErrorKind;
  readonly hooks: ReadonlyMap<HookName, Hook>;
  /** The messages of the list at the time of the call. */
  readonly messages: Promise<readonly unknown[]> | undefined;
  resolve(value: unknown): void;
  reject(error: ContextError): void;
}

/**
 * Connects a worker whose script calls `serveWorker` of `windrow/worker/thread`, so builds never block the page. Takes
 * any channel with a server at its other end, such as a `MessagePort`.
 */
export function connectWorker(channel: Channel): WorkerEngine {
  return new Connection(channel);
}

class Connection implements WorkerEngine {
  readonly #channel: Channel;
  readonly #calls = new Map<number, OpenCall>();
  /** Keyed by the id of a hook's question. */
  readonly #asked = new Map<number, AbortController>();
  readonly #transcripts = new WeakMap<object, KnownList<unknown>>();
  /** The arrays that the worker remembers, newest first. */
  #arrays: KnownList<unknown>[] = [];
  readonly #forgotten = new FinalizationRegistry<number>((id) => this.#forget("context", id));
  #ids = 0;
  /** Messages waiting to be sent. */
  readonly #outbox: ToWorker[] = [];
  #isSending = false;
  /** True after the first answer, which shows that the worker's script has run. */
  #hasRun = false;
  #end: ((kind: ErrorKind) => ContextError) | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
    listenTo(channel, (data) => this.#take(data));
    channel.addEventListener("error", ({ message }) => {
      if (!this.#hasRun) {
        this.#close(() => failedToRun(message));
      }
    });
  }

  buildContext<M extends AnyMessage, F extends Format>(
    transcript: readonly M[] | WorkerTranscript<M>,
    config: object = {},
  ): Promise<WorkerContext<M, F>> {
    return publicPromise(BUILD, "buildContext", async () => {
      const list = this.#transcripts.get(transcript) ?? this.#arrayOf(transcript as readonly M[]);
      const messages = list.changed.then(() => list.messages);
      const { plain, hooks, signal } = splitConfig(config);
      const context = ++this.#ids;
      const sentConfig = { plain, hooks: [...hooks.keys()], isAbortable: signal !== undefined };
      const sent = this.#call("buildContext", BUILD, [list.id, context, sentConfig], { hooks, signal, messages });
      const [, own, built] = await Promise.all([list.created, messages, sent]);
      return this.#contextOf<M, F>(context, built, own as readonly M[]);
    });
  }

  createTranscript<M extends AnyMessage>(given: readonly M[] = [], options: object = {}): WorkerTranscript<M> {
    const kind = "transcript_error";
    const id = ++this.#ids;
    const created = publicPromise(kind, "createTranscript", () =>
      this.#call("createTranscript", kind, [id, given.map(asPlain), options]),
    );
    const changed = created.catch(() => {}); // its first use reports the error
    const list: KnownList<unknown> = { id, messages: [...given], created, changed };
    const change = <Name extends "append" | "replaceLast" | "truncate">(
      name: Name,
      argument: Calls[Name][0][1],
      changedList: () => readonly unknown[],
    ): Promise<void> => {
      const done = publicPromise(kind, name, async () => {
        await Promise.all([created, this.#call(name, kind, [id, argument] as Calls[Name][0])]);
        list.messages = changedList();
      });
      list.changed = done.catch(() => {});
      return done;
    };
    const transcript: WorkerTranscript<M> = {
      get messages() {
        return list.messages as readonly M[];
      },
      append: (messages) => {
        const added = Array.isArray(messages) ? [...messages] : [messages];
        return change("append", added.map(asPlain), () => [...list.messages, ...added]);
      },
      replaceLast: (message) => change("replaceLast", asPlain(message), () => [...list.messages.slice(0, -1), message]),
      truncate: (length) => change("truncate", length, () => list.messages.slice(0, length)),
      free: () => this.#forget("list", id),
    };
    this.#transcripts.set(transcript, list);
    return transcript;
  }

  loadEncoding(encoding: string | Vocabulary): Promise<void> {
    const kind = "encoding_error";
    return publicPromise(kind, "loadEncoding", () => this.#call("loadEncoding", kind, [encoding]));
  }

  loadMeaning(table?: MeaningTable): Promise<void> {
    const kind = "encoding_error";
    return publicPromise(kind, "loadMeaning", () => this.#call("loadMeaning", kind, [table]));
  }

  close(): void {
    this.#close((kind) => {
      return new ContextError({
        kind,
        code: "ABORTED",
        message: "the worker was closed",
        nextAction: "Connect another.",
      });
    });
  }

  #close(end: (kind: ErrorKind) => ContextError): void {
    this.#end ??= end;
    const { terminate, close } = this.#channel as Channel & { terminate?(): void; close?(): void };
    (terminate ?? close)?.call(this.#channel);
    for (const call of this.#calls.values()) {
      call.reject(end(call.kind));
    }
    this.#calls.clear();
  }

  /** Sends the messages of an array that the worker doesn't have. */
  #arrayOf(given: readonly unknown[]): KnownList<unknown> {
    if (!Array.isArray(given)) {
      throw new ContextError({
        kind: BUILD,
        code: "INVALID_TRANSCRIPT",
        message: "expected an array of messages, or a transcript of this worker",
        nextAction: "Pass an array, or the result of this worker's createTranscript().",
      });
    }
    const messages = [...given];
    let keep = 0;
    let known: KnownList<unknown> | undefined;
    for (const list of this.#arrays) {
      const length = sharedLength(list.messages, messages);
      if (length > keep) {
        [keep, known] = [length, list];
      }
    }
    const id = known?.id ?? ++this.#ids;
    const created = this.#call("editArray", BUILD, [id, messages.slice(keep).map(asPlain), keep]);
    created.catch(() => {}); // the build fails with it
    const list = { id, messages, created, changed: Promise.resolve() };
    this.#arrays = [list, ...this.#arrays.filter((other) => other !== known)];
    for (const { id } of this.#arrays.splice(REMEMBERED_ARRAYS)) {
      this.#forget("list", id);
    }
    return list;
  }

  #contextOf<M extends AnyMessage, F extends Format>(
    context: number,
    sent: SentContext,
    own: readonly M[],
  ): WorkerContext<M, F> {
    const messageOf = (message: SentMessage): M => (typeof message === "number" ? own[message] : message) as M;
    const ask = <Name extends "request" | "explain" | "tokensBySource" | "retrieve">(
      name: Name,
      ...given: readonly unknown[]
    ): Promise<never> =>
      publicPromise(BUILD, name, () => this.#call(name, BUILD, [context, ...given] as never) as Promise<never>);
    const built = {
      ...sent.fields,
      kept: sent.kept.map(messageOf),
      messages: sent.messages?.map(messageOf),
      request: (provider: unknown, options: unknown = {}) => ask("request", provider, options),
      explain: (idOrPosition: unknown) => ask("explain", idOrPosition),
      tokensBySource: () => ask("tokensBySource"),
      retrieve: (given: unknown) => ask("retrieve", given),
    };
    this.#forgotten.register(built, context);
    return built as unknown as WorkerContext<M, F>;
  }

  #call<Name extends CallName>(
    name: Name,
    kind: ErrorKind,
    given: Calls[Name][0],
    { hooks = new Map(), signal, messages }: Partial<SplitConfig & Pick<OpenCall, "messages">> = {},
  ): Promise<Calls[Name][1]> {
    if (this.#end !== undefined) {
      throw this.#end(kind);
    }
    const id = ++this.#ids;
    const abort = (): void => this.#send({ kind: "abort", id, reason: signal?.reason });
    return new Promise<unknown>((resolve, reject) => {
      this.#calls.set(id, { kind, hooks, messages, resolve, reject });
      this.#send({ kind: "call", id, name, given });
      if (signal?.aborted) {
        abort();
      }
      signal?.addEventListener("abort", abort, { once: true });
    }).finally(() => signal?.removeEventListener("abort", abort)) as Promise<Calls[Name][1]>;
  }

  /** Sends messages in the order of the calls. */
  #send(sent: ToWorker): void {
    this.#outbox.push(sent);
    if (!this.#isSending) {
      this.#isSending = true;
      void this.#empty();
    }
  }

  /** Sends the waiting messages. Lets the page run between the parts of a long list. */
  async #empty(): Promise<void> {
    let began = performance.now();
    for (let next = this.#outbox.shift(); next !== undefined; next = this.#outbox.shift()) {
      for (const part of partsOf(next)) {
        if (performance.now() - began > LONGEST_TURN_MS) {
          await new Promise((resolve) => setTimeout(resolve, 0));
          began = performance.now();
        }
        if (!this.#post(part)) {
          break;
        }
      }
    }
    this.#isSending = false;
  }

  /** Returns false if a message can't be cloned. Its call then fails. */
  #post(sent: ToWorker): boolean {
    try {
      this.#channel.postMessage(sent);
      return true;
    } catch (cause) {
      const call = this.#calls.get(sent.id);
      if (sent.kind === "answer") {
        this.#send({ kind: "hookFailed", id: sent.id, error: new Error(wordsOf(cause)) });
      } else {
        this.#calls.delete(sent.id);
        call?.reject(unsendable(sent, call.kind, cause));
      }
      return false;
    }
  }

  #forget(what: "list" | "context", id: number): void {
    if (this.#end === undefined) {
      this.#send({ kind: "forget", what, id });
    }
  }

  #take(sent: ToPage): void {
    if (sent.kind === "ask") {
      void this.#ask(sent);
      return;
    }
    if (sent.kind === "unask") {
      this.#asked.get(sent.id)?.abort(sent.reason);
      return;
    }
    this.#hasRun = true;
    const call = this.#calls.get(sent.id);
    this.#calls.delete(sent.id);
    if (sent.kind === "done") {
      call?.resolve(sent.value);
    } else {
      call?.reject(errorOf(sent.error, call.kind));
    }
  }

  async #ask({ id, call, hook, question }: Extract<ToPage, { readonly kind: "ask" }>): Promise<void> {
    const open = this.#calls.get(call);
    const controller = new AbortController();
    this.#asked.set(id, controller);
    try {
      const own = (await open?.messages) ?? [];
      const messageOf = (message: unknown): unknown => (typeof message === "number" ? own[message] : message);
      const parts = question.map((part) => {
        const whole = withMessages(part, messageOf);
        return whole === part ? part : { ...(whole as object), signal: controller.signal };
      });
      const value = await open?.hooks.get(hook)?.(...parts);
      this.#send({ kind: "answer", id, value: namedChoices(value, parts[0]) });
    } catch (error) {
      this.#send({ kind: "hookFailed", id, error: new Error(wordsOf(error)) });
    } finally {
      this.#asked.delete(id);
    }
  }
}

/** A config without its functions, which stay in the page. */
interface SplitConfig {
  readonly plain: object;
  readonly hooks: ReadonlyMap<HookName, Hook>;
  readonly signal: AbortSignal | undefined;
}

function splitConfig(config: object): SplitConfig {
  const { signal, redact, previous, request, ...plain } = config as Record<string, unknown>;
  if (redact != null) {
    throw new ContextError({
      kind: BUILD,
      code: "INVALID_CONFIG",
      path: "redact",
      message: "redact: a redactor can't be sent to a worker",
      nextAction: "Build this context with windrow's `buildContext`, in the page or in your own worker.",
    });
  }
  const hooks = new Map<HookName, Hook>();
  for (const path of HOOK_NAMES) {
    const [group, name] = path.split(".") as [string, string | undefined];
    const holder = (name === undefined ? config : (config as Record<string, unknown>)[group]) as Record<
      string,
      unknown
    >;
    const hook = holder?.[name ?? group];
    if (typeof hook !== "function") {
      continue;
    }
    hooks.set(path, (...question) => hook.apply(holder, question));
    if (name === undefined) {
      delete plain[group];
    } else {
      const { [name]: _, ...rest } = plain[group] as Record<string, unknown>;
      plain[group] = rest;
    }
  }
  if (previous != null) {
    plain["previous"] = (previous as { readonly outline?: unknown }).outline ?? previous;
  }
  if (request !== undefined) {
    plain["request"] = asPlain(request);
  }
  return { plain, hooks, signal: (signal ?? undefined) as AbortSignal | undefined };
}

/** Splits a call with a long list of messages into parts. The last part is the call. */
function partsOf(sent: ToWorker): ToWorker[] {
  const messages = sent.kind === "call" ? sent.given[1] : undefined;
  if (sent.kind !== "call" || !Array.isArray(messages) || messages.length <= PART_LENGTH) {
    return [sent];
  }
  const [list, , ...rest] = sent.given;
  const parts: ToWorker[] = [];
  let at = 0;
  for (; messages.length - at > PART_LENGTH; at += PART_LENGTH) {
    parts.push({ kind: "part", id: sent.id, messages: messages.slice(at, at + PART_LENGTH) });
  }
  return [...parts, { ...sent, given: [list, messages.slice(at), ...rest] }];
}

/** Returns the error for a call that can't be cloned. It names the faulty message, by its id if it has one. */
function unsendable(sent: ToWorker, kind: ErrorKind, cause: unknown): ContextError {
  const messages = sent.kind === "part" ? sent.messages : sent.kind === "call" ? sent.given[1] : undefined;
  const message = Array.isArray(messages) ? messages.find((it) => !canBeCloned(it)) : undefined;
  if (message === undefined) {
    const words = `this can't be sent to the worker: ${wordsOf(cause)}`;
    const nextAction = "Pass plain data. Functions can only be hooks.";
    return new ContextError({ kind, code: "INVALID_CONFIG", message: words, nextAction, cause });
  }
  const { id } = message as { readonly id?: unknown };
  const name = typeof id === "string" ? `the message ${JSON.stringify(id)}` : "a message";
  const words = `${name} can't be sent to the worker: ${wordsOf(cause)}`;
  return new ContextError({ kind, code: "INVALID_TRANSCRIPT", message: words, nextAction: "Pass plain data.", cause });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function canBeCloned(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

/** Returns an instance of a class as its JSON, because a clone would lose the class. */
function asPlain(message: unknown): unknown {
  const { toJSON } = Object(message) as { readonly toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(message) : message;
}

/** Replaces chosen candidates, and their messages, by their ids. */
function namedChoices(value: unknown, question: unknown): unknown {
  const { candidates } = Object(question) as { readonly candidates?: readonly { id: string; messages: unknown[] }[] };
  const isList = Array.isArray(value) || value instanceof Set;
  if (candidates === undefined || !isList) {
    return value;
  }
  return Array.from(value as Iterable<unknown>, (choice) => {
    const found = candidates.find((it) => it === choice || it.messages.includes(choice));
    return found?.id ?? choice;
  });
}

/** Returns the length of the common beginning of two lists. */
function sharedLength(one: readonly unknown[], other: readonly unknown[]): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) {
    length += 1;
  }
  return length;
}

function errorOf(error: unknown, kind: ErrorKind): ContextError {
  return (
    ContextError.from(error) ??
    new ContextError({
      kind,
      code: "INVALID_CONFIG",
      message: `the worker failed: ${wordsOf(error)}`,
      nextAction: "See the cause.",
      cause: error,
    })
  );
}

function failedToRun(message: string | undefined): ContextError {
  return new ContextError({
    kind: "load_error",
    code: "WORKER_FAILED",
    message: `the worker failed${message ? `: ${message}` : " to start"}`,
    nextAction: "Its script must be a module that calls serveWorker() of windrow/worker/thread.",
  });
}
