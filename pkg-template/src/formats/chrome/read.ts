// Messages of Chrome's Prompt API: a role, and a text or parts with their contents in `value`. The texts, images and audio are read as
// windrow's own. This file reads the responses of tools: https://github.com/webmachinelearning/prompt-api#tool-use
//
// Told by: parts with a `value`.

import type { Dialect, PartForm } from "../../message/dialect.js";
import { recordOf, type UnknownRecord } from "../../message/format.js";
import { required } from "../../message/malformed.js";
import { blocksOrText, resultPart } from "../../message/parts.js";

/** The fields of a message that are read, by structure. A value of media is bytes, and one of a tool's an object. */
export interface ChromeMessageShape {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly ChromePartShape[];
  readonly prefix?: boolean;
}

interface ChromePartShape {
  readonly type: "text" | "image" | "audio" | "tool-call" | "tool-response";
  readonly value: unknown;
}

const toolResponse: PartForm = {
  fields: new Set(["value"]),
  read(part, place) {
    const { callId, name, result, errorMessage } = recordOf(part.value);
    const isError = errorMessage != null;
    const output = isError ? errorMessage : blocksOrText(blocksOf(result), `${place}.value.result`);
    const found = { ...(typeof name === "string" ? { toolName: name } : {}), ...(isError ? { isError } : {}) };
    return resultPart(found, required(callId, `${place}.value.callId`), [output, ".value"], place);
  },
  givenOf: () => undefined,
  text: "result",
  withText: (part, own) => ({ ...part, value: responseWithText(recordOf(part.value), own) }),
  isOfTool: true,
};

export const chrome: Dialect = { fields: ["prefix"], toolFields: [], parts: { "tool-response": toolResponse } };

/** Returns blocks in windrow's form. A single object is the output itself. */
function blocksOf(result: unknown): unknown {
  if (!Array.isArray(result)) {
    return result;
  }
  const blocks = result.map(recordOf);
  const [only, ...others] = blocks;
  return only?.type === "object" && others.length === 0
    ? only.value
    : blocks.map((block) => (block.type === "object" ? block.value : block));
}

function responseWithText({ callId, name, errorMessage }: UnknownRecord, own: string): UnknownRecord {
  const called = { callId, name };
  return errorMessage == null
    ? { ...called, result: [{ type: "text", value: own }] }
    : { ...called, errorMessage: own };
}
