// A request to Gemini's API: `{ systemInstruction, contents: [{ role, parts }] }`, as `@google/genai` and the REST API
// have it. The entries of `contents` are messages in a format that windrow reads.

import { isRecord } from "../base/plain-data.js";
import { isFilled, NOT_READ, reportBeside } from "./beside.js";
import { type FileKind, listIn, recordIn } from "./file.js";
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
      conversation.take(content, at);
    }
    reportBeside(value, ["contents", "systemInstruction", "system_instruction", "config"], conversation);
    reportBeside(recordIn(config), ["systemInstruction"], conversation);
  },
};

/** Returns the parts of an instruction: a text, a content with parts, or a list of either. */
function partsOfInstruction(instruction: unknown): ReturnType<typeof textPart> {
  const contents = Array.isArray(instruction) ? instruction : [instruction];
  return contents.flatMap((content) => {
    const parts = isRecord(content) ? (Array.isArray(content.parts) ? content.parts : [content]) : [content];
    return parts.flatMap((part: unknown) => textPart(isRecord(part) ? part.text : part));
  });
}
