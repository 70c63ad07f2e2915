// `windrow/react`: a session as React state. All components that show a session share its messages and context.

import { useCallback, useMemo, useSyncExternalStore } from "react";
import type {
  AnyMessage,
  AppendOptions,
  BuiltContext,
  ContextConfig,
  MessageInput,
  Session,
  SessionAppend,
} from "windrow";
import { ContextError } from "../base/errors.js";
import { checkOptions, describe, type OptionRules } from "../base/options.js";
import { publicCall } from "../base/public-call.js";

/** Options of `useWindrow`. */
export interface UseWindrowOptions {
  /** The number of newest messages in `messages`. Default: 100. Raise it to show older ones. */
  readonly limit?: number;
}

/**
 * A session's status: `loading` until its messages have been read once, `building` while a context is built, `failed`
 * if the last read or build failed, `ready` otherwise.
 */
export type WindrowStatus = "loading" | "building" | "failed" | "ready";

/** A session as a component sees it. */
export interface WindrowState<M extends AnyMessage = MessageInput> {
  /** The newest messages, oldest first. An unchanged message is the same object at the next render. */
  readonly messages: readonly M[];
  /** True if the session has older messages than these. */
  readonly hasOlder: boolean;
  /** The newest context that `build` returned to any component. Undefined before the first. */
  readonly context: BuiltContext<M> | undefined;
  readonly status: WindrowStatus;
  /** The reason for the status `failed`. Undefined otherwise. */
  readonly error: ContextError | undefined;
  /** Calls `session.append`. The same function at every render of a session. */
  readonly append: (messages: M | readonly M[], options?: AppendOptions) => Promise<SessionAppend<M>>;
  /** Calls `session.build` and shows its context as `context`. The same function at every render of a session. */
  readonly build: (config?: ContextConfig<M>) => Promise<BuiltContext<M>>;
}

type Snapshot<M extends AnyMessage> = Omit<WindrowState<M>, "hasOlder" | "append" | "build">;

const KIND = "session_error";
const DEFAULT_LIMIT = 100;
const OPTIONS: OptionRules<keyof UseWindrowOptions> = {
  limit: ["an integer of 1 or more", (value) => Number.isSafeInteger(value) && (value as number) >= 1],
};
const LOADING = { messages: [], context: undefined, status: "loading", error: undefined } as const;

/**
 * Returns a session's newest messages, its newest context and its status, and renders again when they change, in this
 * tab or another. It builds nothing by itself: call `build` before you ask a model. The status is `loading` until the
 * session is open, and on a server, so a page hydrates without a mismatch. Throws `INVALID_CONFIG` for wrong options
 * and `INVALID_SESSION` for a value that isn't a session. A failure of the store is in `error`.
 */
export function useWindrow<M extends AnyMessage = MessageInput>(
  session: Session<M> | null | undefined,
  options: UseWindrowOptions = {},
): WindrowState<M> {
  const { view, limit } = publicCall(KIND, "useWindrow", () => {
    checkOptions(KIND, options, OPTIONS);
    return { view: viewOf(session), limit: options.limit ?? DEFAULT_LIMIT };
  });
  const subscribe = useCallback((listener: () => void) => view.subscribe(listener, limit), [view, limit]);
  const snapshot = useSyncExternalStore(subscribe, view.snapshot, loading<M>);
  return useMemo(() => {
    const { messages, ...state } = snapshot;
    const { append, build } = view;
    return { messages: messages.slice(-limit), hasOlder: messages.length > limit, ...state, append, build };
  }, [snapshot, limit, view]);
}

const loading = <M extends AnyMessage>(): Snapshot<M> => LOADING;

/** The state that all components of a session share. */
class View<M extends AnyMessage> {
  readonly #session: Session<M> | undefined;
  #snapshot: Snapshot<M> = LOADING;
  /** The number of messages that each component shows. */
  readonly #limits = new Map<() => void, number>();
  #unsubscribe: (() => void) | undefined;
  #buildCount = 0;
  #isRead = false;
  #reading: Promise<void> | undefined;
  #isStale = false;
  #readFailure: ContextError | undefined;
  #buildFailure: ContextError | undefined;

  constructor(session: Session<M> | undefined) {
    this.#session = session;
  }

  readonly snapshot = (): Snapshot<M> => this.#snapshot;

  subscribe(listener: () => void, limit: number): () => void {
    if (this.#session === undefined) {
      return () => {};
    }
    this.#limits.set(listener, limit);
    this.#unsubscribe ??= this.#hear(this.#session);
    void this.#read(this.#session);
    return () => {
      this.#limits.delete(listener);
      if (this.#limits.size === 0) {
        this.#unsubscribe?.();
        this.#unsubscribe = undefined;
      }
    };
  }

  readonly append = async (messages: M | readonly M[], options?: AppendOptions): Promise<SessionAppend<M>> => {
    const session = this.#opened();
    const appended = await session.append(messages, options);
    await this.#read(session);
    return appended;
  };

  readonly build = async (config?: ContextConfig<M>): Promise<BuiltContext<M>> => {
    const session = this.#opened();
    this.#buildCount += 1;
    this.#buildFailure = undefined;
    this.#show({});
    let context = this.#snapshot.context;
    try {
      context = (await session.build(config)) as BuiltContext<M>;
      return context;
    } catch (failure) {
      this.#buildFailure = failure as ContextError;
      throw failure;
    } finally {
      this.#buildCount -= 1;
      this.#show({ context });
    }
  };

  #opened(): Session<M> {
    if (this.#session === undefined) {
      throw new ContextError({
        kind: KIND,
        code: "INVALID_SESSION",
        message: "session: it isn't open yet",
        nextAction: "Wait for `openSession`, then render with its session.",
      });
    }
    return this.#session;
  }

  #hear(session: Session<M>): () => void {
    try {
      return session.subscribe(() => void this.#read(session));
    } catch {
      // The store reports no changes, so only those by `append` are noticed. If the session is closed, the read reports
      // it.
      return () => {};
    }
  }

  /** Reads the newest messages, and reads again if something changed meanwhile. Resolves when the newest are shown. */
  #read(session: Session<M>): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#readAll(session);
    return this.#reading;
  }

  async #readAll(session: Session<M>): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      let { messages } = this.#snapshot;
      try {
        const limit = Math.max(DEFAULT_LIMIT, ...this.#limits.values()) + 1;
        const read = await session.messages({ order: "descending", limit });
        const known = new Map(messages.map((message) => [session.seqOf(message), message]));
        messages = read.map((message) => known.get(session.seqOf(message)) ?? message).reverse();
        this.#isRead = true;
        this.#readFailure = undefined;
      } catch (failure) {
        this.#readFailure = failure as ContextError;
      }
      this.#show({ messages });
    }
    // Set right after the last check of `#isStale`, so a later change starts another read.
    this.#reading = undefined;
  }

  #show(changed: Partial<Snapshot<M>>): void {
    const error = this.#buildFailure ?? this.#readFailure;
    const resting = error !== undefined ? "failed" : this.#isRead ? "ready" : "loading";
    this.#snapshot = { ...this.#snapshot, ...changed, status: this.#buildCount > 0 ? "building" : resting, error };
    for (const listener of [...this.#limits.keys()]) {
      listener();
    }
  }
}

/** The key of the view without a session. */
const NO_SESSION = {};
const views = new WeakMap<object, unknown>();

/** Returns the view of a session. React may repeat or discard a render, and each finds the same view. */
function viewOf<M extends AnyMessage>(session: Session<M> | null | undefined): View<M> {
  if (session != null && typeof session.messages !== "function") {
    const nextAction = "Pass the session that `openSession` resolves to, or undefined until then.";
    const message = `session: expected a session, got ${describe(session)}`;
    throw new ContextError({ kind: KIND, code: "INVALID_SESSION", message, nextAction });
  }
  const key = session ?? NO_SESSION;
  const view = (views.get(key) as View<M> | undefined) ?? new View(session ?? undefined);
  views.set(key, view);
  return view;
}
