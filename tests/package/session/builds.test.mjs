// Builds in a session's file: `export({ builds: true })`, and their `import`.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryStore, openSession, parseTranscript } from "windrow";
import { checkContextError, errorOf } from "../support/errors.mjs";
import { processorMs } from "../support/processor-time.mjs";
import { forEachSeedAsync } from "../support/property.mjs";
import { randomTranscript } from "../support/random.mjs";

const NOW = Date.UTC(2025, 4, 5, 9);
/** @satisfies {import("windrow").ContextConfig} */
const config = { encoding: "estimate", now: NOW };
const rowsOf = (file) => file.trimEnd().split("\n");
const isBuild = (row) => row.startsWith('{"type":"build","kind":"context_build",');
const open = (key = "web:main") => openSession(key, { store: memoryStore() });

/** A session of several exchanges, with a build after each. */
async function talked(exchanges = 3, key = "web:main") {
  const session = await open(key);
  for (let turn = 0; turn < exchanges; turn++) {
    await session.append({ role: "user", content: `question ${turn}`, createdAt: NOW + turn });
    await session.build({ ...config, turnId: `turn ${turn}` });
    await session.append({ role: "assistant", content: `answer ${turn}`, createdAt: NOW + turn });
  }
  return session;
}

/** A file imported into a new session. */
async function imported(file, key) {
  const session = await open(key);
  return { session, ...(await session.import(file)) };
}

/** Stored builds without their sequence numbers. */
const essence = (builds) =>
  builds.map(({ snapshot, recording: { read, ...recording } }) => structuredClone({ snapshot, recording }));

/** Fails if a build of a session doesn't replay to the same result. */
async function checkReplays(session) {
  for (const { snapshot, recording } of await session.snapshots()) {
    const again = await session.replay(recording);
    assert.deepEqual([again.same, again.differences], [true, []]);
    assert.equal(again.context.snapshot.contextHash, snapshot.contextHash);
  }
}

describe("export", () => {
  test("has builds if requested, after the transcript", async () => {
    const session = await talked();
    const [plain, whole] = [await session.export(), await session.export({ builds: true })];
    assert.ok(whole.startsWith(plain));
    const builds = rowsOf(whole.slice(plain.length));
    assert.equal(builds.length, 3);
    for (const [turn, row] of builds.entries()) {
      const { type, kind, snapshot, recording, outline, ...more } = JSON.parse(row);
      assert.deepEqual([type, kind, snapshot.turnId, more], ["build", "context_build", `turn ${turn}`, {}]);
      assert.equal(outline.pieces.length, 1 + 2 * turn);
      // A header, then two messages for each earlier turn. The recording refers to rows of the file.
      assert.deepEqual(recording.read.flat(), [2, 2 + 2 * turn]);
    }
  });

  test("is unchanged otherwise", async () => {
    const session = await talked();
    const file = await session.export();
    assert.equal(await session.export({}), file);
    assert.equal(await session.export({ builds: false }), file);
    assert.equal(await session.export({ builds: undefined }), file);
    assert.ok(!file.includes("context_build"));
    const without = await open();
    assert.equal(await without.export({ builds: true }), await without.export());
  });

  test("refuses other options", async () => {
    const session = await talked(0);
    for (const [options, path] of /** @type {[options: any, path: string][]} */ ([
      [{ builds: "yes" }, "builds"],
      [{ build: true }, "build"],
      [null, "options"],
      [true, "options"],
    ])) {
      checkContextError(await errorOf(() => session.export(options)), {
        kind: "session_error",
        code: "INVALID_CONFIG",
        path,
      });
    }
  });

  test("names the remaining messages that a build read", async () => {
    const store = memoryStore();
    const session = await openSession("web:main", { store });
    await session.append(["a", "b", "c", "d"].map((content) => ({ role: "user", content })));
    await session.build(config);
    await session.replaceLast({ role: "user", content: "e" });
    await store.trim("web:main", 2);
    const [row] = rowsOf(await session.export({ builds: true })).filter(isBuild);
    // Rows: a header, b, c, e. The row that was then the last no longer exists.
    assert.deepEqual(JSON.parse(row).recording.read, [[2, 3]]);
    await store.trim("web:main", 100);
    const [bare] = rowsOf(await session.export({ builds: true })).filter(isBuild);
    assert.deepEqual(JSON.parse(bare).recording.read, []);
  });
});

describe("import", () => {
  test("restores the builds, and each can be rebuilt", async () => {
    const session = await talked();
    const file = await session.export({ builds: true });
    for (const key of ["web:main", "another"]) {
      const again = await imported(file, key);
      assert.deepEqual([again.messageCount, again.buildCount, again.skipped], [6, 3, []]);
      assert.deepEqual(essence(await again.session.snapshots()), essence(await session.snapshots()));
      await checkReplays(again.session);
      assert.equal(
        await again.session.export({ builds: true }),
        file,
        "the header is the file's own, as without builds",
      );
      assert.deepEqual(
        await again.session.messages(),
        parseTranscript(file).messages.map(({ sessionId, ...message }) => message),
      );
    }
  });

  test("places them after the existing ones", async () => {
    const file = await (await talked()).export({ builds: true });
    const session = await talked(2, "another");
    await session.import(file);
    assert.equal((await session.snapshots()).length, 5);
    await checkReplays(session);
    const again = await imported(await session.export({ builds: true }));
    assert.deepEqual(essence(await again.session.snapshots()), essence(await session.snapshots()));
    await checkReplays(again.session);
  });

  test("continues the session: builds from before and after are in one file", async () => {
    const { session } = await imported(await (await talked()).export({ builds: true }));
    await session.append({ role: "user", content: "And now?" });
    await session.build(config);
    await checkReplays(session);
    const file = await session.export({ builds: true });
    assert.equal(rowsOf(file).filter(isBuild).length, 4);
    assert.equal(await (await imported(file)).session.export({ builds: true }), file);
  });

  test("reads them anywhere, with blank lines and other line ends", async () => {
    const file = await (await talked()).export({ builds: true });
    const rows = rowsOf(file);
    const ordered = [...rows.filter((row) => !isBuild(row)), "", " ", ...rows.filter(isBuild), ""];
    const { session, skipped } = await imported(`\uFEFF${ordered.join("\r\n\r\n")}`);
    assert.deepEqual(skipped, []);
    await checkReplays(session);
    assert.equal(await session.export({ builds: true }), file);
  });

  test("a session with nothing but builds is restored", async () => {
    const session = await open();
    await session.build({ ...config, request: "hi" });
    await session.settled();
    const file = await session.export({ builds: true });
    assert.equal(rowsOf(file).length, 2);
    const again = await imported(file);
    assert.deepEqual([again.messageCount, again.buildCount, again.skipped], [0, 1, []]);
    await checkReplays(again.session);
    assert.equal(await again.session.export({ builds: true }), file);
  });

  test("stores a build once under one name", async () => {
    const file = await (await talked()).export({ builds: true });
    const session = await open();
    await session.import(file, { operationId: "one" });
    await session.import(file, { operationId: "one" });
    assert.equal((await session.snapshots()).length, 3);
    assert.equal(await session.export({ builds: true }), file);
    await session.import(file);
    assert.equal((await session.snapshots()).length, 6);
    await checkReplays(session);
  });

  test("a foreign row of the type build stays a row", async () => {
    const rows = [
      '{"type":"message","role":"user","text":"a"}',
      '{"type":"build", "status":"green"}',
      '{"type":"build","kind":"nightly","snapshot":{},"recording":{}}',
    ];
    const { session, buildCount, skipped } = await imported(rows.join("\n"));
    assert.deepEqual([buildCount, skipped, await session.snapshots()], [0, [], []]);
    assert.deepEqual(rowsOf(await session.export({ builds: true })).slice(1), rows);
  });

  test("unknown fields are kept", async () => {
    const file = await (await talked(1)).export({ builds: true });
    const more = file.replace(
      '"kind":"context_build",',
      '"kind":"context_build","note":{"$windrow":"bytes","base64":"AQI="},',
    );
    assert.notEqual(more, file);
    const { session } = await imported(more);
    await checkReplays(session);
    const [row] = rowsOf(await session.export({ builds: true })).filter(isBuild);
    assert.deepEqual(JSON.parse(row), JSON.parse(rowsOf(more).find(isBuild)));
  });

  test("damaged builds are skipped, and reported by their line; the others remain", async () => {
    const file = await (await talked()).export({ builds: true });
    const rows = rowsOf(file);
    const at = rows.findIndex(isBuild) + 1; // the second build
    const whole = JSON.parse(rows[at]);
    const { snapshot, recording } = whole;
    /** @type {any} */
    let deep = "x";
    for (let depth = 0; depth < 600; depth++) {
      deep = [deep];
    }
    const damages = {
      "no snapshot": { ...whole, snapshot: undefined },
      "an invalid snapshot": { ...whole, snapshot: { ...snapshot, contextHash: 5 } },
      "an invalid turn": { ...whole, snapshot: { ...snapshot, turnId: 5 } },
      "an invalid time": { ...whole, snapshot: { ...snapshot, timestampMs: "now" } },
      "no recording": { ...whole, recording: undefined },
      "another version": { ...whole, recording: { ...recording, formatVersion: 99 } },
      "no answers": { ...whole, recording: { ...recording, answers: 5 } },
      "an invalid range of messages": { ...whole, recording: { ...recording, read: [["a", 2]] } },
      "a hole in the transcript": { ...whole, recording: { ...recording, transcript: null } },
      "deeper than is kept": { ...whole, note: deep },
    };
    for (const [what, damage] of Object.entries(damages)) {
      const { session, messageCount, buildCount, skipped } = await imported(
        rows.with(at, JSON.stringify(damage)).join("\n"),
      );
      assert.deepEqual([messageCount, buildCount, skipped.length], [6, 2, 1], what);
      assert.equal(skipped[0].row, at + 1);
      assert.ok(skipped[0].reason.length > 10, skipped[0].reason);
      assert.deepEqual(
        (await session.snapshots()).map((it) => it.snapshot.turnId),
        ["turn 0", "turn 2"],
      );
      await checkReplays(session);
    }
    const cut = await imported(file.slice(0, -20));
    assert.deepEqual([cut.buildCount, cut.skipped.length, cut.skipped[0].row], [2, 1, rows.length]);
    assert.match(cut.skipped[0].reason, /not JSON/);
    await checkReplays(cut.session);
    // A damaged message doesn't shift anything: builds that didn't read it are unchanged.
    const without = await imported(rows.with(at - 2, "{").join("\n"));
    assert.deepEqual([without.messageCount, without.buildCount], [5, 3]);
    await checkReplays(without.session);
    // Damaged builds without any message don't cause a failure.
    const alone = await imported(`${rows[0]}\n${JSON.stringify(damages["no snapshot"])}`);
    assert.deepEqual([alone.messageCount, alone.buildCount, alone.skipped.length], [0, 0, 1]);
  });

  test("a damaged build is skipped, or can still be rebuilt, or its error says why not", async () => {
    const rows = rowsOf(await (await talked(2)).export({ builds: true }));
    const at = rows.findIndex(isBuild);
    await forEachSeedAsync(async (random) => {
      const row = rows[at];
      const begin = random.integer(0, row.length - 1);
      const end = begin + random.integer(0, 30);
      const insert = random.pick(["", "{", '"', "null", "5", "[]", "\\", "true,", random.text(3)]);
      const damaged = rows.with(at, `${row.slice(0, begin)}${insert}${row.slice(end)}`.replaceAll("\n", " "));
      const { session, messageCount, buildCount, skipped } = await imported(damaged.join("\n"));
      assert.equal(messageCount, 4);
      assert.ok(buildCount === 2 || buildCount === 1);
      assert.ok(skipped.length <= 1);
      for (const { recording } of await session.snapshots()) {
        try {
          await session.replay(recording);
        } catch (error) {
          checkContextError(error, { code: "INVALID_RECORDING" });
        }
      }
      const file = await session.export({ builds: true });
      assert.equal(await (await imported(file)).session.export({ builds: true }), file);
    });
  });

  test("random sessions: an imported file is exported unchanged, and every build can be rebuilt", async () => {
    await forEachSeedAsync(async (random) => {
      const session = await open();
      const messages = randomTranscript(random);
      while (messages.length > 0) {
        const some = messages.splice(0, random.integer(1, 6));
        await session.append(some);
        if (random.chance(0.7)) {
          await session
            .build({
              ...config,
              turnId: random.pick([undefined, "turn", "\u2028\ud83d\n"]),
              request: random.pick([
                undefined,
                null,
                "And when?",
                { role: "user", content: random.text(), $windrow: "x" },
              ]),
              budget: random.pick([{}, { maxTokens: random.integer(20, 400) }]),
              window: random.pick([{}, { maxRecentMessages: random.integer(1, 8) }]),
              recall: { search: () => random.pick([["one", 5], null, [{ text: random.text(), score: 1 / 3 }]]) },
              sections: random.pick([
                undefined,
                [
                  { id: "recall", kind: "recall" },
                  { id: "history", kind: "history" },
                ],
              ]),
            })
            .catch((error) => checkContextError(error, {}));
        }
        if (random.chance(0.2)) {
          await session.replaceLast({ role: "assistant", content: random.text() }).catch(() => undefined);
        }
      }
      await session.settled();
      const file = await session.export({ builds: true });
      assert.ok(file.startsWith(await session.export()));
      for (const key of ["web:main", "another"]) {
        const again = await imported(file, key);
        assert.deepEqual(again.skipped, []);
        assert.equal(await again.session.export({ builds: true }), file);
        const [before, after] = [await session.snapshots(), await again.session.snapshots()];
        assert.deepEqual(essence(after), essence(before));
        for (const [index, { recording }] of before.entries()) {
          const [one, other] = [await session.replay(recording), await again.session.replay(after[index].recording)];
          assert.deepEqual([other.same, other.differences], [one.same, one.differences]);
          assert.deepEqual(other.context.trace, one.context.trace);
        }
      }
    });
  });

  test("importing a thousand builds takes ten times as long as a hundred", async () => {
    const file = await (await talked(10)).export({ builds: true });
    const rows = rowsOf(file);
    const [build] = rows.filter(isBuild).slice(-1);
    const transcript = rows.filter((row) => !isBuild(row));
    const timeOf = async (count) => {
      const text = [...transcript, ...Array.from({ length: count }, () => build)].join("\n");
      let least = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 5; run++) {
        const started = processorMs();
        const { buildCount } = await imported(text);
        least = Math.min(least, processorMs() - started);
        assert.equal(buildCount, count);
      }
      return least;
    };
    await timeOf(10);
    const [few, many] = [await timeOf(250), await timeOf(1000)];
    assert.ok(many < 12 * few + 20, `${many} ms for 1,000 and ${few} ms for 250`);
  });
});
