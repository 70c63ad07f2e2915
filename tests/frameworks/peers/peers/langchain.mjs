// LangChain's `trimMessages`, with an exact counter, as its documentation recommends it for chats.

import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from "@langchain/core/messages";
import { costOf } from "../checks.mjs";

export const name = "LangChain trimMessages";
export const about =
  '`strategy: "last"`, `includeSystem`, `startOn: "human"`, `endOn: ["human", "tool"]`, an exact counter';
export const lacks = [
  "the message that another one replies to is there",
  "the old fact is there",
  "pinned messages are there",
];

function own({ id, role, text = "", calls, answers, reasoning, image, name }) {
  const content =
    image === undefined
      ? text
      : [
          { type: "text", text },
          { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
        ];
  const fields = { id, content, ...(name === undefined ? {} : { name }) };
  switch (role) {
    case "system":
      return new SystemMessage(fields);
    case "user":
      return new HumanMessage(fields);
    case "tool":
      return new ToolMessage({ ...fields, tool_call_id: answers });
    default:
      return new AIMessage({
        ...fields,
        tool_calls: (calls ?? []).map((call) => ({ id: call.id, name: call.name, args: call.input })),
        additional_kwargs: reasoning === undefined ? {} : { reasoning_content: reasoning },
      });
  }
}

export async function send({ messages, maxTokens }) {
  const neutral = new Map(messages.map((message) => [message.id, message]));
  const given = messages.map(own);
  const before = JSON.stringify(given);
  let counted = 0;
  const sent = await trimMessages(given, {
    maxTokens,
    strategy: "last",
    includeSystem: true,
    startOn: "human",
    endOn: ["human", "tool"],
    tokenCounter: (all) => {
      counted += all.length;
      return costOf(all.map(({ id }) => neutral.get(id)));
    },
  });
  return {
    messages: sent.map(({ id }) => neutral.get(id)),
    counted,
    changed: JSON.stringify(given) === before ? undefined : "the given messages were changed",
  };
}
