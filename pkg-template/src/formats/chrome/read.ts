// Messages of Chrome's Prompt API: a role, and a text or parts with their contents in `value`. Texts, images and audio
// are read as windrow's own. This file reads thoughts and tool responses:
// https://github.com/webmachinelearning/prompt-api#tool-use
//
// Recognized by: parts with a `value`.

import type { Dialect, PartForm } from "../../message/dialect.js";
import { recordOf, type UnknownRecord } from "../../message/format.js";
import { json, required } from "../../message/malformed.js";
import { blocksOrText, resultPart } from "../../message/parts.js";

/**
 * The fields of a message that windrow reads, as a structural type. The value of media is bytes, and that of a tool is
 * an object.
 */
export interface ChromeMessageShape {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly ChromePartShape[];
  readonly prefix?: boolean;
}

interface ChromePartShape {
  readonly type: "text" | "image" | "audio" | "tool-call" | "tool-response" | "thought";
  readonly value: unknown;
}

const toolResponse: PartForm = {
  fields: new Set(["value"]),
  read(part, place) {
    const { callId, name, result, errorMessage } = recordOf(part.value);
    const isError = errorMessage != null;
    const output = isError
      ? errorMessage
      : blocksOrText(blocksOf(result, `${place}.value.result`), `${place}.value.result`);
    const found = { ...(typeof name === "string" ? { toolName: name } : {}), ...(isError ? { isError } : {}) };
    return resultPart(found, required(callId, `${place}.value.callId`), [output, ".value"], place);
  },
  givenOf: () => undefined,
  text: "result",
  withText: (part, own) => ({ ...part, value: responseWithText(recordOf(part.value), own) }),
  isOfTool: true,
};

/** A thought. Sessions with `thinking.includeThoughts` return thoughts. */
const thought: PartForm = {
  fields: new Set(["value"]),
  read: ({ value }, place) => ({ type: "reasoning", text: required(value, `${place}.value`) }),
};

export const chrome: Dialect = {
  fields: ["prefix"],
  toolFields: [],
  parts: { "tool-response": toolResponse, thought },
};

/** Returns blocks in windrow's form. A single object is the output itself, whatever its fields. */
function blocksOf(result: unknown, place: string): unknown {
  if (!Array.isArray(result)) {
    return result;
  }
  const [only, ...others] = result.map(recordOf);
  return only?.type === "object" && others.length === 0
    ? wrapped(only.value)
    : result.map((block, at) => {
        const { type, value } = recordOf(block);
        return type === "object" ? { type: "text", text: json(value, `${place}[${at}].value`) ?? "" } : block;
      });
}

/** Returns an object unchanged. Wraps a list, or an object that looks like an output in windrow's form. */
function wrapped(value: unknown): unknown {
  const isLike = Array.isArray(value) || OWN_OUTPUT.test(String(recordOf(value).type));
  return isLike ? { type: "json", value } : value;
}

const OWN_OUTPUT = /^(?:(?:error-)?(?:text|json)|content)$/;

function responseWithText({ callId, name, errorMessage }: UnknownRecord, own: string): UnknownRecord {
  const called = { callId, name };
  return errorMessage == null
    ? { ...called, result: [{ type: "text", value: own }] }
    : { ...called, errorMessage: own };
}
