// A prompt as Google's AI Studio saves it in Drive: `{ systemInstruction, chunkedPrompt: { chunks, pendingInputs } }`.
// Consecutive chunks of one role are one turn, such as a document and the question about it, or thoughts and the
// answer. Pending inputs were never sent. The format isn't published; the fields of chunks are those that readers of
// real files use, such as Sinity/polylogue (docs/providers).

import { describe } from "../base/options.js";
import { isRecord } from "../base/plain-data.js";
import type { PartInput } from "../message/message.js";
import { type FileKind, listIn, type Row, recordIn, textIn, unreadWordsIn } from "./file.js";
import { attachedPart, contentOf, messagesInTurn, outputOf, partsOrFault, type Report, textPart } from "./parts.js";

export const aiStudioPrompt: FileKind = {
  name: "AI Studio prompt",
  fits: (value) => isRecord(value) && Array.isArray(recordIn(value.chunkedPrompt).chunks),

  read({ id, displayName, title, systemInstruction, chunkedPrompt }, row, file) {
    const conversation = file.begin({ id, title: displayName ?? title }, row);
    const calls: CodeRuns = { count: 0 };
    const partsOf = (chunk: Row, at: number): readonly PartInput[] =>
      partsOrFault(
        chunk,
        (reason) => conversation.skip(reason, at),
        (report) => partsOfChunk(chunk, calls, report),
      );
    const instruction = partsOf(recordIn(systemInstruction), 0);
    if (instruction.length > 0) {
      conversation.take({ role: "system", content: contentOf(instruction) }, 0);
    }
    let turn: StudioTurn | undefined;
    const endTurn = (): void => {
      for (const message of turn === undefined ? [] : messagesInTurn(turn, turn.parts)) {
        conversation.take(message, turn?.at ?? 0);
      }
      turn = undefined;
    };
    for (const [at, chunk] of listIn(recordIn(chunkedPrompt).chunks).entries()) {
      const fields = recordIn(chunk);
      const role = fields.role === "model" ? "assistant" : fields.role;
      if (role !== "user" && role !== "assistant") {
        conversation.skip(`role: unknown role ${describe(fields.role)} of a chunk`, at, fields);
        continue;
      }
      if (turn?.role !== role) {
        endTurn();
        turn = { at, role, parts: [], createdAt: undefined };
      }
      turn.createdAt ??= textIn(fields.createTime);
      const { errorMessage, ...own } = fields;
      const parts = partsOf(own, at);
      for (const part of parts) {
        turn.parts.push(part);
      }
      if (parts.length === 0 && textIn(errorMessage) !== undefined) {
        conversation.skip(`it is an error, not an answer: ${describe(errorMessage)}`, at);
      }
    }
    endTurn();
  },
};

interface StudioTurn {
  readonly at: number;
  readonly role: "user" | "assistant";
  /** The time of its first chunk with content. */
  createdAt: string | undefined;
  readonly parts: PartInput[];
}

/** The fields of a chunk or a part that hold media, with their kinds. */
const MEDIA = [
  ["inlineImage", "image"],
  ["inlineAudio", "audio"],
  ["inlineFile", undefined],
  ["inlineData", undefined],
  ["driveImage", "image"],
  ["driveAudio", "audio"],
  ["driveVideo", "video"],
  ["driveDocument", undefined],
  ["fileData", undefined],
] as const;

/** The number of code runs so far. Neither a run nor its result has an id. */
interface CodeRuns {
  count: number;
}

/** Returns the parts of a chunk. The chunk's text repeats the text of its parts. */
function partsOfChunk(chunk: Row, calls: CodeRuns, report: Report): readonly PartInput[] {
  const isThought = chunk.isThought === true;
  const hasText = textIn(chunk.text) !== undefined;
  const inner = listIn(chunk.parts)
    .map(recordIn)
    .filter(({ text }) => !hasText || textIn(text) === undefined);
  return [
    ...partsOf(chunk, isThought, calls, report),
    ...inner.flatMap((part) =>
      partsOrFault(part, report, (fault) => partsOf(part, isThought || part.thought === true, calls, fault)),
    ),
  ];
}

function partsOf(fields: Row, isThought: boolean, calls: CodeRuns, report: Report): readonly PartInput[] {
  const { text, youtubeVideo } = fields;
  const said: readonly PartInput[] =
    isThought && textIn(text) !== undefined ? [{ type: "reasoning", text: text as string }] : textPart(text);
  const video = textIn(recordIn(youtubeVideo).id);
  return [
    ...said,
    ...MEDIA.flatMap(([field, kind]) => mediaIn(recordIn(fields[field]), kind)),
    ...(video === undefined ? [] : attachedPart({ kind: "video", url: `https://www.youtube.com/watch?v=${video}` })),
    ...callsIn(fields, calls, report),
  ];
}

function mediaIn(media: Row, kind: "image" | "audio" | "video" | undefined): readonly PartInput[] {
  const { data, id, fileUri, mimeType: mediaType, name } = media;
  return attachedPart({ kind, data, url: id ?? fileUri, name, mediaType });
}

/** Returns code runs and function calls, and their results. */
function callsIn(fields: Row, calls: CodeRuns, report: Report): readonly PartInput[] {
  const { executableCode, codeExecutionResult, functionCall, functionResponse } = fields;
  const parts: PartInput[] = [];
  if (isRecord(executableCode)) {
    calls.count += 1;
    const { language, code } = executableCode;
    parts.push({ type: "tool-call", toolCallId: `code-${calls.count}`, toolName: CODE, input: { language, code } });
  }
  if (isRecord(codeExecutionResult)) {
    const { outcome, output } = codeExecutionResult;
    parts.push({ type: "tool-result", toolCallId: `code-${calls.count}`, output: textIn(output) ?? outcome ?? "" });
  }
  if (isRecord(functionCall) && typeof functionCall.name === "string") {
    const { id, name, args } = functionCall;
    parts.push({ type: "tool-call", toolCallId: textIn(id) ?? name, toolName: name, input: args ?? {} });
  }
  if (isRecord(functionResponse) && typeof functionResponse.name === "string") {
    const { id, name, response } = functionResponse;
    const unread = response === undefined ? unreadWordsIn(functionResponse) : undefined;
    if (unread !== undefined) {
      report(unread);
    }
    parts.push({ type: "tool-result", toolCallId: textIn(id) ?? name, output: outputOf(response) });
  }
  return parts;
}

/** The API's name for the tool that runs code. */
const CODE = "code_execution";
