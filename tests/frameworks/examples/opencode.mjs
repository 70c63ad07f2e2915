// An opencode plugin, called as its host calls it: it changes the list of messages in place.

import { contextHooks } from "windrow/opencode";

/** The export of a plugin file. */
export const Windrow = () =>
  Promise.resolve(
    contextHooks({
      budget: { maxTokens: 300 },
      onContext: ({ tokens }) => console.log(`${tokens.total} of ${tokens.limit} tokens`),
    }),
  );

const message = (at, role, text) => ({
  info: {
    id: `msg_${at}`,
    sessionID: "ses_1",
    role,
    time: { created: Date.UTC(2026, 0, 5, 9, at) },
    modelID: "gpt-4o",
  },
  parts: [{ id: `prt_${at}`, messageID: `msg_${at}`, sessionID: "ses_1", type: "text", text }],
});
const messages = Array.from({ length: 40 }, (_, at) => [
  message(at * 2, "user", `What do we know about boat ${at}?`),
  message(at * 2 + 1, "assistant", `Boat ${at} lies in the ${at % 2 ? "north" : "south"} harbour and needs paint.`),
]).flat();
const output = { messages: [...messages, message(80, "user", "Where does boat 7 lie?")] };

const hooks = await Windrow();
await hooks["experimental.chat.messages.transform"]({}, output);
console.log(`${output.messages.length} of ${messages.length + 1} messages are sent`);
console.log(output.messages.map(({ parts: [{ text }] }) => text).join("\n"));
