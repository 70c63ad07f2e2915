// Request bodies have the types that the packages' own clients accept. Checked by tsc and never run.

import type { MessageParam, TextBlockParam } from "@anthropic-ai/sdk/resources/messages/messages";
import type { Message, SystemContentBlock } from "@aws-sdk/client-bedrock-runtime";
import type { Content } from "@google/genai";
import type { ChatCompletionMessageParam as WebLlmMessage } from "@mlc-ai/web-llm";
import type { ModelMessage as ModelMessage7 } from "ai";
import type { ModelMessage as ModelMessage6 } from "ai-6";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import type { RequestBodies } from "windrow";

declare const bodies: RequestBodies;

export const chat: ChatCompletionMessageParam[] = bodies.openai.messages;
export const items: ResponseInputItem[] = bodies["openai-responses"].input;
export const messages: MessageParam[] = bodies.anthropic.messages;
export const system: string | TextBlockParam[] | undefined = bodies.anthropic.system;
export const converse: Message[] = bodies.bedrock.messages;
export const converseSystem: SystemContentBlock[] | undefined = bodies.bedrock.system;
export const contents: Content[] = bodies.gemini.contents;
export const instructions: Content | undefined = bodies.gemini.systemInstruction;
export const prompts: [ModelMessage6[], ModelMessage7[]] = [bodies["ai-sdk"].messages, bodies["ai-sdk"].messages];
export const inPage: WebLlmMessage[] = bodies["web-llm"].messages;
