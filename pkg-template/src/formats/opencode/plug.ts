// A plugin for opencode. The model receives the context of the messages; the session keeps them all.

import type { AnyMessage, ContextMessage } from "windrow";
import { hook, listed } from "../plug/door.js";
import { fit, type HookConfig } from "../plug/fit.js";

export type { HookConfig } from "../plug/fit.js";

/** The hooks of a plugin. */
export interface ContextHooks {
  "experimental.chat.messages.transform"(input: object, output: { messages: object[] }): Promise<void>;
}

/**
 * Returns the hooks of an opencode plugin that sends the model the context of the messages. Return them from the
 * plugin's function. The hook doesn't see instructions and tools: pass them as `instructions` and `budget.tools`. Fails
 * as `buildContext` does.
 */
export function contextHooks(config: HookConfig = {}): ContextHooks {
  return {
    "experimental.chat.messages.transform": hook("experimental.chat.messages.transform", async (_, output) => {
      const messages = listed(output.messages) as unknown as readonly AnyMessage[];
      const sent = await fit(messages, config, { model: modelOf(messages) }, asOpencodeMessage);
      // opencode reads the list that it passed.
      output.messages.splice(0, output.messages.length, ...(sent as unknown as object[]));
    }),
  };
}

interface OpencodeMessage {
  readonly info: {
    readonly id: string;
    readonly role: string;
    readonly sessionID: string;
    readonly modelID?: unknown;
    readonly model?: { readonly modelID?: unknown };
  };
}

/** Returns the model that the newest message is for. */
function modelOf(messages: readonly AnyMessage[]): string | undefined {
  const names = (messages as readonly unknown[] as readonly OpencodeMessage[]).map(
    ({ info }) => info.model?.modelID ?? info.modelID,
  );
  return names.findLast((name): name is string => typeof name === "string");
}

/** Returns a message that windrow wrote as a user message next to another one. */
function asOpencodeMessage({ content }: ContextMessage, beside: AnyMessage | undefined): AnyMessage {
  const { info } = (beside ?? { info: {} }) as unknown as OpencodeMessage;
  const id = `${info.id}_windrow`;
  const part = {
    id: `${id}_text`,
    messageID: id,
    sessionID: info.sessionID,
    type: "text",
    text: content,
    synthetic: true,
  };
  return { info: { ...info, id, role: "user" }, parts: [part] } as unknown as AnyMessage;
}
