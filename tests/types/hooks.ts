// Hooks: their questions, their possible answers, and builds without hooks.

import { buildContext, buildContextSync, type ContextConfig, type SelectHook, type SyncContextConfig } from "windrow";
import { type Equal, isTrue } from "./equal.js";

interface ChatMessage {
  id: string;
  role: "user" | "assistant";
  content: string;
  starred: boolean;
}
declare const messages: ChatMessage[];
declare const signal: AbortSignal;

// A hook receives the caller's own messages, and the format is still known.
const chosen = await buildContext(messages, {
  request: "hi",
  signal,
  render: { format: "text" },
  triage: {
    alwaysIncludeRecent: 3,
    select({ request, candidates, model, signal }) {
      isTrue<Equal<typeof request, string>>();
      isTrue<Equal<typeof model, string>>();
      isTrue<Equal<typeof signal, AbortSignal>>();
      return candidates.filter(({ messages }) => messages.some(({ starred }) => starred));
    },
  },
});
isTrue<Equal<typeof chosen.text, string>>();
isTrue<Equal<typeof chosen.kept, ChatMessage[]>>();

// Every valid form of an answer.
for (const select of [
  () => ["a", 1],
  () => null,
  async () => new Set(["a"]),
  ({ candidates }) => Promise.resolve(candidates.flatMap((candidate) => candidate.messages)),
  ({ candidates }) => candidates.map(({ id }) => id),
] satisfies SelectHook<ChatMessage>[]) {
  await buildContext(messages, { triage: { select } });
}
await buildContext(messages, {
  triage: { complete: async (prompt, { model, signal }) => `${prompt.length}${model}${signal.aborted}` },
  recall: {
    maxItems: 3,
    search: ({ query, maxItems, maxChars, focus }) => [
      `${query}${maxItems}${maxChars}${focus}`,
      { text: "t", id: 1, score: 0.5, metadata: { source: "s" } },
    ],
  },
  tiers: { summarize: ({ conversations, maxChars }) => conversations.map(({ text }) => text.slice(0, maxChars)) },
  countTokens: async (texts) => texts.map((text) => text.length),
});
await buildContext(messages, { tiers: { summarize: () => new Map([["a", "b"]]) } });
await buildContext(messages, { tiers: { summarize: () => ({ a: "b" }) } });
await buildContext(messages, {
  recall: {
    embedModel: "small",
    embedBatchSize: 8,
    embed: (texts, { signal }) => {
      isTrue<Equal<typeof texts, readonly string[]>>();
      isTrue<Equal<typeof signal, AbortSignal>>();
      return Promise.resolve(texts.map((text) => Float32Array.of(text.length)));
    },
  },
});
await buildContext(messages, { recall: { embed: (texts) => texts.map(({ length }) => [length]) } });
await buildContext(messages, { recall: { embed: () => null, search: null } });
await buildContext(messages, { countTokens: (texts) => new Uint32Array(texts.length), triage: { select: null } });

// Invalid answers.
// @ts-expect-error: a list of ids
await buildContext(messages, { triage: { select: () => "a" } });
// @ts-expect-error: a text
await buildContext(messages, { triage: { complete: () => ["a"] } });
// @ts-expect-error: items have a text
await buildContext(messages, { recall: { search: () => [{ id: "a" }] } });
// @ts-expect-error: vectors
await buildContext(messages, { recall: { embed: (texts) => texts.map((text) => text.length) } });
// @ts-expect-error: numbers
await buildContext(messages, { countTokens: (texts) => texts });
// @ts-expect-error: a signal
await buildContext(messages, { signal: "now" });

// A config for any messages also works for these. One for these only is declared so.
declare const anyConfig: ContextConfig;
declare const ownConfig: ContextConfig<ChatMessage>;
await buildContext(messages, anyConfig);
await buildContext(messages, ownConfig);

// Contents of sections.
await buildContext(messages, { contents: { soul: "text", tools: ["one", { id: "two", text: "two" }], skills: null } });
// @ts-expect-error: a text or items
await buildContext(messages, { contents: { soul: 5 } });
// @ts-expect-error: items have a text
await buildContext(messages, { contents: { soul: [{ id: "one" }] } });

// Synchronous builds have no hooks. A config without hooks works for both.
declare const syncConfig: SyncContextConfig;
buildContextSync(messages, syncConfig);
await buildContext(messages, syncConfig);
buildContextSync(messages, { triage: { alwaysIncludeRecent: 3 }, contents: { soul: "text" } });
// @ts-expect-error: it waits for no hook
buildContextSync(messages, { triage: { select: () => [] } });
// @ts-expect-error: it waits for no hook
buildContextSync(messages, { countTokens: () => [] });
// @ts-expect-error: it waits for no hook
buildContextSync(messages, { recall: { embed: () => [] } });
// @ts-expect-error: it cannot be aborted
buildContextSync(messages, { signal });
// @ts-expect-error: it may have hooks
buildContextSync(messages, anyConfig);
