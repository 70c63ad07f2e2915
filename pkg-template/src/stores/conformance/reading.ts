// Cases for reading: ranges, ids, derived values, the list of sessions, and keys that keep all of them apart.

import type { EntryType, LogName, NewEntry, ReadRange, SessionInfo } from "../contract.js";
import type { Case } from "./case.js";
import { ensure, fails, same, show, withoutUndefined } from "./checks.js";
import {
  appended,
  build,
  bytes,
  bytesOf,
  entriesOf,
  infoOf,
  KEY,
  LOGS,
  messages,
  ODD_TEXTS,
  randomOf,
  textsOf,
  unreadable,
  upTo,
} from "./samples.js";

// ---- Reading ----

export const reading: readonly Case[] = [
  {
    name: "read: a missing session has no entries",
    async check(storage) {
      const store = await storage.open();
      const nothing = { entries: [], info: undefined, skipped: [] };
      same(await store.read(KEY), nothing, "a session that does not exist");
      same(await store.read(KEY, { after: 3, limit: 2, types: ["message"], pinned: true }), nothing, "a range of it");
      await store.append(KEY, messages("a"));
      same((await store.read("other")).entries, [], "the entries of another session");
      same((await store.read(KEY, { log: "builds" })).entries, [], "the other log");
      same((await store.read(KEY, { log: "builds" })).info?.key, KEY, "the session, read with its other log");
    },
  },
  {
    name: "read: limits count from the start of the order",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("a", "b", "c", "d"));
      same(await textsOf(store, KEY, { limit: 2 }), ["a", "b"], "the first two, ascending");
      same(await textsOf(store, KEY, { limit: 2, order: "descending" }), ["d", "c"], "the last two, descending");
      same(await textsOf(store, KEY, { order: "descending" }), ["d", "c", "b", "a"], "all, descending");
      same(await textsOf(store, KEY, { limit: 0 }), [], "none");
      same(await textsOf(store, KEY, { limit: Infinity }), ["a", "b", "c", "d"], "any number");
      same(
        await textsOf(store, KEY, { before: 4, limit: 2, order: "descending" }),
        ["c", "b"],
        "the two before the last",
      );
      same(await textsOf(store, KEY, { after: 1, limit: 2 }), ["b", "c"], "the two after the first");
      same(await textsOf(store, KEY, { after: 3, before: 4 }), [], "the entries between two neighbors");
      same(await textsOf(store, KEY, { after: 4, before: 2 }), [], "a range that ends before it begins");
    },
  },
  {
    name: "read: ranges of all kinds return their entries, in both logs, even with gaps",
    async check(storage) {
      const store = await storage.open();
      const random = randomOf(7);
      const types: readonly EntryType[] = [
        "message",
        "message",
        "message",
        "summary",
        "failure",
        "other",
        "session",
        "build",
      ];
      const all: Record<LogName, NewEntry[]> = { transcript: [], builds: [] };
      for (const log of LOGS) {
        for (let index = 0; index < 40; index += 1) {
          const type = random.pick(types);
          all[log].push({ type, data: `${log} ${index}`, ...(random.chance(0.3) ? { pinned: true } : {}) });
        }
        await store.append(KEY, all[log], { log });
        await store.append("other", all[log], { log });
      }
      const gone = new Set([1, 2, 5, 6, 7, 13]);
      await store.trim(KEY, 14, { keepSeqs: upTo(40).filter((seq) => !gone.has(seq)) });
      const ranges: ReadRange[] = Array.from({ length: 300 }, () => {
        const range = {
          log: random.pick([undefined, ...LOGS]),
          after: random.pick([undefined, undefined, 0, 4, 6, 20, 39, 40, 99, Infinity]),
          before: random.pick([undefined, undefined, 0, 1, 5, 8, 21, 40, 41, 99, Infinity]),
          limit: random.pick([undefined, 0, 1, 2, 5, 39, 40, 99]),
          order: random.pick([undefined, "ascending", "descending"] as const),
          types: random.pick<readonly EntryType[] | undefined>([
            undefined,
            undefined,
            [],
            ["message"],
            ["summary"],
            ["message", "summary"],
            ["failure", "message", "message"],
            ["session", "message", "summary", "failure", "build", "other"],
          ]),
          pinned: random.pick([undefined, undefined, true] as const),
          seqs: random.pick([
            undefined,
            undefined,
            undefined,
            [],
            [3],
            [39, 2, 3, 3, 8, 0, 99],
            upTo(40).filter((seq) => seq % 3 > 0),
          ]),
        };
        // Half of the ranges leave out undefined options.
        return (random.chance(0.5) ? withoutUndefined(range) : range) as ReadRange;
      });
      for (const range of ranges) {
        const {
          log = "transcript",
          after = 0,
          before = Infinity,
          limit = Infinity,
          order,
          types: asked,
          pinned,
          seqs = upTo(40),
        } = range;
        const expected = all[log]
          .map((entry, index) => ({ ...entry, seq: index + 1 }))
          .filter(({ seq }) => log === "builds" || !gone.has(seq))
          .filter(({ seq }) => after < seq && seq < before && seqs.includes(seq))
          .filter((entry) => (asked === undefined || asked.includes(entry.type)) && (!pinned || entry.pinned));
        const ordered = (order === "descending" ? expected.reverse() : expected).slice(0, limit);
        const { entries, skipped, info } = await store.read(KEY, range);
        same(entries, ordered, `the range ${show(range)}`);
        same(skipped, [], `the skipped rows in the range ${show(range)}`);
        same(info?.key, KEY, `the session, read with the range ${show(range)}`);
      }
    },
  },
  {
    name: "read, append, trim, sessions: invalid arguments are refused, and nothing is done",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("a", "b"));
      const wrong: readonly unknown[] = [
        ...[-1, 1.5, Number.NaN, "2", null].flatMap((value) => [{ limit: value }, { after: value }, { before: value }]),
        ...[-1, 1.5, Number.NaN, Infinity, "2", null].map((value) => ({ seqs: [1, value] })),
        ...["sideways", "", "Ascending", null].map((order) => ({ order })),
        ...["reply", "", null].map((type) => ({ types: ["message", type] })),
        ...[{ seqs: 1 }, { types: "message" }, { pinned: false }, { log: "messages" }, { log: null }],
        ...[{ Limit: 1 }, { from: 1 }, null, 1, "descending", []],
      ];
      for (const range of wrong) {
        await fails(store.read(KEY, range as ReadRange), ["INVALID_SESSION"], `the range ${show(range)}`);
      }
      const refused = (call: Promise<unknown>, what: string): Promise<void> => fails(call, ["INVALID_SESSION"], what);
      const info = await infoOf(store, KEY);
      for (const seq of [-1, 1.5, Number.NaN, "2", null]) {
        const place = seq as number;
        await refused(store.append(KEY, messages("x"), { expectedSeq: place }), `expecting ${show(seq)}`);
        await refused(store.append(KEY, messages("x"), { replacesSeq: place }), `replacing ${show(seq)}`);
        await refused(store.remove(KEY, { expectedSeq: place }), `removing, expecting ${show(seq)}`);
        await refused(store.trim(KEY, place), `trimming before ${show(seq)}`);
        await refused(store.trim(KEY, 2, { keepSeqs: [place] }), `trimming except ${show(seq)}`);
      }
      const misspelled = { expectdSeq: 7, operation: "o", keep: [1], key: KEY } as object;
      await refused(store.append(KEY, messages("x"), misspelled), "options of an append that are misspelled");
      await refused(store.trim(KEY, 3, misspelled), "options of a trim that are misspelled");
      await refused(store.remove(KEY, misspelled), "options of a removal that are misspelled");
      for (const id of [7, null] as unknown as string[]) {
        await refused(
          store.append(KEY, messages("x"), { expectedId: id }),
          `an append that expects the id ${show(id)}`,
        );
        await refused(store.trim(KEY, 3, { expectedId: id }), `a trim that expects the id ${show(id)}`);
        await refused(store.remove(KEY, { expectedId: id }), `a removal that expects the id ${show(id)}`);
      }
      await refused(store.sessions(misspelled), "a filter of sessions that is misspelled");
      await refused(store.sessions({ keys: [1] as unknown as string[] }), "a key that isn't a text");
      same(await infoOf(store, KEY), info, "the session after all that");
      // Undefined options count as missing.
      same(
        await textsOf(store, KEY, { limit: undefined, order: undefined } as unknown as ReadRange),
        ["a", "b"],
        "any range",
      );
    },
  },
  {
    name: "read: entries and session are from the same moment",
    async check(storage) {
      const [first, second] = [await storage.open(), await storage.open()];
      const check = async (): Promise<void> => {
        const { entries, info } = await first.read(KEY);
        const found = [entries.at(-1)?.seq ?? 0, entries.length];
        const head = info?.logs.transcript;
        same(
          found,
          [head?.lastSeq ?? 0, head?.counts.message ?? 0],
          "last sequence number and count, of the entries and of the session",
        );
      };
      await Promise.all(
        upTo(60).map((index) =>
          index % 2 === 0 ? check() : second.append(KEY, messages(...upTo(1 + (index % 5)).map(String))),
        ),
      );
      await check();
    },
  },
];

// ---- Finding by id ----

export const finding: readonly Case[] = [
  {
    name: "get: returns the transcript's entries with these ids, by sequence number",
    async check(storage) {
      const store = await storage.open();
      same(await store.get(KEY, ["a"]), [], "an id in a session that does not exist");
      await store.append(KEY, [
        { type: "message", id: "b", data: "1" },
        { type: "message", id: "a", data: "2", timeMs: 4, pinned: true },
        { type: "message", data: "3" },
        { type: "summary", id: "b", data: "4" },
      ]);
      await store.append(KEY, [{ type: "build", id: "a", data: "of the builds" }], { log: "builds" });
      await store.append("other", [{ type: "message", id: "a", data: "of another session" }]);
      await store.append(KEY, [{ type: "message", id: "a", data: "5" }], { operationId: "o" });
      const textsOfIds = async (...ids: string[]): Promise<unknown> =>
        (await store.get(KEY, ids)).map(({ data }) => data);
      same(await textsOfIds("a"), ["2", "5"], "the entries of one id");
      same(await textsOfIds("a", "b"), ["1", "2", "4", "5"], "the entries of two ids");
      same(await textsOfIds("b", "a", "b", "c"), ["1", "2", "4", "5"], "the entries for repeated and unknown ids");
      same(await textsOfIds(), [], "the entries of no id");
      same(await textsOfIds("c", "undefined", "null", "A", ""), [], "the entries of unknown ids");
      const [entry] = await store.get(KEY, ["a"]);
      same(entry, (await entriesOf(store, KEY))[1], "an entry that is found, and the same entry that is read");
      await store.trim(KEY, 3);
      same(await textsOfIds("a", "b"), ["4", "5"], "the entries that are left after a trim");
      await store.append(KEY, messages("6"), { replacesSeq: 5 });
      same(await textsOfIds("a", "b"), ["4"], "the entries that are left after the newest was replaced");
      await store.remove(KEY);
      same(await textsOfIds("a", "b"), [], "the entries of a session that was removed");
    },
  },
  {
    name: "get: any text can be an id, any two are distinguished, and there may be many",
    async check(storage) {
      const store = await storage.open();
      await store.append(
        KEY,
        ODD_TEXTS.map((id, index) => ({ type: "message", id, data: `${index}` })),
      );
      for (const [index, id] of ODD_TEXTS.entries()) {
        const found = await store.get(KEY, [id]);
        same(
          found.map((entry) => [entry.id, entry.data]),
          [[id, `${index}`]],
          `the entries of the id ${show(id)}`,
        );
      }
      const many = upTo(1200).map((index) => `id ${index}`);
      await store.append(
        "many",
        many.map((id) => ({ type: "message", id, data: id })),
      );
      const asked = many.filter((_, index) => index % 7 !== 0).reverse();
      const found = (await store.get("many", asked)).map(({ data }) => data);
      same(found, asked.reverse(), "the entries of more than a thousand ids");
    },
  },
];

// ---- Derived ----

export const derived: readonly Case[] = [
  {
    name: "derived: returns the written values of the requested names",
    async check(storage) {
      const store = await storage.open();
      await store.append(KEY, messages("a"));
      const info = await infoOf(store, KEY);
      same(bytesOf(await store.derived.read(KEY, ["a"])), [], "a name that was never written");
      await store.derived.write(
        KEY,
        new Map([
          ["a", bytes(1, 2, 255, 0)],
          ["b", bytes()],
          ["c", bytes(3)],
        ]),
      );
      same(
        bytesOf(await store.derived.read(KEY, ["b", "a", "d", "a"])),
        [
          ["a", [1, 2, 255, 0]],
          ["b", []],
        ],
        "the values of two names, one of them empty",
      );
      same(bytesOf(await store.derived.read(KEY, [])), [], "the values of no name");
      const value = (await store.derived.read(KEY, ["a"])).get("a");
      ensure(value instanceof Uint8Array, `a Uint8Array was expected, found ${show(value)}`);
      await store.derived.write(
        KEY,
        new Map([
          ["a", bytes(9)],
          ["b", undefined],
          ["d", undefined],
        ]),
      );
      const left = [
        ["a", [9]],
        ["c", [3]],
      ];
      same(
        bytesOf(await store.derived.read(KEY, ["a", "b", "c", "d"])),
        left,
        "the values after one was written again and one removed",
      );
      await store.derived.write(KEY, new Map());
      same(await infoOf(store, KEY), info, "the session after values were written");
      same(bytesOf(await store.derived.read(KEY, ["a", "b", "c", "d"])), left, "the values after nothing was written");
    },
  },
  {
    name: "derived: nothing is written for a session that doesn't exist, and values are removed with their session",
    async check(storage) {
      const store = await storage.open();
      same(bytesOf(await store.derived.read(KEY, ["a"])), [], "a name of a session that does not exist");
      await store.derived.write(KEY, new Map([["a", bytes(1)]]));
      same(await store.sessions(), [], "the sessions after it was written for one that does not exist");
      await store.append(KEY, messages("a"));
      same(bytesOf(await store.derived.read(KEY, ["a"])), [], "values written before the session began");
      await store.append("other", messages("a"));
      await store.derived.write(KEY, new Map([["a", bytes(1)]]));
      await store.derived.write("other", new Map([["a", bytes(2)]]));
      const info = await infoOf(store, KEY);
      await store.trim(KEY, Infinity);
      same(bytesOf(await store.derived.read(KEY, ["a"])), [["a", [1]]], "a value after all entries were trimmed");
      same((await infoOf(store, KEY)).updatedAtMs, info.updatedAtMs, "when the session was last appended to");
      await store.remove(KEY);
      same(bytesOf(await store.derived.read(KEY, ["a"])), [], "a value after the session was removed");
      await store.append(KEY, messages("a"));
      same(bytesOf(await store.derived.read(KEY, ["a"])), [], "a value after a new session began");
      same(bytesOf(await store.derived.read("other", ["a"])), [["a", [2]]], "the value of another session");
    },
  },
  {
    name: "derived: values belong to a session and a name, whatever the texts are",
    async check(storage) {
      const store = await storage.open();
      const sessions = ODD_TEXTS.filter((key) => key !== "");
      for (const [index, key] of sessions.entries()) {
        await store.append(key, messages("a"));
        await store.derived.write(key, new Map(ODD_TEXTS.map((name, place) => [name, bytes(index, place)])));
      }
      for (const [index, key] of sessions.entries()) {
        const found = await store.derived.read(key, ODD_TEXTS);
        for (const [place, name] of ODD_TEXTS.entries()) {
          same([...(found.get(name) ?? [])], [index, place], `the value ${show(name)} of the session ${show(key)}`);
        }
        same(found.size, ODD_TEXTS.length, `how many values the session ${show(key)} has`);
      }
    },
  },
  {
    name: "derived: values may be large and many, and all are written or none",
    async check(storage) {
      const [first, second] = [await storage.open(), await storage.open()];
      await first.append(KEY, messages("a"));
      const random = randomOf(3);
      const one = Uint8Array.from({ length: 1_048_576 }, () => random.below(256));
      await first.derived.write(KEY, new Map([["large", one]]));
      const found = (await second.derived.read(KEY, ["large"])).get("large") ?? bytes();
      ensure(
        found.length === one.length && found.every((value, index) => value === one[index]),
        `${one.length} bytes were expected as they were written, found ${found.length} that differ`,
      );
      const names = upTo(150).map((index) => `name ${index}`);
      const write = (value: number): Promise<void> =>
        (value % 2 === 0 ? first : second).derived.write(KEY, new Map(names.map((name) => [name, bytes(value)])));
      await write(0);
      const check = async (): Promise<void> => {
        const values = new Set([...(await first.derived.read(KEY, names)).values()].map(([value]) => value));
        same(values.size, 1, "the number of different values for names that are always written together");
      };
      await Promise.all(upTo(20).map((index) => (index % 3 === 0 ? check() : write(index))));
      same((await first.derived.read(KEY, names)).size, 150, "the number of values");
      const broken = new Map<string, Uint8Array | undefined>(names.map((name) => [name, bytes(200)]));
      broken.set("last", unreadable as unknown as Uint8Array);
      const before = bytesOf(await first.derived.read(KEY, names));
      await fails(first.derived.write(KEY, broken), undefined, "writing an invalid value among valid ones");
      same(bytesOf(await first.derived.read(KEY, names)), before, "the values after it");
    },
  },
];

// ---- Listing sessions ----

export const listing: readonly Case[] = [
  {
    name: "sessions: returns them by key in the order of code units, or only the requested ones",
    async check(storage) {
      const store = await storage.open();
      same(await store.sessions(), [], "the sessions of an empty store");
      same(await store.sessions({ keys: ["a"] }), [], "a session of an empty store");
      const sorted = ["", "A", "B", "a", "a\0", "a\u0001", "a ", "aa", "b", "é", "😀", "\ud83d\ude01", "\ufffd"]
        .filter((key) => key !== "")
        .sort();
      for (const key of [...sorted].reverse()) {
        await store.append(key, messages(key), { log: key === "b" ? "builds" : "transcript" });
      }
      await store.trim("aa", Infinity);
      const keysOf = (infos: readonly SessionInfo[]): string[] => infos.map(({ key }) => key);
      const all = await store.sessions();
      same(keysOf(all), sorted, "the sessions");
      for (const info of all) {
        same(info, await infoOf(store, info.key), `the session ${show(info.key)}, listed and read`);
      }
      same(await store.sessions({}), all, "the sessions, with a filter that asks for nothing");
      same(keysOf(await store.sessions({ keys: ["b", "a", "none", "", "b"] })), ["a", "b"], "two sessions");
      same(await store.sessions({ keys: [] }), [], "no session");
      same(await store.sessions({ keys: ["a"] }), [await infoOf(store, "a")], "one session");
      await store.remove("a");
      same(
        keysOf(await store.sessions()),
        sorted.filter((key) => key !== "a"),
        "the sessions after one was removed",
      );
      same(await store.sessions({ keys: ["a"] }), [], "the session that was removed");
    },
  },
  {
    name: "sessions: supports many sessions",
    async check(storage) {
      const store = await storage.open();
      const many = upTo(300).map((index) => `session ${index}`);
      await Promise.all(many.map((key) => store.append(key, messages(key))));
      same(
        (await store.sessions()).map(({ key }) => key),
        [...many].sort(),
        "the sessions",
      );
      const asked = many.filter((_, index) => index % 3 !== 0);
      const found = (await store.sessions({ keys: asked })).map(({ key }) => key);
      same(found, [...asked].sort(), "the sessions that were asked for");
    },
  },
];

// ---- Keys ----

export const keys: readonly Case[] = [
  {
    name: "keys: every call refuses an invalid key",
    async check(storage) {
      const store = await storage.open();
      const none: unknown[] = ["", "k".repeat(65_537), undefined, null, 7, ["a"], { key: "a" }];
      let ran = 0;
      for (const key of none as string[]) {
        const calls: Record<string, () => Promise<unknown>> = {
          append: () => store.append(key, messages("x")),
          read: () => store.read(key),
          get: () => store.get(key, ["a"]),
          "derived.read": () => store.derived.read(key, ["a"]),
          "derived.write": () => store.derived.write(key, new Map([["a", bytes(1)]])),
          trim: () => store.trim(key, 2),
          remove: () => store.remove(key),
          holding: () =>
            store.holding(key, () => {
              ran += 1;
              return Promise.resolve();
            }),
        };
        for (const [name, call] of Object.entries(calls)) {
          await fails(call(), ["INVALID_SESSION"], `${name} with the key ${show(key)}`);
        }
      }
      same(ran, 0, "how often holding called its callback for an invalid session");
      same(await store.sessions(), [], "the sessions");
      const longest = "k".repeat(65_536);
      same(await store.append(longest, messages("a")), appended(1, 1), "an append with the longest key");
      same(
        (await store.sessions()).map(({ key }) => key.length),
        [65_536],
        "the length of its key",
      );
    },
  },
  {
    name: "keys: every call distinguishes any two texts",
    async check(storage) {
      const store = await storage.open();
      const all = ODD_TEXTS.filter((key) => key !== "");
      for (const [index, key] of all.entries()) {
        const texts = [`${index}`, `${index} again`];
        const entries = texts.map((data): NewEntry => ({ type: "message", id: "m", data }));
        same(await store.append(key, entries, { operationId: "o" }), appended(1, 2), `the append to ${show(key)}`);
        await store.append(key, [build(`${index}`)], { log: "builds" });
      }
      const check = async (index: number, key: string, left: readonly string[]): Promise<void> => {
        const what = `the session ${show(key)}`;
        same(await textsOf(store, key), left, what);
        same((await store.read(key)).info?.key, key, `the key of ${what}`);
        same(
          (await store.get(key, ["m"])).map(({ data }) => data),
          left,
          `the entries found in ${what}`,
        );
        same(await textsOf(store, key, { log: "builds" }), [`${index}`], `the builds of ${what}`);
        same(
          (await store.sessions({ keys: [key] })).map((info) => info.key),
          [key],
          `${what}, listed`,
        );
      };
      const ids = new Set<string>();
      for (const [index, key] of all.entries()) {
        await check(index, key, [`${index}`, `${index} again`]);
        ids.add((await infoOf(store, key)).id);
      }
      same(ids.size, all.length, "the number of session ids");
      same(
        (await store.sessions()).map(({ key }) => key),
        [...all].sort(),
        "the sessions",
      );
      for (const key of all) {
        same(await store.trim(key, 2), { removedCount: 1 }, `trimming the session ${show(key)}`);
        same(await store.trim(key, 2), { removedCount: 0 }, `trimming the session ${show(key)} again`);
      }
      for (const [index, key] of all.entries()) {
        await check(index, key, [`${index} again`]);
      }
      for (const [index, key] of all.entries()) {
        await store.remove(key);
        const rest = all.slice(index + 1);
        same(
          (await store.sessions()).map((info) => info.key),
          [...rest].sort(),
          `the sessions without ${show(key)}`,
        );
        for (const [place, other] of rest.entries()) {
          const left = [`${index + 1 + place} again`];
          same(await textsOf(store, other), left, `the session ${show(other)} without ${show(key)}`);
        }
      }
    },
  },
];
