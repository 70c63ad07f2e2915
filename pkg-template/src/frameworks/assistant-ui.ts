// assistant-ui: a history adapter that keeps a thread in a session, so that it is there after a reload, and contexts are built from it.

import { type MessageInput, type PartInput, plainMessage, type Session } from "windrow";

/** A message of a thread with the one before it, as assistant-ui hands it over. */
export interface HistoryItem<M> {
  readonly message: M;
  readonly parentId: string | null;
}

/** How a runtime writes its messages for storage: assistant-ui gives it to `withFormat`. */
export interface MessageFormat<M, S> {
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
  withFormat<M, S extends Record<string, unknown>>(format: MessageFormat<M, S>): History<M>;
}

/** Where a message of the thread is kept beside what it says. */
interface Kept {
  readonly format: string;
  readonly parentId: string | null;
  readonly content: unknown;
}

type KeptMessage = MessageInput & { readonly id: string; readonly metadata?: { readonly assistantUi?: Kept } };

const OWN_FORMAT = "assistant-ui";

/**
 * A history adapter over a session: every message is appended, durable when it resolves, and comes back as it was with its place in
 * the tree of edits. A message that comes twice is kept once. What is said is kept in windrow's form too, so that `session.build`
 * and `session.search` work. All branches are kept in one log: where users edit and regenerate, build from the messages that the
 * runtime shows instead. Fails as the session does.
 */
export function threadHistory(session: Session): ThreadHistory {
  const own = historyOf<ThreadMessageShape, ThreadMessageShape>(session, {
    format: OWN_FORMAT,
    encode: ({ message }) => message,
    // A log holds plain data: a time is a text there.
    decode: ({ parent_id, content: { createdAt, ...message } }) => ({
      parentId: parent_id,
      message: { ...message, ...(createdAt === undefined ? {} : { createdAt: new Date(createdAt) }) },
    }),
    getId: ({ id }) => id,
  });
  return {
    load: own.load as ThreadHistory["load"],
    append: own.append,
    update: own.update,
    withFormat: (format) => historyOf(session, format),
  };
}

function historyOf<M, S>(session: Session, format: MessageFormat<M, S>): History<M> {
  const log = session as unknown as Session<KeptMessage>;
  const keptOf = (item: HistoryItem<M>): KeptMessage => {
    const content = format.encode(item);
    const assistantUi = { format: format.format, parentId: item.parentId, content };
    return { ...saidIn(item.message), id: format.getId(item.message), metadata: { assistantUi } };
  };
  const append = async (item: HistoryItem<M>): Promise<void> => {
    const kept = keptOf(item);
    await log.append(kept, { operationId: `assistant-ui:${kept.id}` });
  };
  return {
    append,
    async load() {
      const messages = new Map<string, HistoryItem<M>>();
      for (const { id, metadata } of await log.messages()) {
        const assistantUi = metadata?.assistantUi;
        if (assistantUi?.format === format.format) {
          const { parentId, content } = assistantUi;
          messages.set(id, format.decode({ id, parent_id: parentId, format: format.format, content: content as S }));
        }
      }
      return { headId: [...messages.keys()].at(-1) ?? null, messages: [...messages.values()] };
    },
    async update(item) {
      const [newest] = await log.messages({ limit: 1, order: "descending" });
      const kept = keptOf(item);
      if (newest?.id === kept.id) {
        await log.replaceLast(kept);
      } else {
        // The log is never rewritten: the newest of an id holds, in the place of the first.
        await log.append(kept);
      }
    },
  };
}

/** What a message says, in windrow's form. */
function saidIn(message: unknown): MessageInput {
  const { role, content, createdAt } = message as Partial<ThreadMessageShape>;
  if (Array.isArray(content)) {
    return { role: role as MessageInput["role"], content: content.flatMap(partOf), createdAt: createdAt ?? null };
  }
  const { role: said, content: parts, createdAt: at } = plainMessage(message as Parameters<typeof plainMessage>[0]);
  return { role: said, content: parts as readonly PartInput[], createdAt: at ?? null };
}

interface ThreadPart {
  readonly type: string;
  readonly text?: string;
  readonly image?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly args?: unknown;
  readonly result?: unknown;
}

/** A part of assistant-ui's own message. What only the page shows, such as a source or a component, says nothing. */
function partOf(part: ThreadPart): readonly PartInput[] {
  const { type, text, image, data, mimeType, toolCallId, toolName, args, result } = part;
  switch (type) {
    case "text":
    case "reasoning":
      return [{ type, text: text ?? "" }];
    case "image":
      return [{ type, image } as PartInput];
    case "file":
      return [{ type, data, mediaType: mimeType } as PartInput];
    case "tool-call": {
      const call = { type, toolCallId, toolName, input: args } as PartInput;
      const output = typeof result === "string" ? result : JSON.stringify(result);
      return result === undefined ? [call] : [call, { type: "tool-result", toolCallId, toolName, output } as PartInput];
    }
    default:
      return [];
  }
}
