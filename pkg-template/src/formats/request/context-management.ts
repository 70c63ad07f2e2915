// Lists the parts of a prompt that a provider will clear by itself, if the rules of its `context_management` and
// of its late instructions are documented.
//
// https://platform.claude.com/docs/en/build-with-claude/context-editing and /compaction,
// https://developers.openai.com/api/docs/guides/compaction (read 2026-11-27)

import { listFrom } from "../../base/lists.js";
import { counted } from "../../base/words.js";
import { recordOf } from "../../message/format.js";
import type { ParsedMessage } from "../../message/read.js";
import { type ContextManagement, isShownForATime } from "../context-management.js";
import { takesInstructionsLate } from "./models.js";

/** The defaults that Anthropic documents. */
const CLEAR_AT_TOKENS = 100_000;
const COMPACT_AT_TOKENS = 150_000;
const KEPT_TOOL_USES = 3;

/** Describes the effect of each edit on a prompt, one line each. */
export function clearedWords(
  settings: ContextManagement,
  messages: readonly ParsedMessage[],
  tokens: number,
): readonly string[] {
  const edits = Array.isArray(settings) ? settings : listFrom((settings as { readonly edits?: unknown }).edits);
  return edits.map((edit) => wordsOf(recordOf(edit), messages, tokens));
}

/**
 * Describes the late instructions that the model no longer sees in a request to Anthropic: those before an assistant's
 * reply that a user message follows. User messages right after instructions are sent before them.
 */
export function hiddenWords(messages: readonly ParsedMessage[], model: string | null | undefined): readonly string[] {
  let [hidden, isAsked, isFollowed] = [0, false, false];
  for (const { message, given } of takesInstructionsLate(model) ? messages.toReversed() : []) {
    isFollowed ||= message.role === "assistant" && isAsked;
    isAsked ||= message.role === "user" || message.role === "tool";
    hidden += isFollowed && isShownForATime(given) ? 1 : 0;
  }
  return hidden === 0 ? [] : [`clear_at: the model no longer sees ${counted(hidden, "late system message")}`];
}

function wordsOf(edit: Readonly<Record<string, unknown>>, messages: readonly ParsedMessage[], tokens: number): string {
  const type = String(edit.type);
  switch (type) {
    case "clear_tool_uses_20250919":
      return `${type}: ${clearedToolUses(edit, messages, tokens)}`;
    case "clear_thinking_20251015": {
      const keep = edit.keep === undefined ? 1 : edit.keep === "all" ? undefined : recordOf(edit.keep).value;
      const turns = messages.filter(
        ({ message, parts }) => message.role === "assistant" && parts.some(isThinking),
      ).length;
      const cleared = typeof keep === "number" ? Math.max(turns - keep, 0) : 0;
      return `${type}: the thinking of ${counted(cleared, "message")} of ${turns} is cleared`;
    }
    case "compact_20260112":
      return `${type}: ${compacts(recordOf(edit.trigger).value ?? COMPACT_AT_TOKENS, tokens)}`;
    case "compaction":
      return `${type}: ${compacts(edit.compact_threshold, tokens)}`;
    default:
      return `${type}: its effect isn't documented`;
  }
}

const isThinking = ({ part }: ParsedMessage["parts"][number]): boolean =>
  part.type === "reasoning" || (part.type === "redacted_thinking" && part.note === undefined);

function compacts(threshold: unknown, tokens: number): string {
  if (typeof threshold !== "number") {
    return "the number of tokens that triggers compaction isn't known";
  }
  return tokens >= threshold
    ? `the prompt is compacted: it has ${tokens} tokens, and the limit is ${threshold}`
    : `nothing is compacted: the prompt has ${tokens} tokens, fewer than ${threshold}`;
}

/**
 * The oldest results are cleared once the prompt reaches a number of tokens or calls. The newest calls and calls of
 * excluded tools keep their results.
 */
function clearedToolUses(
  { trigger, keep, exclude_tools: excluded, clear_at_least: least }: Readonly<Record<string, unknown>>,
  messages: readonly ParsedMessage[],
  tokens: number,
): string {
  const calls = messages.flatMap(({ parts }) =>
    parts.flatMap(({ part }) => (part.type === "tool-call" ? [part.toolName] : [])),
  );
  const { type = "input_tokens", value = CLEAR_AT_TOKENS } = recordOf(trigger);
  const [has, unit] = type === "tool_uses" ? [calls.length, "tool use"] : [tokens, "token"];
  if (has <= Number(value)) {
    return `nothing is cleared: the prompt has ${counted(has, unit)}, no more than ${value}`;
  }
  const kept = Number(recordOf(keep).value ?? KEPT_TOOL_USES);
  const names = new Set(listFrom(excluded));
  const clearable = calls.slice(0, Math.max(calls.length - kept, 0)).filter((name) => !names.has(name)).length;
  const condition = least == null ? "" : `, if that frees ${recordOf(least).value} tokens`;
  return `the results of the oldest ${counted(clearable, "tool use")} of ${calls.length} are cleared${condition}`;
}
