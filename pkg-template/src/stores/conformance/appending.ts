// Cases for appending: sequences, operations, conflicts between two appends, and the data that is kept.

import type { AppendOptions, AppendResult, EntryType, LogName, NewEntry, Rewrites } from "../contract.js";
import type { Case } from "./case.js";
import { ensure, fails, harmlessly, same, show } from "./checks.js";
import {
  appended,
  build,
  bytes,
  bytesOf,
  entriesOf,
  headWith,
  infoOf,
  KEY,
  LOGS,
  messages,
  ODD_DATA,
  ODD_TEXTS,
  sameHead,
  seqsOf,
  summary,
  textsOf,
  upTo,
} from "./samples.js";

// ---- Appending ----

export const appending: readonly Case[] = [
  {
    name: "append: a session begins with its first entry, and sequence numbers ascend from 1",
    async check(storage) {
      const store = await storage.open();
      same((await store.read(KEY)).info, undefined, "the session before its first entry");
      same(await store.append(KEY, messages("a")), appended(1, 1), "the first append");
      same(await store.append(KEY, messages("b", "c")), appended(2, 3), "the second append");
      same(await textsOf(store, KEY), ["a", "b", "c"], "the entries in the order in which they were appended");
      same(await seqsOf(store, KEY), [1, 2, 3], "their sequence numbers");
    },
  },
  {
    name: "append: a session's head matches its entries",
    async check(storage) {
      const store = await storage.open();
      const before = Date.now();
      await store.append(KEY, messages("a"));
      const first = await infoOf(store, KEY);
      same(first.key, KEY, "the key");
      ensure(typeof first.id === "string" && first.id !== "", `an id was expected, found ${show(first.id)}`);
      const { createdAtMs, updatedAtMs } = first;
      ensure(
        before <= createdAtMs && createdAtMs <= updatedAtMs && updatedAtMs <= Date.now(),
        `times from ${before} to ${Date.now()} were expected, found ${createdAtMs} and ${updatedAtMs}`,
      );
      await store.append(KEY, [summary("b")]);
      const second = await infoOf(store, KEY);
      same(second.id, first.id, "the id after a further append");
      same(second.createdAtMs, createdAtMs, "when it began, after a further append");
      ensure(
        second.updatedAtMs >= updatedAtMs,
        `an update at ${updatedAtMs} or later was expected, found ${second.updatedAtMs}`,
      );
      const other = await store.append("other", messages("a"));
      same(other, appended(1, 1), "the first append to another session");
      const { id } = await infoOf(store, "other");
      ensure(id !== first.id, `different ids were expected for two sessions, found ${show(id)} for both`);
    },
  },
  {
    name: "append: all fields are returned, and latestTimeMs is the latest time so far",
    async check(storage) {
      const store = await storage.open();
      const entries: NewEntry[] = [
        { type: "session", data: { version: 1 } },
        { type: "message", id: "m", timeMs: 1_700_000_000_000.5, data: { role: "user", content: "Hi" } },
        { type: "summary", id: "s", timeMs: 5, pinned: true, data: "so far" },
        { type: "failure", data: [1, null, true] },
        { type: "build", timeMs: 1_700_000_000_001, data: null },
        { type: "other", id: "", timeMs: 0, data: false },
      ];
      const latest = [
        undefined,
        1_700_000_000_000.5,
        1_700_000_000_000.5,
        1_700_000_000_000.5,
        1_700_000_000_001,
        1_700_000_000_001,
      ];
      await store.append(KEY, entries.slice(0, 3));
      await store.append(KEY, entries.slice(3));
      same(
        await entriesOf(store, KEY),
        entries.map((entry, index) => ({ ...entry, seq: index + 1, latestTimeMs: latest[index] })),
        "the entries",
      );
      const head = (await infoOf(store, KEY)).logs.transcript;
      same(head.latestTimeMs, 1_700_000_000_001, "the latest time of the log");
      sameHead(
        head,
        {
          lastSeq: 6,
          lastMessageSeq: 2,
          counts: { session: 1, message: 1, summary: 1, failure: 1, build: 1, other: 1 },
          pinnedCount: 1,
          untimedCount: 0,
          removals: 0,
          latestTimeMs: 1_700_000_000_001,
        },
        "the log",
      );
      await store.append("negative", [
        { type: "message", timeMs: -5, data: 1 },
        { type: "message", timeMs: -7, data: 1 },
      ]);
      const times = (await entriesOf(store, "negative")).map(({ timeMs, latestTimeMs }) => [timeMs, latestTimeMs]);
      same(
        times,
        [
          [-5, -5],
          [-7, -5],
        ],
        "times before 1970",
      );
    },
  },
  {
    name: "append: missing fields stay absent",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, [{ type: "message", data: "a" }]);
      const [entry] = await entriesOf(store, KEY);
      const present = Object.entries(entry ?? {}).filter(([, value]) => value !== undefined);
      same(
        present.map(([name]) => name).sort(),
        ["data", "seq", "type"],
        "the fields of an entry with nothing else set",
      );
    },
  },
  {
    name: "append: each log has its own sequence and head",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("a", "b"));
      same(await store.append(KEY, [build("x")], { log: "builds" }), appended(1, 1), "the first append to the builds");
      same(await store.append(KEY, messages("c")), appended(3, 3), "a further append to the transcript");
      same(await store.append(KEY, [build("y")], { log: "builds" }), appended(2, 2), "a further append to the builds");
      same(await textsOf(store, KEY), ["a", "b", "c"], "the transcript");
      same(await textsOf(store, KEY, { log: "transcript" }), ["a", "b", "c"], "the transcript, by its name");
      same(await textsOf(store, KEY, { log: "builds" }), ["x", "y"], "the builds");
      const { logs } = await infoOf(store, KEY);
      sameHead(logs.transcript, headWith({ lastSeq: 3, lastMessageSeq: 3, counts: { message: 3 }, untimedCount: 3 }));
      sameHead(logs.builds, headWith({ lastSeq: 2, counts: { build: 2 } }));
      same(
        await store.append("b", [build("z")], { log: "builds" }),
        appended(1, 1),
        "a session that begins with a build",
      );
      sameHead((await infoOf(store, "b")).logs.transcript, headWith({}));
    },
  },
  {
    name: "append: an empty list is refused, and begins no session",
    async check(storage) {
      const store = await storage.open();
      await fails(store.append(KEY, []), ["INVALID_SESSION"], "appending nothing");
      same((await store.read(KEY)).info, undefined, "the session after it");
      same(await store.sessions(), [], "the sessions after it");
    },
  },
  {
    name: "append: if one entry can't be stored, none is",
    async check(storage) {
      const store = await storage.open();
      const broken = {
        get content(): string {
          throw new Error("This cannot be read.");
        },
      };
      const entries = [...messages("b", "c"), { type: "message", data: broken } as const];
      await fails(
        store.append("new", entries, { operationId: "o" }),
        undefined,
        "appending an entry that throws when it is read",
      );
      same(await store.sessions(), [], "the sessions after the first append failed");
      await store.append(KEY, messages("a"));
      const info = await infoOf(store, KEY);
      await fails(
        store.append(KEY, entries, { operationId: "o" }),
        undefined,
        "appending an entry that throws when it is read",
      );
      await fails(
        store.append(KEY, entries, { replacesSeq: 1 }),
        undefined,
        "replacing an entry with one that throws when it is read",
      );
      same(await textsOf(store, KEY), ["a"], "the entries after the append failed");
      same(await infoOf(store, KEY), info, "the session after the append failed");
      same(
        await store.append(KEY, messages("d"), { operationId: "o" }),
        appended(2, 2),
        "the next append of the same operation",
      );
    },
  },
  {
    name: "append: an invalid entry is refused, together with the whole append",
    async check(storage) {
      const store = await storage.open();
      const none: unknown[] = [
        { type: "message" },
        { type: "message", data: undefined },
        { type: "message", data: () => "a" },
        { type: "reply", data: "a" },
        { data: "a" },
        { type: "message", id: 7, data: "a" },
        { type: "message", timeMs: Number.NaN, data: "a" },
        { type: "message", timeMs: "2024-01-01", data: "a" },
      ];
      for (const entry of none as NewEntry[]) {
        const what = `appending ${show(entry)}`;
        await fails(store.append(KEY, [...messages("a"), entry]), ["INVALID_SESSION"], what);
      }
      same(await store.sessions(), [], "the sessions");
    },
  },
];

// ---- Operations ----

export const operations: readonly Case[] = [
  {
    name: "operationId: a repeated operation isn't appended again, and returns its first result",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("a"));
      same(await store.append(KEY, messages("b", "c"), { operationId: "o" }), appended(2, 3), "the operation");
      await store.append(KEY, messages("d"));
      const info = await infoOf(store, KEY);
      const again: [string, readonly NewEntry[], AppendOptions][] = [
        ["the same", messages("b", "c"), {}],
        ["with other entries", messages("x"), {}],
        ["with no entries", [], {}],
        ["with another expectedSeq", messages("b", "c"), { expectedSeq: 1 }],
        ["with another replacesSeq", messages("b", "c"), { replacesSeq: 1 }],
        ["with a valid replacesSeq", messages("b", "c"), { replacesSeq: 4 }],
      ];
      for (const [what, entries, options] of again) {
        const found = await store.append(KEY, entries, { ...options, operationId: "o" });
        same(found, { firstSeq: 2, lastSeq: 3, isRepeated: true }, `the operation again, ${what}`);
      }
      same(await textsOf(store, KEY), ["a", "b", "c", "d"], "the entries");
      same(await infoOf(store, KEY), info, "the session");
      const named = (await entriesOf(store, KEY)).map(({ operationId }) => operationId);
      same(named, [undefined, "o", "o", undefined], "the operations of the entries");
    },
  },
  {
    name: "operationId: it applies to one session and one log",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("a", "b"), { operationId: "o" });
      const builds = await store.append(KEY, [build("x")], { operationId: "o", log: "builds" });
      same(builds, appended(1, 1), "the same operation in the other log");
      same(await store.append("other", messages("c"), { operationId: "o" }), appended(1, 1), "and in another session");
      const again = await store.append(KEY, [build("x")], { operationId: "o", log: "builds" });
      same(again, { firstSeq: 1, lastSeq: 1, isRepeated: true }, "the operation of the other log again");
    },
  },
  {
    name: "operationId: any two texts are distinguished",
    async check(storage) {
      const store = await storage.open();
      for (const [index, operationId] of ODD_TEXTS.entries()) {
        const first = await store.append(KEY, messages(`${index}`), { operationId });
        same(first, appended(index + 1, index + 1), `the operation ${show(operationId)}`);
      }
      for (const [index, operationId] of ODD_TEXTS.entries()) {
        const again = await store.append(KEY, messages("again"), { operationId });
        const expected = { firstSeq: index + 1, lastSeq: index + 1, isRepeated: true };
        same(again, expected, `the operation ${show(operationId)} again`);
      }
      same(
        (await entriesOf(store, KEY)).map(({ operationId }) => operationId),
        ODD_TEXTS,
        "the operations of the entries",
      );
    },
  },
  {
    name: "operationId: it is remembered as long as one of its entries exists",
    async check(storage) {
      const store = await storage.open();
      const given = { firstSeq: 1, lastSeq: 4, isRepeated: true };
      const append = (): Promise<AppendResult> => store.append(KEY, messages("a", "b", "c", "d"), { operationId: "o" });
      await append();
      await store.trim(KEY, 2);
      same(await append(), given, "the operation again after its first entry was trimmed");
      await store.append(KEY, messages("e"), { replacesSeq: 4 });
      same(await append(), given, "and after its last entry was replaced");
      await store.trim(KEY, 4, { keepSeqs: [3] });
      same(await append(), given, "and when one entry is left");
      await store.trim(KEY, 4);
      same(await append(), appended(6, 9), "and after the last of its entries is gone");
      await store.remove(KEY);
      same(await append(), appended(1, 4), "and after the session was removed");
    },
  },
];

// ---- Conflicts ----

export const conflicts: readonly Case[] = [
  {
    name: "expectedSeq: an append fails if another came first, and leaves nothing",
    async check(storage) {
      const store = await storage.open();
      await fails(
        store.append(KEY, messages("x"), { expectedSeq: 1 }),
        ["STORE_CONFLICT"],
        "expecting 1 for an empty log",
      );
      same(await store.sessions(), [], "the sessions after it");
      same(await store.append(KEY, messages("a"), { expectedSeq: 0 }), appended(1, 1), "expecting an empty log");
      same(await store.append(KEY, messages("b"), { expectedSeq: 1 }), appended(2, 2), "expecting 1");
      const info = await infoOf(store, KEY);
      for (const expectedSeq of [0, 1, 3]) {
        await fails(
          store.append(KEY, messages("x"), { expectedSeq, operationId: "o" }),
          ["STORE_CONFLICT"],
          `expecting ${expectedSeq} of a log that ends with 2`,
        );
      }
      same(await textsOf(store, KEY), ["a", "b"], "the entries");
      same(await infoOf(store, KEY), info, "the session");
      const retried = await store.append(KEY, messages("c"), { expectedSeq: 2, operationId: "o" });
      same(retried, appended(3, 3), "the failed operation with the right expectation");
      const builds = await store.append(KEY, [build("x")], { expectedSeq: 0, log: "builds" });
      same(builds, appended(1, 1), "expecting an empty log of builds");
      await store.trim(KEY, Infinity);
      await fails(
        store.append(KEY, messages("x"), { expectedSeq: 0 }),
        ["STORE_CONFLICT"],
        "expecting 0 for a log whose entries were all trimmed",
      );
      same(await store.append(KEY, messages("d"), { expectedSeq: 3 }), appended(4, 4), "expecting 3 of it");
    },
  },
  {
    name: "expectedSeq: only one of several with the same expectation succeeds",
    async check(storage) {
      const [first, second] = [await storage.open(), await storage.open()];
      for (let expectedSeq = 0; expectedSeq < 10; expectedSeq += 1) {
        const results = await Promise.allSettled(
          [first, second, first, second].map((store, index) =>
            store.append(KEY, messages(`${index}`), { expectedSeq }),
          ),
        );
        const won = results.filter(({ status }) => status === "fulfilled");
        same(won.length, 1, `how many of 4 appends that expect ${expectedSeq} were made`);
        for (const result of results) {
          if (result.status === "rejected") {
            await fails(Promise.reject(result.reason), ["STORE_CONFLICT"], "the append that came later");
          }
        }
      }
      same(await seqsOf(first, KEY), upTo(10), "the sequence numbers");
    },
  },
  {
    name: "rewrites: entries are replaced in place together with the append, or nothing changes",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, [
        { type: "message", data: "a", id: "a", timeMs: 1 },
        { type: "message", data: "b", id: "b", timeMs: 9, pinned: true },
        { type: "message", data: "c", id: "c" },
      ]);
      const rewrites = {
        entries: [
          { seq: 2, type: "message", data: "B", id: "B", timeMs: 4 },
          { seq: 3, type: "left", data: { was: "c" } },
        ],
        lastMessageSeq: 2,
      } as const;
      const edited = await store.append(KEY, [{ type: "left", data: { was: "b" } }], {
        rewrites,
        expectedSeq: 3,
        operationId: "edit",
      });
      same(edited, appended(4, 4), "its result");
      const found = (await entriesOf(store, KEY)).map(({ seq, type, data, id, timeMs, latestTimeMs, pinned }) => {
        return [seq, type, data, id, timeMs, latestTimeMs, pinned];
      });
      same(
        found,
        [
          [1, "message", "a", "a", 1, 1, undefined],
          [2, "message", "B", "B", 4, 9, undefined],
          [3, "left", { was: "c" }, undefined, undefined, 9, undefined],
          [4, "left", { was: "b" }, undefined, undefined, 9, undefined],
        ],
        "the entries",
      );
      same(
        (await store.get(KEY, ["b", "c", "B"])).map(({ seq }) => seq),
        [2],
        "the entries found by their ids",
      );
      const messagesOf = await store.read(KEY, { types: ["message"], order: "descending" });
      same(
        messagesOf.entries.map(({ seq }) => seq),
        [2, 1],
        "the messages, newest first",
      );
      same((await store.read(KEY, { pinned: true })).entries.length, 0, "the pinned entries");
      sameHead(
        (await infoOf(store, KEY)).logs.transcript,
        headWith({ lastSeq: 4, lastMessageSeq: 2, counts: { message: 2, left: 2 }, latestTimeMs: 9, removals: 1 }),
      );
      const again = await store.append(KEY, messages("x"), { rewrites, expectedSeq: 3, operationId: "edit" });
      same(again, { firstSeq: 4, lastSeq: 4, isRepeated: true }, "the same operation again");
      same(await store.append(KEY, messages("d"), { expectedSeq: 4 }), appended(5, 5), "an append after it");
      same((await infoOf(store, KEY)).logs.transcript.lastMessageSeq, 5, "the newest message after that");

      const before = await entriesOf(store, KEY);
      const rewrite = (entries: Rewrites["entries"], lastMessageSeq: number, expectedSeq?: number): Promise<unknown> =>
        store.append(KEY, [{ type: "left", data: 1 }], {
          rewrites: { entries, lastMessageSeq },
          ...(expectedSeq === undefined ? {} : { expectedSeq }),
        });
      const gone = [{ seq: 7, type: "message", data: "x" }] as const;
      await fails(rewrite(gone, 5, 5), ["STORE_CONFLICT"], "rewriting an entry that is not there");
      await fails(rewrite(rewrites.entries, 5, 4), ["STORE_CONFLICT"], "rewriting a log with another end");
      await fails(rewrite(rewrites.entries, 3, 5), ["STORE_CONFLICT"], "a newest message that isn't a message");
      await fails(rewrite(rewrites.entries, 2), ["INVALID_SESSION"], "rewriting without expectedSeq");
      same(await entriesOf(store, KEY), before, "the entries after the failed calls");
    },
  },
  {
    name: "replacesSeq: the newest message is removed, and its replacement appended",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, [
        { type: "message", data: "a", timeMs: 1 },
        { type: "message", data: "b", id: "b", timeMs: 9, pinned: true },
        { type: "other", data: "o" },
      ]);
      same(await store.append(KEY, messages("B"), { replacesSeq: 2 }), appended(4, 4), "replacing entry 2");
      same(await textsOf(store, KEY), ["a", "o", "B"], "the entries");
      same(await store.get(KEY, ["b"]), [], "the entry found by the id of the replaced one");
      sameHead(
        (await infoOf(store, KEY)).logs.transcript,
        headWith({
          lastSeq: 4,
          lastMessageSeq: 4,
          counts: { message: 2, other: 1 },
          untimedCount: 1,
          latestTimeMs: 9,
        }),
      );
      const several = await store.append(KEY, messages("C", "D"), { replacesSeq: 4, operationId: "o", expectedSeq: 4 });
      same(several, appended(5, 6), "replacing entry 4 by two");
      const entries = (await entriesOf(store, KEY)).map(({ seq, data, replacesSeq, latestTimeMs }) => [
        seq,
        data,
        replacesSeq,
        latestTimeMs,
      ]);
      same(
        entries,
        [
          [1, "a", undefined, 1],
          [3, "o", undefined, 9],
          [5, "C", 2, 9],
          [6, "D", undefined, 9],
        ],
        "sequence number, data, first replaced number and latest time of the entries",
      );
      const again = await store.append(KEY, messages("C", "D"), { replacesSeq: 4, operationId: "o", expectedSeq: 4 });
      same(again, { firstSeq: 5, lastSeq: 6, isRepeated: true }, "the same operation again");
      same(await textsOf(store, KEY), ["a", "o", "C", "D"], "the entries after it");
    },
  },
  {
    name: "replacesSeq: only the newest message can be replaced, and a failed append leaves nothing",
    async check(storage) {
      const store = await storage.open();
      const refused = async (replacesSeq: number, what: string, log: LogName = "transcript"): Promise<void> => {
        await fails(store.append(KEY, messages("x"), { replacesSeq, log }), ["STORE_CONFLICT"], what);
      };
      await refused(0, "replacing entry 0 of an empty log");
      await refused(1, "replacing an entry of an empty log");
      same(await store.sessions(), [], "the sessions after it");
      await store.append(KEY, [...messages("a", "b"), summary("s")]);
      const info = await infoOf(store, KEY);
      await refused(0, "replacing entry 0");
      await refused(1, "replacing an older message");
      await refused(3, "replacing a summary");
      await refused(4, "replacing an entry that doesn't exist yet");
      await refused(2, "replacing a message in the other log", "builds");
      await fails(
        store.append(KEY, messages("x"), { replacesSeq: 2, expectedSeq: 2 }),
        ["STORE_CONFLICT"],
        "replacing the newest message while expecting another end",
      );
      same(await textsOf(store, KEY), ["a", "b", "s"], "the entries");
      same(await infoOf(store, KEY), info, "the session");
      const noMessage = store.append(KEY, [summary("S")], { replacesSeq: 2 });
      await fails(noMessage, ["INVALID_SESSION"], "replacing a message by an entry that isn't one");
      same(await textsOf(store, KEY), ["a", "b", "s"], "the entries after it");
      await store.append(KEY, messages("B"), { replacesSeq: 2 });
      await refused(2, "replacing a message that was already replaced");
      await store.trim(KEY, 5);
      await refused(4, "replacing a trimmed message");
      await store.append(KEY, messages("c"));
      await store.append(KEY, messages("d"));
      await store.trim(KEY, 7, { keepSeqs: [5] });
      same(
        await store.append(KEY, messages("C"), { replacesSeq: 5 }),
        appended(7, 7),
        "replacing the newest remaining message",
      );
      same(await textsOf(store, KEY), ["C"], "the entries after it");
    },
  },
  {
    name: "replacesSeq: a reply that is replaced many times keeps its last state",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("question", "0"));
      for (let part = 1; part <= 40; part += 1) {
        await store.append(KEY, messages(`${part}`), { replacesSeq: part + 1, operationId: `part ${part}` });
      }
      same(await textsOf(store, KEY), ["question", "40"], "the entries");
      same(await seqsOf(store, KEY), [1, 42], "their sequence numbers");
      sameHead(
        (await infoOf(store, KEY)).logs.transcript,
        headWith({ lastSeq: 42, lastMessageSeq: 42, counts: { message: 2 }, untimedCount: 2 }),
      );
    },
  },
];

// ---- Copies ----

export const copies: readonly Case[] = [
  {
    name: "data: entries read are deeply equal to those appended",
    async check(storage) {
      const store = await storage.open();
      await store.append(
        KEY,
        ODD_DATA.map((data) => ({ type: "message", data })),
      );
      for (const data of ODD_DATA) {
        await store.append(KEY, [{ type: "other", data }], { log: "builds" });
      }
      for (const log of LOGS) {
        const entries = await entriesOf(store, KEY, { log });
        for (const [index, data] of ODD_DATA.entries()) {
          same(entries[index]?.data, data, `the data ${show(data)} in the ${log}`);
        }
      }
      const polluted = ({} as Record<string, unknown>).polluted;
      same(polluted, undefined, "properties that data added to the prototype of all objects");
    },
  },
  {
    name: "data: changing appended or read objects doesn't change the store",
    async check(storage) {
      const store = await storage.open();
      const data = { list: [1, { text: "a" }] };
      const entry = { type: "message" as EntryType, id: "m", data };
      const entries = [entry];
      const options = { operationId: "o" };
      const appending = store.append(KEY, entries, options);
      const change = (found: { list: unknown[] }): void => {
        found.list[1] = "changed";
        found.list.push("changed");
      };
      // Entries may change before the append ends: a reply that is being written goes on.
      change(data);
      Object.assign(entry, { type: "other", id: "changed" });
      entries.push(entry);
      options.operationId = "changed";
      await appending;
      change(data);
      const expected = [{ seq: 1, type: "message", id: "m", operationId: "o", data: { list: [1, { text: "a" }] } }];
      same(await entriesOf(store, KEY), expected, "the entries after the appended objects were changed");
      for (const found of [...(await entriesOf(store, KEY)), ...(await store.get(KEY, ["m"]))]) {
        harmlessly(() => change(found.data as unknown as { list: unknown[] }));
        harmlessly(() => Object.assign(found, { seq: 9, id: "changed" }));
      }
      same(await entriesOf(store, KEY), expected, "the entries after the read objects were changed");
      same(await store.get(KEY, ["m"]), expected, "the entries from get after the objects it returned were changed");
      const info = await infoOf(store, KEY);
      const before = structuredClone(info);
      for (const found of [info, ...(await store.sessions())]) {
        harmlessly(() => Object.assign(found.logs.transcript.counts, { message: 7 }));
        harmlessly(() => Object.assign(found.logs.transcript, { lastSeq: 7 }));
        harmlessly(() => Object.assign(found, { key: "changed", id: "changed" }));
      }
      same(await infoOf(store, KEY), before, "the session after the read object was changed");
      same(await store.sessions(), [before], "the sessions after they were changed");
      same(await store.append(KEY, messages("b")), appended(2, 2), "the next append");
    },
  },
  {
    name: "derived: changing written or read bytes doesn't change the store",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("a"));
      const large = bytes(0, 1, 2, 3, 4, 5);
      const values = new Map<string, Uint8Array | undefined>([["a", large.subarray(2, 4)]]);
      const writing = store.derived.write(KEY, values);
      large.fill(9);
      values.set("b", bytes(1));
      await writing;
      large.fill(9);
      same(
        bytesOf(await store.derived.read(KEY, ["a", "b"])),
        [["a", [2, 3]]],
        "the value after the written bytes were changed",
      );
      const found = await store.derived.read(KEY, ["a"]);
      found.get("a")?.fill(9);
      same(
        bytesOf(await store.derived.read(KEY, ["a"])),
        [["a", [2, 3]]],
        "the value after the read bytes were changed",
      );
      const buffer = found.get("a")?.buffer as ArrayBuffer;
      same(buffer.byteLength, 2, "the size of a read value's buffer");
    },
  },
];

// ---- Large ----

export const large: readonly Case[] = [
  {
    name: "append: accepts 5,000 entries in one call",
    async check(storage) {
      const store = await storage.open();
      const texts = upTo(5000).map((index) => `text ${index}`);
      const entries = texts.map(
        (data, index): NewEntry => ({ type: "message", id: `${index + 1}`, timeMs: index, data }),
      );
      same(await store.append(KEY, entries, { operationId: "o" }), appended(1, 5000), "the append");
      same(await textsOf(store, KEY), texts, "the entries");
      same(await textsOf(store, KEY, { limit: 2, order: "descending" }), ["text 5000", "text 4999"], "the last two");
      same(
        (await store.get(KEY, ["2500"])).map(({ seq }) => seq),
        [2500],
        "one of them, found by its id",
      );
      const again = await store.append(KEY, entries, { operationId: "o" });
      same(again, { firstSeq: 1, lastSeq: 5000, isRepeated: true }, "the append again");
      sameHead(
        (await infoOf(store, KEY)).logs.transcript,
        headWith({ lastSeq: 5000, lastMessageSeq: 5000, counts: { message: 5000 }, latestTimeMs: 4999 }),
      );
    },
  },
  {
    name: "append: accepts a text of one megabyte",
    async check(storage) {
      const store = await storage.open();
      const text = "a".repeat(1_048_576);
      await store.append(KEY, [{ type: "message", id: "m", data: { content: text } }, ...messages("b")]);
      for (const found of [await entriesOf(store, KEY, { limit: 1 }), await store.get(KEY, ["m"])]) {
        const { content } = (found[0]?.data ?? {}) as { content?: string };
        ensure(content === text, `the text of ${text.length} characters was expected, found one of ${content?.length}`);
      }
    },
  },
];
