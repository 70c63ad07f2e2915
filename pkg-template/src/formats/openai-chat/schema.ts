// The fields of OpenAI's chat completions, and the additional ones that an OpenAI-compatible server sets.

import { jsonOf } from "../../base/json.js";
import { isRecord } from "../../base/plain-data.js";
import type { ServerFields } from "../../message/dialect.js";
import type { UnknownRecord } from "../../message/format.js";
import { isAbout, plainName, SERVER_FACTS } from "../../message/substance.js";
import { type FieldSchema, fields } from "../request/schema.js";

export const TEXT: FieldSchema = fields("type text prompt_cache_breakpoint");
export const REFUSAL: FieldSchema = fields("type refusal");
export const USER_PARTS: Readonly<Record<string, FieldSchema>> = {
  text: TEXT,
  image_url: fields("type prompt_cache_breakpoint", { image_url: fields("url detail") }),
  input_audio: fields("type prompt_cache_breakpoint", { input_audio: fields("data format") }),
  file: fields("type prompt_cache_breakpoint", { file: fields("file_data file_id filename") }),
};
export const PARTS: Readonly<Record<string, FieldSchema>> = { ...USER_PARTS, refusal: REFUSAL };
export const CALLS: Readonly<Record<string, FieldSchema>> = {
  function: fields("id type", { function: fields("name arguments") }),
  custom: fields("id type", { custom: fields("name input") }),
};
export const MESSAGES: Readonly<Record<string, FieldSchema>> = {
  system: fields("role content name"),
  developer: fields("role content name"),
  user: fields("role content name"),
  assistant: fields("role content name refusal tool_calls", { audio: fields("id") }),
  tool: fields("role content tool_call_id"),
};

/** The marks of copies that windrow makes, and the field for the call of a function, which OpenAI has replaced. */
const MARKS = new Set(["shortened", "excerpt", "function_call"]);
/** Fields in windrow's own form that describe a call or a part. */
const PROOF = new Set(["provider", "signature", "providerExecuted", "isCustom"]);
const THOUGHTS = new Set(["reasoning_content", "reasoning", "thinking", "reasoning_details", "thinking_blocks"]);
const ASSISTANT = MESSAGES.assistant as FieldSchema;

/** True if an unknown field comes from a server and isn't a fact that an app stores. */
const isOfServer = (name: string): boolean => SERVER_FACTS.includes(plainName(name)) || !isAbout(name);

/**
 * Returns the fields that a server set on an assistant message and that OpenAI doesn't know. Undefined without any.
 * `others` are the fields that other dialects read.
 */
export function serverFieldsOf(message: UnknownRecord, others: ReadonlySet<string>): ServerFields | undefined {
  const texts: string[] = [];
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message)) {
    const isKnown = Object.hasOwn(ASSISTANT, name) || others.has(name) || MARKS.has(name);
    const text = isKnown || value == null || !isOfServer(name) ? undefined : dataOf(value);
    if (text !== undefined) {
      fields[name] = value;
      texts.push(`"${name}":${text}`);
    }
  }
  for (const [list, schemas] of [
    [message.tool_calls, CALLS],
    [message.content, PARTS],
  ] as const) {
    for (const row of Array.isArray(list) ? list.filter(isRecord) : []) {
      const schema = schemas[String(row.type)];
      if (schema !== undefined) {
        returned(row, schema, texts);
      }
    }
  }
  const saysThoughts = Object.keys(fields).some((name) => THOUGHTS.has(name));
  return texts.length === 0 ? undefined : { fields, saysThoughts, text: texts.join() };
}

/**
 * Returns a call or a part in the form for the server that made it: the fields of the schema and those that the server
 * set, whose JSON is added to `texts`.
 */
export function returned<T extends UnknownRecord>(row: T, schema: FieldSchema, texts: string[] = []): T {
  const kept = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    const known = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (known !== undefined) {
      return value === undefined
        ? []
        : [[name, known !== true && isRecord(value) ? returned(value, known, texts) : value]];
    }
    const text = value == null || PROOF.has(name) || !isOfServer(name) ? undefined : dataOf(value);
    if (text === undefined) {
      return [];
    }
    texts.push(`"${name}":${text}`);
    return [[name, value]];
  });
  return Object.fromEntries(kept) as T;
}

/**
 * Returns the JSON of a value that a server may have sent. Undefined for values that only an app can hold in memory,
 * such as a function.
 */
function dataOf(value: unknown): string | undefined {
  try {
    return jsonOf(value);
  } catch {
    return undefined;
  }
}
