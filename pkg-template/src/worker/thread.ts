// The worker's side: builds for the page that `connectWorker` connects.

import { ContextError } from "../base/errors.js";
import type { HookName } from "../base/generated.js";
import { buildContext } from "../context/build.js";
import type { BuiltContext } from "../context/context.js";
import { createTranscript, Transcript } from "../context/transcript.js";
import { loadEncoding } from "../engine/encodings.js";
import { loadMeaning } from "../engine/meaning.js";
import type { AnyMessage } from "../formats/any-message.js";
import {
  type CallName,
  type Calls,
  type Channel,
  listenTo,
  type SentConfig,
  type SentContext,
  type SentMessage,
  type ToPage,
  type ToWorker,
  withMessages,
} from "./protocol.js";

type List = AnyMessage[] | Transcript<AnyMessage>;
type Handlers = { readonly [Name in CallName]: (id: number, ...given: Calls[Name][0]) => unknown };

/**
 * Answers a page's calls. Call it once in a worker's script. `channel` delivers the calls. Default: the worker's own
 * scope.
 */
export function serveWorker(channel: Channel = globalThis as unknown as Channel): void {
  const thread = new Thread((sent) => channel.postMessage(sent));
  listenTo(channel, (data) => thread.take(data));
}

class Thread {
  readonly #send: (sent: ToPage) => void;
  readonly #lists = new Map<number, List>();
  readonly #contexts = new Map<number, BuiltContext<AnyMessage>>();
  /** The position of each message in its list. */
  readonly #positions = new WeakMap<object, number>();
  /** Controllers by the id of an abortable call. */
  readonly #abortable = new Map<number, AbortController>();
  /** Open questions to hooks, by id. */
  readonly #asked = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  /** The messages that came before a call, by its id. */
  readonly #parts = new Map<number, (readonly unknown[])[]>();
  #questions = 0;

  constructor(send: (sent: ToPage) => void) {
    this.#send = send;
  }

  take(sent: ToWorker): void {
    switch (sent.kind) {
      case "call":
        void this.#answer(sent.id, sent.name, sent.given);
        break;
      case "part":
        this.#parts.set(sent.id, [...(this.#parts.get(sent.id) ?? []), sent.messages]);
        break;
      case "abort":
        this.#abortable.get(sent.id)?.abort(sent.reason);
        break;
      case "answer":
        this.#asked.get(sent.id)?.resolve(sent.value);
        break;
      case "hookFailed":
        this.#asked.get(sent.id)?.reject(sent.error);
        break;
      case "forget":
        this.#forget(sent.what, sent.id);
        break;
    }
  }

  async #answer(id: number, name: CallName, given: readonly unknown[]): Promise<void> {
    try {
      const handler = this.#handlers[name] as (id: number, ...given: readonly unknown[]) => unknown;
      const [list, last, ...rest] = given;
      const parts = this.#parts.get(id);
      this.#parts.delete(id);
      const whole = parts === undefined ? given : [list, [...parts, last as readonly unknown[]].flat(), ...rest];
      this.#send({ kind: "done", id, value: await handler(id, ...whole) });
    } catch (error) {
      this.#send({ kind: "failed", id, error: error instanceof ContextError ? error.toJSON() : error });
    } finally {
      this.#abortable.delete(id);
    }
  }

  #forget(what: "list" | "context", id: number): void {
    if (what === "context") {
      this.#contexts.delete(id);
      return;
    }
    const list = this.#lists.get(id);
    if (list instanceof Transcript) {
      list.free();
    }
    this.#lists.delete(id);
  }

  readonly #handlers: Handlers = {
    editArray: (_, list, messages, keep) => {
      const before = (this.#lists.get(list) as AnyMessage[] | undefined) ?? [];
      this.#place(messages, keep);
      // A context keeps the array that it was built from.
      this.#lists.set(list, [...before.slice(0, keep), ...(messages as readonly AnyMessage[])]);
    },
    createTranscript: (_, list, messages, options) => {
      this.#place(messages, 0);
      this.#lists.set(list, createTranscript(messages as readonly AnyMessage[], options as object));
    },
    append: (_, list, messages) => {
      const transcript = this.#transcript(list);
      const first = transcript.length;
      transcript.append(messages as readonly AnyMessage[]);
      this.#place(messages, first);
    },
    replaceLast: (_, list, message) => {
      const transcript = this.#transcript(list);
      transcript.replaceLast(message as AnyMessage);
      this.#place([message], transcript.length - 1);
    },
    truncate: (_, list, length) => this.#transcript(list).truncate(length),
    buildContext: async (id, list, context, config) => {
      const built = await buildContext(this.#lists.get(list) as List, this.#configOf(id, config));
      this.#contexts.set(context, built);
      return this.#sent(built);
    },
    request: (_, context, provider, options) => this.#context(context).request(provider as never, options as object),
    explain: (_, context, idOrPosition) => this.#context(context).explain(idOrPosition as string),
    tokensBySource: (_, context) => this.#context(context).tokens.bySource,
    retrieve: (_, context, given) => this.#context(context).retrieval.execute(given as string),
    loadEncoding: async (_, encoding) => await loadEncoding(encoding as never),
    loadMeaning: async (_, table) => await loadMeaning(table as never),
  };

  #transcript(list: number): Transcript<AnyMessage> {
    return this.#lists.get(list) as Transcript<AnyMessage>;
  }

  #context(context: number): BuiltContext<AnyMessage> {
    return this.#contexts.get(context) as BuiltContext<AnyMessage>;
  }

  #place(messages: readonly unknown[], first: number): void {
    for (const [at, message] of messages.entries()) {
      if (typeof message === "object" && message !== null) {
        this.#positions.set(message, first + at);
      }
    }
  }

  /** Returns the config of a build with its signal and with hooks that ask the page. */
  #configOf(id: number, { plain, hooks, isAbortable }: SentConfig): object {
    const whole: Record<string, unknown> = { ...plain };
    for (const hook of hooks) {
      const [group, name] = hook.split(".") as [string, string | undefined];
      const ask = (...question: readonly unknown[]): Promise<unknown> => this.#ask(id, hook, question);
      whole[group] = name === undefined ? ask : { ...(whole[group] as object), [name]: ask };
    }
    if (isAbortable) {
      const controller = new AbortController();
      this.#abortable.set(id, controller);
      whole["signal"] = controller.signal;
    }
    return whole;
  }

  /** Asks a hook in the page. Its signal becomes a message. */
  async #ask(call: number, hook: HookName, question: readonly unknown[]): Promise<unknown> {
    const id = ++this.#questions;
    let signal: AbortSignal | undefined;
    const parts = question.map((part) => {
      const copy = withMessages(part, (message) => this.#sentMessage(message as object));
      if (copy !== part && (copy as { signal?: unknown }).signal instanceof AbortSignal) {
        ({ signal } = copy as { signal: AbortSignal });
        delete (copy as { signal?: AbortSignal }).signal;
      }
      return copy;
    });
    const unask = (): void => this.#send({ kind: "unask", id, reason: (signal as AbortSignal).reason });
    signal?.addEventListener("abort", unask, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#asked.set(id, { resolve, reject });
        this.#send({ kind: "ask", id, call, hook, question: parts });
      });
    } finally {
      signal?.removeEventListener("abort", unask);
      this.#asked.delete(id);
    }
  }

  #sentMessage(message: object): SentMessage {
    return this.#positions.get(message) ?? message;
  }

  #sent(built: BuiltContext<AnyMessage>): SentContext {
    const { text, tokens, charCount, trimmed, sections, focus, recall, triage, conversations } = built;
    const { trace, snapshot, recording, outline, prefix, cacheBreakpoints } = built;
    const counts = { text, tokens, charCount, trimmed, sections, focus, recall, triage, conversations };
    return {
      fields: { ...counts, trace, snapshot, recording, outline, prefix, cacheBreakpoints },
      kept: built.kept.map((message) => this.#sentMessage(message)),
      messages: built.messages?.map((message) => this.#sentMessage(message)),
    };
  }
}
