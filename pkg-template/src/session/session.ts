// A session: a lasting conversation. A store keeps its messages, and builds read the part they need.

import { ContextError, type FailureRecord } from "../base/errors.js";
import type { Format, Need, RenderConfig, StoredSummary, TriageDecisions } from "../base/generated.js";
import { idOf } from "../base/ids.js";
import { isListOf, listFrom } from "../base/lists.js";
import { checkOptions, describe, type OptionRule, type OptionRules } from "../base/options.js";
import { encodePlain, isRecord } from "../base/plain-data.js";
import { publicMethods, publicPromise } from "../base/public-call.js";
import {
  type AddingNothing,
  type ContextConfig,
  type InFormat,
  type RequestInput,
  type RequestMessage,
  readSignal,
} from "../config/config.js";
import { isOutline, type PromptOutline } from "../config/outline.js";
import type { Redactor } from "../config/redactor.js";
import { askHook, checkAborted } from "../context/ask.js";
import { bindsThinking } from "../context/bound.js";
import { buildContext, buildOver, reachOf, redacted } from "../context/build.js";
import type { BuildRecording, BuiltContext } from "../context/context.js";
import { checkRecording, type Replay, type ReplayOptions, replay } from "../context/replay.js";
import { type Originals, Retrieval } from "../context/retrieval.js";
import { createTranscript, messageListOf, sourceOf } from "../context/transcript.js";
import type { SkippedRow, UnreadMessages } from "../files/file.js";
import { checkText } from "../files/text.js";
import type { AnyMessage } from "../formats/any-message.js";
import { ACCEPT, type AcceptedMessages, checkAccepted } from "../message/accept.js";
import { withOrigin } from "../message/edit.js";
import type { UnknownRecord } from "../message/format.js";
import type { MessageInput } from "../message/message.js";
import { type ParsedMessage, parse } from "../message/read.js";
import { shapes } from "../message/recognise.js";
import type {
  Entry,
  EntryType,
  JsonValue,
  NewEntry,
  ReadRange,
  RewrittenEntry,
  SessionInfo,
  SkippedEntry,
  TranscriptStore,
} from "../stores/contract.js";
import { tellListener } from "../stores/listeners.js";
import { checkKey, checkStore, storeError } from "../stores/log.js";
import { LIMIT, ORDER, PLACE } from "../stores/ranges.js";
import { buildEntry, buildLine, buildOf, type KeptBuild, placedBuild } from "./builds.js";
import {
  checkResult,
  type Handoff,
  type HandoffFacts,
  type HandoffOptions,
  readHandoff,
  requiredConfig,
  requiredIn,
  resultMessage,
} from "./handoff.js";
import { asOf, branchEntry, LEFT_TYPES, leftEntry, rewritten } from "./left.js";
import {
  type EntryMessage,
  entryOf,
  headerLine,
  type ImportedConversation,
  type KeptMessage,
  keptMessage,
  lineOf,
  messageOf,
  type ReadProgress,
  readLines,
} from "./log.js";
import { originalsIn } from "./originals.js";
import { addOtherStatements, addOwnStatements, OtherStatements } from "./other-statements.js";
import { checkRetention, type RetentionLimits, retainSession } from "./retention.js";
import { checkSearch, type SearchedLog, type SearchHit, type SearchOptions, searchLogs } from "./search.js";
import {
  FORGOTTEN_TYPES,
  type ForgottenSentences,
  forgettingEntries,
  forgottenIn,
  forgottenOption,
  meantStatement,
  rememberingEntry,
  SESSION_STATEMENTS,
  type SessionStatement,
  type SessionStatementOptions,
  statementsOf,
} from "./statements.js";
import { forgetBlocks, type LogStore, MESSAGE_TYPES, Tail } from "./tail.js";

const KIND = "session_error";
/** Messages with one of these tags are stored only if they have `persist: true`. */
const LOCAL_TAGS = ["command", "diagnostic"];
/** The default number of builds that are kept. */
const MAX_BUILDS = 1000;
/** If there is only an age limit, it is applied after every eighth of this number of entries. */
const RETENTION_STEP = 512;
/** The number of appended messages that are remembered for the builds that read them. */
const REMEMBERED_APPENDS = 256;
/** How often a change is tried if it conflicts with others' changes. */
const MOST_ATTEMPTS = 5;
/** The number of entries per read when all are read. */
const PAGE = 1024;

export interface SessionOptions {
  /** The store that keeps the session. */
  readonly store: TranscriptStore;
  /**
   * The limits of the session. Default: all messages, and the newest 1,000 builds. Limits are applied in the
   * background, at first and then after every eighth of a limit's number of entries.
   */
  readonly retention?: RetentionLimits;
  /** The messages that `append` and `replaceLast` accept. Default: all. */
  readonly accept?: AcceptedMessages;
  /**
   * The keys of other sessions of the same user in this store. Builds show the lasting statements from there, as the
   * section `statements`: a message in the user's role, before the request. Default: none, so that nothing crosses
   * sessions.
   */
  readonly statementsFrom?: readonly string[];
}

/** Options of an append. */
export interface AppendOptions {
  /** Names the append. An append whose name was used before isn't repeated. */
  readonly operationId?: string;
  /** The sequence number that the log must end with. */
  readonly expectedSeq?: number;
  /** The messages that are accepted, among those that the session accepts. Default: all. */
  readonly accept?: AcceptedMessages;
}

/** A part of a log, by sequence numbers. */
export type SessionRange = Pick<ReadRange, "after" | "before" | "limit" | "order">;

/** The result of an append. */
export interface SessionAppend<M> {
  /** The sequence number of the first appended message. Undefined if no message was to be stored. */
  readonly firstSeq: number | undefined;
  readonly lastSeq: number | undefined;
  /** The stored messages, each with its id and time. */
  readonly messages: readonly M[];
  /** True if the store already had them under the same `operationId`. */
  readonly isRepeated: boolean;
}

/** A change to a session, in this tab or another. */
export type SessionChange<M> =
  /**
   * Messages were appended. With `replacesSeq`, they replace that message, which is the newest one that the listener
   * knows.
   */
  | {
      readonly kind: "append";
      readonly messages: readonly M[];
      readonly lastSeq: number;
      readonly replacesSeq?: number;
    }
  /** Statements of the user were forgotten or remembered again, so `statements()` returns a different list. */
  | { readonly kind: "statements" }
  /** Messages were removed. Read the visible ones again. */
  | { readonly kind: "reset" };

export type { Handoff, HandoffFacts, HandoffOptions, ImportedConversation, KeptBuild };

/** Options of an export. */
export interface ExportOptions {
  /** True to include the kept builds after the transcript. Default: false. */
  readonly builds?: boolean;
}

/** Options of an import. */
export interface ImportOptions {
  /** Names the import. An import whose name was used before isn't repeated. */
  readonly operationId?: string;
  /**
   * Receives the progress of reading the file, a few times a second and once at its end. Other work may run in between.
   */
  readonly onProgress?: (progress: ReadProgress) => void;
  /**
   * The conversation to import from a file with several: its id, or its number from 1 among those that have a message.
   * Default: all.
   */
  readonly conversation?: string | number;
  /** Ends the import while the file is being read. Nothing is appended then, and it fails with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/** The result of an import. */
export interface SessionImport {
  /** The number of imported messages and summaries. */
  readonly messageCount: number;
  /** The number of imported builds. */
  readonly buildCount: number;
  /** The imported conversations, in the order of appending. */
  readonly conversations: readonly ImportedConversation[];
  /** The rows that weren't understood. */
  readonly skipped: readonly SkippedRow[];
  /** The messages that couldn't be read, if any. The conversation is then incomplete. */
  readonly unread?: UnreadMessages;
}

/**
 * Opens a session: a conversation with a key, in a store. The first message creates it. Fails with `INVALID_SESSION`,
 * and as its store does.
 */
export function openSession<M extends AnyMessage = MessageInput>(
  key: string,
  options: SessionOptions,
): Promise<Session<M>> {
  return publicPromise(KIND, "openSession", () => open<M>(key, options));
}

async function open<M extends AnyMessage>(key: string, options: SessionOptions): Promise<Session<M>> {
  checkKey(key);
  const store = options?.store;
  checkStore(store, "store");
  // Stored messages may have any format.
  await shapes.load();
  checkOptions(KIND, options, OPEN);
  checkRetention(options.retention ?? {}, "retention");
  const retention = { maxBuilds: MAX_BUILDS, ...options.retention };
  // If the store can't be used, this fails now and not at the first message.
  await store.sessions({ keys: [key] });
  const statementsFrom = [...new Set(options.statementsFrom)].filter((other) => other !== key);
  statementsFrom.forEach(checkKey);
  return new Session<M>(key, store, retention, options.accept, statementsFrom);
}

/** A lasting conversation. `openSession` opens one. */
export class Session<M extends AnyMessage = MessageInput> {
  /** The session's key. */
  readonly key: string;
  readonly #store: TranscriptStore;
  readonly #retention: RetentionLimits;
  readonly #accept: AcceptedMessages | undefined;
  /** Statements of other sessions. */
  readonly #others: OtherStatements<M>;
  readonly #tail: Tail<M>;
  /** The redactor of the last build, and the tail that it reads. */
  #redacted: { readonly redact: Redactor; readonly tail: Tail<M> } | undefined;
  readonly #seqs = new WeakMap<object, number>();
  /** The newest messages that this session appended, by sequence number. */
  readonly #appended = new Map<number, { readonly operationId: string; readonly parsed: ParsedMessage }>();
  readonly #skipped = new Map<string, SkippedEntry>();
  readonly #subscriptions = new Set<() => void>();
  /** The forgotten sentences, and the state of the log that they are from. */
  #forgotten: { readonly state: string; readonly sentences: ForgottenSentences } | undefined;
  readonly #builds = new Set<Promise<unknown>>();
  /** The data of the last build for the next one. Null for the first build, and undefined if it isn't known yet. */
  #last: LastBuild | null | undefined;
  /** The context of the last build. */
  #built: { readonly retrieval: Retrieval } | undefined;
  /** The tool before the first build. */
  #retrieval: Retrieval | undefined;
  /** A summary that was requested ahead of time, for when the cut moves. */
  #prepared: StoredSummary | undefined;
  /** The request for it, while it runs. */
  #preparing: Promise<void> | undefined;
  /** Aborts work in the background that nobody awaits. */
  readonly #closing = new AbortController();
  /** The number of clears. Results of a build that started before a clear aren't stored. */
  #clearCount = 0;
  /** Work that continues after a call has ended. */
  readonly #background = new Set<Promise<void>>();
  /** The number of entries until the limits are applied again. */
  #untilRetention = 0;
  /** The newest message, if this session appended it. */
  #newest: NewestMessage | undefined;
  /** The id that it must have, if an append failed but may have been made anyway. */
  #ownId: string | undefined;
  /** Runs appends in the order of the calls. */
  #appends: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** @internal */
  constructor(
    key: string,
    store: TranscriptStore,
    retention: RetentionLimits,
    accept: AcceptedMessages | undefined,
    statementsFrom: readonly string[],
  ) {
    publicMethods(KIND, Session.prototype, ["seqOf", "subscribe"]);
    this.key = key;
    this.#store = store;
    this.#retention = retention;
    this.#accept = accept;
    this.#others = new OtherStatements<M>(store, statementsFrom);
    const note = (skipped: SkippedEntry): void => this.#note([skipped]);
    this.#tail = new Tail<M>(store, key, (entry) => this.#messageForBuilds(entry), note);
  }

  // ---- Messages ----

  /**
   * Appends messages, all or none. They are durable when the promise resolves. A message without an id gets one, and a
   * message without a time gets the host's. Local commands and diagnostics (tags `command` and `diagnostic`) are stored
   * only with `persist: true`. A message whose id already exists in the session replaces that message; the old version
   * stays in the log but isn't read anymore. If messages of the list share an id, the last one takes the place of the
   * first. Fails with `INVALID_TRANSCRIPT` if a message is invalid or isn't accepted, with `STORE_CONFLICT` if the log
   * doesn't end with `expectedSeq`, and as the store does.
   */
  async append(messages: M | readonly M[], options: AppendOptions = {}): Promise<SessionAppend<M>> {
    this.#check();
    checkOptions(KIND, options, APPEND);
    const { accept, ...appendOptions } = options;
    const list = messageListOf<M>(messages, KIND) ?? [messages as M];
    const now = new Date().toISOString();
    const kept = list.flatMap((message, index) => {
      const path = Array.isArray(messages) ? `messages[${index}]` : "message";
      const kept = isLocal(message) ? undefined : keptMessage(message, path);
      const parsed = kept?.parsed ?? parse(message, path, KIND);
      checkAccepted(parsed, path, KIND, this.#accept);
      checkAccepted(parsed, path, KIND, accept);
      const isNamed = (kept?.parsed.message.id ?? kept?.origin.id) !== undefined;
      return kept === undefined ? [] : [{ ...entryOf(kept, this.#missing(now)), ...(isNamed && { kept }) }];
    });
    if (kept.length === 0) {
      return { firstSeq: undefined, lastSeq: undefined, messages: [], isRepeated: false };
    }
    return await this.#inOrder(() => this.#appendOrReplace(kept, appendOptions));
  }

  /**
   * Abandons all messages from one on, by its id, for a turn that is edited or regenerated. They stay in the log but
   * aren't read anymore. Returns their number. Fails with `INVALID_SESSION` if the message doesn't exist.
   */
  async truncateFrom(id: string | number): Promise<{ readonly leftCount: number }> {
    this.#check();
    if (typeof id !== "string" && typeof id !== "number") {
      throw invalid("id", `expected the id of a message, got ${describe(id)}`, "Pass a message's id.");
    }
    return await this.#inOrder(() =>
      this.#tryAgain(async () => {
        const info = await this.#info();
        const first = (await this.#known([String(id)])).at(-1);
        if (info === undefined || first === undefined) {
          throw noMessage(String(id));
        }
        const entries = await this.#read({ after: first.seq - 1, types: MESSAGE_TYPES });
        const [newest] = await this.#read({ before: first.seq, types: ["message"], order: "descending", limit: 1 });
        const { lastSeq } = info.logs.transcript;
        const left = entries.map((entry) => rewritten(entry.seq, leftEntry(entry, lastSeq + 1)));
        await this.#store.append(this.key, [branchEntry(first.seq, lastSeq + 1)], {
          operationId: idOf("op"),
          expectedId: info.id,
          expectedSeq: lastSeq,
          rewrites: { entries: left, lastMessageSeq: newest?.seq ?? 0 },
        });
        await this.#forgetChanged(entries.map(({ seq }) => seq));
        return { leftCount: left.length };
      }),
    );
  }

  /**
   * Replaces the newest message, for example a reply that is still being written. A message without an id or a time
   * takes those of the one it replaces. Fails with `STORE_CONFLICT` if another tab has appended since, and with
   * `INVALID_SESSION` if the session has no message.
   */
  async replaceLast(message: M): Promise<SessionAppend<M>> {
    this.#check();
    // Copied now, because the caller may change it.
    const kept = keptMessage(message);
    checkAccepted(kept.parsed, "message", KIND, this.#accept);
    return await this.#inOrder(async () => {
      if (this.#newest === undefined) {
        await this.#tail.refresh();
      }
      const newest = this.#newest ?? this.#tail.newest;
      if (newest === undefined) {
        throw new ContextError({
          kind: KIND,
          code: "INVALID_SESSION",
          message: "there is no message to replace",
          nextAction: "Append the message.",
        });
      }
      const { id, createdAt } = newest.parsed.message;
      const expectedId = this.#newest === undefined ? this.#tail.sessionId : await this.#idOf(this.#newest);
      if (expectedId === undefined || (this.#ownId !== undefined && id !== this.#ownId)) {
        throw storeError(
          "STORE_CONFLICT",
          "another message was appended since, or the session was cleared",
          "Append a new message instead.",
        );
      }
      const missing = this.#missing();
      // A message without an id was named by its place, and its new place is different.
      const hasId = id !== undefined && id !== `#${newest.seq}`;
      const { id: spelt } = newest.parsed.given as MessageInput;
      const named = {
        id: hasId ? (typeof spelt === "number" ? spelt : id) : missing.id,
        createdAt: createdAt ?? missing.createdAt,
      };
      const own = entryOf(kept, named);
      try {
        return await this.#appendNow([own], { replacesSeq: newest.seq, expectedId });
      } catch (failure) {
        if (!isConflict(failure)) {
          // The outcome is unknown. The next call checks, and replaces no other message.
          this.#newest = undefined;
          this.#ownId = own.entry.id ?? missing.id;
        }
        throw failure;
      }
    });
  }

  /**
   * Returns the messages, oldest first unless `order` says otherwise. Skips rows that aren't messages: see `skipped`.
   */
  async messages(range: SessionRange = {}): Promise<readonly M[]> {
    checkOptions(KIND, range, SESSION_RANGE);
    return this.#messagesOf(await this.#read({ ...range, types: ["message"] }));
  }

  /** Returns the summaries of conversations: messages with `summaryOf`. */
  async summaries(range: SessionRange = {}): Promise<readonly M[]> {
    checkOptions(KIND, range, SESSION_RANGE);
    return this.#messagesOf(await this.#read({ ...range, types: ["summary"] }));
  }

  /** Returns the sequence number of a message that this session has returned. */
  seqOf(message: M): number | undefined {
    return this.#seqs.get(message);
  }

  /** The rows of the log found so far that aren't entries or messages. They are left alone. */
  get skipped(): readonly SkippedEntry[] {
    return [...this.#skipped.values()];
  }

  /** Returns facts about the session without reading its log. Undefined before its first message or build. */
  async info(): Promise<SessionInfo | undefined> {
    this.#check();
    return await this.#info();
  }

  // ---- Contexts ----

  /**
   * Builds a context as `buildContext` does, from the part of the log that window and budget need. Stores its snapshot
   * and recording, or appends the record of a failure to the log. Without a `request`, the newest user message takes
   * its place, followed by the messages that answer it: append the message, then build. `sessionId` defaults to the
   * session's key; null includes messages of all sessions. Messages without a `sessionId` belong to this session, even
   * if `collect.sessionScope` is `strict`. With `budget.cut`, the choices of a triage hook are remembered: see
   * `triage.decided`.
   */
  build<const F extends Format = "messages", R extends RequestInput = undefined>(
    config?: AddingNothing<ContextConfig<M>, F, R>,
  ): Promise<BuiltContext<M, F, RequestMessage<R>>>;
  build<const F extends Format = "messages">(config?: InFormat<ContextConfig<M>, F>): Promise<BuiltContext<M, F>>;
  async build<F extends Format>(config?: ContextConfig<M>): Promise<BuiltContext<M, F>> {
    this.#check();
    const build = this.#build<F>(config);
    this.#builds.add(build);
    try {
      return await build;
    } finally {
      this.#builds.delete(build);
    }
  }

  async #build<const F extends Format>(config: unknown): Promise<BuiltContext<M, F>> {
    let origin: BuildOrigin = { id: undefined, clearCount: this.#clearCount };
    let previous: LastBuild | null = null;
    let goesOn = false;
    let redactor: Redactor | undefined;
    let askAhead: ((need: SummaryNeed) => Promise<StoredSummary>) | undefined;
    try {
      const context = await buildOver<M, F>(config, async (read) => {
        const { options, hooks, redact, request } = read;
        redactor = redact;
        inSession(options as Record<string, unknown>, this.key);
        const tail = redact === undefined ? this.#tail : this.#redactedTail(redact);
        const model = hooks.has("recall.embed") ? modelOf(options) : undefined;
        await tail.refresh(model, () => !Number.isFinite(reachOf(read)));
        origin = { ...origin, id: tail.sessionId };
        forget(options as Record<string, unknown>, await this.#forgottenIn(tail.info), redact);
        const others = await this.#others.of(async () => request?.name ?? (await this.#newestUserName()));
        addOtherStatements(options as Record<string, unknown>, others, redact);
        const asked = options as { readonly model?: unknown; readonly render?: RenderConfig | null };
        previous = await this.#previous(bindsThinking(asked.model, asked.render?.provider));
        goesOn = remembersChoices(options, hooks);
        if (goesOn) {
          const triage = options.triage as Readonly<Record<string, unknown>>;
          (options as Record<string, unknown>).triage = { ...triage, decided: previous?.decided ?? {} };
        }
        if (hooks.has("compact.summarize")) {
          const stored = { summary: previous?.summary, prepared: this.#prepared };
          const own = isRecord(options.compact) ? options.compact : {};
          Object.assign(options, { compact: own.summary == null ? { ...own, ...stored } : own });
          const { signal } = this.#closing;
          askAhead = async (need) => {
            const { messages, ids, shape } = tail.source();
            const asking = { hooks, source: { messages, ids, shape }, signal, kind: KIND, take: () => false } as const;
            const answer = redacted(await askHook(need, asking), redact);
            const { through, facts } = need;
            const text = answer.outcome === "given" ? answer.text?.trim() : undefined;
            return text ? { text, facts, through } : { askedThrough: through };
          };
        }
        const outline = previous?.outline;
        return { source: () => tail.source(), older: (need) => tail.older(need), previous: outline };
      });
      const { outline, triage, compact } = context;
      const summary = compact?.summary ?? (previous as LastBuild | null)?.summary;
      if (compact?.tookPrepared === true) {
        this.#prepared = undefined;
      }
      if (compact?.next?.need === "compact" && askAhead !== undefined && this.#preparing === undefined) {
        this.#prepare(askAhead(compact.next));
      }
      const decided = (goesOn ? triage?.decided : undefined) ?? (previous as LastBuild | null)?.decided;
      this.#last = { outline, decided, summary };
      context.retrieveFrom(() => this.#originals(context as unknown as BuiltContext<M>, redactor));
      this.#built = context;
      this.#later(this.#keep(context as unknown as BuiltContext<M>, { decided, summary }, origin));
      this.#later(this.#tail.save());
      return context;
    } catch (failure) {
      await this.#record(failure, origin);
      throw failure;
    }
  }

  /**
   * Hands a sub-task to another agent. Its context has the task, the session's instructions and pinned messages, and
   * the lasting statements of the user who spoke last, each as its sentence. Nothing else of the conversation is in it.
   * It is stored like a build and can be replayed. `result` of the handoff appends the other agent's result. Fails with
   * `INVALID_CONFIG`, and as `build` does.
   */
  async handoff(options: HandoffOptions<M>): Promise<Handoff<M>> {
    this.#check();
    const { facts, maxTokens, config } = readHandoff<M>(options);
    const build = this.#handOff(facts, maxTokens, config);
    this.#builds.add(build);
    try {
      const context = await build;
      const result = async (text: string): Promise<M> => {
        checkResult(text);
        const { messages } = await this.append(resultMessage(facts, text) as unknown as M);
        return messages[0] as M;
      };
      return { ...facts, context, result: (text) => publicPromise(KIND, "result", () => result(text)) };
    } finally {
      this.#builds.delete(build);
    }
  }

  async #handOff(facts: HandoffFacts, maxTokens: number, config: ContextConfig<M>): Promise<BuiltContext<M>> {
    const name = await this.#newestUserName();
    const request: MessageInput = { role: "user", content: facts.task, ...(name !== undefined && { name }) };
    let origin: BuildOrigin = { id: undefined, clearCount: this.#clearCount };
    let messages: readonly M[] = [];
    const context = await buildOver<M, "messages">(
      requiredConfig(config, maxTokens, request),
      async ({ options, redact }) => {
        inSession(options as Record<string, unknown>, this.key);
        const tail = redact === undefined ? this.#tail : this.#redactedTail(redact);
        await tail.refresh();
        origin = { ...origin, id: tail.sessionId };
        const source = (): ReturnType<typeof tail.source> => {
          const read = tail.source();
          messages = read.messages;
          return read;
        };
        return { source, older: (need) => tail.older(need) };
      },
    );
    const required = requiredIn(context, messages);
    const seqs = required.map((message) => this.seqOf(message) as number);
    const { remembered } = await this.#statements(name);
    const own = remembered.filter(({ seq, replacedBy }) => replacedBy === undefined && !seqs.includes(seq));
    const statements = [...(await this.#others.of(async () => name)), ...own];
    const handed = { ...config, request: facts.task, sessionId: null, budget: { maxTokens } };
    const built = await buildOver<M, "messages">(
      { ...handed, recall: { ranking: "recency" } },
      ({ options, redact }) => {
        addOwnStatements(options as Record<string, unknown>, statements, redact);
        return { source: () => ({ ...sourceOf<M>(required, KIND), read: seqs.map((seq) => [seq, seq] as const) }) };
      },
    );
    const task = config.redact?.value(facts.task) ?? facts.task;
    this.#later(this.#keep(built, { handoff: { ...facts, task } }, origin));
    return built;
  }

  /**
   * Returns the tail for builds with a redactor, whose messages in the engine have no secrets. It stores no costs,
   * vectors and index, because a tail without a redactor would use them.
   */
  #redactedTail(redact: Redactor): Tail<M> {
    if (this.#redacted?.redact !== redact) {
      const read = (entry: Entry): EntryMessage =>
        this.#redactedMessage(this.#messageForBuilds(entry), redact, entry.seq);
      const note = (skipped: SkippedEntry): void => this.#note([skipped]);
      // A build may still read the previous tail, so that one isn't freed.
      this.#redacted = { redact, tail: new Tail<M>(withoutDerived(this.#store), this.key, read, note) };
    }
    return (this.#redacted as { readonly tail: Tail<M> }).tail;
  }

  #redactedMessage(reading: EntryMessage, redact: Redactor, seq: number): EntryMessage {
    const given = reading.parsed?.given;
    const [copy] = given === undefined ? [] : redact.messages([given], 0);
    if (copy === undefined || copy === given) {
      return reading;
    }
    this.#seqs.set(copy, seq);
    return { parsed: parse(copy, "entry", KIND) };
  }

  /**
   * Returns the last build: of this session object, or from before it was opened. `byAnybody` asks the store, because
   * another tab may have built since, and the thinking in its reply is bound to its prompt.
   */
  async #previous(byAnybody: boolean): Promise<LastBuild | null> {
    const own = this.#last;
    if (byAnybody && own !== undefined) {
      await Promise.all(this.#background); // the last build may still be on its way
    }
    if (byAnybody || own === undefined) {
      const known = await this.#newestBuild();
      const outline = isOutline(known?.outline) ? known.outline : undefined;
      const found = known === undefined ? (own ?? null) : { outline, decided: known.decided, summary: known.summary };
      this.#last = byAnybody ? found : (this.#last ?? found);
    }
    return this.#last ?? null;
  }

  /** Returns the newest kept build. Skips handoffs, because they belong to another conversation. */
  async #newestBuild(): Promise<KeptBuild | undefined> {
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const [entry] = await this.#read({ log: "builds", limit: 1, order: "descending", before });
      const build = entry && buildOf(entry);
      if (entry === undefined || build?.handoff === undefined) {
        return build;
      }
      before = entry.seq;
    }
  }

  /**
   * Finds messages in the whole log, best first, with the index that builds use for ranking. Also finds messages
   * outside the prompt. A log without an index is read once; later searches only read their hits. Skips messages that
   * their author removed (`status: "deleted"`) or that have expired (`ttlSeconds`). Fails with `INVALID_CONFIG`, and as
   * the store does. `searchSessions` searches all sessions of a store.
   */
  async search(query: string, options: SearchOptions = {}): Promise<readonly SearchHit<M>[]> {
    this.#check();
    checkSearch(query, options);
    const log: SearchedLog<M> = {
      sessionKey: this.key,
      find: (question) => this.#tail.search(question),
      read: async (seqs) => {
        const messages = this.#messagesOf(await this.#read({ seqs, types: MESSAGE_TYPES }));
        return new Map(messages.map((message) => [this.seqOf(message) as number, message]));
      },
    };
    const hits = await searchLogs([log], query, options);
    this.#later(this.#tail.save());
    return hits;
  }

  /**
   * Lists the user's lasting statements, oldest first: facts about themselves, and how they want to be answered. `{
   * forgotten: true }` lists the forgotten ones instead. `name` names the user; the default is the one who spoke last.
   * Fails with `INVALID_CONFIG`, and as the store does.
   */
  async statements(options: SessionStatementOptions = {}): Promise<readonly SessionStatement<M>[]> {
    this.#check();
    checkOptions(KIND, options, SESSION_STATEMENTS);
    const { remembered, forgotten } = await this.#statements(options.name);
    return options.forgotten === true ? forgotten : remembered;
  }

  /**
   * Forgets a statement and the earlier ones that it replaced. Later builds leave out a message that says nothing else.
   * A message that says more no longer counts as a statement or for its rank, and stays if the conversation itself is
   * shown. This applies in every tab; the messages stay in the log. A later message with the same statement is
   * remembered. Fails with `INVALID_SESSION` if the session has no such statement.
   */
  async forget(statement: SessionStatement<M>): Promise<void> {
    await this.#change(async () => {
      const { remembered } = await this.#statements(undefined, statement);
      return forgettingEntries(meantStatement(statement, remembered, "statements()"), remembered);
    });
  }

  /** Remembers a forgotten statement again. Fails with `INVALID_SESSION` if it wasn't forgotten. */
  async remember(statement: SessionStatement<M>): Promise<void> {
    await this.#change(async () => {
      const { forgotten } = await this.#statements(undefined, statement);
      return [rememberingEntry(meantStatement(statement, forgotten, "statements({ forgotten: true })"))];
    });
  }

  async #change(entries: () => Promise<readonly NewEntry[]>): Promise<void> {
    this.#check();
    await this.#inOrder(async () => {
      const rows = (await entries()).map((entry) => ({ entry }));
      const { sessionId } = this.#tail;
      await this.#appendNow(rows, sessionId === undefined ? {} : { expectedId: sessionId });
    });
  }

  /** Returns the statements of a user: the author of `statement` or, without one, the user who spoke last. */
  async #statements(name?: string, statement?: SessionStatement<M>): Promise<ReturnType<typeof statementsOf<M>>> {
    const seqs = Number.isSafeInteger(statement?.seq) ? [statement?.seq as number] : [];
    const said = seqs.length === 0 ? [] : await this.#read({ seqs, types: MESSAGE_TYPES });
    const author = said.map((entry) => messageOf(entry).parsed?.message.name ?? "")[0];
    const lasting = (await this.#tail.lasting(name ?? author)) ?? [];
    const forgotten = await this.#forgottenIn(this.#tail.info);
    this.#later(this.#tail.save());
    const entries =
      lasting.length === 0 ? [] : await this.#read({ seqs: lasting.map(([seq]) => seq), types: MESSAGE_TYPES });
    const messages = entries.map((entry) => [entry.seq, this.#messageOf(entry).parsed] as const);
    return statementsOf<M>({ sessionKey: this.key, lasting, messages, forgotten }, Date.now());
  }

  /** Returns the name of the user who spoke last. */
  async #newestUserName(): Promise<string | undefined> {
    const newest = await this.#read({ types: ["message"], order: "descending", limit: REMEMBERED_APPENDS });
    const messages = newest.map((entry) => messageOf(entry).parsed?.message);
    return messages.find((message) => message?.role === "user")?.name ?? undefined;
  }

  /** Returns the forgotten sentences. Reads them again when their number in the log changes. */
  async #forgottenIn(info: SessionInfo | undefined): Promise<ForgottenSentences> {
    const { counts, removals } = info?.logs.transcript ?? { counts: {}, removals: 0 };
    const state = `${info?.id} ${removals} ${counts.forgotten ?? 0}`;
    if (this.#forgotten?.state !== state) {
      const entries = (counts.forgotten ?? 0) === 0 ? [] : await this.#read({ types: FORGOTTEN_TYPES });
      this.#forgotten = { state, sentences: forgottenIn(entries) };
    }
    return this.#forgotten.sentences;
  }

  /**
   * A tool that returns omitted results and messages to the model, the same as `context.retrieval` of the last build.
   * It reaches the whole log.
   */
  get retrieval(): Retrieval {
    if (this.#built !== undefined) {
      return this.#built.retrieval;
    }
    this.#retrieval ??= new Retrieval(this.#originals(undefined, undefined), buildContext);
    return this.#retrieval;
  }

  #originals(context: BuiltContext<M> | undefined, redact: Redactor | undefined): Originals {
    const read = async (seqs: readonly number[]): Promise<ReadonlyMap<number, M>> => {
      const entries = await this.#read({ seqs, types: MESSAGE_TYPES });
      const messages = this.#messagesOf(entries);
      const copies = redact?.messages(messages, 0) ?? messages;
      return new Map(copies.map((copy, at) => [this.seqOf(messages[at] as M) as number, copy]));
    };
    const find = async (query: string, limit: number): Promise<readonly number[]> =>
      (await this.search(query, { limit })).map(({ seq }) => seq);
    return originalsIn<M>({ read, find }, context);
  }

  /** Returns the kept builds, oldest first unless `order` says otherwise. */
  async snapshots(range: SessionRange = {}): Promise<readonly KeptBuild[]> {
    this.#check();
    checkOptions(KIND, range, SESSION_RANGE);
    await this.settled();
    const entries = await this.#read({ ...range, log: "builds" });
    return entries.flatMap((entry) => buildOf(entry) ?? []);
  }

  /** Returns the records of failed builds. */
  async failures(range: SessionRange = {}): Promise<readonly FailureRecord[]> {
    checkOptions(KIND, range, SESSION_RANGE);
    const entries = await this.#read({ ...range, types: ["failure"] });
    return entries.flatMap(({ data }) => {
      const record = dataOf(data) as unknown as FailureRecord | null;
      return record?.kind === "context_build_error" ? [record] : [];
    });
  }

  /** Replays a recorded context of this session from the same part of the log. Fails as `replay` does. */
  async replay(recording: BuildRecording, options: ReplayOptions = {}): Promise<Replay<M>> {
    checkRecording(recording);
    const read = recording.read ?? [[0, Number.MAX_SAFE_INTEGER]];
    const singles = read.filter(([first, last]) => first === last).map(([seq]) => seq);
    const entries = singles.length === 0 ? [] : [...(await this.#read({ seqs: singles, types: MESSAGE_TYPES }))];
    for (const [first, last] of read.filter(([first, last]) => first !== last)) {
      const stretch = await this.#read({ after: Math.max(first, 1) - 1, before: last + 1, types: MESSAGE_TYPES });
      for (const entry of stretch) {
        entries.push(entry);
      }
    }
    const last = Math.max(0, ...read.map(([, until]) => until));
    const messages = this.#messagesOf(await this.#then(entries, read, last));
    const transcript = createTranscript(messages);
    try {
      return await replay(recording, transcript, options);
    } finally {
      transcript.free();
    }
  }

  /**
   * Returns the entries in some stretches of the log, as they were when `last` was its newest entry. Messages may have
   * been edited or abandoned since.
   */
  async #then(
    entries: readonly Entry[],
    stretches: NonNullable<BuildRecording["read"]>,
    last: number,
  ): Promise<readonly Entry[]> {
    const left = await this.#read({ types: LEFT_TYPES });
    const isRead = ({ seq }: Entry): boolean => stretches.some(([first, until]) => first <= seq && seq <= until);
    return asOf(entries, left, last).filter(isRead);
  }

  // ---- The whole log ----

  /**
   * Starts another session with this one's entries up to a message, for a turn that is edited or regenerated. Without a
   * `key`, it gets a new one. Fails with `STORE_CONFLICT` if a session with that key exists, and with `INVALID_CONFIG`
   * if this one has no entries up to `atSeq`.
   */
  async fork(atSeq: number, key?: string): Promise<Session<M>> {
    this.#check();
    if (!Number.isSafeInteger(atSeq) || atSeq < 1) {
      throw invalid(
        "atSeq",
        `expected a sequence number from 1, got ${describe(atSeq)}`,
        "Pass the result of seqOf().",
      );
    }
    const own = key ?? `${this.key}#${idOf("fork")}`;
    const fork = await openSession<M>(own, { store: this.#store, retention: this.#retention });
    try {
      const entries = await this.#all({ before: atSeq + 1 });
      const copies = entries.filter(({ type }) => type !== "left").map((entry) => copyOf(entry, this.key, own));
      if (copies.length === 0) {
        throw invalid("atSeq", `the log has no entries up to ${atSeq}`, "Pass the result of seqOf().");
      }
      await this.#store.append(own, copies, { expectedSeq: 0 });
    } catch (failure) {
      await fork.close();
      throw isConflict(failure)
        ? storeError("STORE_CONFLICT", `a session ${describe(own)} already exists`, "Pass another key, or none.")
        : failure;
    }
    return fork;
  }

  /**
   * Returns the whole transcript as a session log, one row per line. Imported rows are reproduced unchanged. With
   * `builds`, the kept builds follow the transcript.
   */
  async export(options: ExportOptions = {}): Promise<string> {
    this.#check();
    checkOptions(KIND, options, EXPORT);
    const builds = options.builds === true ? await this.#keptBuilds() : [];
    const [info, entries] = [await this.info(), await this.#all({})];
    const header = entries[0]?.type === "session" ? [] : [headerLine(this.key, info?.createdAtMs)];
    const seqs = entries.map(({ seq }) => seq);
    const lines = header.concat(
      entries.map(lineOf),
      builds.map((entry) => buildLine(entry, seqs, header.length + 1)),
    );
    return `${lines.join("\n")}\n`;
  }

  /**
   * Appends the contents of a file, all or nothing: a session log, or any other file that `parseTranscript` reads. From
   * a file with several conversations, such as an export, appends all, oldest first, each with its id as
   * `conversationId`, or only the one named by `conversation`. Rows that aren't understood are skipped and reported.
   * Builds in the file are stored after its rows, also all or none.
   */
  async import(text: string, options: ImportOptions = {}): Promise<SessionImport> {
    this.#check();
    checkText(text, KIND);
    checkOptions(KIND, options, IMPORT);
    const { onProgress, conversation, signal: given, ...operation } = options;
    const signal = given == null ? undefined : readSignal(given, KIND);
    const tell = (progress: ReadProgress): void => {
      checkAborted(signal, KIND);
      tellListener(() => onProgress?.(progress));
    };
    const { entries, rows, builds, skipped, unread, conversations } = await readLines(text, tell, conversation);
    checkAborted(signal, KIND);
    let firstSeq = 1;
    if (entries.length > 0) {
      const rows = entries.map((entry) => ({ entry }));
      ({ firstSeq = firstSeq } = await this.#append(rows, operation));
    }
    if (builds.length > 0) {
      const placed = builds.map((build) => placedBuild(build, rows, firstSeq));
      const operationId = operation.operationId ?? idOf("op");
      await this.#store.append(this.key, placed, { log: "builds", operationId });
      this.#retainAfter(placed.length);
    }
    const messageCount = entries.filter(({ type }) => MESSAGE_TYPES.includes(type)).length;
    const missing = unread === undefined ? {} : { unread };
    return { messageCount, buildCount: builds.length, conversations, skipped, ...missing };
  }

  /**
   * Calls a listener for every later change, in this tab or another if the store can observe it. Messages arrive in
   * order, none twice. Returns a function that unsubscribes.
   */
  subscribe(listener: (change: SessionChange<M>) => void): () => void {
    this.#check();
    if (typeof listener !== "function") {
      throw invalid("listener", `expected a function, got ${describe(listener)}`, "Pass a function.");
    }
    if (this.#store.subscribe === undefined) {
      throw new ContextError({
        kind: KIND,
        code: "STORE_UNAVAILABLE",
        message: "this store doesn't report changes",
        nextAction: "Read the messages again when they may have changed.",
      });
    }
    let isEnded = false;
    const hear = (change: SessionChange<M>): void => tellListener(() => listener(change));
    // Returns the end of the log and its newest message, both known to the listener.
    const standing = async (): Promise<ToldChange> => {
      const head = (await this.info())?.logs.transcript;
      return { lastSeq: head?.lastSeq ?? 0, newest: head?.lastMessageSeq ?? 0 };
    };
    let told: Promise<ToldChange | undefined> = standing().catch(() => undefined);
    const tell = async (known: ToldChange | undefined, kind: string): Promise<ToldChange> => {
      if (kind !== "append" || known === undefined) {
        // An entry appended while a listener runs is reported afterwards.
        const now = await standing();
        hear({ kind: "reset" });
        return now;
      }
      const entries = await this.#read({ after: known.lastSeq, types: [...MESSAGE_TYPES, ...FORGOTTEN_TYPES] });
      let { newest } = known;
      const isOfStatements = (at: number): boolean => FORGOTTEN_TYPES.includes(entries[at]?.type as EntryType);
      for (const [at, { seq, type, ...rest }] of (isEnded ? [] : entries).entries()) {
        if (isOfStatements(at)) {
          if (!isOfStatements(at + 1)) {
            hear({ kind: "statements" }); // once for the rows of one call
          }
          continue;
        }
        const isReplacing = rest.replacesSeq !== undefined && newest >= rest.replacesSeq;
        const messages = this.#messagesOf([{ seq, type, ...rest }]);
        hear({ kind: "append", messages, lastSeq: seq, ...(isReplacing ? { replacesSeq: newest } : {}) });
        newest = type === "message" ? seq : newest;
      }
      return { lastSeq: Math.max(known.lastSeq, entries.at(-1)?.seq ?? 0), newest };
    };
    const end = this.#store.subscribe(this.key, ({ kind, log }) => {
      if (log === "transcript") {
        // If it fails after a trim or a removal, sequence numbers may have started over, so the next change is a reset.
        const unheard = (before: ToldChange | undefined): ToldChange | undefined =>
          kind === "append" ? before : undefined;
        told = told.then((before) =>
          isEnded || this.#isClosed ? before : tell(before, kind).catch(() => unheard(before)),
        );
      }
    });
    const unsubscribe = (): void => {
      isEnded = true;
      end();
      this.#subscriptions.delete(unsubscribe);
    };
    this.#subscriptions.add(unsubscribe);
    return unsubscribe;
  }

  /** Removes everything that the store has of the session. A new message starts it again. */
  async clear(): Promise<void> {
    this.#check();
    this.#clearCount += 1;
    await this.settled();
    await this.#inOrder(() => this.#store.remove(this.key));
    this.#newest = undefined;
    this.#ownId = undefined;
    this.#last &&= { ...this.#last, decided: undefined, summary: undefined };
    this.#prepared = undefined;
  }

  /** Resolves when all background work of finished calls has ended: storing builds and counts, retention. */
  async settled(): Promise<void> {
    await this.#preparing;
    while (this.#background.size > 0) {
      await Promise.all(this.#background);
    }
  }

  /**
   * Waits for a summary that was requested ahead of time. No other is requested meanwhile, and no build waits for it.
   */
  #prepare(asked: Promise<StoredSummary>): void {
    const clearCount = this.#clearCount;
    const take = (summary: StoredSummary): void => {
      if (clearCount === this.#clearCount) {
        this.#prepared = summary;
      }
    };
    this.#preparing = asked
      .then(take, () => {})
      .finally(() => {
        this.#preparing = undefined;
      });
  }

  /**
   * Closes the session once the calls in progress have ended, and releases the engine's memory. The store stays open.
   */
  async close(): Promise<void> {
    for (const unsubscribe of [...this.#subscriptions]) {
      unsubscribe();
    }
    this.#isClosed = true;
    this.#closing.abort();
    await Promise.allSettled([this.#appends, ...this.#builds]);
    await this.settled();
    await this.#tail.free();
    await this.#redacted?.tail.free();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  // ---- Internals ----

  #check(): void {
    if (this.#isClosed) {
      throw new ContextError({
        kind: KIND,
        code: "STORE_CLOSED",
        message: "the session was closed",
        nextAction: "Open it again with openSession.",
      });
    }
  }

  /** Returns an id and a time for a message without them. */
  #missing(createdAt: string = new Date().toISOString()): { readonly id: string; readonly createdAt: string } {
    return { id: idOf("msg"), createdAt };
  }

  async #info(): Promise<SessionInfo | undefined> {
    const [info] = await this.#store.sessions({ keys: [this.key] });
    return info;
  }

  /**
   * Returns the id of the session that contains this session's newest message. Undefined if the message is gone. Times
   * aren't compared, because each host has its own clock.
   */
  async #idOf({ seq, operationId }: NewestMessage): Promise<string | undefined> {
    const { entries, info } = await this.#store.read(this.key, { seqs: [seq] });
    return entries[0]?.operationId === operationId ? info?.id : undefined;
  }

  /**
   * Returns the entries of messages with one of these ids, oldest first. A message without an id is named by its place.
   */
  async #known(ids: readonly string[]): Promise<readonly Entry[]> {
    const found = ids.length === 0 ? [] : await this.#store.get(this.key, ids);
    const seqs = ids.flatMap((id) => Number(/^#(\d+)$/.exec(id)?.[1] ?? Number.NaN)).filter((seq) => seq > 0);
    const placed = seqs.length === 0 ? [] : (await this.#read({ seqs })).filter(({ id }) => id === undefined);
    const messages = [...found, ...placed].filter(({ type }) => MESSAGE_TYPES.includes(type));
    return messages.toSorted((one, other) => one.seq - other.seq);
  }

  /** Runs a function that depends on the end of the log. Runs it again if others have appended meanwhile. */
  async #tryAgain<T>(run: () => Promise<T>, mayTryAgain = true): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run();
      } catch (failure) {
        if (!mayTryAgain || !isConflict(failure) || attempt === MOST_ATTEMPTS) {
          throw failure;
        }
      }
    }
  }

  /** Forgets facts about entries that have changed. */
  async #forgetChanged(seqs: readonly number[]): Promise<void> {
    for (const seq of seqs) {
      this.#appended.delete(seq);
    }
    if (this.#newest === undefined || seqs.includes(this.#newest.seq)) {
      this.#newest = undefined;
      this.#ownId = undefined;
    }
    await forgetBlocks(this.#store, this.key, seqs);
  }

  /** Appends messages. Those with an existing id replace the messages that have it. */
  async #appendOrReplace(given: readonly NewRow[], options: LogAppendOptions): Promise<SessionAppend<M>> {
    const named = new Map(
      given.flatMap((row) => (row.kept !== undefined && row.entry.id !== undefined ? [[row.entry.id, row]] : [])),
    );
    // If rows share an id, the last one takes the place of the first.
    const rows = [...new Set(given.map((row) => (row.kept && named.get(row.entry.id as string)) ?? row))];
    const known = await this.#known([...named.keys()]);
    if (known.length === 0) {
      return await this.#appendNow(rows, options);
    }
    const { operationId = idOf("op"), expectedSeq } = options;
    return await this.#tryAgain(async () => {
      const info = await this.#info();
      const places = new Map((await this.#known([...named.keys()])).map((entry) => [entry.id, entry]));
      if (info === undefined) {
        return await this.#appendNow(rows, { ...options, operationId });
      }
      const { lastSeq, lastMessageSeq } = info.logs.transcript;
      const placeOf = ({ entry }: NewRow): Entry | undefined =>
        entry.id === undefined ? undefined : places.get(entry.id);
      // A message without a time gets that of the message it replaces.
      const placed = rows.map((row) => (row.kept === undefined ? row : (inPlaceOf(row.kept, placeOf(row)) ?? row)));
      const added = placed.filter((row) => placeOf(row) === undefined);
      const latest = new Map(placed.map((row) => [row.entry.id, row]));
      const changed = [...latest.values()].flatMap((row) => {
        const place = placeOf(row);
        return place === undefined || isSame(place, row.entry) ? [] : [{ row, place }];
      });
      const first = lastSeq + 1;
      const history = changed.map(({ place }) => leftEntry(place, first));
      const written = [...history, ...added.map(({ entry }) => entry)];
      if (written.length > 0) {
        const entries = changed.map(({ row, place }) => rewritten(place.seq, row.entry));
        const newest = await this.#newestAfter(lastMessageSeq, entries);
        const { isRepeated } = await this.#store.append(this.key, written, {
          operationId,
          expectedId: info.id,
          expectedSeq: expectedSeq ?? lastSeq,
          ...(changed.length === 0 ? {} : { rewrites: { entries, lastMessageSeq: newest } }),
        });
        if (isRepeated) {
          return await this.#appendNow(rows, { operationId });
        }
        await this.#forgetChanged(entries.map(({ seq }) => seq));
      }
      const addedAt = new Map(added.map((row, at) => [row, at]));
      const seqOf = (row: NewRow): number => placeOf(row)?.seq ?? first + history.length + (addedAt.get(row) as number);
      const messages = placed.flatMap((row) =>
        row.parsed === undefined ? [] : [this.#copyOf(row.parsed, seqOf(row))],
      );
      const newest = added.findLast(({ entry, parsed }) => entry.type === "message" && parsed !== undefined);
      if (newest?.parsed !== undefined) {
        this.#newest = { seq: seqOf(newest), parsed: newest.parsed, operationId };
        this.#ownId = undefined;
      }
      this.#retainAfter(written.length);
      const seqs = placed.map(seqOf).sort((one, other) => one - other);
      const [oldest, newestSeq] = [seqs[0] as number, seqs.at(-1) as number];
      return { firstSeq: oldest, lastSeq: newestSeq, messages, isRepeated: written.length === 0 };
    }, expectedSeq === undefined);
  }

  /** Returns the sequence number of the newest message after entries were rewritten. */
  async #newestAfter(lastMessageSeq: number, entries: readonly RewrittenEntry[]): Promise<number> {
    const isGone = entries.some(({ seq, type }) => seq === lastMessageSeq && type !== "message");
    if (!isGone) {
      return Math.max(lastMessageSeq, ...entries.filter(({ type }) => type === "message").map(({ seq }) => seq));
    }
    const others = await this.#read({ before: lastMessageSeq, types: ["message"], order: "descending", limit: 1 });
    return others[0]?.seq ?? 0;
  }

  #append(rows: readonly NewRow[], options: LogAppendOptions): Promise<SessionAppend<M>> {
    return this.#inOrder(() => this.#appendNow(rows, options));
  }

  #inOrder<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#appends.then(run, run);
    this.#appends = turn.catch(() => undefined);
    return turn;
  }

  async #appendNow(rows: readonly NewRow[], options: LogAppendOptions): Promise<SessionAppend<M>> {
    // A store that retries must recognize its own writes.
    const operationId = options.operationId ?? idOf("op");
    const written = rows.map(({ entry }) => entry);
    const appended = await this.#store.append(this.key, written, { ...options, operationId, givesUpEntries: true });
    const { firstSeq, lastSeq, isRepeated } = appended;
    const entries = isRepeated
      ? await this.#read({ after: firstSeq - 1, before: lastSeq + 1 })
      : rows.map(({ entry, parsed }, index): Entry => {
          const seq = firstSeq + index;
          this.#remember(seq, operationId, parsed);
          return { ...entry, seq, operationId };
        });
    const messages = isRepeated
      ? this.#messagesOf(entries)
      : rows.flatMap(({ parsed }, index) => (parsed === undefined ? [] : [this.#copyOf(parsed, firstSeq + index)]));
    const newest = entries.findLast(({ type }) => type === "message");
    const { parsed } = newest === undefined ? {} : this.#messageForBuilds(newest);
    if (newest !== undefined && parsed !== undefined && !(isRepeated && newest.seq < (this.#newest?.seq ?? 0))) {
      this.#newest = { seq: newest.seq, parsed, operationId };
      this.#ownId = undefined;
    }
    this.#retainAfter(entries.length);
    return { firstSeq, lastSeq, messages, isRepeated };
  }

  async #read(range: ReadRange): Promise<readonly Entry[]> {
    this.#check();
    const { entries, skipped } = await this.#store.read(this.key, range);
    this.#note(skipped);
    return entries;
  }

  /** Returns all entries of a part of the log, with no trim in between. */
  async #all({ before = Number.POSITIVE_INFINITY, log }: Pick<ReadRange, "before" | "log">): Promise<readonly Entry[]> {
    return await this.#store.holding(this.key, async () => {
      const entries: Entry[] = [];
      for (;;) {
        const page = await this.#read({ after: entries.at(-1)?.seq ?? 0, before, limit: PAGE, ...(log && { log }) });
        for (const entry of page) {
          entries.push(entry);
        }
        if (page.length < PAGE) {
          return entries;
        }
      }
    });
  }

  /** Returns the entries of the kept builds. */
  async #keptBuilds(): Promise<readonly Entry[]> {
    await this.settled();
    const entries = await this.#all({ log: "builds" });
    return entries.filter((entry) => {
      const isBuild = buildOf(entry) !== undefined;
      if (!isBuild) {
        this.#note([{ seq: entry.seq, reason: "the log of builds has a different entry here" }]);
      }
      return isBuild;
    });
  }

  #messagesOf(entries: readonly Entry[]): readonly M[] {
    return entries.flatMap((entry) => {
      if (!MESSAGE_TYPES.includes(entry.type)) {
        return [];
      }
      const { parsed, flaw } = this.#messageOf(entry);
      if (flaw !== undefined) {
        this.#note([{ seq: entry.seq, reason: flaw }]);
        return [];
      }
      return [parsed.given as M];
    });
  }

  /** Reads a message that this session returns. Its place is remembered, and the caller may change it. */
  #messageOf(entry: Entry): EntryMessage {
    const reading = messageOf(entry);
    if (reading.parsed !== undefined) {
      this.#seqs.set(reading.parsed.given, entry.seq);
    }
    return reading;
  }

  /** Returns a copy of a message, because the caller may change it. */
  #copyOf({ given }: ParsedMessage, seq: number): M {
    const copy = structuredClone(given) as M;
    this.#seqs.set(copy, seq);
    return copy;
  }

  /** Reads a message for builds. A message that this session appended was parsed then. */
  #messageForBuilds(entry: Entry): EntryMessage {
    const own = this.#appended.get(entry.seq);
    if (own === undefined || own.operationId !== entry.operationId) {
      return this.#messageOf(entry);
    }
    this.#seqs.set(own.parsed.given, entry.seq);
    return own;
  }

  /** Remembers the parsed form of a message that this session appended. */
  #remember(seq: number, operationId: string, parsed: ParsedMessage | undefined): void {
    if (parsed === undefined) {
      return;
    }
    this.#appended.set(seq, { operationId, parsed });
    if (this.#appended.size > REMEMBERED_APPENDS) {
      const [oldest] = this.#appended.keys();
      this.#appended.delete(oldest as number);
    }
  }

  #note(skipped: readonly SkippedEntry[]): void {
    for (const entry of skipped) {
      this.#skipped.set(`${entry.seq} ${entry.reason}`, entry);
    }
  }

  async #keep(
    { snapshot, recording, outline }: BuiltContext<M>,
    { decided, summary, handoff }: Pick<KeptBuild, "decided" | "summary" | "handoff">,
    origin: BuildOrigin,
  ): Promise<void> {
    const goesOn = { ...(decided && { decided }), ...(summary && { summary }), ...(handoff && { handoff }) };
    const data = encodePlain({ snapshot, recording, outline, ...goesOn }) ?? null;
    const entry = buildEntry(snapshot, data);
    // Without a request and messages, there is nothing to replay.
    const isEmpty = recording.transcript.length === 0 && recording.request == null;
    const into = this.#into(origin);
    if (into !== undefined && !isEmpty) {
      await this.#store.append(this.key, [entry], {
        log: "builds",
        operationId: idOf("op"),
        givesUpEntries: true,
        ...into,
      });
      this.#retainAfter(1);
    }
  }

  /**
   * Returns the conditions for appending a build: a session that was removed meanwhile stays removed, and one without
   * entries begins with the build of its first turn, unless it has begun since. Undefined if nothing may be written any
   * more.
   */
  #into({ id, clearCount }: BuildOrigin): { readonly expectedId?: string } | undefined {
    if (clearCount !== this.#clearCount) {
      return undefined;
    }
    return id === undefined ? {} : { expectedId: id };
  }

  /**
   * Appends the record of a failed build to the log, for a turn that failed outside this session's `build`, for example
   * because its messages couldn't be read. Fails with `INVALID_SESSION` if the value has no such record.
   */
  async recordFailure(failure: ContextError): Promise<void> {
    this.#check();
    if (!(failure instanceof ContextError && failure.record !== undefined)) {
      throw new ContextError({
        kind: KIND,
        code: "INVALID_SESSION",
        message: "it has no record: only the ContextError of a failed build has one",
        nextAction: "Pass the error that buildContext failed with.",
      });
    }
    await this.#record(failure);
  }

  /** Appends the record of a failed build. An error here is ignored in favor of the build's own failure. */
  async #record(failure: unknown, origin?: BuildOrigin): Promise<void> {
    const record = failure instanceof ContextError && failure.code !== "ABORTED" ? failure.record : undefined;
    if (record !== undefined) {
      const own = { ...record, sessionId: record.sessionId ?? this.key };
      const entry: NewEntry = { type: "failure", data: encodePlain(own) ?? null };
      await this.#inOrder(async () => {
        const into = origin === undefined ? {} : this.#into(origin);
        if (into !== undefined) {
          await this.#appendNow([{ entry }], into);
        }
      }).catch(() => undefined);
    }
  }

  /** Applies the limits if enough entries have been appended since the last time. */
  #retainAfter(count: number): void {
    const { maxMessages, maxAgeDays, maxBuilds } = this.#retention;
    const limits = [maxMessages, maxBuilds].filter((limit) => limit !== undefined);
    this.#untilRetention -= count;
    if (this.#untilRetention <= 0 && (limits.length > 0 || maxAgeDays !== undefined)) {
      const least = limits.length > 0 ? Math.min(...limits) : RETENTION_STEP;
      this.#untilRetention = Math.max(least >> 3, 1);
      this.#later(retainSession(this.#store, this.key, this.#retention, Date.now()));
    }
  }

  /** Continues a task after the call. Its failure doesn't fail the call. */
  #later(run: Promise<unknown>): void {
    const done = run.then(
      () => undefined,
      () => undefined,
    );
    this.#background.add(done);
    void done.then(() => this.#background.delete(done));
  }
}

/** An entry to append, with its message if already parsed. */
interface NewRow {
  readonly entry: NewEntry;
  /** The caller's message, if it has an id. */
  readonly kept?: KeptMessage;
  readonly parsed?: ParsedMessage;
}

interface NewestMessage {
  readonly seq: number;
  readonly parsed: ParsedMessage;
  /** The operation that appended it. A different message with the same number has a different operation. */
  readonly operationId: string;
}

/** Returns a store without derived values. */
const withoutDerived = (store: TranscriptStore): LogStore => ({
  read: (...range) => store.read(...range),
  get: (...ids) => store.get(...ids),
  sessions: (filter) => store.sessions(filter),
  holding: (key, run) => store.holding(key, run),
  derived: { read: async () => new Map(), write: async () => undefined },
});

/** The session that a build belongs to. */
interface BuildOrigin {
  /** Undefined if it hadn't begun. */
  readonly id: string | undefined;
  readonly clearCount: number;
}

/** The data of a build for the next one. */
type SummaryNeed = Extract<Need, { readonly need: "compact" }>;

interface LastBuild {
  readonly outline: PromptOutline | undefined;
  readonly decided: TriageDecisions | undefined;
  readonly summary: StoredSummary | undefined;
}

interface LogAppendOptions {
  readonly operationId?: string;
  readonly expectedId?: string;
  readonly expectedSeq?: number;
  readonly replacesSeq?: number;
}

interface ToldChange {
  readonly lastSeq: number;
  readonly newest: number;
}

/** Returns a message as the replacement of an entry with the same id. */
function inPlaceOf(kept: KeptMessage, place: Entry | undefined): NewRow | undefined {
  const createdAt = place && messageOf(place).parsed?.message.createdAt;
  return createdAt === undefined ? undefined : { ...entryOf(kept, { createdAt }), kept };
}

/** True if an entry already equals its new version. */
function isSame(entry: Entry, other: NewEntry): boolean {
  const { type, data, pinned } = entry;
  return type === other.type && pinned === other.pinned && JSON.stringify(data) === JSON.stringify(other.data);
}

function noMessage(id: string): ContextError {
  return new ContextError({
    kind: KIND,
    code: "INVALID_SESSION",
    message: `the session has no message ${describe(id)}`,
    nextAction: "Pass the id of a message that session.messages() has.",
  });
}

/** True if a message isn't stored in the log. */
function isLocal(message: AnyMessage): boolean {
  const { persist, tags } = (message ?? {}) as MessageInput;
  return persist == null ? listFrom(tags).some((tag) => LOCAL_TAGS.includes(tag as string)) : !persist;
}

/** Fills in the session of a config: this one by default, including messages that name none. */
function inSession(options: Record<string, unknown>, key: string): void {
  if (options.sessionId === undefined) {
    options.sessionId = key;
  }
  const collect = options.collect as { readonly sessionScope?: unknown } | null | undefined;
  if (collect?.sessionScope === "strict") {
    options.collect = { ...collect, sessionScope: "session" };
  }
}

/** Adds the forgotten sentences to a config. */
function forget(options: Record<string, unknown>, sentences: ForgottenSentences, redact: Redactor | undefined): void {
  const { filter } = options;
  if (sentences.size === 0 || !(filter == null || isRecord(filter))) {
    return; // a wrong group fails later, when it is read
  }
  const forgotten = forgottenOption(sentences);
  const own = Array.isArray(filter?.forgotten) ? filter.forgotten : [];
  options.filter = { ...filter, forgotten: [...own, ...(redact?.value(forgotten) ?? forgotten)] };
}

/**
 * True if triage's choices are remembered: with a cut, if chosen messages stay in their place and no other request asks
 * about others.
 */
function remembersChoices(
  { budget, triage }: Readonly<Record<string, unknown>>,
  hooks: { has(name: "triage.select" | "triage.complete"): boolean },
): boolean {
  if (!(isRecord(budget) && budget.cut != null && (triage == null || isRecord(triage)))) {
    return false; // the code that reads the group reports the fault
  }
  const { candidates, placement, decided } = (triage ?? {}) as Readonly<Record<string, unknown>>;
  const isInPlace = (placement ?? "chronological") === "chronological" && (candidates ?? "all") === "all";
  return isInPlace && decided == null && (hooks.has("triage.select") || hooks.has("triage.complete"));
}

/** Returns the name of the model for vectors. The code that reads the option reports a value that isn't a text. */
function modelOf({ recall }: Readonly<Record<string, unknown>>): string {
  const model = (recall as { readonly embedModel?: unknown } | null | undefined)?.embedModel;
  return typeof model === "string" ? model : "default";
}

const SESSION_KEY = /("session_key"\s*:\s*)"(?:[^"\\]|\\.)*"/;

/** Copies an entry for another session. Ids of the old session become those of the new one. */
function copyOf(entry: Entry, from: string, to: string): NewEntry {
  const { type, id, timeMs, pinned, data } = entry;
  const facts = {
    type,
    ...(id === undefined ? {} : { id }),
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(pinned === undefined ? {} : { pinned }),
  };
  if (type === "session") {
    return { ...facts, data: headerOf(data, to) };
  }
  const { parsed } = MESSAGE_TYPES.includes(type) ? messageOf(entry) : {};
  if (parsed?.message.sessionId !== from) {
    return { ...facts, data };
  }
  const copy = withOrigin(parsed.given as UnknownRecord, { sessionId: to }) as unknown as AnyMessage;
  return entryOf(keptMessage(copy)).entry;
}

/** Returns a header that names another session. Everything else stays, and a line keeps its spelling. */
function headerOf(data: JsonValue, to: string): JsonValue {
  if (typeof data === "string") {
    return data.replace(SESSION_KEY, (_, field) => `${field}${JSON.stringify(to)}`);
  }
  return isRecord(data) && Object.hasOwn(data, "session_key") ? { ...data, session_key: to } : data;
}

/** Returns data. For an imported row, the data in its line. */
function dataOf(data: JsonValue): JsonValue {
  try {
    return typeof data === "string" ? JSON.parse(data) : data;
  } catch {
    return null; // a row written by other software
  }
}

function invalid(path: string, problem: string, nextAction: string): ContextError {
  return new ContextError({ kind: KIND, code: "INVALID_CONFIG", path, message: `${path}: ${problem}`, nextAction });
}

/** A session takes the same options as its store, except those that it decides itself. */
const SESSION_RANGE: OptionRules<keyof SessionRange> = { after: PLACE, before: PLACE, limit: LIMIT, order: ORDER };

const operationId: OptionRule = ["a text that is not empty", (value) => typeof value === "string" && value !== ""];
const APPEND: OptionRules<keyof AppendOptions> = {
  operationId,
  expectedSeq: ["an integer from 0", (value) => Number.isSafeInteger(value) && (value as number) >= 0],
  accept: ACCEPT,
};
const EXPORT: OptionRules<keyof ExportOptions> = {
  builds: ["true or false", (value) => typeof value === "boolean"],
};
const IMPORT: OptionRules<keyof ImportOptions> = {
  operationId,
  onProgress: ["a function", (value) => typeof value === "function"],
  signal: ["an AbortSignal", () => true],
  conversation: [
    "the id of a conversation, or its number from 1",
    (value) => (typeof value === "string" && value !== "") || (Number.isSafeInteger(value) && (value as number) >= 1),
  ],
};
const OPEN: OptionRules = {
  store: ["a store", () => true],
  retention: ["limits", () => true],
  accept: ACCEPT,
  statementsFrom: ["a list of keys", (value) => isListOf(value, () => true)],
};

/** True if an append failed because another one came first. */
function isConflict(failure: unknown): boolean {
  return failure instanceof ContextError && failure.code === "STORE_CONFLICT";
}
