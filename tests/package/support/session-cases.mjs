// Session contexts of the same conversations: run in Node and a browser, each over a separate store, and compared.

import { openSession, presets, searchFirst } from "windrow";
import { search, select, summarize } from "./answers.mjs";
import { Random, randomTranscript } from "./random.mjs";

const START = Date.UTC(2026, 2, 1, 8);
const now = Date.parse("2026-03-30T11:00:00Z");

/** A regular conversation: questions and answers, with a tool now and then. */
function plainConversation(length) {
  const messages = [];
  while (messages.length < length) {
    const turn = messages.length;
    messages.push({ role: "user", name: "Mara", content: `Frage ${turn}: was kostet 会議室 ${turn % 9}?` });
    if (turn % 5 === 0) {
      messages.push(
        {
          role: "assistant",
          content: null,
          toolCalls: [{ id: `call-${turn}`, name: "price", arguments: { room: turn } }],
        },
        { role: "tool", toolCallId: `call-${turn}`, content: `{"price": ${turn * 7}}` },
      );
    }
    messages.push({ role: "assistant", content: `It costs ${turn * 7} euros. ${"And so on. ".repeat(turn % 7)}` });
  }
  return inOrder(messages.slice(0, length));
}

/**
 * A conversation with tools, parts, names, tags and other oddities. Each message has an id, and times are a minute
 * apart.
 */
function oddConversation(seed, length) {
  const random = new Random(seed);
  const messages = [];
  while (messages.length < length) {
    messages.push(...randomTranscript(random, { mostMessages: 30 }));
  }
  return inOrder(messages.slice(0, length));
}

function inOrder(messages) {
  return messages.map((message, position) => ({
    ...message,
    id: `m${position}`,
    createdAt: START + position * 60_000,
  }));
}

/** The same as a session log. Its rows have no ids, and only some have times. */
function logOf(messages) {
  const rows = messages.map(({ id, createdAt, ...rest }, position) => ({
    type: "message",
    message: position % 3 === 0 ? rest : { ...rest, createdAt },
  }));
  return rows.map((row) => JSON.stringify(row)).join("\n");
}

const conversations = () => ({
  plain: { messages: plainConversation(600) },
  "plain, imported": { messages: plainConversation(300), isImported: true },
  odd: { messages: oddConversation(1, 300) },
  "odd, imported": { messages: oddConversation(2, 300), isImported: true },
});

const request = { role: "user", content: "Größer als was? 👩‍👩‍👧‍👦", replyTo: "m11" };

const configs = {
  plain: { request: "So?", budget: { maxTokens: 1800 } },
  replied: { request, window: { unit: "exchange", lookbackCount: 9 }, budget: { maxTokens: 1800 } },
  xml: { request: "So?", render: { format: "xml", times: true }, encoding: "cl100k_base", budget: { maxTokens: 1800 } },
  standsIn: { budget: { maxChars: 4000, onRequiredOverflow: "shorten" }, timeZone: "Pacific/Auckland" },
  triaged: { ...presets.triaged, request, timeZone: "Europe/Berlin", triage: { ...presets.triaged.triage, select } },
  turns: { ...presets.turns, request, contents: { soul: "Be kind." }, recall: { ...presets.turns.recall, search } },
  tiered: {
    ...presets.tiered,
    request,
    sections: [searchFirst, ...presets.tiered.sections],
    tiers: { ...presets.tiered.tiers, summarize },
  },
  agent: { ...presets.agent, request, agentId: "b", recall: { ...presets.agent.recall, search } },
  turnContract: { ...presets.turnContract, request, contents: { checkpoint: "The hall is booked." } },
};

/** Builds every case in reopened sessions, continues each conversation, and builds again. Returns plain data. */
export async function runSessionCases(store) {
  const results = [];
  for (const [key, { messages, isImported = false }] of Object.entries(conversations())) {
    const more = messages.splice(-8);
    const first = await openSession(key, { store });
    if (isImported) {
      await first.import(logOf(messages));
    } else {
      await first.append(messages);
    }
    await first.close();
    for (const [name, config] of Object.entries(configs)) {
      const session = await openSession(key, { store });
      results.push([key, name, await essenceOf(session, config)]);
      await session.close();
    }
    const last = await openSession(key, { store });
    for (const message of more) {
      await last.append(message);
      results.push([key, message.id, await essenceOf(last, configs.plain)]);
    }
    await last.close();
  }
  return JSON.stringify(results);
}

async function essenceOf(session, config) {
  try {
    const context = await session.build({ ...config, now, turnId: "turn_1" });
    const { messages, text, kept, tokens, sections, trace, snapshot, recording } = context;
    return { messages, text, kept, tokens, sections, trace, snapshot, recording };
  } catch ({ kind, code, message }) {
    return { kind, code, message };
  }
}
