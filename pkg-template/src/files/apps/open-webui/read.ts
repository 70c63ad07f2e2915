// Open WebUI's export: a list of chats, each a tree of messages in `chat.history`. `currentId` is the end of the
// visible branch. Reasoning and tool calls are items in `output`, or `<details>` within the texts in older versions. The
// fields are those of open-webui/open-webui (src/lib/utils/index.ts, backend/open_webui/utils: middleware.py, misc.py).

import type { PartInput } from "../../../message/message.js";
import { timeMsOf } from "../../../message/times.js";
import { listIn, type Row, recordIn, textIn, unreadPartsIn, unreadWordsIn } from "../../file.js";
import { typeInWords } from "../../log.js";
import { filePart, messagesInTurn, partsOrFault, type Report, textPart, timeOfSeconds } from "../../parts.js";
import type { AppStep, KindReader } from "../../readers.js";
import { parsedText } from "../../text.js";
import { openWebUiKind } from "./kind.js";

export const openWebUi: KindReader = {
  kind: openWebUiKind,
  open(value) {
    const { id, title, created_at } = value;
    const { title: own, system, params, history, messages } = recordIn(parsedText(value.chat ?? value));
    const tree = recordIn(recordIn(history).messages);
    const rows = Object.entries(tree).map(([key, row]) => ({ id: key, ...recordIn(row) }));
    const instructions = textIn(system) ?? textIn(recordIn(params).system);
    return [
      {
        facts: { id, title: title ?? own, startedAt: timeOfSeconds(created_at) },
        first: instructions === undefined ? [] : [{ role: "system", content: instructions }],
        rows: rows.length > 0 ? rows : listIn(messages),
        leaf: rows.length > 0 ? textIn(recordIn(history).currentId) : undefined,
        isTree: rows.length > 0,
      },
    ];
  },
  rowReader: () => stepOf,
};

/** The fields of a message that are read, and the sources that the app shows next to an answer. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(["content", "output", "files", "sources", "embeds"]);

function stepOf(row: Row): AppStep {
  const { id, parentId, role, content, output, timestamp, files, error } = row;
  const head = { id: textIn(id), role: String(role), createdAt: timeOfSeconds(timestamp) };
  const texts = Array.isArray(content)
    ? content.flatMap((part) => textIn(recordIn(part).text) ?? []).join("\n")
    : content;
  const attached = listIn(files)
    .map(recordIn)
    .flatMap((file) => filePart(nameOf(file), file.url));
  const pictures = listIn(content).flatMap((part) => {
    const { type, image_url: picture } = recordIn(part);
    return type === "image_url" ? filePart("image", recordIn(picture).url) : [];
  });
  const faults: string[] = [];
  const items = role === "assistant" ? listIn(output).map(recordIn) : [];
  const report = (fault: string): void => {
    faults.push(fault);
  };
  const inItems = items.flatMap((item) => partsOrFault(item, report, (fault) => itemParts(item, fault)));
  const parts = [
    ...(inItems.length > 0 ? inItems : role === "assistant" ? partsIn(texts) : textPart(texts)),
    ...pictures,
    ...attached,
  ];
  const unread = unreadPartsIn(row, MESSAGE_FIELDS, parts);
  return {
    ...(head.id === undefined ? {} : { id: head.id }),
    parent: parentId === undefined ? undefined : (textIn(parentId) ?? null),
    timeMs: timeMsOf(head.createdAt),
    messages: messagesInTurn(head, parts),
    ...(parts.length > 0
      ? { faults: [...faults, ...(unread === undefined ? [] : [unread])] }
      : { isSaid: false, faults: [...faults, error == null ? "the message is empty" : "error: the answer failed"] }),
  };
}

/** Returns the parts of an item of an answer. */
function itemParts(item: Row, report: Report): readonly PartInput[] {
  const { type, call_id, name, arguments: given, content, summary, output } = item;
  const toolCallId = textIn(call_id);
  switch (type) {
    case "message":
      return textPart(textsIn(content));
    case "reasoning": {
      const text = textIn(textsIn(content)) ?? textIn(textsIn(summary));
      return text === undefined ? [] : [{ type: "reasoning", text }];
    }
    case "function_call":
      if (toolCallId !== undefined && textIn(name) !== undefined) {
        return [
          { type: "tool-call", toolCallId, toolName: name as string, input: valueIn(textIn(given)) ?? given ?? {} },
        ];
      }
      break;
    case "function_call_output":
      if (toolCallId !== undefined) {
        const text = textsIn(output);
        const unread = text === "" ? unreadWordsIn(item) : undefined;
        if (unread !== undefined) {
          report(unread);
        }
        return [{ type: "tool-result", toolCallId, output: text }];
      }
      break;
    default:
  }
  report(`output: an item of ${typeInWords(type)} is not read`);
  return [];
}

/** Returns the text of a text, or of a list of parts. */
const textsIn = (parts: unknown): string =>
  typeof parts === "string"
    ? parts
    : listIn(parts)
        .map((part) => textIn(recordIn(part).text) ?? "")
        .join("");

function nameOf({ name, file, type, url }: Row): string | undefined {
  const { filename, meta } = recordIn(file);
  // An image has its data in `url`.
  return (
    textIn(name) ??
    textIn(filename) ??
    textIn(recordIn(meta).name) ??
    (type === "image" || url !== undefined ? "image" : undefined)
  );
}

const DETAILS = /<details\b([^>]*)>/g;
const DETAILS_END = "</details>";

/**
 * Returns the parts of an answer: its `<details>` with reasoning and calls, and the text around them. Other `<details>`
 * stay text.
 */
function partsIn(content: unknown): readonly PartInput[] {
  if (typeof content !== "string") {
    return [];
  }
  const parts: PartInput[] = [];
  let from = 0;
  let end = 0;
  for (const match of content.matchAll(DETAILS)) {
    const start = match.index;
    const inner = start + match[0].length;
    // Several openings may share one end, so it is searched for once.
    end = end < inner ? content.indexOf(DETAILS_END, inner) : end;
    if (end < 0) {
      break;
    }
    const found =
      start < from ? undefined : detailsParts(attributesIn(match[1] as string), content, [inner, end], parts.length);
    if (found !== undefined) {
      parts.push(...textPart(content.slice(from, start).trim()), ...found);
      from = end + DETAILS_END.length;
    }
  }
  return [...parts, ...textPart(content.slice(from).trim())];
}

function detailsParts(
  given: ReadonlyMap<string, string>,
  content: string,
  inner: readonly [start: number, end: number],
  number: number,
): readonly PartInput[] | undefined {
  if (given.get("type") === "reasoning") {
    const said = content.slice(...inner).replace(/^\s*<summary>[^<]*<\/summary>/, "");
    const lines = said.split("\n").map((line) => line.replace(/^> ?/, ""));
    const text = lines.join("\n").trim();
    return text === "" ? [] : [{ type: "reasoning", text: unescaped(text) }];
  }
  const toolName = textIn(given.get("name"));
  if (given.get("type") !== "tool_calls" || toolName === undefined) {
    return undefined;
  }
  const toolCallId = textIn(given.get("id")) ?? `call-${number + 1}`;
  const result = given.get("result");
  return [
    { type: "tool-call", toolCallId, toolName, input: valueIn(given.get("arguments")) ?? {} },
    ...(given.get("done") === "true" && result !== undefined
      ? [{ type: "tool-result" as const, toolCallId, output: valueIn(result) }]
      : []),
  ];
}

function attributesIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, unescaped(value)]),
  );
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...([
    ["amp", "&"],
    ["lt", "<"],
    ["gt", ">"],
    ["quot", '"'],
    ["#x27", "'"],
    ["#39", "'"],
  ] as const),
]);

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27|#39);/g, (_, name: string) => ENTITIES.get(name) ?? "");
}

/** Parses a value from JSON, which may itself be a JSON text. Returns the text unchanged if it isn't JSON. */
const valueIn = (text: string | undefined): unknown => parsedText(parsedText(text));
