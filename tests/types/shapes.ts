// Messages of other packages are accepted by their structure, and callers get back the type that they passed. These
// types mirror the relevant parts of the packages', which aren't installed with windrow.

import {
  type AnyMessage,
  type BuiltContext,
  buildContext,
  buildContextSync,
  type ContextMessage,
  countTokens,
  createTranscript,
  memoryStore,
  messageShapes,
  openSession,
  type Session,
  type SessionAppend,
  type ShapeName,
  type Transcript,
} from "windrow";
import { type Equal, isTrue } from "./equal.js";

// The AI SDK's `UIMessage` since version 5.
type UiPart =
  | { type: "text"; text: string; state?: "streaming" | "done" }
  | { type: "reasoning"; text: string; providerMetadata?: Record<string, Record<string, unknown>> }
  | { type: "file"; mediaType: string; filename?: string; url: string }
  | { type: "step-start" }
  | { type: `data-${string}`; id?: string; data: unknown }
  | ({ type: `tool-${string}`; toolCallId: string } & (
      | { state: "input-available"; input: unknown; output?: never; errorText?: never }
      | { state: "output-available"; input: unknown; output: unknown; errorText?: never }
    ));
interface UiMessage<Metadata = unknown> {
  id: string;
  role: "system" | "user" | "assistant";
  metadata?: Metadata;
  parts: Array<UiPart>;
}

// Bedrock's Converse, TanStack AI's `UIMessage`, and OpenTelemetry's conventions.
type ConverseBlock =
  | { text: string; toolUse?: never; $unknown?: never }
  | {
      text?: never;
      toolUse: { toolUseId: string | undefined; name: string | undefined; input: unknown };
      $unknown?: never;
    }
  | { text?: never; toolUse?: never; $unknown: [string, unknown] };
interface ConverseMessage {
  role: "user" | "assistant" | "system" | undefined;
  content: ConverseBlock[] | undefined;
}
interface TanStackMessage {
  id: string;
  role: "system" | "user" | "assistant";
  parts: Array<{ type: "text"; content: string } | { type: "tool-call"; id: string; name: string; arguments: string }>;
  createdAt?: Date;
}
interface KernelMessage {
  Role: { Label: string };
  AuthorName?: string;
  Items: { $type: string; Text?: string }[];
}
interface SmolagentsMessage {
  role: "user" | "assistant" | "system" | "tool-call" | "tool-response";
  content: { type: "text"; text: string }[];
}
interface OtelMessage {
  role: string;
  parts: { type: "text"; content: string }[];
  finish_reason?: string;
}

// The AI SDK's `UIMessage` of version 4, and Mastra's `MastraDBMessage`.
interface UiMessage4 {
  id: string;
  createdAt?: Date;
  role: "system" | "user" | "assistant" | "data";
  content: string;
  reasoning?: string;
  experimental_attachments?: { name?: string; contentType?: string; url: string }[];
  annotations?: unknown[];
  toolInvocations?: ({ state: "call" | "result"; toolCallId: string; toolName: string } & Record<string, unknown>)[];
  parts: ({ type: "text"; text: string } | { type: "tool-invocation"; toolInvocation: object })[];
}
interface MastraMessage {
  id: string;
  role: "user" | "assistant" | "system" | "signal";
  createdAt: Date;
  threadId?: string;
  resourceId?: string;
  type?: string;
  content: { format: 2; parts: ({ type: "text"; text: string } | { type: "step-start" })[]; content?: string };
}

// assistant-ui's `ThreadMessage`.
interface ThreadMessage {
  readonly id: string;
  readonly createdAt: Date;
  readonly role: "system" | "user" | "assistant";
  readonly content: readonly ({ readonly type: "text"; readonly text: string } | { readonly type: "tool-call" })[];
  readonly status?: { readonly type: "running" } | { readonly type: "complete"; readonly reason: "stop" };
  readonly attachments?: readonly { readonly id: string; readonly content: { readonly type: "text" }[] }[];
  readonly metadata: { readonly custom: Record<string, unknown> };
}

// Gemini's `Content`: a class of optional fields.
interface GeminiPart {
  text?: string;
  thought?: boolean;
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> };
  functionResponse?: { id?: string; name?: string; response?: Record<string, unknown> };
}
interface GeminiContent {
  parts?: GeminiPart[];
  role?: string;
}

// LangChain messages: instances, and the output of `toDict()` and `toJSON()`.
declare abstract class LangChainMessage {
  abstract readonly type: string;
  lc_namespace: string[];
  id?: string | undefined;
  name?: string | undefined;
  content: string | ({ type: string } & Record<string, unknown>)[];
  additional_kwargs: Record<string, unknown>;
  toJSON(): unknown;
}
declare class LangChainHumanMessage extends LangChainMessage {
  readonly type: "human";
}
interface LangChainStored {
  type: string;
  data: { content: string; role: string | undefined; name: string | undefined; tool_call_id: string | undefined };
}
interface LangChainJson {
  lc: number;
  type: "constructor";
  id: string[];
  kwargs: Record<string, unknown>;
}

// Items of OpenAI's Responses API and of its Agents SDK.
type ResponsesItem =
  | { role: "user" | "assistant" | "system" | "developer"; content: string | ResponsesPart[]; type?: "message" }
  | { type: "function_call"; call_id: string; name: string; arguments: string; id?: string }
  | { type: "function_call_output"; call_id: string; output: string | ResponsesPart[]; id?: string | null }
  | {
      type: "reasoning";
      id: string;
      summary: { type: "summary_text"; text: string }[];
      encrypted_content?: string | null;
    };
type ResponsesPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; detail: "low" | "high" | "auto"; image_url?: string | null; file_id?: string | null };
type AgentsItem =
  | { type?: "message"; role: "user"; content: string | AgentsPart[]; providerData?: Record<string, unknown> }
  | { type: "function_call"; callId: string; name: string; arguments: string; status?: "completed" }
  | { type: "function_call_result"; callId: string; name: string; output: string | { type: "text"; text: string } };
type AgentsPart =
  | { type: "input_text"; text: string; providerData?: Record<string, unknown> }
  | { type: "input_image"; image?: string | { id: string }; detail?: string };

// pi's `AgentMessage`, and opencode's messages.
type PiMessage =
  | { role: "user"; content: string | { type: "text"; text: string }[]; timestamp: number }
  | {
      role: "assistant";
      content: ({ type: "text"; text: string } | PiCall)[];
      api: string;
      stopReason: "stop";
      timestamp: number;
    }
  | {
      role: "toolResult";
      toolCallId: string;
      toolName: string;
      content: { type: "text"; text: string }[];
      timestamp: number;
    };
interface PiCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}
interface OpencodeMessage {
  info:
    | { id: string; sessionID: string; role: "user"; time: { created: number } }
    | {
        id: string;
        sessionID: string;
        role: "assistant";
        time: { created: number; completed?: number };
        error?: object;
      };
  parts: (
    | { id: string; type: "text"; text: string }
    | { id: string; type: "tool"; callID: string; tool: string; state: object }
  )[];
}

// The AI SDK's `ModelMessage`, and Anthropic's messages.
type ModelMessage =
  | {
      role: "user";
      content: string | ({ type: "text"; text: string } | { type: "file"; data: string | URL; mediaType: string })[];
    }
  | {
      role: "assistant";
      content: (
        | { type: "text" | "reasoning"; text: string }
        | { type: "tool-call"; toolCallId: string; toolName: string; input: unknown }
        | { type: "tool-approval-request"; approvalId: string; toolCallId: string }
      )[];
    }
  | {
      role: "tool";
      content: (
        | { type: "tool-result"; toolCallId: string; toolName: string; output: { type: "text"; value: string } }
        | { type: "tool-approval-response"; approvalId: string; approved: boolean; reason?: string }
      )[];
    };
interface AnthropicMessage {
  role: "user" | "assistant";
  content: string | AnthropicBlock[];
}
type AnthropicBlock =
  | { type: "text"; text: string; citations?: object[] | null; cache_control?: { type: "ephemeral" } | null }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use" | "server_tool_use"; id: string; name: string; input: unknown }
  | {
      type: "tool_result";
      tool_use_id: string;
      content?: string | ({ type: "text"; text: string } | { type: "tool_reference" })[];
    }
  | { type: "web_search_tool_result"; tool_use_id: string; content: object }
  | { type: "search_result"; title: string; source: string; content: { type: "text"; text: string }[] }
  | { type: "container_upload"; file_id: string };

// Each comes back from every call with its own type.
async function comeBack<M extends AnyMessage>(messages: M[]): Promise<BuiltContext<M>> {
  const session: Session<M> = await openSession<M>("main", { store: memoryStore() });
  const appended: SessionAppend<M> = await session.append(messages);
  const transcript: Transcript<M> = createTranscript<M>(appended.messages);
  countTokens(transcript.messages);
  const context: BuiltContext<M> = await session.build();
  context.kept satisfies readonly M[];
  return context;
}

const ui = await buildContext([] as UiMessage<{ starred: boolean }>[]);
isTrue<Equal<typeof ui, BuiltContext<UiMessage<{ starred: boolean }>, "messages", never>>>();
isTrue<Equal<typeof ui.kept, UiMessage<{ starred: boolean }>[]>>();
isTrue<Equal<typeof ui.messages, UiMessage<{ starred: boolean }>[]>>();
ui.kept[0]?.metadata?.starred;
const ui4 = buildContextSync([] as UiMessage4[]);
isTrue<Equal<typeof ui4.kept, UiMessage4[]>>();
const thread = buildContextSync([] as ThreadMessage[]);
isTrue<Equal<typeof thread.kept, ThreadMessage[]>>();
const mastra = buildContextSync([] as MastraMessage[]);
isTrue<Equal<typeof mastra.kept, MastraMessage[]>>();
const gemini = buildContextSync([] as GeminiContent[]);
isTrue<Equal<typeof gemini.kept, GeminiContent[]>>();
const langchain = buildContextSync([] as LangChainMessage[]);
isTrue<Equal<typeof langchain.kept, LangChainMessage[]>>();
const human = createTranscript([] as LangChainHumanMessage[]);
isTrue<Equal<typeof human, Transcript<LangChainHumanMessage>>>();
const converse = buildContextSync([] as ConverseMessage[]);
isTrue<Equal<typeof converse.kept, ConverseMessage[]>>();
const tanStack = buildContextSync([] as TanStackMessage[]);
isTrue<Equal<typeof tanStack.kept, TanStackMessage[]>>();
const kernel = buildContextSync([] as KernelMessage[]);
isTrue<Equal<typeof kernel.kept, KernelMessage[]>>();
const smolagents = buildContextSync([] as SmolagentsMessage[]);
isTrue<Equal<typeof smolagents.kept, SmolagentsMessage[]>>();
const otel = buildContextSync([] as OtelMessage[]);
isTrue<Equal<typeof otel.kept, OtelMessage[]>>();
const stored = buildContextSync([] as (LangChainStored | LangChainJson)[]);
isTrue<Equal<typeof stored.kept, (LangChainStored | LangChainJson)[]>>();
const responses = buildContextSync([] as ResponsesItem[]);
isTrue<Equal<typeof responses.kept, ResponsesItem[]>>();
const agents = buildContextSync([] as AgentsItem[]);
isTrue<Equal<typeof agents.kept, AgentsItem[]>>();
const pi = buildContextSync([] as PiMessage[]);
isTrue<Equal<typeof pi.kept, PiMessage[]>>();
const opencode = buildContextSync([] as OpencodeMessage[]);
isTrue<Equal<typeof opencode.kept, OpencodeMessage[]>>();
const model = buildContextSync([] as ModelMessage[]);
isTrue<Equal<typeof model.kept, ModelMessage[]>>();
const anthropic = buildContextSync([] as AnthropicMessage[]);
isTrue<Equal<typeof anthropic.kept, AnthropicMessage[]>>();

// The same for sessions and transcripts, and for lists of several types.
const mixed = await comeBack<UiMessage | GeminiContent | OpencodeMessage>([]);
mixed.messages satisfies readonly (UiMessage | GeminiContent | OpencodeMessage | ContextMessage)[];
await comeBack([] as ResponsesItem[]);

// A hook receives the caller's own messages.
await buildContext([] as UiMessage[], {
  triage: {
    select: ({ candidates }) => candidates.filter(({ messages }) => messages[0]?.parts.length).map(({ id }) => id),
  },
});

// The shape may be named.
const [first] = messageShapes;
const name: ShapeName | undefined = first?.name;
buildContextSync([] as GeminiContent[], { shape: "gemini" });
countTokens([] as UiMessage[], { shape: name ?? null });
createTranscript([] as PiMessage[], { shape: name });
// @ts-expect-error: by its name
buildContextSync([] as GeminiContent[], { shape: 5 });
// @ts-expect-error: the list is readonly
messageShapes.push({ name: "own", title: "Own" });

// A value in no known format isn't a message.
interface Note {
  text: string;
  content: { words: string };
}
// @ts-expect-error: nobody knows what this is
buildContextSync([] as Note[]);
// @ts-expect-error: it lacks the parts
buildContextSync([] as Pick<OpencodeMessage, "info">[]);
// @ts-expect-error: a part is an object
buildContextSync([] as { parts: string[] }[]);
