// Canonical parts from the dialects' parts: media, reasoning, tool calls and results.

import type { PartForm } from "./dialect.js";
import { recordOf, type UnknownRecord } from "./format.js";
import { checkNothingIsLost } from "./lost.js";
import { json, list, MalformedMessage, required, text } from "./malformed.js";
import { givenMedia } from "./media-fields.js";
import type {
  CallPart,
  MediaFields,
  MediaPart,
  Provenance,
  ReasoningPart,
  RedactedPart,
  ResultPart,
  TextPart,
} from "./message.js";
import { originOf, type PlacedPart } from "./origin.js";
import { isCompacted, provenanceOf } from "./provenance.js";
import { type Draft, inside, outputOf, readPart } from "./read.js";
import { hasMedia } from "./substance.js";

// ---- Texts ----

const TEXT_FIELDS: ReadonlySet<string> = new Set(["text", "refusal", "thinking", "origin"]);
const NO_FIELDS: ReadonlySet<string> = new Set();

/** Reads the text of a part. If it has none, the fault names a field that holds one. */
function textIn(part: UnknownRecord, place: string, field: string): string {
  if (part[field] == null) {
    checkNothingIsLost(part, { place, what: "part", known: NO_FIELDS }, true);
  }
  return required(part[field], `${place}.${field}`);
}

/** Returns the field with a part's text. TanStack AI and Chrome's Prompt API have their own names for it. */
const textFieldOf = (part: UnknownRecord): string =>
  ["text", "content", "value"].find((field) => typeof part[field] === "string") ?? "text";

export const textForm: PartForm = {
  fields: TEXT_FIELDS,
  read(part, place, maker) {
    const said = textIn(part, place, textFieldOf(part));
    const proof = provenanceOf(part, maker);
    return isCompacted(part.providerOptions)
      ? compactionPart("anthropic", said, proof)
      : { type: "text", text: said, ...(part.origin === "file" ? { origin: part.origin } : {}), ...proof };
  },
  text: "text",
  givenOf: (part) => (part.text === undefined ? undefined : part),
  withText: (part, own) => ({ ...part, [textFieldOf(part)]: own }),
};

export const refusalForm: PartForm = {
  fields: TEXT_FIELDS,
  read: (part, place): TextPart => ({ type: "text", text: textIn(part, place, "refusal") }),
  text: "text",
  withText: (part, own) => ({ ...part, refusal: own }),
};

/** Returns the text of a piece of Mistral's thoughts. References to sources and tools have none. */
const thoughtText = ({ type, text: own }: UnknownRecord, place: string): string =>
  type === "reference" || type === "tool_reference" ? "" : required(own, place);

/** Returns the form of reasoning with its text in a given field. */
export function reasoningForm(field: "text" | "thinking"): PartForm {
  return {
    fields: TEXT_FIELDS,
    read(part, place, maker): ReasoningPart | RedactedPart {
      const given = part[field];
      // Mistral has a list of texts.
      const said = Array.isArray(given)
        ? given.map((chunk, at) => thoughtText(recordOf(chunk), `${place}.${field}[${at}].text`)).join("")
        : textIn(part, place, field);
      const { data, ...proof } = provenanceOf(part, maker);
      if (data !== undefined && said === "") {
        return { type: "redacted_thinking", data, ...proof };
      }
      // A summary of Gemini's has no signature but still belongs to Gemini.
      const made = part.provider === "google" ? { provider: part.provider, ...proof } : proof;
      return { type: "reasoning", text: said, ...made, ...(data === undefined ? {} : { data }) };
    },
  };
}

const isNote = (note: unknown): note is NonNullable<RedactedPart["note"]> =>
  note === "compaction" || note === "tools" || note === "output" || note === "other";

export const redactedForm: PartForm = {
  fields: new Set(["data", "note"]),
  read: (part, place, maker): RedactedPart => ({
    type: "redacted_thinking",
    data: textIn(part, place, "data"),
    ...(isNote(part.note) ? { note: part.note } : {}),
    ...provenanceOf(part, maker),
    ...(part.provider == null && maker === undefined ? {} : { provider: String(part.provider ?? maker) }),
  }),
};

/** Returns a provider's compaction of everything before it. An empty one becomes a blank text, which is never sent. */
export function compactionPart(
  provider: string,
  data: string | undefined,
  proof: Provenance = {},
): RedactedPart | TextPart {
  return data === undefined || data.trim() === ""
    ? { type: "text", text: "" }
    : { type: "redacted_thinking", data, ...proof, provider, note: "compaction" };
}

// ---- Media ----

const MEDIA_FIELDS: ReadonlySet<string> = new Set([
  ...[
    "type",
    "detail",
    "mediaType",
    "width",
    "height",
    "pages",
    "seconds",
    "bytes",
    "data",
    "url",
    "image",
    "image_url",
    "value",
  ],
  ...["input_audio", "audio", "file", "source", "document", "file_id", "fileId", "id", "imageUrl", "inputAudio"],
]);

/**
 * Returns media in the form that its provider accepts back. The field `value` belongs to TanStack AI's messages and
 * Chrome's, `document` to Cohere's, and those in camel case to packages, and no provider here knows them.
 */
const givenMediaPart = (part: UnknownRecord): unknown =>
  (part.value ?? part.document ?? part.imageUrl ?? part.inputAudio ?? recordOf(part.source).value) === undefined
    ? part
    : undefined;

/** Returns the form of images, audio or files. */
export function mediaForm(kindOf: MediaPart["type"] | ((part: UnknownRecord) => MediaPart["type"])): PartForm {
  return {
    fields: MEDIA_FIELDS,
    givenOf: givenMediaPart,
    read: (part, place) => mediaPart(part, typeof kindOf === "string" ? kindOf : kindOf(part), place),
  };
}

/** Reads an image, audio or a file: its data or its address. */
export function mediaPart(part: UnknownRecord, kind: MediaPart["type"], place: string): MediaPart {
  text(recordOf(part.image_url).detail, `${place}.image_url.detail`);
  text(part.detail, `${place}.detail`);
  const found = givenMedia(part);
  checkIsReadable(found, kind, place);
  if (![found.data, found.url, found.id, found.source].some((it) => hasMedia(it))) {
    checkNothingIsLost(part, { place, what: "part", known: MEDIA_FIELDS }, true);
    throw new MalformedMessage(
      place,
      `the ${kind} part has no data, url or id`,
      "Add its data, or leave the part out.",
    );
  }
  return { type: kind, ...found };
}

/**
 * Reads a file that is put into a container. The model only sees its block, so it costs as much as a text of that
 * length: https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool
 */
export function containerFile(part: UnknownRecord, place: string): MediaPart {
  const bytes = (json({ type: part.type, file_id: part.file_id }, place) as string).length;
  return { ...mediaPart(part, "file", place), mediaType: "text/plain", bytes };
}

/** Returns a change to the tools from its place on, which only the provider itself reads. */
export function toolChange(tool: unknown, provider: string): RedactedPart {
  return { type: "redacted_thinking", data: JSON.stringify({ tool }), provider, note: "tools" };
}

/**
 * Fails for data that no request could hold: data that only exists in a page's memory, whose bytes can't be read
 * synchronously, and a path of an image, which would be sent as a text.
 */
function checkIsReadable({ data, url, mediaType }: MediaFields, kind: MediaPart["type"], place: string): void {
  if (data instanceof Blob || url?.startsWith("blob:")) {
    throw new MalformedMessage(
      place,
      `the ${kind} is in a page's memory, where its bytes can't be read synchronously`,
      `Pass its bytes as a Uint8Array, or as base64, or leave the ${kind} out.`,
    );
  }
  const isText = kind === "file" && !BINARY_TYPE.test(mediaType ?? "");
  if (typeof data === "string" && !isText && NOT_BASE64.test(data.slice(0, MOST_CHECKED))) {
    throw new MalformedMessage(
      place,
      `the data of the ${kind} isn't base64`,
      "Pass its bytes, base64, a data URL, or an address with its host. A request can't hold a path.",
    );
  }
}

/** The types of files whose data is never the file's text. */
const BINARY_TYPE = /^(?:image\/(?!svg)|audio\/|video\/)/;
const NOT_BASE64 = /[^\w+/=\s-]/;
/** Maximum number of characters of data to check. No path is longer. */
const MOST_CHECKED = 1000;

// ---- Tool calls ----

/** A value, and the field it comes from. */
export type FieldValue = readonly [value: unknown, field: string];

/** Returns the first of two fields that has a value. */
export function oneOf(row: UnknownRecord, first: string, second: string): FieldValue {
  return row[first] == null ? [row[second], `.${second}`] : [row[first], `.${first}`];
}

/** The fields of a tool call. */
interface FoundCall {
  readonly id: unknown;
  readonly name: unknown;
  readonly input: unknown;
  /** The fields that hold its id and the tool's name. */
  readonly fields: readonly [id: string, name: string];
}

/** Reads a tool call. */
export function callPart(
  call: UnknownRecord,
  { id, name, input, fields }: FoundCall,
  place: string,
  maker?: string,
): CallPart {
  const part: Draft<CallPart> = {
    type: "tool-call",
    toolCallId: required(id, `${place}.${fields[0]}`),
    toolName: required(name, `${place}.${fields[1]}`),
  };
  if (input !== undefined) {
    part.input = input;
  }
  if (call.providerExecuted === true) {
    part.providerExecuted = true;
  }
  if ((call.isCustom === true || Object.keys(recordOf(call.custom)).length > 0) && typeof input === "string") {
    part.isCustom = true;
  }
  // In Anthropic's and OpenAI's chat, `id` is the id of the call, not of an item.
  return Object.assign(part, provenanceOf(call, maker, call.id === id));
}

/** Reads the result of a tool. */
export function resultPart(
  result: UnknownRecord,
  toolCallId: string,
  [given, field]: FieldValue,
  place: string,
): ResultPart {
  const { output, isError } = outputIn(given, place + field);
  const part: Draft<ResultPart> = { type: "tool-result", toolCallId, output };
  if (typeof result.toolName === "string") {
    part.toolName = result.toolName;
  }
  if (isError || result.is_error === true || result.isError === true) {
    part.isError = true;
  }
  if (result.providerExecuted === true) {
    part.providerExecuted = true;
  }
  return part;
}

/** The result that the model sees for a call that the user denied without a reason. */
export const DENIED = "Tool execution denied.";

const OUTPUT_TYPE = /^(error-)?(?:text|json)$/;

/** Reads an output: a text, any JSON, or the AI SDK's form with a type. */
function outputIn(output: unknown, place: string): { readonly output: unknown; readonly isError: boolean } {
  const { type, value, reason } = recordOf(output);
  if (type === "execution-denied" && (reason == null || typeof reason === "string")) {
    return { output: reason ?? DENIED, isError: true };
  }
  if (type === "content" && Array.isArray(value)) {
    return { output: { type, value: inside(blocksIn(value, `${place}.value`)) }, isError: false };
  }
  const typed = OUTPUT_TYPE.exec(String(type));
  if (typed === null || !("value" in (output as object))) {
    return { output, isError: false };
  }
  // A JSON value that looks like such an output stays inside the output that holds it.
  const isPlain = typeof value === "string" || recordOf(value).type === undefined;
  return { output: isPlain ? value : { type: "json", value }, isError: typed[1] !== undefined };
}

const MEDIA_BLOCKS = [
  [/^image/, "image"],
  [/^(?:input_)?audio/, "audio"],
  [/^(?:file|document|media)/, "file"],
] as const;

const kindOfBlock = (block: unknown): MediaPart["type"] | undefined =>
  MEDIA_BLOCKS.find(([pattern]) => pattern.test(String(recordOf(block).type)))?.[1];

/** Reads the list that a tool returned: texts and media, and anything else as JSON. */
function blocksIn(blocks: readonly unknown[], place: string): readonly PlacedPart[] {
  const parts: PlacedPart[] = [];
  for (const [at, block] of list(blocks, place).entries()) {
    const here = `${place}[${at}]`;
    const row = recordOf(block);
    const kind = kindOfBlock(block);
    if (kind !== undefined) {
      const origin = originOf(row);
      const given = origin === undefined ? givenMediaPart(row) : origin.given;
      parts.push({ part: mediaPart(row, kind, here), given, place: origin?.place || here });
    } else if (typeof block === "string" || row.type === "text") {
      readPart(block, here, undefined, parts);
    } else {
      parts.push({ part: { type: "text", text: jsonText(block, here) }, given: block, place: here });
    }
  }
  return parts;
}

function jsonText(value: unknown, place: string): string {
  return typeof value === "string" ? value : (json(value, place) ?? "");
}

/** Reads the content of a result: a list of blocks, a text, or any JSON. */
export function blocksOrText(content: unknown, place: string): unknown {
  return Array.isArray(content) ? outputOf(blocksIn(content, place)) : (content ?? "");
}

/** Returns an output with another text. An output of the AI SDK's keeps its form. */
export function outputWithText(output: unknown, own: string): unknown {
  const { type, value } = recordOf(output);
  if (type === "content" && Array.isArray(value)) {
    return { ...recordOf(output), value: blocksWithText(value, own) };
  }
  const typed = OUTPUT_TYPE.exec(String(type));
  return typed !== null && "value" in (output as object)
    ? { ...recordOf(output), type: `${typed[1] ?? ""}text`, value: own }
    : own;
}

/** Returns blocks with one text instead of all their texts. Images and files stay. */
export function blocksWithText(blocks: unknown, own: string): unknown {
  if (!Array.isArray(blocks)) {
    return own;
  }
  const media = blocks.filter((block) => kindOfBlock(block) !== undefined);
  return [...(own === "" ? [] : [{ type: "text", text: own }]), ...media];
}
