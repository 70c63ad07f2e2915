// Hands a sub-task over: a context for another agent that has the task and what holds throughout the session, and nothing else of it. The
// other agent's result comes back as one message that names its sub-task.

import { ContextError } from "../base/errors.js";
import type { Reason } from "../base/generated.js";
import { idOf } from "../base/ids.js";
import { checkOptions, type OptionRules } from "../base/options.js";
import type { ContextConfig } from "../config/config.js";
import { buildContext } from "../context/build.js";
import type { BuiltContext } from "../context/context.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { MessageInput } from "../message/message.js";

/** A sub-task, and for whom its context is. */
export interface HandoffOptions<M extends AnyMessage = MessageInput>
  extends Pick<ContextConfig<M>, "model" | "encoding" | "render" | "redact" | "timeZone" | "now" | "signal"> {
  /** The sub-task, in words. It is the request of the context. */
  readonly task: string;
  /** The most tokens of the context, with the task. */
  readonly maxTokens: number;
  /** The id of a model's call, if one asked for it. Then its result is the result of that call. */
  readonly toolCallId?: string | undefined;
}

/** The facts of a sub-task, as the log of builds keeps them. */
export interface HandoffFacts {
  readonly id: string;
  readonly task: string;
  readonly toolCallId?: string;
}

/** A sub-task that was handed over. */
export interface Handoff<M extends AnyMessage = MessageInput> extends HandoffFacts {
  /** The context of the sub-agent. */
  readonly context: BuiltContext<M>;
  /**
   * Appends the sub-agent's result to the session, as one message, and returns it. It is data: no instruction, and no part of a request.
   * A second result takes the place of the first.
   */
  result(text: string): Promise<M>;
}

const KIND = "session_error";
const OTHER: OptionRules[string] = ["as buildContext takes it", () => true];
const HANDOFF: OptionRules<keyof HandoffOptions> = {
  task: ["a text that is not blank", (value) => typeof value === "string" && value.trim() !== ""],
  maxTokens: ["a whole number from 1", (value) => Number.isSafeInteger(value) && (value as number) > 0],
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

/** The reasons of messages that hold throughout. */
const LASTING: ReadonlySet<Reason> = new Set<Reason>(["instruction", "pinned", "standing"]);

/** Returns a config that has room for everything that holds throughout, before anything else. */
export function lastingConfig<M extends AnyMessage>(
  config: ContextConfig<M>,
  maxTokens: number,
  request: MessageInput,
): ContextConfig<M> {
  const recall = {
    ranking: "relevance",
    maxRecentShare: 0,
    maxStandingShare: 1,
    maxStatementShare: 0,
    excerpts: { enabled: false },
  } as const;
  return { ...config, request, budget: { maxTokens }, recall };
}

/** A built context, with the messages that it was chosen from. */
export interface ChosenFrom<M extends AnyMessage> {
  readonly context: BuiltContext<M>;
  readonly messages: readonly M[];
}

/** A message that doesn't fit next to all others, and the room that an opening line takes. */
const FILLER = "x y ".repeat(1000);
const OPENING_TOKENS = 64;

/** Returns the messages that hold throughout, in their order. Ranking finds them only if not everything fits. */
export async function lastingMessages<M extends AnyMessage>(
  chosen: ChosenFrom<M>,
  maxTokens: number,
  config: ContextConfig<M>,
): Promise<readonly M[]> {
  const { context } = chosen;
  if (context.trimmed || context.trace.unreadCount > 0) {
    return lastingIn(chosen);
  }
  // It comes last: instructions are the messages that the conversation begins with.
  const messages = [...context.kept, { role: "assistant", content: FILLER } as unknown as M];
  const budget = { maxTokens: Math.min(maxTokens, context.tokens.total + OPENING_TOKENS) };
  const again = (await buildContext(messages, { ...config, sessionId: null, budget })) as unknown as BuiltContext<M>;
  return lastingIn({ context: again, messages });
}

function lastingIn<M extends AnyMessage>({ context, messages }: ChosenFrom<M>): readonly M[] {
  return context.trace.ranges.flatMap(({ first, last, fate, reason }) =>
    fate === "left out" || !LASTING.has(reason) ? [] : messages.slice(first, last + 1),
  );
}

/** Every line break that a model may read as one. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

/** Returns the message that brings the result of a sub-task. */
export function resultMessage({ id, task, toolCallId }: HandoffFacts, text: string): MessageInput {
  const about = { id: `${id}.result`, source: "handoff", tags: ["handoff"] };
  const heading = `[Result of the sub-task ${JSON.stringify(task)}]`;
  return toolCallId === undefined
    ? {
        ...about,
        role: "user",
        // A line of the result can't pass for one of the user's.
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
      message: "text: expected a text that is not blank",
      nextAction: "Pass the sub-agent's result as a text, or say in a text that it has none.",
    });
  }
}
