// A hook for AG-UI's client, which CopilotKit uses too: a run receives the context of its messages; the client keeps
// them all.

import type { AnyMessage, ContextMessage } from "windrow";
import { untilHole } from "../../base/lists.js";
import { hook } from "../plug/door.js";
import { fit, type HookConfig } from "../plug/fit.js";

export type { HookConfig } from "../plug/fit.js";

/** The fields of a `RunAgentInput` that the hook reads. */
export interface AgUiInput {
  readonly messages: readonly object[];
  readonly tools?: readonly object[];
  /** Facts about the app that the agent adds to its instructions. */
  readonly context?: readonly { readonly description?: string; readonly value?: string }[];
}

/**
 * Returns a function that replaces the messages of a `RunAgentInput` with their context. Call it in a middleware of the
 * client. The input's tools and facts count, and are passed on unchanged. The agent's own instructions and tools are on
 * its server, so pass them as `instructions` and `budget.tools`. Fails as `buildContext` does.
 */
export function transformRunInput(config: HookConfig = {}): <I extends AgUiInput>(input: I) => Promise<I> {
  return hook("transformRunInput", async (input: AgUiInput) => {
    const { messages, tools = [], context = [] } = input;
    const facts = untilHole(context).map(({ description = "", value = "" }) => `${description}: ${value}`);
    const call = { tools: untilHole(tools), instructions: facts.join("\n") };
    let madeCount = 0;
    /** Every message of AG-UI has an id. */
    const made = ({ role, content }: ContextMessage): AnyMessage =>
      ({ id: `windrow-${++madeCount}`, role, content }) as AnyMessage;
    return { ...input, messages: await fit(messages as readonly AnyMessage[], config, call, made) };
  }) as <I extends AgUiInput>(input: I) => Promise<I>;
}
