// A hook for LlamaIndexTS: the memory of a chat engine or an agent hands the model a context of its messages, and keeps
// them all.

import type { AnyMessage } from "windrow";
import { publicCall } from "../../base/public-call.js";
import { hook } from "../plug/door.js";
import { fit, type HookConfig, modelName } from "../plug/fit.js";

export type { HookConfig } from "../plug/fit.js";

/** The methods of a memory that the hook uses. */
export interface LlamaIndexMemory {
  get(): Promise<object[]>;
  /** Called by chat engines and agents before each call of the model. */
  getLLM(llm?: never, transientMessages?: never): Promise<object[]>;
}

type GetMessages = (llm: unknown, added?: readonly object[]) => Promise<readonly object[]>;

/** A context window in tokens that no chat fills, so the memory itself leaves nothing out. */
const WHOLE = 1e9;

/**
 * Makes a memory hand the model the context of its messages, and returns the memory. The content of its blocks is always
 * sent, and counts as instructions. The engine's own instructions and tools are added later, so pass them as
 * `instructions` and `budget.tools`. Fails as `buildContext` does.
 */
export function contextMemory<T extends LlamaIndexMemory>(memory: T, config: HookConfig = {}): T {
  return publicCall("context_build_error", "contextMemory", () => {
    const getLLM = bounded(memory.getLLM.bind(memory) as GetMessages, memory, config);
    return Object.assign(memory, { getLLM });
  });
}

/** Returns a memory's method with a context in the place of all messages. */
function bounded(whole: GetMessages, memory: LlamaIndexMemory, config: HookConfig): GetMessages {
  return hook("getLLM", async (llm, added = []) => {
    const { metadata } = (llm ?? {}) as { readonly metadata?: object };
    const given = await whole({ metadata: { ...metadata, contextWindow: WHOLE } }, added);
    const blockCount = given.length - sharedTail(given, [...(await memory.get()), ...added]);
    /** Messages of blocks, by the instructions that replace them in the build. */
    const blocks = new Map(given.slice(0, blockCount).map((block) => [{ ...block, role: "system" } as object, block]));
    const messages = [...blocks.keys(), ...given.slice(blockCount)] as readonly AnyMessage[];
    const call = { model: modelName(metadata, "model") };
    const sent = await fit(messages, config, call, (message) => message as AnyMessage);
    return sent.map((message) => blocks.get(message) ?? message);
  });
}

/** Returns how many messages at the end of two lists say the same. A memory copies its messages. */
function sharedTail(list: readonly object[], other: readonly object[]): number {
  const isShared = (message: object, fromEnd: number): boolean =>
    JSON.stringify(message) === JSON.stringify(other.at(-1 - fromEnd));
  const end = list.toReversed().findIndex((message, fromEnd) => !isShared(message, fromEnd));
  return end < 0 ? list.length : end;
}
