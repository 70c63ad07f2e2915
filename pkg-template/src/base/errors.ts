import type { ErrorCode } from "./generated.js";

/** The call that failed. */
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
  /** The value passed isn't windrow's core, or the host can't compile it. */
  | "INVALID_CORE"
  /** The worker's script failed before it answered a call. */
  | "WORKER_FAILED";

/** A failure to make a provider's request. */
export type RequestErrorCode =
  /** The provider doesn't accept these messages, or not in this order. */
  "NOT_SENDABLE";

/** A failure of sessions and stores, in addition to those of building. */
export type StoreErrorCode =
  /** A session's key, or an argument of one of its methods, isn't valid. */
  | "INVALID_SESSION"
  /** This host has no such storage, or refuses access to it. */
  | "STORE_UNAVAILABLE"
  /** Another tab holds an older version of the storage open and doesn't release it. */
  | "STORE_BLOCKED"
  /** A newer version of windrow made the storage. */
  | "STORE_NEWER"
  /** The storage with this name belongs to another program. */
  | "STORE_FOREIGN"
  /** The storage is full. Acknowledged entries are safe. */
  | "STORE_QUOTA"
  /** Another append came first. */
  | "STORE_CONFLICT"
  /** The store, or the session, was closed. */
  | "STORE_CLOSED"
  /** The stored data was encrypted with another key, or has been changed since. */
  | "STORE_KEY_MISMATCH"
  /** The storage failed for another reason. */
  | "STORE_FAILED";

/** The fields of a `ContextError`. */
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

/** The turn that a build was for. Unknown fields are null. */
export interface FailedTurn {
  /** The session that the context was for. */
  readonly sessionId: string | null;
  /** The id of the turn, if the config has one. */
  readonly turnId: string | null;
  /** The build's clock, in milliseconds since 1970. */
  readonly timestampMs: number | null;
}

/** A failed build as plain data, for appending to a log. Unknown fields are null. */
export interface FailureRecord extends FailedTurn {
  readonly type: "failure";
  /** The class of the failure. */
  readonly kind: "context_build_error";
  /** The final state of the turn. Always "failed". */
  readonly terminal: "failed";
  /** The code of the failure. */
  readonly code: ErrorCode | RequestErrorCode | StoreErrorCode | LoadErrorCode;
  /** The error's message. */
  readonly message: string;
  /** The place in the input, such as `budget.maxTokens`. */
  readonly path: string | null;
  /** A sentence that says how to recover. */
  readonly nextAction: string;
}

/** Marks the line of a stack that carries the error's fields. */
const STACK_MARK = "    windrow: ";

/** The only error that windrow throws. Has the problem, its place in the input, and the next step. */
export class ContextError extends Error {
  /** The call that failed. */
  readonly kind: ErrorKind;
  /** The code of the failure. Codes are stable; messages may improve. */
  readonly code: ErrorCode | RequestErrorCode | StoreErrorCode | LoadErrorCode;
  /** The place in the input: `budget.maxTokens`, `messages[3].role`. */
  readonly path?: string;
  /** A sentence that says what to do about it. */
  readonly nextAction: string;
  /** The cost of everything that must be kept, in tokens or characters. Only with `BUDGET_TOO_SMALL`. */
  readonly needed?: number;
  /** The tokens or characters available. Only with `BUDGET_TOO_SMALL`. */
  readonly available?: number;
  /** The provider's rule that the request breaks. Only with `NOT_SENDABLE`. `providers` says what each rule demands. */
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
    // A structured clone of an error keeps only its message, stack and cause.
    const { message: _, ...facts } = this.toJSON();
    this.stack = `${this.stack ?? ""}\n${STACK_MARK}${JSON.stringify(facts)}`;
  }

  /**
   * Returns the `ContextError` that a value is, or was before it crossed to another realm or worker: as a structured
   * clone, through the RPC of Workers, or as the JSON from `toJSON`. Returns undefined for anything else. Errors thrown
   * through the RPC of Workers keep their fields only with the compatibility flag `enhanced_error_serialization`.
   * Without it, return `error.toJSON()`.
   */
  // A class that refers to itself gets another name in a bundle.
  static readonly from: (value: unknown) => ContextError | undefined = errorFrom;

  /** Returns the error as plain data, without its cause. `ContextError.from` reads it back. */
  toJSON(): Omit<ContextErrorFields, "cause"> {
    const { kind, code, message, nextAction, path, needed, available, rule } = this;
    return { kind, code, message, nextAction, path, needed, available, rule };
  }

  /** The final state of a failed build's turn. Undefined if another call failed. */
  get terminal(): "failed" | undefined {
    return this.kind === "context_build_error" ? "failed" : undefined;
  }

  /** The failed build as plain data, for appending to a log. Undefined if another call failed. */
  get record(): FailureRecord | undefined {
    const { kind, code, message, path = null, nextAction } = this;
    return kind === "context_build_error"
      ? { type: "failure", kind, terminal: "failed", code, message, path, nextAction, ...this.#turn }
      : undefined;
  }

  /** @internal Records which turn failed. */
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
