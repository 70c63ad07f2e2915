// The prompt of a language model of the AI SDK: what its middleware and Mastra's processors see.

import type { AnyMessage, ContextMessage } from "windrow";

/** A message that windrow wrote, as a prompt has it: nothing but instructions is a text without parts. */
export function asPromptMessage({ role, content }: ContextMessage): AnyMessage {
  const parts = role === "system" ? content : [{ type: "text", text: content as string }];
  return { role, content: parts } as AnyMessage;
}
