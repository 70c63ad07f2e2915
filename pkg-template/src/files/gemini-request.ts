// A request to Gemini's API: `{ systemInstruction, contents: [{ role, parts }] }`, as `@google/genai` and the REST API
// have it. The entries of `contents` are messages in a format that windrow reads. Python's packages write their fields
// as `function_call` and `inline_data`.

import { isRecord } from "../base/plain-data.js";
import { isFilled, NOT_READ, reportBeside } from "./beside.js";
import { type FileKind, listIn, type Row, recordIn } from "./file.js";
import { contentOf, textPart } from "./parts.js";

export const geminiRequest: FileKind = {
  name: "request to Gemini's API",
  fits: (value) =>
    isRecord(value) &&
    !("role" in value) &&
    !Array.isArray(value.messages) &&
    listIn(value.contents).some((content) => isRecord(content) && Array.isArray(content.parts)),

  read(value, row, file) {
    const { systemInstruction, system_instruction, config, contents } = value;
    const conversation = file.begin({}, row);
    const own = isRecord(config) ? config.systemInstruction : undefined;
    const given = systemInstruction ?? system_instruction ?? own;
    const instruction = partsOfInstruction(given);
    if (instruction.length > 0) {
      conversation.take({ role: "system", content: contentOf(instruction) }, 0);
    } else if (isFilled(given)) {
      conversation.skip(`systemInstruction: ${NOT_READ}`);
    }
    for (const [at, content] of listIn(contents).entries()) {
      conversation.take(inCamelCase(content), at);
    }
    reportBeside(value, ["contents", "systemInstruction", "system_instruction", "config"], conversation);
    reportBeside(recordIn(config), ["systemInstruction"], conversation);
  },
};

const PYTHON_FIELD =
  /^(?:inline_data|file_data|function_call|function_response|executable_code|code_execution_result)$/;

/** Returns a content with the names of its parts' fields as in JavaScript. Any other value comes back unchanged. */
export function inCamelCase(content: unknown): unknown {
  const parts = isRecord(content) ? listIn(content.parts) : [];
  const isOfPython = (part: unknown): boolean =>
    Object.entries(recordIn(part)).some(([name, held]) => held != null && PYTHON_FIELD.test(name));
  return parts.some(isOfPython)
    ? { ...recordIn(content), parts: parts.map((part) => renamed(recordIn(part))) }
    : content;
}

/** Returns a part with other names of its fields, and of those of its media. A call's arguments keep theirs. */
function renamed(part: Row): Row {
  return Object.fromEntries(
    Object.entries(part).map(([name, held]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      isRecord(held) && /_data$/.test(name) ? renamed(held) : held,
    ]),
  );
}

/** Returns the parts of an instruction: a text, a content with parts, or a list of either. */
function partsOfInstruction(instruction: unknown): ReturnType<typeof textPart> {
  const contents = Array.isArray(instruction) ? instruction : [instruction];
  return contents.flatMap((content) => {
    const own = isRecord(content) ? (content.parts ?? content) : content;
    const parts = Array.isArray(own) ? own : [own];
    return parts.flatMap((part: unknown) => textPart(isRecord(part) ? part.text : part));
  });
}
