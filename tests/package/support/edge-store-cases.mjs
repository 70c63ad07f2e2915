// Promises of the edge stores beyond the contract. Each case runs in workerd on separate storage: `host.open(over)`
// opens a store, `host.exec` and `host.batch` access the database directly, and `over` is a storage that misbehaves.

import assert from "node:assert/strict";
import { MIGRATIONS, migrate } from "../../../pkg-template/src/stores/sql-schema.ts";
import { runSearchCases } from "./search-cases.mjs";

const KEY = "web:main";

const message = (data, more) => ({ type: "message", data, ...more });
const messages = (...texts) => texts.map((text) => message(text));
const upTo = (count) => Array.from({ length: count }, (_, index) => index + 1);
const bytesOf = (length, step) => Uint8Array.from({ length }, (_, index) => (index * step) % 251);

async function textsOf(store, range) {
  return (await store.read(KEY, range)).entries.map(({ data }) => data);
}

async function headOf(store, log = "transcript") {
  return (await store.read(KEY, { limit: 0 })).info?.logs[log];
}

/** Checks that a call fails like a store. */
async function fails(run, code, nextAction = /^[A-Z].*\.$/) {
  let failure;
  try {
    await run();
  } catch (caught) {
    failure = caught;
  }
  assert.equal(failure?.name, "ContextError", `a ContextError was expected, found ${failure?.stack}`);
  assert.deepEqual([failure.kind, failure.code], ["store_error", code], failure.message);
  assert.match(failure.nextAction, nextAction);
  return failure;
}

/** All contents of the tables. */
async function dumpOf(host) {
  const tables = ["schema", "keys", "sessions", "entries", "derived"];
  return JSON.stringify(await Promise.all(tables.map((name) => host.exec(`SELECT * FROM windrow_${name}`))));
}

/** Runs a script like a host. */
async function drive(host, script) {
  let step = script.next();
  while (!step.done) {
    let rows;
    try {
      rows = await host.batch(step.value);
    } catch (failure) {
      step = script.throw(failure);
      continue;
    }
    step = script.next(rows);
  }
  return step.value;
}

/** The storage with every step intercepted: `around` receives the function that runs the step, and its statements. */
function wrapped(host, around) {
  const { kind, storage } = host;
  if (kind === "d1") {
    const asked = new WeakMap();
    return {
      prepare: (sql) => ({
        bind: (...values) => {
          const statement = storage.prepare(sql).bind(...values);
          asked.set(statement, { sql, values });
          return statement;
        },
      }),
      batch: (statements) =>
        around(
          () => storage.batch(statements),
          statements.map((statement) => asked.get(statement)),
        ),
    };
  }
  return {
    sql: {
      exec(sql, ...values) {
        const cursor = around(() => {
          const done = storage.sql.exec(sql, ...values);
          return { rows: done.toArray(), rowsRead: done.rowsRead };
        }, [{ sql, values }]);
        return { toArray: () => cursor.rows };
      },
    },
    transactionSync: (closure) => storage.transactionSync(closure),
    sync: () => storage.sync(),
  };
}

const isWrite = ({ sql }) => /^\s*(INSERT|UPDATE|DELETE)/.test(sql);

/** A write whose answer was lost is reported, even if others came since. */
async function checkTold(host) {
  const other = host.open();
  for (const since of [[], messages("z")]) {
    let isLosing = false;
    const store = host.open(
      wrapped(host, async (run, statements) => {
        const result = await run();
        if (isLosing && statements.some(isWrite)) {
          isLosing = false;
          await (since.length > 0 && other.append(KEY, since));
          throw new Error("D1_ERROR: Network connection lost.");
        }
        return result;
      }),
    );
    const losing = async (call) => {
      isLosing = true;
      const result = await call();
      assert.equal(isLosing, false);
      return result;
    };
    await other.remove(KEY);
    await other.append(KEY, messages("a", "b"));
    const told = [];
    store.subscribe(KEY, ({ kind, lastSeq }) => told.push(`${kind} ${lastSeq}`));
    const append = () => store.append(KEY, messages("c", "d"), { operationId: "o" });
    const written = { firstSeq: 3, lastSeq: 4, isRepeated: false };
    assert.deepEqual(await losing(append), written);
    assert.deepEqual(await append(), { ...written, isRepeated: true });
    assert.deepEqual(await losing(() => store.trim(KEY, 2)), { removedCount: 1 });
    await losing(() => store.remove(KEY));
    assert.deepEqual(told, ["append 4", "trim 0", "remove 0"]);
    // Entries that another writer began since must not be removed.
    assert.deepEqual(
      await textsOf(other),
      since.map(({ data }) => data),
    );
  }
  await other.remove(KEY);
  // An operation id that another writer used first is theirs, whatever it contains.
  const store = host.open(
    wrapped(host, async (run, statements) => {
      if (isOvertaken || !statements.some(isWrite)) {
        return run();
      }
      isOvertaken = true;
      await other.append(KEY, messages("another's"), { operationId: "o" });
      await other.append(KEY, messages("z"));
      await run();
      throw new Error("D1_ERROR: Network connection lost.");
    }),
  );
  let isOvertaken = false;
  const written = await store.append(KEY, messages("mine"), { operationId: "o" });
  assert.deepEqual(written, { firstSeq: 1, lastSeq: 1, isRepeated: true });
  assert.deepEqual(await textsOf(other), ["another's", "z"]);
}

/** A removal that is overtaken removes nothing unexpected. */
async function checkOvertakenRemoval(host) {
  const other = host.open();
  for (const isExpected of [false, true]) {
    await other.append(KEY, messages("a"));
    const { info } = await other.read(KEY);
    let isOvertaken = false;
    const over = wrapped(host, async (run, statements) => {
      if (!isOvertaken && statements.some(isWrite)) {
        isOvertaken = true;
        // A build changes the head, but isn't an append to the transcript.
        await other.append(KEY, isExpected ? [{ type: "build", data: 1 }] : messages("b"), {
          log: isExpected ? "builds" : "transcript",
        });
      }
      return run();
    });
    const removal = () => host.open(over).remove(KEY, { expectedId: info.id, expectedSeq: 1 });
    if (isExpected) {
      await removal();
      assert.deepEqual(await other.sessions(), []);
    } else {
      await fails(removal, "STORE_CONFLICT");
      assert.deepEqual(await textsOf(other), ["a", "b"]);
      await other.remove(KEY);
    }
  }
}

export const edgeCases = {
  // ---- Rows and heads written by something else ----

  async "damaged rows are skipped and reported, count toward no limit, and hide nothing"(host) {
    const store = host.open();
    await store.append(
      KEY,
      upTo(9).map((number) => message(`${number}`, { id: `${number}`, timeMs: number })),
    );
    await store.append(KEY, messages(...upTo(300).map(String)));
    for (const [seq, change] of [
      [2, "data = '{'"],
      [3, "data = NULL"],
      [4, "type = 'nonsense'"],
      [5, "type = NULL"],
      [6, "time_ms = 'soon'"],
      [7, "id = '{'"],
      [8, "id = '7'"],
    ]) {
      await host.exec(`UPDATE windrow_entries SET ${change} WHERE seq = ${seq}`);
    }
    await host.exec("UPDATE windrow_entries SET data = 'x' WHERE seq BETWEEN 20 AND 305");
    const { entries, skipped } = await store.read(KEY);
    const left = [1, ...upTo(19).slice(8), 306, 307, 308, 309];
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      left,
    );
    assert.deepEqual(
      skipped.map(({ seq }) => seq),
      upTo(309).filter((seq) => !left.includes(seq)),
    );
    assert.deepEqual(
      skipped.slice(0, 7).map(({ reason }) => reason),
      [
        "its data isn't JSON",
        "its data isn't JSON",
        "its type is unknown",
        "its type is unknown",
        "its id isn't a string, or its time isn't a number",
        "its id isn't a string, or its time isn't a number",
        "its id isn't a string, or its time isn't a number",
      ],
    );
    const tail = await store.read(KEY, { order: "descending", limit: 6, types: ["message", "summary"] });
    assert.deepEqual(
      tail.entries.map(({ seq }) => seq),
      [309, 308, 307, 306, 19, 18],
    );
    assert.deepEqual([tail.skipped.length, tail.skipped[0].seq], [286, 305]);
    const first = await store.read(KEY, { limit: 1 });
    assert.deepEqual([first.entries.length, first.skipped], [1, []], "what lies after the range is not told of");
    assert.deepEqual(await store.get(KEY, ["2", "6", "7"]), []);
    assert.deepEqual(await store.append(KEY, messages("a")), { firstSeq: 310, lastSeq: 310, isRepeated: false });
    assert.deepEqual(await store.trim(KEY, 306), { removedCount: 305 });
    assert.equal((await store.read(KEY)).entries.length, 5);
  },

  async "a missing or damaged header is rebuilt from the entries, and reported until a write stores it"(host) {
    /** @type {[damage: string, reason: RegExp][]} */
    const cases = [
      ["DELETE FROM windrow_sessions", /missing/],
      ["UPDATE windrow_sessions SET info = '{'", /damaged/],
      ["UPDATE windrow_sessions SET info = 'null'", /damaged/],
      [`UPDATE windrow_sessions SET info = replace(info, '${KEY}', 'another')`, /damaged/],
      [`UPDATE windrow_sessions SET info = replace(info, '"lastSeq":', '"lastSeq":-')`, /damaged/],
    ];
    for (const [damage, reason] of cases) {
      const store = host.open();
      await store.append(KEY, [message("a", { timeMs: 7 }), message("b", { pinned: true }), message("c")], {
        operationId: "o",
      });
      await store.append(KEY, [{ type: "build", data: 1 }], { log: "builds" });
      await store.trim(KEY, 2);
      await host.exec("UPDATE windrow_entries SET data = '{' WHERE seq = 3");
      await host.exec(damage);
      const { entries, info, skipped } = await store.read(KEY);
      assert.deepEqual(
        entries.map(({ data }) => data),
        ["b"],
      );
      assert.deepEqual(
        skipped.map(({ seq }) => seq),
        [undefined, 3],
      );
      assert.match(skipped[0].reason, reason);
      const { transcript, builds } = info.logs;
      // The unreadable row keeps its place.
      assert.deepEqual([transcript.lastSeq, transcript.lastMessageSeq], [3, 2]);
      assert.deepEqual([transcript.counts, transcript.pinnedCount, transcript.untimedCount], [{ message: 1 }, 1, 1]);
      assert.deepEqual([transcript.latestTimeMs, builds.lastSeq, builds.counts], [7, 1, { build: 1 }]);
      assert.ok(transcript.removals > 0, "who read it before does not go on from there");
      const again = await store.read(KEY, { limit: 0 });
      assert.deepEqual([again.info.id, again.info.logs], [info.id, info.logs]);
      assert.match(again.skipped[0].reason, reason);
      assert.deepEqual(
        (await store.sessions()).map(({ id, key }) => [id, key]),
        [[info.id, KEY]],
      );
      const repeated = await store.append(KEY, messages("x"), { operationId: "o" });
      assert.deepEqual(repeated, { firstSeq: 1, lastSeq: 3, isRepeated: true });
      assert.deepEqual(await store.append(KEY, messages("d")), { firstSeq: 4, lastSeq: 4, isRepeated: false });
      const kept = await host.open().read(KEY, { after: 3 });
      assert.deepEqual([kept.info.id, kept.skipped], [info.id, []], "the write has kept it");
      assert.deepEqual(kept.info.logs.transcript.counts, { message: 2 });
      await host.exec(damage);
      assert.deepEqual(await store.trim(KEY, Infinity), { removedCount: 3 });
      await host.exec(damage);
      await store.remove(KEY);
      assert.deepEqual(await store.sessions(), []);
    }
  },

  async "a key that isn't a text names no session, and the others are listed"(host) {
    const store = host.open();
    await store.append(KEY, messages("a"));
    await host.exec("INSERT INTO windrow_keys (key) VALUES ('nonsense'), ('7'), ('\"empty\"')");
    assert.deepEqual(
      (await store.sessions()).map(({ key }) => key),
      [KEY],
    );
    assert.deepEqual(await store.read("empty"), { entries: [], info: undefined, skipped: [] });
    assert.equal((await store.append("empty", messages("a"))).lastSeq, 1);
  },

  // ---- Versions of the tables ----

  async "tables of a newer version are refused, and unchanged"(host) {
    const store = host.open();
    await store.append(KEY, messages("a", "b"));
    await store.derived.write(KEY, new Map([["d", bytesOf(3, 1)]]));
    await host.exec("INSERT INTO windrow_schema (version) VALUES (?)", MIGRATIONS.length + 1);
    const before = await dumpOf(host);
    for (const each of [store, host.open()]) {
      for (const call of [
        () => each.append(KEY, messages("c")),
        () => each.append("new", messages("c")),
        () => each.append(KEY, messages("c"), { replacesSeq: 2 }),
        () => each.read(KEY),
        () => each.get(KEY, ["a"]),
        () => each.sessions(),
        () => each.sessions({ keys: [KEY] }),
        () => each.trim(KEY, 2),
        () => each.remove(KEY),
        () => each.derived.read(KEY, ["d"]),
        () => each.derived.write(KEY, new Map([["d", undefined]])),
      ]) {
        await fails(call, "STORE_NEWER");
      }
    }
    assert.equal(await dumpOf(host), before);
    await host.exec("ALTER TABLE windrow_entries RENAME TO windrow_rows");
    await fails(() => store.append(KEY, messages("c")), "STORE_NEWER");
    await host.exec("ALTER TABLE windrow_rows RENAME TO windrow_entries");
    await host.exec("DELETE FROM windrow_schema WHERE version = ?", MIGRATIONS.length + 1);
    assert.deepEqual(await textsOf(store), ["a", "b"]);
  },

  async "tables of every earlier version are upgraded, and other tables stay"(host) {
    await host.exec("CREATE TABLE users (name TEXT)");
    await host.exec("INSERT INTO users VALUES ('Mara')");
    const drop = async () => {
      for (const name of ["schema", "keys", "sessions", "entries", "derived"]) {
        await host.exec(`DROP TABLE IF EXISTS windrow_${name}`);
      }
    };
    for (const version of MIGRATIONS.keys()) {
      await drop();
      await drive(host, migrate(MIGRATIONS.slice(0, version)));
      const [first, second] = [host.open(), host.open()];
      await Promise.all([first.append(KEY, messages("a")), second.append(KEY, messages("b")), first.read(KEY)]);
      assert.equal((await textsOf(first)).length, 2);
      assert.deepEqual(await host.exec("SELECT max(version) AS version FROM windrow_schema"), [
        { version: MIGRATIONS.length },
      ]);
    }
    assert.deepEqual(await host.exec("SELECT * FROM users"), [{ name: "Mara" }]);
    // Tables that vanish while a store is open, for example because a database was restored, are created again.
    const store = host.open();
    await drop();
    assert.deepEqual(await textsOf(store), []);
    await drop();
    assert.equal((await store.append(KEY, messages("a"))).lastSeq, 1);
  },

  async "a migration runs once, completely or not at all"(host) {
    const store = host.open();
    await store.append(KEY, messages("a", "b"));
    const add = ["ALTER TABLE windrow_entries ADD COLUMN colour TEXT"];
    const fill = [
      "CREATE TABLE windrow_more (number)",
      "UPDATE windrow_entries SET colour = coalesce(colour, '') || 'red'",
    ];
    await assert.rejects(
      drive(host, migrate([...MIGRATIONS, add, [...fill, "INSERT INTO nowhere VALUES (1)"]])),
      /nowhere/,
    );
    const versionOf = async () => (await host.exec("SELECT max(version) AS version FROM windrow_schema"))[0].version;
    assert.equal(await versionOf(), MIGRATIONS.length + 1, "the first was made, and the second not");
    assert.deepEqual(await host.exec("SELECT name FROM sqlite_master WHERE name = 'windrow_more'"), []);
    const newest = [...MIGRATIONS, add, fill];
    await Promise.all([1, 2, 3].map(() => drive(host, migrate(newest))));
    await drive(host, migrate(newest));
    assert.equal(await versionOf(), newest.length);
    assert.deepEqual(await host.exec("SELECT colour FROM windrow_entries"), [{ colour: "red" }, { colour: "red" }]);
    await fails(() => store.read(KEY), "STORE_NEWER");
    await assert.rejects(drive(host, migrate(MIGRATIONS)), { code: "STORE_NEWER" });
  },

  // ---- Costs of calls ----

  async "every read uses an index, and costs as much as its result, not the log"(host) {
    const plain = host.open();
    const count = 3000;
    const entries = upTo(count).map((number) =>
      number === 3 || number === 9
        ? { type: "summary", id: `${number}`, data: `${number}` }
        : message(`${number}`, { id: `${number}`, ...(number === 5 || number === 700 ? { pinned: true } : {}) }),
    );
    await plain.append(KEY, entries);
    for (const key of ["other", "another"]) {
      await plain.append(key, entries);
    }
    const asked = [];
    let rowsRead = 0;
    const store = host.open(
      wrapped(host, (run, statements) => {
        asked.push(...statements);
        const done = run();
        const note = (list) => {
          for (const { rowsRead: rows, meta } of [list].flat()) {
            rowsRead += rows ?? meta.rows_read;
          }
          return list;
        };
        return done instanceof Promise ? done.then(note) : note(done);
      }),
    );
    const costs = {};
    const measure = async (name, run, most, isOrdered = true) => {
      asked.length = 0;
      rowsRead = 0;
      const found = await run();
      costs[name] = rowsRead;
      assert.ok(rowsRead <= most, `${name} read ${rowsRead} rows, and at most ${most} were expected`);
      assert.ok(asked.length > 0);
      for (const { sql, values } of asked) {
        const plan = (await host.exec(`EXPLAIN QUERY PLAN ${sql}`, ...values)).map(({ detail }) => detail);
        const scans = plan.filter(
          (step) => /^SCAN /.test(step) && !/^SCAN (w|r|json_each) VIRTUAL|^SCAN (v|\d+|CONSTANT)/.test(step),
        );
        assert.deepEqual(scans, [], `${name}: ${sql}\n${plan.join("\n")}`);
        if (isOrdered) {
          assert.doesNotMatch(plan.join("\n"), /TEMP B-TREE/, `${name}: ${sql}`);
        }
      }
      return found;
    };
    const seqsIn = ({ entries: found }) => found.map(({ seq }) => seq);
    const tail = { order: "descending", limit: 20 };
    const newest = upTo(count).reverse().slice(0, 20);
    assert.deepEqual(seqsIn(await measure("tail", () => store.read(KEY, tail), 50)), newest);
    const head = await measure("beginning", () => store.read(KEY, { limit: 20 }), 50);
    assert.deepEqual(seqsIn(head), upTo(20));
    const middle = await measure("middle", () => store.read(KEY, { ...tail, before: 1500, after: 100 }), 50);
    assert.equal(seqsIn(middle)[0], 1499);
    const types = ["message", "summary"];
    const typed = await measure("tail of two types", () => store.read(KEY, { ...tail, types }), 100);
    assert.deepEqual(seqsIn(typed), newest);
    const four = ["session", "message", "summary", "failure", "other"];
    assert.deepEqual(
      seqsIn(await measure("tail of five types", () => store.read(KEY, { ...tail, types: four }), 100)),
      newest,
    );
    const rare = await measure("rare type", () => store.read(KEY, { ...tail, types: ["summary"] }), 20);
    assert.deepEqual(seqsIn(rare), [9, 3]);
    const pinned = await measure("pinned", () => store.read(KEY, { pinned: true, types }), 20);
    assert.deepEqual(seqsIn(pinned), [5, 700]);
    assert.deepEqual(seqsIn(await measure("all pinned", () => store.read(KEY, { pinned: true }), 20)), [5, 700]);
    assert.equal((await measure("get", () => store.get(KEY, ["7", "8", "none"]), 30)).length, 2);
    assert.equal((await measure("head", () => store.read(KEY, { limit: 0 }), 10)).entries.length, 0);
    await measure("append", () => store.append(KEY, messages("a"), { operationId: "o" }), 60);
    await measure("operation again", () => store.append(KEY, messages("a"), { operationId: "o" }), 30);
    await measure("replace", () => store.append(KEY, messages("b"), { replacesSeq: count + 1 }), 60);
    await measure("sessions", () => store.sessions(), 30);
    await measure("one session", () => store.sessions({ keys: [KEY] }), 20);
    await measure("derived write", () => store.derived.write(KEY, new Map([["d", bytesOf(9, 1)]])), 30);
    await measure("derived read", () => store.derived.read(KEY, ["d"]), 20, false);
    await measure("trim", () => store.trim(KEY, 11), 120);
    await measure("remove another", () => store.remove("another"), 5 * count);
    return costs;
  },

  // ---- Limits ----

  async "a value larger than a statement's parameter is stored, and one larger than a row is refused"(host) {
    const store = host.open();
    const random = bytesOf(40_000, 7).reduce((text, byte) => text + String.fromCharCode(byte), "");
    // Quotes, NUL and lone surrogates take several bytes each, and more when a list of them is encoded as JSON again.
    const texts = upTo(60).map((number) => `${number} \ud800 "${random}"`);
    await store.append(KEY, messages(...texts), { operationId: "o" });
    assert.deepEqual(await textsOf(store), texts);
    const large = message("a".repeat(1_850_000), { id: "large", operationId: "o" });
    const mixed = [message("before"), large, message("after", { timeMs: 1.1 })];
    assert.deepEqual(await store.append(KEY, mixed), { firstSeq: 61, lastSeq: 63, isRepeated: false });
    const { entries } = await store.read(KEY, { after: 60 });
    assert.deepEqual(
      entries.map(({ seq, data, id, timeMs }) => [seq, data.length, id, timeMs]),
      [
        [61, 6, undefined, undefined],
        [62, 1_850_000, "large", undefined],
        [63, 5, undefined, 1.1],
      ],
    );
    for (const data of [
      "a".repeat(2_000_000),
      "\ud800".repeat(320_000),
      "é".repeat(960_000),
      { data: "a".repeat(5e6) },
    ]) {
      const failure = await fails(() => store.append(KEY, [message("first"), message(data)]), "STORE_QUOTA");
      assert.match(failure.message, /\d{7} bytes.*1900000/);
    }
    assert.equal((await headOf(store)).lastSeq, 63, "none of it was kept");
    /** @type {Map<string, Uint8Array>} */
    const values = new Map([
      ["three", bytesOf(3_000_001, 3)],
      ["two", bytesOf(2_000_000, 5)],
      ["empty", new Uint8Array()],
      ...upTo(120).map((number) => /** @type {const} */ ([`small ${number}`, bytesOf(number, number)])),
    ]);
    await store.derived.write(KEY, values);
    await store.derived.write(KEY, new Map([["three", bytesOf(1_000_000, 11)]]));
    const found = await store.derived.read(KEY, [...values.keys()]);
    for (const [name, value] of new Map(values).set("three", bytesOf(1_000_000, 11))) {
      assert.ok(Buffer.from(found.get(name)).equals(value), name);
    }
    const many = upTo(200_000).map(String);
    const wanted = await store.get(KEY, [...many, "large", "x".repeat(3_000_000)]);
    assert.deepEqual(
      wanted.map(({ seq }) => seq),
      [62],
    );
    await store.sessions({ keys: ["x".repeat(3_000_000), ...many] });
    const keepSeqs = upTo(200_000).filter((seq) => seq % 10 !== 0);
    assert.deepEqual(await store.trim(KEY, Infinity, { keepSeqs }), { removedCount: 6 });
    assert.equal((await textsOf(store)).length, 57);
  },

  // ---- Failures of the database ----

  async "a full database is reported, and acknowledged data is there"(host) {
    for (const words of ["database or disk is full: SQLITE_FULL", "D1_ERROR: Exceeded maximum DB size: SQLITE_ERROR"]) {
      let isFull = false;
      const over = wrapped(host, (run, statements) => {
        if (isFull && statements.some(isWrite)) {
          const failure = new Error(words);
          if (host.kind === "d1") {
            return Promise.reject(failure);
          }
          throw failure;
        }
        return run();
      });
      const store = host.open(over);
      await store.append(KEY, messages("a", "b"));
      const before = await dumpOf(host);
      isFull = true;
      const failure = await fails(() => store.append(KEY, messages("c"), { replacesSeq: 2 }), "STORE_QUOTA");
      assert.match(failure.cause.message, /full|maximum/);
      await fails(() => store.append("new", messages("c")), "STORE_QUOTA");
      await fails(() => store.derived.write(KEY, new Map([["d", bytesOf(3, 1)]])), "STORE_QUOTA");
      assert.equal(await dumpOf(host), before);
      assert.deepEqual(await textsOf(store), ["a", "b"]);
      isFull = false;
      assert.equal((await store.append(KEY, messages("c"))).lastSeq, 3);
      await store.remove(KEY);
    }
  },

  async "any other failure is reported with its cause, and the next call works"(host) {
    let isBroken = false;
    const broken = new Error("something of the platform");
    const over = wrapped(host, (run) => {
      if (isBroken && host.kind === "d1") {
        return Promise.reject(broken);
      }
      if (isBroken) {
        throw broken;
      }
      return run();
    });
    const store = host.open(over);
    await store.append(KEY, messages("a"));
    isBroken = true;
    for (const call of [() => store.append(KEY, messages("b")), () => store.read(KEY), () => store.sessions()]) {
      assert.equal((await fails(call, "STORE_FAILED")).cause, broken);
    }
    isBroken = false;
    assert.equal((await store.append(KEY, messages("b"))).lastSeq, 2);
    assert.deepEqual(await textsOf(store), ["a", "b"]);
  },

  async "a missing storage is refused"(host) {
    for (const nothing of [null, "storage", {}]) {
      await fails(() => host.open(nothing), "STORE_UNAVAILABLE");
    }
  },

  async "a Durable Object without SQLite is refused, and the error says how to add it"(host) {
    const failure = await fails(() => host.open().read(KEY), "STORE_UNAVAILABLE", /new_sqlite_classes/);
    assert.match(failure.cause.message, /SQL is not enabled/);
    const withoutSql = { transactionSync: (closure) => closure() };
    await fails(() => host.open(withoutSql), "STORE_UNAVAILABLE", /new_sqlite_classes/);
  },

  // ---- Durable Objects ----

  async "an append resolves when it is durable, and is reported then"(host) {
    const gates = [];
    const over = wrapped(host, (run) => run());
    over.sync = () => new Promise((resolve, reject) => gates.push({ resolve, reject }));
    const store = host.open(over);
    const told = [];
    store.subscribe(KEY, ({ lastSeq }) => told.push(lastSeq));
    let isEnded = false;
    const append = store.append(KEY, messages("a")).then((appended) => {
      isEnded = true;
      return appended;
    });
    await host.storage.sync();
    await textsOf(store);
    assert.deepEqual([gates.length, isEnded, told], [1, false, []]);
    gates[0].resolve();
    assert.equal((await append).lastSeq, 1);
    await textsOf(store);
    assert.deepEqual([isEnded, told], [true, [1]]);
    const failing = store.append(KEY, messages("b"));
    await textsOf(store);
    gates[1].reject(new Error("the disk is gone"));
    await fails(() => failing, "STORE_FAILED");
    assert.deepEqual(told, [1]);
  },

  // ---- D1 ----

  async "a write whose answer was lost runs once"(host) {
    const calls = {
      append: async (store) => {
        const appended = await store.append(KEY, messages("c", "d"));
        assert.deepEqual(appended, { firstSeq: 3, lastSeq: 4, isRepeated: false });
        assert.ok((await store.read(KEY)).entries.every((entry) => !("operationId" in entry)));
      },
      "append of an operation": async (store) => {
        const appended = await store.append(KEY, messages("c", "d"), { operationId: "o", expectedSeq: 2 });
        assert.deepEqual(appended, { firstSeq: 3, lastSeq: 4, isRepeated: false });
      },
      replace: async (store) => {
        const appended = await store.append(KEY, messages("B"), { replacesSeq: 2 });
        assert.deepEqual(appended, { firstSeq: 3, lastSeq: 3, isRepeated: false });
      },
      trim: async (store) => {
        assert.deepEqual(await store.trim(KEY, 2), { removedCount: 1 });
      },
      remove: (store) => store.remove(KEY),
      derived: (store) => store.derived.write(KEY, new Map([["d", bytesOf(5, 1)]])),
    };
    const plainOf = async (store) => {
      const { entries, info } = await store.read(KEY);
      const derived = [...(await store.derived.read(KEY, ["d"]))].map(([name, value]) => [name, [...value]]);
      return { entries, logs: info?.logs, derived };
    };
    for (const [name, call] of Object.entries(calls)) {
      const results = [];
      for (const lost of [undefined, 1, 2, 3]) {
        for (const isDone of [false, true]) {
          let count = 0;
          const over = wrapped(host, async (run) => {
            count += 1;
            if (count !== lost) {
              return run();
            }
            if (isDone) {
              await run();
            }
            throw new Error("D1_ERROR: Network connection lost.");
          });
          const plain = host.open();
          await plain.remove(KEY);
          await plain.append(KEY, messages("a", "b"));
          await call(host.open(over));
          results.push(await plainOf(plain));
        }
      }
      for (const result of results) {
        assert.deepEqual(result, results[0], name);
      }
    }
    let attempts = 0;
    const never = host.open(
      wrapped(host, () => {
        attempts += 1;
        return Promise.reject(new Error("D1_ERROR: Network connection lost."));
      }),
    );
    await fails(() => never.append(KEY, messages("x")), "STORE_FAILED");
    assert.equal(attempts, 3);
    await checkTold(host);
  },

  async "an append that others always overtake ends with a conflict"(host) {
    const other = host.open();
    await other.append(KEY, messages("a"));
    let count = 0;
    const over = wrapped(host, async (run, statements) => {
      if (statements.some(isWrite)) {
        count += 1;
        await other.append(KEY, messages("b"));
      }
      return run();
    });
    await fails(() => host.open(over).append(KEY, messages("c")), "STORE_CONFLICT");
    assert.ok(count > 10);
    const { lastSeq: expectedSeq } = await headOf(other);
    await fails(() => host.open(over).append(KEY, messages("c"), { expectedSeq }), "STORE_CONFLICT");
    assert.ok((await textsOf(other)).every((text) => text !== "c"));
  },

  async "an overtaken call does nothing, and is decided again"(host) {
    const other = host.open();
    /** A store whose next write comes after another writer's. */
    const overtakenBy = (first) => {
      let isOvertaken = false;
      const over = wrapped(host, async (run, statements) => {
        if (!isOvertaken && statements.some(isWrite)) {
          isOvertaken = true;
          await first();
        }
        return run();
      });
      return host.open(over);
    };
    const begin = async () => {
      await other.remove(KEY);
      await other.append(KEY, messages("a", "b", "c"));
    };
    await begin();
    const trimming = overtakenBy(() => other.append(KEY, messages("d")));
    assert.deepEqual(await trimming.trim(KEY, 3), { removedCount: 2 });
    assert.deepEqual((await headOf(other)).removals, 1);
    await begin();
    const replacing = overtakenBy(() => other.append(KEY, messages("d")));
    await fails(() => replacing.append(KEY, messages("C"), { replacesSeq: 3 }), "STORE_CONFLICT");
    assert.deepEqual(await textsOf(other), ["a", "b", "c", "d"]);
    for (const damage of [undefined, "DELETE FROM windrow_sessions"]) {
      for (const anew of [[], messages("x")]) {
        await begin();
        if (damage !== undefined) {
          await host.exec(damage);
        }
        const appending = overtakenBy(async () => {
          await other.remove(KEY);
          if (anew.length > 0) {
            await other.append(KEY, anew);
          }
        });
        const { firstSeq } = await appending.append(KEY, messages("d"));
        assert.equal(firstSeq, anew.length + 1, "the session began anew");
        assert.deepEqual(await textsOf(other), [...anew.map(({ data }) => data), "d"]);
        assert.deepEqual((await headOf(other)).counts, { message: firstSeq });
      }
    }
    await begin();
    const removing = overtakenBy(() => other.append(KEY, messages("d")));
    await removing.remove(KEY);
    assert.deepEqual(await other.sessions(), []);
    await checkOvertakenRemoval(host);
  },

  async "a store reports changes of another on the same database, but doesn't know its holds"(host) {
    const [first, second] = [host.open(), host.open()];
    const told = [];
    second.subscribe(KEY, (change) => told.push([change.kind, change.lastSeq]));
    await first.append(KEY, messages("a", "b"));
    const before = await headOf(first);
    await first.holding(KEY, async () => {
      assert.deepEqual(await second.trim(KEY, 2), { removedCount: 1 });
      assert.equal((await headOf(first)).removals, before.removals + 1, "who reads notices it");
    });
    await textsOf(second);
    assert.deepEqual(told, [
      ["append", 2],
      ["trim", 0],
    ]);
  },

  // ---- Several requests ----

  async "append for one of several requests"(host, search) {
    const store = host.open();
    const writer = search.get("writer");
    const seqs = [];
    for (const index of upTo(Number(search.get("count")))) {
      seqs.push((await store.append(KEY, messages(`${writer}: ${index}`))).firstSeq);
    }
    return seqs;
  },

  async "read all"(host) {
    const store = host.open();
    return JSON.stringify([
      await store.sessions(),
      await store.read(KEY),
      await store.read(KEY, { log: "builds" }),
      await store.get(KEY, ["m"]),
      [...(await store.derived.read(KEY, ["d"]))].map(([name, value]) => [name, [...value]]),
    ]);
  },

  async "write all"(host) {
    const store = host.open();
    await store.append(KEY, [message("a\0\ud800", { id: "m", timeMs: 5.25 }), message("b", { pinned: true })]);
    await store.append(KEY, messages("c"), { operationId: "o", replacesSeq: 2 });
    await store.append(KEY, [{ type: "build", data: { of: "c" } }], { log: "builds" });
    await store.append("other", messages("a"));
    await store.derived.write(KEY, new Map([["d", bytesOf(4, 60)]]));
    await store.trim("other", 2);
  },

  "the operation again"(host) {
    return host.open().append(KEY, messages("c"), { operationId: "o" });
  },

  /** The search results, for comparison with other hosts. */
  searches(host) {
    return runSearchCases(host.open());
  },

  /** Never ends: the runtime notices and cancels the request. */
  "hold without end"(host) {
    return host.open().holding(KEY, () => new Promise(() => undefined));
  },

  async "trim what another request holds"(host) {
    const store = host.open();
    await store.append(KEY, messages("a", "b"));
    return store.trim(KEY, Infinity);
  },
};
