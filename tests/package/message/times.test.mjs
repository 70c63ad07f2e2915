// Times of messages, in every unit and under every name that packages and databases use.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, parseTranscript, plainMessage } from "windrow";
import { forEachSeed } from "../support/property.mjs";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

/** A user message in each format. */
const SHAPES = {
  windrow: (text) => ({ role: "user", content: text }),
  anthropic: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  gemini: (text) => ({ role: "user", parts: [{ text }] }),
  "openai-responses": (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
  "ai-sdk-ui": (text) => ({ id: "u", role: "user", parts: [{ type: "text", text }] }),
  langchain: (text) => ({ type: "human", content: text, additional_kwargs: {}, response_metadata: {} }),
};
/** The same moment in every form. */
const FORMS = {
  seconds: (timeMs) => Math.floor(timeMs / 1000),
  "seconds with a fraction": (timeMs) => timeMs / 1000,
  milliseconds: (timeMs) => timeMs,
  microseconds: (timeMs) => timeMs * 1000,
  nanoseconds: (timeMs) => timeMs * 1e6,
  "seconds as a text": (timeMs) => String(Math.floor(timeMs / 1000)),
  "seconds with a fraction as a text": (timeMs) => (timeMs / 1000).toFixed(6),
  "milliseconds as a text": (timeMs) => String(timeMs),
  "microseconds as a text": (timeMs) => `${timeMs}123`,
  text: (timeMs) => new Date(timeMs).toISOString(),
};

describe("a message's time", () => {
  for (const [shape, messageWith] of Object.entries(SHAPES)) {
    test(`in the format ${shape} is read under each name, and in each unit`, () => {
      forEachSeed((random) => {
        const days = random.integer(0, 60);
        const timeMs = NOW - days * DAY_MS - random.integer(0, 1000) * 1000;
        const name = random.pick(["createdAt", "created_at", "timestamp"]);
        const form = random.pick(Object.keys(FORMS));
        const message = { ...messageWith("Hi"), [name]: FORMS[form](timeMs) };
        const read = new Date(plainMessage(message).createdAt).getTime();
        assert.ok(Math.abs(read - timeMs) < 1000, `${name} in ${form}: ${read}, not ${timeMs}`);
        const limit = random.integer(1, 60);
        const { kept } = buildContextSync([message], {
          ...{ encoding: "estimate", request: "And?", now: NOW },
          filter: { maxAgeDays: limit },
        });
        assert.equal(kept.includes(message), NOW - read <= limit * DAY_MS);
      });
    });
  }

  test("is read from the objects of databases, and from dates with the name of the day", () => {
    const forms = {
      firestore: (date) => ({ seconds: date.getTime() / 1000, nanoseconds: 0 }),
      "exported from Firestore": (date) => ({ _seconds: date.getTime() / 1000, _nanoseconds: 0 }),
      mongodb: (date) => ({ $date: date.toISOString() }),
      email: (date) => date.toUTCString().replace("GMT", "+0000"),
      http: (date) => date.toUTCString(),
      javascript: String,
    };
    forEachSeed((random) => {
      const date = new Date(NOW - random.integer(0, 100_000) * 1000);
      const name = random.pick(["created_at", "timestamp"]);
      const form = random.pick(Object.keys(forms));
      const message = { role: /** @type {const} */ ("user"), content: "Hi", [name]: forms[form](date) };
      assert.equal(new Date(plainMessage(message).createdAt ?? 0).getTime(), date.getTime(), `${name} of ${form}`);
    });
  });

  test("isn't a time if it counts from the beginning of a recording, or is meaningless", () => {
    for (const timestamp of [0, 3.5, 7200, "00:03:10", "soon", "Fri, noon GMT", null, {}, { seconds: 90 }, true]) {
      const message = /** @type {any} */ ({ role: "user", content: "Hi", timestamp });
      assert.equal(plainMessage(message).createdAt, undefined);
    }
  });

  test("in milliseconds of an early date is unchanged", () => {
    for (const createdAt of [0, 5, -1, Date.UTC(1975, 0, 1)]) {
      assert.equal(plainMessage({ role: "user", content: "Hi", createdAt }).createdAt, createdAt);
    }
  });

  test("in a file that counts in seconds is that of its conversation", () => {
    const messages = [{ role: "user", content: "Hi", created_at: 1780000000 }];
    const { conversations } = parseTranscript(JSON.stringify([{ id: "a", messages }]));
    assert.equal(conversations[0]?.startedAt, new Date(1780000000000).toISOString());
  });
});
