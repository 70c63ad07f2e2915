// The built context as it would be sent, its figures, and what went wrong where there is none.

import { type BuiltContext, ContextError, type Format, type MessageInput } from "windrow";
import { callOf } from "./call.js";
import { copyBy } from "./copying.js";
import { find, formatCount, formatNumber, make } from "./elements.js";
import { showConversations, showSections } from "./parts.js";
import type { Asked } from "./preset.js";

type Context = BuiltContext<MessageInput, Format>;

const sent = find<HTMLTextAreaElement>("sent");
const copy = find<HTMLButtonElement>("copy");
const showAll = find<HTMLButtonElement>("show-all");
/** More than this slows the page down; the copy is always whole. */
const LONGEST_SHOWN = 100_000;
let whole = "";

/** Makes the buttons work. */
export function watchResult(): void {
  copyBy(copy, () => whole);
  copyBy(find("copy-call"), () => find("call").textContent ?? "");
  showAll.addEventListener("click", () => {
    sent.value = whole;
    showAll.hidden = true;
  });
}

/** Shows a context and its figures; of a log, also how many rows of it were read for this build. */
export function showResult(context: Context, asked: Asked, timeZone: string, rowsRead?: number): void {
  showSummary(context);
  showNotes(context);
  showFigures(context, rowsRead);
  showSections(context);
  showConversations(context, timeZone);
  whole = context.text ?? JSON.stringify(context.messages, null, 2);
  sent.value = whole.length > LONGEST_SHOWN ? `${whole.slice(0, LONGEST_SHOWN)}…` : whole;
  sent.scrollTop = 0;
  showAll.hidden = whole.length <= LONGEST_SHOWN;
  showAll.textContent = `Show all ${formatNumber(whole.length)} characters`;
  copy.disabled = false;
  find("call").textContent = callOf(asked);
}

const asExcerpts = (count: number): string => (count === 1 ? "as an excerpt" : "as excerpts");

function showSummary({ tokens, trace }: Context): void {
  const counts = { kept: 0, shortened: 0, excerpt: 0, "left out": 0 };
  for (const { first, last, fate } of trace.ranges) {
    counts[fate] += last - first + 1;
  }
  const limit = tokens.limit == null ? "" : ` of ${formatNumber(tokens.limit)}`;
  const unit = `${limit} tokens, ${tokens.exact ? "exact" : tokens.words}`;
  const isNamed = ([fate, count]: [string, number]) => count > 0 || fate === "kept" || fate === "left out";
  const parts = Object.entries(counts)
    .filter(isNamed)
    .map(([fate, count]) => `${formatNumber(count)} ${fate === "excerpt" ? asExcerpts(count) : fate}`);
  find("summary").replaceChildren(
    make("span", "", make("b", "", formatNumber(tokens.total)), unit),
    make("span", "", parts.join(", ")),
  );
}

/** What is to be said of the build; that it was trimmed is among the figures. */
function showNotes({ trace }: Context): void {
  const place = find("notes");
  const notes = trace.notes.filter(({ kind }) => kind !== TRIMMED);
  place.hidden = notes.length === 0;
  place.replaceChildren(
    ...notes.map(({ kind, words }) => make("li", "", make("p", "note-words", words), make("p", "error-code", kind))),
  );
}

const TRIMMED = "context-trim";

function showFigures(context: Context, rowsRead: number | undefined): void {
  const { tokens, snapshot, trimmed, trace, charCount, recall, focus, recording } = context;
  const why = trace.notes.find(({ kind }) => kind === TRIMMED)?.words ?? "to keep to the budget";
  const figures: [string, string][] = [
    ["Counted", tokens.words],
    ["Trimmed", trimmed ? `yes: ${why}` : "no, all that was considered fits"],
  ];
  if (rowsRead !== undefined) {
    const { length } = recording.transcript;
    const known = `${formatNumber(length)} of ${formatCount(length + trace.unreadCount, "message")}`;
    figures.push(["Read", `${known}, ${formatCount(rowsRead, "row")} of the log for this build`]);
  }
  if (charCount != null) {
    figures.push(["Characters", formatNumber(charCount)]);
  }
  if (recall?.status === "ok") {
    figures.push(["Recall", `${formatNumber(recall.hits)} found, focus ${focus.summary}`]);
  }
  figures.push(["Hash", snapshot.contextHash]);
  find("figures").replaceChildren(
    ...figures.flatMap(([name, value]) => [make("dt", "", name), make("dd", name === "Hash" ? "hash" : "", value)]),
  );
}

/** Shows a failure in its place, or takes it away. */
export function showFailure(place: HTMLElement, failure: unknown, note = ""): void {
  if (failure === undefined) {
    place.hidden = true;
    place.replaceChildren();
    return;
  }
  const isOurs = failure instanceof ContextError;
  let message = failure instanceof Error ? failure.message : String(failure);
  if (isOurs && failure.path !== undefined) {
    message = message.replace(`${failure.path}: `, "");
  }
  const lines = [make("p", "error-message", message)];
  if (isOurs) {
    lines.push(make("p", "", failure.nextAction));
  }
  if (note !== "") {
    lines.push(make("p", "", note));
  }
  if (isOurs) {
    lines.push(make("p", "error-code", [failure.code, failure.path].filter(Boolean).join(" · ")));
  }
  place.replaceChildren(...lines);
  place.hidden = false;
}

/** Lists the rows of a file that were not understood. */
export function showSkipped(skipped: readonly { readonly row: number; readonly reason: string }[]): void {
  const place = find("skipped");
  place.hidden = skipped.length === 0;
  find("skipped-title").textContent =
    `${formatCount(skipped.length, "row")} of the file ${skipped.length === 1 ? "was" : "were"} not understood and skipped`;
  const most = 200;
  const lines = skipped
    .slice(0, most)
    .map(({ row, reason }) => make("li", "", make("b", "", `Row ${formatNumber(row)}`), ` ${reason}`));
  if (skipped.length > most) {
    lines.push(make("li", "", `and ${formatNumber(skipped.length - most)} more`));
  }
  find("skipped-rows").replaceChildren(...lines);
}
