// The chats of SillyTavern: a header, then one message per line. `mes` is the visible swipe. Messages with `is_system`
// are hidden from the prompt, except those that record tool calls. The fields are those of SillyTavern/SillyTavern
// (public/script.js, public/scripts/tool-calling.js).

import type { PartInput } from "../../../message/message.js";
import { isoOf, timeMsOf } from "../../../message/times.js";
import { listIn, type Row, recordIn, textIn, unreadWordsIn } from "../../file.js";
import { fileLine, filePart, messagesInTurn, textPart } from "../../parts.js";
import type { AppStep, KindReader } from "../../readers.js";
import { parsedText } from "../../text.js";
import { sillyTavernKind } from "./kind.js";

export const sillyTavern: KindReader = { kind: sillyTavernKind, rowReader: () => stepOf };

function stepOf(row: Row): AppStep {
  const { name, is_user, is_system, mes, send_date, extra, chat_metadata } = row;
  const createdAt = timeIn(send_date);
  if (mes === undefined && is_user === undefined) {
    const note = textIn(recordIn(chat_metadata).note_prompt);
    return {
      messages: [],
      isSaid: false,
      faults: note === undefined ? [] : ["note_prompt: the author's note is not read"],
    };
  }
  const { reasoning, tool_invocations, file, files, image, video, media } = recordIn(extra);
  const faults: string[] = [];
  const calls = listIn(tool_invocations)
    .map(recordIn)
    .flatMap((call) => callParts(call, faults));
  if (calls.length > 0 || faults.length > 0) {
    return { messages: messagesInTurn({ role: "assistant", createdAt }, calls), faults };
  }
  if (is_system === true) {
    return { messages: [], faults: ["is_system: the message is hidden from the prompt"] };
  }
  const pictures = [image, video, ...listIn(media)].map((one) => textIn(one) ?? textIn(recordIn(one).url));
  const attached = [
    ...[file, ...listIn(files)].flatMap((one) => textIn(recordIn(one).name) ?? []),
    ...pictures.flatMap((one) => pictureName(one) ?? []),
  ];
  const thought = textIn(reasoning);
  const parts: readonly PartInput[] = [
    ...(thought === undefined ? [] : [{ type: "reasoning" as const, text: thought }]),
    ...textPart([mes, ...attached.map(fileLine)].filter((line) => textIn(line) !== undefined).join("\n")),
    ...pictures.flatMap((one) => filePart(undefined, one)),
  ];
  const speaker = textIn(name);
  const role = is_user === true ? "user" : "assistant";
  return {
    messages: messagesInTurn({ role, createdAt }, parts).map((message) =>
      speaker === undefined ? message : { ...message, name: speaker },
    ),
    ...(parts.length === 0 ? { faults: ["the message has no content that windrow reads"] } : {}),
  };
}

/** Returns the name of an image or a video: the end of its address. Undefined if that is its data. */
const pictureName = (address: string | undefined): string | undefined =>
  address?.startsWith("data:") ? undefined : address?.split("/").at(-1);

/** The fields of a call that are read, or that the program shows to people. */
const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "name", "displayName", "parameters"]);

function callParts(call: Row, faults: string[]): readonly PartInput[] {
  const { id, name, parameters, result } = call;
  const [toolCallId, toolName] = [textIn(id), textIn(name)];
  if (toolCallId === undefined || toolName === undefined) {
    faults.push("tool_invocations: a call without an id or a name is not read");
    return [];
  }
  const unread = result === undefined ? unreadWordsIn(call, CALL_FIELDS) : undefined;
  if (unread !== undefined) {
    faults.push(`tool_invocations: ${unread}`);
  }
  return [
    { type: "tool-call", toolCallId, toolName, input: parsedText(parameters) ?? {} },
    ...(result === undefined ? [] : [{ type: "tool-result" as const, toolCallId, output: result }]),
  ];
}

const MONTHS = "january february march april may june july august september october november december".split(" ");

/**
 * Parses a time as SillyTavern writes it: milliseconds, ISO 8601, "June 1, 2026 10:00am", or "2026-06-01 @10h 00m 00s
 * 123ms".
 */
function timeIn(date: unknown): string | undefined {
  const known = isoOf(timeMsOf(typeof date === "string" && /^\d{12,14}$/.test(date) ? Number(date) : date));
  if (known !== undefined || typeof date !== "string") {
    return known;
  }
  const spoken = /^(\w{3,9}) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2})\s?([ap])m$/i.exec(date);
  const marked = /^(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?$/.exec(date);
  if (spoken !== null) {
    const [, month = "", day, year, hour, minute, half] = spoken;
    const hours = (Number(hour) % 12) + (half?.toLowerCase() === "p" ? 12 : 0);
    const at = MONTHS.findIndex((one) => one.startsWith(month.toLowerCase()));
    return at < 0 ? undefined : isoOf(Date.UTC(Number(year), at, Number(day), hours, Number(minute)));
  }
  if (marked === null) {
    return undefined;
  }
  const [, year, month, day, hour, minute, second, ms = 0] = marked.map(Number);
  return isoOf(Date.UTC(year as number, (month as number) - 1, day, hour, minute, second, ms || 0));
}
