// Sources of a conversation: a sample, a file, the clipboard, a saved one. The page shows each in the same way.

import { batch } from "@preact/signals";
import { type MessageInput, parseTranscript, type Session } from "windrow";
import { textOfFile } from "windrow/files";
import { readView, type View, viewAddress } from "./address.js";
import { begin } from "./building.js";
import { idOfText, keepFile, keptFile } from "./files.js";
import { givenBy } from "./given.js";
import { statements } from "./memory.js";
import { formatCount, formatNumber } from "./names.js";
import { looksLikeRecording, takeRecordings } from "./recordings.js";
import { FIRST_SAMPLE, sampleNamed } from "./samples.js";
import { freeName, isTaken, messagesOf, openSaved, readList, saved, store } from "./saved.js";
import { saveAs } from "./saving.js";
import { failureOf, type Source, state } from "./state.js";

/** A view as a file has it: with the conversation. */
const VIEW_KEY = "windrowView";
/** The number of the newest conversation that was asked for. */
let newest = 0;

/** Drops a conversation that is still loading, because another one is on the page. */
export function dropPending(): void {
  newest += 1;
}

/** Shows the view of an address. If its conversation isn't here, shows a sample and a notice. */
export async function showView(view: View): Promise<void> {
  const { from, id } = view;
  if (from === "file") {
    const file = await keptFile(id);
    if (file !== undefined) {
      await showText(file.name, file.text, view);
      return;
    }
    const name = view.name === "" ? "the conversation" : `“${view.name}”`;
    await showSample(FIRST_SAMPLE, { ...view, turn: undefined, selected: undefined, edits: new Map() });
    state.notice.value = `The link holds the setup, not the conversation: ${name} is not in this browser. Open it here to see the shared view.`;
    return;
  }
  if (from === "saved") {
    try {
      await showSaved(id, view);
    } catch (failure) {
      saved.failure.value = failureOf(failure);
      await showSample(FIRST_SAMPLE, { ...view, turn: undefined, selected: undefined, edits: new Map() });
      state.notice.value = `The link holds the setup, not the conversation: “${id}” is not saved in this browser.`;
    }
    return;
  }
  await showSample(sampleNamed(id)?.name ?? FIRST_SAMPLE, view);
}

/** Puts a conversation on the page, with a view of it or in its initial state. */
async function put(source: Source, view: View | undefined, requestOfFile: string | undefined): Promise<void> {
  const before = state.source.value?.session;
  if (before !== undefined && before !== source.session) {
    void before.close();
  }
  const count = source.messages.length;
  const turn = newest;
  const within = (position: number | undefined, most: number) =>
    position !== undefined && position <= most ? position : undefined;
  batch(() => {
    state.source.value = undefined;
    state.fileFailure.value = undefined;
    state.notice.value = "";
    state.request.value = view?.request ?? requestOfFile ?? "";
    if (view !== undefined) {
      state.a.value = view.a;
      state.b.value = view.b;
      state.shape.value = view.shape;
    }
    state.turn.value = within(view?.turn, count);
    state.selected.value = within(view?.selected, count - 1);
    state.edits.value = new Map([...(view?.edits ?? [])].filter(([position]) => position < count));
    state.forgotten.value = [];
    state.unfolded.value = new Set();
    state.curve.value = undefined;
    statements.value = [];
  });
  const budget = view?.budget === "none" ? undefined : view?.budget;
  const chosen = await begin(source, budget);
  if (turn !== newest) {
    return;
  }
  batch(() => {
    state.budget.value = view?.budget === "none" ? undefined : chosen;
    state.source.value = source;
  });
}

/** Loads a conversation. The newest call wins, and a failure leaves the page unchanged. */
async function load(name: string, run: (isNewest: () => boolean) => Promise<void>): Promise<void> {
  newest += 1;
  const turn = newest;
  try {
    await run(() => turn === newest);
  } catch (thrown) {
    if (turn === newest) {
      const failure = failureOf(thrown);
      const shown = state.source.value;
      const still = shown === undefined ? "" : ` The page still shows ${shown.name}.`;
      state.fileFailure.value = { ...failure, words: `${name} was not opened. ${failure.words}${still}` };
      state.isLoading.value = false;
      document.body.dataset.state = "failed";
    }
  }
}

export function showSample(name: string, view?: View): Promise<void> {
  const sample = sampleNamed(name);
  return load(sample?.title ?? name, async (isNewest) => {
    const response = await fetch(sample?.address ?? "");
    const text = await response.text();
    const { messages, request } = parseTranscript(text);
    if (isNewest()) {
      const source: Source = {
        from: "sample",
        id: name,
        name: sample?.title ?? name,
        messages,
        given: givenBy(text, messages),
        text,
        skipped: [],
      };
      await put(source, view, typeof request === "string" ? request : undefined);
    }
  });
}

/** Opens a file. */
export function openFile(file: File): Promise<void> {
  return load(file.name, async (isNewest) => {
    const text = textOfFile(await file.arrayBuffer());
    if (isNewest()) {
      await openText(file.name, text);
    }
  });
}

/** Opens a text that was pasted. */
export function openPasted(text: string): Promise<void> {
  return load("What was pasted", () => openText("pasted text", text));
}

/** Opens a text: a conversation, a view with its conversation, or recordings. */
export async function openText(name: string, text: string): Promise<void> {
  const shared = viewIn(text);
  if (shared !== undefined) {
    await showText(shared.name, shared.text, readView(shared.address));
  } else if (looksLikeRecording(text)) {
    await takeRecordings(name, text);
  } else {
    await showText(name, text, undefined);
  }
}

/** Shows another conversation of the file on the page, by its number from 1. */
export function showConversation(number: number): Promise<void> {
  const source = state.source.value;
  const chosen = source?.conversations?.[number - 1];
  return load("The conversation", async () => {
    if (source?.conversations !== undefined && chosen !== undefined) {
      const { messages } = chosen;
      const place = [number, source.conversations.length] as const;
      await put({ ...source, messages, given: givenBy(source.text ?? "", messages), place }, undefined, undefined);
    }
  });
}

async function showText(name: string, text: string, view: View | undefined): Promise<void> {
  const file = parseTranscript(text);
  const { skipped, conversations, request } = file;
  const messages = conversations[(view?.conversation ?? 0) - 1]?.messages ?? file.messages;
  if (messages.length === 0) {
    throw new Error("no messages found");
  }
  const id = await idOfText(text);
  await keepFile({ id, name, text, openedAt: Date.now() });
  const number = conversations.findIndex((conversation) => conversation.messages === messages) + 1;
  const source: Source = {
    from: "file",
    id,
    name,
    messages,
    given: givenBy(text, messages),
    text,
    skipped,
    ...(conversations.length > 1 ? { place: [number, conversations.length] as const, conversations } : {}),
  };
  await put(source, view, typeof request === "string" ? request : undefined);
}

// Sharing

/** The address of the view. It opens with the same setup, and without the visitor's own conversation. */
export function shareAddress(): string {
  return new URL(viewAddress(), location.href).href;
}

/** Saves a file that opens the same view, with the conversation in it. */
export async function shareWithConversation(): Promise<void> {
  const source = state.source.value;
  if (source === undefined) {
    return;
  }
  const text = source.text ?? (await source.session?.export()) ?? JSON.stringify(source.messages);
  saveAs(
    `${fileName(source.name)}.view.json`,
    JSON.stringify({ [VIEW_KEY]: 1, name: source.name, address: viewAddress(), text }),
  );
}

function viewIn(text: string): { readonly name: string; readonly address: string; readonly text: string } | undefined {
  if (!text.startsWith(`{"${VIEW_KEY}"`)) {
    return undefined;
  }
  const { name, address, text: own } = JSON.parse(text) as Record<string, unknown>;
  return { name: String(name), address: String(address), text: String(own) };
}

export function fileName(name: string): string {
  return (
    name
      .replace(/\.\w+$/, "")
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "") || "conversation"
  );
}

// Saved conversations

async function attempt(run: () => Promise<string>): Promise<void> {
  try {
    const words = await run();
    await readList();
    saved.failure.value = undefined;
    saved.status.value = words;
  } catch (failure) {
    await readList();
    saved.status.value = "";
    saved.failure.value = failureOf(failure);
  }
}

/** The action that was requested last, until it has ended. */
let underway: { readonly name: string; readonly done: Promise<void> } | undefined;

/** Runs the actions of buttons in their order. A button that is pressed twice acts once. */
function inOrder(name: string, run: () => Promise<string>): Promise<void> {
  if (underway?.name === name) {
    return underway.done;
  }
  const previous = underway?.done;
  const action = { name, done: Promise.resolve() };
  action.done = (async () => {
    await previous;
    await attempt(run);
    if (underway === action) {
      underway = undefined;
    }
  })();
  underway = action;
  return action.done;
}

async function sourceOf(session: Session): Promise<Source> {
  const { messages, numbers } = await messagesOf(session);
  const forgotten = await session.statements({ forgotten: true });
  return {
    forgotten: forgotten.map(({ sentence, messageId }) => ({
      sentence,
      messageIds: messageId === undefined ? null : [messageId],
    })),
    from: "saved",
    id: session.key,
    name: session.key,
    messages,
    numbers,
    given: givenBy("", messages),
    session,
    skipped: [],
  };
}

async function showSaved(key: string, view?: View): Promise<void> {
  const session = await openSaved(key);
  if ((await session.info()) === undefined) {
    throw new Error(`this browser has no conversation “${key}”`);
  }
  await showSession(session, view);
}

async function showSession(session: Session, view: View | undefined): Promise<void> {
  await put(await sourceOf(session), view, undefined);
  session.subscribe(() => void follow(session));
}

let isFollowing = false;
let isBehind = false;

/** Shows what this tab or another has done to the saved conversation on the page. */
export async function follow(session: Session): Promise<void> {
  isBehind = true;
  if (isFollowing) {
    return;
  }
  isFollowing = true;
  try {
    while (isBehind && state.source.value?.session === session) {
      isBehind = false;
      if ((await session.info()) === undefined) {
        await showSample(FIRST_SAMPLE);
        saved.status.value = `“${session.key}” was deleted.`;
        return;
      }
      const source = await sourceOf(session);
      if (state.source.value?.session === session) {
        state.source.value = source;
      }
    }
  } finally {
    isFollowing = false;
  }
}

/** Saves the conversation on the page under a name. */
export function save(name: string): Promise<void> {
  return inOrder(`save ${name}`, async () => {
    const key = name.trim();
    const source = state.source.value;
    if (key === "") {
      throw new Error("A saved conversation needs a name");
    }
    if (source === undefined || source.messages.length === 0) {
      throw new Error("There are no messages to save");
    }
    if (await isTaken(key)) {
      throw new Error(`“${key}” is saved already: choose another name`);
    }
    const view = readView(viewAddress());
    if (source.session !== undefined) {
      const last = (await source.session.info())?.logs.transcript.lastSeq ?? 0;
      await showSession(await source.session.fork(last, key), view);
    } else {
      const session = await openSaved(key);
      const text = source.text ?? JSON.stringify(source.messages);
      await session.import(text, source.place === undefined ? {} : { conversation: source.place[0] });
      await showSession(session, view);
    }
    return `“${key}” is saved.`;
  });
}

export function openNamed(key: string): Promise<void> {
  return inOrder(`open ${key}`, async () => {
    if (key !== state.source.value?.session?.key) {
      await showSaved(key);
    }
    return `“${key}” is on the page.`;
  });
}

export function exportNamed(key: string): Promise<void> {
  return inOrder(`export ${key}`, async () => {
    const own = state.source.value?.session;
    const session = own?.key === key ? own : await openSaved(key);
    try {
      saveAs(`${fileName(key)}.jsonl`, await session.export());
    } finally {
      if (session !== own) {
        void session.close();
      }
    }
    return `“${key}” was exported.`;
  });
}

export function removeNamed(key: string): Promise<void> {
  return inOrder(`remove ${key}`, async () => {
    await store.remove(key);
    return `“${key}” was deleted.`;
  });
}

/** Copies the saved conversation on the page up to a message, and shows the copy. */
export function forkAt(position: number): Promise<void> {
  return inOrder(`fork ${position}`, async () => {
    const { session, numbers } = state.source.value ?? {};
    const number = numbers?.[position];
    if (session === undefined || number === undefined) {
      throw new Error("Only a saved conversation can be copied up to a message");
    }
    const fork = await session.fork(number, freeName(`${session.key}, to ${number}`));
    await showSession(fork, undefined);
    return `“${fork.key}” is a copy of “${session.key}”, and is on the page.`;
  });
}

/** Adds a message to the saved conversation on the page. */
export async function addMessage(role: string, content: string): Promise<void> {
  await state.source.value?.session?.append({ role, content } as MessageInput);
}

export function sizeInWords({ messages, place }: Source): string {
  const which = place === undefined ? "" : `, conversation ${formatNumber(place[0])} of ${formatNumber(place[1])}`;
  return `${formatCount(messages.length, "message")}${which}`;
}
