// Why a message is in or out, as a short chip and as a color. The words are the package's, and the page only shortens
// them.

import type { Reason } from "windrow";

/** The meanings of colors. */
export type Why =
  | "instruction"
  | "match"
  | "near"
  | "required"
  | "newest"
  | "standing"
  | "history"
  | "request"
  | "made"
  | "out";

export const whyTitles: Readonly<Record<Why, string>> = {
  instruction: "instructions",
  match: "has the request's words",
  near: "belongs to a match",
  required: "must be in",
  newest: "newest",
  standing: "holds throughout",
  history: "history",
  request: "the request",
  made: "not a message",
  out: "left out",
};

const chips: Readonly<Partial<Record<Reason, Chip>>> = {
  instruction: ["instructions", "instruction"],
  pinned: ["pinned", "required"],
  request: ["the request", "request"],
  reply_to: ["replied to", "required"],
  required_newest: ["newest, required", "required"],
  direct: ["for this agent", "required"],
  recent: ["recent, always in", "newest"],
  chosen: ["chosen by triage", "match"],
  newest: ["newest", "newest"],
  standing: ["holds throughout", "standing"],
  statement: ["said about themselves", "standing"],
  recalled: ["recalled", "near"],
  paired: ["goes with a match", "near"],
  history: ["history", "history"],
  over_budget: ["no room", "out"],
  run_ended: ["older than what had no room", "out"],
  ranked_lower: ["others fit better", "out"],
  over_limit: ["no room in its section", "out"],
  split_group: ["its other half is out", "out"],
  beyond_lookback: ["beyond the window", "out"],
  beyond_user_turns: ["beyond the window", "out"],
  beyond_recent_messages: ["beyond the window", "out"],
  too_old: ["too old", "out"],
  beyond_age: ["too old", "out"],
  tag: ["excluded tag", "out"],
  source: ["excluded source", "out"],
  role: ["excluded role", "out"],
  not_chosen: ["triage said no", "out"],
  not_candidate: ["not asked about", "out"],
  summarized: ["in a summary", "out"],
  tier_not_shown: ["its tier is not shown", "out"],
  tool_calls: ["tool calls excluded", "out"],
  same_as_request: ["is the request", "out"],
  no_section: ["no place for history", "out"],
};

const PREFIX = /^recalled for the request: /;

/** The chip of a message and its color. */
export type Chip = readonly [chip: string, why: Why];

/** The chip of a reason. */
export function chipOf(reason: Reason): Chip {
  return chips[reason] ?? [reason.replaceAll("_", " "), "out"];
}

/** The chip of a message that was recalled, from the reason's own words; undefined if the reason isn't recall. */
export function recalledChip(words: string): Chip | undefined {
  if (!PREFIX.test(words)) {
    return undefined;
  }
  const [first = ""] = words.replace(PREFIX, "").split(";");
  const chip = first
    .replace(/^it is next to messages with /, "next to ")
    .replace(/^it is from a conversation about it$/, "same conversation")
    .replace(/^it is from a time that the request names$/, "of the time asked about")
    .replace(/^it (is )?/, "");
  return [chip, first.startsWith("it has") || first.startsWith("it is by") ? "match" : "near"];
}
