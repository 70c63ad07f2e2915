// Contexts with everything that could differ between hosts: hooks, time zones, sections, dates. Each host builds them
// and returns the results as plain data.

import { buildContext, presets, replay, searchFirst } from "windrow";
import { messagesOfTasks } from "windrow/tasks";
import { compact, search, select, summarize } from "./answers.mjs";

const day = 86_400_000;
/** An hour after Los Angeles sets its clocks forward. */
const now = Date.parse("2026-03-08T11:00:00Z");

/** @type {import("windrow").MessageInput[]} */
const conversation = Array.from({ length: 60 }, (_, index) => ({
  id: `m${index}`,
  role: index % 2 === 0 ? "user" : "assistant",
  name: index % 2 === 0 ? ["Mara", "Jonas", "会議室"][index % 3] : undefined,
  content: [`Nachricht ${index}: größer? <b>& "quotes"`, "👩‍👩‍👧‍👦".repeat(index % 5), "word ".repeat(index)].join(" "),
  createdAt: now - 9 * day + index * index * 200_000,
  sessionId: index % 7 === 0 ? undefined : "web:main",
  source: index % 9 === 4 ? "briefing" : undefined,
  status: index === 12 ? "failed" : undefined,
  actions: index % 4 === 1 ? Array.from({ length: index }, (_, action) => `did ${action}`) : undefined,
}));

const tasks = [
  { id: "t1", action: "execute", parameters: { content: "Read file X" }, createdAt: now - 5000 },
  { id: "t2", action: "node.tool_call", parameters: { tool_name: "read_file", tool_args: { path: "a" } } },
  {
    id: "t3",
    action: "node.message",
    sourceAgent: "a",
    targetAgent: "b",
    parameters: { content: "Mind the plan.", priority: 0.8, ttl_seconds: 60 },
    createdAt: now - 1000,
  },
];

const complete = (prompt) =>
  `Thinking [0]…\n\`\`\`json\n{"relevant_ids": [1, 2, "3", 1, 999, ${prompt.length % 7}]}\n\`\`\``;
const countTokens = (texts) => texts.map((text) => Math.ceil([...text].length / 4));

const request = { role: "user", content: "Größer als was?", replyTo: "m3" };
const { triaged, turns, tiered, agent, turnContract } = presets;

/** @type {Record<string, import("windrow").ContextConfig & { messages?: import("windrow").MessageInput[] }>} */
const cases = {
  triaged: { ...triaged, request, timeZone: "America/Los_Angeles", triage: { ...triaged.triage, select } },
  completed: { ...triaged, request, window: { ...triaged.window, unit: "message" }, triage: { complete } },
  failing: { ...triaged, request, triage: { select: () => Promise.reject(new Error("down")) } },
  turns: {
    ...turns,
    request,
    sessionId: "web:main",
    contents: { soul: "Be kind. ".repeat(400), toolsInventory: ["find", "read"], stageGuidance: "Answer first." },
    recall: { ...turns.recall, focusSignals: { d: 0.4, o: 0.9, s: 0.33, e: 0.71 }, search },
  },
  tiered: {
    ...tiered,
    request,
    timeZone: "America/Los_Angeles",
    sections: [searchFirst, ...tiered.sections],
    tiers: { ...tiered.tiers, summarize },
  },
  compacted: {
    request,
    budget: { maxTokens: 200, cut: {} },
    compact: { maxTokens: 40, summarize: compact, summary: {} },
  },
  tieredSmall: {
    ...tiered,
    timeZone: "Europe/Berlin",
    sections: [{ id: "history", kind: "history", limit: { chars: 3000 } }],
  },
  agent: { ...agent, messages: messagesOfTasks(tasks), agentId: "b", request, recall: { ...agent.recall, search } },
  turnContract: {
    ...turnContract,
    request,
    countTokens,
    budget: { ...turnContract.budget, maxTokens: 300, tools: [{ name: "find", parameters: { type: "object" } }] },
    contents: {
      checkpoint: "The hall is booked.",
      memoryPointers: ["notes/a.md", "notes/b.md"],
      toolSnippets: [{ id: "x", text: "row ".repeat(500), summary: "500 rows" }],
    },
  },
};

/** Builds every case, and rebuilds it from its recording. */
export async function runHookedCases() {
  const results = {};
  for (const [name, { messages = conversation, ...config }] of Object.entries(cases)) {
    const context = await buildContext(messages, { ...config, now, turnId: "turn_1" });
    const again = await replay(JSON.parse(JSON.stringify(context.recording)), messages);
    results[name] = {
      text: context.text ?? null,
      messages: context.messages ?? null,
      kept: context.kept.map(({ id }) => id),
      tokens: context.tokens,
      sections: context.sections,
      conversations: context.conversations,
      focus: context.focus,
      recall: context.recall,
      trace: context.trace,
      snapshot: context.snapshot,
      recording: context.recording,
      isSame: again.same && again.differences.length === 0,
    };
  }
  return JSON.parse(JSON.stringify(results));
}
