// A conversation that lasts: its messages are in a store, and contexts are built from what a build needs of them.

import { ContextError, type FailureRecord } from "../base/errors.js";
import type { Format, Need, RenderConfig, StoredSummary, TriageDecisions } from "../base/generated.js";
import { idOf } from "../base/ids.js";
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
import { buildContext, buildOver, redacted } from "../context/build.js";
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
  lastingConfig,
  lastingMessages,
  readHandoff,
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
import { addStatements, OtherStatements } from "./other-statements.js";
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
/** Messages with one of these tags are kept only where they are marked so. */
const LOCAL_TAGS = ["command", "diagnostic"];
/** How many builds are kept where nothing else is said. */
const MAX_BUILDS = 1000;
/** Where only age is limited: it is looked at whenever an eighth of so many entries have come. */
const RETENTION_STEP = 512;
/** How many messages are remembered from their append to the builds that read them. */
const REMEMBERED_APPENDS = 256;
/** How often a change of what others may change is tried. */
const MOST_ATTEMPTS = 5;
/** How many entries are read at a time where all are. */
const PAGE = 1024;

export interface SessionOptions {
  /** Where the session is kept. */
  readonly store: TranscriptStore;
  /**
   * What is kept of it: default all messages, and the newest 1,000 builds. Limits are applied behind the calls, at first and
   * then whenever an eighth of what a limit allows has come.
   */
  readonly retention?: RetentionLimits;
  /** Which messages `append` and `replaceLast` accept. Default: all. */
  readonly accept?: AcceptedMessages;
  /**
   * The keys of other sessions of the same user in this store. Builds show the lasting statements from there, as the section
   * `statements`: a message in the user's role, before the history. Default: none, so that nothing crosses sessions.
   */
  readonly statementsFrom?: readonly string[];
}

/** Options of an append. */
export interface AppendOptions {
  /** Names the append: if it was made before, it isn't made again. */
  readonly operationId?: string;
  /** The sequence number that the log must end with. */
  readonly expectedSeq?: number;
  /** Which messages are accepted, of those that the session accepts. Default: all. */
  readonly accept?: AcceptedMessages;
}

/** Which part of a log, by sequence numbers. */
export type SessionRange = Pick<ReadRange, "after" | "before" | "limit" | "order">;

/** What an append did. */
export interface SessionAppend<M> {
  /** The sequence number of the first message that was appended; undefined where none was to be kept. */
  readonly firstSeq: number | undefined;
  readonly lastSeq: number | undefined;
  /** The messages as they are kept, each with its id and its time. */
  readonly messages: readonly M[];
  /** Whether the store had them before, under the same `operationId`. */
  readonly isRepeated: boolean;
}

/** What happened to a session, in this tab or another. */
export type SessionChange<M> =
  /** Messages were appended; where `replacesSeq` is there, in the place of that one, the newest that was told or is known. */
  | {
      readonly kind: "append";
      readonly messages: readonly M[];
      readonly lastSeq: number;
      readonly replacesSeq?: number;
    }
  /** Messages were removed: read the shown ones again. */
  | { readonly kind: "reset" };

export type { Handoff, HandoffFacts, HandoffOptions, ImportedConversation, KeptBuild };

/** What an export contains. */
export interface ExportOptions {
  /** Whether the builds that were kept come too, behind the transcript. Default: no. */
  readonly builds?: boolean;
}

/** How a file is imported. */
export interface ImportOptions {
  /** Names the import: where it was made before, it is not made again. */
  readonly operationId?: string;
  /** Is told how far the reading of the file is, a few times a second, and once at its end. Other work gets its turn in between. */
  readonly onProgress?: (progress: ReadProgress) => void;
  /** Which conversation is taken of a file with several: its id, or its number from 1 among those that have a message. Default: all. */
  readonly conversation?: string | number;
  /** Ends the import while the file is being read: nothing of it is appended then, and it fails with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/** What an import did. */
export interface SessionImport {
  /** How many messages and summaries were taken. */
  readonly messageCount: number;
  /** How many builds were taken. */
  readonly buildCount: number;
  /** The conversations that were taken, in the order in which they were appended. */
  readonly conversations: readonly ImportedConversation[];
  /** The rows that were not understood. */
  readonly skipped: readonly SkippedRow[];
  /** The messages that could not be read, if there are any: the conversation is not all there. */
  readonly unread?: UnreadMessages;
}

/**
 * Opens a session: a conversation under a key, in a store. It begins with its first message. Fails with `INVALID_SESSION`, and
 * as its store does.
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
  // Stored messages may be of any shape.
  await shapes.load();
  checkOptions(KIND, options, OPEN);
  checkRetention(options.retention ?? {}, "retention");
  const retention = { maxBuilds: MAX_BUILDS, ...options.retention };
  // Whether the store can be used shows here, and not at the first message.
  await store.sessions({ keys: [key] });
  const statementsFrom = [...new Set(options.statementsFrom)].filter((other) => other !== key);
  statementsFrom.forEach(checkKey);
  return new Session<M>(key, store, retention, options.accept, statementsFrom);
}

/** A conversation that lasts. `openSession` opens one. */
export class Session<M extends AnyMessage = MessageInput> {
  /** Its key. */
  readonly key: string;
  readonly #store: TranscriptStore;
  readonly #retention: RetentionLimits;
  readonly #accept: AcceptedMessages | undefined;
  /** Statements of other sessions. */
  readonly #others: OtherStatements<M>;
  readonly #tail: Tail<M>;
  /** The last redactor of a build, and the tail that it reads. */
  #redacted: { readonly redact: Redactor; readonly tail: Tail<M> } | undefined;
  readonly #seqs = new WeakMap<object, number>();
  /** The newest messages that this session appended, by sequence number. */
  readonly #appended = new Map<number, { readonly operationId: string; readonly parsed: ParsedMessage }>();
  readonly #skipped = new Map<string, SkippedEntry>();
  readonly #subscriptions = new Set<() => void>();
  /** The forgotten sentences, and the state of the log that they are from. */
  #forgotten: { readonly state: string; readonly sentences: ForgottenSentences } | undefined;
  readonly #builds = new Set<Promise<unknown>>();
  /** What the last build left for the next one; null where there was none, undefined where that is not known. */
  #last: LastBuild | null | undefined;
  /** The context of the last build. */
  #built: { readonly retrieval: Retrieval } | undefined;
  /** The tool as long as nothing was built. */
  #retrieval: Retrieval | undefined;
  /** A summary that was asked for ahead, and waits for the cut to move. */
  #prepared: StoredSummary | undefined;
  /** The question about it. */
  #preparing: Promise<void> | undefined;
  /** Ends what goes on in the background and nobody waits for. */
  readonly #closing = new AbortController();
  /** How often it was cleared: what a build found before that is not written after it. */
  #clearCount = 0;
  /** What goes on after a call has ended. */
  readonly #background = new Set<Promise<void>>();
  /** How many entries may come before the limits are applied. */
  #untilRetention = 0;
  /** The newest message, as far as it is this session's own. */
  #newest: NewestMessage | undefined;
  /** The id that it must have, where an append has failed and may have been made all the same. */
  #ownId: string | undefined;
  /** Appends are made in the order of the calls. */
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
   * Appends messages, all or none: they are durable when it resolves. A message without an id is given one, and one without
   * a time the host's. Local commands and diagnostics (tags `command` and `diagnostic`) are kept only where they have
   * `persist: true`. A message whose id the session has already takes that one's place: what it was stays in the log, and is read no
   * more. Fails with `INVALID_TRANSCRIPT`, also for a message that isn't accepted, with `STORE_CONFLICT` where the log does not end with
   * `expectedSeq`, and as the store does.
   */
  async append(messages: M | readonly M[], options: AppendOptions = {}): Promise<SessionAppend<M>> {
    this.#check();
    checkOptions(KIND, options, APPEND);
    const { accept, ...appendOptions } = options;
    const list = messageListOf<M>(messages, KIND) ?? [messages as M];
    const kept = list.flatMap((message, index) => {
      const path = Array.isArray(messages) ? `messages[${index}]` : "message";
      const kept = isLocal(message) ? undefined : keptMessage(message, path);
      const parsed = kept?.parsed ?? parse(message, path, KIND);
      checkAccepted(parsed, path, KIND, this.#accept);
      checkAccepted(parsed, path, KIND, accept);
      const isNamed = (kept?.parsed.message.id ?? kept?.origin.id) !== undefined;
      return kept === undefined ? [] : [{ ...entryOf(kept, this.#missing()), ...(isNamed && { kept }) }];
    });
    if (kept.length === 0) {
      return { firstSeq: undefined, lastSeq: undefined, messages: [], isRepeated: false };
    }
    return await this.#inOrder(() => this.#appendOrReplace(kept, appendOptions));
  }

  /**
   * Leaves all messages from one on, by its id, for a turn that is edited or asked again. They stay in the log, and nothing reads them
   * any more. Returns how many there were. Fails with `INVALID_SESSION` if there is no such message.
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
   * Puts a message in the place of the newest one, for example a reply that is still being written. Where the message has no
   * id or time of its own it takes those of the one before. Fails with `STORE_CONFLICT` where another tab has appended since,
   * and with `INVALID_SESSION` where there is no message.
   */
  async replaceLast(message: M): Promise<SessionAppend<M>> {
    this.#check();
    // As it is now: the caller may go on with it.
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
          "another message has come since, or the session was cleared",
          "Append a new message instead.",
        );
      }
      const missing = this.#missing();
      // What had no id was named by its place, and this is another place.
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
          // Whether it is there now is not known: the next one looks, and takes no other's place.
          this.#newest = undefined;
          this.#ownId = own.entry.id ?? missing.id;
        }
        throw failure;
      }
    });
  }

  /** The messages, oldest first unless `order` says otherwise. Rows that are no messages are left out: see `skipped`. */
  async messages(range: SessionRange = {}): Promise<readonly M[]> {
    checkOptions(KIND, range, SESSION_RANGE);
    return this.#messagesOf(await this.#read({ ...range, types: ["message"] }));
  }

  /** The summaries of conversations: messages with `summaryOf`. */
  async summaries(range: SessionRange = {}): Promise<readonly M[]> {
    checkOptions(KIND, range, SESSION_RANGE);
    return this.#messagesOf(await this.#read({ ...range, types: ["summary"] }));
  }

  /** The sequence number of a message that this session has handed out. */
  seqOf(message: M): number | undefined {
    return this.#seqs.get(message);
  }

  /** The rows of the log found so far that are no entry, or no message. They are left alone. */
  get skipped(): readonly SkippedEntry[] {
    return [...this.#skipped.values()];
  }

  /** Facts of the session that need no reading; undefined before its first message or build. */
  async info(): Promise<SessionInfo | undefined> {
    this.#check();
    return await this.#info();
  }

  // ---- Contexts ----

  /**
   * Builds a context as `buildContext` does, from as much of the log as window and budget need. Its snapshot and recording are
   * kept; a failure is appended to the log as its record. Where no `request` is given, the newest user message fills its place,
   * followed by what answers it: append what was said, then build. `sessionId` is the session's key where the config names none (null
   * takes messages of all sessions); what names no session is of this one, also where `collect.sessionScope` is `strict`. With
   * `budget.cut` the choices of a triage hook are remembered: see `triage.decided`.
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
      const context = await buildOver<M, F>(config, async ({ options, hooks, redact, request }) => {
        redactor = redact;
        inSession(options as Record<string, unknown>, this.key);
        const tail = redact === undefined ? this.#tail : this.#redactedTail(redact);
        await tail.refresh(hooks.has("recall.embed") ? modelOf(options) : undefined);
        origin = { ...origin, id: tail.sessionId };
        forget(options as Record<string, unknown>, await this.#forgottenIn(tail.info), redact);
        const others = await this.#others.of(async () => request?.name ?? (await this.#newestUserName()));
        addStatements(options as Record<string, unknown>, others, redact);
        const { model, render } = options as { readonly model?: unknown; readonly render?: RenderConfig | null };
        previous = await this.#previous(bindsThinking(model, render?.provider));
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
   * Hands a sub-task to another agent. Its context has the task and what holds throughout the session: instructions, pinned messages and
   * standing instructions of the user's who spoke last. Nothing else of the conversation is in it. It is kept as a build is, and can be
   * replayed. The `result` of the handoff appends the other agent's result. Fails with `INVALID_CONFIG`, and as `build` does.
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
    const selecting = lastingConfig(config, maxTokens, request);
    const forgotten = await this.#forgottenIn(await this.#info());
    let origin: BuildOrigin = { id: undefined, clearCount: this.#clearCount };
    let messages: readonly M[] = [];
    const context = await buildOver<M, "messages">(selecting, async ({ options, redact }) => {
      inSession(options as Record<string, unknown>, this.key);
      const tail = redact === undefined ? this.#tail : this.#redactedTail(redact);
      await tail.refresh();
      origin = { ...origin, id: tail.sessionId };
      forget(options as Record<string, unknown>, forgotten, redact);
      const source = (): ReturnType<typeof tail.source> => {
        const read = tail.source();
        messages = read.messages;
        return read;
      };
      return { source, older: (need) => tail.older(need) };
    });
    const lasting = await lastingMessages({ context, messages }, maxTokens, selecting);
    const read = lasting.map((message) => this.seqOf(message) as number).map((seq) => [seq, seq] as const);
    const handed = { ...config, request: facts.task, sessionId: null, budget: { maxTokens } };
    const built = await buildOver<M, "messages">({ ...handed, recall: { ranking: "recency" } }, () => ({
      source: () => ({ ...sourceOf<M>(lasting, KIND), read }),
    }));
    this.#later(this.#keep(built, { handoff: facts }, origin));
    return built;
  }

  /**
   * Returns the tail for builds with a redactor. It has messages without secrets in the engine. It stores no costs, vectors and index: a tail
   * without a redactor would take them for its own.
   */
  #redactedTail(redact: Redactor): Tail<M> {
    if (this.#redacted?.redact !== redact) {
      const read = (entry: Entry): EntryMessage =>
        this.#redactedMessage(this.#messageForBuilds(entry), redact, entry.seq);
      const note = (skipped: SkippedEntry): void => this.#note([skipped]);
      // A build may still read the tail before this one, so that one isn't freed.
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
   * Returns the last build: of this session, or from before it was opened. `byAnybody` asks the store, as another tab may have built since: the
   * thinking in its reply is bound to its prompt.
   */
  async #previous(byAnybody: boolean): Promise<LastBuild | null> {
    const own = this.#last;
    if (byAnybody && own !== undefined) {
      await Promise.all(this.#background); // The last build may still be on its way.
    }
    if (byAnybody || own === undefined) {
      const known = await this.#newestBuild();
      const outline = isOutline(known?.outline) ? known.outline : undefined;
      const found = known === undefined ? (own ?? null) : { outline, decided: known.decided, summary: known.summary };
      this.#last = byAnybody ? found : (this.#last ?? found);
    }
    return this.#last ?? null;
  }

  /** Returns the newest build that was kept. A handoff is of another conversation, so no build goes on with it. */
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
   * Finds messages of the whole log, the best first, by the index that builds rank with. Messages outside the prompt are found
   * too. A log without an index is read once; later searches read only their hits. Messages that their author removed
   * (`status: "deleted"`) or that have expired (`ttlSeconds`) are not found. Fails with `INVALID_CONFIG`,
   * and as the store does. `searchSessions` searches all sessions of a store.
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
   * Lists the lasting statements of the user, the oldest first: facts about themselves, and how they want to be answered. With
   * `{ forgotten: true }` those that are forgotten. `name` names the user; by default it is the one who spoke last. Fails with
   * `INVALID_CONFIG`, and as the store does.
   */
  async statements(options: SessionStatementOptions = {}): Promise<readonly SessionStatement<M>[]> {
    this.#check();
    checkOptions(KIND, options, SESSION_STATEMENTS);
    const { remembered, forgotten } = await this.#statements(options.name);
    return options.forgotten === true ? forgotten : remembered;
  }

  /**
   * Forgets a statement, with the earlier ones that it took the place of. Builds from now on leave out a message that says nothing else. One
   * that says more is no longer kept as a statement or for its rank, and stays if the conversation itself is shown. This holds in every
   * tab; the messages stay in the log. A later message that says the same is remembered. Fails with `INVALID_SESSION` if the session has
   * no such statement.
   */
  async forget(statement: SessionStatement<M>): Promise<void> {
    await this.#change(async () => {
      const { remembered } = await this.#statements(undefined, statement);
      return forgettingEntries(meantStatement(statement, remembered, "statements()"), remembered);
    });
  }

  /** Remembers a statement again that was forgotten. Fails with `INVALID_SESSION` if it wasn't. */
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

  /** Returns the statements of a user. By default it is the author of `statement`, or else the user who spoke last. */
  async #statements(name?: string, statement?: SessionStatement<M>): Promise<ReturnType<typeof statementsOf<M>>> {
    const seqs = Number.isSafeInteger(statement?.seq) ? [statement?.seq as number] : [];
    const said = seqs.length === 0 ? [] : await this.#read({ seqs, types: MESSAGE_TYPES });
    const author = said.map((entry) => messageOf(entry).parsed?.message.name ?? "")[0];
    const lasting = (await this.#tail.lasting(name ?? author)) ?? [];
    const forgotten = await this.#forgottenIn(this.#tail.info);
    this.#later(this.#tail.save());
    const entries =
      lasting.length === 0 ? [] : await this.#read({ seqs: lasting.map(([seq]) => seq), types: MESSAGE_TYPES });
    const messages = new Map(
      entries.flatMap((entry) => {
        const { parsed } = this.#messageOf(entry);
        return parsed === undefined ? [] : [[entry.seq, { given: parsed.given as M, parsed }]];
      }),
    );
    return statementsOf<M>({ sessionKey: this.key, lasting, messages, forgotten }, Date.now());
  }

  /** Returns the name of the user who spoke last. */
  async #newestUserName(): Promise<string | undefined> {
    const newest = await this.#read({ types: ["message"], order: "descending", limit: REMEMBERED_APPENDS });
    const messages = newest.map((entry) => messageOf(entry).parsed?.message);
    return messages.find((message) => message?.role === "user")?.name ?? undefined;
  }

  /** Returns the forgotten sentences. They are read again when the log has more or fewer of them. */
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
   * A tool that returns omitted results and messages to the model, the same as `context.retrieval` of the last build. It reaches the whole
   * log.
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

  /** The builds that were kept, oldest first unless `order` says otherwise. */
  async snapshots(range: SessionRange = {}): Promise<readonly KeptBuild[]> {
    this.#check();
    checkOptions(KIND, range, SESSION_RANGE);
    await this.settled();
    const entries = await this.#read({ ...range, log: "builds" });
    return entries.flatMap((entry) => buildOf(entry) ?? []);
  }

  /** The records of failed builds. */
  async failures(range: SessionRange = {}): Promise<readonly FailureRecord[]> {
    checkOptions(KIND, range, SESSION_RANGE);
    const entries = await this.#read({ ...range, types: ["failure"] });
    return entries.flatMap(({ data }) => {
      const record = dataOf(data) as unknown as FailureRecord | null;
      return record?.kind === "context_build_error" ? [record] : [];
    });
  }

  /** Builds a context of this session again from its recording, from the same part of the log. Fails as `replay` does. */
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

  /** Returns the entries of stretches as they were when the log ended with `last`: messages may have been edited or left since. */
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
   * Begins another session with what this one has up to a message, for a turn that is edited or asked again. Its key is made
   * up where none is given. Fails with `STORE_CONFLICT` where there is a session of that key, and with `INVALID_CONFIG` where
   * this one has nothing up to `atSeq`.
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
        throw invalid("atSeq", `there is nothing up to ${atSeq}`, "Pass the result of seqOf().");
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
   * The whole transcript as a session log, a row a line. Imported rows are written back unchanged. With `builds` the builds
   * that were kept stand behind it.
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
   * Appends what a file holds, all or none: a session log, or what else `parseTranscript` reads. Of a file with several
   * conversations, such as an export, all are appended, the oldest first, each with its id as `conversationId`; or the one that
   * `conversation` names. Rows that are not understood are skipped and reported. Builds of the file are kept as builds, all or none,
   * when its rows are there.
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
   * Calls a listener for every change from now on, in this tab or another as far as the store can tell. Messages come in their
   * order, none twice. Gives what ends it.
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
        message: "this store tells of no changes",
        nextAction: "Read the messages again when they may have changed.",
      });
    }
    let isEnded = false;
    const hear = (change: SessionChange<M>): void => tellListener(() => listener(change));
    // Up to where everything is told, and the newest message that is known to the listener.
    const standing = async (): Promise<ToldChange> => {
      const head = (await this.info())?.logs.transcript;
      return { lastSeq: head?.lastSeq ?? 0, newest: head?.lastMessageSeq ?? 0 };
    };
    let told: Promise<ToldChange | undefined> = standing().catch(() => undefined);
    const tell = async (known: ToldChange | undefined, kind: string): Promise<ToldChange> => {
      if (kind !== "append" || known === undefined) {
        // An entry that is appended while a listener runs is told after it.
        const now = await standing();
        hear({ kind: "reset" });
        return now;
      }
      const entries = await this.#read({ after: known.lastSeq, types: MESSAGE_TYPES });
      let { newest } = known;
      for (const { seq, type, ...rest } of isEnded ? [] : entries) {
        const isReplacing = rest.replacesSeq !== undefined && newest >= rest.replacesSeq;
        const messages = this.#messagesOf([{ seq, type, ...rest }]);
        hear({ kind: "append", messages, lastSeq: seq, ...(isReplacing ? { replacesSeq: newest } : {}) });
        newest = type === "message" ? seq : newest;
      }
      return { lastSeq: Math.max(known.lastSeq, entries.at(-1)?.seq ?? 0), newest };
    };
    const end = this.#store.subscribe(this.key, ({ kind, log }) => {
      if (log === "transcript") {
        // Where it fails behind a trim or a removal, sequence numbers may have begun anew: the next change is a reset.
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

  /** Removes all that the store has of the session. It can go on with a new message. */
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

  /** Resolves when all that goes on behind finished calls has ended: the log of builds, saved counts, retention. */
  async settled(): Promise<void> {
    await this.#preparing;
    while (this.#background.size > 0) {
      await Promise.all(this.#background);
    }
  }

  /** Waits for a summary that was asked for ahead. Another one isn't asked for meanwhile, and no build waits for it. */
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

  /** Ends all use when the calls in progress have ended, and gives back the engine's memory. The store stays open. */
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

  // ---- Behind them ----

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

  /** An id and a time, for a message that has none. */
  #missing(): { readonly id: string; readonly createdAt: string } {
    return { id: idOf("msg"), createdAt: new Date().toISOString() };
  }

  async #info(): Promise<SessionInfo | undefined> {
    const [info] = await this.#store.sessions({ keys: [this.key] });
    return info;
  }

  /** The id of the session that has a message of this one, undefined where it is gone. Clocks say nothing: hosts have their own. */
  async #idOf({ seq, operationId }: NewestMessage): Promise<string | undefined> {
    const { entries, info } = await this.#store.read(this.key, { seqs: [seq] });
    return entries[0]?.operationId === operationId ? info?.id : undefined;
  }

  /** The entries of messages that have one of these ids, the oldest first. A message without an id is named by its place. */
  async #known(ids: readonly string[]): Promise<readonly Entry[]> {
    const found = ids.length === 0 ? [] : await this.#store.get(this.key, ids);
    const seqs = ids.flatMap((id) => Number(/^#(\d+)$/.exec(id)?.[1] ?? Number.NaN)).filter((seq) => seq > 0);
    const placed = seqs.length === 0 ? [] : (await this.#read({ seqs })).filter(({ id }) => id === undefined);
    const messages = [...found, ...placed].filter(({ type }) => MESSAGE_TYPES.includes(type));
    return messages.toSorted((one, other) => one.seq - other.seq);
  }

  /** Runs what depends on how the log ends, again if others have appended meanwhile. */
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

  /** Forgets what was known of entries that are others now. */
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

  /** Appends messages. Those whose id the log has take the place of the ones that have it. */
  async #appendOrReplace(rows: readonly NewRow[], options: LogAppendOptions): Promise<SessionAppend<M>> {
    const named = new Map(
      rows.flatMap((row) => (row.kept !== undefined && row.entry.id !== undefined ? [[row.entry.id, row]] : [])),
    );
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
      // Without a time of its own a message has that of the one whose place it takes.
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
      const seqOf = (row: NewRow): number => placeOf(row)?.seq ?? first + history.length + added.indexOf(row);
      const messages = placed.flatMap((row) =>
        row.parsed === undefined ? [] : [this.#copyOf(row.parsed, seqOf(row))],
      );
      const newest = added.findLast(({ entry, parsed }) => entry.type === "message" && parsed !== undefined);
      if (newest?.parsed !== undefined) {
        this.#newest = { seq: seqOf(newest), parsed: newest.parsed, operationId };
        this.#ownId = undefined;
      }
      this.#retainAfter(written.length);
      const seqs = placed.map(seqOf);
      return { firstSeq: Math.min(...seqs), lastSeq: Math.max(...seqs), messages, isRepeated: written.length === 0 };
    }, expectedSeq === undefined);
  }

  /** Returns the newest message once entries have become others. */
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
    // A store that has to try again must know what it has done.
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

  /** All entries of a part of the log, with nothing trimmed in between. */
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

  /** The entries of the builds that were kept. */
  async #keptBuilds(): Promise<readonly Entry[]> {
    await this.settled();
    const entries = await this.#all({ log: "builds" });
    return entries.filter((entry) => {
      const isBuild = buildOf(entry) !== undefined;
      if (!isBuild) {
        this.#note([{ seq: entry.seq, reason: "the log of builds has something else here" }]);
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

  /** Reads a message as this session hands it out: it is known by its place, and the caller may change it. */
  #messageOf(entry: Entry): EntryMessage {
    const reading = messageOf(entry);
    if (reading.parsed !== undefined) {
      this.#seqs.set(reading.parsed.given, entry.seq);
    }
    return reading;
  }

  /** Returns a copy of a message: the caller may change it. */
  #copyOf({ given }: ParsedMessage, seq: number): M {
    const copy = structuredClone(given) as M;
    this.#seqs.set(copy, seq);
    return copy;
  }

  /** Reads a message for builds. One that this session appended itself was read then. */
  #messageForBuilds(entry: Entry): EntryMessage {
    const own = this.#appended.get(entry.seq);
    if (own === undefined || own.operationId !== entry.operationId) {
      return this.#messageOf(entry);
    }
    this.#seqs.set(own.parsed.given, entry.seq);
    return own;
  }

  /** Remembers what was read of a message that this session appended. */
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
    // Without a request and messages there is nothing to replay.
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
   * What an append of a build expects: a session that was removed meanwhile stays removed. One that had not begun begins with the
   * build of its first turn, or has begun since. Undefined where nothing may be written any more.
   */
  #into({ id, clearCount }: BuildOrigin): { readonly expectedId?: string } | undefined {
    if (clearCount !== this.#clearCount) {
      return undefined;
    }
    return id === undefined ? {} : { expectedId: id };
  }

  /**
   * Appends the record of a failed build to the log, where it was not this session that built: for a turn that fails before
   * `build`, as its messages cannot be read. Fails with `INVALID_SESSION` where what is given has no such record.
   */
  async recordFailure(failure: ContextError): Promise<void> {
    this.#check();
    if (!(failure instanceof ContextError && failure.record !== undefined)) {
      throw new ContextError({
        kind: KIND,
        code: "INVALID_SESSION",
        message: "this has no record: only the ContextError of a failed build has one",
        nextAction: "Pass the error that buildContext failed with.",
      });
    }
    await this.#record(failure);
  }

  /** Appends the record of a failed build; the failure itself matters more than that. */
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

  /** Applies the limits, where enough has come since they were. */
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

  /** Goes on behind the call, which what fails there does not fail. */
  #later(run: Promise<unknown>): void {
    const done = run.then(
      () => undefined,
      () => undefined,
    );
    this.#background.add(done);
    void done.then(() => this.#background.delete(done));
  }
}

/** An entry to append, with its message if it was read. */
interface NewRow {
  readonly entry: NewEntry;
  /** The message as it was given, if it has an id of its own. */
  readonly kept?: KeptMessage;
  readonly parsed?: ParsedMessage;
}

interface NewestMessage {
  readonly seq: number;
  readonly parsed: ParsedMessage;
  /** The operation that appended it: another message of its number has another. */
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

/** Which session a build is of. */
interface BuildOrigin {
  /** Undefined where it had not begun. */
  readonly id: string | undefined;
  readonly clearCount: number;
}

/** What a build leaves for the next one. */
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

/** Returns a message in the place of an entry that has its id. */
function inPlaceOf(kept: KeptMessage, place: Entry | undefined): NewRow | undefined {
  const createdAt = place && messageOf(place).parsed?.message.createdAt;
  return createdAt === undefined ? undefined : { ...entryOf(kept, { createdAt }), kept };
}

/** True if an entry is what it would become. */
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

/** Whether a message stays out of the log. */
function isLocal(message: AnyMessage): boolean {
  const { persist, tags } = (message ?? {}) as MessageInput;
  return persist == null ? Array.isArray(tags) && tags.some((tag) => LOCAL_TAGS.includes(tag)) : !persist;
}

/** What a config says in a session: it is of this one, and so is what names none. */
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

/** Whether what triage chooses is remembered: with a cut, and where it stays in its place and no other request asks about others. */
function remembersChoices(
  { budget, triage }: Readonly<Record<string, unknown>>,
  hooks: { has(name: "triage.select" | "triage.complete"): boolean },
): boolean {
  if (!(isRecord(budget) && budget.cut != null && (triage == null || isRecord(triage)))) {
    return false; // a group that is none fails where it is read
  }
  const { candidates, placement, decided } = (triage ?? {}) as Readonly<Record<string, unknown>>;
  const isInPlace = (placement ?? "chronological") === "chronological" && (candidates ?? "all") === "all";
  return isInPlace && decided == null && (hooks.has("triage.select") || hooks.has("triage.complete"));
}

/** Which model gives the vectors; an option that is no text fails where it is read. */
function modelOf({ recall }: Readonly<Record<string, unknown>>): string {
  const model = (recall as { readonly embedModel?: unknown } | null | undefined)?.embedModel;
  return typeof model === "string" ? model : "default";
}

const SESSION_KEY = /("session_key"\s*:\s*)"(?:[^"\\]|\\.)*"/;

/** An entry for another session: what names its session names the new one. */
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

/** A header that names another session. All else of it stays: of a line as it is written. */
function headerOf(data: JsonValue, to: string): JsonValue {
  if (typeof data === "string") {
    return data.replace(SESSION_KEY, (_, field) => `${field}${JSON.stringify(to)}`);
  }
  return isRecord(data) && Object.hasOwn(data, "session_key") ? { ...data, session_key: to } : data;
}

/** Data, of an imported row those in its line. */
function dataOf(data: JsonValue): JsonValue {
  try {
    return typeof data === "string" ? JSON.parse(data) : data;
  } catch {
    return null; // a row that something else has written
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
  expectedSeq: ["a whole number from 0", (value) => Number.isSafeInteger(value) && (value as number) >= 0],
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
  statementsFrom: ["a list of keys", (value) => Array.isArray(value)],
};

/** Whether an append failed as another one came first. */
function isConflict(failure: unknown): boolean {
  return failure instanceof ContextError && failure.code === "STORE_CONFLICT";
}
