// assistant-ui: a history adapter that keeps a thread in a session, so that it is there after a reload, and contexts are built from it.

import { type MessageInput, type PartInput, plainMessage, type Session } from "windrow";
import { hook } from "../plug/door.js";

/** A message of a thread with the one before it, as assistant-ui hands it over. */
export interface HistoryItem<M> {
  readonly message: M;
  readonly parentId: string | null;
}

/** How a runtime writes its messages for storage: assistant-ui gives it to `withFormat`. */
export interface HistoryFormat<M, S> {
  readonly format: string;
  encode(item: HistoryItem<M>): S;
  decode(stored: { id: string; parent_id: string | null; format: string; content: S }): HistoryItem<M>;
  getId(message: M): string;
}

/** What `load` gives, and what takes new messages. */
export interface History<M> {
  load(): Promise<{ headId?: string | null; messages: HistoryItem<M>[] }>;
  append(item: HistoryItem<M>): Promise<void>;
  update(item: HistoryItem<M>): Promise<void>;
}

/** A message of assistant-ui's own, as far as it is read. */
export interface ThreadMessageShape {
  readonly id: string;
  readonly role: string;
  readonly createdAt?: Date | undefined;
  readonly content: readonly object[];
}

/** The history adapter: pass it to a runtime as `adapters.history`. */
export interface ThreadHistory {
  load<M = never>(): ReturnType<History<M>["load"]>;
  append<M extends ThreadMessageShape>(item: HistoryItem<M>): Promise<void>;
  update<M extends ThreadMessageShape>(item: HistoryItem<M>): Promise<void>;
  withFormat<M, S extends Record<string, unknown>>(format: HistoryFormat<M, S>): History<M>;
}

/** Where a message of the thread is kept beside what it says. */
interface ThreadPlace {
  readonly format: string;
  readonly parentId: string | null;
  readonly content: unknown;
}

type ThreadRow = MessageInput & { readonly id: string; readonly metadata?: { readonly assistantUi?: ThreadPlace } };

/** assistant-ui's own format, and what `messageShapes` calls the shape of its messages. */
const OWN_FORMAT = "assistant-ui";

/**
 * A history adapter over a session: every message is appended, durable when it resolves, and comes back as it was with its place in
 * the tree of edits. A message that comes twice is kept once. What is said is kept in windrow's form too, so that `session.build`
 * and `session.search` work. All branches are kept in one log: where users edit and regenerate, build from the messages that the
 * runtime shows instead. Fails as the session does.
 */
export function threadHistory(session: Session): ThreadHistory {
  const format: HistoryFormat<ThreadMessageShape, ThreadMessageShape> = {
    format: OWN_FORMAT,
    encode: ({ message }) => message,
    // A log holds plain data: a time is a text there.
    decode: ({ parent_id, content: { createdAt, ...message } }) => ({
      parentId: parent_id,
      message: { ...message, ...(createdAt === undefined ? {} : { createdAt: new Date(createdAt) }) },
    }),
    getId: ({ id }) => id,
  };
  const own = historyOf(session, format, OWN_FORMAT);
  return {
    load: own.load as ThreadHistory["load"],
    append: own.append,
    update: own.update,
    withFormat: (format) => historyOf(session, format),
  };
}

/** A history in a format. Messages whose shape is not named are recognised by what they hold. */
function historyOf<M, S>(session: Session, format: HistoryFormat<M, S>, shape?: string): History<M> {
  const log = session as unknown as Session<ThreadRow>;
  const keptOf = (item: HistoryItem<M>): ThreadRow => {
    const content = format.encode(item);
    const assistantUi = { format: format.format, parentId: item.parentId, content };
    return { ...saidIn(item.message, shape), id: format.getId(item.message), metadata: { assistantUi } };
  };
  const append = async (item: HistoryItem<M>): Promise<void> => {
    const kept = keptOf(item);
    await log.append(kept, { operationId: `assistant-ui:${kept.id}` });
  };
  return {
    append: hook("append", append),
    load: hook("load", async () => {
      const messages = new Map<string, HistoryItem<M>>();
      for (const { id, metadata } of await log.messages()) {
        const assistantUi = metadata?.assistantUi;
        if (assistantUi?.format === format.format) {
          const { parentId, content } = assistantUi;
          messages.set(id, format.decode({ id, parent_id: parentId, format: format.format, content: content as S }));
        }
      }
      return { headId: [...messages.keys()].at(-1) ?? null, messages: [...messages.values()] };
    }),
    update: hook("update", async (item: HistoryItem<M>) => {
      const [newest] = await log.messages({ limit: 1, order: "descending" });
      const kept = keptOf(item);
      if (newest?.id === kept.id) {
        await log.replaceLast(kept);
      } else {
        // The log is never rewritten: the newest of an id holds, in the place of the first.
        await log.append(kept);
      }
    }),
  };
}

/** What a message says, in windrow's form. */
function saidIn(message: unknown, shape: string | undefined): MessageInput {
  const { role, content, createdAt } = plainMessage(message as Parameters<typeof plainMessage>[0], { shape });
  return { role, content: content as readonly PartInput[], createdAt: createdAt ?? null };
}
