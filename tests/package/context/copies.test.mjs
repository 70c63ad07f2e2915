// Copies of one text by one speaker: the prompt has it once until everything else is in.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContextSync, loadEncoding } from "windrow";
import { forEachSeed } from "../support/property.mjs";

before(() => loadEncoding("o200k_base"));

const START = Date.UTC(2025, 1, 10, 17);
const config = (maxTokens, recall) => ({
  request: "Which pump reports pressure?",
  now: START + 9 * 86_400_000,
  budget: { maxTokens },
  recall: { recentMessages: 0, maxStandingShare: 0, maxStatementShare: 0, ...recall },
});

/** A log of lines by two speakers, all of one length. Each line occurs several times. */
function logOf(random, length, lineCount) {
  return Array.from({ length }, (_, at) => ({
    id: `m${at}`,
    role: random.integer(0, 1) === 0 ? "user" : "assistant",
    content: `Pump ${["alpha", "beta", "gamma", "delta"][random.integer(0, 3)]} ${random.integer(100, 99 + lineCount)} reports pressure in the hall.`,
    createdAt: START + at,
  }));
}

const saidIn = ({ role, content }) => `${role}: ${content}`;

describe("copies of a text", () => {
  test("a copy is kept only after all other messages, and explain names the message in its place", () => {
    let [roomyCount, fullCount] = [0, 0];
    forEachSeed((random) => {
      const messages = logOf(random, random.integer(20, 80), random.integer(1, 12));
      const context = buildContextSync(messages, config(random.integer(80, 980)));
      const said = new Set(context.kept.map(saidIn));
      const isFull = said.size < context.kept.length;
      for (const [at, message] of messages.entries()) {
        const { fate, words } = context.explain(at);
        if (fate !== "left out") {
          continue;
        }
        const named = /; message "(m\d+)" says the same, and is in the prompt$/.exec(words)?.[1];
        if (said.has(saidIn(message))) {
          const other = messages.find(({ id }) => id === named);
          assert.ok(other !== undefined && context.kept.includes(other), words);
          assert.equal(saidIn(other), saidIn(message));
        } else {
          assert.equal(named, undefined);
          assert.ok(!isFull, `message ${at} is left out, and a copy of another one is in the prompt`);
        }
      }
      roomyCount += isFull ? 1 : 0;
      fullCount += isFull ? 0 : 1;
    });
    assert.ok(roomyCount > 0 && fullCount > 0);
  });

  test("required messages count: recall doesn't repeat the words of a pinned message", () => {
    const content = "The greenhouse pump reports a pressure of three.";
    const messages = [
      { id: "pinned", role: "user", content, pinned: true },
      ...Array.from({ length: 30 }, (_, at) => ({
        id: `m${at}`,
        role: "user",
        content: at % 3 === 0 ? content : `Pump ${at} reports the pressure of hall ${at}.`,
      })),
    ].map((message, at) => ({ ...message, createdAt: START + at }));
    const context = buildContextSync(messages, config(150));
    assert.equal(context.kept.filter((message) => message.content === content).length, 1);
    assert.match(context.explain("m3").words, /message "pinned" says the same/);
  });

  test("short replies aren't copies: each answers something else", () => {
    const messages = Array.from({ length: 12 }, (_, at) => ({
      id: `m${at}`,
      role: at % 2 === 0 ? "assistant" : "user",
      content: at % 2 === 0 ? `Does pump ${at} report its pressure?` : "Yes, please",
      createdAt: START + at,
    }));
    const context = buildContextSync(messages, config(10_000));
    assert.equal(context.kept.length, 12);
  });

  test("replies to questions that differ only by a name are kept too", () => {
    const names = ["lamp", "river", "stone", "cloud", "engine", "paper", "violet", "copper", "meadow", "signal"];
    const messages = Array.from({ length: 120 }, (_, at) => ({
      id: `m${at}`,
      role: at % 2 === 0 ? "user" : "assistant",
      content:
        at % 2 === 0
          ? `Please fix the failing test in module ${names[(at / 2) % 10]}`
          : `The ${names[(at * 7) % 10]} was read before the ${names[(at * 3) % 10]} had been written in step ${at}, so the test waits for it now.`,
      createdAt: START + at,
    }));
    const options = { ...config(1000), request: "Please fix the failing test in module lamp" };
    const { kept } = buildContextSync(messages, options);
    const replies = kept.filter(({ role }) => role === "assistant").length;
    assert.ok(replies >= kept.length / 2, `${replies} replies among ${kept.length} messages`);
  });
});
