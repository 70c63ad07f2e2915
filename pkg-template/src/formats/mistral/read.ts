// Messages of Mistral's chat: OpenAI's, plus a document by its address, and the numbers of an answer's sources. Mistral's
// own package names the fields in camel case.
//
// Recognized by: parts of the type `document_url` or `reference`, and `imageUrl` or `inputAudio`.

import type { Dialect } from "../../message/dialect.js";
import { mediaPart } from "../../message/parts.js";

/** The fields of a message that windrow reads, as a structural type. */
export interface MistralMessageShape {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content?: string | readonly { readonly type?: string | undefined }[] | null | undefined;
  readonly toolCalls?: readonly { readonly function: { readonly name: string } }[] | null | undefined;
  readonly toolCallId?: string | null | undefined;
}

export const mistral: Dialect = {
  fields: [],
  toolFields: [],
  parts: {
    document_url: {
      fields: new Set(["document_url", "document_name", "documentUrl", "documentName"]),
      givenOf: () => undefined,
      read: ({ document_url: url, document_name: filename, documentUrl, documentName }, place) =>
        mediaPart({ url: url ?? documentUrl, filename: filename ?? documentName }, "file", place),
    },
    reference: { fields: new Set(["reference_ids", "referenceIds"]), read: () => [] },
  },
};
