// Cases for trimming and removing, and for holds that delay them.

import type { TranscriptStore } from "../contract.js";
import type { Case } from "./case.js";
import { ensure, fails, same, show } from "./checks.js";
import {
  appended,
  build,
  bytes,
  bytesOf,
  entriesOf,
  headWith,
  infoOf,
  KEY,
  messages,
  ODD_TEXTS,
  sameHead,
  summary,
  textsOf,
  upTo,
} from "./samples.js";
import { ends, gate, turns, waiting } from "./waiting.js";

// ---- Trimming ----

export const trimming: readonly Case[] = [
  {
    name: "trim: removes earlier entries except those to keep, and the sequence continues",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, [
        { type: "message", data: "1", timeMs: 90 },
        { type: "summary", data: "2" },
        { type: "message", data: "3", pinned: true },
        { type: "failure", data: "4" },
        { type: "message", data: "5" },
        { type: "message", data: "6", timeMs: 5 },
      ]);
      await store.append(KEY, [build("b")], { log: "builds" });
      await store.append("other", messages("a", "b"));
      const before = await infoOf(store, KEY);
      const options = { keepSeqs: [2, 4, 4, 6, 99, 0] };
      same(await store.trim(KEY, 5, options), { removedCount: 2 }, "trimming before 5, keeping 2 and 4");
      same(
        await textsOf(store, KEY),
        ["2", "4", "5", "6"],
        "the entries, without the pinned one that was not in keepSeqs",
      );
      const info = await infoOf(store, KEY);
      sameHead(
        info.logs.transcript,
        headWith({
          lastSeq: 6,
          lastMessageSeq: 6,
          counts: { message: 2, summary: 1, failure: 1 },
          untimedCount: 2,
          latestTimeMs: 90,
          removals: 1,
        }),
      );
      const { transcript: _, ...otherLogs } = info.logs;
      same(
        [info.id, info.createdAtMs, info.updatedAtMs, otherLogs.builds],
        [before.id, before.createdAtMs, before.updatedAtMs, before.logs.builds],
        "the facts about a session that a trim doesn't change",
      );
      same(await store.trim(KEY, Infinity, { keepSeqs: [2] }), { removedCount: 3 }, "trimming all but 2");
      sameHead(
        (await infoOf(store, KEY)).logs.transcript,
        headWith({ lastSeq: 6, counts: { summary: 1 }, untimedCount: 1, latestTimeMs: 90, removals: 2 }),
      );
      same(await store.append(KEY, messages("7")), appended(7, 7), "the next append");
      same((await entriesOf(store, KEY)).at(-1)?.latestTimeMs, 90, "the latest time, of an entry that was trimmed");
      same(await store.trim(KEY, Infinity), { removedCount: 2 }, "trimming all");
      same(await textsOf(store, KEY), [], "the entries after all were trimmed");
      same(await store.append(KEY, messages("8", "9")), appended(8, 9), "the next append after all were trimmed");
      same(await textsOf(store, KEY, { log: "builds" }), ["b"], "the builds");
      same(await textsOf(store, "other"), ["a", "b"], "another session");
    },
  },
  {
    name: "trim: the newest message is the newest remaining one",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, [...messages("1", "2", "3"), summary("4"), ...messages("5")]);
      const newest = async (): Promise<number> => (await infoOf(store, KEY)).logs.transcript.lastMessageSeq;
      await store.trim(KEY, Infinity, { keepSeqs: [2, 4] });
      same(await newest(), 2, "the newest message that was kept");
      await store.trim(KEY, Infinity, { keepSeqs: [4] });
      same(await newest(), 0, "the newest message after all were trimmed");
      await store.append(KEY, messages("6"));
      same(await newest(), 6, "the newest message after an append");
    },
  },
  {
    name: "trim: trims the log of builds if it is named",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("a", "b"));
      await store.append(KEY, [build("x"), build("y"), build("z")], { log: "builds" });
      const { logs } = await infoOf(store, KEY);
      same(await store.trim(KEY, 3, { log: "builds", keepSeqs: [1] }), { removedCount: 1 }, "trimming builds before 3");
      same(await textsOf(store, KEY, { log: "builds" }), ["x", "z"], "the builds");
      const after = (await infoOf(store, KEY)).logs;
      sameHead(after.transcript, logs.transcript);
      sameHead(after.builds, headWith({ lastSeq: 3, counts: { build: 2 }, removals: 1 }));
      same(await textsOf(store, KEY), ["a", "b"], "the transcript");
    },
  },
  {
    name: "trim: nothing changes if there is nothing to trim",
    async check(storage) {
      const store = await storage.open();
      same(await store.trim(KEY, Infinity), { removedCount: 0 }, "trimming a session that does not exist");
      same(await store.sessions(), [], "the sessions after it");
      await store.append(KEY, messages("a", "b"));
      const info = await infoOf(store, KEY);
      for (const beforeSeq of [0, 1]) {
        same(await store.trim(KEY, beforeSeq), { removedCount: 0 }, `trimming before ${beforeSeq}`);
      }
      same(
        await store.trim(KEY, 3, { keepSeqs: [1, 2] }),
        { removedCount: 0 },
        "trimming while keepSeqs has all entries",
      );
      same(await store.trim(KEY, 3, { log: "builds" }), { removedCount: 0 }, "trimming an empty log");
      same(await infoOf(store, KEY), info, "the session");
      await store.trim(KEY, 2);
      const trimmed = await infoOf(store, KEY);
      same(await store.trim(KEY, 2), { removedCount: 0 }, "trimming a trimmed range");
      same(await infoOf(store, KEY), trimmed, "the session after it was trimmed");
    },
  },
  {
    name: "trim: many entries may be trimmed, and many kept",
    async check(storage) {
      const store = await storage.open();
      const texts = upTo(1500).map(String);
      await store.append(KEY, messages(...texts));
      const keepSeqs = upTo(1000).filter((seq) => seq % 3 !== 0);
      same(await store.trim(KEY, 1001, { keepSeqs }), { removedCount: 333 }, "trimming every third of a thousand");
      const left = texts.filter((_, index) => index >= 1000 || (index + 1) % 3 !== 0);
      same(await textsOf(store, KEY), left, "the entries that are left");
      sameHead(
        (await infoOf(store, KEY)).logs.transcript,
        headWith({ lastSeq: 1500, lastMessageSeq: 1500, counts: { message: 1167 }, untimedCount: 1167, removals: 1 }),
      );
    },
  },
];

// ---- Removing ----

export const removing: readonly Case[] = [
  {
    name: "remove: a whole session is removed, and a later append begins a new one",
    async check(storage) {
      const store = await storage.open();
      await store.remove(KEY);
      await store.append("other", [{ type: "message", id: "m", data: "a" }]);
      await store.append("other", [build("x")], { log: "builds" });
      await store.append(KEY, [{ type: "message", id: "m", data: "a", timeMs: 7, pinned: true }], { operationId: "o" });
      await store.append(KEY, [build("x")], { log: "builds" });
      const { id } = await infoOf(store, KEY);
      const other = await store.read("other");
      await store.remove(KEY);
      same(await store.read(KEY), { entries: [], info: undefined, skipped: [] }, "the session after it was removed");
      same((await store.read(KEY, { log: "builds" })).entries, [], "its builds");
      same(await store.get(KEY, ["m"]), [], "the entries found by id");
      same(
        (await store.sessions()).map(({ key }) => key),
        ["other"],
        "the sessions",
      );
      same(
        await store.append(KEY, messages("b"), { operationId: "o", expectedSeq: 0 }),
        appended(1, 1),
        "the next append",
      );
      const anew = await infoOf(store, KEY);
      ensure(anew.id !== id, `another id was expected, found ${show(anew.id)} again`);
      sameHead(
        anew.logs.transcript,
        headWith({ lastSeq: 1, lastMessageSeq: 1, counts: { message: 1 }, untimedCount: 1 }),
      );
      sameHead(anew.logs.builds, headWith({}));
      same(await textsOf(store, KEY), ["b"], "the entries of the new session");
      same(await store.read("other"), other, "another session");
      await store.remove(KEY);
      await store.remove(KEY);
      same(
        (await store.sessions()).map(({ key }) => key),
        ["other"],
        "the sessions after it was removed twice",
      );
    },
  },
  {
    name: "remove: a session with newer appends than expected isn't removed",
    async check(storage) {
      const store = await storage.open();
      const removal = (expectedSeq: number): Promise<void> => store.remove(KEY, { expectedSeq });
      await fails(removal(1), ["STORE_CONFLICT"], "removing a missing session that is expected to end with 1");
      await removal(0);
      await store.append(KEY, messages("a", "b"));
      await store.derived.write(KEY, new Map([["a", bytes(1)]]));
      const goOn = gate();
      const hold = store.holding(KEY, () => goOn.passed);
      // The store checks its expectations only when the removal's turn comes.
      const waited = waiting(removal(2).catch((failure: unknown) => failure));
      await ends(store.append(KEY, messages("c")), store, "an append while a removal waits");
      goOn.open();
      await hold;
      const ended = ends(waited.promise, store, "a removal after the hold").then((failure) => Promise.reject(failure));
      await fails(ended, ["STORE_CONFLICT"], "removing a session that ended with 2 before an append");
      for (const expectedSeq of [0, 2, 4]) {
        await fails(removal(expectedSeq), ["STORE_CONFLICT"], `removing, with ${expectedSeq} expected instead of 3`);
      }
      same(await textsOf(store, KEY), ["a", "b", "c"], "the entries after all that");
      same(bytesOf(await store.derived.read(KEY, ["a"])), [["a", [1]]], "the derived values after all that");
      await store.append(KEY, [build("x"), build("y")], { log: "builds" });
      await removal(3);
      same(await store.sessions(), [], "the sessions after the expected one was removed");
    },
  },
  {
    name: "expectedId: a call meant for another session does nothing",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("a", "b"));
      const { id } = await infoOf(store, KEY);
      same(await store.append(KEY, messages("c"), { expectedId: id, operationId: "o" }), appended(3, 3), "an append");
      same(await store.append(KEY, [build("x")], { expectedId: id, log: "builds" }), appended(1, 1), "one of a build");
      same(await store.trim(KEY, 2, { expectedId: id }), { removedCount: 1 }, "a trim");
      await store.remove(KEY, { expectedId: id, expectedSeq: 3 });
      const refused = async (what: string): Promise<void> => {
        const calls: Record<string, () => Promise<unknown>> = {
          "an append": () => store.append(KEY, messages("x"), { expectedId: id }),
          "an append of a build": () => store.append(KEY, [build("x")], { expectedId: id, log: "builds" }),
          "a trim": () => store.trim(KEY, Infinity, { expectedId: id }),
          "a removal": () => store.remove(KEY, { expectedId: id }),
        };
        for (const [name, call] of Object.entries(calls)) {
          await fails(call(), ["STORE_CONFLICT"], `${name} that expects a removed session, ${what}`);
        }
      };
      await refused("with no session in its place");
      same(await store.sessions(), [], "the sessions after that");
      await store.append(KEY, messages("d"));
      const anew = await store.read(KEY);
      await refused("with a new session in its place");
      same(await store.read(KEY), anew, "the new session");
    },
  },
];

// ---- Holding ----

export const holding: readonly Case[] = [
  {
    name: "holding: returns the callback's result or its error, and then releases",
    async check(storage) {
      const store = await storage.open();
      same(await store.holding(KEY, async () => (await store.read(KEY)).entries.length), 0, "the callback's result");
      const failure = new Error("This failed.");
      const rejected = await store.holding(KEY, () => Promise.reject(failure)).catch((caught: unknown) => caught);
      same(rejected === failure, true, "whether it fails with the callback's error");
      const thrown = await (async () =>
        store.holding(KEY, () => {
          throw failure;
        }))().catch((caught: unknown) => caught);
      same(thrown === failure, true, "whether it fails with an error thrown synchronously");
      await store.append(KEY, messages("a", "b"));
      const trim = store.trim(KEY, 2);
      same(await ends(trim, store, "a trim after holds that failed"), { removedCount: 1 }, "the trim after them");
    },
  },
  {
    name: "holding: trim and remove wait, but append doesn't",
    async check(storage) {
      const store = await storage.open();
      await holdsOff(store, store);
    },
  },
  {
    name: "holding: several may overlap and be nested, even while a trim waits",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("a", "b", "c"));
      const [first, second] = [gate(), gate()];
      const both = [store.holding(KEY, () => first.passed), store.holding(KEY, () => second.passed)];
      const trim = waiting(store.trim(KEY, 3));
      const nested = store.holding(KEY, () =>
        store.holding(KEY, () => store.holding("other", () => textsOf(store, KEY))),
      );
      same(await ends(nested, store, "nested holds"), ["a", "b", "c"], "the entries in nested holds");
      first.open();
      await both[0];
      await turns(store);
      same(
        [trim.isEnded, await textsOf(store, KEY)],
        [false, ["a", "b", "c"]],
        "the state of the trim, and the entries, while one hold remains",
      );
      second.open();
      await both[1];
      same(await ends(trim.promise, store, "the trim"), { removedCount: 2 }, "the trim after all holds");
      same(await textsOf(store, KEY), ["c"], "the entries after it");
    },
  },
  {
    name: "holding: a trim in progress ends before a hold begins",
    async check(storage) {
      const store = await storage.open();
      for (let round = 0; round < 10; round += 1) {
        await store.append(KEY, messages("a", "b"));
        const trim = store.trim(KEY, Infinity);
        const [first, second] = await store.holding(KEY, async () => {
          const one = await store.read(KEY);
          await turns(store);
          return [one, await store.read(KEY)];
        });
        same(second, first, "two reads in one hold");
        await trim;
      }
    },
  },
  {
    name: "holding: only the named session is held",
    async check(storage) {
      const store = await storage.open();
      const sessions = ODD_TEXTS.filter((key) => key !== "");
      for (const key of sessions) {
        await store.append(key, messages("a", "b"));
      }
      for (const [index, held] of sessions.entries()) {
        const free = sessions[(index + 1) % sessions.length] ?? "";
        await store.holding(held, async () => {
          const trim = store.trim(free, 2);
          await ends(trim, store, `a trim of the session ${show(free)} while ${show(held)} is held`);
        });
      }
      await store.holding(sessions[0] ?? "", () =>
        ends(store.remove(sessions[1] ?? ""), store, "a remove of another session"),
      );
    },
  },
];

/** Checks that `remover` doesn't trim or remove a session while `holder` holds it. */
export async function holdsOff(holder: TranscriptStore, remover: TranscriptStore): Promise<void> {
  for (const what of ["trim", "remove"] as const) {
    await holder.append(KEY, messages("a", "b"));
    const begun = gate();
    const goOn = gate();
    const texts = await textsOf(holder, KEY);
    const hold = holder.holding(KEY, async () => {
      begun.open();
      await goOn.passed;
      return textsOf(holder, KEY);
    });
    await begun.passed;
    const removal = waiting<unknown>(what === "trim" ? remover.trim(KEY, 2) : remover.remove(KEY));
    const append = remover.append(KEY, messages("c"), { operationId: what });
    await ends(append, holder, "an append while the session is held");
    await turns(holder);
    same(removal.isEnded, false, `whether a ${what} ended while the session was held`);
    same(await textsOf(holder, KEY), [...texts, "c"], `the entries while it is held and a ${what} waits`);
    goOn.open();
    same(await hold, [...texts, "c"], `the entries at the end of the hold, while a ${what} waits`);
    const ended = await ends(removal.promise, holder, `a ${what} after the hold`);
    same(ended, what === "trim" ? { removedCount: 1 } : undefined, `the result of the ${what} after the hold`);
    same(await textsOf(holder, KEY), what === "trim" ? ["b", "c"] : [], `the entries after the ${what}`);
  }
}
