// The messages of a session that `retrieval` may return: those that a build has read, and all older ones in the log.

import { buildContext } from "../context/build.js";
import type { BuiltContext } from "../context/context.js";
import { type Original, type Originals, rowsOf } from "../context/retrieval.js";
import type { AnyMessage } from "../formats/any-message.js";
import { parse } from "../message/read.js";

/** The parts of a session's log that the tool uses. */
interface ReadLog<M> {
  /** Reads messages by their sequence numbers, without secrets. */
  read(seqs: readonly number[]): Promise<ReadonlyMap<number, M>>;
  /** Finds messages about a subject. Returns their sequence numbers, best first. */
  find(query: string, count: number): Promise<readonly number[]>;
}

/** Reasons for leaving out a message only because it was read alone. A build of all messages wouldn't have them. */
const ALONE: ReadonlySet<string> = new Set(["result_without_call", "call_without_result"]);

/** Returns the messages of a session that `retrieval` may return. Without a context, these are all messages. */
export function originalsIn<M extends AnyMessage>(log: ReadLog<M>, context: BuiltContext<M> | undefined): Originals {
  const own = context?.originals();
  /** Returns the rows of messages that the build hasn't read, if its filters let them through. */
  const unread = async (seqs: readonly number[]): Promise<Map<number, readonly Original[]>> => {
    const rows = new Map<number, readonly Original[]>();
    for (const [seq, message] of seqs.length === 0 ? [] : await log.read(seqs)) {
      if (context === undefined || (await isLetThrough(message, context))) {
        rows.set(
          seq,
          rowsOf({ length: 1, numberOf: () => seq, read: () => parse(message, "message", "session_error") }),
        );
      }
    }
    return rows;
  };
  return {
    counting: own?.counting ?? {},
    limit: own?.limit,
    async get(id) {
      const known = await own?.get(id);
      const seq = Number(/^r(\d{1,15})(?:\.\d+)?$/.exec(id)?.[1] ?? 0);
      if (known !== undefined || seq === 0 || own?.partsOf(seq) !== undefined) {
        return known;
      }
      return (await unread([seq])).get(seq)?.find(({ name }) => name === id);
    },
    async find(query, count) {
      const seqs = await log.find(query, count);
      const rows = await unread(seqs.filter((seq) => own?.partsOf(seq) === undefined));
      return seqs.flatMap((seq) => own?.partsOf(seq) ?? rows.get(seq) ?? []);
    },
    shown: (asked) => own?.shown(asked),
  };
}

/** True if the stages `collect` and `filter` of a context let a message through. */
async function isLetThrough<M extends AnyMessage>(message: M, { recording }: BuiltContext<M>): Promise<boolean> {
  const { collect, filter, sessionId, agentId } = recording.config;
  const { trace } = await buildContext([message], { collect, filter, sessionId, agentId, request: null });
  return trace.ranges.every(
    ({ fate, stage, reason }) =>
      fate !== "left out" || ALONE.has(reason) || (stage !== "collect" && stage !== "filter"),
  );
}
