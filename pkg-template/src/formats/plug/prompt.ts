// Messages of the AI SDK, and of the prompts for its language models, which its middleware and Mastra's processors
// receive.

import type { AnyMessage, ContextMessage } from "windrow";
import { type CacheMarker, EPHEMERAL } from "./cache-marks.js";
import { fieldsOf } from "./fields.js";

/** Returns a message that windrow wrote in the form of a prompt. Only instructions are a text without parts. */
export function asPromptMessage({ role, content }: ContextMessage): AnyMessage {
  const parts = role === "system" ? content : [{ type: "text", text: content as string }];
  return { role, content: parts } as AnyMessage;
}

/** The options that identify windrow's copies. Providers of the SDK don't read options under another name. */
const OWN = "windrow";

/**
 * Marks a message in its `providerOptions`. Anthropic's provider puts them on the last part; others ignore them.
 * https://ai-sdk.dev/providers/ai-sdk-providers/anthropic#cache-control
 */
export const promptMarker: CacheMarker = {
  marked(message) {
    const { content, providerOptions } = message as { readonly content?: unknown; readonly providerOptions?: unknown };
    const last: unknown = Array.isArray(content) ? content.at(-1) : { type: "text", text: content };
    if (isMarked(message) || isMarked(last)) {
      return message;
    }
    const { type, text } = fieldsOf(last);
    const isBlank = type === "text" && !/\S/.test(String(text ?? ""));
    if (type === undefined || isBlank || type === "reasoning") {
      return undefined;
    }
    const options = fieldsOf(providerOptions);
    const anthropic = { ...fieldsOf(options.anthropic), cacheControl: EPHEMERAL };
    return {
      ...message,
      providerOptions: { ...options, anthropic, [OWN]: { cacheBreakpoint: true } },
    } as unknown as AnyMessage;
  },
  unmarked(message) {
    const { providerOptions, ...others } = message as { readonly providerOptions?: unknown };
    const { [OWN]: own, anthropic, ...options } = fieldsOf(providerOptions);
    if (own === undefined) {
      return message;
    }
    const { cacheControl, ...rest } = fieldsOf(anthropic);
    const left = Object.keys(rest).length === 0 ? options : { ...options, anthropic: rest };
    return { ...others, ...(Object.keys(left).length === 0 ? {} : { providerOptions: left }) } as unknown as AnyMessage;
  },
  isMarked,
};

function isMarked(given: unknown): boolean {
  const { cacheControl, cache_control } = fieldsOf(fieldsOf(fieldsOf(given).providerOptions).anthropic);
  return (cacheControl ?? cache_control) != null;
}
