// Every shape of messages that is read beside windrow's own, in the order in which a message is held against them.

import { ContextError, type ErrorKind } from "../../base/errors.js";
import { untilHole } from "../../base/lists.js";
import { describe } from "../../base/options.js";
import { nearest } from "../../engine/nearest.js";
import type { MessageInput } from "../message.js";
import { type UiMessageShape, uiMessageShape } from "./ai-sdk-ui.js";
import { type UiMessage4Shape, uiMessage4Shape } from "./ai-sdk-ui-4.js";
import { type GeminiContentShape, geminiContentShape } from "./gemini.js";
import { type LangChainMessageShape, langChainMessageShape } from "./langchain.js";
import { type MastraMessageShape, mastraShape } from "./mastra.js";
import { type AgentsItemShape, openaiAgentsShape } from "./openai-agents.js";
import { openaiResponsesShape, type ResponsesItemShape } from "./openai-responses.js";
import { type OpencodeMessageShape, opencodeShape } from "./opencode.js";
import { type PiMessageShape, piShape } from "./pi.js";
import { type MessageShape, type Row, recordOf } from "./shape.js";

/** A message of any shape that is read. */
export type AnyMessage =
  | MessageInput
  | UiMessageShape
  | ResponsesItemShape
  | AgentsItemShape
  | GeminiContentShape
  | LangChainMessageShape
  | UiMessage4Shape
  | MastraMessageShape
  | OpencodeMessageShape
  | PiMessageShape;

const SHAPES: readonly MessageShape[] = [
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

/** What the option `shape` calls a shape of messages: one of `messageShapes`. */
export type ShapeName = string;

/** The shapes of messages that windrow reads beside its own: their names, as the option `shape` takes them, and what they are called. */
export const messageShapes: readonly { readonly name: ShapeName; readonly title: string }[] = Object.freeze(
  SHAPES.map(({ name, title }) => Object.freeze({ name, title })),
);

/** The name of a shape as a caller gives it. Fails with `INVALID_CONFIG` where there is none of that name. */
export function shapeNameOf(name: unknown, kind: ErrorKind): ShapeName | undefined {
  const known = SHAPES.find((shape) => shape.name === name);
  if (name == null || known !== undefined) {
    return known?.name;
  }
  const names = SHAPES.map((shape) => shape.name);
  const near = typeof name === "string" ? nearest(name, names, kind) : undefined;
  throw new ContextError({
    kind,
    code: "INVALID_CONFIG",
    message: `shape: there is no shape ${describe(name)}${near === undefined ? "" : `; did you mean ${near}?`}`,
    path: "shape",
    nextAction: `Give one of ${names.join(", ")}, or leave it out: messages are recognised by what they hold.`,
  });
}

/**
 * Fields that a message of another shape has. One with none of them, and none of the roles and parts below, is in windrow's own
 * form, or one of OpenAI's chat messages, Anthropic's or the AI SDK's `ModelMessage`: of these, only the answers of some have a type.
 */
const FOREIGN_FIELDS: ReadonlySet<string> = new Set([
  ...[
    "parts",
    "type",
    "providerData",
    "lc_kwargs",
    "toolInvocations",
    "experimental_attachments",
    "timestamp",
    "stopReason",
  ],
]);
/** Roles that no such message has. */
const FOREIGN_ROLES: ReadonlySet<unknown> = new Set([
  ...["model", "data", "toolResult", "bashExecution", "custom", "branchSummary", "compactionSummary"],
]);
/** Types of parts that none of them has. */
const FOREIGN_PARTS: ReadonlySet<unknown> = new Set(["input_image", "input_file"]);

/** The shape of a message; undefined where it is in windrow's own form, or in none that is known. */
export function shapeOf(message: Row, name?: string): MessageShape | undefined {
  if (name !== undefined) {
    return SHAPES.find((shape) => shape.name === name);
  }
  return isSuspect(message) ? SHAPES.find((shape) => shape.fits(message)) : undefined;
}

/** Whether a message has anything that is not in windrow's own form: a look that costs little. */
function isSuspect(message: Row): boolean {
  const { role, content } = message;
  if (FOREIGN_ROLES.has(role) || (typeof content === "object" && content !== null && !Array.isArray(content))) {
    return true;
  }
  for (const field in message) {
    if (FOREIGN_FIELDS.has(field)) {
      return true;
    }
  }
  return Array.isArray(content) && untilHole(content).some((part) => FOREIGN_PARTS.has(recordOf(part).type));
}
