// ChatGPT's export, `conversations.json`: a list of conversations, each a tree of messages in `mapping`. `current_node`
// is the end of the visible branch, and only that branch is read. The format isn't published; mohamed-chs/convoviz
// (docs/dev/chatgpt-spec.md) and pionxzh/chatgpt-exporter (src/api.ts) document its fields.
//
// Messages hidden from people are read too, because the model saw them: instructions, memories, opened files. They have
// the tag `hidden`, so `filter.excludeTags` can leave them out.

import { describe } from "../base/options.js";
import { isRecord } from "../base/plain-data.js";
import type { MessageInput, PartInput } from "../message/message.js";
import { timeMsOf } from "../message/times.js";
import { type FileKind, listIn, type OpenConversation, type Row, recordIn, textIn, unreadWordsIn } from "./file.js";
import { attachedPart, contentOf, pageText, partsOrFault, type Report, textPart, timeOfSeconds } from "./parts.js";
import { branchOf } from "./tree.js";

export const chatGptExport: FileKind = {
  name: "ChatGPT export",
  // DeepSeek's export also has a tree named `mapping`, with different messages in it. A damaged conversation has none.
  fits: (value) =>
    isRecord(value) &&
    (isRecord(value.mapping) ||
      (value.mapping == null &&
        typeof value.create_time === "number" &&
        textIn(value.conversation_id) !== undefined)) &&
    !("role" in value) &&
    !("inserted_at" in value),

  read({ id, conversation_id, title, create_time, mapping, current_node }, row, file) {
    if (!isRecord(mapping)) {
      file.skip(row ?? 1, "mapping: the conversation has no messages");
      return;
    }
    const facts = { id: conversation_id ?? id, title, startedAt: timeOfSeconds(create_time) };
    const conversation = file.begin(facts, row);
    const nodes = Object.entries(mapping).map(([id, value]) => {
      const node = recordIn(value);
      const { parent, message } = node;
      const createdAt = timeOfSeconds(recordIn(message).create_time);
      return { id, parent: textIn(parent), node, message, createdAt, timeMs: timeMsOf(createdAt) };
    });
    const { nodes: branch, faults } = branchOf(nodes, textIn(current_node));
    for (const fault of faults) {
      conversation.skip(fault);
    }
    const calls: OpenCalls = { byTool: new Map(), last: undefined };
    for (const [at, { id, node, message, createdAt }] of branch.entries()) {
      const unread = isRecord(message) ? undefined : unreadWordsIn(node);
      if (isRecord(message)) {
        readMessage(message, { id, ...(createdAt === undefined ? {} : { createdAt }) }, { conversation, at, calls });
      } else if (unread !== undefined) {
        conversation.skip(unread, at);
      }
    }
  },
};

/** A tool call, and its result so far. */
interface ExportedCall {
  readonly id: string;
  readonly tool: string;
  result?: PartInput[];
}

/** The calls since the user last spoke. A result only names its tool. */
interface OpenCalls {
  readonly byTool: Map<string, ExportedCall>;
  last: ExportedCall | undefined;
}

/** The destination of a message that is read. */
interface Into {
  readonly conversation: OpenConversation;
  readonly at: number;
  readonly calls: OpenCalls;
}

function readMessage(
  message: Row,
  head: { readonly id: string; readonly createdAt?: string },
  { conversation, at, calls }: Into,
): void {
  const isHidden = recordIn(message.metadata).is_visually_hidden_from_conversation === true;
  const take = (fields: Pick<MessageInput, "role" | "content" | "name" | "toolCallId">): boolean =>
    conversation.take({ ...head, ...fields, ...(isHidden ? { tags: ["hidden"] } : {}) }, at);
  const parts = partsOf(message, (reason) => conversation.skip(reason, at));
  const given = roleOf(message);
  // The first thinking models recorded their thoughts as a tool.
  const role = given === "tool" && parts.length > 0 && parts.every(isReasoning) ? "assistant" : given;
  const tool = textIn(message.recipient);
  if (role === "tool") {
    takeResult(textIn(recordIn(message.author).name), parts, calls, take);
  } else if (role === "assistant" && tool !== undefined && tool !== "all" && !parts.some(isReasoning)) {
    takeCall({ id: head.id, tool }, parts, calls, take);
  } else if (role === undefined) {
    conversation.skip(`author: unknown role ${describe(recordIn(message.author).role)}`, at, message);
  } else {
    if (role === "user") {
      calls.byTool.clear();
      calls.last = undefined;
    }
    if (parts.length > 0) {
      take({ role, content: contentOf(parts) });
    }
  }
}

/** Adds text that the assistant sent to a tool as a call of it. */
function takeCall(
  call: ExportedCall,
  parts: readonly PartInput[],
  calls: OpenCalls,
  take: (fields: Pick<MessageInput, "role" | "content">) => boolean,
): void {
  const input = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const others = parts.filter(({ type }) => type !== "text");
  const part: PartInput = { type: "tool-call", toolCallId: call.id, toolName: call.tool, input };
  if (take({ role: "assistant", content: [...others, part] })) {
    calls.byTool.set(call.tool, call);
    calls.byTool.set(familyOf(call.tool), call);
    calls.last = call;
  }
}

/** Adds a tool's message as the result of its call. A call has one result; later messages become part of it. */
function takeResult(
  name: string | undefined,
  parts: readonly PartInput[],
  calls: OpenCalls,
  take: (fields: Pick<MessageInput, "role" | "content" | "name" | "toolCallId">) => boolean,
): void {
  const call = callOf(name, calls);
  if (call?.result !== undefined) {
    for (const part of parts) {
      call.result.push(part);
    }
    return;
  }
  // A call without output still gets a result.
  if (parts.length === 0 && call === undefined) {
    return;
  }
  const content = [...parts];
  const isTaken = take({
    role: "tool",
    ...(name === undefined ? {} : { name }),
    content,
    ...(call === undefined ? {} : { toolCallId: call.id }),
  });
  if (call !== undefined && isTaken) {
    call.result = content;
  }
}

/** Returns the call that a tool answers. Undefined if the model received content that it hadn't asked for. */
function callOf(name: string | undefined, { byTool, last }: OpenCalls): ExportedCall | undefined {
  const own = name === undefined ? undefined : (byTool.get(name) ?? byTool.get(familyOf(name)));
  const isOpen = last !== undefined && (last.result === undefined || familyOf(last.tool) === "multi_tool_use");
  return own ?? (isOpen ? last : undefined);
}

/** `browser` answers `browser.search`, and `web.run` answers `web`. */
function familyOf(tool: string): string {
  return tool.split(".", 1)[0] as string;
}

const isReasoning = ({ type }: PartInput): boolean => type === "reasoning";

/** Notes about the user, by the user or the model, are instructions: the model receives them in every turn. */
const INSTRUCTIONS: readonly unknown[] = ["user_editable_context", "model_editable_context"];

function roleOf({ author, content, metadata }: Row): "user" | "assistant" | "system" | "tool" | undefined {
  const isInstruction = INSTRUCTIONS.includes(recordIn(content).content_type);
  if (isInstruction || recordIn(metadata).is_user_system_message === true) {
    return "system";
  }
  const { role } = recordIn(author);
  return role === "user" || role === "assistant" || role === "system" || role === "tool" ? role : undefined;
}

function partsOf(message: Row, report: Report): readonly PartInput[] {
  const [content, metadata] = [recordIn(message.content), recordIn(message.metadata)];
  const { about_user_message, about_model_message } = recordIn(metadata.user_context_message_data);
  const instructions = [...textPart(about_user_message), ...textPart(about_model_message)];
  if (instructions.length > 0) {
    return instructions;
  }
  // The time it thought, shown to people only.
  const isSilent = content.content_type === "reasoning_recap";
  const parts = isSilent ? [] : partsOrFault(content, report, (fault) => partsOfContent(content, fault));
  // The harmony format's name for the channel of thoughts.
  const isThought = message.channel === "analysis" && message.recipient === "all";
  const said = isThought
    ? parts.map((part): PartInput => (part.type === "text" ? { type: "reasoning", text: part.text } : part))
    : parts;
  return [...said, ...attachmentsOf(metadata.attachments, content.parts)];
}

function partsOfContent(content: Row, report: Report): readonly PartInput[] {
  const { content_type: type, parts } = content;
  switch (type) {
    case "text":
    case "multimodal_text": {
      // A transcription says that somebody spoke. The sound isn't in the file.
      const isWritten = listIn(parts).some((part) => recordIn(part).content_type === "audio_transcription");
      return listIn(parts).flatMap((part) => partOf(part, isWritten, report));
    }
    case "code":
    case "execution_output":
    case "tether_browsing_code":
    case "stderr":
      return textPart(content.text);
    case "thoughts":
      return listIn(content.thoughts).flatMap(thoughtOf);
    case "tether_browsing_display":
      return [...textPart(content.result), ...textPart(content.summary)];
    case "tether_quote":
    case "sonic_webpage":
      return textPart(pageText(content));
    case "user_editable_context":
      return [...textPart(content.user_profile), ...textPart(content.user_instructions)];
    case "model_editable_context":
      return textPart(content.model_set_context);
    case "system_error":
      return textPart([content.name, content.text].filter((text) => textIn(text) !== undefined).join(": "));
    case "citable_code_output":
      return textPart(content.output_str);
    case "computer_output":
      return partOf(content.screenshot, false, report);
    default: {
      const known = [content.text, ...listIn(parts)].flatMap(textPart);
      report(`content: unknown content ${describe(type)}${known.length > 0 ? "; only its text was read" : ""}`);
      return known;
    }
  }
}

function thoughtOf(thought: unknown): readonly PartInput[] {
  const { summary, content, chunks } = recordIn(thought);
  const said = textIn(content) ?? listIn(chunks).filter(textIn).join(" ");
  const text = [summary, said].filter((line) => textIn(line) !== undefined).join("\n");
  return text === "" ? [] : [{ type: "reasoning", text }];
}

function partOf(part: unknown, isWritten: boolean, report: Report): readonly PartInput[] {
  if (part == null || typeof part === "string") {
    return textPart(part);
  }
  const fields = recordIn(part);
  return partsOrFault(fields, report, (fault) => partOfFields(fields, isWritten, fault));
}

function partOfFields(fields: Row, isWritten: boolean, report: Report): readonly PartInput[] {
  switch (fields.content_type ?? fields.type) {
    case "text":
    case "audio_transcription":
      return textPart(fields.text);
    case "image_asset_pointer":
      return pointerPart(fields, "image");
    case "audio_asset_pointer":
      return isWritten ? [] : pointerPart(fields, "audio");
    case "video_container_asset_pointer":
    case "video_asset_pointer":
      return pointerPart(fields, "video");
    case "real_time_user_audio_video_asset_pointer": {
      // The pictures are frames of the video that the model saw.
      const frames = listIn(fields.frames_asset_pointers).flatMap((frame) =>
        pointerPart(typeof frame === "string" ? { asset_pointer: frame } : recordIn(frame), "image"),
      );
      const film = frames.length > 0 ? frames : pointerPart(recordIn(fields.video_container_asset_pointer), "video");
      return [...(isWritten ? [] : pointerPart(recordIn(fields.audio_asset_pointer), "audio")), ...film];
    }
    case "tether_quote":
    case "sonic_webpage":
      return textPart(pageText(fields));
    case "tether_browsing_display":
      return [...textPart(fields.result), ...textPart(fields.summary)];
    default: {
      const known = textPart(fields.text);
      const type = fields.content_type ?? fields.type;
      report(`content: unknown part ${describe(type)}${known.length > 0 ? "; only its text was read" : ""}`);
      return known;
    }
  }
}

/** Returns the part for a pointer to a file, either next to the export or kept by OpenAI. */
function pointerPart(pointer: Row, kind: "image" | "audio" | "video"): readonly PartInput[] {
  const { asset_pointer: url, mime_type: mediaType, width, height, size_bytes: bytes } = pointer;
  const { start, end } = recordIn(pointer.metadata);
  const seconds = typeof start === "number" && typeof end === "number" ? end - start : undefined;
  return attachedPart({ kind, url, mediaType, width, height, bytes, seconds });
}

/** Returns the attachments, except those that are also among the parts. */
function attachmentsOf(attachments: unknown, parts: unknown): readonly PartInput[] {
  const shown = new Set(listIn(parts).map((part) => fileIdOf(recordIn(part).asset_pointer)));
  return listIn(attachments)
    .map(recordIn)
    .filter(({ id }) => fileIdOf(id) === "" || !shown.has(fileIdOf(id)))
    .flatMap(({ id, name, mime_type: mediaType, width, height }) =>
      attachedPart({ url: id, name, mediaType, width, height }),
    );
}

/** Returns the file id in a pointer such as `file-service://file-…` or `sediment://file_…#page`. */
function fileIdOf(pointer: unknown): string {
  return (textIn(pointer) ?? "").replace(/^[a-z-]+:\/\//, "").split(/[#?]/, 1)[0] as string;
}
