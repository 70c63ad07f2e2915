// Hands over a sub-task: builds a context for another agent with the task, the session's instructions and pinned
// messages and the user's lasting statements, and nothing else. The other agent's result comes back as one message that
// names its sub-task.

import { ContextError } from "../base/errors.js";
import type { Reason } from "../base/generated.js";
import { idOf } from "../base/ids.js";
import { checkOptions, type OptionRules } from "../base/options.js";
import type { ContextConfig } from "../config/config.js";
import type { BuiltContext } from "../context/context.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { MessageInput } from "../message/message.js";

/** A sub-task, and options of its context. */
export interface HandoffOptions<M extends AnyMessage = MessageInput>
  extends Pick<ContextConfig<M>, "model" | "encoding" | "render" | "redact" | "timeZone" | "now" | "signal"> {
  /** The sub-task in words. It becomes the request of the context. */
  readonly task: string;
  /** Maximum number of tokens of the context, including the task. */
  readonly maxTokens: number;
  /** The id of a model's call, if one asked for the sub-task. The result then answers that call. */
  readonly toolCallId?: string | undefined;
}

/** The facts of a sub-task, as the log of builds keeps them. */
export interface HandoffFacts {
  readonly id: string;
  readonly task: string;
  readonly toolCallId?: string;
}

/** A sub-task that has been handed over. */
export interface Handoff<M extends AnyMessage = MessageInput> extends HandoffFacts {
  /** The context of the sub-agent. */
  readonly context: BuiltContext<M>;
  /**
   * Appends the sub-agent's result to the session as one message, and returns that message. The result is data: neither
   * an instruction nor part of a request. A second result replaces the first.
   */
  result(text: string): Promise<M>;
}

const KIND = "session_error";
const OTHER: OptionRules[string] = ["as buildContext takes it", () => true];
const HANDOFF: OptionRules<keyof HandoffOptions> = {
  task: ["a text that isn't blank", (value) => typeof value === "string" && value.trim() !== ""],
  maxTokens: ["an integer from 1", (value) => Number.isSafeInteger(value) && (value as number) > 0],
  toolCallId: ["a text that is not empty", (value) => typeof value === "string" && value !== ""],
  model: OTHER,
  encoding: OTHER,
  render: OTHER,
  redact: OTHER,
  timeZone: OTHER,
  now: OTHER,
  signal: OTHER,
};

/** Returns the facts of a sub-task, and the other options of its context. Fails with `INVALID_CONFIG`. */
export function readHandoff<M extends AnyMessage>(
  options: HandoffOptions<M>,
): { readonly facts: HandoffFacts; readonly maxTokens: number; readonly config: ContextConfig<M> } {
  checkOptions(KIND, options, HANDOFF, ["task", "maxTokens"]);
  const { task, maxTokens, toolCallId, ...config } = options;
  const facts = { id: idOf("handoff"), task, ...(toolCallId === undefined ? {} : { toolCallId }) };
  return { facts, maxTokens, config: { ...config, now: config.now ?? Date.now() } as ContextConfig<M> };
}

/** The reasons of messages that every context has. */
const REQUIRED: ReadonlySet<Reason> = new Set<Reason>(["instruction", "pinned"]);

/** Returns a config whose context has the instructions and pinned messages. */
export function requiredConfig<M extends AnyMessage>(
  config: ContextConfig<M>,
  maxTokens: number,
  request: MessageInput,
): ContextConfig<M> {
  return { ...config, request, budget: { maxTokens }, recall: { ranking: "recency" } };
}

/** Returns the instructions and pinned messages of a context, in order. `messages` are those that it selected from. */
export function requiredIn<M extends AnyMessage>({ trace }: BuiltContext<M>, messages: readonly M[]): readonly M[] {
  return trace.ranges.flatMap(({ first, last, fate, reason }) =>
    fate === "left out" || !REQUIRED.has(reason) ? [] : messages.slice(first, last + 1),
  );
}

/** Every line break that a model may recognize. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

/** Returns the message with the result of a sub-task. */
export function resultMessage({ id, task, toolCallId }: HandoffFacts, text: string): MessageInput {
  const about = { id: `${id}.result`, source: "handoff", tags: ["handoff"] };
  const heading = `[Result of the sub-task ${JSON.stringify(task)}]`;
  return toolCallId === undefined
    ? {
        ...about,
        role: "user",
        // Each line is quoted, so it doesn't look like the user's.
        content: [{ type: "text", origin: "file", text: `${heading}\n> ${text.replace(LINE_END, "\n> ")}` }],
      }
    : { ...about, role: "tool", toolCallId, content: `${heading}\n${text}` };
}

/** Checks a result. Fails with `INVALID_SESSION`. */
export function checkResult(text: unknown): asserts text is string {
  if (typeof text !== "string" || text.trim() === "") {
    throw new ContextError({
      kind: KIND,
      code: "INVALID_SESSION",
      path: "text",
      message: "text: expected a text that isn't blank",
      nextAction: "Pass the sub-agent's result as a text. If it has none, pass a text that says so.",
    });
  }
}
