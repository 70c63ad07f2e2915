// Types of sessions and stores.

import {
  type ContextError,
  type ExportOptions,
  type ImportOptions,
  type MessageInput,
  memoryStore,
  openSession,
  presets,
  type SearchHit,
  type Session,
  type SessionChange,
  searchSessions,
  type TranscriptStore,
} from "windrow";
import { admit, checkKey, type NewEntry, type SessionInfo, storeError } from "windrow/stores";
import { storeConformance } from "windrow/stores/conformance";
import { d1Store } from "windrow/stores/d1";
import { durableObjectStore } from "windrow/stores/durable-object";
import { type IndexedDbStore, indexedDbStore } from "windrow/stores/indexeddb";

interface ChatMessage extends MessageInput {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly rating?: number;
}

export async function chat(): Promise<void> {
  const store: IndexedDbStore = indexedDbStore({ name: "chat", durability: "relaxed", blockedTimeoutMs: 100 });
  const session = await openSession<ChatMessage>("web:main", {
    store,
    retention: { maxMessages: 500, maxAgeDays: 30 },
  });
  const { messages, firstSeq } = await session.append(
    { role: "user", content: "hello", rating: 1 },
    { expectedSeq: 0 },
  );
  const rating: number | undefined = messages[0]?.rating;
  const place: number | undefined = firstSeq;
  // @ts-expect-error a message of another type doesn't belong in this session
  await session.append({ role: "user", text: "hello" });
  // @ts-expect-error a store is needed
  await openSession("web:main");
  // @ts-expect-error an unknown durability
  indexedDbStore({ durability: "eventual" });

  const context = await session.build({ ...presets.triaged, request: "so?" });
  const text: string = context.text;
  const kept: readonly ChatMessage[] = context.kept;
  const inMessages = await session.build({ request: "so?", budget: { maxTokens: 100 } });
  const role: string | undefined = inMessages.messages[0]?.role;

  const end: () => void = session.subscribe((change: SessionChange<ChatMessage>) => {
    if (change.kind === "append") {
      const contents: string[] = change.messages.map(({ content }) => content);
      console.log(contents, change.lastSeq, change.replacesSeq);
    }
  });
  end();
  const fork: Session<ChatMessage> = await session.fork(1, "web:fork");
  const [build] = await fork.snapshots({ order: "descending", limit: 1 });
  if (build !== undefined) {
    const { same } = await fork.replay(build.recording);
    const isSame: boolean = same;
    console.log(isSame, build.snapshot.contextHash);
  }
  const records: readonly { readonly code: ContextError["code"] }[] = await session.failures();
  const [hit]: readonly SearchHit<ChatMessage>[] = await session.search("so?", { limit: 3, timeZone: "UTC" });
  const found: string | undefined = hit?.message.content;
  const [other] = await searchSessions<ChatMessage>(store, "so?", { keys: ["web:main"] });
  const score: number | undefined = other?.score;
  // @ts-expect-error a session is not searched by keys
  await session.search("so?", { keys: [] });
  console.log(rating, place, text, kept, role, records, found, score);
  await using temporary = await openSession("a", { store: memoryStore() });
  const file: string = await session.export({ builds: true } satisfies ExportOptions);
  const { buildCount }: { readonly buildCount: number } = await temporary.import(file, {} satisfies ImportOptions);
  const { conversations } = await temporary.import(file, { conversation: 2 } satisfies ImportOptions);
  const title: string | undefined = conversations[0]?.title;
  // @ts-expect-error the only option is `builds`
  await session.export({ failures: true });
  console.log(buildCount, title);
}

/** Objects like the platform's own are accepted. */
export function atTheEdge(
  storage: Parameters<typeof durableObjectStore>[0],
  database: Parameters<typeof d1Store>[0],
): readonly TranscriptStore[] {
  return [durableObjectStore(storage), d1Store(database), memoryStore()];
}

export function ofOnesOwn(info: SessionInfo | undefined, entries: readonly NewEntry[]): SessionInfo {
  checkKey("web:main");
  if (entries.length === 0) {
    throw storeError("INVALID_SESSION", "nothing is given", "Give something.");
  }
  return admit("web:main", { info }, entries, { expectedSeq: 0 }, 0).info;
}

export const cases: readonly { readonly name: string; run(): Promise<void> }[] = storeConformance({
  open: () => Promise.resolve(memoryStore()),
});
