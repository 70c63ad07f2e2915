// The rollouts that the Codex CLI keeps: rows `{ timestamp, type, payload }`. A row of the type `response_item` is an
// item of the Responses API; others invalidate earlier items. The first versions wrote a header and bare items. The
// types are those of `RolloutItem` in openai/codex (codex-rs/history, codex-rs/protocol).

import { isRecord } from "../base/plain-data.js";
import { timeMsOf } from "../message/times.js";
import { listIn, type Row, recordIn, textIn } from "./file.js";
import { type LogKind, type LogNode, type LogRow, unknownRows } from "./log.js";
import { shownOf } from "./tree.js";

export const codexRollout: LogKind = {
  name: "Codex rollout",
  fits: (row) =>
    (ROWS.has(row.type) && isRecord(row.payload)) || typeof row.record_type === "string" || isBareHeader(row),

  stepsOf(rows) {
    const nodes: LogNode[] = [];
    /** The steps that are still valid. */
    const branch: LogNode[] = [];
    const step = (row: LogRow, messages: readonly Row[], compaction?: LogNode["compaction"]): void => {
      const node: LogNode = {
        id: String(nodes.length),
        at: row.at,
        parent: branch.at(-1)?.id,
        timeMs: timeMsOf(row.value.timestamp),
        messages,
        compaction,
      };
      nodes.push(node);
      branch.push(node);
    };
    const hasItems = rows.some(({ value }) => value.type === "response_item" || value.payload === undefined);
    let header: Row | undefined;
    for (const row of rows) {
      const { value } = row;
      const payload = value.payload === undefined ? value : recordIn(value.payload);
      switch (value.payload === undefined ? bareType(value) : value.type) {
        case "session_meta":
          // A forked session has the original's header after its own.
          if (header === undefined) {
            header = payload;
            step(row, instructionsOf(payload));
          }
          break;
        case "response_item":
          step(row, itemOf(payload, value));
          break;
        case "inter_agent_communication":
          step(row, itemOf({ role: "assistant", content: JSON.stringify(payload) }, value));
          break;
        case "compacted":
          takeSummary(row, payload, branch, step);
          break;
        case "event_msg":
          if (payload.type === "thread_rolled_back") {
            rollBack(branch, payload.num_turns);
          } else if (!hasItems) {
            step(row, eventOf(payload));
          }
          break;
        default:
      }
    }
    const facts = { id: header?.id, startedAt: header?.timestamp };
    return { nodes, leaf: branch.at(-1)?.id, facts, faults: unknownRows(rows, ROWS, "payload") };
  },
};

/** True for the header of the first versions. A request or an answer of the Responses API isn't one. */
const isBareHeader = ({ type, role, id, timestamp, ...rest }: Row): boolean =>
  type === undefined &&
  role === undefined &&
  typeof id === "string" &&
  timeMsOf(timestamp) !== undefined &&
  "instructions" in rest &&
  !["messages", "input", "output"].some((field) => field in rest);

/** The types of rows. All but a few are for the program. */
const ROWS: ReadonlySet<unknown> = new Set([
  ...["session_meta", "response_item", "inter_agent_communication", "event_msg", "turn_context", "compacted"],
  ...["inter_agent_communication_metadata", "token_usage_record", "world_state", "retained_context"],
  ...["security_risk_score", "realtime_item"],
]);

/** Returns the type of a row written by the first versions. */
function bareType({ record_type, type, role, instructions, id }: Row): unknown {
  if (record_type !== undefined) {
    return record_type;
  }
  const isHeader = type === undefined && role === undefined && (instructions !== undefined || id !== undefined);
  return isHeader ? "session_meta" : "response_item";
}

function instructionsOf({ instructions, base_instructions }: Row): readonly Row[] {
  const text = textIn(recordIn(base_instructions).text) ?? textIn(base_instructions) ?? textIn(instructions);
  return text === undefined ? [] : [{ role: "system", content: text }];
}

/** Items that the model doesn't receive. */
const SILENT: ReadonlySet<unknown> = new Set(["ghost_snapshot", "other", "compaction_trigger"]);

function itemOf(item: Row, { timestamp }: Row): readonly Row[] {
  if (SILENT.has(item.type) || (item.type === "context_compaction" && item.encrypted_content == null)) {
    return [];
  }
  const own = inApi(item);
  return [timestamp == null || item.createdAt != null ? own : { ...own, createdAt: timestamp }];
}

/** Returns an item in the form of the Responses API. Codex adds a few forms. */
function inApi({ type, ...item }: Row): Row {
  switch (type) {
    case "message": {
      const { phase, ...message } = item;
      return { type, ...message };
    }
    // The words of another agent to this one.
    case "agent_message":
      return { role: "assistant", name: item.author, content: item.content };
    case "context_compaction":
      return { type: "compaction", ...item };
    default:
      return type === undefined ? item : { type, ...item };
  }
}

/** Returns the message of an event, for a rollout without items. */
function eventOf({ type, message }: Row): readonly Row[] {
  const role = type === "user_message" ? "user" : type === "agent_message" ? "assistant" : undefined;
  return role === undefined || textIn(message) === undefined ? [] : [{ role, content: message }];
}

/** Applies a compaction: its replacement history or, without one, a summary after the user's words. */
function takeSummary(
  row: LogRow,
  { message, replacement_history }: Row,
  branch: readonly LogNode[],
  step: (row: LogRow, messages: readonly Row[], compaction: LogNode["compaction"]) => void,
): void {
  const history = listIn(replacement_history).map(recordIn);
  if (history.length > 0) {
    step(row, history, {});
    return;
  }
  const kept = shownOf(branch).filter(
    ({ messages, compaction }) =>
      compaction === undefined && messages.every((said) => SPEAKERS.has(recordIn(said).role)),
  );
  const summary = textIn(message) === undefined ? [] : [{ role: "user", content: message as string }];
  step(row, summary, { kept: new Set(kept.map(({ id }) => id)) });
}

/** The roles whose messages a compaction keeps. */
const SPEAKERS: ReadonlySet<unknown> = new Set(["user", "system", "developer"]);

/** Removes the user's newest turns and everything after them. */
function rollBack(branch: LogNode[], turns: unknown): void {
  for (let left = Number(turns) || 0; left > 0 && branch.length > 0; left--) {
    const at = branch.findLastIndex(({ messages }) => messages.some((message) => isAsked(recordIn(message))));
    if (branch[at]?.compaction !== undefined) {
      return;
    }
    branch.length = Math.max(at, 0);
  }
}

/** The roles of everyone but the user. An unknown one counts as a user. */
const OTHER_ROLES: ReadonlySet<unknown> = new Set(["assistant", "system", "developer", "tool"]);

/** True if a message is the user's own, and not one that Codex sends in the user's name. */
function isAsked(message: Row): boolean {
  const { role } = message;
  const isNews = /^\s*<(?:user_shell_command|subagent_notification|skill)>/.test(startOf(message));
  return role !== undefined && !OTHER_ROLES.has(role) && !isToldByAgent(message) && !isNews;
}

/** True if an agent tells the model something in the user's name: project rules, or facts about the machine. */
export const isToldByAgent = (message: Row): boolean =>
  message.role === "user" &&
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted)>|# AGENTS\.md)/.test(startOf(message));

/** Returns the first text of a message. */
const startOf = ({ content }: Row): string => textIn(content) ?? textIn(recordIn(listIn(content)[0]).text) ?? "";
