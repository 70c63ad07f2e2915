// Arguments and results of a build.

import {
  type BuiltContext,
  buildContext,
  buildContextSync,
  type ContextConfig,
  ContextError,
  type ContextMessage,
  type FailureRecord,
  type Format,
  type MessageInput,
  type RequestText,
  type SyncContextConfig,
} from "windrow";
import { type Equal, isTrue } from "./equal.js";

interface ChatMessage {
  id: string;
  role: "user" | "assistant";
  content: string;
  metadata: { starred: boolean };
}
declare const messages: ChatMessage[];
declare const config: ContextConfig;
declare const syncConfig: SyncContextConfig;
declare const format: Format;

// The caller's own message type comes back.
const plain = await buildContext(messages);
isTrue<Equal<typeof plain, BuiltContext<ChatMessage, "messages", never>>>();
isTrue<Equal<typeof plain.kept, ChatMessage[]>>();
isTrue<Equal<typeof plain.messages, ChatMessage[]>>();
isTrue<Equal<typeof plain.text, undefined>>();
plain.kept[0]?.metadata.starred;
plain.messages[0]?.metadata.starred;
plain.kept.push(...messages);

// A request is in the prompt unchanged, and a text becomes a user message.
const asked = await buildContext(messages, { request: "hi", budget: { maxTokens: 5 }, recall: { ranking: "recency" } });
isTrue<Equal<typeof asked.messages, (ChatMessage | RequestText)[]>>();
// @ts-expect-error: the request has no metadata
asked.messages[0]?.metadata;
declare const ownRequest: ChatMessage;
const askedOwn = buildContextSync(messages, { request: ownRequest });
isTrue<Equal<typeof askedOwn.messages, ChatMessage[]>>();
const askedNothing = buildContextSync(messages, { request: null, render: { provider: "openai" } });
isTrue<Equal<typeof askedNothing.messages, ChatMessage[]>>();

// The type shows that messages are added.
for (const added of [
  buildContextSync(messages, { sections: [{ id: "history", kind: "history" }] }),
  buildContextSync(messages, { contents: { notes: "hi" } }),
  buildContextSync(messages, { tiers: { enabled: true } }),
  buildContextSync(messages, { recall: { placement: "afterHistory" } }),
  buildContextSync(messages, { triage: { placement: "afterHistory" } }),
  buildContextSync(messages, { budget: { cut: {} } }),
  buildContextSync(messages, { render: { gapNotice: "…" } }),
  buildContextSync(messages, { render: { provider: "anthropic" } }),
  buildContextSync(messages, { ...syncConfig, render: { format: "messages" } }),
]) {
  isTrue<Equal<typeof added.messages, (ChatMessage | ContextMessage)[]>>();
}

// The format decides between messages and text.
for (const options of [{ budget: { maxTokens: 5 } }, { render: {} }, { render: { times: true } }, {}] as const) {
  const context = buildContextSync(messages, options);
  isTrue<Equal<typeof context.text, undefined>>();
}
const chat = buildContextSync(messages, { render: { format: "messages" } });
isTrue<Equal<typeof chat.text, undefined>>();
const text = buildContextSync(messages, { render: { format: "text" } });
isTrue<Equal<typeof text.text, string>>();
isTrue<Equal<typeof text.messages, undefined>>();
const xml = await buildContext(messages, { request: "hi", render: { format: "xml", times: true } });
isTrue<Equal<typeof xml.text, string>>();

// If the format isn't known, both must be checked for.
for (const context of [
  await buildContext(messages, config),
  buildContextSync(messages, syncConfig),
  buildContextSync(messages, { render: { format } }),
]) {
  // @ts-expect-error: text may be undefined
  context.text.length;
  // @ts-expect-error: messages may be undefined
  context.messages.length;
}

// Requests and clocks in every form.
buildContextSync(messages, { request: "hi", now: 0 });
buildContextSync(messages, { request: { role: "user", content: [{ type: "text", text: "hi" }] }, now: new Date() });
buildContextSync(messages, { request: null, now: "2025-03-30T14:05:00Z", model: null, filter: { roles: null } });

// A misspelled or mistyped option is an error.
// @ts-expect-error: maxTokens
buildContextSync(messages, { budget: { maxToken: 5 } });
// @ts-expect-error: budget
buildContextSync(messages, { buget: { maxTokens: 5 } });
// @ts-expect-error: it belongs to budget
buildContextSync(messages, { maxTokens: 5 });
// @ts-expect-error: a number
buildContextSync(messages, { budget: { maxTokens: "5" } });
// @ts-expect-error: no such format
buildContextSync(messages, { render: { format: "markdown" } });
// @ts-expect-error: no such encoding
buildContextSync(messages, { encoding: "p50k_base" });
// @ts-expect-error: no such role
buildContextSync(messages, { filter: { roles: ["robot"] } });
// @ts-expect-error: a text or a message
buildContextSync(messages, { request: 5 });
// @ts-expect-error: the same for a declared config
const misspelled: ContextConfig = { window: { lookBack: 5 } };

// A value that isn't a list of messages is an error.
// @ts-expect-error: a list
buildContextSync("hi");
// @ts-expect-error: messages
buildContextSync(["hi"]);
// @ts-expect-error: a role
buildContextSync([{ content: "hi" }]);
// @ts-expect-error: content is a text or parts
buildContextSync([{ role: "user", content: 5 }]);

// Messages of any type with the right fields, including readonly ones.
const openai = [
  { role: "user", content: "hi" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "a", content: "done" },
] as const;
buildContextSync(openai).kept[0]?.role;
const items = [
  { type: "reasoning", id: "r", summary: [], encrypted_content: "…" },
  { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
  { type: "function_call_output", call_id: "c", output: "done" },
  { type: "hosted_tool_call", name: "web_search_call", providerData: { action: {} } },
  { role: "user", content: [{ type: "input_image", image_url: "https://example.org/a.png", detail: "low" }] },
  { role: "user", content: [{ type: "input_file", file: { id: "f" } }] },
] as const;
buildContextSync(items).kept[0] satisfies (typeof items)[number] | undefined;
// @ts-expect-error: a type that no item has
buildContextSync([{ type: "dream" }]);
const anything: MessageInput[] = [{ role: "user", content: ["hi", { type: "image", detail: "low", data: "…" }] }];
buildContextSync(anything);

// Figures.
isTrue<Equal<typeof plain.tokens.total, number>>();
plain.explain("id").words.length;
plain.explain(0).fate satisfies "kept" | "shortened" | "excerpt" | "stub" | "left out";
// @ts-expect-error: an id or a position
plain.explain({});

// Errors are distinguishable.
try {
  await buildContext(messages);
} catch (error) {
  if (error instanceof ContextError) {
    error.code satisfies "INVALID_CONFIG" | "INVALID_TRANSCRIPT" | "BUDGET_TOO_SMALL" | string;
    isTrue<Equal<typeof error.path, string | undefined>>();
    isTrue<Equal<typeof error.record, FailureRecord | undefined>>();
    error.record?.terminal satisfies "failed" | undefined;
    // @ts-expect-error: no such code
    error.code === "NO_SUCH_CODE";
  }
}

export { misspelled };
