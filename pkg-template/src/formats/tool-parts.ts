// What the parts of the AI SDK's messages have in common, in all its versions and in the packages that keep them.

import { kindOfMediaType, recordOf, type UnknownRecord } from "../message/format.js";
import { required } from "../message/malformed.js";
import type { PartInput } from "../message/message.js";
import { from, originOf } from "../message/origin.js";
import { blocksWithText } from "../message/parts.js";
import { isCompacted, noteOf, provenanceOf, sealedBy } from "../message/provenance.js";

/** What the model is told of a call that its user did not allow. */
export const DENIED = "Tool execution denied.";

/** The result that the model sees of a call without one. `src/prompt/sent.rs` counts the same. */
export const INTERRUPTED = "[Tool execution was interrupted]";

/** Whether a part has the form that it had up to version 4. */
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

/** What stands beside media, and is known of it. */
const FACTS = ["detail", "width", "height", "pages", "seconds", "bytes", "filename"] as const;

/** An image, audio or a file, by where it is (`media`) and what its part says of it. */
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
 * A part at its place, with what its provider gave with it. With that it is the part of a `ModelMessage`, which the SDK's packages
 * take back as it is.
 */
export function withMetadata(part: PartInput, providerMetadata: unknown, place: string): PartInput {
  if (Object.keys(recordOf(providerMetadata)).length === 0) {
    return from(part, undefined, place);
  }
  const made = { ...part, providerOptions: providerMetadata };
  return from(made, made, place);
}

/** A text with what its provider gave with it. */
export const textPart = (text: string, providerMetadata: unknown, place: string): PartInput =>
  // A blank one goes to nobody.
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
 * Reasoning: its text, or where nothing of it may be read, what the provider has encrypted of it. With neither there is what proves it,
 * which the provider asks for.
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

/** Reads the encrypted data that a provider has with a part under its own name. `kind` is that of a part of the provider's own. */
export function sealedIn(providerMetadata: unknown, place: string, kind?: unknown): readonly PartInput[] {
  const given =
    kind === undefined
      ? { type: "reasoning", text: "", providerOptions: providerMetadata }
      : { type: "custom", kind, providerOptions: providerMetadata };
  return sealedBy(providerMetadata).map((sealed) =>
    from({ type: "redacted_thinking", ...sealed, ...noteOf(kind) }, given, place),
  );
}

/** What is known of a call and its result. */
interface CallFacts {
  readonly toolName: unknown;
  readonly input: unknown;
  readonly output?: unknown;
  /** Whether the tool failed, or was not allowed. */
  readonly isError?: boolean;
  readonly providerExecuted?: unknown;
  /** What its provider gave with the call. */
  readonly metadata?: unknown;
  /** The answer of the user's by which the call is run before the model is asked, as the SDK takes it. */
  readonly allowed?: object | undefined;
}

/** A call, and its result where it has one. */
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

/** Parts of a message, and the places where a step of the assistant ends. */
export type StepPart = PartInput | typeof STEP;
export const STEP = "a step ends here";

/**
 * Parts with what calls gave behind the calls that were made at once: those with no text between them, in one step. Each part of a
 * tool holds its call and its result, and a provider is sent all calls of a step, and then all results.
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

/** What a tool gave, with another text: images and files in it stay. */
export function outputWithText(output: unknown, text: string): unknown {
  const { type, value } = recordOf(output);
  return type === "content" && Array.isArray(value)
    ? { ...recordOf(output), value: blocksWithText(value, text) }
    : text;
}
