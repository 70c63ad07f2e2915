// Presets: their format is known, they can be spread and changed, and they work for both ways to build.

import {
  type BuiltContext,
  buildContext,
  buildContextSync,
  type ContextConfig,
  type MessageInput,
  presets,
  type SyncContextConfig,
  searchFirst,
} from "windrow";
import { type messageOfTask, messagesOfTasks } from "windrow/tasks";
import { type Equal, isTrue } from "./equal.js";

declare const messages: { role: "user"; content: string }[];

isTrue<
  Equal<keyof typeof presets, "steady" | "relevant" | "triaged" | "turns" | "tiered" | "agent" | "turnContract">
>();
for (const preset of Object.values(presets)) {
  preset satisfies ContextConfig;
  preset satisfies SyncContextConfig;
}

const changed = await buildContext(messages, {
  ...presets.triaged,
  triage: { ...presets.triaged.triage, alwaysIncludeRecent: 8, select: ({ candidates }) => candidates.slice(0, 3) },
});
isTrue<Equal<typeof changed.text, string>>();
isTrue<Equal<typeof changed.messages, undefined>>();

const tiered = buildContextSync(messages, {
  ...presets.tiered,
  timeZone: "Europe/Berlin",
  sections: [searchFirst, ...presets.tiered.sections],
});
isTrue<Equal<typeof tiered.text, string>>();

const contract = buildContextSync(messages, {
  ...presets.turnContract,
  budget: { ...presets.turnContract.budget, maxTokens: 4000 },
  contents: { checkpoint: "so far", toolSnippets: [{ id: "a", text: "long", summary: "short" }] },
});
isTrue<Equal<typeof contract.text, undefined>>();
contract.snapshot.sourceCounts.toolSnippets?.toFixed();
isTrue<Equal<typeof contract, BuiltContext<{ role: "user"; content: string }, "messages">>>();

const other = buildContextSync(messages, { ...presets.turns, render: { ...presets.turns.render, format: "xml" } });
isTrue<Equal<typeof other.text, string>>();

// @ts-expect-error: a preset is not changed in place
presets.triaged.enabled = false;
// @ts-expect-error: a misspelled option
buildContextSync(messages, { ...presets.agent, window: { ...presets.agent.window, lookbackCont: 5 } });

isTrue<Equal<ReturnType<typeof messageOfTask>, MessageInput | undefined>>();
messagesOfTasks([
  { action: "execute", parameters: { content: "Read file X" }, sessionId: "s", targetAgent: "a" },
  { action: "node.message", task_id: "t", target_agent: "a", parameters: { priority: 0.5 } },
]);
