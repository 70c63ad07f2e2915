import type { ErrorCode } from "./generated.js";

/** Which call failed. */
export type ErrorKind =
  /** `buildContext`, `buildContextSync`, `replay`. */
  | "context_build_error"
  /** `createTranscript`, and the methods of a transcript. */
  | "transcript_error"
  /** `loadEncoding`. */
  | "encoding_error"
  /** `countTokens`. */
  | "token_count_error"
  /** `openSession`, and the methods of a session other than `build`. */
  | "session_error"
  /** A store of sessions. */
  | "store_error"
  /** `init` and `initSync` of `windrow/slim`, a part of the package that it fetches, and the script of a worker. */
  | "load_error";

/** A failure of loading the core. */
export type LoadErrorCode =
  /** The value that was handed over is not windrow's core, or the host does not compile it. */
  | "INVALID_CORE"
  /** The worker's script failed before it answered a call. */
  | "WORKER_FAILED";

/** A failure of making a provider's request. */
export type RequestErrorCode =
  /** The provider does not take what the messages hold, or not in this order. */
  "NOT_SENDABLE";

/** A failure of sessions and stores, beside those of building. */
export type StoreErrorCode =
  /** A session's key, or an argument of one of its methods, is not valid. */
  | "INVALID_SESSION"
  /** There is no such storage here: it is missing, or the host refuses it. */
  | "STORE_UNAVAILABLE"
  /** Another tab holds an older version of the storage open and does not let go of it. */
  | "STORE_BLOCKED"
  /** The storage was made by a newer version of windrow. */
  | "STORE_NEWER"
  /** The storage has the name that was given, and belongs to something else. */
  | "STORE_FOREIGN"
  /** The storage is full. Acknowledged entries are there. */
  | "STORE_QUOTA"
  /** Another append came first. */
  | "STORE_CONFLICT"
  /** The store, or the session, was closed. */
  | "STORE_CLOSED"
  /** The stored data was encrypted with another key, or was changed since. */
  | "STORE_KEY_MISMATCH"
  /** The storage failed otherwise. */
  | "STORE_FAILED";

/** What a `ContextError` is made of. */
export interface ContextErrorFields {
  readonly kind: ErrorKind;
  readonly code: ErrorCode | RequestErrorCode | StoreErrorCode | LoadErrorCode;
  readonly message: string;
  readonly nextAction: string;
  readonly path?: string | null | undefined;
  readonly needed?: number | null | undefined;
  readonly available?: number | null | undefined;
  readonly rule?: string | null | undefined;
  readonly cause?: unknown;
}

/** Which turn a build was for; null where that is not known. */
export interface FailedTurn {
  /** The session that the context was for. */
  readonly sessionId: string | null;
  /** The id of the turn, where the config named it. */
  readonly turnId: string | null;
  /** The clock of the build, in milliseconds since 1970. */
  readonly timestampMs: number | null;
}

/** A failed build as plain data, to be appended to a log. Unknown fields are null. */
export interface FailureRecord extends FailedTurn {
  readonly type: "failure";
  /** The class of the failure. */
  readonly kind: "context_build_error";
  /** The state in which the turn ended. */
  readonly terminal: "failed";
  /** Which failure it is. */
  readonly code: ErrorCode | RequestErrorCode | StoreErrorCode | LoadErrorCode;
  /** What went wrong. */
  readonly message: string;
  /** Where in the input. */
  readonly path: string | null;
  /** How to recover. */
  readonly nextAction: string;
}

/** Marks the line of a stack that has the fields of the error. */
const STACK_MARK = "    windrow: ";

/** The one error that windrow throws: what went wrong, where, and what to do next. */
export class ContextError extends Error {
  /** Which call failed. */
  readonly kind: ErrorKind;
  /** Which failure it is. Codes are stable; messages may improve. */
  readonly code: ErrorCode | RequestErrorCode | StoreErrorCode | LoadErrorCode;
  /** Where in the input: `budget.maxTokens`, `messages[3].role`. */
  readonly path?: string;
  /** What to do about it, in a sentence. */
  readonly nextAction: string;
  /** Tokens or characters that what must be kept costs; with `BUDGET_TOO_SMALL`. */
  readonly needed?: number;
  /** Tokens or characters that there are for it; with `BUDGET_TOO_SMALL`. */
  readonly available?: number;
  /** The rule of the provider that is broken; with `NOT_SENDABLE`. `providers` has what it demands. */
  readonly rule?: string;

  #turn: FailedTurn = { sessionId: null, turnId: null, timestampMs: null };

  constructor(fields: ContextErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = "ContextError";
    this.kind = fields.kind;
    this.code = fields.code;
    this.nextAction = fields.nextAction;
    if (fields.path != null) {
      this.path = fields.path;
    }
    if (fields.needed != null) {
      this.needed = fields.needed;
    }
    if (fields.available != null) {
      this.available = fields.available;
    }
    if (fields.rule != null) {
      this.rule = fields.rule;
    }
    // A structured clone of an error has its message, its stack and its cause alone.
    const { message: _, ...facts } = this.toJSON();
    this.stack = `${this.stack ?? ""}\n${STACK_MARK}${JSON.stringify(facts)}`;
  }

  /**
   * Returns the error that a value is, or was before it was sent: to another realm or worker by a structured clone, by the RPC of Workers, or
   * as the JSON that `toJSON` gives. Undefined for anything else. By the RPC of Workers an error that is thrown keeps its fields with the
   * compatibility flag `enhanced_error_serialization` alone: without it, return `error.toJSON()`.
   */
  // A class that names itself has another name in a bundle.
  static readonly from: (value: unknown) => ContextError | undefined = errorFrom;

  /** The error as plain data, without its cause: `ContextError.from` takes it back. */
  toJSON(): Omit<ContextErrorFields, "cause"> {
    const { kind, code, message, nextAction, path, needed, available, rule } = this;
    return { kind, code, message, nextAction, path, needed, available, rule };
  }

  /** The state in which a failed build leaves its turn; undefined where another call failed. */
  get terminal(): "failed" | undefined {
    return this.kind === "context_build_error" ? "failed" : undefined;
  }

  /** A failed build as plain data, to be appended to a log; undefined where another call failed. */
  get record(): FailureRecord | undefined {
    const { kind, code, message, path = null, nextAction } = this;
    return kind === "context_build_error"
      ? { type: "failure", kind, terminal: "failed", code, message, path, nextAction, ...this.#turn }
      : undefined;
  }

  /** @internal Notes which turn failed. */
  inTurn(turn: FailedTurn): this {
    this.#turn = turn;
    return this;
  }
}

function errorFrom(value: unknown): ContextError | undefined {
  try {
    if (value instanceof ContextError) {
      return value;
    }
    const sent = value as Partial<ContextErrorFields> & { readonly stack?: unknown };
    const stacked = String(sent.stack).split(STACK_MARK).at(-1) as string;
    const facts = typeof sent.code === "string" ? sent : (JSON.parse(stacked) as Partial<ContextErrorFields>);
    const { kind, code, nextAction } = facts;
    const isWhole = [kind, code, nextAction, sent.message].every((field) => typeof field === "string");
    return isWhole
      ? new ContextError({ ...(facts as ContextErrorFields), message: sent.message as string, cause: sent.cause })
      : undefined;
  } catch {
    return undefined;
  }
}
