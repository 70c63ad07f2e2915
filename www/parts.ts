// What the context is made of: its sections with what they hold, and the conversations.

import type {
  BuiltContext,
  ConversationForm,
  Fate,
  Format,
  ItemForm,
  MessageInput,
  SectionReport,
  Tier,
} from "windrow";
import { find, formatNumber, make } from "./elements.js";

type Context = BuiltContext<MessageInput, Format>;

const itemForms: Readonly<Record<ItemForm, string>> = {
  full: "whole",
  summary: "by its summary",
  cut: "cut",
  leftOut: "left out",
};

/** The sections that were opened, by id. */
const open = new Set<string>();

/** Shows what each section costs and holds. */
export function showSections({ tokens, sections }: Context): void {
  const limit = tokens.limit ?? tokens.total;
  const reports = new Map(sections.map((section) => [section.id, section]));
  const rows: HTMLElement[] = tokens.sections.map(({ id, tokens: cost }) =>
    sectionOf(rowOf(id, cost, limit), reports.get(id)),
  );
  if (tokens.limit != null) {
    const free = tokens.limit - tokens.total;
    const isOver = free < 0;
    rows.push(
      make(
        "p",
        isOver ? "section-row over" : "section-row free",
        ...rowOf(isOver ? "over" : "free", Math.abs(free), limit),
      ),
    );
  }
  find("sections").replaceChildren(...rows);
}

function rowOf(name: string, cost: number, limit: number): HTMLElement[] {
  const bar = make("span", "section-bar");
  bar.style.setProperty("--share", String(limit === 0 ? 0 : Math.min(cost / limit, 1)));
  return [
    make("span", "section-name", name),
    bar,
    make("span", "section-cost", formatNumber(cost), make("span", "visually-hidden", " tokens")),
  ];
}

/** A row that opens where the section holds something that is not among the messages below. */
function sectionOf(row: readonly HTMLElement[], report: SectionReport | undefined): HTMLElement {
  const isElsewhere = report?.kind === "history" || report?.kind === "request";
  if (report === undefined || isElsewhere || (report.text == null && report.items.length === 0)) {
    return make("p", "section-row", ...row);
  }
  const { id, text, items } = report;
  const details = make("details", "section", make("summary", "section-row", ...row));
  if (text != null) {
    details.append(make("div", "section-text", text));
  }
  if (items.length > 0) {
    const each = items.map((item, index) => `${item.id ?? `#${index + 1}`}: ${itemForms[item.form]}`);
    details.append(make("p", "hint", each.join("; ")));
  }
  details.open = open.has(id);
  details.addEventListener("toggle", () => {
    if (details.open) {
      open.add(id);
    } else {
      open.delete(id);
    }
  });
  return details;
}

const tiers: Readonly<Record<Tier, string>> = {
  thread: "active thread",
  today: "today",
  yesterday: "yesterday",
  older: "older",
};

const forms: Readonly<Record<ConversationForm, readonly [words: string, fate: Fate]>> = {
  full: ["in full", "kept"],
  truncatedTail: ["its end", "shortened"],
  summary: ["by its summary", "shortened"],
  extract: ["by an extract", "shortened"],
  leftOut: ["left out", "left out"],
};

/** More than this is no table to read. */
const MOST_CONVERSATIONS = 100;

/** Shows the conversations where they are told apart. */
export function showConversations({ conversations }: Context, timeZone: string): void {
  find("conversations").hidden = conversations.length === 0;
  if (conversations.length === 0) {
    return;
  }
  const times = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone });
  const rows = conversations.slice(0, MOST_CONVERSATIONS).map(({ id, endedAt, label, tier, form }) => {
    const [shown, fate] = forms[form];
    const mark = make("i", `mark ${fate.replace(" ", "-")}`);
    mark.setAttribute("aria-hidden", "true");
    const ended = endedAt == null ? label : `${label}, ${times.format(endedAt)}`;
    const texts = [make("span", "name", id), tiers[tier], shown].map((text) => make("td", "", text));
    return make("tr", "", make("td", "", mark, ended), ...texts);
  });
  if (conversations.length > rows.length) {
    const cell = make("td", "hint", `and ${formatNumber(conversations.length - rows.length)} more`);
    cell.colSpan = 4;
    rows.push(make("tr", "", cell));
  }
  find("conversation-rows").replaceChildren(...rows);
}
