// A browser that is killed while a page of it appends as fast as it can, and the check of its data after a restart.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { Random } from "./random.mjs";
import { chromiumOptions, serveStorePage } from "./store-page.mjs";

const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));

/** Number of kills after which another session begins. */
const KILLS_OF_SESSION = 10;

/** Longest wait for an expected report from the browser. */
const LONGEST_SILENCE_MS = 60_000;

/** The page's script. Every message's content follows from its id, so that a torn one is detected. */
const script = `
import { buildContext, openSession } from "windrow";
import { indexedDbStore } from "windrow/stores/indexeddb";

const NAME = "crash";
const config = { encoding: "estimate", now: 0, sessionId: "crash", request: "And then?", budget: { maxTokens: 2000 } };

function contentOf(id) {
  const number = [...id].reduce((sum, character) => (sum * 31 + character.codePointAt(0)) % 1009, 7);
  // Keeps appends below 64 KB: Chromium writes larger ones to its log in several steps, and a kill between them can
  // cost it the whole database when it continues after the torn record (see docs/sessions.md).
  return (id + " ").repeat(number % 60 === 0 ? 800 : 1 + (number % 60));
}

const messageOf = (id) => ({ id, role: id.length % 2 === 0 ? "user" : "assistant", content: contentOf(id) });
const upTo = (most) => 1 + Math.floor(Math.random() * most);

Object.assign(globalThis, {
  // Appends until the page ends: several users of one session, each with several pending calls.
  appendForever: (key, run, { users, lanes }) => {
    let count = 0;
    // The test must know of each call, in order, before the page makes it. A report that isn't awaited is lost when the
    // browser is killed, while the append that it announced may be on the disk.
    let announced = Promise.resolve();
    const announce = (call) => {
      announced = announced.then(() => begin(JSON.stringify(call)));
      return announced;
    };
    for (let user = 0; user < users; user += 1) {
      const opening = openSession(key, { store: indexedDbStore({ name: NAME }) });
      const goOn = async () => {
        const session = await opening;
        for (;;) {
          count += 1;
          const call = { user: run + "/" + user, number: count, isReplacing: Math.random() < 0.15 };
          const length = call.isReplacing ? 1 : upTo(5);
          call.ids = Array.from({ length }, (_, index) => [run, user, call.number, index].join("."));
          await announce(call);
          try {
            const messages = call.ids.map(messageOf);
            const { firstSeq } = call.isReplacing
              ? await session.replaceLast(messages[0])
              : await session.append(messages);
            report(JSON.stringify({ done: call.number, user: call.user, firstSeq }));
          } catch (error) {
            // Another user has appended since.
            report(JSON.stringify({ refused: call.number, user: call.user, code: error.code ?? String(error.stack) }));
          }
          if (Math.random() < 0.02) {
            await session.build(config);
          }
        }
      };
      for (let lane = 0; lane < lanes; lane += 1) {
        goOn().catch((error) => report(JSON.stringify({ failed: String(error.stack ?? error) })));
      }
    }
  },

  // The stored data, as a freshly opened page finds it.
  inspect: async (key, nextId) => {
    const store = indexedDbStore({ name: NAME });
    const session = await openSession(key, { store });
    const messages = await session.messages();
    const snapshots = await session.snapshots();
    const { entries, info, skipped } = await store.read(key);
    const context = await session.build(config);
    const whole = await buildContext(messages, config);
    const torn = messages.filter(({ id, content }) => content !== contentOf(id)).map(({ id }) => id);
    const { firstSeq } = await session.append(messageOf(nextId));
    const found = {
      ids: messages.map(({ id }) => id),
      rows: entries.map(({ seq, id, type, replacesSeq }) => ({ seq, id, type, replacesSeq })),
      head: info?.logs.transcript,
      skipped: [...skipped, ...session.skipped],
      torn,
      isSame: JSON.stringify(context.messages) === JSON.stringify(whole.messages),
      buildCount: snapshots.length,
      firstSeq,
    };
    await session.close();
    await store.close();
    return found;
  },
});
`;

/**
 * Kills a browser repeatedly until the time is up, and checks after each kill that everything is there after a restart.
 * Returns figures for each session.
 *
 * A killed browser may leave half a record at the end of a database file. Chromium skips it at the next start, but goes
 * on after it, and at a later start it considers everything damaged and deletes it (google/leveldb#1287). No page can
 * prevent that. So a profile with half a record is checked like the others, and then abandoned.
 */
export async function crash({ seed, timeMs, leastKills }) {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "crash-test-"));
  const pages = await serveStorePage({ script });
  const random = new Random(seed);
  const started = Date.now();
  const figures = [];
  let profile;
  let sessions;
  let chrome;
  const begin = (run) => {
    profile = join(folder, `profile ${run}`);
    sessions = [];
  };
  const start = async () => {
    chrome = await Chrome.start(profile, pages.address);
  };
  /** Kills it, and returns whether its files are intact. */
  const kill = async () => {
    await chrome.kill();
    return databaseFiles(profile).every(endsWhole);
  };
  begin(1);
  try {
    for (let run = 1; run <= leastKills || Date.now() - started < timeMs; run += 1) {
      if (sessions.length === 0 || run % KILLS_OF_SESSION === 1) {
        sessions.push(new Expected(`session ${run}`));
        figures.push(sessions.at(-1).figures);
      }
      const session = sessions.at(-1);
      await start();
      // A single user's pending calls are appended in their order, and those of several users in an order that the
      // browser chooses.
      const users = random.pick([1, 1, 3]);
      await chrome.append(session, `${run}`, { users, lanes: users === 1 ? 4 : 2 });
      await chrome.reports(reportsBeforeKill(random, run));
      await pause(random.integer(0, 20)); // so that the moment doesn't depend on the page
      const isWhole = await kill();
      await start();
      for (const each of sessions) {
        await chrome.check(each, `after kill ${run}`);
      }
      if (!(await kill()) || !isWhole) {
        session.figures.hasHalfRecord = true;
        begin(run + 1);
      }
    }
    return figures;
  } finally {
    await chrome?.kill();
    await pages.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Number of reports before a kill. One in three is high, so that much was acknowledged. The others vary. */
function reportsBeforeKill(random, run) {
  if (run % 3 === 1) {
    return random.integer(200, 400);
  }
  return random.chance(0.1) ? 0 : random.integer(1, 400);
}

/** Files of a profile's databases that are appended to. */
function databaseFiles(profile) {
  const folder = join(profile, "Default", "IndexedDB");
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.leveldb[\\/](\d+\.log|MANIFEST-\d+)$/.test(name))
        .map((name) => join(folder, name))
    : [];
}

const BLOCK_BYTES = 32_768;
/** A checksum of four bytes, a length of two, and a kind of one. */
const HEADER_BYTES = 7;
/** Kinds of records that end one: a record in one piece, and the last piece of several. */
const ENDS = [1, 4];

/** Returns true if a LevelDB log ends with a whole record. */
function endsWhole(file) {
  const bytes = readFileSync(file);
  let isEnd = true;
  for (let at = 0; at < bytes.length; ) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (left < HEADER_BYTES) {
      at += left; // a header never spans two blocks
    } else if (at + HEADER_BYTES > bytes.length) {
      return false;
    } else {
      isEnd = ENDS.includes(bytes[at + 6]);
      at += HEADER_BYTES + bytes.readUInt16LE(at + 4);
      if (at > bytes.length) {
        return false;
      }
    }
  }
  return isEnd;
}

/** The test's own browser, on a profile that outlives it. */
class Chrome {
  #child;
  #browser;
  #page;
  #said = "";
  #onSaid = () => {};
  #reportCount = 0;
  #onReport = () => {};
  #failed;

  static async start(folder, address) {
    const chrome = new Chrome();
    const { executablePath, args } = chromiumOptions();
    // A window would bring extra pages, and the browser waits for them.
    const own = ["--headless", "--no-first-run", "--no-startup-window", "--remote-debugging-port=0"];
    // A separate process group, so that the kill reaches exactly this browser with all its processes.
    chrome.#child = spawn(executablePath, [...args, ...own, `--user-data-dir=${folder}`], {
      detached: true,
      stdio: ["ignore", "ignore", "pipe"],
    });
    chrome.#child.stderr.on("data", (piece) => {
      chrome.#said += piece;
      chrome.#onSaid();
    });
    try {
      const [, endpoint] = await chrome.says(/DevTools listening on (\S+)/);
      chrome.#browser = await chromium.connectOverCDP(endpoint);
      chrome.#page = await chrome.#browser.contexts()[0].newPage();
      await chrome.#page.goto(address);
      return chrome;
    } catch (failure) {
      await chrome.kill();
      throw failure;
    }
  }

  /** Resolves when its standard error matches. */
  async says(pattern) {
    const said = new Promise((resolve) => {
      this.#onSaid = () => {
        const found = pattern.exec(this.#said);
        return found && resolve(found);
      };
      this.#onSaid();
    });
    const found = await Promise.race([said, this.#end(), pause(LONGEST_SILENCE_MS, undefined, { ref: false })]);
    return found ?? assert.fail(`the browser did not say ${pattern}: ${this.#said}`);
  }

  /** Resolves when it exits without being killed. */
  async #end() {
    await once(this.#child, "exit");
  }

  /** Makes the page append to a session, which records the page's reports. */
  async append(session, run, options) {
    const page = this.#page;
    const devtools = await page.context().newCDPSession(page);
    page.on("pageerror", (error) => {
      this.#failed ??= error.stack;
      this.#onReport();
    });
    const note = (report) => {
      this.#failed ??= session.note(report);
      this.#reportCount += 1;
      this.#onReport();
    };
    devtools.on("Runtime.bindingCalled", ({ name, payload }) => {
      if (name === "report") {
        note(JSON.parse(payload));
      }
    });
    await devtools.send("Runtime.enable");
    await page.exposeFunction("begin", (call) => note({ begun: JSON.parse(call) }));
    await devtools.send("Runtime.addBinding", { name: "report" });
    await page.evaluate(
      ([key, run, options]) => globalThis.appendForever(key, run, options),
      [session.key, run, options],
    );
  }

  /** Resolves when the page has reported this often. */
  async reports(count) {
    const enough = new Promise((resolve) => {
      this.#onReport = () => (this.#reportCount >= count || this.#failed !== undefined) && resolve(undefined);
      this.#onReport();
    });
    await Promise.race([enough, this.#end()]);
    assert.equal(this.#child.exitCode, null, "the browser runs until it is killed");
  }

  /** Closes it as a person would, and resolves when it has exited. */
  async close() {
    const closed = once(this.#child, "close");
    const devtools = await this.#browser.newBrowserCDPSession();
    await devtools.send("Browser.close").catch(() => {}); // the answer may never come
    await closed;
    assert.equal(this.#failed, undefined);
  }

  /** Kills it with all its processes, and resolves when they have exited. */
  async kill() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      // Their shared pipes close when the last of them has exited.
      const closed = once(this.#child, "close");
      process.kill(-this.#child.pid, "SIGKILL");
      await closed;
    }
    await this.#browser?.close();
    assert.equal(this.#failed, undefined);
  }

  /** Checks a session's stored data. */
  async check(session, name) {
    const nextId = `${name}.0`;
    const found = await this.#page.evaluate(([key, nextId]) => globalThis.inspect(key, nextId), [session.key, nextId]);
    try {
      session.check(found);
    } catch (cause) {
      throw new Error(`${session.key}, ${name}: ${cause.message}`, { cause });
    }
    session.note({ begun: { user: name, number: 1, ids: [nextId], isReplacing: false } });
    session.note({ done: 1, user: name, firstSeq: found.firstSeq });
  }
}

/** The expected contents of a session. */
class Expected {
  key;
  figures = {};
  /** Calls that began and aren't known to have ended, by user and number. */
  #open = new Map();
  #done = [];
  #refusedCount = 0;

  constructor(key) {
    this.key = key;
  }

  /** Records a report of the page. Returns an error if it is wrong. */
  note({ begun, done, refused, failed, user, firstSeq, code }) {
    if (begun !== undefined) {
      this.#open.set(`${begun.user} ${begun.number}`, begun);
      return undefined;
    }
    const name = `${user} ${done ?? refused}`;
    const call = this.#open.get(name);
    this.#open.delete(name);
    if (done !== undefined) {
      this.#done.push({ ...call, firstSeq });
    } else if (refused !== undefined) {
      this.#refusedCount += 1;
      // There was nothing to replace yet, or another user had appended since.
      const isRight = call.isReplacing && ["INVALID_SESSION", "STORE_CONFLICT"].includes(code);
      return isRight ? undefined : `an append failed: ${code}`;
    }
    return failed;
  }

  /** Checks the findings of `inspect`. */
  check({ ids, rows, head, skipped, torn, isSame, firstSeq, buildCount }) {
    assert.deepEqual(skipped, [], "nothing is damaged");
    assert.deepEqual(torn, [], "all contents are whole");
    assert.ok(isSame, "a build reads the log");
    const kept = rows.map(({ id }) => id);
    assert.deepEqual(ids, kept, "messages() returns the log");
    assert.equal(new Set(ids).size, ids.length, "nothing is there twice");
    assert.ok(rows.every(({ type }) => type === "message"));
    const lastSeq = rows.at(-1)?.seq ?? 0;
    assert.deepEqual([head?.lastSeq ?? 0, head?.counts.message ?? 0], [lastSeq, rows.length]);
    assert.equal(firstSeq, lastSeq + 1, "the next append goes on");

    const callAt = this.#callsBySeq();
    const replaced = this.#replacedSeqs(rows, callAt);
    const seqOf = new Map(rows.map(({ seq, id }) => [id, seq]));
    const mayBeThere = new Set();

    // Acknowledged messages are at their reported places. Only the last message of a call may have been replaced.
    for (const { ids: appended, firstSeq: first, isReplacing } of this.#done) {
      for (const [index, id] of appended.entries()) {
        const isReplaced = index === appended.length - 1 && replaced.has(first + index);
        const seq = seqOf.get(id);
        assert.equal(seq, isReplaced ? undefined : first + index, `${id} was acknowledged as ${first + index}`);
        mayBeThere.add(id);
      }
      assert.ok(
        !isReplacing || replaced.has(first - 1),
        `${first} was acknowledged, but the message that it replaces is still there`,
      );
    }

    // Unacknowledged messages are there whole or not at all.
    let keptCount = 0;
    for (const { ids: appended, user, number } of this.#open.values()) {
      const first = seqOf.get(appended[0]);
      for (const [index, id] of appended.entries()) {
        const seq = seqOf.get(id);
        const isReplaced = index === appended.length - 1 && replaced.has(first + index);
        const expected = first === undefined || isReplaced ? undefined : first + index;
        assert.equal(seq, expected, `${id}, which ${user} appended as ${number}, is there in part`);
        mayBeThere.add(id);
      }
      keptCount += first === undefined ? 0 : 1;
    }
    assert.deepEqual(
      ids.filter((id) => !mayBeThere.has(id)),
      [],
      "nothing is there that was not appended, or was refused",
    );
    Object.assign(this.figures, {
      messages: ids.length,
      acknowledged: callAt.size,
      replaced: replaced.size,
      refused: this.#refusedCount,
      onTheWay: this.#open.size,
      onTheWayKept: keptCount,
      builds: buildCount,
    });
  }

  /** Acknowledged calls, by sequence number. Each user's are in the order of the calls. */
  #callsBySeq() {
    const callAt = new Map();
    const lastOf = new Map();
    for (const call of this.#done.toSorted((left, right) => left.number - right.number)) {
      const { user, ids, firstSeq } = call;
      assert.ok(firstSeq > (lastOf.get(user) ?? 0), `${ids[0]} is before an earlier append of ${user}`);
      lastOf.set(user, firstSeq);
      for (const index of ids.keys()) {
        assert.ok(!callAt.has(firstSeq + index), `${firstSeq + index} was given twice`);
        callAt.set(firstSeq + index, call);
      }
    }
    return callAt;
  }

  /** Missing sequence numbers: each must belong to a message that the next one replaced. */
  #replacedSeqs(rows, callAt) {
    const replaced = new Set();
    let after = 0;
    for (const { seq, replacesSeq } of rows) {
      // The first, if several are missing in a row.
      const first = seq === after + 1 ? undefined : after + 1;
      assert.equal(replacesSeq, first, `the missing message before ${seq} was replaced`);
      for (let gone = after + 1; gone < seq; gone += 1) {
        replaced.add(gone);
        const next = gone + 1 === seq ? undefined : callAt.get(gone + 1);
        assert.ok(next?.isReplacing ?? true, `${gone} is missing, and ${gone + 1} did not take its place`);
      }
      after = seq;
    }
    return replaced;
  }
}
