// The fields of a message of the AI SDK's version 4, which Mastra stores too: `parts`, and next to them `content`,
// `reasoning`, `toolInvocations` and `experimental_attachments`, which repeat the parts or replace them. Repeated
// content counts once.

import { listFrom } from "../../base/lists.js";
import { describe } from "../../base/options.js";
import { type IsUnwanted, partsWithText, recordOf, type TextKind, type UnknownRecord } from "../../message/format.js";
import { list, MalformedMessage, required, text as textOf, unknownType } from "../../message/malformed.js";
import type { PartInput } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { DENIED } from "../../message/parts.js";
import {
  callParts,
  inSteps,
  mediaPart,
  outputWithText,
  reasoningParts,
  STEP,
  type StepPart,
  textPart,
  withMetadata,
} from "../tool-parts.js";

/** A part and its place. For a call outside of parts, the call's own place. */
interface PlacedField {
  readonly part: UnknownRecord;
  readonly place: string;
  readonly callPlace?: string;
}

/** Parts that the model never sees: step borders, sources, the application's own data, and errors that ended a turn. */
const UNSEEN = /^(?:step-start|source|source-url|source-document|error|data-.*)$/;

/**
 * Returns the content of the fields as parts in windrow's own form. `place` is the place of the fields in the message.
 * An open call is included unless `isOpenUnseen`, which says that the package hides it from the model.
 */
export function readUi4(fields: UnknownRecord, place: string, isOpenUnseen = false): readonly PartInput[] {
  const parts = partsOf(fields, place);
  const files = filesOf(parts.map(({ part }) => part));
  const attachments = placedList(fields, "experimental_attachments", place);
  return [
    ...inSteps(
      parts.flatMap((placed): readonly StepPart[] => {
        const isUnseen = isOpenUnseen && isOpen(placed);
        return placed.part.type === "step-start" ? [STEP] : isUnseen ? [] : readPart(placed);
      }),
    ),
    ...attachments.filter(({ part }) => !files.has(bodyOf(part.url))).map(readAttachment),
  ];
}

/** Returns the fields with one text instead of all their texts. */
export function ui4WithText(fields: UnknownRecord, text: string): UnknownRecord {
  const parts = partsWithText(
    partsOf(fields, "").map(({ part }) => part),
    text,
    { kindOf, rewritten, made: (own) => ({ type: "text", text: own }) },
  );
  return withFields(fields, parts);
}

/**
 * Returns the fields with another list: the parts, or the calls if no part holds them. Other fields only repeat parts.
 */
export function ui4WithParts(fields: UnknownRecord, path: readonly string[], given: readonly unknown[]): UnknownRecord {
  const [name = ""] = path.slice(-1);
  if (name !== "parts") {
    return { ...fields, [name]: given };
  }
  const parts = given.map(recordOf);
  const { reasoning, experimental_attachments: attachments } = fields;
  const files = filesOf(parts);
  return {
    ...withFields(fields, parts),
    ...(reasoning == null || parts.some(({ type }) => type === "reasoning") ? {} : { reasoning: undefined }),
    ...(Array.isArray(attachments)
      ? { experimental_attachments: attachments.filter((it) => files.has(bodyOf(recordOf(it).url))) }
      : {}),
  };
}

const filesOf = (parts: readonly UnknownRecord[]): ReadonlySet<unknown> =>
  new Set(parts.filter(({ type }) => type === "file").map(({ data, url }) => bodyOf(data ?? url)));

/** Returns the fields with other parts, in each field that repeats some of them. */
function withFields(fields: UnknownRecord, parts: readonly UnknownRecord[]): UnknownRecord {
  const hasParts = fields.parts != null;
  const texts = parts.filter(({ type }) => type === "text").map((part) => part.text);
  return {
    ...fields,
    ...(hasParts ? { parts } : {}),
    ...(hasParts && fields.content == null ? {} : { content: texts.join("") }),
    ...(fields.toolInvocations == null
      ? {}
      : { toolInvocations: parts.filter(isCall).map(({ toolInvocation }) => toolInvocation) }),
  };
}

/** Returns the fields without tools. The same object if they have none. */
export function ui4WithoutToolCalls(fields: UnknownRecord, isUnwanted: IsUnwanted = () => true): UnknownRecord {
  const { parts, toolInvocations } = fields;
  const isKept = (part: UnknownRecord): boolean => !(isCall(part) && isUnwanted(part));
  const rest = Array.isArray(parts) ? parts.filter((part) => isKept(recordOf(part))) : undefined;
  const calls = listFrom(toolInvocations);
  const others = calls.filter((call) => !isUnwanted(recordOf(call)));
  if (others.length === calls.length && rest?.length === (parts as readonly unknown[] | undefined)?.length) {
    return fields;
  }
  return { ...fields, ...(rest === undefined ? {} : { parts: rest }), toolInvocations: others };
}

/**
 * Returns the parts, and adds content that only the other fields have. A field is read only if no part has content of
 * its kind. Otherwise it repeats the parts, or no model sees it.
 */
function partsOf(fields: UnknownRecord, place: string): readonly PlacedField[] {
  const parts = placedList(fields, "parts", place);
  const alone: PlacedField[] = [];
  if (!parts.some(({ part }) => part.type === "reasoning")) {
    const reasoning = textOf(fields.reasoning, `${place}.reasoning`);
    alone.push(...(reasoning ? [{ part: { type: "reasoning", reasoning }, place }] : []));
  }
  const hasText = parts.some(({ part }) => part.type === "text" && part.text !== "");
  if (!hasText && (typeof fields.content === "string" || parts.length === 0)) {
    const text = textOf(fields.content, `${place}.content`);
    alone.push(...(text ? [{ part: { type: "text", text }, place }] : []));
  }
  const called = new Set(parts.map(({ part }) => recordOf(part.toolInvocation).toolCallId));
  const calls = placedList(fields, "toolInvocations", place)
    .filter(({ part }) => !called.has(part.toolCallId))
    .map(({ part: toolInvocation, place: at }) => ({
      part: { type: "tool-invocation", toolInvocation },
      place: at,
      callPlace: at,
    }));
  return [...alone, ...parts, ...calls];
}

function placedList(fields: UnknownRecord, field: string, place: string): readonly PlacedField[] {
  return list(fields[field], `${place}.${field}`).map((part, at) => ({
    part: recordOf(part),
    place: `${place}.${field}[${at}]`,
  }));
}

const isCall = ({ type }: UnknownRecord): boolean => type === "tool-invocation";

function isOpen({ part, place, callPlace = `${place}.toolInvocation` }: PlacedField): boolean {
  return isCall(part) && outputOf(part, callPlace) === undefined;
}

/** Returns the text that identifies a file: its address, or the data after the head of a data URL. */
function bodyOf(data: unknown): unknown {
  return typeof data === "string" && /^data:/i.test(data) ? data.slice(data.indexOf(",") + 1) : data;
}

/** The SDK shows attachments that are texts as texts. */
function readAttachment({ part, place }: PlacedField): PartInput {
  const text = /^text\//.test(String(part.contentType)) ? textOfDataUrl(String(part.url)) : undefined;
  if (text !== undefined) {
    return from({ type: "text", text, origin: "file" }, undefined, place);
  }
  return from(mediaPart(part, { url: required(part.url, `${place}.url`) }), undefined, place);
}

/** Returns the text in a data URL. Undefined for any other address. */
function textOfDataUrl(url: string): string | undefined {
  const [, data] = /^data:text\/[^,]*;base64,([A-Za-z0-9+/]*={0,2})$/.exec(url) ?? [];
  return data === undefined || data.length % 4 > 0
    ? undefined
    : new TextDecoder().decode(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
}

function readPart({ part, place, callPlace = `${place}.toolInvocation` }: PlacedField): readonly PartInput[] {
  const { type } = part;
  switch (type) {
    case "text":
      return [textPart(required(part.text, `${place}.text`), part.providerMetadata, place)];
    case "reasoning":
      return readReasoning(part, place);
    case "file":
      return [from(mediaPart(part, addressOrData(part, place)), undefined, place)];
    case "tool-invocation":
      return readCall(part, callPlace);
    default:
      if (UNSEEN.test(String(type))) {
        return [];
      }
      throw unknownType(type, place, "part", "the parts of the AI SDK's UIMessage of version 4");
  }
}

/** Returns a file's data or address. */
const addressOrData = (
  { data, url }: UnknownRecord,
  place: string,
): { readonly url?: unknown; readonly data?: unknown } =>
  data == null ? { url: required(url, `${place}.data`) } : { data };

/** Returns reasoning: its details, which repeat the text, or only the text. */
function readReasoning(part: UnknownRecord, place: string): readonly PartInput[] {
  const { providerMetadata } = part;
  const details = placedList(part, "details", place)
    .filter(({ part: detail }) => detail.text !== "")
    .flatMap((detail) => readDetail(detail, providerMetadata));
  const text = textOf(part.reasoning ?? part.text, `${place}.reasoning`);
  return details.length > 0 ? details : reasoningParts(text, providerMetadata, place);
}

/** Returns a detail. A detail's signature is Anthropic's, because no other provider had signatures in version 4. */
function readDetail({ part, place }: PlacedField, providerMetadata: unknown): readonly PartInput[] {
  const { signature } = part;
  const provider = "anthropic";
  switch (part.type) {
    case "text": {
      const text = required(part.text, `${place}.text`);
      return typeof signature === "string" && signature !== ""
        ? [from({ type: "reasoning", text, provider, signature }, undefined, place)]
        : [withMetadata({ type: "reasoning", text }, providerMetadata, place)];
    }
    case "redacted": {
      const data = required(part.data, `${place}.data`);
      return [from({ type: "redacted_thinking", data, provider }, undefined, place)];
    }
    default:
      throw new MalformedMessage(
        `${place}.type`,
        `unknown detail ${describe(part.type)} of reasoning`,
        "Use text or redacted, or leave the detail out.",
      );
  }
}

/** Returns a call, and its result if it has ended. A call whose arguments are still streaming doesn't count yet. */
function readCall(part: UnknownRecord, place: string): readonly PartInput[] {
  const call = recordOf(part.toolInvocation);
  const { state, toolName, args, rawInput, providerExecuted } = call;
  const output = outputOf(part, place);
  const isError = state === "output-error" || state === "output-denied" || recordOf(call.approval).approved === false;
  const { mastra, ...metadata } = recordOf(part.providerMetadata ?? call.providerMetadata);
  return state === "partial-call"
    ? []
    : callParts(call, place, { toolName, input: args ?? rawInput, output, isError, providerExecuted, metadata });
}

/** Returns the result of a call as the model sees it. Undefined while it is open. */
function outputOf(part: UnknownRecord, place: string): unknown {
  const { state, result, errorText, approval } = recordOf(part.toolInvocation);
  const { approved, reason } = recordOf(approval);
  switch (state) {
    case "partial-call":
    case "call":
    case "approval-requested":
      return undefined;
    case "approval-responded":
      return approved === false ? (reason ?? DENIED) : undefined;
    case "result":
      return ofMastra(part).modelOutput ?? result ?? "";
    case "output-error":
      return errorText ?? result ?? "";
    case "output-denied":
      return reason ?? DENIED;
    default:
      throw new MalformedMessage(
        `${place}.state`,
        `unknown state ${describe(state)} of a tool's call`,
        "Use the states of the AI SDK's tool invocations: partial-call, call or result.",
      );
  }
}

/** Returns Mastra's data with a part, such as the text that the model sees instead of a result. */
function ofMastra({ providerMetadata }: UnknownRecord): UnknownRecord {
  return recordOf(recordOf(providerMetadata).mastra);
}

function kindOf(part: UnknownRecord): TextKind {
  if (part.type === "text") {
    return "text";
  }
  return isCall(part) && outputOf(part, "") !== undefined ? "result" : undefined;
}

function rewritten(part: UnknownRecord, text: string): UnknownRecord {
  if (part.type === "text") {
    return { ...part, text };
  }
  const call = recordOf(part.toolInvocation);
  const { modelOutput } = ofMastra(part);
  switch (call.state) {
    case "result":
      return modelOutput == null
        ? { ...part, toolInvocation: { ...call, result: outputWithText(call.result, text) } }
        : {
            ...part,
            toolInvocation: { ...call, result: text },
            providerMetadata: {
              ...recordOf(part.providerMetadata),
              mastra: { ...ofMastra(part), modelOutput: outputWithText(modelOutput, text) },
            },
          };
    case "output-error":
      return { ...part, toolInvocation: { ...call, errorText: text } };
    default:
      return { ...part, toolInvocation: { ...call, approval: { ...recordOf(call.approval), reason: text } } };
  }
}
