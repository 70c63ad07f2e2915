// Hooks fit the types of their packages. Checked by tsc and never run.

import type { RunAgentInput } from "@ag-ui/client";
import type { ThreadHistoryAdapter } from "@assistant-ui/core";
import type { PrepareStepContext, StepConfig } from "@cloudflare/think";
import type { Memory } from "@llamaindex/core/memory";
import type { AgentLoopConfig } from "@mariozechner/pi-agent-core";
import type { Processor } from "@mastra/core/processors";
import type { CallModelInputFilter, SessionInputCallback, Tool } from "@openai/agents";
import type { Plugin } from "@opencode-ai/plugin";
import type { ChatMiddleware, UIMessage as TanStackMessage, ModelMessage as TanStackModelMessage } from "@tanstack/ai";
import type {
  LanguageModelMiddleware as Middleware7,
  PrepareStepFunction as PrepareStep7,
  ToolSet as Tools7,
} from "ai";
import type {
  LanguageModelMiddleware as Middleware5,
  PrepareStepFunction as PrepareStep5,
  ToolSet as Tools5,
} from "ai-5";
import type {
  LanguageModelMiddleware as Middleware6,
  PrepareStepFunction as PrepareStep6,
  ToolSet as Tools6,
} from "ai-6";
import type { AgentMiddleware } from "langchain";
import { buildContextSync, type Session } from "windrow";
import { transformRunInput } from "windrow/ag-ui";
import * as aiSdk from "windrow/ai-sdk";
import { threadHistory } from "windrow/assistant-ui";
import { contextMiddleware } from "windrow/langchain";
import { contextMemory } from "windrow/llamaindex";
import { contextProcessor } from "windrow/mastra";
import { callModelInputFilter, sessionInputCallback } from "windrow/openai-agents";
import { contextHooks } from "windrow/opencode";
import { transformContext } from "windrow/pi";
import * as tanStack from "windrow/tanstack";

declare const session: Session;
const config = { budget: { maxTokens: 1000 } };

export const steps: [PrepareStep5<Tools5>, PrepareStep6<Tools6>, PrepareStep7<Tools7>] = [
  aiSdk.prepareStep(config),
  aiSdk.prepareStep(config),
  aiSdk.prepareStep(config),
];
export const middleware: [Middleware5, Middleware6, Middleware7] = [
  aiSdk.contextMiddleware(config, "v2"),
  aiSdk.contextMiddleware(config, "v3"),
  aiSdk.contextMiddleware(config),
];
export const agent: AgentMiddleware = contextMiddleware(config);
export const filter: CallModelInputFilter = callModelInputFilter(config);
export const filterTools: readonly Tool[] = callModelInputFilter({ ...config, retrieval: true }).tools;
export const callback: SessionInputCallback = sessionInputCallback(config);
export const processor: Processor = contextProcessor(config);
export const transform: NonNullable<AgentLoopConfig["transformContext"]> = transformContext(config);
declare const givenMemory: Memory;
export const memory: Memory = contextMemory(givenMemory, config);
export const beforeStep: (step: PrepareStepContext) => Promise<StepConfig> = aiSdk.prepareStep(config);
export const runInput: (input: RunAgentInput) => Promise<RunAgentInput> = transformRunInput(config);
export const tanStackMiddleware: ChatMiddleware = tanStack.contextMiddleware(config);
export const tanStackMessages: [TanStackMessage[], TanStackModelMessage[]] = [
  buildContextSync([] as TanStackMessage[]).kept as TanStackMessage[],
  buildContextSync([] as TanStackModelMessage[]).kept as TanStackModelMessage[],
];
export const plugin: Plugin = async () => contextHooks(config);
export const history: ThreadHistoryAdapter = threadHistory(session);
