// Messages of AG-UI with a role or a part that only AG-UI has. The others are OpenAI's chat messages with names in
// camel case and are read as such.
//
// Recognized by: the role `reasoning` or `activity`, or a part of the type `binary`.

import { listFrom } from "../../base/lists.js";
import { kindOfMediaType, type MessageFormat, recordOf, timeIn, type UnknownRecord } from "../../message/format.js";
import { list, text } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { mediaPart } from "../../message/parts.js";
import { ownFormat } from "../../message/recognise.js";

/** The fields of a message that windrow reads, as a structural type. */
export interface AgUiMessageShape {
  readonly id: string;
  readonly role: "reasoning" | "activity" | "user";
  readonly content?: unknown;
}

export const agUiShape: MessageFormat = {
  name: "ag-ui",
  title: "AG-UI message",
  fields: new Set("id role content name createdAt activityType encryptedValue toolCalls toolCallId error".split(" ")),

  fits,

  read(row) {
    if (!fits(row)) {
      return row as unknown as PlainMessage;
    }
    const { id, role, content, name, createdAt } = row;
    const about = { id: id as string | undefined, createdAt: timeIn(createdAt) };
    if (role === "activity") {
      return { ...about, role: "assistant", content: [] }; // shown by the page only
    }
    if (role === "reasoning") {
      // It belongs to the reply after it.
      const thought: PartInput = { type: "reasoning", text: text(content, ".content") ?? "" };
      return { ...about, role: "assistant", content: [from(thought, undefined, ".content")], joinsNext: true };
    }
    return {
      ...about,
      role: "user",
      name: name as string | undefined,
      content: list(content, ".content").map((part, at) => partOf(part, `.content[${at}]`)),
    };
  },

  withText(row, own) {
    if (!fits(row)) {
      return ownFormat().withText(row, own);
    }
    // The model's thoughts stay.
    const media = listFrom(row.content).filter(isBinary);
    return row.role === "user" ? { ...row, content: [{ type: "text", text: own }, ...media] } : row;
  },

  withoutToolCalls: (row, isUnwanted) => ownFormat().withoutToolCalls(row, isUnwanted),
};

/** True for a message that only AG-UI has. */
function fits({ role, content }: UnknownRecord): boolean {
  return role === "reasoning" || role === "activity" || (role === "user" && listFrom(content).some(isBinary));
}

const isBinary = (part: unknown): boolean => recordOf(part).type === "binary";

function partOf(part: unknown, place: string): PartInput {
  if (!isBinary(part)) {
    return typeof part === "object" && part !== null ? from(part as PartInput, undefined, place) : (part as PartInput);
  }
  const { mimeType, data, url, id, filename } = part as UnknownRecord;
  const type = kindOfMediaType(mimeType);
  return from(mediaPart({ type, mediaType: mimeType, data, url, id, filename }, type, place), undefined, place);
}
