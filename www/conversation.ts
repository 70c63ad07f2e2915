// The conversation: every message in order under what became of it and why. Only the rows in view are in the document,
// so that a conversation of any length scrolls.

import type { Explanation, MessageInput, TraceRange } from "windrow";
import { find, formatCount, formatNumber, make } from "./elements.js";
import { blocksOf, momentOf, previewOf, speakerOf } from "./message.js";

/** What the list shows. */
export interface Conversation {
  readonly messages: readonly MessageInput[];
  /** Of a part of a log, the sequence number of each message: another part of it may be shown next. */
  readonly numbers?: readonly number[] | undefined;
  /** Copies the log up to a message, where there is a log. */
  readonly fork?: ((position: number) => void) | undefined;
  /** What each message costs, or would cost. */
  readonly costs: Float64Array;
  readonly ranges: readonly TraceRange[];
  /** Asked when a message is opened. */
  explain(position: number): Explanation;
}

/** A run's head, or a message. */
interface Row {
  readonly key: string;
  readonly range: TraceRange;
  /** Undefined in a run's head. */
  readonly position?: number;
}

const list = find("rows");
const bar = find("bar");
/** Longer runs of what was left out begin folded. */
const LONGEST_UNFOLDED = 3;
/** Rows beyond the edges of the view, so that scrolling shows no gap. */
const MARGIN = 600;
/** More text than this of one message waits for a click. */
const LONGEST_TEXT = 20_000;

let shown: Conversation = {
  messages: [],
  costs: new Float64Array(),
  ranges: [],
  explain: () => {
    throw new Error("there is no conversation");
  },
};
let rows: Row[] = [];
/** Where each row begins, in pixels; one more for the end. */
let tops = new Float64Array(1);
/** Heights of rows as they were measured. */
const heights = new Map<string, number>();
/** Heights of rows that were never in view: as the last of their kind. */
const usual = { run: 52, message: 62 };
const openMessages = new Set<number>();
/** A message in each run that was unfolded: a run changes its ends with every build. */
const unfolded = new Set<number>();
const rendered = new Map<string, HTMLElement>();
let focusedKey = "";
let whenScrolled: (first: number, last: number) => void = () => undefined;

/** Begins to follow scrolling; `scrolled` is told which messages are in view. */
export function watchConversation(scrolled: (first: number, last: number) => void): void {
  whenScrolled = scrolled;
  addEventListener("scroll", schedule, { passive: true });
  addEventListener("resize", () => {
    // Those in view are measured again where they change.
    for (const key of heights.keys()) {
      if (!rendered.has(key)) {
        heights.delete(key);
      }
    }
    measureTops();
    schedule();
  });
  list.addEventListener("keydown", moveFocus);
  list.addEventListener("focusin", ({ target }) => {
    focusedKey = (target as HTMLElement).closest<HTMLElement>(".row")?.dataset.key ?? focusedKey;
    setTabStops();
  });
  list.addEventListener("click", ({ target }) => {
    const head = (target as HTMLElement).closest(".row-head");
    const index = rowIndex(head?.closest<HTMLElement>(".row")?.dataset.key);
    const row = rows[index];
    if (row !== undefined) {
      toggle(row);
    }
  });
}

/** Shows a conversation. What was open of the last one stays open where it is the same file. */
export function showConversation(conversation: Conversation, isNew: boolean): void {
  if (isNew) {
    openMessages.clear();
    unfolded.clear();
    heights.clear();
    focusedKey = "";
  }
  const anchor = isNew ? undefined : firstInView();
  const moved = isNew ? undefined : movesTo(conversation.numbers);
  shown = conversation;
  find("no-messages").hidden = conversation.messages.length > 0;
  if (moved !== undefined) {
    follow(moved);
  }
  layOut();
  if (anchor !== undefined) {
    const position = moved === undefined ? anchor.position : moved(anchor.position);
    const distance = position === undefined ? 0 : (tops[rowOf(position)] ?? 0) - anchor.top;
    if (Math.abs(distance) > 1) {
      scrollBy({ top: distance, behavior: "instant" });
    }
  }
  renderAnew();
}

/** Where messages are in another part of the log; undefined where it is the same part. */
function movesTo(numbers: readonly number[] | undefined): ((position: number) => number | undefined) | undefined {
  const before = shown.numbers;
  if (before === undefined || numbers === undefined || before === numbers) {
    return undefined;
  }
  const places = new Map(numbers.map((number, position) => [number, position]));
  return (position) => places.get(before[position] ?? 0);
}

/** What is known by position moves with the messages. */
function follow(moved: (position: number) => number | undefined): void {
  for (const positions of [openMessages, unfolded]) {
    const before = [...positions];
    positions.clear();
    for (const position of before.flatMap((position) => moved(position) ?? [])) {
      positions.add(position);
    }
  }
  const keyOf = (key: string): string => key.replace(/\d+/, (position) => String(moved(Number(position)) ?? -1));
  const measured = [...heights].map(([key, height]) => [keyOf(key), height] as const);
  heights.clear();
  for (const [key, height] of measured) {
    heights.set(key, height);
  }
  focusedKey = keyOf(focusedKey);
}

/** Brings a message into view, opens it and gives it the focus. */
export function revealMessage(position: number): void {
  const range = shown.ranges[rangeIndex(position)];
  if (range !== undefined && isFolded(range)) {
    unfolded.add(position);
  }
  layOut();
  const index = rowOf(position);
  focusedKey = rows[index]?.key ?? "";
  const target = list.getBoundingClientRect().top + (tops[index] ?? 0) - bar.offsetHeight - 24;
  scrollBy({ top: target, behavior: "instant" });
  renderAnew();
  focusRow();
}

// Rows

function layOut(): void {
  rows = [];
  for (const range of shown.ranges) {
    rows.push({ key: `run ${range.first}`, range });
    if (!isFolded(range)) {
      for (let position = range.first; position <= range.last; position++) {
        rows.push({ key: `message ${position}`, range, position });
      }
    }
  }
  measureTops();
}

function isFoldable({ fate, first, last }: TraceRange): boolean {
  return fate === "left out" && last - first >= LONGEST_UNFOLDED;
}

function isFolded(range: TraceRange): boolean {
  return isFoldable(range) && !unfoldedIn(range).length;
}

function unfoldedIn({ first, last }: TraceRange): number[] {
  return [...unfolded].filter((position) => position >= first && position <= last);
}

function measureTops(): void {
  tops = new Float64Array(rows.length + 1);
  let top = 0;
  for (const [index, row] of rows.entries()) {
    tops[index] = top;
    top += heights.get(row.key) ?? (row.position === undefined ? usual.run : usual.message);
  }
  tops[rows.length] = top;
  list.style.height = `${top}px`;
}

function toggle(row: Row): void {
  if (row.position !== undefined) {
    if (!openMessages.delete(row.position)) {
      openMessages.add(row.position);
    }
  } else if (isFoldable(row.range)) {
    const within = unfoldedIn(row.range);
    for (const position of within) {
      unfolded.delete(position);
    }
    if (within.length === 0) {
      unfolded.add(row.range.first);
    }
    layOut();
  }
  focusedKey = row.key;
  renderAnew();
  focusRow();
}

function rowIndex(key: string | undefined): number {
  return key === undefined ? -1 : rows.findIndex((row) => row.key === key);
}

/** The row of a message, or of the folded run that it is in. */
function rowOf(position: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    const row = rows[middle] as Row;
    if ((row.position ?? row.range.first - 0.5) <= position) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

function rangeIndex(position: number): number {
  return shown.ranges.findIndex(({ last }) => position <= last);
}

// Rendering

let isScheduled = false;

function schedule(): void {
  if (!isScheduled) {
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      render();
    });
  }
}

function renderAnew(): void {
  const hadFocus = list.contains(document.activeElement);
  for (const element of rendered.values()) {
    sizes.unobserve(element);
  }
  rendered.clear();
  list.replaceChildren();
  render();
  if (hadFocus) {
    focusRow();
  }
}

/** The first and the last row that meet a part of the list. */
function rowsBetween(from: number, to: number): [number, number] {
  const at = (pixels: number): number => {
    let low = 0;
    let high = Math.max(rows.length - 1, 0);
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((tops[middle] as number) <= pixels) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  };
  return [at(from), at(to)];
}

/** The part of the list that is in view, in its own pixels. */
function view(): [number, number] {
  const { top } = list.getBoundingClientRect();
  return [bar.getBoundingClientRect().bottom - top, innerHeight - top];
}

function firstInView(): { readonly position: number; readonly top: number } | undefined {
  const [from] = view();
  const [index] = rowsBetween(from, from);
  const row = from <= 0 ? undefined : rows[index];
  return row === undefined ? undefined : { position: row.position ?? row.range.last, top: tops[index] ?? 0 };
}

function render(): void {
  const [from, to] = view();
  const [first, last] = rowsBetween(from - MARGIN, to + MARGIN);
  const wanted = new Set<number>();
  for (let index = first; index <= last && index < rows.length; index++) {
    wanted.add(index);
  }
  // The row with the focus stays, or the focus would be lost.
  const focused = rowIndex(focusedKey);
  if (focused >= 0) {
    wanted.add(focused);
  }
  const keys = new Set([...wanted].map((index) => rows[index]?.key));
  for (const [key, element] of rendered) {
    if (!keys.has(key)) {
      sizes.unobserve(element);
      element.remove();
      rendered.delete(key);
    }
  }
  let before: Element | null = list.firstElementChild;
  for (const index of [...wanted].sort((one, other) => one - other)) {
    const row = rows[index] as Row;
    let element = rendered.get(row.key);
    if (element === undefined) {
      element = row.position === undefined ? runElement(row) : messageElement(row, row.position);
      element.dataset.key = row.key;
      element.setAttribute("aria-setsize", String(rows.length));
      rendered.set(row.key, element);
      list.insertBefore(element, before);
      sizes.observe(element);
    } else {
      before = element.nextElementSibling;
    }
    element.setAttribute("aria-posinset", String(index + 1));
    element.style.transform = `translateY(${tops[index]}px)`;
  }
  setTabStops();
  if (rows.length > 0) {
    const [firstRow, lastRow] = rowsBetween(Math.max(from, 0), to).map((index) => rows[index] as Row) as [Row, Row];
    whenScrolled(firstRow.position ?? firstRow.range.first, lastRow.position ?? lastRow.range.last);
  }
}

const sizes = new ResizeObserver((entries) => {
  let hasChanged = false;
  for (const { target } of entries) {
    const element = target as HTMLElement;
    const key = element.dataset.key as string;
    const height = element.offsetHeight;
    const row = rendered.get(key) === element ? rows[rowIndex(key)] : undefined;
    if (row === undefined || height === 0 || heights.get(key) === height) {
      continue;
    }
    heights.set(key, height);
    hasChanged = true;
    if (row.position === undefined) {
      usual.run = height;
    } else if (!openMessages.has(row.position)) {
      usual.message = height;
    }
  }
  if (hasChanged) {
    measureTops();
    schedule();
  }
});

function runElement({ range }: Row): HTMLElement {
  const { first, last, fate, stage } = range;
  const { words } = shown.explain(first);
  const foldable = isFoldable(range);
  const count = last - first + 1;
  let tokens = range.tokens;
  if (fate === "left out") {
    tokens = shown.costs.subarray(first, last + 1).reduce((sum, cost) => sum + cost, 0);
  }
  const title = make("span", "run-title", make("b", "", fate), `: ${words}`);
  const figures = make(
    "span",
    "run-figures",
    `${formatCount(count, "message")} · ${formatCount(tokens, "token")} · stage ${stage}`,
  );
  const head = make(foldable ? "button" : "div", "row-head run-head", mark(fate), title, figures);
  if (head instanceof HTMLButtonElement) {
    head.type = "button";
    head.setAttribute("aria-expanded", String(!isFolded(range)));
    head.append(make("span", "fold", isFolded(range) ? "Show" : "Hide"));
  } else {
    head.tabIndex = -1;
  }
  return make("li", `row run ${className(fate)}`, head);
}

function messageElement({ range }: Row, position: number): HTMLElement {
  const message = shown.messages[position] as MessageInput;
  const { fate } = range;
  const isOpen = openMessages.has(position);
  const marks = [message.name ? message.role : "", message.pinned ? "pinned" : "", message.source ?? ""];
  const head = make(
    "button",
    "row-head message-head",
    mark(fate),
    make("span", "position", String(shown.numbers?.[position] ?? position)),
    make("span", "who", make("b", "", speakerOf(message)), ` ${marks.filter(Boolean).join(" · ")}`),
    make("span", "cost", formatNumber(costOf(range, position)), make("span", "unit", " tokens")),
    make("span", "preview", isOpen ? "" : (excerptOf(range, position) ?? previewOf(message))),
    make("span", "visually-hidden", `, ${fate}`),
  );
  head.type = "button";
  head.setAttribute("aria-expanded", String(isOpen));
  const row = make("li", `row message ${className(fate)}`, head);
  if (isOpen) {
    row.append(bodyOf(message, position));
  }
  return row;
}

/** The text of a message that is there as an excerpt. */
function excerptOf({ fate }: TraceRange, position: number): string | undefined {
  return fate === "excerpt" ? shown.explain(position).shortenedText : undefined;
}

/** What a message costs: in the context where it is shortened, and else as a whole. */
function costOf({ fate, first, last, tokens }: TraceRange, position: number): number {
  if (fate === "shortened" || fate === "excerpt") {
    return first === last ? tokens : shown.explain(position).tokens;
  }
  return shown.costs[position] ?? 0;
}

function bodyOf(message: MessageInput, position: number): HTMLElement {
  const { id, fate, stage, words, tokens } = shown.explain(position);
  const body = make("div", "message-body");
  const shortened = shown.explain(position).shortenedText;
  if (shortened !== undefined) {
    body.append(blockElement("in the context", shortened), make("p", "block-label", "the whole message"));
  }
  for (const { label, text } of blocksOf(message)) {
    body.append(blockElement(label, text));
  }
  const figures = `${fate === "left out" ? "would cost" : "costs"} ${formatCount(tokens, "token")}`;
  const named = [
    ["id", id],
    ["conversation", message.conversationId],
  ].map(([name, value]) => (value == null ? "" : `${name} ${value}`));
  const known = [...named, momentOf(message)].filter(Boolean).join(" · ");
  body.append(
    make(
      "p",
      "explanation",
      make("span", "explanation-fate", `${fate} by the stage ${stage}:`),
      `${words}; ${figures}.`,
    ),
    make("p", "hint", known),
  );
  const { fork } = shown;
  if (fork !== undefined) {
    const button = make("button", "button fork", "Fork after this message");
    button.type = "button";
    button.addEventListener("click", () => fork(position));
    body.append(button);
  }
  return body;
}

function blockElement(label: string | undefined, text: string): HTMLElement {
  const content = make("div", label === undefined ? "block-text" : "block-text code", text.slice(0, LONGEST_TEXT));
  const block = make("div", "block", ...(label === undefined ? [] : [make("p", "block-label", label)]), content);
  if (text.length > LONGEST_TEXT) {
    const more = make("button", "button", `Show all ${formatNumber(text.length)} characters`);
    more.type = "button";
    more.addEventListener("click", () => {
      content.textContent = text;
      more.remove();
    });
    block.append(more);
  }
  return block;
}

function mark(fate: string): HTMLElement {
  const element = make("i", `mark ${className(fate)}`);
  element.setAttribute("aria-hidden", "true");
  return element;
}

function className(fate: string): string {
  return fate.replace(" ", "-");
}

// Keyboard: one tab stop for the list; arrows, Page Up and Down, Home and End move between rows.

function moveFocus(event: KeyboardEvent): void {
  if (!(event.target as HTMLElement).matches(".row-head")) {
    return;
  }
  const page = Math.max(Math.floor((innerHeight - bar.offsetHeight) / usual.message) - 1, 1);
  const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
  const current = rowIndex(focusedKey);
  let next: number;
  if (event.key === "Home" || event.key === "End") {
    next = event.key === "Home" ? 0 : rows.length - 1;
  } else if (moves[event.key] !== undefined) {
    next = current + (moves[event.key] as number);
  } else {
    return;
  }
  event.preventDefault();
  next = Math.min(Math.max(next, 0), rows.length - 1);
  focusedKey = rows[next]?.key ?? "";
  const [from, to] = view();
  const top = tops[next] as number;
  const bottom = tops[next + 1] as number;
  if (top < from + 8) {
    scrollBy({ top: top - from - 8, behavior: "instant" });
  } else if (bottom > to - 8) {
    scrollBy({ top: Math.min(bottom - to + 8, top - from - 8), behavior: "instant" });
  }
  render();
  focusRow();
}

function focusRow(): void {
  rendered.get(focusedKey)?.querySelector<HTMLElement>(".row-head")?.focus({ preventScroll: true });
}

function setTabStops(): void {
  const key = rendered.has(focusedKey) ? focusedKey : rows[0]?.key;
  let hasStop = false;
  for (const [rowKey, element] of rendered) {
    const head = element.querySelector<HTMLElement>(".row-head");
    if (head !== null) {
      head.tabIndex = rowKey === key ? 0 : -1;
      hasStop ||= rowKey === key;
    }
  }
  if (!hasStop) {
    const head = list.querySelector<HTMLElement>(".row-head");
    if (head !== null) {
      head.tabIndex = 0;
    }
  }
}
