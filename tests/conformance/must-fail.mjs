// Cases that must fail, to prove that the runner notices errors: real cases with one wrong expectation, or with
// something unknown to the runner.

import { readFileSync } from "node:fs";

const read = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
const byId = new Map([...read("cases.json"), ...read("more-cases.json")].map((entry) => [entry.id, entry]));

/**
 * A case whose only expectation is wrong. `fails` is the key that must be reported.
 *
 * @param {string} id
 * @param {Record<string, unknown>} expected
 * @param {{ fails?: string, [change: string]: unknown }} [options] Other changes of the case, by their keys.
 */
function wrong(id, expected, { fails = Object.keys(expected)[0], ...changes } = {}) {
  const { seed, input, config } = byId.get(id);
  return {
    fails,
    case: {
      seed,
      id,
      behaviour: `${fails} is wrong`,
      input,
      config,
      expected,
      basis: "document",
      strict: true,
      ...changes,
    },
  };
}

/** A case that has a value which the runner doesn't understand at a path such as `input.messages.0.tag`. */
function strange(id, path, value, place = path) {
  const entry = structuredClone(byId.get(id));
  const keys = path.split(".");
  const last = keys.pop();
  let at = entry;
  for (const key of keys) {
    at[key] ??= {};
    at = at[key];
  }
  at[last] = value;
  return { place, case: { ...entry, strict: true } };
}

function inputOf(id, changes) {
  return { input: { ...byId.get(id).input, ...changes } };
}

/**
 * A case of each document: ids in another order, ids without one of them, two texts that it has in this order.
 *
 * @type {[id: string, reordered: string[], fewer: string[], texts: [string, string]][]}
 */
const ofEach = [
  ["000-07", ["t2", "t4", "t5", "t6", "t8", "t7"], ["t2", "t4", "t5", "t6", "t7"], ["q2", "q4"]],
  ["001-05", ["m4", "m3", "m5", "m6"], ["m3", "m4", "m5"], ["u2", "u3"]],
  ["002-12", ["now", "yest", "today", "old"], ["now", "today", "yest"], ["answer now", "answer today"]],
  ["003-39a", ["m2", "m1"], ["m1"], ["SYSTEMTEXT", "KNOWTEXT"]],
  ["004-05", ["c2", "c1", "c3", "c4"], ["c1", "c2", "c3"], ["c1 ", "c4 "]],
];

/** Wrong expectations, for every expected key of every document. */
export const wrongCases = [
  ...ofEach.flatMap(([id, reordered, fewer, [first, second]]) => [
    wrong(id, { included_ids: reordered }),
    wrong(id, { included_ids: fewer }),
    wrong(id, { included_ids: fewer }, { order_basis: "code" }),
    wrong(id, { included_set: [...fewer, "nobody"] }),
    wrong(id, { count: reordered.length + 1 }),
    wrong(id, { rendered: "something else" }),
    wrong(id, { contains: [first, "words that nobody said"] }),
    wrong(id, { absent: [second] }),
    wrong(id, { rendered_order_contains: [second, first] }),
    wrong(id, { endsWith: "words that nobody said" }),
    wrong(id, { max_run_of: { char: first[0], max: 0 } }),
    wrong(id, { identical: ["context"] }),
    wrong(id, { identical: ["contextHash"] }),
  ]),

  wrong("000-07", { triage_called: false }),
  wrong("000-02", { triage_called: true }),
  wrong("000-07", { triage_candidates: ["t1", "t2"] }),
  wrong("000-19", { triage_candidates: ["t1"] }),
  wrong("000-93", { triage_request: "about q3?" }),
  wrong("own-000-timeout", { max_elapsed_ms: 50 }),
  wrong(
    "000-07",
    { included_ids: ["t4", "t5", "t6", "t7", "t8"] },
    { fails: "input.triage", ...inputOf("000-07", { triage: { kind: "mustNotBeCalled" } }) },
  ),
  wrong(
    "000-07",
    { identical: ["context"] },
    inputOf("000-07", { variants: [{}, { triage: { kind: "returns", ids: [] } }] }),
  ),

  wrong("001-20", { texts: ["abcdefghijklmnopqrstuvwxyz"] }),
  ...Object.entries({
    level: "balanced",
    score: 0.8410600021,
    summary: "focused (0.85)",
    recallLimit: 5,
    recallCharBudget: 901,
  }).map(([key, value]) => wrong("001-34", { focus: { [key]: value } })),
  ...Object.entries({
    status: "query-empty",
    hits: 2,
    limit: 9,
    text: "1. score=0.5000 source=memory/a.md",
  }).map(([key, value]) => wrong("001-43", { recall: { [key]: value } })),
  wrong("001-43", { recall: { status: "anything but ok" } }),
  wrong(
    "001-56a",
    { recall_hits_increase: true },
    inputOf("001-56a", { variants: [{ focus: { level: "diffuse" } }, { focus: { level: "focused" } }] }),
  ),
  wrong("001-43", { recall_hits_increase: true }),
  wrong("001-05", { throws: false }, { config: { user_turn_limit: "two" } }),
  wrong("001-50", { section_order: ["skills_frontmatter", "soul_identity_boundaries"] }),
  wrong("001-50", { tail: "user_message=hi there?\n" }),
  wrong("001-53", { excerpt: { repeat: "s", textLength: 1599 } }),

  wrong("002-12", { labels: { now: "today", today: "today", yest: "yesterday", old: "Tuesday" } }),
  wrong("002-12", { labels: { now: "today", today: "today", yest: "yesterday" } }),
  wrong("002-12", { form: { now: "full", today: "full", yest: "full", old: "summary" } }),
  wrong("002-12", { form: { now: "truncated-tail", today: "full", yest: "summary", old: "summary" } }),
  wrong("002-02", { threadStatus: "NEW CONVERSATION" }),
  wrong("002-02", { threadStatus: null }),
  wrong("002-01", { threadStatus: "CONTINUATION" }),
  wrong("own-002-length", { innerLength: 1 }),
  wrong("own-002-length", { endsWith: "answer c1\n</conversation>" }),
  wrong("002-40a", { instruction_contains: ["MANDATORY", "words that nobody said"] }),

  wrong("003-39a", { messages: [{ role: "system", content: "SYSTEMTEXT" }] }),
  wrong(
    "003-39a",
    {
      messages: byId.get("003-39a").expected.messages.map((message) => ({
        ...message,
        role: message.role === "assistant" ? "user" : message.role,
      })),
    },
    { rendered_basis: "code" },
  ),
  wrong("own-003-set", { messages_set: [{ role: "user", content: "one" }] }),
  wrong("003-10", { message: { role: "user" } }),
  wrong("003-10", { message: null }),
  wrong("003-14", { message: { role: "assistant" } }),
  wrong("own-003-count", { tokens: 1 }),

  wrong("004-05", { included_chat_ids: ["c2", "c3", "c4"] }),
  wrong("004-01", { source_order: ["chat", "memory", "state", "tools", "input"] }),
  wrong("004-04", { source_order: ["chat", "input"] }),
  wrong("004-13", { tool_forms: { x1: "full" } }),
  wrong("004-13", { tool_forms: { x9: "summary" } }),
  wrong("004-05", { trimmed: true }),
  wrong("004-08", { max_total_tokens: 100 }),
  wrong("004-18", { trace_has: "context-trim" }),
  wrong("004-29a", { trace_lacks: "context-trim" }),
  ...Object.entries({
    sessionId: "sess_2",
    turnId: "turn_2",
    contextHash: { prefix: "hash_" },
    sourceCounts: { messages: 17 },
    trimmed: true,
    timestampMs: 1,
  }).map(([key, value]) => wrong("004-19", { snapshot: { [key]: value } })),
  wrong("004-22", { same_hash: false }),
  wrong("004-23", { same_hash: true }),
  wrong("004-27", { status: "ok" }),
  wrong("004-27", { error: { class: "config_error" } }),
  wrong("004-27", { error: { terminal: "completed" } }),
  wrong("004-27", { error: { nextAction: "Try again." } }),
  wrong("004-05", { error: { class: "context_build_error" } }),
  wrong("004-27", { trimmed: false, or_error: "config_error" }, { fails: "or_error" }),
  wrong("004-05", { failure_record: true }),
  wrong("004-27", { failure_record: false }),
  wrong("004-27", { included_ids: [] }),
  wrong("004-28", { tokens: [1, 1, 1, 2, 1001] }),
];

/** Cases that the runner must not ignore. `place` is the path that it must name. */
export const strangeCases = [
  ...ofEach.flatMap(([id]) => [
    strange(id, "config.unheard_of", 1),
    strange(id, "input.unheardOf", 1),
    strange(id, "expected.unheard_of", 1),
    strange(id, "unheard_of", 1, "case.unheard_of"),
  ]),
  strange("000-07", "seed", "005", "case.seed"),
  strange("000-07", "basis", "hearsay", "case.basis"),
  strange("000-07", "rendered_basis", "hearsay", "case.rendered_basis"),
  strange("000-07", "expected", {}),
  strange("000-07", "expected.contains", []),
  strange("000-07", "expected.identical", ["mood"]),
  strange("000-07", "expected.max_run_of", { char: "qq", max: 1 }),
  strange("000-07", "input.variants", [], "input"),
  strange("000-07", "input.repeat", -1),

  strange("000-07", "input.form", "threads"),
  strange("000-07", "input.messages.0.unheardOf", 1, "input.messages[0].unheardOf"),
  strange("000-07", "input.messages.0.source", "weather", "input.messages[0].source"),
  strange("000-07", "input.messages.0.status", "paused", "input.messages[0].status"),
  strange("000-79", "input.messages.0.prompt", "x", "input.messages[0].prompt"),
  strange("000-79", "input.messages.0.role", "oracle", "input.messages[0].role"),
  strange("000-79", "input.messages.0.tag", "aside", "input.messages[0].tag"),
  strange("000-07", "input.triage.kind", "guesses"),
  strange("000-07", "input.triage.message", "x"),

  strange("001-05", "input.messages.0.unheardOf", 1, "input.messages[0].unheardOf"),
  strange("001-05", "input.messages.0.tag", "aside", "input.messages[0].tag"),
  strange("001-50", "input.sections.unheardOf", "x"),
  strange("001-34", "input.focus.unheardOf", 1),
  strange("001-34", "input.focus.signals.unheardOf", 0.5),
  strange("001-43", "input.memory.failure", "slow"),
  strange("001-43", "input.memory.matches.0.unheardOf", 1, "input.memory.matches[0].unheardOf"),
  strange("001-34", "expected.focus.unheardOf", 1),
  strange("001-43", "expected.recall.unheardOf", 1),
  strange("001-05", "expected.throws", true),

  strange("002-12", "input.form", "messages"),
  strange("002-12", "input.conversations.0.unheardOf", 1, "input.conversations[0].unheardOf"),
  strange("002-33", "input.conversations.0.transcript.unheardOf", 1, "input.conversations[0].transcript.unheardOf"),
  strange("002-12", "expected.threadStatus", "SILENCE"),

  strange("003-39a", "input.l1.0.unheardOf", 1, "input.l1[0].unheardOf"),
  strange("003-39a", "input.l1.0.params.unheardOf", 1, "input.l1[0].params.unheardOf"),
  strange("003-39a", "input.knowledge.0.unheardOf", 1, "input.knowledge[0].unheardOf"),
  strange("003-30", "input.fit.0.unheardOf", 1, "input.fit[0].unheardOf"),
  strange("003-41a", "input.query.layer", "L9"),
  strange("003-41a", "input.l1", []),
  strange("003-10", "expected.message.unheardOf", 1),
  strange("003-39a", "expected.messages.0.unheardOf", 1, "expected.messages[0].unheardOf"),

  strange("004-01", "input.chat.0.unheardOf", 1, "input.chat[0].unheardOf"),
  strange("004-01", "input.chat.0.direction", "sideways", "input.chat[0].direction"),
  strange("004-01", "input.state.unheardOf", "x"),
  strange("004-01", "input.memoryPointers.0.unheardOf", 1, "input.memoryPointers[0].unheardOf"),
  strange("004-01", "input.toolSnippets.0.unheardOf", 1, "input.toolSnippets[0].unheardOf"),
  strange("004-01", "input.input.unheardOf", 1),
  strange("004-01", "input.memoryConnector", { kind: "lies" }, "input.memoryConnector.kind"),
  strange("004-01", "expected.source_order", ["weather"]),
  strange("004-13", "expected.tool_forms", { x1: "poem" }),
  strange("004-19", "expected.snapshot.contextHash", { suffix: "x" }, "expected.snapshot.contextHash.suffix"),
];
