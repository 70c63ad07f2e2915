// Messages of Semantic Kernel's `ChatMessageContent`, as .NET and Python serialize them, and of its successors: Agent
// Framework and Microsoft.Extensions.AI. The fields are those of microsoft/semantic-kernel
// (dotnet/src/SemanticKernel.Abstractions/Contents, python/semantic_kernel/contents).
//
// Recognized by: `items` or `contents` whose entries have `$type`, `content_type` or `type`, next to a role.

import { listFrom } from "../../base/lists.js";
import {
  kindOfMediaType,
  type MessageFormat,
  partsWithText,
  recordOf,
  type TextKind,
  timeIn,
  type UnknownRecord,
  withoutSome,
} from "../../message/format.js";
import { list, required, text, unknownType } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { callPart, mediaPart } from "../../message/parts.js";

/** The fields of a message that windrow reads, as a structural type. */
export type SemanticKernelMessageShape =
  | { readonly role: string | object; readonly items: readonly object[] }
  | { readonly role: string | object; readonly contents: readonly object[] }
  | { readonly Role: string | object; readonly Items: readonly object[] };

/** The names of the list of items, in the makers' spellings. */
const LISTS = ["items", "Items", "contents", "Contents"] as const;

export const semanticKernelShape: MessageFormat = {
  name: "semantic-kernel",
  title: "Semantic Kernel ChatMessageContent",
  signs: ["items", "Items", "contents", "Contents"],
  fields: new Set([
    ...[
      ...LISTS,
      "id",
      "role",
      "Role",
      "name",
      "createdAt",
      "created_at",
      "CreatedAt",
      "$type",
      "type",
      "content_type",
    ],
    ...["authorName", "author_name", "AuthorName", "messageId", "message_id", "MessageId"],
  ]),

  fits: (row) =>
    row.content == null &&
    roleIn(row) !== undefined &&
    listFrom(row[listOf(row)]).some((item) => kindOf(recordOf(item)) !== ""),

  read(row) {
    const { id, name, createdAt } = row;
    const field = listOf(row);
    return {
      id: id as string | undefined,
      role: roleIn(row) as PlainMessage["role"],
      name: text(firstOf(row, "authorName", "author_name", "AuthorName") ?? name, ".name"),
      createdAt: timeIn(createdAt, row.created_at, row.CreatedAt),
      content: list(row[field], `.${field}`)
        .map(recordOf)
        .map((item, at) => {
          const place = `.${field}[${at}]`;
          return from(readItem(item, place), isOfTool(item) ? item : undefined, place);
        }),
    };
  },

  withText: (row, own) => ({
    ...row,
    [listOf(row)]: partsWithText(row[listOf(row)] as readonly UnknownRecord[], own, {
      kindOf: textKindOf,
      rewritten: (item, said) => ({ ...item, [fieldOf(item)]: said }),
      made: (said) => textItem(recordOf(listFrom(row[listOf(row)])[0]), said),
    }),
  }),

  withoutToolCalls: (row, isUnwanted = () => true) =>
    withoutSome(row, listOf(row), (item) => isOfTool(item) && isUnwanted(item)),

  withLines(value, next) {
    const line = MEDIA.test(kindOf(value)) && (urlOf(value) ?? dataOf(value)) !== undefined ? next() : undefined;
    return line === undefined ? undefined : line === null ? value : textItem(value, line);
  },
};

/** Returns the name of the list of items that a message has. */
const listOf = (row: UnknownRecord): string => LISTS.find((field) => Array.isArray(row[field])) ?? "items";

/** Returns the first of some fields with a value. */
const firstOf = (row: UnknownRecord, ...names: readonly string[]): unknown =>
  names.map((name) => row[name]).find((value) => value != null);

/** Returns the role in lower case: a text, or the `label` or `value` of an object. */
function roleIn(row: UnknownRecord): string | undefined {
  const role = firstOf(row, "role", "Role");
  const named = firstOf(recordOf(role), "label", "Label", "value", "Value") ?? role;
  return typeof named === "string" ? named.toLowerCase() : undefined;
}

/** Returns the kind of an item in one spelling: `FunctionCallContent` and `function_call` are `functioncall`. */
const kindOf = ({ $type, content_type: kind, type }: UnknownRecord): string =>
  String($type ?? kind ?? type ?? "")
    .toLowerCase()
    .replace(/[^a-z]/g, "")
    .replace(/(?<=.)content$/, "");

const CALL = "functioncall";
const RESULT = "functionresult";
const THOUGHT = /^(?:text)?reasoning$/;
const MEDIA = /^(?:image|audio|binary|data|uri)$/;
const isOfTool = (item: UnknownRecord): boolean => kindOf(item) === CALL || kindOf(item) === RESULT;

/** The names of a function call's or a result's fields. */
const CALL_ID = ["callId", "call_id", "CallId", "id", "Id"] as const;

function readItem(item: UnknownRecord, place: string): PartInput {
  const kind = kindOf(item);
  if (kind === "text" || THOUGHT.test(kind)) {
    const type = kind === "text" ? "text" : "reasoning";
    return { type, text: text(item[fieldOf(item)], `${place}.${fieldOf(item)}`) ?? "" };
  }
  if (kind === CALL) {
    const name = nameOf(item);
    // A call without an id is known by its name.
    const id = firstOf(item, ...CALL_ID) ?? name;
    return callPart(
      {},
      { id, name, input: inputOf(firstOf(item, "arguments", "Arguments")), fields: ["id", "name"] },
      place,
    );
  }
  if (kind === RESULT) {
    const toolCallId = required(firstOf(item, ...CALL_ID) ?? nameOf(item), `${place}.id`);
    return { type: "tool-result", toolCallId, output: item[fieldOf(item)] ?? "" };
  }
  if (MEDIA.test(kind)) {
    const mediaType = firstOf(item, "mimeType", "mime_type", "MimeType", "mediaType", "media_type", "MediaType");
    const type = kind === "image" || kind === "audio" ? kind : kindOfMediaType(mediaType);
    return mediaPart({ type, mediaType, url: urlOf(item), data: dataOf(item) }, type, place);
  }
  throw unknownType(
    item.$type ?? item.content_type ?? item.type,
    place,
    "item",
    "the items of Semantic Kernel's messages",
  );
}

/** Returns the name that the model knows a function by: the plugin's before its own. */
function nameOf(item: UnknownRecord): unknown {
  const name = firstOf(item, "name", "Name") ?? firstOf(item, "functionName", "FunctionName", "function_name");
  const plugin = firstOf(item, "pluginName", "PluginName");
  return plugin === undefined ? name : `${plugin}-${name}`;
}

const urlOf = (item: UnknownRecord): unknown => firstOf(item, "dataUri", "DataUri", "data_uri", "uri", "Uri");

const dataOf = (item: UnknownRecord): unknown => firstOf(item, "data", "Data");

/** Returns arguments, which may be a JSON text. */
function inputOf(given: unknown): unknown {
  try {
    return typeof given === "string" && given !== "" ? JSON.parse(given) : (given ?? {});
  } catch {
    return given;
  }
}

/** Returns the field with an item's words. */
function fieldOf(item: UnknownRecord): string {
  const name = kindOf(item) === RESULT ? "result" : "text";
  const inPascalCase = name.charAt(0).toUpperCase() + name.slice(1);
  return inPascalCase in item ? inPascalCase : name;
}

function textKindOf(item: UnknownRecord): TextKind {
  const kind = kindOf(item);
  return kind === "text" ? "text" : kind === RESULT ? "result" : undefined;
}

/** Returns a text as an item, in the spelling of another item. */
function textItem(like: UnknownRecord, said: string): UnknownRecord {
  if ("content_type" in like) {
    return { content_type: "text", text: said };
  }
  if ("type" in like) {
    return { type: "text", text: said };
  }
  const isPascalCase = Object.keys(like).some((field) => /^[A-Z]/.test(field));
  const $type = /content$/i.test(String(like.$type)) ? "TextContent" : "text";
  return isPascalCase ? { $type, Text: said } : { $type, text: said };
}
