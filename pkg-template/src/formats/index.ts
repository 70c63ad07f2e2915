// Every shape of messages that windrow reads in addition to its own. Importing this module provides them; the entry
// `windrow/shapes` does.

import "./dialects.js";
import { publicCall } from "../base/public-call.js";
import type { MessageFormat } from "../message/format.js";
import type { ReadMessage } from "../message/message.js";
import { parse } from "../message/read.js";
import { type ShapeName, shapeNameOf, shapes } from "../message/recognise.js";
import { agUiShape } from "./ag-ui/read.js";
import { uiMessageShape } from "./ai-sdk/ui.js";
import { uiMessage4Shape } from "./ai-sdk/ui-4.js";
import type { AnyMessage } from "./any-message.js";
import { assistantUiShape } from "./assistant-ui/read.js";
import { bedrockShape } from "./bedrock/read.js";
import { geminiContentShape } from "./gemini/read.js";
import { langChainMessageShape } from "./langchain/read.js";
import { mastraShape } from "./mastra/read.js";
import { mcpShape } from "./mcp/read.js";
import { openaiAgentsShape } from "./openai-agents/read.js";
import { openaiResponsesShape } from "./openai-responses/read.js";
import { opencodeShape } from "./opencode/read.js";
import { otelShape } from "./otel/read.js";
import { piShape } from "./pi/read.js";
import { pydanticAiShape } from "./pydantic-ai/read.js";
import { semanticKernelShape } from "./semantic-kernel/read.js";
import { smolagentsShape } from "./smolagents/read.js";
import { tanStackShape } from "./tanstack/read.js";

export type { PlainPart, ReadMessage } from "../message/message.js";
export type { ShapeName } from "../message/recognise.js";
export type { AnyMessage } from "./any-message.js";

/** The formats, in the order of testing a message for them. */
const SHAPES: readonly MessageFormat[] = [
  pydanticAiShape,
  agUiShape,
  assistantUiShape,
  otelShape,
  tanStackShape,
  uiMessageShape,
  uiMessage4Shape,
  geminiContentShape,
  langChainMessageShape,
  openaiAgentsShape,
  openaiResponsesShape,
  mastraShape,
  opencodeShape,
  piShape,
  bedrockShape,
  mcpShape,
  semanticKernelShape,
  smolagentsShape,
];

shapes.provide(SHAPES);

/**
 * The shapes of messages that windrow reads in addition to its own: their names, as the option `shape` takes them, and
 * their titles.
 */
export const messageShapes: readonly { readonly name: ShapeName; readonly title: string }[] = /* @__PURE__ */ listed();

function listed(): typeof messageShapes {
  return Object.freeze(SHAPES.map(({ name, title }) => Object.freeze({ name, title })));
}

/**
 * Returns the content of a message of any format in windrow's own form, for showing, searching or storing it. Fails
 * with `INVALID_TRANSCRIPT` if it can't be read.
 */
export function plainMessage(message: AnyMessage, options?: { readonly shape?: ShapeName | undefined }): ReadMessage {
  const kind = "transcript_error";
  return publicCall(kind, "plainMessage", () => {
    const shape = shapeNameOf(options?.shape, kind);
    return parse(message, "message", kind, { shape }).message;
  });
}
