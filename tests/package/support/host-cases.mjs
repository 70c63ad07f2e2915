// Results that every host must produce for the same input: run in Node, workerd and a browser, and compared.

import {
  BuiltContext,
  buildContext,
  buildContextSync,
  ContextError,
  createTranscript,
  loadMeaning,
  parseTranscript,
  presets,
  replay,
  searchFirst,
} from "windrow";

/** @type {any[]} */
const conversation = [
  { id: "1", role: "system", content: "You help plan a workshop. Be brief." },
  {
    id: "2",
    role: "user",
    name: "Mara",
    content: 'Where do we meet? Ümlaut, 会議室, 👩‍👩‍👧‍👦 <b> & "quotes"',
    createdAt: "2025-03-30T14:05:00Z",
  },
  {
    id: "3",
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "a", type: "function", function: { name: "find", arguments: '{"place":"hall"}' } },
      { id: "b", type: "function", function: { name: "find", arguments: '{"place":"library"}' } },
    ],
    createdAt: "2025-03-30T14:06:00Z",
  },
  { id: "4", role: "tool", tool_call_id: "b", content: "closed on Mondays" },
  { id: "5", role: "tool", tool_call_id: "a", content: "free from noon\r\nuntil six" },
  {
    id: "6",
    role: "assistant",
    content: [
      { type: "text", text: "The hall is free." },
      { type: "reasoning", text: "noon" },
    ],
  },
  { id: "7", role: "user", content: "</conversation> <|endoftext|> \ud83d lone", source: "scheduled", tags: ["note"] },
  { id: "8", role: "tool", tool_call_id: "nobody", content: "orphan" },
  { id: "9", role: "user", content: "word ".repeat(300), createdAt: Date.UTC(2025, 2, 31) },
];

/** @type {Record<string, Omit<import("windrow").ContextConfig, "request"> & { request?: any }>} */
const configs = {
  plain: {},
  budget: { request: "And when?", budget: { maxTokens: 120 } },
  text: { request: "And when?", render: { format: "text", times: true }, budget: { maxTokens: 200 } },
  xml: {
    request: { role: "user", content: "And when? <now>", name: "Jonas" },
    render: { format: "xml" },
    budget: { maxChars: 700 },
  },
  shortened: { request: "word ".repeat(500), budget: { maxTokens: 100, onRequiredOverflow: "shorten" } },
  window: {
    window: { unit: "exchange", lookbackCount: 2, recencyHours: 2.5 },
    filter: { excludeSources: ["scheduled"] },
  },
  cl100k: { encoding: "cl100k_base", request: "And when?", budget: { maxTokens: 130 } },
  estimate: { model: "some-model", request: "And when?", budget: { contextLimit: 300, replyReserve: 100 } },
  steady: {
    ...presets.steady,
    request: "Is the hall free, and where do we meet?",
    budget: { ...presets.steady.budget, maxTokens: 190 },
  },
  triaged: {
    ...presets.triaged,
    timeZone: "Europe/Berlin",
    request: { content: "And when?", replyTo: "2" },
    triage: {
      ...presets.triaged.triage,
      skipSelectionThreshold: 0,
      alwaysIncludeRecent: 1,
      complete: async () => '```json\n{"relevant_ids": [0]}\n```',
    },
  },
  turns: {
    ...presets.turns,
    request: "And when?",
    contents: { soul: "I am kind. 👩‍👩‍👧‍👦", skills: null, skillsInventory: ["cook"] },
    recall: {
      ...presets.turns.recall,
      focusSignals: { d: 0.1, o: 0.2, s: 0.7, e: 0.3 },
      search: async () => [{ text: "known ".repeat(400), score: 1 / 3, metadata: { source: "a.md" } }],
    },
  },
  tiered: {
    ...presets.tiered,
    timeZone: "Pacific/Auckland",
    now: Date.UTC(2025, 3, 5, 20),
    sections: [searchFirst, ...presets.tiered.sections],
    tiers: { ...presets.tiered.tiers, summarize: ({ conversations }) => conversations.map(({ id }) => `about ${id}`) },
  },
  agent: {
    ...presets.agent,
    request: "And when?",
    contents: { system: "You are helpful." },
    recall: { ...presets.agent.recall, search: () => ["one", { text: "two", source: "b.md" }] },
  },
  turnContract: {
    ...presets.turnContract,
    request: "And when?",
    budget: { ...presets.turnContract.budget, maxTokens: 150 },
    contents: { checkpoint: "Half is done.", toolSnippets: [{ id: "x", text: "word ".repeat(90), summary: "fine" }] },
  },
  meaning: {
    request: "Can we get a venue for the afternoon?",
    recall: { meaning: "static" },
    budget: { maxTokens: 110 },
  },
  failing: {
    request: "And when?",
    triage: {
      skipSelectionThreshold: 0,
      alwaysIncludeRecent: 1,
      timeoutMs: 5,
      select: () => new Promise(() => {}),
    },
    countTokens: (texts) => texts.map((text) => text.length),
  },
};

/** Builds every case. The results are plain data, and the same in every host. */
export async function runCases() {
  // Null if these cases ran before, because the encoding is then loaded.
  const notLoaded = describe(await failure(() => buildContextSync(conversation, { now: 0 })));
  await loadMeaning((await import("windrow/meaning")).default);
  const results = {};
  for (const [name, config] of Object.entries(configs)) {
    const context = await buildContext(conversation, { now: 0, ...config });
    const again = await replay(JSON.parse(JSON.stringify(context.recording)), createTranscript(conversation));
    results[name] = {
      contextHash: context.snapshot.contextHash,
      digest: context.recording.transcript.digest,
      tokens: context.tokens,
      charCount: context.charCount,
      trace: context.trace,
      text: context.text ?? null,
      sections: context.sections,
      zoneOffsets: context.recording.zoneOffsets,
      answers: context.recording.answers,
      isOwn: context.kept.every((message) => conversation.includes(message)) && context instanceof BuiltContext,
      isSame: again.same,
    };
  }
  return {
    results,
    parsed: parseTranscript(conversation.map((message) => JSON.stringify(message)).join("\n")).messages.length,
    errors: {
      notLoaded,
      config: describe(
        await failure(() => buildContext(conversation, /** @type {any} */ ({ budget: { maxToken: 5 } }))),
      ),
      budget: describe(await failure(() => buildContext(conversation, { budget: { maxTokens: 5 } }))),
      transcript: describe(await failure(() => buildContext(/** @type {any} */ ([{ content: "no role" }])))),
      timeZone: describe(await failure(() => buildContext(conversation, { timeZone: "Mars/Olympus" }))),
      aborted: describe(await failure(() => buildContext(conversation, { signal: AbortSignal.abort() }))),
    },
  };
}

async function failure(run) {
  try {
    await run();
  } catch (error) {
    return error;
  }
  return undefined;
}

function describe(error) {
  if (error === undefined) {
    return null;
  }
  const { kind, code, path, needed, available, message, nextAction } = error;
  const isError = error instanceof ContextError && error instanceof Error && typeof error.stack === "string";
  return JSON.parse(JSON.stringify({ isError, kind, code, path, needed, available, message, nextAction }));
}
