// The AI SDK's `pruneMessages`, as its documentation shows it. It has no token limit.

import { pruneMessages } from "ai";

export const name = "AI SDK pruneMessages";
export const about = '`reasoning: "before-last-message"`, `toolCalls: "before-last-3-messages"`';
export const lacks = [
  ...["it is within the limit", "the limit is made use of", "counting follows the length"],
  ...["the message that another one replies to is there", "the old fact is there", "pinned messages are there"],
];

function own({ id, role, text, calls, answers, reasoning, image }) {
  if (role === "system") {
    return { id, role, content: text };
  }
  const parts = [
    ...(reasoning === undefined ? [] : [{ type: "reasoning", text: reasoning }]),
    ...(text === undefined || answers !== undefined ? [] : [{ type: "text", text }]),
    ...(image === undefined ? [] : [{ type: "image", image, mediaType: "image/png" }]),
    ...(calls ?? []).map((call) => ({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.name,
      input: call.input,
    })),
    ...(answers === undefined
      ? []
      : [{ type: "tool-result", toolCallId: answers, toolName: "look_up", output: { type: "text", value: text } }]),
  ];
  return { id, role, content: parts };
}

export function send({ messages }) {
  const given = messages.map(own);
  const before = JSON.stringify(given);
  const toolCalls = "before-last-3-messages";
  const sent = pruneMessages({ messages: given, reasoning: "before-last-message", toolCalls, emptyMessages: "remove" });
  const neutral = new Map(messages.map((message) => [message.id, message]));
  return {
    messages: sent.map(({ id, content }) => {
      const { calls, reasoning, answers, ...rest } = neutral.get(id);
      const kept = new Set(Array.isArray(content) ? content.map((part) => part.toolCallId ?? part.type) : []);
      const left = calls?.filter((call) => kept.has(call.id));
      return {
        ...rest,
        ...(left?.length ? { calls: left } : {}),
        ...(reasoning !== undefined && kept.has("reasoning") ? { reasoning } : {}),
        ...(answers !== undefined && kept.has(answers) ? { answers } : {}),
      };
    }),
    changed: JSON.stringify(given) === before ? undefined : "the given messages were changed",
  };
}
