// Conversations that are kept in this browser: they are listed, opened, saved as files, copied and deleted. The one on the
// page is named in the page's address, so that it is there again when the page is loaded again.

import type { Session, SessionInfo } from "windrow";
import { find, formatCount, make } from "./elements.js";
import { openKept, store } from "./log.js";
import { showFailure } from "./result.js";
import { saveAs } from "./saving.js";

/** What the panel needs of the page. */
export interface Page {
  /** The text of the file that is on the page. */
  text(): string | undefined;
  /** Which of the file's conversations is on the page, from 1; undefined where it has but one. */
  conversation(): number | undefined;
  /** Shows a conversation; where it is the one that is on the page already, the options stay. */
  show(session: Session, isSame: boolean): Promise<void>;
  /** Shows something else. */
  leave(): Promise<void>;
}

const panel = find<HTMLDetailsElement>("kept");
const list = find("kept-rows");
const count = find("kept-count");
const status = find("kept-status");
const failed = find("kept-error");
const wanted = find<HTMLInputElement>("keep-name");
const PARAMETER = "kept";
const moments = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

let page: Page;
let open: Session | undefined;
let sessions: readonly SessionInfo[] = [];
/** The conversation of which is asked whether it is to be deleted. */
let inQuestion: string | undefined;
const subscriptions = new Map<string, () => void>();

/** Makes the panel work, and opens the conversation that the address names. Says whether it names one. */
export function watchKept(own: Page): boolean {
  page = own;
  find("keep").addEventListener("submit", (event) => {
    event.preventDefault();
    void once(keep);
  });
  list.addEventListener("click", ({ target }) => {
    const { action, key } = (target as HTMLElement).closest<HTMLElement>("[data-action]")?.dataset ?? {};
    if (key !== undefined) {
      act(action ?? "", key);
    }
  });
  list.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && inQuestion !== undefined) {
      act("cancel", inQuestion);
    }
  });
  // A store tells of the sessions that are listed; that another tab began one shows here.
  document.addEventListener("visibilitychange", () => void showList());
  addEventListener("hashchange", () => {
    const key = keyInAddress();
    if (key === undefined || key === open?.key) {
      nameInAddress(); // the link that skips to the conversation took its place
    } else {
      void attempt(() => openNamed(key));
    }
  });
  const key = keyInAddress();
  if (key === undefined) {
    void showList();
  } else {
    void attempt(() => openNamed(key)).then(() => (open === undefined ? page.leave() : undefined));
  }
  return key !== undefined;
}

/** Says what is on the page now: a kept conversation, or what could be kept under a name. */
export function markOnPage(session: Session | undefined, name: string): void {
  open = session;
  wanted.value = freeName(session === undefined ? name.replace(/\.\w+$/, "") : `${name}, copy`);
  nameInAddress();
  renderList();
}

/** Copies the conversation on the page up to a message, and shows the copy. */
export function forkAt(number: number): void {
  const from = open;
  if (from !== undefined) {
    void once(() => copy(from, number, freeName(`${from.key}, to ${number}`), false));
  }
}

/** The conversation on the page was removed, here or in another tab. */
export function leaveRemoved(key: string): void {
  void attempt(async () => {
    await page.leave();
    return `“${key}” was deleted.`;
  });
}

// What is done. Each gives what is to be said of it.

function act(action: string, key: string): void {
  inQuestion = action === "ask" ? key : undefined;
  if (action === "ask" || action === "cancel") {
    renderList();
    buttonOf(key, action === "ask" ? "cancel" : "ask")?.focus();
  } else if (action === "open") {
    void once(() => openNamed(key));
  } else if (action === "save") {
    void once(() => saveNamed(key));
  } else {
    void once(() => removeNamed(key));
  }
}

async function keep(): Promise<string> {
  const key = wanted.value.trim();
  if (key === "") {
    throw new Error("a conversation is kept under a name");
  }
  const [known] = await store.sessions({ keys: [key] });
  if (known !== undefined && countOf(known) > 0) {
    throw new Error(`“${key}” is kept already: choose another name`);
  }
  if (open !== undefined) {
    const last = (await open.info())?.logs.transcript.lastSeq ?? 0;
    return copy(open, last, key, true);
  }
  const text = page.text();
  if (text === undefined) {
    throw new Error("there are no messages to be kept");
  }
  const conversation = page.conversation();
  const session = await openKept(key);
  await session.import(text, conversation === undefined ? {} : { conversation });
  await page.show(session, true);
  return `“${key}” is kept.`;
}

async function copy(from: Session, number: number, key: string, isSame: boolean): Promise<string> {
  const fork = await from.fork(number, key);
  await page.show(fork, isSame);
  return `“${key}” is a copy of “${from.key}”, and is on the page.`;
}

async function openNamed(key: string): Promise<string> {
  if (key === open?.key) {
    find("conversation").focus();
    return "";
  }
  const session = await openKept(key);
  if ((await session.info()) === undefined) {
    throw new Error(`this browser keeps no conversation “${key}”`);
  }
  await page.show(session, false);
  return `“${key}” is on the page.`;
}

async function saveNamed(key: string): Promise<string> {
  const session = key === open?.key ? open : await openKept(key);
  try {
    saveAs(
      `${key.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "conversation"}.jsonl`,
      await session.export(),
    );
  } finally {
    if (session !== open) {
      void session.close();
    }
  }
  return `“${key}” was given as a file.`;
}

async function removeNamed(key: string): Promise<string> {
  const next =
    sessions[sessions.findIndex((info) => info.key === key) + 1] ?? sessions.find((info) => info.key !== key);
  await store.remove(key);
  // The button that was pressed is gone.
  (buttonOf(next?.key ?? "", "open") ?? panel.querySelector("summary"))?.focus();
  return `“${key}” was deleted.`;
}

let isBusy = false;

/** Does what a button says, and not twice where it is pressed twice. */
async function once(run: () => Promise<string>): Promise<void> {
  if (!isBusy) {
    isBusy = true;
    await attempt(run);
    isBusy = false;
  }
}

let newest = 0;

async function attempt(run: () => Promise<string>): Promise<void> {
  newest += 1;
  const turn = newest;
  try {
    const words = await run();
    await showList(); // what is said of it is there to be seen
    if (turn === newest) {
      showFailure(failed, undefined);
      status.textContent = words;
    }
  } catch (failure) {
    await showList();
    status.textContent = "";
    showError(failure);
  }
  nameInAddress();
}

function showError(failure: unknown): void {
  showFailure(failed, failure);
  panel.open = true;
  failed.scrollIntoView({ block: "nearest" });
}

// The list

let listing = Promise.resolve();

/** Reads the list anew, one time after the other: what was read last is shown last. */
function showList(): Promise<void> {
  listing = listing.then(readList);
  return listing;
}

async function readList(): Promise<void> {
  try {
    const known = await store.sessions();
    sessions = known.filter((info) => countOf(info) > 0).sort((one, other) => other.updatedAtMs - one.updatedAtMs);
  } catch (failure) {
    sessions = [];
    count.textContent = "not possible here";
    if (failed.hidden) {
      showFailure(failed, failure);
    }
    return;
  }
  count.textContent = sessions.length === 0 ? "" : formatCount(sessions.length, "conversation");
  subscribe();
  renderList();
}

function countOf({ logs }: SessionInfo): number {
  const { counts } = logs.transcript;
  return (counts.message ?? 0) + (counts.summary ?? 0);
}

/** Follows what other tabs do to the conversations in the list. */
function subscribe(): void {
  const keys = new Set(sessions.map(({ key }) => key));
  for (const [key, end] of subscriptions) {
    if (!keys.delete(key)) {
      end();
      subscriptions.delete(key);
    }
  }
  for (const key of keys) {
    const end = store.subscribe(key, ({ log }) => {
      if (log === "transcript") {
        void showList();
      }
    });
    subscriptions.set(key, end);
  }
}

let rendered = "";

function renderList(): void {
  const state = JSON.stringify([open?.key, inQuestion, sessions]);
  if (state === rendered) {
    return;
  }
  rendered = state;
  const { action = "", key = "" } = list.contains(document.activeElement)
    ? (document.activeElement as HTMLElement).dataset
    : {};
  list.hidden = sessions.length === 0;
  list.replaceChildren(...sessions.map(rowOf));
  buttonOf(key, action)?.focus();
}

function rowOf(info: SessionInfo): HTMLElement {
  const { key, updatedAtMs } = info;
  const isOpen = key === open?.key;
  const row = make("li", isOpen ? "kept-row on-page" : "kept-row", make("span", "name", key));
  row.title = key;
  if (key === inQuestion) {
    const question = make("span", "", "Delete it for good?");
    question.id = "kept-question";
    const buttons = [button("Delete", "remove", key), button("Cancel", "cancel", key)];
    for (const each of buttons) {
      each.setAttribute("aria-describedby", question.id);
    }
    row.append(make("span", "buttons asking", question, ...buttons));
    return row;
  }
  const lastUsed = make("span", "visually-hidden", "last used ");
  const time = make("time", "figure", lastUsed, moments.format(updatedAtMs));
  time.dateTime = new Date(updatedAtMs).toISOString();
  time.title = "Last used";
  const opening = button(isOpen ? "On the page" : "Open", "open", key);
  if (isOpen) {
    row.setAttribute("aria-current", "true");
  }
  row.append(
    make("span", "figure", formatCount(countOf(info), "message")),
    time,
    make("span", "buttons", opening, button("Export", "save", key), button("Delete", "ask", key)),
  );
  return row;
}

function button(words: string, action: string, key: string): HTMLButtonElement {
  const made = make("button", "button", words, make("span", "visually-hidden", ` ${key}`));
  made.type = "button";
  made.dataset.action = action;
  made.dataset.key = key;
  return made;
}

function buttonOf(key: string, action: string): HTMLElement | undefined {
  return [...list.querySelectorAll<HTMLElement>("[data-action]")].find(
    ({ dataset }) => dataset.key === key && dataset.action === action,
  );
}

function freeName(name: string): string {
  const taken = new Set(sessions.map(({ key }) => key));
  let free = name;
  for (let number = 2; taken.has(free); number += 1) {
    free = `${name} ${number}`;
  }
  return free;
}

// The address

function keyInAddress(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get(PARAMETER) ?? undefined;
}

function nameInAddress(): void {
  const hash = open === undefined ? "" : `#${new URLSearchParams({ [PARAMETER]: open.key })}`;
  if (location.hash !== hash) {
    history.replaceState(null, "", `${location.pathname}${location.search}${hash}`);
  }
}
