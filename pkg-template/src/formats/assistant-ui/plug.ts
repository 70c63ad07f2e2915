// A history adapter for assistant-ui. It keeps a thread in a session, so the thread survives a reload and contexts can
// be built from it.

import { type MessageInput, type PartInput, plainMessage, type Session } from "windrow";
import { hook } from "../plug/door.js";

/** A message of a thread and the id of the one before it, as assistant-ui passes them. */
export interface HistoryItem<M> {
  readonly message: M;
  readonly parentId: string | null;
}

/** A runtime's storage format for messages, which assistant-ui passes to `withFormat`. */
export interface HistoryFormat<M, S> {
  readonly format: string;
  encode(item: HistoryItem<M>): S;
  decode(stored: { id: string; parent_id: string | null; format: string; content: S }): HistoryItem<M>;
  getId(message: M): string;
}

/** Loads messages and stores new ones. */
export interface History<M> {
  load(): Promise<{ headId?: string | null; messages: HistoryItem<M>[] }>;
  append(item: HistoryItem<M>): Promise<void>;
  update(item: HistoryItem<M>): Promise<void>;
}

/** A message in assistant-ui's own format, with the fields that are read. */
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

/** Facts stored with a message of the thread, in addition to its content. */
interface ThreadPlace {
  readonly format: string;
  readonly parentId: string | null;
  readonly content: unknown;
}

type ThreadRow = MessageInput & { readonly id: string; readonly metadata?: { readonly assistantUi?: ThreadPlace } };

/** assistant-ui's own format, and the name of its messages' shape in `messageShapes`. */
const OWN_FORMAT = "assistant-ui";

/**
 * Returns a history adapter over a session. Every message is appended, durable when the promise resolves, and comes
 * back unchanged with its place in the tree of edits. A repeated message is stored once. Its content is also stored in
 * windrow's form, so `session.build` and `session.search` work. One log holds all branches. If users edit and
 * regenerate, build from the messages that the runtime shows instead. Fails as the session does.
 */
export function threadHistory(session: Session): ThreadHistory {
  const format: HistoryFormat<ThreadMessageShape, ThreadMessageShape> = {
    format: OWN_FORMAT,
    encode: ({ message }) => message,
    // A log holds plain data, so times are texts.
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

/** Returns a history in a format. Without a shape, each message's format is recognized from its fields. */
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
        // The log is never rewritten. The newest message with an id wins, in the place of the first.
        await log.append(kept);
      }
    }),
  };
}

/** Returns the content of a message in windrow's form. */
function saidIn(message: unknown, shape: string | undefined): MessageInput {
  const { role, content, createdAt } = plainMessage(message as Parameters<typeof plainMessage>[0], { shape });
  return { role, content: content as readonly PartInput[], createdAt: createdAt ?? null };
}
