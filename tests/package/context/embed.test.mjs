// The embedding hook: its questions, its effects, and builds that continue without it after a failure.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContext, buildContextSync, createTranscript, memoryStore, openSession, replay } from "windrow";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";

const START = Date.UTC(2025, 2, 20, 9);

/** Topics, each with synonyms that an embedding model would recognize. */
const TOPICS = [
  ["car", "vehicle", "automobile", "engine"],
  ["dinner", "meal", "supper", "soup"],
  ["rain", "storm", "weather", "cloudy"],
  ["violin", "concert", "orchestra", "melody"],
  ["doctor", "physician", "clinic", "surgery"],
];

/** A vector from the topics of a text. All texts have a little in common. */
function vectorOf(text) {
  const counts = TOPICS.map((words) => words.filter((word) => text.toLowerCase().includes(word)).length);
  return Float32Array.from([...counts, 0.1]);
}

/** A hook that records its questions. */
function recorded(answer = (texts, _details) => texts.map(vectorOf)) {
  const batches = [];
  const embed = async (texts, details) => {
    batches.push([...texts]);
    return await answer(texts, details);
  };
  return { embed, batches };
}

const messages = Array.from({ length: 100 }, (_, position) => ({
  id: `m${position}`,
  role: position % 2 === 0 ? "user" : "assistant",
  name: position % 2 === 0 ? "Ana" : "Ben",
  content: `Number ${position} is about nothing in particular, and is here to take some room.`,
  createdAt: START + position * 86_400_000,
}));
// It shares no word with the request.
messages[13].content = "My old automobile broke down again.";
messages[57].content = " ";

const request = "Which vehicle do we need?";
/** @satisfies {import("windrow").ContextConfig} */
const config = { encoding: "estimate", request, now: START + 200 * 86_400_000, budget: { maxTokens: 300 } };
/** Copies of the messages, about which nothing is remembered. */
const fresh = () => messages.map((message) => ({ ...message }));
const built = (recall, more, transcript = fresh()) => buildContext(transcript, { ...config, ...more, recall });

const ids = (context) => context.kept.map(({ id }) => id);
const notes = (context) => context.trace.notes.map(({ kind }) => kind);

/** Everything in a context except its notes and the recorded hook answers. */
const essence = ({ messages, tokens, trace, sections, snapshot }) => ({
  messages,
  tokens,
  ranges: trace.ranges,
  reasons: trace.reasons,
  sections,
  hash: snapshot.contextHash,
});

describe("recall.embed", () => {
  test("finds a message that shares no word with the request", async () => {
    const without = await built({});
    assert.ok(!ids(without).includes("m13"));
    const context = await built({ embed: recorded().embed });
    assert.ok(ids(context).includes("m13"));
    assert.deepEqual(notes(context), notes(without));
  });

  test("is asked in batches, once for each text: for the request alone, and for others with the names", async () => {
    const { embed, batches } = recorded();
    const twice = [...fresh(), { ...messages[20], id: "again" }];
    await buildContext(twice, { ...config, recall: { embed, embedBatchSize: 16 } });
    const texts = batches.flat();
    assert.deepEqual(
      batches.map((batch) => batch.length),
      [...Array.from({ length: 6 }, () => 16), 4],
    );
    assert.equal(texts[0], request);
    assert.equal(new Set(texts).size, texts.length);
    const spoken = messages.filter(({ content }) => content !== " ").map(({ name, content }) => `${name}: ${content}`);
    assert.deepEqual([...texts.slice(1)].sort(), [...spoken].sort());
  });

  test("is asked for one batch after the other, with the timeout for each", async () => {
    let running = 0;
    const { embed, batches } = recorded(async (texts, { signal }) => {
      assert.ok(signal instanceof AbortSignal && !signal.aborted);
      running += 1;
      assert.equal(running, 1);
      await new Promise((resolve) => setTimeout(resolve, 120));
      running -= 1;
      return texts.map(vectorOf);
    });
    const context = await built({ embed, embedBatchSize: 10, timeoutMs: 1000 });
    assert.equal(batches.length, 10);
    assert.deepEqual(
      notes(context).filter((kind) => kind.startsWith("embedding")),
      [],
    );
  });

  test("is only asked for new texts and the request", async () => {
    for (const transcript of /** @type {any[]} */ ([fresh(), createTranscript(messages)])) {
      const more = { id: "new", role: "user", name: "Ana", content: "Something new." };
      const { embed, batches } = recorded();
      const first = await buildContext(transcript, { ...config, recall: { embed } });
      batches.length = 0;
      const again = await buildContext(transcript, { ...config, recall: { embed } });
      assert.deepEqual(batches, [[request]]);
      assert.deepEqual(essence(again), essence(first));
      assert.deepEqual(again.recording.answers, first.recording.answers);
      batches.length = 0;
      const longer = Array.isArray(transcript) ? [...transcript, more] : transcript;
      if (!Array.isArray(transcript)) {
        transcript.append(more);
      }
      await buildContext(longer, { ...config, recall: { embed } });
      assert.deepEqual(batches, [[request, "Ana: Something new."]]);
      if (!Array.isArray(transcript)) {
        batches.length = 0;
        transcript.replaceLast({ ...more, content: "Something newer." });
        await buildContext(transcript, { ...config, recall: { embed } });
        assert.deepEqual(batches, [[request, "Ana: Something newer."]]);
        transcript.free();
      }
    }
  });

  test("embeds no more than 8000 characters of a text", async () => {
    const { embed, batches } = recorded();
    const long = [...fresh(), { role: "user", content: "ä".repeat(10_000) }, ...messages.slice(0, 4)];
    await buildContext(long, { ...config, recall: { embed } });
    assert.equal(Math.max(...batches.flat().map((text) => text.length)), 8000);
  });

  test("isn't asked if there is nothing to rank", async () => {
    const { embed, batches } = recorded();
    await built({ embed }, { budget: { maxTokens: 100_000 } });
    await built({ embed, ranking: "recency" });
    await built({ embed, ranking: "bm25" });
    await built({ embed }, { request: "  " });
    assert.deepEqual(batches, []);
  });

  test("may return lists of numbers, and numbers of other widths than 32 bits", async () => {
    const wanted = await built({ embed: recorded().embed });
    const answers = [
      (texts) => texts.map((text) => [...vectorOf(text)]),
      (texts) => texts.map((text) => Float64Array.from(vectorOf(text))),
      // Scaled, but in the same direction.
      (texts) => texts.map((text) => vectorOf(text).map((component) => component / 1024)),
      (texts) => new Set(texts.map(vectorOf)),
    ];
    for (const answer of answers) {
      const found = await built({ embed: recorded(answer).embed });
      assert.deepEqual(ids(found), ids(wanted));
      assert.deepEqual(found.recording.answers, wanted.recording.answers);
    }
  });

  test("a replay needs neither the hook nor the vectors, and the recording is small", async () => {
    const context = await built({ embed: recorded().embed });
    const recording = JSON.parse(JSON.stringify(context.recording));
    const copies = messages.map((message) => ({ ...message }));
    const again = await replay(recording, copies);
    assert.equal(again.same, true);
    assert.deepEqual(again.differences, []);
    assert.deepEqual(essence(again.context), essence(context));
    assert.deepEqual(again.context.recording, context.recording);
    const answer = recording.answers.find(({ hook }) => hook === "recall.embed");
    assert.deepEqual(Object.keys(answer).sort(), ["hook", "outcome", "similarities"]);
    assert.ok(answer.similarities.length <= 2 * messages.length);
    // A replay without the recorded vectors fails with an error that says so.
    for (const similarities of [undefined, null, "", answer.similarities.slice(2), `${answer.similarities}AA`, 5]) {
      const damaged = { ...recording, answers: [{ ...answer, similarities }] };
      checkContextError(await errorOf(() => replay(damaged, copies)), {
        kind: "context_build_error",
        code: "INVALID_RECORDING",
      });
    }
  });

  test("a synchronous build ignores it", async () => {
    const error = await errorOf(() => buildContextSync(messages, { ...config, recall: { embed: wrong(() => []) } }));
    checkContextError(error, { kind: "context_build_error", code: "INVALID_CONFIG", path: "recall.embed" });
  });

  test("batches have at least one text", async () => {
    const error = await errorOf(() => built({ embed: () => [], embedBatchSize: 0 }));
    checkContextError(error, { kind: "context_build_error", code: "INVALID_CONFIG", path: "recall.embedBatchSize" });
  });

  test("is aborted with the build", async () => {
    const controller = new AbortController();
    let own;
    const embed = (_, { signal }) => {
      own = signal;
      queueMicrotask(() => controller.abort(new Error("enough")));
      return new Promise(() => {});
    };
    const error = await errorOf(() => built({ embed }, { signal: controller.signal }));
    checkContextError(error, { kind: "context_build_error", code: "ABORTED" });
    assert.equal(own.aborted, true);
  });
});

describe("recall.embed that fails", () => {
  const change = (position, to) => (texts) =>
    texts.map((text, index) => (index === position ? to(vectorOf(text)) : vectorOf(text)));
  const failures = {
    "throws at once": () => {
      throw new Error("no model");
    },
    rejects: () => Promise.reject(new Error("no model")),
    "takes too long": () => new Promise(() => {}),
    "returns one too few": (texts) => texts.slice(1).map(vectorOf),
    "returns one too many": (texts) => [...texts, "one more"].map(vectorOf),
    "gives none": () => [],
    "doesn't return a list": () => 5,
    "returns a text": () => "vectors",
    "returns an object": () => ({ data: [] }),
    "returns null as a vector": change(3, () => null),
    "returns a number as a vector": change(3, () => 5),
    "returns a text as a vector": change(3, () => "123456"),
    "returns bytes as a vector": change(3, (vector) => new DataView(vector.buffer)),
    "returns a vector of another length": change(3, (vector) => vector.slice(1)),
    "returns empty vectors": (texts) => texts.map(() => []),
    "returns vectors of different lengths": (texts) => texts.map(() => ({ length: 2 ** 32 })),
    "gives NaN": change(3, (vector) => vector.map(() => Number.NaN)),
    "gives infinity": change(0, (vector) => vector.map(() => Number.POSITIVE_INFINITY)),
    "returns numbers beyond 32 bits": change(3, (vector) => [...vector].fill(1e300)),
    "returns texts as numbers": change(3, (vector) => [...vector].map(String)),
    "returns a list with holes": change(3, (vector) => new Array(vector.length)),
    "returns an object that throws when it is read": (texts) =>
      texts.map(
        () =>
          new Proxy([1], {
            get() {
              throw new Error("not to be read");
            },
          }),
      ),
  };
  for (const [name, answer] of Object.entries(failures)) {
    test(`if it ${name}, messages are ranked by their words, and a note says so`, async () => {
      const without = await built({ timeoutMs: 20 });
      const { embed } = recorded(answer);
      const context = await built({ embed, timeoutMs: 20 });
      assert.deepEqual(
        notes(context).filter((kind) => kind.startsWith("embedding")),
        ["embedding-failed"],
      );
      assert.deepEqual(essence(context), essence(without));
      const again = await replay(context.recording, messages);
      assert.deepEqual([again.same, essence(again.context)], [true, essence(without)]);
      const [{ outcome, similarities }] = /** @type {any[]} */ ([...context.recording.answers]);
      assert.deepEqual([outcome, similarities], ["failed", undefined]);
    });
  }

  for (const nothing of [null, undefined]) {
    test(`if it returns ${nothing}, there are no embeddings`, async () => {
      const without = await built({});
      const context = await built({ embed: () => nothing });
      assert.deepEqual(
        notes(context).filter((kind) => kind.startsWith("embedding")),
        ["embedding-unavailable"],
      );
      assert.deepEqual(essence(context), essence(without));
    });
  }

  test("vectors returned before a failure aren't requested again", async () => {
    let batch = 0;
    const failing = recorded((texts) => {
      batch += 1;
      assert.ok(batch <= 3);
      return batch === 3 ? Promise.reject(new Error("too much")) : texts.map(vectorOf);
    });
    const transcript = fresh();
    await built({ embedBatchSize: 10, embed: failing.embed }, {}, transcript);
    const then = recorded();
    const context = await built({ embed: then.embed }, {}, transcript);
    const known = failing.batches.slice(0, 2).flat().slice(1);
    const asked = then.batches.flat();
    assert.deepEqual(
      asked.filter((text) => known.includes(text)),
      [],
    );
    assert.equal(known.length + asked.length, 100);
    assert.ok(ids(context).includes("m13"));
  });

  test("another model's vectors aren't used, whether its name or their length reveals it", async () => {
    const transcript = fresh();
    const first = recorded();
    await built({ embed: first.embed, embedModel: "one" }, {}, transcript);
    const other = recorded((texts) => texts.map((text) => [...vectorOf(text), 0.5]));
    await built({ embed: other.embed, embedModel: "two" }, {}, transcript);
    assert.equal(other.batches.flat().length, first.batches.flat().length);
    other.batches.length = 0;
    // The second model under the first one's name: the build notices the different length and forgets the first one's
    // vectors, and the next build asks again.
    const context = await built({ embed: other.embed, embedModel: "one" }, {}, transcript);
    assert.ok(notes(context).includes("embedding-failed"));
    assert.deepEqual(other.batches, [[request]]);
    other.batches.length = 0;
    const next = await built({ embed: other.embed, embedModel: "one" }, {}, transcript);
    assert.ok(!notes(next).includes("embedding-failed"));
    assert.equal(other.batches.flat().length, first.batches.flat().length);
    assert.ok(ids(next).includes("m13"));
  });
});

describe("recall.embed of a session", () => {
  const asked = async (session, recall) => {
    const { embed, batches } = recorded();
    const context = await session.build({ ...config, recall: { embed, ...recall } });
    assert.ok(ids(context).includes("m13"));
    assert.ok(!notes(context).includes("embedding-failed"));
    await session.settled();
    return batches.flat();
  };
  const all = 100;

  test("vectors outlive the session: after reopening, only new texts are requested", async () => {
    const store = memoryStore();
    const first = await openSession("chat", { store });
    await first.append(fresh());
    assert.equal((await asked(first)).length, all);
    assert.deepEqual(await asked(first), [request]);
    await first.close();

    const second = await openSession("chat", { store });
    assert.deepEqual(await asked(second), [request]);
    await second.append({ id: "new", role: "user", name: "Ana", content: "Something new." });
    assert.deepEqual(await asked(second), [request, "Ana: Something new."]);
    await second.close();

    const third = await openSession("chat", { store });
    assert.deepEqual(await asked(third), [request]);
    await third.close();
  });

  test("in a long log too, whose end, beginning and pinned messages are read before the rest", async () => {
    for (const isPinned of [() => false, (position) => position % 100 === 0]) {
      const store = memoryStore();
      const first = await openSession("chat", { store });
      const long = Array.from({ length: 700 }, (_, position) => ({
        ...messages[position === 13 ? 13 : 0],
        id: `m${position}`,
        content:
          position === 13 ? messages[13].content : `Number ${position} is about the ${TOPICS[1 + (position % 4)][0]}.`,
        createdAt: START + position * 3_600_000,
        pinned: isPinned(position),
      }));
      await first.append(long);
      assert.ok((await asked(first)).length > 600);
      await first.close();
      for (let time = 0; time < 3; time++) {
        const again = await openSession("chat", { store });
        assert.deepEqual(await asked(again), [request]);
        await again.close();
      }
    }
  });

  test("each model's vectors are stored separately", async () => {
    const store = memoryStore();
    const first = await openSession("chat", { store });
    await first.append(fresh());
    assert.equal((await asked(first, { embedModel: "one" })).length, all);
    assert.equal((await asked(first, { embedModel: "two/1" })).length, all);
    assert.deepEqual(await asked(first, { embedModel: "one" }), [request]);
    await first.close();
    const second = await openSession("chat", { store });
    for (const embedModel of ["two/1", "one", "two/1"]) {
      assert.deepEqual(await asked(second, { embedModel }), [request]);
    }
    assert.equal((await asked(second, { embedModel: "two" })).length, all);
    await second.close();
  });

  test("damaged or unreadable vectors are requested again", async () => {
    const damages = {
      "another byte": (bytes) => bytes.map((byte, index) => (index === bytes.length >> 1 ? byte ^ 1 : byte)),
      "a part": (bytes) => bytes.slice(0, -1),
      nothing: () => undefined,
    };
    for (const [name, damage] of Object.entries(damages)) {
      const store = memoryStore();
      const first = await openSession("chat", { store });
      await first.append(fresh());
      await asked(first);
      await first.close();
      const blocks = await store.derived.read("chat", ["vectors/default/0", "vectors/default/1"]);
      const values = new Map([...blocks].map(([key, bytes]) => /** @type {const} */ ([key, damage(bytes)])));
      assert.equal(values.size, 2);
      await store.derived.write("chat", values);
      const second = await openSession("chat", { store });
      assert.equal((await asked(second)).length, all, name);
      // The new vectors are stored again.
      await second.close();
      const third = await openSession("chat", { store });
      assert.deepEqual(await asked(third), [request], name);
      await third.close();
    }
  });

  test("a stored build is rebuilt without the hook", async () => {
    const session = await openSession("chat", { store: memoryStore() });
    await session.append(fresh());
    await asked(session);
    const [{ recording }] = await session.snapshots();
    const { same, context } = await session.replay(recording);
    assert.equal(same, true);
    assert.ok(ids(context).includes("m13"));
    await session.close();
  });
});
