// The public surface.

// Transcripts can be disposed of by `using`; a reader of the declarations needs to know what that is.
/// <reference lib="esnext.disposable" preserve="true" />

export { buildContext, buildContextSync } from "./build.js";
export type { Contents, ContextConfig, InFormat, SyncContextConfig } from "./config.js";
export { type BuildRecording, BuiltContext, type ContextMessage, type Explanation } from "./context.js";
export { loadEncoding, type Vocabulary } from "./encodings.js";
export { ContextError, type ErrorKind, type FailureRecord, type LoadErrorCode, type StoreErrorCode } from "./errors.js";
export type * from "./generated.js";
export type {
  Chosen,
  CompleteHook,
  ConversationToSummarize,
  CountTokensHook,
  EmbedHook,
  HookDetails,
  RecalledInput,
  RecallHooks,
  RecallQuestion,
  SearchHook,
  SelectHook,
  SummarizeHook,
  SummarizeQuestion,
  TierHooks,
  TriageCandidate,
  TriageHooks,
  TriageQuestion,
} from "./hooks.js";
export type { MediaFacts, MediaSource, MessageInput, PartInput, ToolCallInput } from "./messages.js";
export { type ParsedTranscript, parseTranscript, type SkippedRow } from "./parse.js";
export { type Presets, presets, searchFirst } from "./presets.js";
export { type Difference, type Replay, replay } from "./replay.js";
export { type OverallLimits, type RetentionLimits, retain } from "./retention.js";
export { type SearchHit, type SearchOptions, type StoreSearchOptions, searchSessions } from "./search.js";
export {
  type ExportOptions,
  type ImportOptions,
  type KeptBuild,
  openSession,
  Session,
  type SessionAppend,
  type SessionChange,
  type SessionImport,
  type SessionOptions,
  type SessionRange,
} from "./session.js";
export { knownShapes, type Shape } from "./shapes.js";
export type * from "./stores/contract.js";
export { memoryStore } from "./stores/memory.js";
export {
  type LayerQuery,
  type MemoryLayer,
  messageOfTask,
  messagesOfTasks,
  type PythonTaskInput,
  queryLayer,
  type TaskInput,
} from "./tasks.js";
export { type CountOptions, countTokens, type TokenCount } from "./tokens.js";
export { createTranscript, Transcript } from "./transcript.js";
