// The type of a message of any format.

import type { MessageInput } from "../message/message.js";
import type { AgUiMessageShape } from "./ag-ui/read.js";
import type { UiMessageShape } from "./ai-sdk/ui.js";
import type { UiMessage4Shape } from "./ai-sdk/ui-4.js";
import type { AssistantUiMessageShape } from "./assistant-ui/read.js";
import type { BedrockMessageShape } from "./bedrock/read.js";
import type { ChromeMessageShape } from "./chrome/read.js";
import type { GeminiContentShape } from "./gemini/read.js";
import type { LangChainMessageShape } from "./langchain/read.js";
import type { MastraMessageShape } from "./mastra/read.js";
import type { McpMessageShape } from "./mcp/read.js";
import type { AgentsItemShape } from "./openai-agents/read.js";
import type { ResponsesItemShape } from "./openai-responses/read.js";
import type { OpencodeMessageShape } from "./opencode/read.js";
import type { OtelMessageShape } from "./otel/read.js";
import type { PiMessageShape } from "./pi/read.js";
import type { PydanticAiMessageShape } from "./pydantic-ai/read.js";
import type { SemanticKernelMessageShape } from "./semantic-kernel/read.js";
import type { SmolagentsMessageShape } from "./smolagents/read.js";
import type { TanStackModelMessageShape } from "./tanstack/model.js";
import type { TanStackMessageShape } from "./tanstack/read.js";

/** A message of any format that is read. */
export type AnyMessage =
  | MessageInput
  | UiMessageShape
  | ResponsesItemShape
  | AgentsItemShape
  | GeminiContentShape
  | LangChainMessageShape
  | UiMessage4Shape
  | AssistantUiMessageShape
  | MastraMessageShape
  | OpencodeMessageShape
  | PiMessageShape
  | BedrockMessageShape
  | TanStackMessageShape
  | TanStackModelMessageShape
  | OtelMessageShape
  | PydanticAiMessageShape
  | AgUiMessageShape
  | McpMessageShape
  | SemanticKernelMessageShape
  | SmolagentsMessageShape
  | ChromeMessageShape;
