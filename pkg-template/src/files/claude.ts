// Claude's export, `conversations.json`: a list of conversations with `chat_messages`. A message has its content in
// `content`, in blocks like Anthropic's, and its words again in `text`; older exports only have `text`. Edited and
// regenerated messages are siblings with the same `parent_message_uuid`. The format isn't published;
// nicepkg/chat2poster (packages/core-adapters/src/adapters/claude/shared/types.ts) and
// withLinda/claude-conversation-exporter (claude_export_script.js) document its fields.

import { FreePlaces } from "../base/free-places.js";
import { describe } from "../base/options.js";
import { isRecord } from "../base/plain-data.js";
import type { PartInput } from "../message/message.js";
import { timeMsOf } from "../message/times.js";
import {
  type FileKind,
  listIn,
  type OpenConversation,
  type Row,
  recordIn,
  textIn,
  unreadPartsIn,
  unreadWordsIn,
} from "./file.js";
import { attachedPart, messagesInTurn, pageText, partsOrFault, type Report, textPart } from "./parts.js";
import { branchOf } from "./tree.js";

/** The parent id of a first message. */
const ROOT = "00000000-0000-4000-8000-000000000000";

export const claudeExport: FileKind = {
  name: "Claude export",
  fits: (value) => isRecord(value) && Array.isArray(value.chat_messages),

  read({ uuid, name, created_at, chat_messages, current_leaf_message_uuid }, row, file) {
    const conversation = file.begin({ id: uuid, title: name, startedAt: created_at }, row);
    const calls: RecordedCalls = { ids: [], open: new FreePlaces() };
    for (const { at, id, message } of branchIn(
      chat_messages as readonly unknown[],
      current_leaf_message_uuid,
      conversation,
    )) {
      readMessage(message, id, at, conversation, calls);
    }
  },
};

interface Node {
  /** The index in the file. */
  readonly at: number;
  readonly id: string;
  readonly message: Row;
  readonly parent: string | undefined;
  readonly timeMs: number | undefined;
}

/**
 * Returns the messages of the visible branch. If no message names another message in the file as its parent, returns
 * all of them in order.
 */
function branchIn(messages: readonly unknown[], leaf: unknown, conversation: OpenConversation): readonly Node[] {
  const nodes = new Map<string, Node>();
  for (const [at, message] of messages.entries()) {
    if (!isRecord(message)) {
      conversation.skip(`expected a message, got ${describe(message)}`, at);
      continue;
    }
    const id = textIn(message.uuid) ?? `#${at + 1}`;
    if (nodes.has(id)) {
      conversation.skip("uuid: another message has it too", at);
      continue;
    }
    const parent = textIn(message.parent_message_uuid);
    nodes.set(id, {
      at,
      id,
      message,
      parent: parent === ROOT ? undefined : parent,
      timeMs: timeMsOf(message.created_at),
    });
  }
  const all = [...nodes.values()];
  if (!all.some(({ parent }) => parent !== undefined && nodes.has(parent))) {
    return all;
  }
  const { nodes: branch, faults } = branchOf(all, textIn(leaf));
  for (const fault of faults) {
    conversation.skip(fault);
  }
  return branch;
}

/** The calls of a conversation, oldest first. In older exports, neither calls nor results have an id. */
interface RecordedCalls {
  readonly ids: string[];
  /** The calls that still need a result, by id and by name. */
  readonly open: FreePlaces;
}

function readMessage(message: Row, id: string, at: number, conversation: OpenConversation, calls: RecordedCalls): void {
  const role = ROLES.get(message.sender);
  if (role === undefined) {
    conversation.skip(`sender: unknown sender ${describe(message.sender)}`, at, message);
    return;
  }
  const parts = partsOrFault(
    message,
    (reason) => conversation.skip(reason, at),
    (report) => {
      const blocks = listIn(message.content).flatMap((given, place) => {
        const block = recordIn(given);
        return partsOrFault(block, report, (fault) =>
          partsOfBlock(block, { callId: `${id}:${place}`, calls, report: fault }),
        );
      });
      return [...attachmentsOf(message), ...(blocks.length > 0 ? blocks : textPart(message.text))];
    },
  );
  const lost = parts.length === 0 ? undefined : unreadPartsIn(message, MESSAGE_FIELDS, parts);
  if (lost !== undefined) {
    conversation.skip(lost, at);
  }
  for (const one of messagesInTurn({ id, role, createdAt: textIn(message.created_at) }, parts)) {
    conversation.take(one, at);
  }
}

/** The fields of a message that are read. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(["text", "content", "attachments", "files", "files_v2"]);

const ROLES: ReadonlyMap<unknown, "user" | "assistant" | "system"> = new Map([
  ["human", "user"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
]);

interface BlockContext {
  /** The id for a call without one. */
  readonly callId: string;
  readonly calls: RecordedCalls;
  readonly report: Report;
}

function partsOfBlock(block: Row, context: BlockContext): readonly PartInput[] {
  const { type } = block;
  switch (type) {
    case "text":
    case "voice_note":
      return textPart(block.text);
    case "thinking":
      return textIn(block.thinking) === undefined ? [] : [{ type: "reasoning", text: block.thinking as string }];
    case "redacted_thinking":
      return textIn(block.data) === undefined ? [] : [{ type, data: block.data as string }];
    case "tool_use":
      return [callOf(block, context)];
    case "tool_result":
      return [resultOf(block, context)];
    case "image":
    case "document":
      return mediaOf(block);
    // The remaining space, and notices that the page shows next to an answer.
    case "token_budget":
    case "flag":
      return [];
    default: {
      const known = textPart(block.text);
      context.report(`content: unknown block ${describe(type)}${known.length > 0 ? "; only its text was read" : ""}`);
      return known;
    }
  }
}

function callOf({ id, name, input }: Row, { callId, calls }: BlockContext): PartInput {
  const call = { id: textIn(id) ?? callId, name: textIn(name) ?? "tool" };
  calls.open.add(calls.ids.length, ["any", `id ${call.id}`, `name ${call.name}`]);
  calls.ids.push(call.id);
  return { type: "tool-call", toolCallId: call.id, toolName: call.name, input: input ?? {} };
}

/** Returns a result with the id of its call: its own, or that of the latest unanswered call of the same name. */
function resultOf(block: Row, { callId, calls, report }: BlockContext): PartInput {
  const { tool_use_id, name, content, is_error } = block;
  const { ids, open } = calls;
  const own = textIn(tool_use_id);
  const found = own === undefined ? (open.last(`name ${name}`) ?? open.last("any")) : open.last(`id ${own}`);
  if (found !== undefined) {
    open.take(found);
  }
  const unread = content == null ? unreadWordsIn(block, SHOWN) : undefined;
  if (unread !== undefined) {
    report(unread);
  }
  return {
    type: "tool_result",
    tool_use_id: own ?? ids[found ?? -1] ?? callId,
    content:
      typeof content === "string" ? content : listIn(content ?? []).flatMap((item) => blockOfResult(item, report)),
    ...(is_error === true ? { is_error } : {}),
  };
}

/** The fields of a call or a result that the page shows to people. */
const SHOWN: ReadonlySet<string> = new Set(["message", "display_content", "integration_name", "structured_content"]);

/** Returns the result of a tool as the model read it. Pages become their text. */
function blockOfResult(item: unknown, report: Report): readonly PartInput[] {
  if (typeof item === "string") {
    return textPart(item);
  }
  const block = recordIn(item);
  return partsOrFault(block, report, () => {
    switch (block.type) {
      case "text":
        return textPart(block.text);
      case "image":
      case "document":
        return mediaOf(block);
      default: {
        const page = pageText(block);
        return textPart(page === "" ? JSON.stringify(item) : page);
      }
    }
  });
}

/** Returns an image or a document: its data, or the facts about the file that it names. */
function mediaOf(block: Row): readonly PartInput[] {
  const { data, url, media_type: mediaType, file_id } = recordIn(block.source);
  const kind = block.type === "image" ? "image" : undefined;
  return attachedPart({
    kind,
    data,
    url: url ?? file_id ?? block.file_uuid,
    name: block.title ?? block.file_name,
    mediaType,
  });
}

/** Returns the attachments. Extracted text is included as text. For a file, the export only has its name. */
function attachmentsOf({ attachments, files, files_v2 }: Row): readonly PartInput[] {
  const read = listIn(attachments)
    .map(recordIn)
    .flatMap(({ file_name: name, file_type: mediaType, extracted_content }) =>
      textIn(extracted_content) === undefined
        ? attachedPart({ name, mediaType })
        : [{ type: "text", text: pageText({ title: name, text: extracted_content }), origin: "file" } as const],
    );
  const seen = new Set<unknown>();
  const named = [...listIn(files_v2), ...listIn(files)].map(recordIn).filter(({ file_uuid, file_name }) => {
    const id = file_uuid ?? file_name;
    return !seen.has(id) && seen.add(id);
  });
  return [...read, ...named.flatMap(fileOf)];
}

function fileOf({ file_uuid, file_name, file_kind, preview_asset }: Row): readonly PartInput[] {
  const { image_width: width, image_height: height } = recordIn(preview_asset);
  const kind = file_kind === "image" ? "image" : undefined;
  return attachedPart({ kind, url: file_uuid, name: file_name, width, height });
}
