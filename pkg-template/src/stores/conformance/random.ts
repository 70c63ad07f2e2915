// Random calls, compared with a model that only implements the contract.

import type {
  AppendOptions,
  AppendResult,
  Entry,
  EntryType,
  LogHead,
  LogName,
  NewEntry,
  ReadRange,
  TranscriptStore,
} from "../contract.js";
import type { Case } from "./case.js";
import { same, show, withoutUndefined } from "./checks.js";
import { appended, bytes, bytesOf, LOGS, type Random, randomOf, sameHead, upTo } from "./samples.js";

export const randomly: readonly Case[] = upTo(6).map((seed) => ({
  name: `any sequence of calls does what a plain list would do (seed ${seed})`,
  async check(storage) {
    const random = randomOf(seed);
    const stores = [await storage.open(), await storage.open()];
    const model = new Model();
    const done: string[] = [];
    for (let step = 0; step < 100; step += 1) {
      if (storage.isPersistent && random.chance(0.02)) {
        const place = random.below(stores.length);
        await stores[place]?.close();
        stores[place] = await storage.open();
        done.push("reopen");
      }
      const call = randomCall(random, model);
      done.push(show(call));
      const what = `step ${step} of seed ${seed}, after ${done.slice(-6).join(", ")}`;
      const expected = model.make(call);
      const found = await make(random.pick(stores), call);
      same(found, expected, `the result of the call at ${what}`);
      for (const key of step % 10 === 9 ? MODEL_KEYS : [call.key]) {
        await model.compare(random.pick(stores), key, random, what);
      }
      const listed = (await random.pick(stores).sessions()).map(({ key }) => key);
      same(listed, model.keys(), `the sessions at ${what}`);
    }
  },
}));

const MODEL_KEYS = ["a", "A", "a\0"] as const;
const MODEL_IDS = ["m", "M", ""] as const;

type StoreCall =
  | {
      readonly call: "append";
      readonly key: string;
      readonly entries: readonly NewEntry[];
      readonly options: AppendOptions;
    }
  | {
      readonly call: "trim";
      readonly key: string;
      readonly beforeSeq: number;
      readonly log: LogName;
      readonly keepSeqs: number[];
    }
  | {
      readonly call: "write";
      readonly key: string;
      readonly values: readonly (readonly [string, number | undefined])[];
    }
  | { readonly call: "remove"; readonly key: string };

function randomCall(random: Random, model: Model): StoreCall {
  const key = random.pick(MODEL_KEYS);
  const log = random.pick<LogName>(["transcript", "transcript", "transcript", "builds"]);
  const { lastSeq, lastMessageSeq } = model.head(key, log);
  const kind = random.below(20);
  const rows = model.rows(key, log);
  if (kind === 13 && rows.length > 0) {
    const entries = rows
      .filter(() => random.chance(0.3))
      .map(({ seq }) => ({ seq, type: random.pick<EntryType>(["message", "left"]), data: random.below(1000) }));
    const typeOf = ({ seq, type }: Entry): EntryType => entries.find((entry) => entry.seq === seq)?.type ?? type;
    const newest = rows.findLast((row) => typeOf(row) === "message")?.seq ?? 0;
    return {
      call: "append",
      key,
      entries: [{ type: "left", data: random.below(1000) }],
      options: { log, expectedSeq: lastSeq, rewrites: { entries, lastMessageSeq: newest } },
    };
  }
  if (kind < 14) {
    return {
      call: "append",
      key,
      entries: Array.from({ length: random.pick([0, 1, 1, 1, 2, 3]) }, () => ({
        // Only a message can replace a message.
        type: kind < 4 ? "message" : random.pick<EntryType>(["message", "message", "summary", "failure", "other"]),
        data: random.below(1000),
        ...(random.chance(0.4) ? { id: random.pick(MODEL_IDS) } : {}),
        ...(random.chance(0.5) ? { timeMs: random.below(100) } : {}),
        ...(random.chance(0.2) ? { pinned: true as const } : {}),
      })),
      options: {
        log,
        ...(random.chance(0.4) ? { operationId: `${random.below(12)}` } : {}),
        ...(random.chance(0.2) ? { expectedSeq: Math.max(lastSeq - random.pick([0, 0, 0, 1]), 0) } : {}),
        ...(kind < 4 ? { replacesSeq: random.pick([lastMessageSeq, lastMessageSeq, lastMessageSeq, lastSeq]) } : {}),
      },
    };
  }
  if (kind < 17) {
    const keepSeqs = upTo(lastSeq).filter(() => random.chance(0.2));
    return {
      call: "trim",
      key,
      log,
      beforeSeq: Math.max(random.pick([lastSeq - 5, lastSeq - 1, lastSeq, 1, 10 ** 9]), 0),
      keepSeqs,
    };
  }
  if (kind < 19) {
    const value = (): number | undefined => random.pick([random.below(256), undefined]);
    return {
      call: "write",
      key,
      values: [
        ...new Map([
          [random.pick(["x", "y"]), value()],
          ["z", value()],
        ]),
      ],
    };
  }
  return random.chance(0.4) ? { call: "remove", key } : { call: "trim", key, log, beforeSeq: 0, keepSeqs: [] };
}

/** Makes a call and returns its result, or the code of its failure. */
async function make(store: TranscriptStore, call: StoreCall): Promise<unknown> {
  try {
    switch (call.call) {
      case "append":
        return await store.append(call.key, call.entries, call.options);
      case "trim":
        return await store.trim(call.key, call.beforeSeq, { log: call.log, keepSeqs: call.keepSeqs });
      case "write": {
        const values = call.values.map(([name, value]) => [name, value === undefined ? value : bytes(value)] as const);
        return await store.derived.write(call.key, new Map(values));
      }
      case "remove":
        return await store.remove(call.key);
    }
  } catch (failure) {
    return (failure as { code?: unknown }).code ?? failure;
  }
}

interface ModelLog {
  rows: Entry[];
  lastSeq: number;
  latestTimeMs: number | undefined;
  removals: number;
  operations: Map<string, AppendResult>;
}

/** A store as plain lists, which only implements the contract. */
class Model {
  readonly #sessions = new Map<string, { logs: Record<LogName, ModelLog>; derived: Map<string, number> }>();

  keys(): string[] {
    return [...this.#sessions.keys()].sort();
  }

  rows(key: string, log: LogName): readonly Entry[] {
    return this.#sessions.get(key)?.logs[log].rows ?? [];
  }

  head(key: string, log: LogName): LogHead {
    const { rows, lastSeq, latestTimeMs, removals } = this.#sessions.get(key)?.logs[log] ?? emptyLog();
    const counts: Partial<Record<EntryType, number>> = {};
    for (const { type } of rows) {
      counts[type] = (counts[type] ?? 0) + 1;
    }
    return {
      lastSeq,
      lastMessageSeq: rows.findLast(({ type }) => type === "message")?.seq ?? 0,
      counts,
      pinnedCount: rows.filter(({ pinned }) => pinned).length,
      untimedCount: rows.filter(({ type, timeMs }) => timeMs === undefined && /^(message|summary)$/.test(type)).length,
      removals,
      ...(latestTimeMs === undefined ? {} : { latestTimeMs }),
    };
  }

  make(call: StoreCall): unknown {
    const session = this.#sessions.get(call.key);
    switch (call.call) {
      case "append":
        return this.#append(call.key, call.entries, call.options);
      case "trim": {
        const log = session?.logs[call.log];
        const left = log?.rows.filter(({ seq }) => seq >= call.beforeSeq || call.keepSeqs.includes(seq)) ?? [];
        const removedCount = (log?.rows.length ?? 0) - left.length;
        if (log !== undefined && removedCount > 0) {
          log.rows = left;
          log.removals += 1;
        }
        return { removedCount };
      }
      case "write":
        for (const [name, value] of call.values) {
          if (value === undefined) {
            session?.derived.delete(name);
          } else {
            session?.derived.set(name, value);
          }
        }
        return undefined;
      case "remove":
        this.#sessions.delete(call.key);
        return undefined;
    }
  }

  #append(key: string, entries: readonly NewEntry[], options: AppendOptions): unknown {
    const { log: name = "transcript", operationId, expectedSeq, replacesSeq } = options;
    const session = this.#sessions.get(key) ?? {
      logs: { transcript: emptyLog(), builds: emptyLog() },
      derived: new Map<string, number>(),
    };
    const log = session.logs[name];
    if (operationId !== undefined && log.rows.some((row) => row.operationId === operationId)) {
      return { ...log.operations.get(operationId), isRepeated: true };
    }
    const newest = log.rows.findLast(({ type }) => type === "message")?.seq;
    if (
      (expectedSeq !== undefined && expectedSeq !== log.lastSeq) ||
      (replacesSeq !== undefined && replacesSeq !== newest)
    ) {
      return "STORE_CONFLICT";
    }
    if (entries.length === 0) {
      return "INVALID_SESSION";
    }
    const { rewrites } = options;
    if (rewrites !== undefined) {
      log.removals += 1;
      log.rows = log.rows.map((row) => {
        const entry = rewrites.entries.find(({ seq }) => seq === row.seq);
        const { latestTimeMs, replacesSeq: first } = row;
        return entry === undefined
          ? row
          : (withoutUndefined({ ...entry, latestTimeMs, replacesSeq: first }) as unknown as Entry);
      });
    }
    const firstSeq = log.lastSeq + 1;
    const replaced = log.rows.find(({ seq }) => seq === replacesSeq);
    for (const entry of entries) {
      log.lastSeq += 1;
      const times = [log.latestTimeMs, entry.timeMs].filter((time) => time !== undefined);
      log.latestTimeMs = times.length === 0 ? undefined : Math.max(...times);
      const row = {
        ...entry,
        seq: log.lastSeq,
        latestTimeMs: log.latestTimeMs,
        operationId,
        replacesSeq: log.lastSeq === firstSeq ? (replaced?.replacesSeq ?? replacesSeq) : undefined,
      };
      log.rows.push(withoutUndefined(row) as unknown as Entry);
    }
    log.rows = log.rows.filter(({ seq }) => seq !== replacesSeq);
    const result = appended(firstSeq, log.lastSeq);
    if (operationId !== undefined) {
      log.operations.set(operationId, result);
    }
    this.#sessions.set(key, session);
    return result;
  }

  /** Compares everything about a session. */
  async compare(store: TranscriptStore, key: string, random: Random, what: string): Promise<void> {
    const session = this.#sessions.get(key);
    const whose = `of the session ${show(key)} at ${what}`;
    for (const log of LOGS) {
      const { entries, info, skipped } = await store.read(key, { log });
      const rows = session?.logs[log].rows ?? [];
      same(entries, rows, `the ${log} ${whose}`);
      same(skipped, [], `the skipped rows ${whose}`);
      same(info?.key, session === undefined ? undefined : key, `the key ${whose}`);
      if (info !== undefined) {
        sameHead(info.logs[log], this.head(key, log), `the head of the ${log} ${whose}`);
      }
      const range: ReadRange = {
        log,
        limit: random.below(4),
        after: random.below(30),
        order: random.pick(["ascending", "descending"]),
        types: random.pick<readonly EntryType[]>([["message"], ["summary", "message"]]),
      };
      const inRange = rows.filter(({ seq, type }) => seq > (range.after ?? 0) && range.types?.includes(type));
      const ordered = range.order === "descending" ? inRange.reverse() : inRange;
      same((await store.read(key, range)).entries, ordered.slice(0, range.limit), `the range ${show(range)} ${whose}`);
    }
    const ids = MODEL_IDS.filter(() => random.chance(0.5));
    const found = session?.logs.transcript.rows.filter(({ id }) => (ids as readonly unknown[]).includes(id)) ?? [];
    same(await store.get(key, ids), found, `the entries with the ids ${show(ids)} ${whose}`);
    const values = [...(session?.derived ?? [])].map(([name, value]) => [name, [value]]).sort();
    same(bytesOf(await store.derived.read(key, ["x", "y", "z"])), values, `the derived values ${whose}`);
  }
}

function emptyLog(): ModelLog {
  return { rows: [], lastSeq: 0, latestTimeMs: undefined, removals: 0, operations: new Map() };
}
