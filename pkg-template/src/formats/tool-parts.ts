// Logic shared by the parts of the AI SDK's messages, in all its versions and in the packages that store them.

import { kindOfMediaType, recordOf, type UnknownRecord } from "../message/format.js";
import { required } from "../message/malformed.js";
import type { PartInput } from "../message/message.js";
import { from, originOf } from "../message/origin.js";
import { blocksWithText } from "../message/parts.js";
import { isCompacted, noteOf, provenanceOf, sealedBy } from "../message/provenance.js";

/** The result that the model sees for a call without one. `src/prompt/sent.rs` counts the same. */
export const INTERRUPTED = "[Tool execution was interrupted]";

/** True if a part has the form it had up to version 4. */
export function isOfVersion4({ type, reasoning, details, data, url }: UnknownRecord): boolean {
  switch (type) {
    case "tool-invocation":
    case "source":
      return true;
    case "reasoning":
      return typeof reasoning === "string" || Array.isArray(details);
    case "file":
      return data != null && url == null;
    default:
      return false;
  }
}

/** Fields next to media that describe it. */
const FACTS = ["detail", "width", "height", "pages", "seconds", "bytes", "filename"] as const;

/** Returns an image, audio or a file, from its location (`media`) and the other fields of its part. */
export function mediaPart(
  part: UnknownRecord,
  media: { readonly url?: unknown; readonly data?: unknown; readonly file?: unknown },
): PartInput {
  const mediaType = part.mediaType ?? part.mimeType ?? part.contentType ?? typeInDataUrl(media.url ?? media.data);
  const facts = FACTS.filter((fact) => part[fact] != null).map((fact) => [fact, part[fact]] as const);
  return {
    ...Object.fromEntries(facts),
    ...(typeof mediaType === "string" ? { mediaType } : {}),
    ...media,
    type: kindOfMediaType(mediaType),
  };
}

function typeInDataUrl(url: unknown): string | undefined {
  return typeof url === "string" ? /^data:([^;,]+)/i.exec(url.slice(0, 200))?.[1] : undefined;
}

/**
 * Returns a part with its place and its provider's metadata. With metadata, it becomes a part of a `ModelMessage`,
 * which the SDK's packages accept unchanged.
 */
export function withMetadata(part: PartInput, providerMetadata: unknown, place: string): PartInput {
  if (Object.keys(recordOf(providerMetadata)).length === 0) {
    return from(part, undefined, place);
  }
  const made = { ...part, providerOptions: providerMetadata };
  return from(made, made, place);
}

/** Returns a text with its provider's metadata. */
export const textPart = (text: string, providerMetadata: unknown, place: string): PartInput =>
  // Blank texts are never sent.
  isCompacted(providerMetadata) && text.trim() !== ""
    ? withMetadata(
        { type: "redacted_thinking", data: text, provider: "anthropic", note: "compaction" },
        providerMetadata,
        place,
      )
    : withMetadata({ type: "text", text }, providerMetadata, place);

/** Marks a text as the text of a file. */
export function ofFile(part: PartInput): PartInput {
  const { given, place } = originOf(part) ?? { given: undefined, place: "" };
  return part.type === "text" ? from({ ...part, origin: "file" }, given, place) : part;
}

/**
 * Returns reasoning: its text or, if that is hidden, the provider's encrypted form. Without either, returns the proof,
 * which the provider requires.
 */
export function reasoningParts(
  text: string | undefined,
  providerMetadata: unknown,
  place: string,
): readonly PartInput[] {
  const part: PartInput = { type: "reasoning", text: text ?? "" };
  const sealed = part.text === "" ? sealedIn(providerMetadata, place) : [];
  const { signature, id } = provenanceOf({ ...part, providerOptions: providerMetadata }, undefined);
  const isThere = part.text !== "" || signature !== undefined || id !== undefined;
  return sealed.length === 0 && isThere ? [withMetadata(part, providerMetadata, place)] : sealed;
}

/**
 * Returns the encrypted data that a provider stores with a part under its own name. `kind` is the kind of a
 * provider-specific part.
 */
export function sealedIn(providerMetadata: unknown, place: string, kind?: unknown): readonly PartInput[] {
  const given =
    kind === undefined
      ? { type: "reasoning", text: "", providerOptions: providerMetadata }
      : { type: "custom", kind, providerOptions: providerMetadata };
  return sealedBy(providerMetadata).map((sealed) =>
    from({ type: "redacted_thinking", ...sealed, ...noteOf(kind) }, given, place),
  );
}

/** Facts about a call and its result. */
interface CallFacts {
  readonly toolName: unknown;
  readonly input: unknown;
  readonly output?: unknown;
  /** True if the tool failed or was denied. */
  readonly isError?: boolean;
  readonly providerExecuted?: unknown;
  /** The provider's metadata of the call. */
  readonly metadata?: unknown;
  /** The user's approval in the SDK's form. With it, the call runs before the model is asked. */
  readonly allowed?: object | undefined;
}

/** Returns a call, and its result if it has one. */
export function callParts(call: UnknownRecord, place: string, facts: CallFacts): readonly PartInput[] {
  const { input, output, isError, metadata, allowed } = facts;
  const toolCallId = required(call.toolCallId, `${place}.toolCallId`);
  const toolName = required(facts.toolName, `${place}.toolName`);
  const hosted = facts.providerExecuted === true ? { providerExecuted: true } : {};
  const made: PartInput = { type: "tool-call", toolCallId, toolName, input, ...hosted };
  const placed = withMetadata(made, metadata, place);
  if (output === undefined) {
    return [placed];
  }
  const failed = isError === true ? { isError } : {};
  const result: PartInput = { type: "tool-result", toolCallId, output, ...hosted, ...failed };
  return [placed, from(result, allowed, place)];
}

/** Parts of a message, and markers where a step of the assistant ends. */
export type StepPart = PartInput | typeof STEP;
export const STEP = "a step ends here";

/**
 * Moves results after parallel calls, which are the calls of one step without text between them. Each tool part holds a
 * call and its result, but a request has all calls of a step first and then all results.
 */
export function inSteps(parts: readonly StepPart[]): readonly PartInput[] {
  const done: PartInput[] = [];
  const results: PartInput[] = [];
  for (const part of parts) {
    if (part === STEP) {
      done.push(...results.splice(0));
    } else if (part.type === "tool-result" && part.providerExecuted !== true) {
      results.push(part);
    } else {
      const goesOn = part.type === "tool-call" || part.type === "reasoning" || part.type === "redacted_thinking";
      done.push(...(goesOn ? [] : results.splice(0)), part);
    }
  }
  return [...done, ...results];
}

/** Returns a tool's result with another text. Images and files in it stay. */
export function outputWithText(output: unknown, text: string): unknown {
  const { type, value } = recordOf(output);
  return type === "content" && Array.isArray(value)
    ? { ...recordOf(output), value: blocksWithText(value, text) }
    : text;
}
