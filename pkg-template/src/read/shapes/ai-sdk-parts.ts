// What the parts of the AI SDK's messages have in common, in all its versions and in the packages that keep them.

import { required } from "../malformed.js";
import type { PartInput } from "../message.js";
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

/** Reasoning: its text, or where nothing of it may be read, what the provider has encrypted of it. */
export function reasoningParts(text: string | undefined, providerMetadata: unknown): readonly PartInput[] {
  return text === undefined || text === "" ? sealedIn(providerMetadata) : [{ type: "reasoning", text }];
}

/** The names under which providers give what they have encrypted. */
const SEALED = ["redactedData", "reasoningEncryptedContent", "encryptedContent"] as const;

/** What a provider has encrypted, and gives with a part under its own name. */
export function sealedIn(providerMetadata: unknown): readonly PartInput[] {
  return Object.values(recordOf(providerMetadata)).flatMap((ofProvider) =>
    SEALED.flatMap((field) => {
      const data = recordOf(ofProvider)[field];
      return typeof data === "string" && data !== "" ? [{ type: "redacted_thinking" as const, data }] : [];
    }),
  );
}

/** A call, and its result where it has one. */
export function callParts(
  call: Row,
  place: string,
  { toolName, input, output }: { readonly toolName: unknown; readonly input: unknown; readonly output?: unknown },
): readonly PartInput[] {
  const toolCallId = required(call.toolCallId, `${place}.toolCallId`);
  const made: PartInput = { type: "tool-call", toolCallId, toolName: required(toolName, `${place}.toolName`), input };
  return output === undefined ? [made] : [made, { type: "tool-result", toolCallId, output }];
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
