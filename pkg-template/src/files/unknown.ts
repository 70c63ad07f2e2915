// Describes a file of no known kind for an error, and the next step.

import { describe } from "../base/options.js";
import { isRecord } from "../base/plain-data.js";
import { type FailedKind, listIn, type Row, textIn } from "./file.js";
import { valuesOfFile, withoutMark } from "./text.js";

/** The number of rows that are examined. */
const LOOKS = 20;

/**
 * Returns the description of a file without any message, in place of the name of its kind. Undefined for a file that has
 * a message, and for a text that isn't JSON.
 */
export function unknownKindOf(text: string): FailedKind | undefined {
  const values = valuesOfFile(withoutMark(text), LOOKS);
  const only = values.length === 1 ? values[0] : values;
  const rows = rowsIn(only);
  if (values.length === 0 || rows.some(({ role }) => role !== undefined)) {
    return undefined;
  }
  const advice = roleAdvice(rows);
  return {
    name: isRecord(only)
      ? objectInWords(only)
      : Array.isArray(only)
        ? listInWords(only)
        : `single ${only === null ? null : typeof only}`,
    isThere: false,
    next: `Map ${rows.length > 0 ? "its rows" : "its messages"} to { role, name, content, createdAt }.${advice === undefined ? "" : ` ${advice}`}`,
  };
}

/** Returns the first rows of a list, or of the longest list in an object. */
const rowsIn = (value: unknown): readonly Row[] =>
  (isRecord(value) ? (longestIn(value)?.[1] ?? []) : listIn(value)).slice(0, LOOKS).filter(isRecord);

/** Returns the longest list of objects among an object's fields. */
function longestIn(value: Row): readonly [name: string, list: readonly unknown[]] | undefined {
  const lists = Object.entries(value).flatMap(([name, list]) =>
    Array.isArray(list) && list.some(isRecord) ? [[name, list] as const] : [],
  );
  return lists.sort(([, left], [, right]) => right.length - left.length)[0];
}

function listInWords(list: readonly unknown[]): string {
  const row = list.find(isRecord);
  return row === undefined ? `list of ${list.length} values, none an object` : `list of ${rowsInWords(row)}`;
}

function rowsInWords(row: Row): string {
  const type = textIn(row.type);
  return `objects${type === undefined ? "" : ` of the type ${JSON.stringify(type)}`} with ${fieldsInWords(row)}`;
}

function objectInWords(value: Row): string {
  const [name, list = []] = longestIn(value) ?? [];
  const row = list.find(isRecord);
  return `object with ${fieldsInWords(value)}${row === undefined ? "" : `, and ${rowsInWords(row)} in "${name}"`}`;
}

/** Maximum number of fields that an error names. */
const NAMED = 6;

/** Returns the names of a value's fields in words: `"who", "said" and 2 more`. */
function fieldsInWords(value: Row): string {
  const names = Object.keys(value).map((name) => describe(name));
  const shown = names.slice(0, names.length > NAMED ? NAMED : names.length);
  const rest = names.length > shown.length ? `${names.length - shown.length} more` : shown.pop();
  return shown.length === 0 ? (rest ?? "nothing") : `${shown.join(", ")} and ${rest}`;
}

/** Fields that exports have for the role. */
const SPEAKERS = ["sender", "from", "author", "speaker", "sender_type", "user", "type"] as const;
/** Their words for the two roles. */
const USER = /^(?:human|user|person|customer|client|visitor|prompt|question)$/i;
const ASSISTANT = /^(?:ai|a\.i\.|bot|chatbot|assistant|model|agent|machine|gpt|llm|response|answer)$/i;

/** Returns how to set the role of messages by a field that names their speakers. Undefined if none has one. */
function roleAdvice(rows: readonly Row[]): string | undefined {
  for (const field of SPEAKERS) {
    const words = [...new Set(rows.map((row) => row[field]))].filter((word) => typeof word === "string");
    const roles = words.flatMap((word) => {
      const role = USER.test(word) ? "user" : ASSISTANT.test(word) ? "assistant" : undefined;
      return role === undefined ? [] : [`${role} for ${describe(word)}`];
    });
    if (roles.length > 0) {
      return `Take the role from "${field}": ${roles.join(", ")}.`;
    }
  }
  return undefined;
}
