// Requests of OpenAI's chat completions, and of the many servers with the same API.
//
// - Instructions stay in their place, with their role. Nothing comes between a call and its results; messages from
//   there move after the results.
// - A valid name goes into the field `name`. A user's other name comes before the text, and anyone else's is left out.
// - Reasoning is left out, because OpenAI's request has no place for it. A server that has a place gets reasoning
//   unless something proves that it is another provider's.
// - An OpenAI-compatible server gets back the fields it set on the assistant's messages. OpenAI never gets fields that
//   it doesn't know.
// - Messages of one role stay separate, except the assistant's from a call on.

import { isRecord } from "../../base/plain-data.js";
import { wellFormed } from "../../base/well-formed.js";
import { makerOf } from "../../message/columns.js";
import type { UnknownRecord } from "../../message/format.js";
import { MalformedMessage } from "../../message/malformed.js";
import type { MediaPart, TextPart } from "../../message/message.js";
import type { ParsedMessage } from "../../message/read.js";
import {
  argumentsOf,
  customInputOf,
  fitted,
  idsOf,
  type Limit,
  outcomeOf,
  parsedObject,
  wordLimit,
} from "../request/calls.js";
import { dataUrl, documentAsText, mediaOf, refuse, webAddress, wordsIn } from "../request/media.js";
import type { RequestTarget } from "../request/provider.js";
import { type FieldSchema, knownFieldsIn } from "../request/schema.js";
import { isWord, NAME, withSpeakers } from "../request/speakers.js";
import { isBlank } from "../request/text.js";
import { type AnsweredCall, callsIn, type Piece, type RequestTurn, textsOf, turnsOf } from "../request/turns.js";

import { CALLS, REFUSAL, returned, TEXT, USER_PARTS } from "./schema.js";
import { type ChatServer, serverOf } from "./servers.js";

export interface OpenAiText {
  type: "text";
  text: string;
}

export interface OpenAiRefusal {
  type: "refusal";
  refusal: string;
}

export type OpenAiUserPart =
  | OpenAiText
  | { type: "image_url"; image_url: { url: string; detail?: "auto" | "low" | "high" } }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } }
  | { type: "file"; file: { file_data?: string; file_id?: string; filename?: string } };

export type OpenAiToolCall =
  | { id: string; type: "function"; function: { name: string; arguments: string } }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

export type OpenAiMessage =
  | { role: "system" | "developer"; content: string | OpenAiText[]; name?: string }
  | { role: "user"; content: string | OpenAiUserPart[]; name?: string }
  | {
      role: "assistant";
      content: string | (OpenAiText | OpenAiRefusal)[] | null;
      name?: string;
      audio?: { id: string };
      tool_calls?: OpenAiToolCall[];
    }
  | { role: "tool"; tool_call_id: string; content: string | OpenAiText[] };

/** The prompt's field in a request of OpenAI's chat completions. */
export interface OpenAiBody {
  messages: OpenAiMessage[];
}

export const ID: Limit = wordLimit(40);

/** Returns the parts of a request that hold messages. */
export function writeOpenAi(
  messages: readonly ParsedMessage[],
  namesInTexts: boolean,
  { server, model, now }: RequestTarget,
): OpenAiBody {
  const turns = withSpeakers(turnsOf(messages), namesInTexts, isWord);
  const known = serverOf(server, model);
  const ids = idsOf(callsIn(turns), known?.ids ?? ID);
  const writing: Writing = { ids, server: known, returned: new Set(), now };
  return wellFormed({ messages: turns.flatMap((turn) => messagesOf(turn, writing)) });
}

/** The options and the server for writing a request. */
interface Writing {
  readonly ids: ReadonlyMap<AnsweredCall, string>;
  readonly server: ChatServer | undefined;
  /** The messages whose fields have been written. */
  readonly returned: Set<ParsedMessage>;
  /** The time of the request, in milliseconds since 1970, if known. */
  readonly now: number | null | undefined;
}

function messagesOf(turn: RequestTurn, writing: Writing): OpenAiMessage[] {
  const { ids } = writing;
  switch (turn.kind) {
    case "system": {
      const content = contentOf(textsOf(turn), textOf);
      return [{ role: turn.role, content, ...nameOf(turn.name) }];
    }
    case "user": {
      const name = nameOf(turn.name);
      const spoken = turn.pieces.filter(({ part }) => part.type !== "text" || !isBlank(part.text));
      return spoken.length === 0 ? [] : [{ role: "user", content: contentOf(spoken, userPartOf), ...name }];
    }
    case "assistant":
      return assistantOf(turn.pieces, turn.name, writing);
    default:
      return turn.orphan === undefined
        ? turn.calls.flatMap((call) => resultsOf(call, ids.get(call) as string))
        : [resultOf([turn.orphan], fitted(turn.orphan.part.toolCallId, writing.server?.ids ?? ID))];
  }
}

/** Returns the field `name` if the name is valid. */
function nameOf(name: string | undefined): { readonly name?: string } {
  return isWord(name) ? { name: name as string } : {};
}

/** Returns a single text as a string. Several pieces, and the caller's own part, become a list. */
function contentOf<Part extends { type: string }>(
  pieces: readonly Piece[],
  write: (piece: Piece) => Part,
): string | Part[] {
  const [first, ...others] = pieces;
  const isText = others.length === 0 && first?.part.type === "text" && !isRecord(first.given);
  return isText ? (first.part as TextPart).text : pieces.map(write);
}

/** Returns the caller's own part if it is one of OpenAI's. Undefined for any other. */
function ownPart<Part>(piece: Piece, schemas: Readonly<Record<string, FieldSchema>>): Part | undefined {
  const given = piece.given;
  if (!isRecord(given)) {
    return undefined;
  }
  const schema = schemas[String(given.type)];
  const isWhole = given.type === "text" || given.type === "refusal" || isRecord(given[String(given.type)]);
  return schema === undefined || !isWhole ? undefined : (knownFieldsIn(given, schema) as Part);
}

function textOf(piece: Piece): OpenAiText {
  const { part } = piece;
  if (part.type !== "text") {
    throw new MalformedMessage(
      piece.place,
      `OpenAI's chat takes no ${part.type} here`,
      "Leave it out, or send it to openai-responses, which takes images and files from tools.",
    );
  }
  return ownPart(piece, { text: TEXT }) ?? { type: "text", text: part.text };
}

function userPartOf(piece: Piece): OpenAiUserPart {
  return piece.part.type === "text" ? textOf(piece) : mediaPartOf(piece as Piece<MediaPart>);
}

const TAKEN = "images by data or address, wav and mp3 by data, files by data or id";

function mediaPartOf(piece: Piece<MediaPart>): OpenAiUserPart {
  const own = ownPart<OpenAiUserPart>(piece, USER_PARTS);
  if (own !== undefined) {
    return own;
  }
  const media = mediaOf(piece);
  const { kind, mediaType, base64, id, text, part } = media;
  if (text !== undefined) {
    return { type: "text", text };
  }
  if (kind === "image" && id === undefined) {
    const address = webAddress(media) ?? (base64 && mediaType && dataUrl({ mediaType, base64 }));
    if (address) {
      const { detail } = part;
      const isKnown = detail === "auto" || detail === "low" || detail === "high";
      return { type: "image_url", image_url: { url: address, ...(isKnown ? { detail } : {}) } };
    }
  }
  if (kind === "audio" && base64 !== undefined) {
    const format = AUDIO_FORMATS[mediaType ?? ""];
    if (format !== undefined) {
      return { type: "input_audio", input_audio: { data: base64, format } };
    }
  }
  if (kind === "file" && id !== undefined) {
    return { type: "file", file: { file_id: id } };
  }
  if (kind === "file" && base64 !== undefined && mediaType !== undefined) {
    const filename = part.filename ?? `file.${mediaType.replace(/^.*[/+]/, "")}`;
    return { type: "file", file: { filename, file_data: dataUrl({ mediaType, base64 }) } };
  }
  return refuse(media, "OpenAI's chat", TAKEN);
}

const AUDIO_FORMATS: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

function assistantOf(pieces: readonly Piece[], speaker: string | undefined, writing: Writing): OpenAiMessage[] {
  const { ids, server } = writing;
  const takesFields = server?.takesFields === true;
  const said: Piece[] = [];
  const calls: OpenAiToolCall[] = [];
  let audio: { id: string } | undefined;
  for (const piece of pieces) {
    const { part, call } = piece;
    if (call !== undefined) {
      calls.push(callOf(call, ids.get(call) as string, server));
    } else if (part.type === "text") {
      said.push(...(isBlank(part.text) ? [] : [piece]));
    } else if (part.type === "audio" && part.id !== undefined && !isExpired(piece, writing.now)) {
      audio = { id: part.id };
    } else if (part.type === "image" || part.type === "audio" || part.type === "file") {
      const taken = "text and the id of audio from the assistant";
      const text = wordsIn(piece as Piece<MediaPart>, "OpenAI's chat", taken);
      said.push({ part: { type: "text", text }, place: piece.place });
    }
  }
  if (said.length === 0 && calls.length === 0 && audio === undefined) {
    return [];
  }
  return [
    {
      role: "assistant",
      content: said.length === 0 ? null : contentOf(said, (piece) => saidOf(piece, takesFields)),
      ...nameOf(speaker),
      ...(audio === undefined ? {} : { audio }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(takesFields ? serverFieldsIn(pieces, writing) : {}),
    },
  ];
}

/**
 * True if OpenAI no longer has a reply in audio. Then its words are sent.
 * https://platform.openai.com/docs/api-reference/chat/object
 */
function isExpired({ given }: Piece, now: number | null | undefined): boolean {
  const end = isRecord(given) ? given.expires_at : undefined;
  return now != null && typeof end === "number" && end * 1000 <= now;
}

/**
 * Returns the fields that a server set on the messages of a turn, and the assistant's thoughts in others. Fields of
 * messages that were joined are joined too.
 */
function serverFieldsIn(pieces: readonly Piece[], { server, returned: written }: Writing): UnknownRecord {
  const fields: Record<string, unknown> = {};
  const add = (name: string, value: unknown): void => {
    const before = fields[name];
    if (typeof before === "string" && typeof value === "string") {
      fields[name] = `${before}\n${value}`;
    } else {
      fields[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    }
  };
  for (const { part, source } of pieces) {
    if (source?.server !== undefined && !written.has(source)) {
      written.add(source);
      for (const [name, value] of Object.entries(source.server.fields)) {
        add(name, value);
      }
    }
    const isProven = part.type !== "reasoning" || makerOf(part) !== undefined || source?.server?.saysThoughts === true;
    if (!isProven && server?.thoughts !== undefined) {
      add(server.thoughts, part.text);
    }
  }
  return fields;
}

function saidOf(piece: Piece, takesFields: boolean): OpenAiText | OpenAiRefusal {
  const { given } = piece;
  const schema = isRecord(given) ? SAID[String(given.type)] : undefined;
  if (takesFields && schema !== undefined && typeof (given as UnknownRecord)[schema.text] === "string") {
    return returned(given as UnknownRecord, schema.fields) as unknown as OpenAiText | OpenAiRefusal;
  }
  return ownPart<OpenAiRefusal>(piece, { refusal: REFUSAL }) ?? textOf(piece);
}

/** The parts of the assistant's words, each with the field of its text. */
const SAID: Readonly<Record<string, { readonly fields: FieldSchema; readonly text: string }>> = {
  text: { fields: TEXT, text: "text" },
  refusal: { fields: REFUSAL, text: "refusal" },
};

function callOf(call: AnsweredCall, id: string, server: ChatServer | undefined): OpenAiToolCall {
  const takesFields = server?.takesFields === true;
  const given = call.given;
  const name = fitted(call.part.toolName, NAME);
  const schema = isRecord(given) ? CALLS[String(given.type)] : undefined;
  const own: UnknownRecord =
    isRecord(given) && schema !== undefined ? (takesFields ? returned : knownFieldsIn)(given, schema) : {};
  if (isRecord(given) && given.id === id && name === call.part.toolName) {
    const held = given[String(given.type)];
    const isCustom = given.type === "custom" && isRecord(held) && typeof held.input === "string";
    const isFunction =
      given.type === "function" &&
      isRecord(held) &&
      typeof held.arguments === "string" &&
      parsedObject(held.arguments) !== undefined;
    if (isCustom || isFunction) {
      return own as unknown as OpenAiToolCall;
    }
  }
  const input = customInputOf(call.part);
  if (input !== undefined && takesCustom(server)) {
    return { id, type: "custom", custom: { name, input } };
  }
  const { text } = argumentsOf(call);
  // A call with a new id or name keeps its server's fields.
  const fields = takesFields ? own : {};
  const held = takesFields && isRecord(own.function) ? own.function : {};
  return { ...fields, id, type: "function", function: { ...held, name, arguments: text } };
}

/** True if a server may take calls with a text instead of JSON. Only OpenAI documents them. */
const takesCustom = (server: ChatServer | undefined): boolean => server === undefined || server.name === "openai";

function resultsOf({ results }: AnsweredCall, id: string): OpenAiMessage[] {
  return results.length === 0 ? [] : [resultOf(results, id)];
}

function resultOf(results: AnsweredCall["results"], id: string): OpenAiMessage {
  const { text, parts } = outcomeOf(results, documentAsText);
  const said = parts.filter(({ part }) => part.type !== "text" || !isBlank(part.text));
  const isList = text === undefined || said.some((piece) => ownPart(piece, { text: TEXT }) !== undefined);
  return { role: "tool", tool_call_id: id, content: isList && said.length > 0 ? said.map(textOf) : (text ?? "") };
}
