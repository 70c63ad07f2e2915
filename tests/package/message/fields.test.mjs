// Fields of a message other than its role and content: how each is read, and the errors for each.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync } from "windrow";
import { checkContextError, errorOf } from "../support/errors.mjs";

const NOW = Date.UTC(2025, 2, 20, 12);
const user = (content, more) => ({ role: "user", content, ...more });
const built = (messages, config) => buildContextSync(messages, { encoding: "estimate", now: NOW, ...config });
const digest = (message) => built([message]).recording.transcript.digest;
const texts = (context) => context.kept.map(({ content }) => content);

describe("a field is part of the message", () => {
  for (const [field, one, other] of /** @type {[field: string, one: any, other: any][]} */ ([
    ["conversationId", "a", "b"],
    ["summaryOf", "a", "b"],
    ["replyTo", "a", "b"],
    ["actions", ["looked"], ["wrote"]],
    ["actions", ["looked", "wrote"], ["wrote", "looked"]],
    ["status", "completed", "failed"],
    ["target", "a", "b"],
    ["target", ["a"], ["a", "b"]],
    ["priority", 0.25, 0.26],
    ["ttlSeconds", 60, 60.5],
  ])) {
    test(`${field}: ${JSON.stringify(one)} is not ${JSON.stringify(other)}`, () => {
      const digests = [{}, { [field]: one }, { [field]: other }].map((more) => digest(user("hi", more)));
      assert.equal(new Set(digests).size, 3);
    });
  }

  for (const [field, one, other] of /** @type {[field: string, one: any, other: any][]} */ ([
    ["conversationId", 5, "5"],
    ["summaryOf", 5, "5"],
    ["replyTo", 5, "5"],
    ["target", "a", ["a"]],
    ["actions", ["a", "b"], '["a", "b"]'],
    ["priority", 0.5, 0.50000001],
    ["ttlSeconds", 1, 1.0001],
    ["ttlSeconds", Number.MAX_SAFE_INTEGER, Number.MAX_VALUE],
    ...["conversationId", "summaryOf", "replyTo", "actions", "status", "target", "priority", "ttlSeconds"].map(
      (field) => [field, null, undefined],
    ),
  ])) {
    test(`${field}: ${JSON.stringify(one)} is ${JSON.stringify(other)}`, () => {
      assert.equal(digest(user("hi", { [field]: one })), digest(user("hi", { [field]: other })));
    });
  }
});

describe("an invalid field is an error at its place", () => {
  for (const [field, value, place = ""] of /** @type {[field: string, value: any, place?: string][]} */ ([
    ["conversationId", {}],
    ["summaryOf", true],
    ["replyTo", ["a"]],
    ["actions", 5],
    ["actions", { a: "looked" }],
    ["actions", ["looked", 5], "[1]"],
    ["actions", ["looked", null], "[1]"],
    ["status", 200],
    ["target", 5],
    ["target", { id: "a" }],
    ["target", ["a", 5], "[1]"],
    ["priority", 1.1],
    ["priority", -0.1],
    ["priority", Number.NaN],
    ["priority", "high"],
    ["ttlSeconds", -1],
    ["ttlSeconds", Number.NaN],
    ["ttlSeconds", Number.POSITIVE_INFINITY],
    ["ttlSeconds", "60"],
  ])) {
    test(`${field}: ${JSON.stringify(value)}`, async () => {
      const error = await errorOf(() => built([user("hi"), user("hi", { [field]: value })]));
      checkContextError(error, { code: "INVALID_TRANSCRIPT", path: `messages[1].${field}${place}` });
    });
  }
});

describe("actions", () => {
  const shown = (actions) =>
    built([user("q"), { role: "assistant", content: "a", actions }], { render: { format: "text" } }).text;

  test("are below their message, as a list or as its JSON", () => {
    for (const actions of [["looked", "wrote"], '["looked", "wrote"]', '["looked", 5, null, ["x"], "wrote"]']) {
      assert.equal(shown(actions), "User: q\nAssistant: a\n[Actions: looked | wrote]");
    }
  });

  test("a text that isn't a list of texts adds nothing", () => {
    for (const actions of ["", "looked", "[", "{}", "null", "5", '"looked"', "[]", "[5]", "[".repeat(100_000)]) {
      assert.equal(shown(actions), "User: q\nAssistant: a", actions.slice(0, 9));
    }
  });
});

test("the request replies to a message by a text or a number", () => {
  const messages = Array.from({ length: 20 }, (_, id) => user(`text ${id}`, { id }));
  for (const replyTo of [3, "3"]) {
    const context = built(messages, { window: { lookbackCount: 2 }, request: { content: "And?", replyTo } });
    assert.deepEqual(texts(context), ["text 3", "text 18", "text 19"]);
  }
});

test("a message for another agent, or an expired one, is left out", () => {
  const messages = [
    user("for all"),
    user("for a", { target: "a" }),
    user("for b", { target: "b" }),
    user("for both", { target: ["a", "b"] }),
    user("expired", { target: "a", createdAt: NOW - 61_000, ttlSeconds: 60 }),
    user("valid", { target: "a", createdAt: NOW - 60_000, ttlSeconds: 60 }),
  ];
  assert.deepEqual(texts(built(messages, { agentId: "a" })).sort(), ["for a", "for all", "for both", "valid"]);
});
