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
  | "token_count_error";

/** What a `ContextError` is made of. */
export interface ContextErrorFields {
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly message: string;
  readonly nextAction: string;
  readonly path?: string | null | undefined;
  readonly needed?: number | null | undefined;
  readonly available?: number | null | undefined;
  readonly cause?: unknown;
}

/** The one error that windrow throws: what went wrong, where, and what to do next. */
export class ContextError extends Error {
  /** Which call failed. */
  readonly kind: ErrorKind;
  /** Which failure it is. Codes are stable; messages may improve. */
  readonly code: ErrorCode;
  /** Where in the input: `budget.maxTokens`, `messages[3].role`. */
  readonly path?: string;
  /** What to do about it, in a sentence. */
  readonly nextAction: string;
  /** Tokens or characters that what must be kept costs; with `BUDGET_TOO_SMALL`. */
  readonly needed?: number;
  /** Tokens or characters that there are for it; with `BUDGET_TOO_SMALL`. */
  readonly available?: number;

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
  }
}
