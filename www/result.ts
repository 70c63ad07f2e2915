// The built context as it would be sent, its figures, and what went wrong where there is none.

import { type BuiltContext, type ContextConfig, ContextError, type Format, type MessageInput } from "windrow";
import { find, formatCount, formatNumber, make } from "./elements.js";

const sent = find<HTMLTextAreaElement>("sent");
const copy = find<HTMLButtonElement>("copy");
const showAll = find<HTMLButtonElement>("show-all");
/** More than this slows the page down; the copy is always whole. */
const LONGEST_SHOWN = 100_000;
let whole = "";

/** Makes the buttons work. */
export function watchResult(): void {
  copy.addEventListener("click", () => {
    navigator.clipboard.writeText(whole).then(
      () => say("Copied"),
      () => say("Not allowed"),
    );
  });
  showAll.addEventListener("click", () => {
    sent.value = whole;
    showAll.hidden = true;
  });
}

let waiting = 0;

function say(answer: string): void {
  copy.textContent = answer;
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    copy.textContent = "Copy";
  }, 1500);
}

/** Shows a context and its figures. */
export function showResult(context: BuiltContext<MessageInput, Format>, config: ContextConfig): void {
  showSummary(context);
  showFigures(context);
  showSections(context);
  whole = context.text ?? JSON.stringify(context.messages, null, 2);
  sent.value = whole.length > LONGEST_SHOWN ? `${whole.slice(0, LONGEST_SHOWN)}…` : whole;
  sent.scrollTop = 0;
  showAll.hidden = whole.length <= LONGEST_SHOWN;
  showAll.textContent = `Show all ${formatNumber(whole.length)} characters`;
  copy.disabled = false;
  find("call").textContent = callOf(config);
}

function showSummary({ tokens, trace }: BuiltContext<MessageInput, Format>): void {
  const counts = { kept: 0, shortened: 0, "left out": 0 };
  for (const { first, last, fate } of trace.ranges) {
    counts[fate] += last - first + 1;
  }
  const limit = tokens.limit == null ? "" : ` of ${formatNumber(tokens.limit)}`;
  const unit = `${limit} tokens, ${tokens.exact ? "exact" : "estimate"}`;
  const parts = Object.entries(counts).map(([fate, count]) => `${formatNumber(count)} ${fate}`);
  find("summary").replaceChildren(
    make("span", "", make("b", "", formatNumber(tokens.total)), unit),
    make("span", "", counts.shortened === 0 ? `${parts[0]}, ${parts[2]}` : parts.join(", ")),
  );
}

function showFigures({ tokens, snapshot, trimmed, charCount }: BuiltContext<MessageInput, Format>): void {
  const figures: [string, string][] = [
    ["Counted", `${tokens.exact ? "exactly" : "by estimate, or with parts of unknown cost"}, ${tokens.encoding}`],
    ["Trimmed", trimmed ? "yes, to keep to the budget" : "no, all that was considered fits"],
  ];
  if (charCount != null) {
    figures.push(["Characters", formatNumber(charCount)]);
  }
  figures.push(["Hash", snapshot.contextHash]);
  find("figures").replaceChildren(
    ...figures.flatMap(([name, value]) => [make("dt", "", name), make("dd", name === "Hash" ? "hash" : "", value)]),
  );
}

function showSections({ tokens }: BuiltContext<MessageInput, Format>): void {
  const limit = tokens.limit ?? tokens.total;
  const rows = tokens.sections.map(({ id, tokens: cost }) => sectionRow(id, cost, limit));
  if (tokens.limit != null) {
    const free = sectionRow("free", tokens.limit - tokens.total, limit);
    free.classList.add("free");
    rows.push(free);
  }
  find("sections").replaceChildren(...rows);
}

function sectionRow(name: string, cost: number, limit: number): HTMLElement {
  const bar = make("span", "section-bar");
  bar.style.setProperty("--share", String(limit === 0 ? 0 : Math.min(cost / limit, 1)));
  return make(
    "p",
    "section-row",
    make("span", "section-name", name),
    bar,
    make("span", "section-cost", formatNumber(cost), make("span", "visually-hidden", " tokens")),
  );
}

/** The call as a program would make it. */
function callOf(config: ContextConfig): string {
  const text = JSON.stringify(config, null, 2).replace(/^(\s*)"(\w+)":/gm, "$1$2:");
  return `import { buildContext } from "windrow";\n\nconst context = await buildContext(messages, ${text});`;
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
