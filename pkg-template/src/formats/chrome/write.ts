// Requests of Chrome's Prompt API: https://github.com/webmachinelearning/prompt-api
//
// - All instructions are one message, the first. Late ones go there too, or into a marked user text.
// - The browser joins consecutive texts of a message without a space. So they become one text here, separated by a line
//   end.
// - A user's name comes before the text. Other names are left out, and so is reasoning.
// - Images and audio are bytes. The API takes neither addresses nor files.
// - Tool calls and responses are instances of the browser's classes if it has them, and plain objects otherwise.

import { decodeBase64 } from "../../base/base64.js";
import { isRecord } from "../../base/plain-data.js";
import { wellFormed } from "../../base/well-formed.js";
import type { MediaPart, TextPart } from "../../message/message.js";
import type { ParsedMessage } from "../../message/read.js";
import { argumentsOf, fitted, idsOf, type Limit, outcomeOf, wordLimit } from "../request/calls.js";
import { isSpoken, mediaOf, refuse, wordsIn } from "../request/media.js";
import type { RequestTarget } from "../request/provider.js";
import { withSpeakers } from "../request/speakers.js";
import { isBlank } from "../request/text.js";
import { type AnsweredCall, apart, callsIn, type Piece, type RequestTurn, textsOf, turnsOf } from "../request/turns.js";

export type ChromeText = { type: "text"; value: string };
export type ChromeMedia = { type: "image" | "audio"; value: Uint8Array<ArrayBuffer> };
export type ChromeToolCall = {
  type: "tool-call";
  value: { callId: string; name: string; arguments: Record<string, unknown> };
};
export type ChromeToolResponse = {
  type: "tool-response";
  value: { callId: string; name: string } & (
    | { result: (ChromeText | ChromeMedia | { type: "object"; value: object })[] }
    | { errorMessage: string }
  );
};
export type ChromePart = ChromeText | ChromeMedia | ChromeToolCall | ChromeToolResponse;

export interface ChromeMessage {
  role: "system" | "user" | "assistant";
  content: string | ChromePart[];
  /** True if the model continues this message, which is the last one. */
  prefix?: true;
}

/** The prompt in the forms that `LanguageModel.create` and a session's `prompt` take. */
export interface ChromeBody {
  /** All messages except the last. */
  initialPrompts: ChromeMessage[];
  /** The last message. */
  prompt: ChromeMessage[];
}

/** A limit for ids that every model handles. No page states one. */
const ID: Limit = wordLimit(64);

/** Returns the parts of a request that hold messages. */
export function writeChrome(
  messages: readonly ParsedMessage[],
  namesInTexts: boolean,
  { lateInstructions }: RequestTarget = {},
): ChromeBody {
  const { system, others } = apart(withSpeakers(turnsOf(messages), namesInTexts), lateInstructions ?? "top");
  const ids = idsOf(callsIn(others), ID);
  const instructions = system.flatMap(textsOf).map(({ part }) => part.text);
  const written: ChromeMessage[] = [
    ...(instructions.length === 0 ? [] : [{ role: "system" as const, content: instructions.join("\n\n") }]),
    ...others.flatMap((turn) => messageOf(turn, ids)),
  ];
  const whole = wellFormed(written).map(withInstances);
  const prompt = whole.slice(-1).map((last) => (isPrefix(others.at(-1)) ? { ...last, prefix: true as const } : last));
  return { initialPrompts: whole.slice(0, -1), prompt };
}

/** True for an assistant message that the caller marked as the beginning of the reply. */
function isPrefix(turn: RequestTurn | undefined): boolean {
  const given = turn?.kind === "assistant" ? turn.pieces.at(-1)?.source?.given : undefined;
  return isRecord(given) && given.prefix === true;
}

function messageOf(turn: RequestTurn, ids: ReadonlyMap<AnsweredCall, string>): ChromeMessage[] {
  if (turn.kind === "results") {
    const answers = turn.calls
      .filter(({ results }) => results.length > 0)
      .map((call) => responseOf(call.results, ids.get(call) as string, call.part.toolName));
    const { orphan } = turn;
    const alone = orphan && responseOf([orphan], fitted(orphan.part.toolCallId, ID), orphan.part.toolName ?? "");
    const content = [...answers, ...(alone === undefined ? [] : [alone])];
    return content.length === 0 ? [] : [{ role: "user", content }];
  }
  if (turn.kind === "system") {
    return [];
  }
  const parts = joined(turn.pieces.flatMap((piece) => partsOf(piece, turn.kind, ids)));
  const [first, ...more] = parts;
  const isText = first?.type === "text" && more.length === 0;
  return parts.length === 0 ? [] : [{ role: turn.kind, content: isText ? first.value : parts }];
}

function partsOf(piece: Piece, role: "user" | "assistant", ids: ReadonlyMap<AnsweredCall, string>): ChromePart[] {
  const { part, call } = piece;
  if (call !== undefined) {
    const value = {
      callId: ids.get(call) as string,
      name: call.part.toolName,
      arguments: argumentsOf(call).object,
    };
    return [{ type: "tool-call", value }];
  }
  switch (part.type) {
    case "text":
      return textOf(part);
    case "image":
    case "audio":
    case "file":
      return role === "user" && !isSpoken(part)
        ? [mediaPartOf(piece as Piece<MediaPart>)]
        : [{ type: "text", value: wordsIn(piece as Piece<MediaPart>, NAME, TAKEN) }];
    default:
      return []; // the API has no place for reasoning
  }
}

function textOf({ text }: TextPart): ChromeText[] {
  return isBlank(text) ? [] : [{ type: "text", value: text }];
}

/** Joins consecutive texts. */
function joined(parts: readonly ChromePart[]): ChromePart[] {
  const result: ChromePart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last?.type === "text" && part.type === "text") {
      result[result.length - 1] = { type: "text", value: `${last.value}\n${part.value}` };
    } else {
      result.push(part);
    }
  }
  return result;
}

const NAME = "Chrome's Prompt API";
const TAKEN = "images and audio by their bytes, and documents that are texts, from the user and tools";

function mediaPartOf(piece: Piece<MediaPart>): ChromeMedia | ChromeText {
  const media = mediaOf(piece);
  const { kind, base64, text } = media;
  if (text !== undefined) {
    return { type: "text", value: text };
  }
  return kind !== "file" && base64 !== undefined
    ? { type: kind, value: decodeBase64(base64) }
    : refuse(media, NAME, TAKEN);
}

function responseOf(results: AnsweredCall["results"], callId: string, name: string): ChromeToolResponse {
  const { text, object, parts, isError } = outcomeOf(results);
  if (isError && text !== undefined) {
    return { type: "tool-response", value: { callId, name, errorMessage: text } };
  }
  const result =
    object === undefined
      ? joined(
          parts.flatMap((piece) =>
            piece.part.type === "text" ? textOf(piece.part) : [mediaPartOf(piece as Piece<MediaPart>)],
          ),
        )
      : [{ type: "object" as const, value: object }];
  return { type: "tool-response", value: { callId, name, result: result as (ChromeText | ChromeMedia)[] } };
}

type ToolClass = new (value: object) => object;

/**
 * Returns a message whose tool calls and responses are instances of the browser's classes. The API refuses plain
 * objects.
 */
function withInstances(message: ChromeMessage): ChromeMessage {
  return typeof message.content === "string" ? message : { ...message, content: message.content.map(asInstance) };
}

function asInstance(part: ChromePart): ChromePart {
  if (part.type !== "tool-call" && part.type !== "tool-response") {
    return part;
  }
  const outcome = "errorMessage" in part.value ? "Error" : "Success";
  const name = `LanguageModelTool${part.type === "tool-call" ? "Call" : outcome}`;
  const made = (globalThis as Readonly<Record<string, unknown>>)[name];
  return typeof made === "function" ? ({ ...part, value: new (made as ToolClass)(part.value) } as ChromePart) : part;
}
