// The public surface.

// Transcripts can be disposed of by `using`; a reader of the declarations needs to know what that is.
/// <reference lib="esnext.disposable" preserve="true" />

export { buildContext, buildContextSync } from "./build.js";
export type { ContextConfig, FormatOf } from "./config.js";
export { BuiltContext, type ContextMessage, type Explanation } from "./context.js";
export { loadEncoding, type Vocabulary } from "./encodings.js";
export { ContextError, type ErrorKind } from "./errors.js";
export type * from "./generated.js";
export type { MessageInput, PartInput, ToolCallInput } from "./messages.js";
export { type ParsedTranscript, parseTranscript, type SkippedRow } from "./parse.js";
export { type Difference, type Replay, replay } from "./replay.js";
export { type CountOptions, countTokens, type TokenCount } from "./tokens.js";
export { createTranscript, Transcript } from "./transcript.js";
