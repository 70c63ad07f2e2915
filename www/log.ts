// The log of a kept conversation: where it is kept, and as much of it as a build has read.

import { type BuiltContext, type Format, type MessageInput, openSession, type Session } from "windrow";
import { type IndexedDbStore, indexedDbStore } from "windrow/stores/indexeddb";

/** The database, under the page's own name: an application of the same origin has another one. */
export const DATABASE = "windrow-playground";

/** The page builds with every key that is pressed: only the newest builds are kept. */
const retention = { maxBuilds: 50 };
/** As many as a build reads at first. */
const FIRST_READ = 64;

let rowsRead = 0;

export const store: IndexedDbStore = counting(indexedDbStore({ name: DATABASE }));

/** Opens a kept conversation, or begins one. */
export function openKept(key: string): Promise<Session> {
  return openSession(key, { store, retention });
}

/** A part of a log. */
export interface LogPart {
  readonly messages: readonly MessageInput[];
  /** The sequence number of each message. */
  readonly numbers: readonly number[];
  /** How many messages are not in this part. */
  readonly unreadCount: number;
}

/** A context of a log, with what was read for it. */
export interface KeptContext extends LogPart {
  readonly context: BuiltContext<MessageInput, Format>;
  /** How many rows this build has read; what an earlier one has read it knows. */
  readonly rowsRead: number;
}

/** The newest messages of a log, before there is a build. */
export async function newestPart(session: Session): Promise<LogPart> {
  const messages = (await session.messages({ limit: FIRST_READ, order: "descending" })).toReversed();
  const { message = 0, summary = 0 } = (await session.info())?.logs.transcript.counts ?? {};
  return { ...numbered(session, messages), unreadCount: message + summary - messages.length };
}

/**
 * Builds a context of a session. `known` is what the page has of the log: where the build has read no more, it is given
 * back as it is. Undefined where something was removed meanwhile, so that the build is to be made again.
 */
export async function buildKept(
  session: Session,
  config: Parameters<Session["build"]>[0],
  known: LogPart,
): Promise<KeptContext | undefined> {
  const before = rowsRead;
  const context = await session.build(config);
  const count = rowsRead - before;
  const { recording, trace } = context;
  const messages: MessageInput[] = [];
  for (const [first, last] of recording.read ?? []) {
    const range = { after: Math.max(first, 1) - 1, before: last + 1 };
    messages.push(...(await session.messages(range)), ...(await session.summaries(range)));
  }
  const part = numbered(session, messages);
  if (part.messages.length !== recording.transcript.length) {
    return undefined;
  }
  const isKnown = String(part.numbers) === String(known.numbers);
  return { ...(isKnown ? known : part), unreadCount: trace.unreadCount, context, rowsRead: count };
}

/** Messages in the order of the log. */
function numbered(session: Session, messages: readonly MessageInput[]): Omit<LogPart, "unreadCount"> {
  const rows = messages.map((message) => ({ message, number: session.seqOf(message) ?? 0 }));
  rows.sort((one, other) => one.number - other.number);
  return { messages: rows.map(({ message }) => message), numbers: rows.map(({ number }) => number) };
}

/** A store that says how many rows it has read. */
function counting(counted: IndexedDbStore): IndexedDbStore {
  const read = counted.read.bind(counted);
  const get = counted.get.bind(counted);
  counted.read = async (...asked) => {
    const result = await read(...asked);
    rowsRead += result.entries.length;
    return result;
  };
  counted.get = async (...asked) => {
    const entries = await get(...asked);
    rowsRead += entries.length;
    return entries;
  };
  return counted;
}
