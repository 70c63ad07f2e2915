// Turns tasks of an agent system into messages, after Loom.

import { ContextError } from "../base/errors.js";
import { jsonOf as jsonText } from "../base/json.js";
import { firstHole } from "../base/lists.js";
import { describe } from "../base/options.js";
import { publicCall } from "../base/public-call.js";
import type { MessageInput } from "../message/message.js";

/** A task: an action of an agent, its words, or an instruction to it. */
export interface TaskInput {
  readonly id?: string | null | undefined;
  /** The kind of action: `execute`, `node.thinking`, `node.tool_call`, `node.message` and so on. */
  readonly action: string;
  /** The parameters of the action, for example `content`. */
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
  readonly sessionId?: string | null | undefined;
  /** The agent that sent it. */
  readonly sourceAgent?: string | null | undefined;
  /** The agent that receives it. */
  readonly targetAgent?: string | null | undefined;
  readonly createdAt?: string | number | Date | null | undefined;
}

/** A task with field names in Python's style. */
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
 * Returns the message that shows a task to a model. Undefined for a task that isn't shown: tool results, to keep
 * large outputs out, unknown actions, and tasks without content.
 *
 * | action | message |
 * |---|---|
 * | `execute` | the user says `content` |
 * | `node.thinking` | the assistant says `content` |
 * | `node.tool_call` | the assistant says `[Calling name(arguments)]`, from `tool_name` and `tool_args` |
 * | `node.message` | the assistant says `[Direct message] content`, to the target, with `priority` and `ttl_seconds` |
 * | `node.delegation_request` | the assistant says `[Delegation request from sender] subtask` |
 * | `node.delegation_response` | the assistant says `[Delegation response from sender] result` |
 *
 * `parent_task_id` and `metadata` of the parameters become the message's `parentTaskId` and `metadata`. windrow doesn't
 * read these and hands them back. Fails with `INVALID_TRANSCRIPT` for a priority outside 0 to 1, or a time to live
 * below 0.
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
 * Returns the messages that show tasks to a model, in order, and skips tasks that aren't shown. A direct message needs
 * a sender and a target; without either it reaches nobody.
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

/**
 * A layer of an agent's memory: recent (L1), working (L2), summaries of sessions (L3), and knowledge shared by all
 * sessions (L4).
 */
export type MemoryLayer = "L1" | "L2" | "L3" | "L4";

/** A query in a layer of memory. */
export interface LayerQuery {
  /** The session whose entries are wanted. L4 always returns those of all sessions. Default: all sessions. */
  readonly sessionId?: string | null | undefined;
  /** Maximum number of entries. The newest are kept. Default: all. */
  readonly limit?: number | null | undefined;
  /** The clock, for entries with a time to live. Default: the host's clock. */
  readonly now?: number | string | Date | null | undefined;
}

/**
 * Returns the entries of a layer of memory from a list that has the layer's tasks or messages, oldest first. Includes
 * those of the session, and in L4 those of every session. Leaves out direct messages that have expired, and all but the
 * newest `limit` entries.
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
    throw misused("limit", `expected an integer of 0 or more, got ${describe(limit)}`, "Pass a number.");
  }
  const clock = momentOf(now ?? Date.now());
  const found = entries.filter((entry) => {
    const fields = entry as unknown as TaskFields;
    const isOfSession = layer === "L4" || sessionId == null || (fields.sessionId ?? fields.session_id) === sessionId;
    return isOfSession && !isExpired(fields, clock);
  });
  return limit == null ? found : found.slice(Math.max(found.length - limit, 0));
}

/** True if a time to live has passed. An entry without a time counts as expired. */
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

/** Returns the fields of a direct message. A node other than the agent itself is another name for the target. */
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

/** Describes a call, with its arguments as JSON, or `...` without any. */
function callOf(parameters: TaskFields): string | undefined {
  const name = textOf(parameters.tool_name ?? parameters.toolName);
  const given = parameters.tool_args ?? parameters.toolArgs;
  const json = jsonOf(given) ?? "{}";
  return name === undefined ? undefined : `[Calling ${name}(${["", "{}", "[]"].includes(json) ? "..." : json})]`;
}

/** Returns a value as JSON. Undefined if it has no JSON form. */
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

/** Returns a number from 0 to `most`. Undefined if it is missing. */
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

/** Returns an object without its empty fields. */
function given(fields: TaskFields): TaskFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}
