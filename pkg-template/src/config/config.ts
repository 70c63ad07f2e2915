// Reads the caller's config and turns it into the engine's options.

import { ContextError, type ErrorKind, type FailedTurn } from "../base/errors.js";
import type {
  BudgetConfig,
  CompactConfig,
  ContextOptions,
  Format,
  HookName,
  Item,
  RecallConfig,
  TiersConfig,
  TriageConfig,
} from "../base/generated.js";
import { jsonOf } from "../base/json.js";
import { describe } from "../base/options.js";
import { nearest } from "../engine/nearest.js";
import type { AnyMessage } from "../formats/any-message.js";
import { type ContextManagement, isContextManagement } from "../formats/context-management.js";
import { serverOf } from "../formats/openai-chat/servers.js";
import type { UnknownRecord } from "../message/format.js";
import type { MessageInput } from "../message/message.js";
import { formatOf, ownFormat, type ShapeName, shapeNameOf } from "../message/recognise.js";
import {
  type CompactHooks,
  type CountTokensHook,
  HOOK_NAMES,
  type Hooks,
  type RecallHooks,
  type TierHooks,
  type TriageHooks,
} from "./hooks.js";
import { isOutline, type PromptOutline } from "./outline.js";
import { isRedactor, type Redactor } from "./redactor.js";

/**
 * The contents of sections, by id: a text for kind `text`, a list for the kinds `items` and `recall`, and null for an
 * empty section.
 */
export type Contents = Readonly<Record<string, string | readonly (string | Item)[] | null | undefined>>;

/** Options of both ways to build, in addition to the plain ones. */
interface CommonConfig extends Omit<ContextOptions, "now" | "recall" | "triage" | "tiers" | "budget" | "compact"> {
  /**
   * The current input: the user's text, or a message, which may have `replyTo`. It appears in the place that `sections`
   * name, by default last, and is always kept. If left out, the newest user message takes its place, followed by the
   * messages that answer it. Null or an empty text means no request: then all messages are history.
   */
  readonly request?: string | AnyMessage | null | undefined;
  /** The current time: milliseconds since 1970, ISO 8601, or a `Date`. Default: the host's clock. */
  readonly now?: number | string | Date | null | undefined;
  /** The contents of sections, by id. So `sections` can stay as a preset defines them. */
  readonly contents?: Contents | null | undefined;
  /** Limits on the cost of the prompt. */
  readonly budget?: BudgetConfig | undefined;
  /**
   * The previous build or its `outline`. `prefix` then says how much of it this prompt repeats. Default: the last build
   * of the same session or `Transcript`.
   */
  readonly previous?: { readonly outline: PromptOutline } | PromptOutline | null | undefined;
  /**
   * The shape of the messages in an array, one of `messageShapes`. Default: each message's format is recognized from
   * its fields. A transcript has its own shape.
   */
  readonly shape?: ShapeName | null | undefined;
  /**
   * Keeps secrets out of the prompt: `secrets` of `windrow/redact`, or a redactor made by its `createRedactor`.
   * Placeholders replace secrets in messages, sections, the request and answers of hooks. `context.restore` puts them
   * back. Default: nothing is replaced.
   */
  readonly redact?: Redactor | null | undefined;
  /**
   * Settings of the provider's `context_management`: parts of the prompt that the provider itself clears or compacts.
   * `context.request` passes them on, and a note in the trace (`provider-clears`) lists these parts.
   */
  readonly contextManagement?: ContextManagement | null | undefined;
}

/**
 * Options for building a context. All are optional; a misspelled one is an error that names it. `M` is the type of the
 * messages that hooks see.
 */
export interface ContextConfig<M extends AnyMessage = MessageInput> extends CommonConfig {
  /** Chooses older messages to keep, and content for the section of kind `recall`. Includes the hooks for both. */
  readonly recall?: (RecallConfig & RecallHooks) | undefined;
  /** Chooses which older messages matter. Includes the hook that decides. */
  readonly triage?: (TriageConfig & TriageHooks<M>) | undefined;
  /** Sets how much of each conversation is shown. Includes the hook that summarizes. */
  readonly tiers?: (TiersConfig & TierHooks<M>) | undefined;
  /** Summarizes the messages that the cut leaves out. Includes the hook that writes the summary. */
  readonly compact?: (CompactConfig & CompactHooks<M>) | undefined;
  /** Counts tokens instead of windrow. Each call passes many texts, and no text is passed twice in one build. */
  readonly countTokens?: CountTokensHook | null | undefined;
  /** Aborts the build. It fails with `ABORTED`, and the signal of a running hook is aborted too. */
  readonly signal?: AbortSignal | null | undefined;
}

/** `ContextConfig` for `buildContextSync`. That call never waits, so it takes no hooks and no signal. */
export interface SyncContextConfig extends CommonConfig {
  /** Chooses older messages to keep. Without a hook, the section of kind `recall` stays empty. */
  readonly recall?: (RecallConfig & NoHooks<RecallHooks>) | undefined;
  /** Chooses which older messages matter. Without a hook, `onUnavailable` decides. */
  readonly triage?: (TriageConfig & NoHooks<TriageHooks>) | undefined;
  /** How much of each conversation is shown. */
  readonly tiers?: (TiersConfig & NoHooks<TierHooks>) | undefined;
  /** Summarizes the messages that the cut leaves out. */
  readonly compact?: (CompactConfig & NoHooks<CompactHooks>) | undefined;
  readonly countTokens?: null | undefined;
  readonly signal?: null | undefined;
}

type NoHooks<H> = { readonly [K in keyof H]?: null | undefined };

/** A config whose type says which format it asks for. The default is `messages`. */
export type InFormat<C, F extends Format> = C & {
  readonly render?: { readonly format?: F | undefined } | undefined;
};

/** The options that make windrow add messages to the prompt, each with the values that add nothing. */
export interface AddsNothing {
  readonly sections?: null | undefined;
  readonly contents?: null | undefined;
  readonly tiers?: null | undefined;
  readonly recall?: { readonly placement?: "chronological" | undefined } | undefined;
  readonly triage?: { readonly placement?: "chronological" | undefined } | undefined;
  readonly budget?: { readonly cut?: null | undefined } | undefined;
  readonly render?:
    | {
        readonly gapNotice?: null | undefined;
        readonly provider?: "openai" | "openai-responses" | null | undefined;
      }
    | undefined;
}

/** A request in any form that a config accepts. */
export type RequestInput = CommonConfig["request"];

/** A request that is a text. */
export interface RequestText {
  readonly role: "user";
  readonly content: string;
}

/** The message that a request becomes in the prompt. */
export type RequestMessage<R extends RequestInput> = R extends string ? RequestText : R extends AnyMessage ? R : never;

/** A config whose type says that it adds nothing to the prompt except the request. */
export type AddingNothing<C, F extends Format, R extends RequestInput> = InFormat<C, F> &
  AddsNothing & { readonly request?: R };

/** A config split in two: plain data for the engine, and values that only JavaScript can hold. */
export interface ReadConfig {
  /** Null for no request. Undefined if the newest user message is the request. */
  readonly request: MessageInput | null | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  readonly hooks: Hooks;
  readonly signal: AbortSignal | undefined;
  /** The shape of the messages, if the config names it. */
  readonly shape: ShapeName | undefined;
  /** The outline of the previous prompt, if the config has one. */
  readonly previous: PromptOutline | undefined;
  readonly redact: Redactor | undefined;
  /** The positions of the messages whose thinking is sent, if known. */
  readonly bound?: readonly number[] | undefined;
  /** The positions from a recording; nothing is checked again. */
  readonly recordedBound?: readonly number[] | undefined;
  /** The quotes of earlier prompts that stay, if known. */
  readonly quotes?: readonly EarlierQuotes[] | undefined;
  /** Settings of the provider's `context_management`. */
  readonly contextManagement?: ContextManagement | undefined;
  /** Maps the engine's paths to the caller's: `sections[2].items` may come from `contents.notes`. */
  readonly places: ReadonlyMap<string, string>;
}

/** Quotes of an earlier prompt before a message. */
export interface EarlierQuotes {
  /** The position of the message after the quotes. */
  readonly before: number;
  /** The positions of the quoted messages. */
  readonly quoted: readonly number[];
  readonly text: string;
}

type Options = Record<string, unknown>;

/** Returns the outline of an earlier build, from the outline itself or from its context. */
function outlineIn(previous: unknown, kind: ErrorKind): PromptOutline {
  return guarded(kind, "previous", () => {
    const { outline = previous } = previous as { readonly outline?: unknown };
    if (!isOutline(outline)) {
      throw invalid(kind, "previous", `expected a built context or its outline, got ${describe(previous)}`);
    }
    return outline;
  });
}

function redactorIn(given: unknown, kind: ErrorKind): Redactor {
  return guarded(kind, "redact", () => {
    if (!isRedactor(given)) {
      const nextAction = "Pass `secrets` of windrow/redact, or createRedactor({ find }) with your own function.";
      throw invalid(kind, "redact", `expected a redactor, got ${describe(given)}`, undefined, nextAction);
    }
    return given;
  });
}

/** Reads a config. Fails with `INVALID_CONFIG` if anything except its hooks isn't plain data. */
export function readConfig(config: unknown, kind: ErrorKind): ReadConfig {
  if (config == null) {
    return {
      request: undefined,
      options: {},
      hooks: new Map(),
      signal: undefined,
      shape: undefined,
      previous: undefined,
      redact: undefined,
      places: new Map(),
    };
  }
  const {
    request,
    signal,
    contents,
    shape,
    previous,
    redact: given,
    contextManagement,
    ...rest
  } = guarded(kind, "", () => {
    if (typeof config !== "object" || Array.isArray(config)) {
      throw invalid(kind, "", `expected an object with options, got ${describe(config)}`);
    }
    return { ...config } as Options;
  });
  const hooks = takeHooks(rest, kind);
  takeTools(rest, kind);
  fillServer(rest, kind);
  const options = plain(rest, "", 0, kind) as Options;
  const places = new Map<string, string>();
  if (contents != null) {
    mergeContents(options, contents, places, kind);
  }
  const redact = given == null ? undefined : redactorIn(given, kind);
  if (redact !== undefined && options.sections !== undefined) {
    options.sections = redact.value(options.sections);
  }
  const asked = request === undefined ? undefined : readRequest(request, kind);
  if (contextManagement != null && !isContextManagement(contextManagement)) {
    throw invalid(
      kind,
      "contextManagement",
      `expected an object or a list of objects, got ${describe(contextManagement)}`,
    );
  }
  return {
    ...(contextManagement == null
      ? {}
      : {
          // Cloned into an ordinary object, like the body's other parts.
          contextManagement: structuredClone(
            plain(contextManagement, "contextManagement", 0, kind),
          ) as ContextManagement,
        }),
    request: redact === undefined || asked == null ? asked : redact.messages([asked], 0)[0],
    options,
    hooks,
    signal: signal == null ? undefined : readSignal(signal, kind),
    shape: shapeNameOf(shape, kind),
    previous: previous == null ? undefined : outlineIn(previous, kind),
    redact,
    places,
  };
}

/** Fails if a config has hooks or a signal, which a synchronous call can't use. */
export function refuseHooks({ hooks, signal }: ReadConfig, kind: ErrorKind): void {
  const [hook] = hooks.keys();
  const path = hook ?? (signal && "signal");
  if (path !== undefined) {
    throw new ContextError({
      kind,
      code: "INVALID_CONFIG",
      message: `${path}: a synchronous call can't wait, so it can't use it`,
      path,
      nextAction: "Call buildContext instead: it asks hooks, and can be aborted.",
    });
  }
}

/** Returns the turn that a config is for, for the record of a failure. The config may be any value. */
export function turnOf(config: unknown, clock: number): FailedTurn {
  const read = (name: "sessionId" | "turnId" | "now"): unknown => {
    try {
      return (config as Options | null | undefined)?.[name];
    } catch {
      return undefined;
    }
  };
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  let timestampMs: number | null = null;
  try {
    timestampMs = momentOf(read("now"), clock);
  } catch {
    // The clock can't be read, for example from a revoked proxy. The moment stays unknown.
  }
  return { sessionId: text(read("sessionId")), turnId: text(read("turnId")), timestampMs };
}

function momentOf(now: unknown, clock: number): number | null {
  if (now == null) {
    return clock;
  }
  // The engine reads a time without an offset as UTC, so this does too.
  const isLocal = typeof now === "string" && /\d[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?$/.test(now);
  const text = typeof now === "string" ? Date.parse(isLocal ? `${now}Z` : now) : Number.NaN;
  const moment = now instanceof Date || typeof now === "number" ? Number(now) : text;
  return Number.isFinite(moment) ? moment : null;
}

function readRequest(request: unknown, kind: ErrorKind): MessageInput | null {
  if (request === null || request === "") {
    return null;
  }
  if (typeof request === "string") {
    return { role: "user", content: request };
  }
  return guarded(kind, "request", () => {
    if (typeof request !== "object" || request === null || Array.isArray(request)) {
      const problem = `expected a text or a message, got ${describe(request)}`;
      throw invalid(kind, "request", problem, undefined, "Pass a string or a message.");
    }
    const message = request as MessageInput;
    // A message in another format may name its speaker in a different field.
    const isOpen = message.role === undefined && formatOf(request as UnknownRecord) === ownFormat();
    return isOpen ? { ...message, role: "user" } : message;
  });
}

/** Reads a signal of any realm or library. */
export function readSignal(signal: unknown, kind: ErrorKind): AbortSignal {
  return guarded(kind, "signal", () => {
    const { aborted, addEventListener, removeEventListener } = signal as AbortSignal;
    const isSignal =
      typeof aborted === "boolean" &&
      typeof addEventListener === "function" &&
      typeof removeEventListener === "function";
    if (!isSignal) {
      throw invalid(kind, "signal", `expected an AbortSignal, got ${describe(signal)}`);
    }
    return watched(signal as AbortSignal);
  });
}

/**
 * Wraps the caller's signal in one that never throws. The original may throw at any time, even in the middle of a wait.
 * One that can't be read counts as not aborted.
 */
function watched(signal: AbortSignal): AbortSignal {
  const look = <T>(read: () => T, otherwise: T): T => {
    try {
      return read();
    } catch {
      return otherwise;
    }
  };
  return {
    get aborted() {
      return look(() => signal.aborted === true, false);
    },
    get reason() {
      return look(() => signal.reason as unknown, undefined);
    },
    addEventListener: (type: string, listener: () => void) =>
      look(() => signal.addEventListener(type, listener), undefined),
    removeEventListener: (type: string, listener: () => void) =>
      look(() => signal.removeEventListener(type, listener), undefined),
  } as AbortSignal;
}

/** Takes the hooks out of a copy of the config. Groups with hooks become copies too. */
function takeHooks(rest: Options, kind: ErrorKind): Hooks {
  const hooks = new Map<HookName, (...question: readonly unknown[]) => unknown>();
  const given = { ...rest };
  const copies = new Map(
    ["recall", "triage", "tiers", "compact"].map((group) => [group, copyOfGroup(rest, group, kind)] as const),
  );
  for (const path of HOOK_NAMES) {
    const [group, name] = path.split(".") as [string, string | undefined];
    const [holder, copy, field] = name === undefined ? [given, rest, group] : [given[group], copies.get(group), name];
    if (copy === undefined) {
      continue;
    }
    // The hook may be a method of a class, so it is called on its object.
    const hook = guarded(kind, path, () => (holder as Options)[field]);
    delete copy[field];
    if (typeof hook === "function") {
      hooks.set(path, (...question) => hook.apply(holder, question));
    } else if (hook != null) {
      throw invalid(
        kind,
        path,
        `expected a function, got ${describe(hook)}`,
        undefined,
        "Pass a function, or leave it out.",
      );
    }
  }
  if (hooks.has("triage.select") && hooks.has("triage.complete")) {
    throw invalid(
      kind,
      "triage.complete",
      "select and complete are two versions of one hook: pass only one of them",
      undefined,
      "Remove triage.select or triage.complete.",
    );
  }
  return hooks;
}

/** Replaces the tools in a copy of the budget with their JSON. */
function takeTools(rest: Options, kind: ErrorKind): void {
  const budget = copyOfGroup(rest, "budget", kind);
  const tools = budget?.tools;
  if (budget === undefined || !Array.isArray(tools)) {
    return;
  }
  const length = guarded(kind, "budget.tools", () => tools.length);
  budget.tools = Array.from({ length }, (_, index) => {
    const path = `budget.tools[${index}]`;
    const text = guarded(kind, path, () => {
      const tool: unknown = tools[index];
      return typeof tool === "string" ? tool : jsonOf(tool);
    });
    return text ?? fail(invalid(kind, path, "has no JSON", undefined, "Pass each tool as an object or as JSON."));
  });
}

/** Fills in the server if the model implies one other than OpenAI's, because messages have another form for it. */
function fillServer(rest: Options, kind: ErrorKind): void {
  const server = rest.model == null ? undefined : serverOf(undefined, rest.model);
  if (server === undefined || server.name === "openai") {
    return;
  }
  const render = rest.render == null ? {} : copyOfGroup(rest, "render", kind);
  const isChat = render !== undefined && (render.provider == null || render.provider === "openai");
  if (isChat && render.server == null) {
    rest.render = { ...render, server: server.name };
  }
}

/** Replaces a group of options with a copy and returns it. Undefined for a missing group. */
function copyOfGroup(rest: Options, name: string, kind: ErrorKind): Options | undefined {
  return guarded(kind, name, () => {
    const group = rest[name];
    if (Object.prototype.toString.call(group) !== "[object Object]") {
      return undefined;
    }
    const copy = { ...(group as Options) };
    rest[name] = copy;
    return copy;
  });
}

/** Copies the contents of sections into the sections. */
function mergeContents(options: Options, contents: unknown, places: Map<string, string>, kind: ErrorKind): void {
  const entries = guarded(kind, "contents", () => {
    if (Object.prototype.toString.call(contents) !== "[object Object]") {
      const problem = `expected an object, got ${describe(contents)}`;
      throw invalid(
        kind,
        "contents",
        problem,
        undefined,
        "Pass an object that maps each section's id to its contents.",
      );
    }
    return Object.entries(contents as Options);
  });
  const sections = (Array.isArray(options.sections) ? options.sections : []) as unknown[];
  const idOf = (section: unknown): unknown => (section as Options | null)?.id;
  for (const [id, given] of entries) {
    const path = `contents.${id}`;
    const content = plain(given ?? null, path, 0, kind);
    const position = sections.findIndex((section) => idOf(section) === id);
    const section = sections[position] as Options | undefined;
    if (section === undefined) {
      const ids = sections.filter(isFillable).map((section) => `"${idOf(section)}"`);
      throw invalid(
        kind,
        path,
        `no section has the id ${describe(id)}; ${ids.length === 0 ? "no section takes contents" : `there are ${ids.join(", ")}`}`,
        undefined,
        "Name a section of kind text, items or recall, or add it to sections.",
      );
    }
    const field = section.kind === "text" ? "text" : "items";
    const fits = content === null || (field === "items" ? Array.isArray(content) : typeof content === "string");
    if (!isFillable(section) || !fits) {
      const takes = field === "text" ? "takes a text" : "takes a list of items";
      throw invalid(
        kind,
        path,
        `the section is of kind ${section.kind}, and ${isFillable(section) ? takes : "takes no contents"}`,
        undefined,
        "Pass a string for kind text, and a list of items or strings for kinds items and recall.",
      );
    }
    delete section[field];
    if (content !== null) {
      section[field] = Array.isArray(content) ? content.map(itemOf) : content;
      places.set(`sections[${position}].${field}`, path);
    }
  }
}

function isFillable(section: unknown): boolean {
  const kind = (section as Options | null)?.kind;
  return kind === "text" || kind === "items" || kind === "recall";
}

function itemOf(item: unknown): unknown {
  return typeof item === "string" ? { text: item } : item;
}

/** Maximum length of a list in a config. A longer one may only claim its length. */
const MAX_LENGTH = 1_000_000;

/** Maximum nesting in a config. A deeper one is cyclic. */
const MAX_DEPTH = 8;

/** Copies plain data. Fails for functions, accessors and cycles. */
function plain(value: unknown, path: string, depth: number, kind: ErrorKind): unknown {
  return guarded(kind, path, () => copyOf(value, path, depth, kind));
}

function copyOf(value: unknown, path: string, depth: number, kind: ErrorKind): unknown {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  if (value instanceof Date) {
    return value.getTime();
  }
  if (typeof value === "function") {
    throw invalid(kind, path, ...noHook(kind, path));
  }
  if (typeof value !== "object" || depth > MAX_DEPTH) {
    const problem = typeof value === "object" ? "is nested too deep, or contains itself" : `is ${typeof value}`;
    throw invalid(kind, path, `${problem}; options are plain data`);
  }
  if (Array.isArray(value)) {
    if (value.length > MAX_LENGTH) {
      throw invalid(kind, path, `has more than ${MAX_LENGTH} elements`);
    }
    // `Array.from` visits holes too; `map` would skip them.
    return Array.from(value, (element, index) => plain(element, `${path}[${index}]`, depth + 1, kind));
  }
  if (Object.prototype.toString.call(value) !== "[object Object]") {
    throw invalid(kind, path, "is an object of a class; options are plain data");
  }
  // The null prototype makes a key like `__proto__` an ordinary option: an unknown one.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, element] of Object.entries(value)) {
    if (element !== undefined) {
      copy[key] = plain(element, path === "" ? key : `${path}.${key}`, depth + 1, kind);
    }
  }
  return copy;
}

/** Describes the error for a function that isn't a hook. */
function noHook(kind: ErrorKind, path: string): [problem: string, cause: undefined, nextAction: string] {
  const nameOf = (hook: string): string => hook.slice(hook.lastIndexOf(".") + 1);
  const name = nearest(nameOf(path).slice(0, MAX_NAME), HOOK_NAMES.map(nameOf), kind);
  const right = HOOK_NAMES.find((hook) => nameOf(hook) === name);
  return right === undefined
    ? ["is a function, but not a hook", undefined, `Hooks are ${HOOK_NAMES.join(", ")}; other options are plain data.`]
    : [`unknown hook; did you mean ${right}?`, undefined, `Rename it to ${right}.`];
}

/** Maximum length of a name that is compared with the right spellings. */
const MAX_NAME = 100;

/** Reads a value whose getter or proxy may throw. */
function guarded<T>(kind: ErrorKind, path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof ContextError ? cause : invalid(kind, path, "could not be read", cause);
  }
}

function fail(failure: ContextError): never {
  throw failure;
}

function invalid(
  kind: ErrorKind,
  path: string,
  problem: string,
  cause?: unknown,
  nextAction = "Pass an object of options as plain data; the reference page lists them.",
): ContextError {
  return new ContextError({
    kind,
    code: "INVALID_CONFIG",
    message: path === "" ? problem : `${path}: ${problem}`,
    path: path === "" ? undefined : path,
    nextAction,
    cause,
  });
}
