// Kept messages of a context, and the requests made from it, go into calls of the packages that the messages are from,
// without a cast. Checked by tsc and never run.

import { type Message as AgUiMessage, HttpAgent } from "@ag-ui/client";
import Anthropic from "@anthropic-ai/sdk";
import type { ThreadMessage } from "@assistant-ui/core";
import { type Message as BedrockMessage, BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { type Content, GoogleGenAI } from "@google/genai";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { ChatMessage as LlamaIndexMessage, LLM as LlamaIndexModel } from "@llamaindex/core/llms";
import type { AgentMessage, Agent as PiAgent } from "@mariozechner/pi-agent-core";
import type { MastraDBMessage, MessageList } from "@mastra/core/agent";
import type { Mistral } from "@mistralai/mistralai";
import type { ChatCompletionRequestMessage as MistralMessage } from "@mistralai/mistralai/models/components";
import type { MLCEngine, ChatCompletionMessageParam as WebLlmMessage } from "@mlc-ai/web-llm";
import type { CallToolResult, ContentBlock, PromptMessage, SamplingMessage } from "@modelcontextprotocol/client";
import { type AgentInputItem, type Agent as OpenAiAgent, run } from "@openai/agents";
import type { Message as OpencodeMessage, Part as OpencodePart } from "@opencode-ai/sdk";
import {
  convertMessagesToModelMessages,
  type ModelMessage as TanStackMessage,
  type UIMessage as TanStackUiMessage,
} from "@tanstack/ai";
import {
  convertToModelMessages,
  generateText,
  type LanguageModel,
  type ModelMessage,
  streamText,
  type UIMessage,
} from "ai";
import {
  convertToModelMessages as convert5,
  generateText as generate5,
  type LanguageModel as LanguageModel5,
  type ModelMessage as ModelMessage5,
  type UIMessage as UIMessage5,
} from "ai-5";
import {
  convertToModelMessages as convert6,
  generateText as generate6,
  type LanguageModel as LanguageModel6,
  type ModelMessage as ModelMessage6,
  type UIMessage as UIMessage6,
} from "ai-6";
import type { Cohere, CohereClientV2 } from "cohere-ai";
import type { Ollama, Message as OllamaMessage } from "ollama";
import OpenAI from "openai";
import { buildContext, buildContextSync, memoryStore, openSession, type Session } from "windrow";

const openai = new OpenAI();
const anthropic = new Anthropic();
const gemini = new GoogleGenAI({});
const client = new BedrockRuntimeClient();
const budget = { maxTokens: 1000 };
declare const model: LanguageModel;
declare const model5: LanguageModel5;
declare const model6: LanguageModel6;

export async function openAiChat(messages: OpenAI.ChatCompletionMessageParam[]): Promise<void> {
  const { kept, messages: sent, request } = await buildContext(messages, { budget });
  await openai.chat.completions.create({ model: "gpt-5", messages: kept });
  await openai.chat.completions.create({ model: "gpt-5", messages: sent });
  // A request that is a text becomes a user message, which every chat accepts.
  const asked = await buildContext(messages, { budget, request: "And?" });
  await openai.chat.completions.create({ model: "gpt-5", messages: asked.messages });
  await openai.chat.completions.create({ model: "gpt-5", ...asked.request("openai") });
  await openai.responses.create({ model: "gpt-5", ...asked.request("openai-responses") });
  kept.push({ role: "user", content: "one more" });
  void request;
}

export async function openAiResponses(input: OpenAI.Responses.ResponseInputItem[]): Promise<void> {
  const context = await buildContext(input, { budget });
  await openai.responses.create({ model: "gpt-5", input: context.kept });
  await openai.responses.create({ model: "gpt-5", input: context.messages });
  await openai.responses.create({ model: "gpt-5", ...context.request("openai-responses") });
  const contextManagement = [{ type: "compaction", compact_threshold: 200_000 }];
  await openai.responses.create({ model: "gpt-5", ...context.request("openai-responses", { contextManagement }) });
}

export async function openAiAgents(items: AgentInputItem[], agent: OpenAiAgent): Promise<void> {
  const context = await buildContext(items, { budget });
  await run(agent, context.kept);
  await run(agent, context.messages);
}

export async function anthropicMessages(messages: Anthropic.MessageParam[]): Promise<void> {
  const context = await buildContext(messages, { budget, request: "And?" });
  await anthropic.messages.create({ model: "claude-opus-5", max_tokens: 1000, messages: context.kept });
  await anthropic.messages.create({ model: "claude-opus-5", max_tokens: 1000, messages: context.messages });
  await anthropic.messages.create({ model: "claude-opus-5", max_tokens: 1000, ...context.request("anthropic") });
}

/** Bound thinking, the provider's own clearing, and late instructions are fields of the beta API. */
export async function anthropicBeta(messages: Anthropic.Beta.BetaMessageParam[]): Promise<void> {
  const edits = [{ type: "clear_tool_uses_20250919" as const }];
  const config = { budget, model: "claude-opus-5-5", contextManagement: { edits } };
  const context = await buildContext(messages, config);
  const body = context.request("anthropic", { onPrefixMismatch: "drop_block" });
  const betas = ["thinking-binding-controls-2026-08-01", "context-management-2025-06-27"];
  await anthropic.beta.messages.create({ model: "claude-opus-5-5", max_tokens: 1000, betas, ...body });
  await anthropic.beta.messages.create({ model: "claude-opus-5-5", max_tokens: 1000, messages: context.kept });
}

export async function geminiContents(contents: Content[]): Promise<void> {
  const context = await buildContext(contents, { budget });
  await gemini.models.generateContent({ model: "gemini-3-pro", contents: context.kept });
  await gemini.models.generateContent({ model: "gemini-3-pro", contents: context.messages });
  const { systemInstruction, contents: sent } = context.request("gemini");
  const config = systemInstruction === undefined ? {} : { systemInstruction };
  await gemini.models.generateContent({ model: "gemini-3-pro", contents: sent, config });
}

export async function aiSdk(messages: ModelMessage[], shown: UIMessage[]): Promise<void> {
  const context = await buildContext(messages, { budget, request: "And?" });
  await generateText({ model, messages: context.kept });
  await generateText({ model, messages: context.messages });
  streamText({ model, ...context.request("ai-sdk") });
  const page = buildContextSync(shown, { budget });
  await convertToModelMessages(page.kept);
  await convertToModelMessages(page.messages);
}

export async function aiSdk6(messages: ModelMessage6[], shown: UIMessage6[]): Promise<void> {
  const context = await buildContext(messages, { budget });
  await generate6({ model: model6, messages: context.kept });
  await generate6({ model: model6, messages: context.messages });
  await generate6({ model: model6, ...context.request("ai-sdk") });
  await convert6(buildContextSync(shown, { budget }).messages);
}

export async function aiSdk5(messages: ModelMessage5[], shown: UIMessage5[]): Promise<void> {
  const context = await buildContext(messages, { budget });
  await generate5({ model: model5, messages: context.kept });
  await generate5({ model: model5, messages: context.messages });
  convert5(buildContextSync(shown, { budget }).kept);
}

export async function langChain(messages: BaseMessage[], chat: BaseChatModel): Promise<void> {
  const context = await buildContext(messages, { budget });
  await chat.invoke(context.kept);
  await chat.invoke(context.messages);
}

export function pi(messages: AgentMessage[], agent: PiAgent): void {
  const context = buildContextSync(messages, { budget });
  agent.state.messages = context.kept;
  agent.state.messages = context.messages;
}

export function mastra(messages: MastraDBMessage[], list: MessageList): void {
  const context = buildContextSync(messages, { budget });
  list.add(context.kept, "memory");
  list.add(context.messages, "memory");
}

export function assistantUi(messages: ThreadMessage[]): ThreadMessage[] {
  const context = buildContextSync(messages, { budget });
  return [...context.kept, ...context.messages];
}

export async function bedrock(messages: BedrockMessage[]): Promise<void> {
  const context = await buildContext(messages, { budget });
  const modelId = "anthropic.claude-opus-5";
  await client.send(new ConverseCommand({ modelId, messages: context.kept }));
  await client.send(new ConverseCommand({ modelId, messages: context.messages }));
  const asked = await buildContext(messages, { budget, request: "And?" });
  await client.send(new ConverseCommand({ modelId, ...asked.request("bedrock") }));
}

export async function webLlm(engine: MLCEngine, messages: WebLlmMessage[]): Promise<void> {
  const context = await buildContext(messages, { budget });
  await engine.chat.completions.create({ messages: context.kept });
  await engine.chat.completions.create({ ...context.request("web-llm") });
}

export async function tanStack(messages: TanStackMessage[], shown: TanStackUiMessage[]): Promise<TanStackMessage[]> {
  const page = await buildContext(shown, { budget });
  return [...buildContextSync(messages, { budget }).kept, ...convertMessagesToModelMessages(page.kept)];
}

export async function opencode(messages: { info: OpencodeMessage; parts: OpencodePart[] }[]): Promise<typeof messages> {
  return (await buildContext(messages, { budget })).kept;
}

export async function llamaIndex(messages: LlamaIndexMessage[], llm: LlamaIndexModel): Promise<void> {
  const context = await buildContext(messages, { budget });
  await llm.chat({ messages: context.kept });
  await llm.chat({ messages: context.messages });
}

export function agUi(messages: AgUiMessage[]): void {
  const context = buildContextSync(messages, { budget });
  new HttpAgent({ url: "https://example.org" }).setMessages(context.kept);
}

export function mcp(prompts: PromptMessage[], samples: SamplingMessage[]): [PromptMessage[], SamplingMessage[]] {
  return [buildContextSync(prompts, { budget }).kept, buildContextSync(samples, { budget }).kept];
}

/** A tool's result is the output of a result in windrow's own form. */
export function mcpResult(toolCallId: string, output: CallToolResult): ContentBlock[] {
  const messages = [{ role: "tool" as const, content: [{ type: "tool-result" as const, toolCallId, output }] }];
  return buildContextSync(messages, { budget }).kept.flatMap(({ content }) => content[0]?.output.content ?? []);
}

export async function mistral(messages: MistralMessage[], client: Mistral): Promise<void> {
  const { kept } = await buildContext(messages, { budget });
  await client.chat.complete({ model: "mistral-large-latest", messages: kept });
}

export async function cohere(messages: Cohere.ChatMessageV2[], client: CohereClientV2): Promise<void> {
  const { kept } = await buildContext(messages, { budget });
  await client.chat({ model: "command-a-03-2025", messages: kept });
}

export async function ollama(messages: OllamaMessage[], client: Ollama): Promise<void> {
  const { kept } = await buildContext(messages, { budget });
  await client.chat({ model: "qwen3", messages: kept });
}

export async function sessions(): Promise<void> {
  const session: Session<UIMessage> = await openSession("chat", { store: memoryStore() });
  const context = await session.build({ budget });
  await convertToModelMessages(context.messages);
}
