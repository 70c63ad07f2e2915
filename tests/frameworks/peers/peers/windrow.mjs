// This package, with the config from the README and the provider that most chats use.

import { buildContext } from "windrow";

export const name = "windrow";
export const about = "`buildContext`, defaults";

function own({ id, role, text, calls, answers, reasoning, image, name, replyTo, pinned }) {
  const parts = [
    ...(reasoning === undefined ? [] : [{ type: "reasoning", text: reasoning }]),
    ...(text === undefined || answers !== undefined ? [] : [{ type: "text", text }]),
    ...(image === undefined ? [] : [{ type: "image", data: image, mediaType: "image/png" }]),
    ...(calls ?? []).map((call) => ({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.name,
      input: call.input,
    })),
    ...(answers === undefined ? [] : [{ type: "tool-result", toolCallId: answers, output: text }]),
  ];
  const more = Object.entries({ name, replyTo, pinned }).filter(([, value]) => value !== undefined);
  return { id, role, content: parts, ...Object.fromEntries(more) };
}

export async function send({ messages, maxTokens }) {
  const given = messages.map(own);
  const before = JSON.stringify(given);
  const config = { model: "gpt-4o", budget: { maxTokens }, render: { provider: "anthropic" } };
  const { messages: sent } = await buildContext(given, config);
  const neutral = new Map(given.map((message, at) => [message, messages[at]]));
  return {
    messages: sent.map((message) => neutral.get(message) ?? neutralOf(message, messages)),
    changed: JSON.stringify(given) === before ? undefined : "the given messages were changed",
  };
}

/** A shortened copy, or a line that windrow made. */
function neutralOf({ id, role, content }, messages) {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const text = parts.map((part) => part.text ?? part.output ?? "").join("\n");
  const { name } = messages.find((message) => message.id === id) ?? {};
  const answers = parts.find(({ type }) => type === "tool-result")?.toolCallId;
  return { id, role, text, ...(name === undefined ? {} : { name }), ...(answers === undefined ? {} : { answers }) };
}
