// Values that a caller passes in addition to messages and request. A file that is an object may hold them too, under
// the names below.

import type { MessageInput } from "windrow";

/** A note that recall may find. */
export interface Knowledge {
  readonly text: string;
  readonly source?: string;
}

/** Values that go with a preset. */
export interface Given {
  /** `now`: the moment of the request. Default: that of the newest message; undefined if no message has a time. */
  readonly now: number | undefined;
  /** `timeZone`. Default: that of this computer. */
  readonly timeZone: string;
  /** `contents`: the contents of sections, by their ids. */
  readonly contents: Readonly<Record<string, unknown>>;
  /** `knowledge`: the notes that recall may find. */
  readonly knowledge: readonly Knowledge[];
  /** `conversations`: facts about conversations, for `tiers.conversations`. */
  readonly conversations: readonly unknown[];
}

/** Reads these values from the text of a file. */
export function givenBy(text: string, messages: readonly MessageInput[]): Given {
  const file = objectIn(text);
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const isNote = (note: unknown): note is Knowledge => typeof (note as Knowledge | null)?.text === "string";
  const given = timeOf(file.now);
  return {
    now: given ?? newestOf(messages),
    timeZone: typeof file.timeZone === "string" ? file.timeZone : Intl.DateTimeFormat().resolvedOptions().timeZone,
    contents: isObject(file.contents) ? file.contents : {},
    knowledge: list(file.knowledge).filter(isNote),
    conversations: list(file.conversations),
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" || typeof value === "number" ? new Date(value).getTime() : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

const MINUTE = 60_000;

/** The end of the minute of the newest message. */
function newestOf(messages: readonly MessageInput[]): number | undefined {
  let newest: number | undefined;
  for (const { createdAt } of messages) {
    const time = timeOf(createdAt);
    newest = time === undefined ? newest : Math.max(newest ?? time, time);
  }
  return newest === undefined ? undefined : Math.ceil((newest + 1) / MINUTE) * MINUTE;
}
