// OpenAI's Agents SDK: what a run sends its model, and what a session hands to a run.

import type { AnyMessage } from "windrow";
import { hook, listed } from "../plug/door.js";
import { fit, type HookConfig, modelName } from "../plug/fit.js";

export type { HookConfig } from "../plug/fit.js";

/** What a `callModelInputFilter` is given, as far as it is used. */
export interface FilterOptions<I> {
  readonly modelData: { readonly input: I[]; readonly instructions?: string };
  readonly agent?: unknown;
}

/**
 * A `callModelInputFilter` that sends the context of the input, for the options of `run` or of a `Runner`. Instructions count; tools
 * the filter does not see, so give their definitions as `budget.tools`. Fails as `buildContext` does.
 */
export function callModelInputFilter(
  config: HookConfig = {},
): <I extends object>(options: FilterOptions<I>) => Promise<{ input: I[]; instructions?: string }> {
  return hook("callModelInputFilter", async <I extends object>({ modelData, agent }: FilterOptions<I>) => {
    const { model } = (agent ?? {}) as { readonly model?: unknown };
    const call = { model: modelName(model, "model", "modelId"), instructions: modelData.instructions };
    return { ...modelData, input: await fitItems(modelData.input, config, call) };
  });
}

/**
 * A `sessionInputCallback` that hands a run the context of the session's history and the new items. The session keeps all. Fails as
 * `buildContext` does.
 */
export function sessionInputCallback(
  config: HookConfig = {},
): <I extends object>(history: I[], added: I[]) => Promise<I[]> {
  return hook("sessionInputCallback", <I extends object>(history: I[], added: I[]) =>
    fitItems([...listed(history), ...listed(added)], config, {}),
  );
}

async function fitItems<I extends object>(
  items: readonly I[],
  config: HookConfig,
  call: Parameters<typeof fit>[2],
): Promise<I[]> {
  const render = { provider: "openai-responses", ...config.render } as const;
  const sent = await fit(
    items as readonly AnyMessage[],
    { ...config, render },
    call,
    (message) => message as AnyMessage,
  );
  return sent as I[];
}
