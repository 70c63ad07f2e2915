// ShareGPT dialogues: several names for each speaker, and function calls.

import { checkFile } from "../support/file-cases.mjs";

const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });

checkFile({
  name: "of ShareGPT",
  newest: 1,
  sample: () => [
    {
      id: "s1",
      system: "Be brief.",
      tools: "[]",
      conversations: [
        { from: "human", value: "Add." },
        { from: "function_call", value: '{"name": "add", "arguments": {"a": 1}}' },
        { from: "observation", value: "2" },
        { from: "GPT", value: "Two." },
        { from: "narrator", value: "no" },
      ],
      images: ["a.png"],
    },
    {
      conversations: [
        { from: "user", value: [{ type: "text", text: "Hi" }] },
        { from: "tool_call", value: "add(1)" },
        { from: "tool", value: "2" },
        { role: "assistant", content: "Hello." },
      ],
    },
  ],
  conversations: [
    {
      id: "s1",
      messages: [
        { role: "system", content: "Be brief." },
        user("Add."),
        { role: "assistant", content: null, toolCalls: [{ id: "call-2", name: "add", arguments: { a: 1 } }] },
        { role: "tool", content: "2", toolCallId: "call-2" },
        assistant("Two."),
      ].map((message) => ({ ...message, conversationId: "s1" })),
    },
    {
      id: "#2",
      messages: [
        user([{ type: "text", text: "Hi" }]),
        { role: "assistant", content: null, toolCalls: [{ id: "call-2", name: "function", arguments: "add(1)" }] },
        { role: "tool", content: "2", toolCallId: "call-2" },
        assistant("Hello."),
      ].map((message) => ({ ...message, conversationId: "#2" })),
    },
  ],
  skipped: [
    [1, /^message 5: from: unknown speaker "narrator"/],
    [1, /^images: it is next to the messages and isn't read$/],
  ],
});
