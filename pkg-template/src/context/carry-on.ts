// Continues another agent's session: makes a request body for any provider, within a budget, from the file that the
// agent keeps.

import { ContextError } from "../base/errors.js";
import { describe } from "../base/options.js";
import { isRecord } from "../base/plain-data.js";
import { publicPromise } from "../base/public-call.js";
import type { ContextConfig } from "../config/config.js";
import { isToldByAgent } from "../files/codex.js";
import { conversationOf, newestOf } from "../files/conversations.js";
import { type ParsedTranscript, parseTranscript } from "../files/parse.js";
import { tryParse } from "../files/text.js";
import type { ProviderName, RequestBodies } from "../formats/requests.js";
import { INTERRUPTED } from "../formats/tool-parts.js";
import type { MessageInput } from "../message/message.js";
import { type ParsedMessage, parse } from "../message/read.js";
import { buildContext } from "./build.js";
import type { BuiltContext } from "./context.js";
import { withWordsForMedia } from "./sendable.js";

/** Options for continuing a session: those of a build, and the provider. */
export interface CarryOnOptions extends Omit<ContextConfig<MessageInput>, "sections" | "contents"> {
  /** The provider of the body. */
  readonly as: ProviderName;
  /** The conversation to continue, in a file with several: an id, or a number from 1. Default: the newest. */
  readonly conversation?: string | number | undefined;
}

/** A continued session. */
export interface CarriedOn<Name extends ProviderName = ProviderName> {
  /** The fields of the request body that hold messages. */
  readonly body: RequestBodies[Name];
  readonly context: BuiltContext<MessageInput>;
  /** The parsed file, including the parts that weren't read. */
  readonly file: ParsedTranscript;
}

/** The request for a session that ended with the assistant's words. */
export const CONTINUE = "Continue.";

/**
 * Makes a request from the file of another agent's session, in any form that `parseTranscript` reads. It always
 * includes the rules that the agent was told. A call without a result gets a result that says it was interrupted. If
 * not everything fits, older results from a file yield to the newest one from it. A session that ended with the
 * assistant's words gets the request `Continue.`, unless the options have another.
 *
 * Fails as `parseTranscript`, `buildContext` and `context.request` do.
 */
export function carryOn<Name extends ProviderName>(
  text: string,
  options: CarryOnOptions & { readonly as: Name },
): Promise<CarriedOn<Name>> {
  return publicPromise("context_build_error", "carryOn", async () => {
    const { as, conversation, ...config } = options;
    const file = parseTranscript(text);
    const messages = messagesOfFile(file, conversation);
    return { ...(await carriedContext(messages, as, { request: file.request, ...config })), file };
  });
}

/** Builds the context and the body of a request that continues a session. */
export async function carriedContext<Name extends ProviderName>(
  messages: readonly MessageInput[],
  as: Name,
  config: ContextConfig<MessageInput>,
): Promise<Omit<CarriedOn<Name>, "file">> {
  const read = messages.map((message) => parse(message, "message", "transcript_error"));
  const carried = carriedMessages(read, as);
  const built = async (request: typeof config.request): Promise<Omit<CarriedOn<Name>, "file">> => {
    const context = await buildContext(carried, carryOnConfig(read, as, { ...config, request }));
    return { body: context.request(as), context };
  };
  try {
    return await built(config.request);
  } catch (failure) {
    // Each provider has its own tools, so only the body shows that it ends with one that the provider ran.
    const isOpen = config.request === undefined && ContextError.from(failure)?.rule === "ends-with-user";
    if (!isOpen) {
      throw failure;
    }
    return built(CONTINUE);
  }
}

function messagesOfFile(file: ParsedTranscript, choice: string | number | undefined): readonly MessageInput[] {
  const chosen = choice === undefined ? newestOf(file.conversations) : conversationOf(file.conversations, choice);
  if (chosen === undefined && choice === undefined) {
    throw new ContextError({
      kind: "transcript_error",
      code: "INVALID_TRANSCRIPT",
      message: "the file has no messages",
      nextAction: "Pass the file of a session in which something was said.",
    });
  }
  if (chosen === undefined) {
    throw new ContextError({
      kind: "transcript_error",
      code: "INVALID_CONFIG",
      message: `conversation: the file has no conversation ${describe(choice)}`,
      path: "conversation",
      nextAction: "Pass the id of a conversation of the file, or its number from 1.",
    });
  }
  return chosen.messages;
}

/**
 * Returns a session's messages for continuing with a provider: rules are pinned, files that it can't get are words, and
 * calls interrupted at the end get a result.
 */
function carriedMessages(messages: readonly ParsedMessage[], as: ProviderName): readonly MessageInput[] {
  const sendable = messages.map((message) => withPin(withWordsForMedia(message, as)));
  return [...sendable, ...openCallsOf(messages).map(interrupted)];
}

/** Pins rules that the agent was told in the user's name, so they stay in every context. */
function withPin(message: MessageInput): MessageInput {
  return isToldByAgent(message as unknown as Record<string, unknown>) ? { ...message, pinned: true } : message;
}

const interrupted = (toolCallId: string): MessageInput => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, output: INTERRUPTED, isError: true }],
});

/** Returns the ids of calls without a result that no later message follows. */
function openCallsOf(messages: readonly ParsedMessage[]): readonly string[] {
  const open = new Set<string>();
  for (const { message } of messages) {
    const { role, content } = message;
    if (role === "user") {
      open.clear();
    }
    for (const part of content) {
      if (part.type === "tool-call" && part.providerExecuted !== true) {
        open.add(part.toolCallId);
      } else if (part.type === "tool-result") {
        open.delete(part.toolCallId || answeredBy(part.toolName, open));
      }
    }
  }
  return [...open];
}

/** Returns the call that a result without an id answers: that of its tool, whose name is the id, or the first one. */
function answeredBy(toolName: string | undefined, open: ReadonlySet<string>): string {
  return toolName !== undefined && open.has(toolName) ? toolName : ([...open][0] ?? "");
}

/** Returns the config for continuing a session. The caller's options win. */
function carryOnConfig<C extends ContextConfig<MessageInput>>(
  messages: readonly ParsedMessage[],
  as: ProviderName,
  config: C,
): C & ContextConfig<MessageInput> {
  const { budget, render } = config;
  return {
    ...config,
    request: config.request ?? (hasEnded(messages) ? CONTINUE : undefined),
    budget: {
      onRequiredOverflow: "shorten",
      ...budget,
      toolResults: {
        ...budget?.toolResults,
        resources: { ...resourcesOf(messages), ...budget?.toolResults?.resources },
      },
    },
    render: { ...render, format: "messages", provider: as },
  };
}

/** True if the last message is the assistant's, and no tool is left to answer or to be read. */
function hasEnded(messages: readonly ParsedMessage[]): boolean {
  const last = messages.at(-1)?.message;
  if (last?.role !== "assistant") {
    return false;
  }
  const end = last.content.at(-1);
  // The provider itself ran a hosted tool, so nobody else answers it.
  const isOfTool = (end?.type === "tool-call" || end?.type === "tool-result") && end.providerExecuted !== true;
  return !isOfTool && openCallsOf(messages).length === 0;
}

/** Names of arguments that name a file, in agents' tools. */
const PATH_FIELDS = [
  "file_path",
  "filePath",
  "absolute_path",
  "path",
  "target_file",
  "filename",
  "notebook_path",
] as const;

/** Maps each tool to its argument that names a file. */
function resourcesOf(messages: readonly ParsedMessage[]): Readonly<Record<string, string>> {
  const fields = new Map<string, string>();
  for (const part of messages.flatMap(({ message }) => message.content)) {
    if (part.type === "tool-call" && !fields.has(part.toolName)) {
      const input = typeof part.input === "string" ? tryParse(part.input).value : part.input;
      const field = PATH_FIELDS.find((name) => isRecord(input) && typeof input[name] === "string");
      if (field !== undefined) {
        fields.set(part.toolName, field);
      }
    }
  }
  return Object.fromEntries(fields);
}
