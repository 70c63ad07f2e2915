// Hooks under stress: whatever a hook does, the build ends as it should and leaves nothing running.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { buildContext, countTokens, createTranscript, replay } from "windrow";
import { checkContextError, errorOf } from "../support/errors.mjs";

const DAY = 86_400_000;
const NOW = Date.UTC(2025, 2, 20, 12);

/** A conversation of today, and one of two days ago, which needs a summary. */
const transcriptOf = (length = 24) =>
  Array.from({ length }, (_, position) => ({
    id: `m${position}`,
    role: position % 2 === 0 ? "user" : "assistant",
    content: `text ${position}`,
    conversationId: position < 8 ? "old" : "new",
    createdAt: (position < 8 ? NOW - 2 * DAY : NOW - 3_600_000) + position * 60_000,
  }));
const messages = transcriptOf();
const recent = messages.slice(-5);
/** @satisfies {import("windrow").ContextConfig} */
const config = { encoding: "estimate", request: "And when?", now: NOW };

/** For each hook, a config that asks it and a specific answer. */
const HOOKS = {
  "triage.select": {
    answer: ["m3"],
    config: (select, timeoutMs) => ({ triage: { select, timeoutMs } }),
  },
  "triage.complete": {
    answer: '{"relevant_ids": [3]}',
    config: (complete, timeoutMs) => ({ triage: { complete, timeoutMs } }),
  },
  "recall.search": {
    answer: [{ text: "known", score: 0.5 }],
    config: (search, timeoutMs) => ({
      recall: { search, timeoutMs },
      sections: [
        { id: "recall", kind: "recall" },
        { id: "history", kind: "history" },
        { id: "request", kind: "request" },
      ],
    }),
  },
  "recall.embed": {
    // The older texts are close to the request.
    give: (texts) => texts.map((text) => (/text \d\d$/.test(text) ? [0, 1] : [1, 0])),
    // A new engine has none of the old one's vectors.
    askedAnew: 2,
    config: (embed, timeoutMs) => ({
      recall: { embed, timeoutMs, recentMessages: 5, maxRecentShare: 1 },
      budget: { maxTokens: 140 },
    }),
  },
  "tiers.summarize": {
    answer: ["a summary"],
    config: (summarize, timeoutMs) => ({
      tiers: { enabled: true, summarize, timeoutMs },
      render: { format: "conversations" },
    }),
  },
  "compact.summarize": {
    answer: "a summary",
    config: (summarize, timeoutMs) => ({
      recall: { ranking: "recency" },
      budget: { maxTokens: 150, cut: {} },
      compact: { maxTokens: 20, summary: {}, summarize, timeoutMs },
    }),
  },
};

/** @type {(name: string, hook: any, options?: BuildOptions) => Promise<import("windrow").BuiltContext<any>>} */
const build = (name, hook, { timeoutMs = 20, transcript = messages, ...more } = {}) =>
  buildContext(transcript, { ...config, ...HOOKS[name].config(hook, timeoutMs), ...more });

/**
 * @typedef {Omit<import("windrow").ContextConfig, "transcript"> & { timeoutMs?: number, transcript?: any }}
 * BuildOptions
 */

/** Everything in a context except its turn. */
const essence = ({ text, messages, tokens, trace, sections, recording, snapshot }) => ({
  text,
  messages,
  tokens,
  trace,
  sections,
  answers: recording.answers,
  contextHash: snapshot.contextHash,
});

/** The only recorded answer. */
const answerOf = (context) => /** @type {any} */ (context.recording.answers[0]);

const { setTimeout: setTimer, clearTimeout: clearTimer } = globalThis;
const pause = (milliseconds) => new Promise((resolve) => setTimer(resolve, milliseconds));

/** A signal that counts its listeners. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const counted = { controller, signal, added: 0, listening: 0 };
  const { addEventListener, removeEventListener } = signal;
  const listeners = new Set();
  signal.addEventListener = (type, listener, options) => {
    counted.added += 1;
    listeners.add(listener);
    counted.listening = listeners.size;
    addEventListener.call(signal, type, listener, options);
  };
  signal.removeEventListener = (type, listener, options) => {
    listeners.delete(listener);
    counted.listening = listeners.size;
    removeEventListener.call(signal, type, listener, options);
  };
  return counted;
}

/** Makes the engine fail in the middle of a call, so that it restarts. */
function failInside() {
  const { encodeInto } = TextEncoder.prototype;
  TextEncoder.prototype.encodeInto = function (text, bytes) {
    if (text.endsWith("ïve")) {
      throw new RangeError("Maximum call stack size exceeded");
    }
    return encodeInto.call(this, text, bytes);
  };
  try {
    countTokens("naïve", { encoding: "estimate" });
  } catch (error) {
    assert.equal(error.code, "INTERNAL");
    return;
  } finally {
    TextEncoder.prototype.encodeInto = encodeInto;
  }
  assert.fail("the engine did not fail");
}

/** Timers that were set outside these tests and neither ran nor were cleared. */
const timers = new Set();
const unhandled = [];
const noteUnhandled = (reason) => unhandled.push(reason);

beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", noteUnhandled);
  globalThis.setTimeout = /** @type {any} */ (
    (run, milliseconds) => {
      const timer = setTimer(() => {
        timers.delete(timer);
        run();
      }, milliseconds);
      timers.add(timer);
      return timer;
    }
  );
  globalThis.clearTimeout = (timer) => {
    timers.delete(timer);
    clearTimer(timer);
  };
});

afterEach(async () => {
  Object.assign(globalThis, { setTimeout: setTimer, clearTimeout: clearTimer });
  assert.equal(timers.size, 0, "no timer is left");
  await pause(0);
  process.off("unhandledRejection", noteUnhandled);
  assert.deepEqual(unhandled, []);
});

/** Objects that throw on any access, and other values that no hook should return. */
const HOSTILE = {
  "throws an error": () => {
    throw new Error("boom");
  },
  "throws a text": () => {
    throw "boom";
  },
  "throws nothing": () => {
    throw undefined;
  },
  "throws what cannot be shown": () => {
    throw new Proxy(
      {},
      {
        get() {
          throw new Error("never");
        },
      },
    );
  },
  "throws a very long text": () => {
    throw new Error("boom ".repeat(100_000));
  },
  rejects: () => Promise.reject(new Error("boom")),
  "rejects with nothing": () => Promise.reject(),
  "rejects late": () => pause(40).then(() => Promise.reject(new Error("boom"))),
  "never settles": () => new Promise(() => {}),
  // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable.
  "a thenable that never calls back": () => ({ then() {} }),
  "a thenable that throws": () => ({
    // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable.
    get then() {
      throw new Error("boom");
    },
  }),
  "a thenable that calls back twice": () => ({
    // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable.
    then(resolve, reject) {
      reject(new Error("boom"));
      resolve(["m3"]);
    },
  }),
  "a symbol": () => Symbol("x"),
  "a function": () => () => {},
  "a number": () => 5,
  "a date": () => new Date(0),
  "an array of a million": () => new Array(1e6).fill("nobody"),
  "an array of a million objects": () => Array.from({ length: 1e6 }, () => ({})),
  "an array that claims to be longer": () => new Proxy([], { get: (_, key) => (key === "length" ? 2 ** 32 - 1 : "x") }),
  "an endless iterable": () => ({
    *[Symbol.iterator]() {
      for (;;) {
        yield "nobody";
      }
    },
  }),
  "an iterable that throws": () => ({
    *[Symbol.iterator]() {
      yield "nobody";
      throw new Error("boom");
    },
  }),
  "deeply nested lists": () => {
    /** @type {any[]} */
    let nested = ["m3"];
    for (let depth = 0; depth < 10_000; depth++) {
      nested = [nested];
    }
    return nested;
  },
  "a list that holds itself": () => {
    const list = [];
    list.push(list);
    return list;
  },
  "elements that throw": () => [
    {
      get id() {
        throw new Error("boom");
      },
      get text() {
        throw new Error("boom");
      },
    },
  ],
  "a list that throws": () =>
    Object.defineProperty(["x", "y"], 0, {
      get() {
        throw new Error("boom");
      },
    }),
  "a proxy that throws": () =>
    new Proxy([], {
      get() {
        throw new Error("boom");
      },
      has() {
        throw new Error("boom");
      },
    }),
  "a revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    return proxy;
  },
  "a very long text": () => "x".repeat(20_000_000),
  "half of a character": () => ["\ud83d", { text: "\ud83d", id: "\ud83d" }],
};

for (const [name, { answer, give = () => answer, askedAnew = 1 }] of Object.entries(HOOKS)) {
  describe(`a hook ${name}`, () => {
    for (const [what, hook] of Object.entries(HOSTILE)) {
      test(`that returns ${what}`, async () => {
        const counted = countedSignal();
        const context = await build(name, hook, { signal: counted.signal });
        assert.equal(counted.listening, 0, "nobody listens any more");
        assert.deepEqual(
          recent.filter((message) => !context.kept.includes(message)),
          [],
        );
        assert.equal(context.recording.answers.length, 1);
        assert.ok((answerOf(context).reason ?? "").length <= 200);
        const again = await replay(JSON.parse(JSON.stringify(context.recording)), messages);
        assert.deepEqual([again.same, again.differences], [true, []]);
      });
    }

    test("that is late changes nothing", async () => {
      const context = await build(name, (...question) => pause(30).then(() => give(...question)), { timeoutMs: 5 });
      const before = structuredClone(essence(context));
      assert.equal(answerOf(context).outcome, "failed");
      assert.match(answerOf(context).reason, /took longer than 5 ms/);
      await pause(60);
      assert.deepEqual(structuredClone(essence(context)), before);
      const inTime = await build(name, give);
      assert.notEqual(inTime.snapshot.contextHash, context.snapshot.contextHash);
    });

    test("learns that it took too long", async () => {
      let own;
      await build(name, (first, second) => {
        own = (first.signal ?? second?.signal) || undefined;
        return new Promise(() => {});
      });
      assert.equal(own.aborted, true);
      assert.equal(own.reason.name, "TimeoutError");
    });

    test("is told when the caller aborts, and the build ends at once", async () => {
      const counted = countedSignal();
      let own;
      const building = build(
        name,
        (first, second) => {
          own = first.signal ?? second.signal;
          return new Promise(() => {});
        },
        { signal: counted.signal, timeoutMs: 60_000 },
      );
      const failing = errorOf(() => building);
      await pause(5);
      assert.ok(own !== undefined && !own.aborted);
      const reason = new Error("not wanted any more");
      counted.controller.abort(reason);
      assert.equal(own.aborted, true, "at once");
      assert.equal(own.reason, reason);
      const error = await failing;
      checkContextError(error, { code: "ABORTED" });
      assert.equal(error.cause, reason);
      assert.equal(error.record.code, "ABORTED");
      assert.equal(counted.listening, 0);
    });

    test("that aborts the build itself, and then answers, throws or never ends", async () => {
      for (const then of [
        give,
        (...question) => Promise.resolve(give(...question)),
        () => Promise.reject(new Error("boom")),
        () => {
          throw new Error("boom");
        },
        () => new Promise(() => {}),
      ]) {
        const counted = countedSignal();
        const error = await errorOf(() =>
          build(
            name,
            (...question) => {
              counted.controller.abort();
              return then(...question);
            },
            { signal: counted.signal },
          ),
        );
        checkContextError(error, { code: "ABORTED" });
        assert.equal(counted.listening, 0);
      }
    });

    test("that builds a context itself, from the same messages and from others", async () => {
      const plain = await build(name, give, { timeoutMs: 60_000 });
      const nested = [];
      const context = await build(
        name,
        async (...question) => {
          nested.push(await build(name, give, { timeoutMs: 60_000 }));
          nested.push(await buildContext(transcriptOf(4), config));
          nested.push(await buildContext(messages, { ...config, budget: { maxTokens: 40 } }));
          return give(...question);
        },
        { timeoutMs: 60_000 },
      );
      assert.deepEqual(essence(context), essence(plain));
      assert.deepEqual(essence(nested[0]), essence(plain));
      assert.deepEqual([nested[1].kept.length, nested[2].trimmed], [4, true]);
    });

    test("is asked once, even if the engine restarts meanwhile", async () => {
      const plain = await build(name, give, { timeoutMs: 60_000 });
      /** @type {import("windrow").Transcript<import("windrow").MessageInput>} */
      const transcript = createTranscript(messages);
      let asked = 0;
      const context = await build(
        name,
        async (...question) => {
          asked += 1;
          if (asked === 1) {
            failInside();
            transcript.append({ role: "user", content: "later" });
            await pause(1);
            failInside();
          }
          return give(...question);
        },
        { timeoutMs: 60_000, transcript },
      );
      assert.equal(asked, askedAnew);
      assert.deepEqual(essence(context), essence(plain));
      assert.equal((await replay(context.recording, messages)).same, true);
    });

    test("is not called by a replay", async () => {
      let asked = 0;
      const context = await build(name, (...question) => {
        asked += 1;
        return give(...question);
      });
      const again = await replay(JSON.parse(JSON.stringify(context.recording)), messages);
      assert.deepEqual([asked, again.same], [1, true]);
      assert.deepEqual(essence(again.context), essence(context));
    });

    test("may take any time: a timeout beyond the range of timers means no timeout", async () => {
      for (const timeoutMs of [2 ** 31, Number.MAX_SAFE_INTEGER]) {
        const context = await build(name, (...question) => pause(5).then(() => give(...question)), { timeoutMs });
        assert.equal(answerOf(context).outcome, "given");
      }
    });
  });
}

describe("several hooks in one build", () => {
  /** @type {(hooks: any) => import("windrow").ContextConfig<any>} */
  const all = (hooks) => ({
    ...config,
    triage: { select: hooks.select, timeoutMs: 20 },
    recall: { search: hooks.search, timeoutMs: 20 },
    sections: [
      { id: "recall", kind: "recall" },
      { id: "history", kind: "history" },
      { id: "request", kind: "request" },
    ],
    countTokens: hooks.countTokens ?? ((texts) => texts.map((text) => text.length)),
  });

  test("answers from before an engine restart are reused, and each hook is asked once", async () => {
    const asked = { select: 0, search: 0, countTokens: 0 };
    const hooks = (mostFailures) => {
      let failures = 0;
      const perhapsFail = () => {
        if (failures < mostFailures) {
          failures += 1;
          failInside();
        }
      };
      return {
        select() {
          asked.select += 1;
          perhapsFail();
          return ["m3"];
        },
        async search() {
          asked.search += 1;
          await pause(1);
          perhapsFail();
          return ["known"];
        },
        async countTokens(texts) {
          asked.countTokens += 1;
          await pause(1);
          perhapsFail();
          return texts.map((text) => text.length);
        },
      };
    };
    const plain = await buildContext(messages, all(hooks(0)));
    const once = { ...asked };
    const broken = await buildContext(messages, all(hooks(20)));
    assert.deepEqual(asked, { select: 2 * once.select, search: 2 * once.search, countTokens: 2 * once.countTokens });
    assert.deepEqual(essence(broken), essence(plain));
    assert.equal((await replay(broken.recording, messages)).same, true);
  });

  test("run one after the other, each with a separate signal", async () => {
    const signals = [];
    let isAsking = false;
    const alone = (answer) => async (question) => {
      assert.equal(isAsking, false);
      isAsking = true;
      signals.push(question.signal);
      await pause(1);
      isAsking = false;
      return answer;
    };
    await buildContext(messages, all({ select: alone(["m3"]), search: alone([]) }));
    assert.equal(new Set(signals).size, 2);
  });

  test("many simultaneous builds of one transcript under one signal don't disturb each other", async () => {
    const counted = countedSignal();
    const transcript = createTranscript(messages);
    const contexts = await Promise.all(
      Array.from({ length: 60 }, (_, position) =>
        build("triage.select", () => pause(position % 7).then(() => [`m${position % 10}`]), {
          signal: counted.signal,
          timeoutMs: 60_000,
          transcript: position % 2 === 0 ? transcript : messages,
        }),
      ),
    );
    contexts.forEach((context, position) => {
      assert.deepEqual([context.kept[0].id, context.kept.length], [`m${position % 10}`, 6]);
    });
    assert.ok(counted.added > 0);
    assert.equal(counted.listening, 0);
  });
});

describe("aborting", () => {
  test("before: nothing is read, and no hook is asked", async () => {
    const counted = countedSignal();
    counted.controller.abort("enough");
    const untouched = new Proxy([], {
      get() {
        assert.fail("the transcript is read");
      },
    });
    const error = await errorOf(() =>
      build("triage.select", () => assert.fail("it is asked"), { signal: counted.signal, transcript: untouched }),
    );
    checkContextError(error, { code: "ABORTED" });
    assert.equal(error.cause, "enough");
    assert.equal(counted.listening, 0);
  });

  test("while an encoding is loaded", async () => {
    const counted = countedSignal();
    const building = buildContext(messages, { request: "And when?", encoding: "cl100k_base", signal: counted.signal });
    counted.controller.abort();
    checkContextError(await errorOf(() => building), { code: "ABORTED" });
    assert.equal(counted.listening, 0);
    const context = await buildContext(messages, { request: "And when?", encoding: "cl100k_base" });
    assert.equal(context.tokens.exact, true, "the next build still loads it");
  });

  test("after: nothing happens", async () => {
    const counted = countedSignal();
    const context = await build("triage.select", () => ["m3"], { signal: counted.signal });
    const before = structuredClone(essence(context));
    counted.controller.abort();
    await pause(5);
    assert.deepEqual(structuredClone(essence(context)), before);
  });

  test("at any moment: the build is aborted or complete", async () => {
    let aborted = 0;
    for (let turn = 0; turn < 60; turn++) {
      const counted = countedSignal();
      const building = build("triage.select", () => pause(turn % 3).then(() => ["m3"]), {
        signal: counted.signal,
        timeoutMs: 60_000,
      });
      for (let tick = 0; tick < turn % 20; tick++) {
        await null;
      }
      counted.controller.abort();
      try {
        const context = await building;
        assert.equal(context.kept[0].id, "m3");
      } catch (error) {
        checkContextError(error, { code: "ABORTED" });
        aborted += 1;
      }
      assert.equal(counted.listening, 0);
    }
    assert.ok(aborted > 20, "it was aborted while it was built");
    await pause(5);
  });

  test("with a foreign signal", async () => {
    const listeners = new Set();
    /** @type {any} */
    const signal = {
      aborted: false,
      reason: undefined,
      addEventListener: (_, listener) => listeners.add(listener),
      removeEventListener: (_, listener) => listeners.delete(listener),
    };
    const building = build("triage.select", () => new Promise(() => {}), { signal, timeoutMs: 60_000 });
    await pause(1);
    Object.assign(signal, { aborted: true, reason: "enough" });
    for (const listener of listeners) {
      listener();
    }
    const error = await errorOf(() => building);
    checkContextError(error, { code: "ABORTED" });
    assert.deepEqual([error.cause, listeners.size], ["enough", 0]);
  });
});

describe("nothing remains", () => {
  setFlagsFromString("--expose_gc");
  const collectGarbage = runInNewContext("gc");

  test("of 500 builds whose hooks never settle: no timer, no listener, and none of their messages", async () => {
    const counted = countedSignal();
    const held = [];
    const references = [];
    const one = async () => {
      const transcript = transcriptOf();
      references.push(new WeakRef(transcript[0]));
      await build("triage.select", () => new Promise((resolve) => held.push(resolve)), {
        signal: counted.signal,
        timeoutMs: 5,
        transcript,
      });
    };
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 50 }, one));
    }
    assert.equal(held.length, 500, "every hook still waits");
    assert.equal(counted.listening, 0);
    for (let attempt = 0; attempt < 10; attempt++) {
      await pause(1);
      collectGarbage();
    }
    const alive = references.filter((reference) => reference.deref() !== undefined).length;
    // The latest arrays are remembered weakly, by their messages.
    assert.ok(alive <= 25, `${alive} of 500 are held on to`);
    for (const resolve of held) {
      resolve(["m3"]);
    }
  });

  test("of 500 builds that are aborted", async () => {
    const held = [];
    const references = [];
    const one = async () => {
      const counted = countedSignal();
      const transcript = transcriptOf();
      references.push(new WeakRef(transcript[0]));
      const failing = errorOf(() =>
        build("recall.search", () => new Promise((resolve) => held.push(resolve)), {
          signal: counted.signal,
          timeoutMs: 60_000,
          transcript,
        }),
      );
      await pause(1);
      counted.controller.abort();
      checkContextError(await failing, { code: "ABORTED" });
      assert.equal(counted.listening, 0);
    };
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 50 }, one));
    }
    assert.equal(held.length, 500);
    for (let attempt = 0; attempt < 10; attempt++) {
      await pause(1);
      collectGarbage();
    }
    const alive = references.filter((reference) => reference.deref() !== undefined).length;
    assert.ok(alive <= 25, `${alive} of 500 are held on to`);
  });
});
