// Every shape of messages that is read beside windrow's own. Whoever imports this has them: the entry `windrow/shapes`.

import { uiMessageShape } from "./ai-sdk-ui.js";
import { uiMessage4Shape } from "./ai-sdk-ui-4.js";
import { assistantUiShape } from "./assistant-ui.js";
import { geminiContentShape } from "./gemini.js";
import { type ShapeName, shapes } from "./index.js";
import { langChainMessageShape } from "./langchain.js";
import { mastraShape } from "./mastra.js";
import { openaiAgentsShape } from "./openai-agents.js";
import { openaiResponsesShape } from "./openai-responses.js";
import { opencodeShape } from "./opencode.js";
import { piShape } from "./pi.js";
import type { MessageShape } from "./shape.js";

export { type PlainPart, plainMessage, type ReadMessage } from "../plain.js";
export type { AnyMessage, ShapeName } from "./index.js";

/** In the order in which a message is held against them. */
const SHAPES: readonly MessageShape[] = [
  assistantUiShape,
  uiMessageShape,
  uiMessage4Shape,
  geminiContentShape,
  langChainMessageShape,
  openaiAgentsShape,
  openaiResponsesShape,
  mastraShape,
  opencodeShape,
  piShape,
];

shapes.provide(SHAPES);

/** The shapes of messages that windrow reads beside its own: their names, as the option `shape` takes them, and what they are called. */
export const messageShapes: readonly { readonly name: ShapeName; readonly title: string }[] = /* @__PURE__ */ listed();

function listed(): typeof messageShapes {
  return Object.freeze(SHAPES.map(({ name, title }) => Object.freeze({ name, title })));
}
