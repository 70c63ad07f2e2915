// Requests of WebLLM's chat completions, which accept less than OpenAI's: https://github.com/mlc-ai/web-llm
//
// - All instructions are one message, the first. Late ones go there too, or into a marked user text.
// - A message has one text. Several are joined by line ends. The assistant's text may be empty but not null.
// - A user's name comes before the text. Other names are left out, because WebLLM replaces the role with the field
//   `name`.
// - Images are an address or a data URL without a detail, and audio is WAV. Only some models accept them.

import { wellFormed } from "../../base/well-formed.js";
import type { MediaPart } from "../../message/message.js";
import type { ParsedMessage } from "../../message/read.js";
import type { OpenAiToolCall } from "../openai-chat/write.js";
import { argumentsOf, fitted, idsOf, type Limit, outcomeOf, wordLimit } from "../request/calls.js";
import { dataUrl, documentAsText, mediaOf, refuse, webAddress, wordsIn } from "../request/media.js";
import type { RequestTarget } from "../request/provider.js";
import { withSpeakers } from "../request/speakers.js";
import { isBlank } from "../request/text.js";
import { type AnsweredCall, apart, callsIn, type Piece, type RequestTurn, textsOf, turnsOf } from "../request/turns.js";

export type WebLlmPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" } };

export type WebLlmMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | WebLlmPart[] }
  | { role: "assistant"; content: string; tool_calls?: Extract<OpenAiToolCall, { type: "function" }>[] }
  | { role: "tool"; tool_call_id: string; content: string };

/** The prompt's field in a WebLLM request. */
export interface WebLlmBody {
  messages: WebLlmMessage[];
}

/** A limit for ids that every model handles. WebLLM has none. */
const ID: Limit = wordLimit(64);

/** Returns the parts of a request that hold messages. */
export function writeWebLlm(
  messages: readonly ParsedMessage[],
  namesInTexts: boolean,
  { lateInstructions }: RequestTarget = {},
): WebLlmBody {
  const { system, others } = apart(withSpeakers(turnsOf(messages), namesInTexts), lateInstructions ?? "top");
  const ids = idsOf(callsIn(others), ID);
  const instructions = system.flatMap(textsOf).map(({ part }) => part.text);
  return wellFormed({
    messages: [
      ...(instructions.length === 0 ? [] : [{ role: "system" as const, content: instructions.join("\n\n") }]),
      ...others.flatMap((turn) => messagesOf(turn, ids)),
    ],
  });
}

function messagesOf(turn: RequestTurn, ids: ReadonlyMap<AnsweredCall, string>): WebLlmMessage[] {
  switch (turn.kind) {
    case "user":
      return userOf(turn.pieces);
    case "assistant":
      return assistantOf(turn.pieces, ids);
    case "results": {
      const { orphan, calls } = turn;
      return orphan === undefined
        ? calls.flatMap((call) => (call.results.length === 0 ? [] : [resultOf(call.results, ids.get(call) as string)]))
        : [resultOf([orphan], fitted(orphan.part.toolCallId, ID))];
    }
    default:
      return [];
  }
}

function userOf(pieces: readonly Piece[]): WebLlmMessage[] {
  const parts = pieces.flatMap(userPartsOf);
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const media = parts.filter(({ type }) => type !== "text");
  const text = texts.join("\n");
  if (parts.length === 0) {
    return [];
  }
  const content = media.length === 0 ? text : [...(text === "" ? [] : [{ type: "text" as const, text }]), ...media];
  return [{ role: "user", content }];
}

const TAKEN = "images by data or address, and WAV audio by its data, from the user";

function userPartsOf(piece: Piece): WebLlmPart[] {
  if (piece.part.type === "text") {
    return isBlank(piece.part.text) ? [] : [{ type: "text", text: piece.part.text }];
  }
  const media = mediaOf(piece as Piece<MediaPart>);
  const { kind, mediaType, base64, text } = media;
  if (text !== undefined) {
    return [{ type: "text", text }];
  }
  const url = webAddress(media) ?? (base64 && mediaType && dataUrl({ mediaType, base64 }));
  if (kind === "image" && url) {
    return [{ type: "image_url", image_url: { url } }];
  }
  return kind === "audio" && base64 !== undefined && /^audio\/(?:x-)?wave?$/.test(mediaType ?? "")
    ? [{ type: "input_audio", input_audio: { data: base64, format: "wav" } }]
    : refuse(media, "WebLLM", TAKEN);
}

function assistantOf(pieces: readonly Piece[], ids: ReadonlyMap<AnsweredCall, string>): WebLlmMessage[] {
  const texts: string[] = [];
  const calls: Extract<OpenAiToolCall, { type: "function" }>[] = [];
  for (const piece of pieces) {
    const { part, call } = piece;
    if (call !== undefined) {
      const called = { name: call.part.toolName, arguments: argumentsOf(call).text };
      calls.push({ id: ids.get(call) as string, type: "function", function: called });
    } else if (part.type === "text") {
      texts.push(...(isBlank(part.text) ? [] : [part.text]));
    } else if (part.type === "image" || part.type === "audio" || part.type === "file") {
      texts.push(wordsIn(piece as Piece<MediaPart>, "WebLLM", TAKEN));
    }
  }
  const content = texts.join("\n");
  return content === "" && calls.length === 0
    ? []
    : [{ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}

function resultOf(results: AnsweredCall["results"], id: string): WebLlmMessage {
  const { text, parts } = outcomeOf(results, documentAsText);
  const media = parts.find(({ part }) => part.type !== "text");
  return text === undefined && media !== undefined
    ? refuse(mediaOf(media as Piece<MediaPart>), "WebLLM", TAKEN)
    : { role: "tool", tool_call_id: id, content: text ?? "" };
}
