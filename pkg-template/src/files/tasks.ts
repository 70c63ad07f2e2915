// Tasks of an agent system as messages, after Loom.

import { ContextError } from "../base/errors.js";
import { firstHole, jsonOf as jsonText } from "../base/lists.js";
import { describe } from "../base/options.js";
import { publicCall } from "../base/public-call.js";
import type { MessageInput } from "../message/message.js";

/** A task: something that an agent does, says, or is told. */
export interface TaskInput {
  readonly id?: string | null | undefined;
  /** What it is: `execute`, `node.thinking`, `node.tool_call`, `node.message` and so on. */
  readonly action: string;
  /** What belongs to the action, for example `content`. */
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
  readonly sessionId?: string | null | undefined;
  /** The agent that it is from. */
  readonly sourceAgent?: string | null | undefined;
  /** The agent that it is for. */
  readonly targetAgent?: string | null | undefined;
  readonly createdAt?: string | number | Date | null | undefined;
}

/** A task with its fields spelled as Python programs do. */
export interface PythonTaskInput {
  readonly task_id?: string | null | undefined;
  readonly action: string;
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
  readonly session_id?: string | null | undefined;
  readonly source_agent?: string | null | undefined;
  readonly target_agent?: string | null | undefined;
  readonly created_at?: string | number | Date | null | undefined;
}

type TaskFields = Readonly<Record<string, unknown>>;

/**
 * The message that shows a task to a model; undefined for a task that is not shown. Results of tools are not shown, to keep large
 * outputs out, nor unknown actions, nor tasks without content.
 *
 * | action | message |
 * |---|---|
 * | `execute` | the user says `content` |
 * | `node.thinking` | the assistant says `content` |
 * | `node.tool_call` | the assistant says `[Calling name(arguments)]`; of `tool_name` and `tool_args` |
 * | `node.message` | the assistant says `[Direct message] content`, to the target, with `priority` and `ttl_seconds` |
 * | `node.delegation_request` | the assistant says `[Delegation request from sender] subtask` |
 * | `node.delegation_response` | the assistant says `[Delegation response from sender] result` |
 *
 * `parent_task_id` and `metadata` of the parameters become the message's `parentTaskId` and `metadata`, which windrow does
 * not look at and hands back. A priority outside 0 to 1, or a time to live below 0, fails with `INVALID_TRANSCRIPT`.
 */
export function messageOfTask(task: TaskInput | PythonTaskInput): MessageInput | undefined {
  return publicCall("transcript_error", "messageOfTask", () => convert(task, "task"));
}

function convert(task: TaskInput | PythonTaskInput, place: string): MessageInput | undefined {
  if (typeof task !== "object" || task === null) {
    return undefined;
  }
  const fields = task as unknown as TaskFields;
  const parameters = (fields.parameters ?? {}) as TaskFields;
  const content = textOf(parameters.content);
  const says = (role: "user" | "assistant", text: string | undefined, prefix = ""): MessageInput | undefined =>
    text === undefined ? undefined : messageWith(fields, parameters, role, prefix + text);
  switch (task.action) {
    case "execute":
      return says("user", content);
    case "node.thinking":
      return says("assistant", content);
    case "node.tool_call":
      return says("assistant", callOf(parameters));
    case "node.message": {
      const message = says("assistant", content, "[Direct message] ");
      return message && { ...message, ...directOf(fields, parameters, `${place}.parameters`) };
    }
    case "node.delegation_request":
      return says("assistant", textOf(parameters.subtask), `[Delegation request from ${senderOf(fields)}] `);
    case "node.delegation_response":
      return says("assistant", textOf(parameters.result), `[Delegation response from ${senderOf(fields)}] `);
    default:
      return undefined;
  }
}

/**
 * The messages that tasks are to a model, in their order, without those that are none. A direct message needs a sender and
 * a target: without either it reaches nobody.
 */
export function messagesOfTasks(tasks: readonly (TaskInput | PythonTaskInput)[]): MessageInput[] {
  const arrives = (task: TaskInput | PythonTaskInput, message: MessageInput): boolean =>
    task.action !== "node.message" || (message.source != null && message.target != null);
  return publicCall("transcript_error", "messagesOfTasks", () => {
    if (!Array.isArray(tasks)) {
      throw new ContextError({
        kind: "transcript_error",
        code: "INVALID_TRANSCRIPT",
        message: `expected a list of tasks, got ${describe(tasks)}`,
        nextAction: "Pass an array of tasks.",
      });
    }
    const messages: MessageInput[] = [];
    for (const [index, task] of tasks.entries()) {
      if (task == null) {
        throw new ContextError({
          kind: "transcript_error",
          code: "INVALID_TRANSCRIPT",
          path: `tasks[${index}]`,
          message: `tasks[${index}]: the task is missing`,
          nextAction: "Remove empty elements from the list.",
        });
      }
      const message = convert(task, `tasks[${index}]`);
      if (message !== undefined && arrives(task, message)) {
        messages.push(message);
      }
    }
    return messages;
  });
}

/** A layer of an agent's memory: recent (L1), working (L2), summaries of sessions (L3), and what all sessions share (L4). */
export type MemoryLayer = "L1" | "L2" | "L3" | "L4";

/** A query in a layer of memory. */
export interface LayerQuery {
  /** The session whose entries are wanted; L4 gives those of all sessions anyway. Default: all sessions. */
  readonly sessionId?: string | null | undefined;
  /** The most entries; the newest stay. Default: all. */
  readonly limit?: number | null | undefined;
  /** The clock, for entries with a time to live. Default: the host's clock. */
  readonly now?: number | string | Date | null | undefined;
}

/**
 * Looks up entries in a layer of memory, of a list that holds the layer's tasks or messages, oldest first: those of the
 * session, and in L4 those of every session; without direct messages that have expired; the newest `limit` of them.
 *
 * ```js
 * const messages = messagesOfTasks([
 *   ...queryLayer("L2", memory.l2, { sessionId, limit: 10 }),
 *   ...queryLayer("L1", memory.l1, { sessionId, limit: 10 }),
 * ]);
 * ```
 */
export function queryLayer<T extends TaskInput | PythonTaskInput | MessageInput>(
  layer: MemoryLayer,
  entries: readonly T[],
  query: LayerQuery = {},
): T[] {
  return publicCall("transcript_error", "queryLayer", () => entriesOf(layer, entries, query));
}

function entriesOf<T extends TaskInput | PythonTaskInput | MessageInput>(
  layer: MemoryLayer,
  entries: readonly T[],
  { sessionId, limit, now }: LayerQuery,
): T[] {
  if (!["L1", "L2", "L3", "L4"].includes(layer)) {
    throw misused("layer", `expected L1, L2, L3 or L4, got ${describe(layer)}`, "Name one of the four layers.");
  }
  if (!Array.isArray(entries)) {
    throw misused(
      "entries",
      `expected a list, got ${describe(entries)}`,
      "Pass the layer's tasks or messages as a list.",
    );
  }
  const hole = firstHole(entries);
  if (hole >= 0) {
    throw misused(`entries[${hole}]`, "there is nothing here", "Remove empty elements from the list.");
  }
  if (limit != null && !(Number.isInteger(limit) && limit >= 0)) {
    throw misused("limit", `expected a whole number of 0 or more, got ${describe(limit)}`, "Pass a number.");
  }
  const clock = momentOf(now ?? Date.now());
  const found = entries.filter((entry) => {
    const fields = entry as unknown as TaskFields;
    const isOfSession = layer === "L4" || sessionId == null || (fields.sessionId ?? fields.session_id) === sessionId;
    return isOfSession && !isExpired(fields, clock);
  });
  return limit == null ? found : found.slice(Math.max(found.length - limit, 0));
}

/** Whether a time to live is over; without a time that cannot be known, and it counts as over. */
function isExpired(entry: TaskFields, clock: number): boolean {
  const parameters = (entry.parameters ?? {}) as TaskFields;
  const seconds = entry.ttlSeconds ?? parameters.ttl_seconds ?? parameters.ttlSeconds;
  return typeof seconds === "number" && !(clock - momentOf(entry.createdAt ?? entry.created_at) <= seconds * 1000);
}

function momentOf(time: unknown): number {
  return typeof time === "number" || typeof time === "string" || time instanceof Date
    ? new Date(time).getTime()
    : Number.NaN;
}

function misused(path: string, problem: string, nextAction: string): ContextError {
  return new ContextError({
    kind: "transcript_error",
    code: "INVALID_TRANSCRIPT",
    message: `${path}: ${problem}`,
    path,
    nextAction,
  });
}

function messageWith(
  task: TaskFields,
  parameters: TaskFields,
  role: "user" | "assistant",
  content: string,
): MessageInput {
  return given({
    id: task.id ?? task.task_id,
    role,
    content,
    source: task.sourceAgent ?? task.source_agent,
    sessionId: task.sessionId ?? task.session_id,
    createdAt: task.createdAt ?? task.created_at,
    parentTaskId: parameters.parent_task_id ?? parameters.parentTaskId,
    metadata: parameters.metadata,
  }) as unknown as MessageInput;
}

/** What makes a message a direct one. A node that is not the agent itself is another name of the target. */
function directOf(task: TaskFields, parameters: TaskFields, place: string): TaskFields {
  const agent = textOf(task.targetAgent ?? task.target_agent);
  const node = textOf(parameters.target_node_id ?? parameters.targetNodeId);
  const names = [...new Set([agent, node].filter((name) => name !== undefined))];
  return given({
    target: names.length > 1 ? names : names[0],
    priority: numberOf(parameters.priority, 1, `${place}.priority`),
    ttlSeconds: numberOf(
      parameters.ttl_seconds ?? parameters.ttlSeconds,
      Number.MAX_SAFE_INTEGER,
      `${place}.ttl_seconds`,
    ),
  });
}

/** A call in words, with its arguments as JSON; `...` stands where there are none. */
function callOf(parameters: TaskFields): string | undefined {
  const name = textOf(parameters.tool_name ?? parameters.toolName);
  const given = parameters.tool_args ?? parameters.toolArgs;
  const json = jsonOf(given) ?? "{}";
  return name === undefined ? undefined : `[Calling ${name}(${["", "{}", "[]"].includes(json) ? "..." : json})]`;
}

/** A value as JSON; undefined where it has none. */
function jsonOf(value: unknown): string | undefined {
  try {
    return typeof value === "string" ? value : jsonText(value ?? {});
  } catch {
    return undefined;
  }
}

function senderOf(task: TaskFields): string {
  return textOf(task.sourceAgent ?? task.source_agent) ?? "unknown";
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A number from 0 to the most; undefined where none is given. */
function numberOf(value: unknown, most: number, place: string): number | undefined {
  if (value == null) {
    return undefined;
  }
  if (typeof value === "number" && value >= 0 && value <= most) {
    return value;
  }
  const range = most === Number.MAX_SAFE_INTEGER ? "of 0 or more" : `from 0 to ${most}`;
  throw new ContextError({
    kind: "transcript_error",
    code: "INVALID_TRANSCRIPT",
    message: `${place}: expected a number ${range}, got ${describe(value)}`,
    path: place,
    nextAction: `Pass a number ${range}, or leave it out.`,
  });
}

/** An object without the fields that are not given. */
function given(fields: TaskFields): TaskFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}
