// Gemini's `Content`, from `@google/genai` and Vertex AI. The speaker is `user` or `model`. Function calls and
// responses are parts, and a user content with nothing but responses is a tool message.
//
// A call or a response without an id uses its name as the id. A response belongs to the latest call before it with its
// id. So repeated calls of one name each get their own response, and for parallel calls in one content, all responses
// go with that content. If only the call or only the response has an id, the responses come directly after the calls,
// and name and order match them. One case remains unsolved, because each content is read without the others: for two
// calls of one name without ids in separate contents, with both responses after the second, the response to the earlier
// call isn't found.
//
// Recognized by: `parts` without types, or the role `model`.

import { FreePlaces } from "../../base/free-places.js";
import { jsonOf } from "../../base/json.js";
import { listFrom } from "../../base/lists.js";
import { describe } from "../../base/options.js";
import {
  fieldsWithValue,
  kindOfMediaType,
  type MessageFormat,
  partsWithText,
  recordOf,
  type TextKind,
  timeIn,
  type UnknownRecord,
  withoutSome,
} from "../../message/format.js";
import { list, MalformedMessage, required, text as textAt } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { hasMedia } from "../../message/substance.js";

/** The fields of a `Content` that windrow reads, as a structural type. */
export interface GeminiContentShape {
  readonly role?: string;
  readonly parts?: readonly object[];
  /** Excluded: a message with a content has another format. */
  readonly content?: undefined;
}

const ROLES: ReadonlyMap<unknown, PlainMessage["role"]> = new Map([
  ["user", "user"],
  ["model", "assistant"],
  ["function", "tool"],
  ["tool", "tool"],
  ["system", "system"],
]);

/** Readers of a part by its field. Each receives the field's value, the part and the field's place. */
const READERS: Readonly<Record<string, (held: unknown, part: UnknownRecord, place: string) => readonly PartInput[]>> = {
  text(held, { thought }, place) {
    const text = required(held, place);
    return [thought === true ? { type: "reasoning", text, provider: "google" } : { type: "text", text }];
  },
  inlineData: readMedia,
  fileData: readMedia,
  functionCall: (held, _, place) => readCall(recordOf(held), place),
  functionResponse: (held, _, place) => readResponse(recordOf(held), place),
  toolCall(held, _, place) {
    const { id, toolType, args } = recordOf(held);
    const toolName = required(toolType, `${place}.toolType`);
    const toolCallId = idOr(id, toolName, place);
    return [{ type: "tool-call", toolCallId, toolName, input: args, providerExecuted: true }];
  },
  toolResponse(held, _, place) {
    const { id, toolType, response } = recordOf(held);
    const toolCallId = textAt(id, `${place}.id`) || required(toolType, `${place}.toolType`);
    return [{ type: "tool-result", toolCallId, output: saidBy(response), providerExecuted: true }];
  },
  executableCode(held, _, place) {
    const { id, language, code } = recordOf(held);
    const input = { language, code: required(code, `${place}.code`) };
    return [{ type: "tool-call", toolCallId: idOr(id, CODE, place), toolName: CODE, input, providerExecuted: true }];
  },
  codeExecutionResult(held, _, place) {
    const { id, output } = recordOf(held);
    const toolCallId = idOr(id, CODE, place);
    return [
      { type: "tool-result", toolCallId, output: textAt(output, `${place}.output`) ?? "", providerExecuted: true },
    ];
  },
  // The transcript of audio. If the part includes the audio, the model hears that instead.
  audioTranscription: (held, part, place) =>
    hasAudio(part) ? [] : [{ type: "text", text: textAt(recordOf(held).text, `${place}.text`) ?? "" }],
};

/** The tool for the model's own code. */
const CODE = "code_execution";

/** Fields that describe another field of the part, or that go back to the model's provider unchanged. */
const ABOUT: ReadonlySet<string> = new Set([
  ...["thought", "thoughtSignature", "videoMetadata", "mediaResolution", "mediaProcessing"],
  ...["partMetadata", "speechMetadata"],
]);

/** The fields that identify a part by themselves, apart from its text. */
export const geminiFields: ReadonlySet<string> = new Set(Object.keys(READERS).filter((field) => field !== "text"));

const CALLS = ["functionCall", "toolCall", "executableCode"] as const;
const RESPONSES = ["functionResponse", "toolResponse", "codeExecutionResult"] as const;

export const geminiContentShape: MessageFormat = {
  name: "gemini",
  title: "Gemini Content",
  signs: ["parts"],
  maker: "google",
  fields: new Set(["id", "role", "parts", "createdAt"]),

  fits: ({ role, parts, info }) =>
    Array.isArray(parts)
      ? info === undefined && (role === "model" || listFrom(parts).some(isGeminiPart))
      : parts === undefined && role === "model",

  behind(row, before) {
    const open = callsOf(before);
    const parts = partsOf(row);
    const isWhole = parts.length === (row.parts as readonly unknown[] | undefined)?.length;
    if (open.length === 0 || !isWhole || !parts.some(({ functionResponse }) => functionResponse != null)) {
      return row;
    }
    const responses = parts.map((part) =>
      part.functionResponse == null ? undefined : recordOf(part.functionResponse),
    );
    // Calls and responses with the same id are matched first.
    const callIds = new Set(open.map(({ id }) => id || undefined));
    const answered = new Set(responses.map((response) => response?.id || undefined));
    const left = new FreePlaces();
    for (const [at, { id, name }] of open.entries()) {
      if (!id || !answered.has(id)) {
        left.add(at, id ? [`any ${name}`] : [`any ${name}`, `no id ${name}`]);
      }
    }
    const made = parts.map((part, at) => {
      const response = responses[at];
      if (response === undefined || (response.id && callIds.has(response.id))) {
        return part;
      }
      const found = left.first(`${response.id ? "no id" : "any"} ${response.name}`);
      if (found !== undefined) {
        left.take(found);
      }
      const { id } = open[found ?? -1] ?? response;
      return id === response.id ? part : { ...part, functionResponse: { ...response, id } };
    });
    const isSame = made.every((part, at) => part === parts[at]);
    const given = row.parts as readonly unknown[];
    return isSame ? row : { ...row, parts: made.map((part, at) => (part === parts[at] ? given[at] : part)) };
  },

  read({ id, role, parts, createdAt }) {
    const known = role == null ? "user" : ROLES.get(role);
    if (known === undefined) {
      throw new MalformedMessage(
        ".role",
        `unknown role ${describe(role)} of a Content`,
        "Use the roles user and model.",
      );
    }
    return {
      id: id as string | undefined,
      role: known,
      createdAt: timeIn(createdAt),
      content: wholeCalls(list(parts, ".parts")).flatMap(([part, at]) => {
        const place = `.parts[${at}]`;
        return readGeminiPart(part, place).map((read) => from(read, part, place));
      }),
    };
  },

  withText: (row, text) => ({
    ...row,
    parts: partsWithText(partsOf(row), text, {
      kindOf: kindOfGeminiPart,
      rewritten: geminiPartWithText,
      made: (own) => ({ text: own }),
    }),
  }),

  withoutToolCalls(row, isUnwanted = () => true) {
    return withoutSome(row, "parts", (part) => isOfTool(part) && isUnwanted(part));
  },
};

const partsOf = ({ parts }: UnknownRecord): readonly UnknownRecord[] => listFrom(parts).map(recordOf);
/** Returns the function calls in a content. */
const callsOf = (content: unknown): readonly UnknownRecord[] =>
  partsOf(recordOf(content)).flatMap(({ functionCall }) => (functionCall == null ? [] : [recordOf(functionCall)]));
const isOfTool = (part: UnknownRecord): boolean => [...CALLS, ...RESPONSES].some((field) => part[field] != null);
const hasAudio = ({ inlineData, fileData }: UnknownRecord): boolean => inlineData != null || fileData != null;

/** True for a part that only Gemini has: it has no type, and the name of its field is its kind. */
function isGeminiPart(part: unknown): boolean {
  const row = recordOf(part);
  return row.type === undefined && Object.keys(READERS).some((field) => row[field] != null);
}

/** Reads a part. It usually has one field with content. */
export function readGeminiPart(part: unknown, place: string): readonly PartInput[] {
  if (typeof part !== "object" || part === null || Array.isArray(part)) {
    throw new MalformedMessage(place, `expected a part, got ${describe(part)}`, "Pass the parts of Gemini's Content.");
  }
  const row = part as UnknownRecord;
  return Object.keys(row).flatMap((field) => {
    const held = row[field];
    if (held == null || ABOUT.has(field)) {
      return [];
    }
    const read = Object.hasOwn(READERS, field) ? READERS[field] : undefined;
    if (read === undefined) {
      throw new MalformedMessage(
        `${place}.${field}`,
        `unknown field ${describe(field)} of a part`,
        "Use the parts of Gemini's Content, or leave the part out.",
      );
    }
    return read(held, row, `${place}.${field}`).map((made) => ({ ...made, ...signatureOf(row) }));
  });
}

/** Returns the signature that proves to the model's provider that a part is its own. */
function signatureOf({ thoughtSignature }: UnknownRecord): { readonly thoughtSignature?: string } {
  return typeof thoughtSignature === "string" && thoughtSignature !== "" ? { thoughtSignature } : {};
}

/** Returns the kind of text in a part. Thoughts stay when a text is shortened. */
export function kindOfGeminiPart(part: UnknownRecord): TextKind {
  if (RESPONSES.some((field) => part[field] != null)) {
    return "result";
  }
  if (typeof part.text === "string") {
    return part.thought === true ? undefined : "text";
  }
  return part.audioTranscription != null && !hasAudio(part) ? "text" : undefined;
}

/** Returns a part with another text. */
export function geminiPartWithText(part: UnknownRecord, text: string): UnknownRecord {
  const { functionResponse, toolResponse, codeExecutionResult, audioTranscription } = part;
  if (functionResponse != null) {
    return { ...part, functionResponse: { ...recordOf(functionResponse), response: { output: text } } };
  }
  if (toolResponse != null) {
    return { ...part, toolResponse: { ...recordOf(toolResponse), response: { output: text } } };
  }
  if (codeExecutionResult != null) {
    return { ...part, codeExecutionResult: { ...recordOf(codeExecutionResult), output: text } };
  }
  return typeof part.text === "string"
    ? { ...part, text }
    : { ...part, audioTranscription: { ...recordOf(audioTranscription), text } };
}

function idOr(id: unknown, name: string, place: string): string {
  return textAt(id, `${place}.id`) || name;
}

/**
 * Returns parts with their indexes, with the pieces of one call joined. A streamed call has its name only in the first
 * piece, and its arguments in `partialArgs`.
 */
function wholeCalls(parts: readonly unknown[]): readonly (readonly [part: unknown, at: number])[] {
  const whole: [part: unknown, at: number][] = [];
  for (const [at, part] of parts.entries()) {
    const piece = recordOf(part).functionCall;
    const last = whole.at(-1);
    const begun = recordOf(recordOf(last?.[0]).functionCall);
    if (last !== undefined && piece != null && begun.willContinue === true && recordOf(piece).name == null) {
      last[0] = { ...recordOf(last[0]), functionCall: joined(begun, recordOf(piece)) };
    } else {
      whole.push([part, at]);
    }
  }
  return whole;
}

function joined(begun: UnknownRecord, piece: UnknownRecord): UnknownRecord {
  const pieces = [begun, piece].flatMap(({ partialArgs }) => listFrom(partialArgs));
  return { ...begun, args: piece.args ?? begun.args, partialArgs: pieces, willContinue: piece.willContinue };
}

/** Returns a call. A call whose last piece is missing counts too, so its response still has a call. */
function readCall({ id, name, args, partialArgs }: UnknownRecord, place: string): readonly PartInput[] {
  const pieces = list(partialArgs, `${place}.partialArgs`);
  if (name == null) {
    if (pieces.length === 0 && args == null) {
      return []; // the end of a streamed call
    }
    throw new MalformedMessage(
      `${place}.name`,
      "a call without a name, or a partial one",
      "Combine the pieces of a streamed call into one content.",
    );
  }
  const toolName = required(name, `${place}.name`);
  const input = pieces.length === 0 ? args : args == null ? pieces : { ...recordOf(args), partialArgs: pieces };
  return [{ type: "tool-call", toolCallId: idOr(id, toolName, place), toolName, input }];
}

function readResponse({ id, name, response, parts }: UnknownRecord, place: string): readonly PartInput[] {
  const toolCallId = textAt(id, `${place}.id`) || required(name, `${place}.name`);
  const media = list(parts, `${place}.parts`).flatMap((part, at) => readGeminiPart(part, `${place}.parts[${at}]`));
  const said = saidBy(response);
  const output = media.length === 0 ? said : { type: "content", value: [{ type: "text", text: said }, ...media] };
  const isError = Object.keys(recordOf(response)).join() === "error";
  return [{ type: "tool-result", toolCallId, output, ...(isError ? { isError } : {}) }];
}

/**
 * Returns a function's response as a text: only its output or error if it has nothing else, otherwise all of it as
 * JSON.
 */
function saidBy(response: unknown): string {
  if (response === undefined || typeof response === "string") {
    return response ?? "";
  }
  const [[field, value] = [], ...others] = Object.entries(recordOf(response));
  const isAll = others.length === 0 && (field === "output" || field === "error") && typeof value === "string";
  return isAll ? value : (jsonOf(response) ?? "");
}

/** Returns an image, audio, a video or a file, from its bytes or its location. */
function readMedia(held: unknown, part: UnknownRecord, place: string): readonly PartInput[] {
  const { data, fileUri, mimeType } = recordOf(held);
  if (!hasMedia(data) && !hasMedia(fileUri)) {
    throw new MalformedMessage(place, "it has no data and no address", "Add its data, or leave the part out.");
  }
  const mediaType = textAt(mimeType, `${place}.mimeType`);
  const facts = { data, url: fileUri, mediaType, detail: detailOf(part), seconds: secondsOf(part) };
  return [{ type: kindOfMediaType(mediaType), ...fieldsWithValue(facts) } as PartInput];
}

function detailOf({ mediaResolution }: UnknownRecord): string | undefined {
  const level = /^MEDIA_RESOLUTION_(LOW|MEDIUM|HIGH|ULTRA_HIGH)$/.exec(String(recordOf(mediaResolution).level))?.[1];
  return level === undefined ? undefined : level === "LOW" ? "low" : "high";
}

/** Returns the length of a video clip. More than one frame per second costs the same as a longer clip. */
function secondsOf({ videoMetadata }: UnknownRecord): number | undefined {
  const { startOffset, endOffset, fps } = recordOf(videoMetadata);
  const seconds = Number.parseFloat(String(endOffset)) - (Number.parseFloat(String(startOffset)) || 0);
  return seconds > 0 ? seconds * Math.max(1, Number(fps) || 1) : undefined;
}
