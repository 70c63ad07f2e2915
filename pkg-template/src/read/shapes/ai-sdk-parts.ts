// What the parts of the AI SDK's messages have in common, in all its versions and in the packages that keep them.

import { from } from "../given.js";
import { required } from "../malformed.js";
import type { PartInput, Provenance } from "../message.js";
import { kindOfMediaType, type Row, recordOf } from "./shape.js";

/** What the model is told of a call that its user did not allow. */
export const DENIED = "Tool execution denied.";

/** Whether a part has the form that it had up to version 4. */
export function isOfVersion4({ type, reasoning, details, data, url }: Row): boolean {
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
  part: Row,
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
  withMetadata({ type: "text", text }, providerMetadata, place);

/** Reasoning: its text, or where nothing of it may be read, what the provider has encrypted of it. */
export function reasoningParts(
  text: string | undefined,
  providerMetadata: unknown,
  place: string,
): readonly PartInput[] {
  return text === undefined || text === ""
    ? sealedIn(providerMetadata, place)
    : [withMetadata({ type: "reasoning", text }, providerMetadata, place)];
}

/** The names under which providers give what they have encrypted. */
const SEALED = ["redactedData", "reasoningEncryptedContent", "encryptedContent"] as const;
/** Whose something is, by the name under which the SDK's packages give it. */
const PROVIDERS: Readonly<Record<string, string>> = {
  bedrock: "anthropic",
  vertex: "google",
  googleVertex: "google",
  azure: "openai",
};

/** What a provider has encrypted, and gives with a part under its own name. */
export function sealedIn(providerMetadata: unknown, place: string): readonly PartInput[] {
  return Object.entries(recordOf(providerMetadata)).flatMap(([name, ofProvider]) =>
    SEALED.flatMap((field) => {
      const { [field]: data, itemId } = recordOf(ofProvider);
      if (typeof data !== "string" || data === "") {
        return [];
      }
      const proof: Provenance = {
        provider: PROVIDERS[name] ?? name,
        ...(typeof itemId === "string" ? { id: itemId } : {}),
      };
      const given = { type: "reasoning", text: "", providerOptions: providerMetadata };
      return [from({ type: "redacted_thinking" as const, data, ...proof }, given, place)];
    }),
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
  /** What its provider gave with the call, and with the result. */
  readonly metadata?: unknown;
  readonly resultMetadata?: unknown;
}

/** A call, and its result where it has one. */
export function callParts(call: Row, place: string, facts: CallFacts): readonly PartInput[] {
  const { input, output, isError, metadata } = facts;
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
  return [placed, from(result, undefined, place)];
}

/** What of a tool's output is no text, and no JSON that is read as one. */
const MEDIA_BLOCK = /^(?:image|audio|file|document|media)/;

/** What a tool gave, with another text: images and files in it stay. */
export function outputWithText(output: unknown, text: string): unknown {
  const { type, value } = recordOf(output);
  if (type !== "content" || !Array.isArray(value)) {
    return text;
  }
  const media = value.filter((block) => MEDIA_BLOCK.test(String(recordOf(block).type)));
  return { ...recordOf(output), value: [...(text === "" ? [] : [{ type: "text", text }]), ...media] };
}
