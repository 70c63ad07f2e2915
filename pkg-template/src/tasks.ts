// Tasks of an agent system as messages, after document 003.

import { ContextError } from "./errors.js";
import { jsonOf as jsonText } from "./lists.js";
import { describe, type MessageInput } from "./messages.js";
import { publicCall } from "./public-call.js";

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

type Fields = Readonly<Record<string, unknown>>;

/**
 * The message that a task is to a model; undefined where it is none: the result of a tool, which is not shown to keep
 * large outputs out, an action that is not known, and what has no content.
 *
 * | action | message |
 * |---|---|
 * | `execute` | the user says `content` |
 * | `node.thinking` | the assistant says `content` |
 * | `node.tool_call` | the assistant says `[Calling name(arguments)]`; of `tool_name` and `tool_args` |
 * | `node.message` | the assistant says `[Direct message] content`, to the target, with `priority` and `ttl_seconds` |
 * | `node.delegation_request` | the assistant says `[Delegation request from sender] subtask` |
 * | `node.delegation_response` | the assistant says `[Delegation response from sender] result` |
 */
export function messageOfTask(task: TaskInput | PythonTaskInput): MessageInput | undefined {
  return publicCall("transcript_error", "messageOfTask", () => read(task));
}

function read(task: TaskInput | PythonTaskInput): MessageInput | undefined {
  if (typeof task !== "object" || task === null) {
    return undefined;
  }
  const fields = task as unknown as Fields;
  const parameters = (fields.parameters ?? {}) as Fields;
  const content = textOf(parameters.content);
  const says = (role: "user" | "assistant", text: string | undefined, prefix = ""): MessageInput | undefined =>
    text === undefined ? undefined : messageWith(fields, role, prefix + text);
  switch (task.action) {
    case "execute":
      return says("user", content);
    case "node.thinking":
      return says("assistant", content);
    case "node.tool_call":
      return says("assistant", callOf(parameters));
    case "node.message": {
      const message = says("assistant", content, "[Direct message] ");
      return message && { ...message, ...directOf(fields, parameters) };
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
          message: `tasks[${index}]: there is no task here`,
          nextAction: "Leave out places of the list that have nothing.",
        });
      }
      const message = read(task);
      if (message !== undefined && arrives(task, message)) {
        messages.push(message);
      }
    }
    return messages;
  });
}

function messageWith(task: Fields, role: "user" | "assistant", content: string): MessageInput {
  return given({
    id: task.id ?? task.task_id,
    role,
    content,
    source: task.sourceAgent ?? task.source_agent,
    sessionId: task.sessionId ?? task.session_id,
    createdAt: task.createdAt ?? task.created_at,
  }) as unknown as MessageInput;
}

/** What makes a message a direct one. A node that is not the agent itself is another name of the target. */
function directOf(task: Fields, parameters: Fields): Fields {
  const agent = textOf(task.targetAgent ?? task.target_agent);
  const node = textOf(parameters.target_node_id ?? parameters.targetNodeId);
  const names = [...new Set([agent, node].filter((name) => name !== undefined))];
  return given({
    target: names.length > 1 ? names : names[0],
    priority: numberOf(parameters.priority, 1),
    ttlSeconds: numberOf(parameters.ttl_seconds ?? parameters.ttlSeconds, Number.MAX_SAFE_INTEGER),
  });
}

/** A call in words, with its arguments as JSON; `...` stands where there are none. */
function callOf(parameters: Fields): string | undefined {
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

function senderOf(task: Fields): string {
  return textOf(task.sourceAgent ?? task.source_agent) ?? "unknown";
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A number as a message takes it: what is below 0 is 0, and what is above the most is the most. */
function numberOf(value: unknown, most: number): number | undefined {
  return typeof value === "number" && !Number.isNaN(value) ? Math.min(Math.max(value, 0), most) : undefined;
}

/** An object without the fields that are not given. */
function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}
