// Cases for several stores on one storage, at the same time and one after another.

import type { StoreChange } from "../contract.js";
import type { Case } from "./case.js";
import { ensure, fails, same, show } from "./checks.js";
import { holdsOff } from "./removing.js";
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
  sameHead,
  seqsOf,
  textsOf,
  upTo,
} from "./samples.js";
import { ends, gate, listen, turns, waiting } from "./waiting.js";

// ---- Subscribing ----

export const subscribing: readonly Case[] = [
  {
    name: "subscribe: reports every change of a session, in order, and nothing else",
    async check(storage) {
      const store = await storage.open();
      const changes = listen(store, KEY);
      if (changes === undefined) {
        return;
      }
      await store.append(KEY, messages("a", "b", "c"), { operationId: "o" });
      await store.append(KEY, messages("a", "b", "c"), { operationId: "o" });
      await fails(store.append(KEY, messages("x"), { expectedSeq: 1 }), ["STORE_CONFLICT"], "expecting another end");
      await store.append("other", messages("a"));
      await store.append(`${KEY}\0`, messages("a"));
      await store.append(KEY, [build("x")], { log: "builds" });
      await store.trim(KEY, 1);
      await store.trim(KEY, 2, { keepSeqs: [1] });
      await store.trim("none", 2);
      await store.trim(KEY, 2);
      await store.trim(KEY, 2, { log: "builds" });
      await store.append(KEY, messages("d"), { replacesSeq: 3 });
      const expected: StoreChange[] = [
        { kind: "append", log: "transcript", lastSeq: 3 },
        { kind: "append", log: "builds", lastSeq: 1 },
        { kind: "trim", log: "transcript", lastSeq: 0 },
        { kind: "trim", log: "builds", lastSeq: 0 },
        { kind: "append", log: "transcript", lastSeq: 4 },
      ];
      same(await changes.upTo(expected.length), expected, "the changes");
      await store.remove(KEY);
      await store.append(KEY, messages("e"));
      const all = await changes.until(({ kind, lastSeq }) => kind === "append" && lastSeq === 1);
      const removed = all.slice(expected.length, -1);
      ensure(
        removed.length > 0 && removed.every(({ kind, lastSeq }) => kind === "remove" && lastSeq === 0),
        `after a remove, changes of that kind with lastSeq 0 were expected, found ${show(removed)}`,
      );
    },
  },
  {
    name: "subscribe: a reported change can be read",
    async check(storage) {
      const store = await storage.open();
      const reads: Promise<[StoreChange, readonly number[]]>[] = [];
      const changes = listen(store, KEY, (change) => {
        reads.push(seqsOf(store, KEY).then((seqs) => [change, seqs]));
      });
      if (changes === undefined) {
        return;
      }
      for (let index = 0; index < 10; index += 1) {
        await store.append(KEY, messages("a", "b"));
      }
      await store.trim(KEY, 6);
      await changes.upTo(11);
      for (const [change, seqs] of await Promise.all(reads)) {
        if (change.kind === "append") {
          ensure(
            seqs.includes(change.lastSeq),
            `entry ${change.lastSeq} was expected when its change was reported, found ${show(seqs)}`,
          );
        } else {
          same(seqs, upTo(20).slice(5), "the entries when the trim was told of");
        }
      }
    },
  },
  {
    name: "subscribe: each listener is called until it unsubscribes, and one that throws affects no other",
    async check(storage) {
      const store = await storage.open();
      const first = listen(store, KEY);
      const second = listen(store, KEY, () => {
        throw new Error("This listener fails, which must not affect the others.");
      });
      const third = listen(store, KEY);
      if (first === undefined || second === undefined || third === undefined) {
        return;
      }
      same(await store.append(KEY, messages("a")), appended(1, 1), "an append while a listener fails");
      await Promise.all([first.upTo(1), second.upTo(1), third.upTo(1)]);
      first.end();
      first.end();
      same(await store.append(KEY, messages("b")), appended(2, 2), "a further append");
      await store.trim(KEY, 2);
      same(
        (await third.upTo(3)).map(({ kind }) => kind),
        ["append", "append", "trim"],
        "the change that the last listener receives",
      );
      same((await second.upTo(3)).length, 3, "how often the failing listener is called");
      same((await first.upTo(1)).length, 1, "how often the ended listener is called");
    },
  },
];

// ---- Closing ----

export const closing: readonly Case[] = [
  {
    name: "close: waits for calls in progress, makes later ones fail, and may be called again",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("0"));
      const changes = listen(store, KEY);
      const running = [...upTo(10).map((index) => store.append(KEY, messages(`${index}`))), store.read(KEY)] as const;
      const closed = Promise.all([store.close(), store.close()]);
      const ended = await Promise.allSettled(running);
      same(
        ended.map(({ status }) => status),
        running.map(() => "fulfilled"),
        "how the calls in progress ended",
      );
      await closed;
      await store.close();
      let ran = 0;
      const run = (): Promise<void> => {
        ran += 1;
        return Promise.resolve();
      };
      const calls: Record<string, () => Promise<unknown>> = {
        append: () => store.append(KEY, messages("x")),
        read: () => store.read(KEY),
        get: () => store.get(KEY, ["a"]),
        "derived.read": () => store.derived.read(KEY, ["a"]),
        "derived.write": () => store.derived.write(KEY, new Map([["a", bytes(1)]])),
        sessions: () => store.sessions(),
        trim: () => store.trim(KEY, 2),
        remove: () => store.remove(KEY),
        holding: () => store.holding(KEY, run),
      };
      for (const [name, call] of Object.entries(calls)) {
        await fails(call(), ["STORE_CLOSED"], `${name} after close`);
      }
      same(ran, 0, "how often a closed store called the callback of holding");
      await fails(store.append("", messages("x")), ["INVALID_SESSION"], "append with no key after close");
      if (changes !== undefined) {
        changes.end();
        await fails((async () => store.subscribe?.(KEY, () => undefined))(), ["STORE_CLOSED"], "subscribe after close");
      }
      if (storage.isPersistent) {
        const again = await storage.open();
        same((await textsOf(again, KEY)).length, 11, "the number of entries when the store is opened again");
      }
    },
  },
  {
    name: "close: waits for holders of a session, and for calls that wait for them",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("a", "b"));
      const [begun, goOn] = [gate(), gate()];
      let hasEnded = false;
      const hold = store.holding(KEY, async () => {
        begun.open();
        await goOn.passed;
        hasEnded = true;
        return "held";
      });
      await begun.passed;
      const trim = store.trim(KEY, 2);
      const closed = store.close().then(() => hasEnded);
      // The event loop turns while nothing else happens. A store that doesn't wait is closed by then.
      await new Promise((resolve) => setTimeout(resolve, 0));
      goOn.open();
      same(await closed, true, "whether the hold had ended when the store was closed");
      same([await hold, await trim], ["held", { removedCount: 1 }], "the results of the hold and the trim");
      if (storage.isPersistent) {
        same(await textsOf(await storage.open(), KEY), ["b"], "the entries when the store is opened again");
      }
    },
  },
  {
    name: "close: another store on the same storage keeps working",
    async check(storage) {
      const [first, second] = [await storage.open(), await storage.open()];
      if (first === second) {
        return;
      }
      await first.append(KEY, messages("a"));
      await first.close();
      await fails(first.read(KEY), ["STORE_CLOSED"], "a read after close");
      same(await second.append(KEY, messages("b")), appended(2, 2), "an append to the other store");
      same(await textsOf(second, KEY), ["a", "b"], "the entries");
    },
  },
];

// ---- Several at once ----

export const together: readonly Case[] = [
  {
    name: "two stores: simultaneous appends leave no gap and no duplicate, and both see the same order",
    async check(storage) {
      const stores = [await storage.open(), await storage.open()] as const;
      const writers = upTo(8);
      const given = await Promise.all(
        writers.map(async (writer) => {
          const store = stores[writer % 2] ?? stores[0];
          const seqs: number[] = [];
          for (let index = 1; index <= 50; index += 1) {
            const { firstSeq, lastSeq } = await store.append(KEY, messages(`${writer}: ${index}`), {
              operationId: `${writer}: ${index}`,
            });
            same(firstSeq, lastSeq, "the last sequence number of an append of one entry");
            seqs.push(firstSeq);
          }
          return seqs;
        }),
      );
      same(
        given.flat().sort((left, right) => left - right),
        upTo(400),
        "the assigned sequence numbers",
      );
      const seen = await Promise.all(stores.map((store) => entriesOf(store, KEY)));
      same(seen[1], seen[0], "the entries as the other store sees them");
      same(
        seen[0]?.map(({ seq }) => seq),
        upTo(400),
        "the sequence numbers of the entries",
      );
      for (const writer of writers) {
        const own = seen[0]?.filter(({ data }) => String(data).startsWith(`${writer}:`));
        same(
          own?.map(({ data }) => data),
          upTo(50).map((index) => `${writer}: ${index}`),
          `the entries of writer ${writer}`,
        );
        same(
          own?.map(({ seq }) => seq),
          given[writer - 1],
          `the sequence numbers of writer ${writer}`,
        );
      }
      sameHead(
        (await infoOf(stores[0], KEY)).logs.transcript,
        headWith({ lastSeq: 400, lastMessageSeq: 400, counts: { message: 400 }, untimedCount: 400 }),
      );
    },
  },
  {
    name: "two stores: appends that aren't awaited keep their order",
    async check(storage) {
      const stores = [await storage.open(), await storage.open()] as const;
      const given = await Promise.all(upTo(60).map((index) => stores[0].append(KEY, messages(`${index}`))));
      same(
        given.map(({ firstSeq }) => firstSeq),
        upTo(60),
        "the assigned sequence numbers",
      );
      same(await textsOf(stores[1], KEY), upTo(60).map(String), "the entries, as the other store sees them");
    },
  },
  {
    name: "two stores: an operation that both append simultaneously is appended once",
    async check(storage) {
      const stores = [await storage.open(), await storage.open()] as const;
      for (let round = 0; round < 10; round += 1) {
        const given = await Promise.all(
          [...stores, ...stores].map((store) => store.append(KEY, messages("a", "b"), { operationId: `${round}` })),
        );
        same(
          given.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq]),
          given.map(() => [round * 2 + 1, round * 2 + 2]),
          "the assigned sequence numbers",
        );
        same(given.filter(({ isRepeated }) => !isRepeated).length, 1, "the number of stores that appended it");
      }
      same(await seqsOf(stores[1], KEY), upTo(20), "the sequence numbers of the entries");
    },
  },
  {
    name: "two stores: each sees the other's changes",
    async check(storage) {
      const [first, second] = [await storage.open(), await storage.open()];
      await first.append(KEY, [{ type: "message", id: "m", data: "a" }], { operationId: "o" });
      same(await second.read(KEY), await first.read(KEY), "the entries that the other store reads");
      same((await second.get(KEY, ["m"])).length, 1, "the number of entries that the other store finds");
      same(await second.sessions(), await first.sessions(), "the sessions that the other store lists");
      const again = await second.append(KEY, messages("x"), { operationId: "o" });
      same(again, { firstSeq: 1, lastSeq: 1, isRepeated: true }, "the same operation in the other store");
      same(await second.append(KEY, messages("b"), { expectedSeq: 1 }), appended(2, 2), "an append to the other store");
      same(await first.append(KEY, messages("B"), { replacesSeq: 2 }), appended(3, 3), "replacing the other's message");
      same(await second.trim(KEY, 2), { removedCount: 1 }, "trimming the other's entries");
      await first.derived.write(KEY, new Map([["a", bytes(1)]]));
      same(bytesOf(await second.derived.read(KEY, ["a"])), [["a", [1]]], "the value that the other wrote");
      const { id } = await infoOf(first, KEY);
      await second.remove(KEY);
      same((await first.read(KEY)).info, undefined, "the session that the other removed");
      same(await first.append(KEY, messages("c")), appended(1, 1), "the next append");
      ensure((await infoOf(second, KEY)).id !== id, "another id was expected after the session was removed");
    },
  },
];

// ---- What survives ----

export const reopening: readonly Case[] = [
  {
    name: "reopened: everything is unchanged",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, [
        { type: "message", id: "m", timeMs: 5, data: { text: "a\0\ud800" } },
        { type: "summary", pinned: true, data: "b" },
      ]);
      await store.append(KEY, messages("c", "d"), { operationId: "o" });
      await store.append(KEY, [build("x")], { log: "builds" });
      await store.append("other", messages("a"));
      await store.derived.write(
        KEY,
        new Map([
          ["a", bytes(1, 2)],
          ["b", bytes()],
        ]),
      );
      await store.trim(KEY, 2);
      const all = await Promise.all([
        store.read(KEY),
        store.read(KEY, { log: "builds" }),
        store.read("other"),
        store.sessions(),
      ]);
      await store.close();
      const again = await storage.open();
      const found = await Promise.all([
        again.read(KEY),
        again.read(KEY, { log: "builds" }),
        again.read("other"),
        again.sessions(),
      ]);
      same(found, all, "the entries after it was opened again");
      same(
        bytesOf(await again.derived.read(KEY, ["a", "b"])),
        [
          ["a", [1, 2]],
          ["b", []],
        ],
        "the derived values",
      );
      const repeated = await again.append(KEY, messages("c", "d"), { operationId: "o" });
      same(repeated, { firstSeq: 3, lastSeq: 4, isRepeated: true }, "an operation from before it was reopened");
      same(
        await again.append(KEY, messages("e"), { expectedSeq: 4, replacesSeq: 4 }),
        appended(5, 5),
        "the next append",
      );
    },
  },
  {
    name: "reopened: no sequence number is reused, and removed data stays removed",
    async check(storage) {
      let store = await storage.open();
      const reopen = async (): Promise<void> => {
        await store.close();
        store = await storage.open();
      };
      await store.append(KEY, messages("a", "b", "c"));
      await store.append(KEY, messages("C"), { replacesSeq: 3 });
      await reopen();
      same(await store.append(KEY, messages("D"), { replacesSeq: 4 }), appended(5, 5), "an append after a replacement");
      await store.trim(KEY, Infinity);
      await reopen();
      same(
        (await store.sessions()).map(({ key }) => key),
        [KEY],
        "the sessions after all entries were trimmed",
      );
      same(
        await store.append(KEY, messages("e"), { expectedSeq: 5 }),
        appended(6, 6),
        "an append after all were trimmed",
      );
      await store.derived.write(KEY, new Map([["a", bytes(1)]]));
      await store.remove(KEY);
      await reopen();
      same(await store.sessions(), [], "the sessions after the only one was removed");
      same(await store.append(KEY, messages("f")), appended(1, 1), "an append after it was removed");
      same(bytesOf(await store.derived.read(KEY, ["a"])), [], "the derived values after it was removed");
    },
  },
];

// ---- What stores know of each other ----

export const others: readonly Case[] = [
  {
    name: "two stores: neither trims or removes a session that the other holds",
    async check(storage) {
      const [first, second] = [await storage.open(), await storage.open()];
      await holdsOff(first, second);
    },
  },
  {
    name: "two stores: a hold may be nested while the other's trim waits",
    async check(storage) {
      const [first, second] = [await storage.open(), await storage.open()];
      await first.append(KEY, messages("a", "b"));
      const trim = await first.holding(KEY, async () => {
        const waitingTrim = waiting(second.trim(KEY, 2));
        await turns(second);
        const nested = first.holding(KEY, () => textsOf(first, KEY));
        same(await ends(nested, second, "a nested hold"), ["a", "b"], "the entries in a nested hold");
        same(waitingTrim.isEnded, false, "whether the trim ended before the hold");
        return waitingTrim;
      });
      same(await ends(trim.promise, first, "the trim after the hold"), { removedCount: 1 }, "the trim after the hold");
    },
  },
  {
    name: "two stores: each reports the other's changes",
    async check(storage) {
      const [first, second] = [await storage.open(), await storage.open()];
      const changes = listen(second, KEY);
      if (changes === undefined) {
        return;
      }
      await first.append(KEY, messages("a", "b"));
      await second.append(KEY, messages("c"));
      await first.append("other", messages("a"));
      await first.append(KEY, [build("x")], { log: "builds" });
      await first.trim(KEY, 2);
      await changes.until(({ kind }) => kind === "trim");
      await first.remove(KEY);
      const all = await changes.until(({ kind }) => kind === "remove");
      // The changes of each store come in order; those of two stores may mix.
      const ofFirst = all.filter(({ lastSeq }) => lastSeq !== 3).slice(0, 3);
      same(
        ofFirst,
        [
          { kind: "append", log: "transcript", lastSeq: 2 },
          { kind: "append", log: "builds", lastSeq: 1 },
          { kind: "trim", log: "transcript", lastSeq: 0 },
        ],
        "the changes of the other store",
      );
      same(all.filter(({ lastSeq }) => lastSeq === 3).length, 1, "how often the store's own change is reported");
    },
  },
];
