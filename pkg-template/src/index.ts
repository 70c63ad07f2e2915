// The public names that every entry has. `load/whole.ts` has those of the parts that `windrow/slim` fetches, too.

// Transcripts can be disposed of by `using`; a reader of the declarations needs to know what that is.
/// <reference lib="esnext.disposable" preserve="true" />

import "./base/hosts.js";

export {
  ContextError,
  type ErrorKind,
  type FailureRecord,
  type LoadErrorCode,
  type RequestErrorCode,
  type StoreErrorCode,
} from "./base/errors.js";
export type * from "./base/generated.js";
/** Every way to count tokens: the encodings by their names, and `estimate`. */
/** What the user says first where a provider takes no other beginning. */
export { EARLIER_MESSAGES, ENCODINGS as encodings } from "./base/generated.js";
export { buildContext, buildContextSync } from "./build/build.js";
export { type BuildRecording, BuiltContext, type ContextMessage, type Explanation } from "./build/context.js";
export type { CacheBreakpoint, PrefixDifference, PrefixReport } from "./build/prefix.js";
export { type Presets, presets, type Relevant, type Steady, searchFirst } from "./build/presets.js";
export { type Difference, type Replay, replay } from "./build/replay.js";
export { type CountOptions, countTokens, type TokenCount } from "./build/tokens.js";
export { loadEncoding, type Vocabulary } from "./engine/encodings.js";
export { loadSelection } from "./engine/selection.js";
export type { AiSdkBody } from "./providers/ai-sdk.js";
export type { AnthropicBody } from "./providers/anthropic.js";
export type { GeminiBody } from "./providers/gemini.js";
export type { ProviderName, RequestBodies } from "./providers/index.js";
export type { OpenAiBody } from "./providers/openai.js";
export type { ResponsesBody } from "./providers/openai-responses.js";
export type { Problem } from "./providers/provider.js";
export type { Contents, ContextConfig, InFormat, SyncContextConfig } from "./read/config.js";
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
} from "./read/hooks.js";
export type { MediaFacts, MediaSource, MessageInput, PartInput, Provenance, ToolCallInput } from "./read/message.js";
export type { PromptOutline } from "./read/outline.js";
export { type ParsedConversation, type ParsedTranscript, parseTranscript, type SkippedRow } from "./read/parse.js";
export type { PlainPart, ReadMessage } from "./read/plain.js";
export type { AnyMessage, ShapeName } from "./read/shapes/index.js";
export {
  type LayerQuery,
  type MemoryLayer,
  messageOfTask,
  messagesOfTasks,
  type PythonTaskInput,
  queryLayer,
  type TaskInput,
} from "./read/tasks.js";
export { createTranscript, Transcript } from "./read/transcript.js";
export { type OverallLimits, type RetentionLimits, retain } from "./session/retention.js";
export { type SearchHit, type SearchOptions, type StoreSearchOptions, searchSessions } from "./session/search.js";
export {
  type ExportOptions,
  type ImportedConversation,
  type ImportOptions,
  type KeptBuild,
  openSession,
  Session,
  type SessionAppend,
  type SessionChange,
  type SessionImport,
  type SessionOptions,
  type SessionRange,
} from "./session/session.js";
export type * from "./stores/contract.js";
export { memoryStore } from "./stores/memory.js";
