// The public surface.

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
