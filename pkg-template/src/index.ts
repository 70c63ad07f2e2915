// The public names that every entry has. `load/whole.ts` adds those that `windrow/slim` fetches later.

// Transcripts can be disposed of by `using`; a reader of the declarations needs to know what that is.
/// <reference lib="esnext.disposable" preserve="true" />

import "./base/hosts.js";
import "./formats/dialects.js";

export {
  ContextError,
  type ErrorKind,
  type FailureRecord,
  type LoadErrorCode,
  type RequestErrorCode,
  type StoreErrorCode,
} from "./base/errors.js";
export type * from "./base/generated.js";
/**
 * `EARLIER_MESSAGES` is the user's opening text for providers that require the user to begin. `encodings` lists every
 * way to count tokens: the encodings by name, and `estimate`.
 */
export { EARLIER_MESSAGES, ENCODINGS as encodings } from "./base/generated.js";
export type {
  AddingNothing,
  AddsNothing,
  Contents,
  ContextConfig,
  InFormat,
  RequestInput,
  RequestMessage,
  RequestText,
  SyncContextConfig,
} from "./config/config.js";
export type {
  CompactHook,
  CompactHooks,
  CompactQuestion,
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
  TriageChoice,
  TriageHooks,
  TriageQuestion,
} from "./config/hooks.js";
export type { PromptOutline } from "./config/outline.js";
export type { RecordedEdit, RecordedRedaction, Redactor, Restorer } from "./config/redactor.js";
export { buildContext, buildContextSync } from "./context/build.js";
export {
  type BuildRecording,
  BuiltContext,
  type ContextMessage,
  type ContextTokens,
  type Explanation,
} from "./context/context.js";
export type { CacheBreakpoint, PrefixDifference, PrefixReport } from "./context/prefix.js";
export { type Presets, presets, type Relevant, type Steady, searchFirst } from "./context/presets.js";
export { type Difference, type Replay, type ReplayOptions, replay } from "./context/replay.js";
export {
  type Retrieval,
  type RetrievalArguments,
  type RetrievalDefinitions,
  type RetrievalParameters,
  retrievalTool,
} from "./context/retrieval.js";
export {
  type ListedStatement,
  listStatements,
  type Statement,
  type StatementKind,
  type StatementOptions,
} from "./context/statements.js";
export type {
  ServerTokens,
  SourceTokens,
  SpeakerTokens,
  TokensBySource,
  ToolTokens,
} from "./context/token-sources.js";
export { type CountOptions, countTokens, type TokenCount } from "./context/tokens.js";
export { createTranscript, Transcript } from "./context/transcript.js";
export { loadEncoding, type Vocabulary } from "./engine/encodings.js";
export { loadMeaning, type MeaningTable } from "./engine/meaning.js";
export { loadSelection } from "./engine/selection.js";
export {
  type ParsedConversation,
  type ParsedTranscript,
  parseTranscript,
  type SkippedRow,
  type UnreadMessages,
} from "./files/parse.js";
export type { AiSdkBody } from "./formats/ai-sdk/write.js";
export type { AnthropicBody } from "./formats/anthropic/write.js";
export type { AnyMessage } from "./formats/any-message.js";
export type { GeminiBody } from "./formats/gemini/write.js";
export type { OpenAiBody } from "./formats/openai-chat/write.js";
export type { ResponsesBody } from "./formats/openai-responses/write.js";
export { type ContextOverflow, contextOverflowOf, isContextOverflow } from "./formats/request/overflow.js";
export type { Problem } from "./formats/request/provider.js";
export type { ProviderName, RequestBodies } from "./formats/requests.js";
export type { AcceptedMessages } from "./message/accept.js";
export type {
  MediaFacts,
  MediaSource,
  MessageInput,
  PartInput,
  PlainPart,
  Provenance,
  ReadMessage,
  ToolCallInput,
} from "./message/message.js";
export type { ShapeName } from "./message/recognise.js";
export { type OverallLimits, type RetentionLimits, retain } from "./session/retention.js";
export { type SearchHit, type SearchOptions, type StoreSearchOptions, searchSessions } from "./session/search.js";
export {
  type AppendOptions,
  type ExportOptions,
  type Handoff,
  type HandoffFacts,
  type HandoffOptions,
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
export type { SessionStatement, SessionStatementOptions } from "./session/statements.js";
export type * from "./stores/contract.js";
export { memoryStore } from "./stores/memory.js";
