// The logs that Claude Code keeps. A row names the previous row in `parentUuid`, so an undone row has siblings. A row
// of a sidechain has `isSidechain`, a row for display only has `isMeta`, and an API error is a row of the assistant. A
// compaction starts a new root with a summary. The format isn't published; microsoft/amplifier
// (ai_working/claude_code_logging) and daaain/claude-code-log (dev-docs, test/test_data; MIT) document its fields.

import { timeMsOf } from "../message/times.js";
import { listIn, type Row, recordIn, textIn, unreadWordsIn } from "./file.js";
import { type LogFault, type LogKind, type LogNode, type LogRow, unknownRows } from "./log.js";
import { messageOfTurn } from "./turn-log.js";

export const claudeCodeLog: LogKind = {
  name: "Claude Code log",
  fits: ({ uuid, parentUuid }) => typeof uuid === "string" && parentUuid !== undefined,

  sessionsOf(rows) {
    const sessionAt = new Map(rows.map(({ value }) => [value.uuid, value.sessionId]));
    // The continued session, by the id of the session that continues it.
    const continued = new Map<unknown, unknown>();
    const first = (id: unknown): unknown => {
      let session = id;
      const passed: unknown[] = [];
      while (continued.has(session)) {
        passed.push(session);
        session = continued.get(session);
      }
      // Remembers the result for the whole chain, so that a long one is walked only once.
      for (const later of passed) {
        continued.set(later, session);
      }
      return session;
    };
    for (const { value } of rows) {
      const before = first(sessionAt.get(value.parentUuid ?? value.logicalParentUuid));
      const own = first(value.sessionId);
      if (before !== undefined && own !== undefined && before !== own) {
        continued.set(own, before);
      }
    }
    const sessions = new Map<unknown, LogRow[]>();
    let last: unknown;
    for (const row of rows) {
      last = row.value.sessionId === undefined ? last : first(row.value.sessionId);
      const session = sessions.get(last) ?? [];
      session.push(row);
      sessions.set(last, session);
    }
    return [...sessions.values()];
  },

  stepsOf(rows) {
    const steps = rows.filter(({ value }) => textIn(value.uuid) !== undefined);
    // The log of a sidechain has no other turns.
    const isSidechain = steps.every(({ value }) => !isTurn(value) || value.isSidechain === true);
    const isSummedUp = steps.some(({ value }) => value.isCompactSummary === true);
    const relinked = relinkedParents(steps);
    const nodes = steps
      .filter(({ value }) => isSidechain || value.isSidechain !== true)
      .map((row) => nodeOf(row, isSummedUp, relinked));
    const title = rows.findLast(({ value }) => TITLES.has(value.type))?.value;
    return {
      nodes,
      faults: [...unknownRows(rows, TURNS, "message"), ...turnsWithoutMessage(steps)],
      complete: (branch) => withQueued(withSiblings(branch as readonly Turn[], nodes), rows),
      facts: {
        id: steps.find(({ value }) => textIn(value.sessionId) !== undefined)?.value.sessionId,
        title: title?.customTitle ?? title?.aiTitle ?? title?.summary,
      },
    };
  },
};

/** Returns the faults of turns that have their words elsewhere than in a message. */
function turnsWithoutMessage(rows: readonly LogRow[]): readonly LogFault[] {
  return rows.flatMap(({ value, at }) => {
    const reason = isTurn(value) && recordIn(value.message) !== value.message ? unreadWordsIn(value) : undefined;
    return reason === undefined ? [] : [{ at, reason }];
  });
}

/** Rows with the conversation's title. */
const TITLES: ReadonlySet<unknown> = new Set(["summary", "custom-title", "ai-title"]);

/** A row of the log, with the ids of its reply, its calls and its results. */
interface Turn extends LogNode {
  /** The id of the reply that the row is a block of. Each block is a row. */
  readonly reply: string | undefined;
  readonly calls: readonly string[];
  readonly answers: readonly string[];
}

/** The types of rows with a message. */
const TURNS: ReadonlySet<unknown> = new Set(["user", "assistant"]);
const isTurn = ({ type }: Row): boolean => TURNS.has(type);

function nodeOf({ value, at }: LogRow, isSummedUp: boolean, relinked: (row: Row) => string | undefined): Turn {
  const id = value.uuid as string;
  const message = messageOf(value);
  const blocks = listIn(message?.content).map(recordIn);
  const idsOf = (type: string, field: string): readonly string[] =>
    blocks.filter((block) => block.type === type).map((block) => String(block[field]));
  // A compaction without a summary replaces nothing.
  const before = value.parentUuid ?? (isSummedUp ? undefined : value.logicalParentUuid);
  return {
    id,
    at,
    parent: relinked(value) ?? textIn(before),
    timeMs: timeMsOf(value.timestamp),
    isSaid: message !== undefined,
    messages: message === undefined ? [] : [message],
    compaction: value.isCompactSummary === true ? {} : undefined,
    reply: value.type === "assistant" ? textIn(recordIn(value.message).id) : undefined,
    calls: idsOf("tool_use", "id"),
    answers: idsOf("tool_result", "tool_use_id"),
  };
}

/** Returns the turn of a row. Undefined for rows that the model neither received nor wrote. */
function messageOf(value: Row): Row | undefined {
  const { uuid: id, isMeta, isApiErrorMessage, isCompactSummary, isVisibleInTranscriptOnly } = value;
  const isShown = isVisibleInTranscriptOnly === true && isCompactSummary !== true;
  if (isMeta === true || isApiErrorMessage === true || isShown) {
    return undefined;
  }
  const { type, prompt, commandMode = "prompt" } = recordIn(value.attachment);
  // The user's words, typed while the model was working.
  const isQueued = type === "queued_command" && commandMode === "prompt" && prompt != null;
  const turn = isQueued ? { role: "user", content: prompt, createdAt: value.timestamp } : messageOfTurn(value);
  return turn === undefined ? undefined : { id, ...turn };
}

/** News that the program queues for the model, such as the end of a task. */
const PROGRAMS_NEWS = /^\s*<task-notification>/;

/**
 * Adds to a branch the user's words that were queued while the model worked, and then given to it. They have no place in
 * the tree, so they follow the turn before them in the file. Newer versions repeat them in a row of the tree.
 */
function withQueued(branch: readonly Turn[], rows: readonly LogRow[]): readonly LogNode[] {
  const repeated = new Set(rows.map(({ value }) => recordIn(value.attachment).prompt));
  const isOfUser = (content: unknown): boolean =>
    textIn(content) !== undefined && !repeated.has(content) && !PROGRAMS_NEWS.test(content as string);
  const queued = new Map<unknown, LogNode[]>();
  let last: unknown;
  for (const { value, at } of rows) {
    const { type, operation, content, timestamp } = value;
    if (isTurn(value)) {
      last = value.uuid;
    } else if (type === "queue-operation" && operation === "remove" && isOfUser(content)) {
      const message = { role: "user", content, ...(timestamp == null ? {} : { createdAt: timestamp }) };
      const node = { id: `queued/${at}`, at, parent: undefined, timeMs: timeMsOf(timestamp), messages: [message] };
      const nodes = queued.get(last) ?? [];
      nodes.push(node);
      queued.set(last, nodes);
    }
  }
  return queued.size === 0 ? branch : branch.flatMap((turn) => [turn, ...(queued.get(turn.id) ?? [])]);
}

/**
 * Returns the new parents of rows that a compaction kept verbatim. They come after the summary and before later rows. A
 * later compaction counts more than an earlier one.
 */
function relinkedParents(rows: readonly LogRow[]): (row: Row) => string | undefined {
  const heads = new Map<unknown, readonly [order: number, parent: string]>();
  const followers = new Map<unknown, readonly [order: number, parent: string]>();
  for (const [order, { value }] of rows.entries()) {
    const { preservedSegment, preservedMessages } = recordIn(value.compactMetadata);
    const { headUuid, anchorUuid, tailUuid } = recordIn(preservedSegment);
    const { uuids, anchorUuid: anchorOfAll } = recordIn(preservedMessages);
    // Newer versions name all rows, because those between may have been written again with other parents.
    const named = listIn(uuids).flatMap((uuid) => textIn(uuid) ?? []);
    const anchor = textIn(anchorUuid) ?? textIn(anchorOfAll);
    const [head, tail] = [named[0] ?? textIn(headUuid), named.at(-1) ?? textIn(tailUuid)];
    if (head !== undefined && anchor !== undefined && tail !== undefined) {
      followers.set(anchor, [order, tail]);
      heads.set(head, [order, anchor]);
      for (const [at, uuid] of named.slice(1).entries()) {
        heads.set(uuid, [order, named[at] as string]);
      }
    }
  }
  return ({ uuid, parentUuid }) => {
    const [headOrder, asHead] = heads.get(uuid) ?? [-1, undefined];
    const [order, asFollower] = followers.get(parentUuid) ?? [-1, undefined];
    return headOrder >= order || asFollower === uuid ? asHead : asFollower;
  };
}

/**
 * Adds to a branch the other blocks of its replies, and the results of its calls. Parallel calls have sibling results,
 * and only one of these is on the way to the root.
 */
function withSiblings(branch: readonly Turn[], nodes: readonly Turn[]): readonly Turn[] {
  const replies = new Set(branch.flatMap(({ reply }) => reply ?? []));
  const isOn = new Set(branch.map(({ id }) => id));
  const blocks = nodes.filter(({ id, reply }) => !isOn.has(id) && reply !== undefined && replies.has(reply));
  const said = [...branch, ...blocks];
  const open = new Set(said.flatMap(({ calls }) => calls));
  for (const { answers } of branch) {
    for (const call of answers) {
      open.delete(call);
    }
  }
  const results = nodes.filter(({ id, answers }) => !isOn.has(id) && answers.some((call) => open.delete(call)));
  if (blocks.length + results.length === 0) {
    return branch;
  }
  const makers = new Map(said.flatMap((turn) => turn.calls.map((call) => [call, turn] as const)));
  const ends = new Map(branch.flatMap((turn) => (turn.reply === undefined ? [] : [[turn.reply, turn] as const])));
  const followers = new Map<Turn, Turn[]>();
  for (const turn of [...blocks, ...results]) {
    const maker = turn.reply === undefined ? turn.answers.map((call) => makers.get(call)).find(Boolean) : turn;
    const leader = ends.get(maker?.reply ?? "") ?? maker;
    if (leader !== undefined) {
      const known = followers.get(leader) ?? [];
      followers.set(leader, known);
      known.push(turn);
    }
  }
  return branch.flatMap((turn) => [turn, ...(followers.get(turn) ?? [])]);
}
