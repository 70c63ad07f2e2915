// The AI SDK's `UIMessage` of version 4: a `content` next to tool invocations and attachments, and in later releases
// `parts` that repeat it.

import { listFrom } from "../../base/lists.js";
import { type MessageFormat, recordOf, timeIn } from "../../message/format.js";
import type { PlainMessage } from "../../message/message.js";
import { isOfVersion4 } from "../tool-parts.js";
import { readUi4, ui4WithoutToolCalls, ui4WithParts, ui4WithText } from "./ui-4-fields.js";

/**
 * The fields of a message of version 4 that windrow reads, as a structural type. `UIMessage` and `Message` of `ai` 4
 * fit it.
 */
export interface UiMessage4Shape {
  readonly id?: string;
  readonly role: "system" | "user" | "assistant" | "data";
  readonly content: string;
  readonly createdAt?: Date;
  readonly reasoning?: string;
  readonly toolInvocations?: readonly { readonly toolCallId: string; readonly toolName: string }[];
  readonly experimental_attachments?: readonly { readonly url: string }[];
  readonly parts?: readonly { readonly type: string }[];
}

export const uiMessage4Shape: MessageFormat = {
  name: "ai-sdk-ui-4",
  title: "AI SDK UIMessage (version 4)",
  signs: ["parts", "toolInvocations", "experimental_attachments"],
  // `annotations` and `data` belong to the application, and no model sees them.
  fields: new Set([
    ...["id", "role", "content", "createdAt", "reasoning", "toolInvocations", "experimental_attachments", "parts"],
    ...["annotations", "data", "metadata"],
  ]),

  fits: ({ role, content, info, parts, toolInvocations, experimental_attachments }) =>
    typeof role === "string" &&
    (content == null || typeof content === "string") &&
    info === undefined &&
    (role === "data" ||
      Array.isArray(toolInvocations) ||
      Array.isArray(experimental_attachments) ||
      listFrom(parts).some((part) => isOfVersion4(recordOf(part)))),

  read(row) {
    const { id, role, createdAt } = row;
    const about = { id: id as string | undefined, createdAt: timeIn(createdAt) };
    return role === "data"
      ? { ...about, role: "user", status: "deleted", content: [] } // the application's note to itself
      : { ...about, role: role as PlainMessage["role"], content: readUi4(row, "") };
  },

  withText: ui4WithText,
  withParts: ui4WithParts,
  withoutToolCalls: ui4WithoutToolCalls,
};
