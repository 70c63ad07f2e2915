// opencode: a plugin that sends the context of the messages. The session keeps them all.

import type { AnyMessage, ContextMessage } from "windrow";
import { hook, listed } from "../plug/door.js";
import { fit, type HookConfig } from "../plug/fit.js";

export type { HookConfig } from "../plug/fit.js";

/** The hooks of a plugin. */
export interface ContextHooks {
  "experimental.chat.messages.transform"(input: object, output: { messages: object[] }): Promise<void>;
}

/**
 * The hooks of a plugin for opencode that sends the model the context of the messages: return it from a plugin's function. Instructions
 * and tools the hook does not see: give them as `instructions` and `budget.tools`. Fails as `buildContext` does.
 */
export function contextHooks(config: HookConfig = {}): ContextHooks {
  return {
    "experimental.chat.messages.transform": hook("experimental.chat.messages.transform", async (_, output) => {
      const messages = listed(output.messages) as unknown as readonly AnyMessage[];
      const sent = await fit(messages, config, { model: modelOf(messages) }, asOpencodeMessage);
      // opencode reads the list that it handed out.
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

/** The model that the newest message is for. */
function modelOf(messages: readonly AnyMessage[]): string | undefined {
  const names = (messages as readonly unknown[] as readonly OpencodeMessage[]).map(
    ({ info }) => info.model?.modelID ?? info.modelID,
  );
  return names.findLast((name): name is string => typeof name === "string");
}

/** A message that windrow wrote, as one of the user's beside another. */
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
