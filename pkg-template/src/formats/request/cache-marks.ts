// Marks the places at which a provider's cache may end. A mark is written into the last part before that place, in the
// provider's own form. The code that writes the body then treats it as a part that the caller marked.

import type { Provider as ProviderName } from "../../base/generated.js";
import { isRecord } from "../../base/plain-data.js";
import type { PlainPart } from "../../message/message.js";
import type { PlacedPart } from "../../message/origin.js";
import type { ParsedMessage } from "../../message/read.js";
import { isBlank } from "./text.js";

/** Returns a provider's part with a mark. Undefined if such a part can't have one. */
type Mark = (part: PlainPart, given: Readonly<Record<string, unknown>> | undefined, role: string) => object | undefined;

const EPHEMERAL = { type: "ephemeral" };
const EXPLICIT = { mode: "explicit" };
const DEFAULT_POINT = { type: "default" };

const MARKS: Partial<Record<ProviderName, Mark>> = {
  // https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
  anthropic(part, given) {
    const type = part.type === "text" ? "text" : part.type === "tool-result" ? "tool_result" : undefined;
    if (type === undefined || (given !== undefined && given.type !== type)) {
      return undefined;
    }
    if (part.type === "text") {
      return { type, text: part.text, ...given, cache_control: EPHEMERAL };
    }
    const isMade = given === undefined && part.type === "tool-result";
    return isMade && !isTextOutput(part.output) ? undefined : { type, ...given, cache_control: EPHEMERAL };
  },
  // Texts, images and files of the input, from GPT-5.6 on: https://platform.openai.com/docs/guides/prompt-caching
  openai: (part, given, role) => openAiText("text", part, given, role),
  "openai-responses": (part, given, role) => openAiText("input_text", part, given, role),
  // A separate block after a text or a result: https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
  bedrock(part, given) {
    const own = given === undefined || "type" in given ? {} : given;
    return part.type === "text" || part.type === "tool-result" ? { ...own, cachePoint: DEFAULT_POINT } : undefined;
  },
};

const isTextOutput = (output: unknown): boolean => output === undefined || typeof output === "string";

function openAiText(
  type: string,
  part: PlainPart,
  given: Readonly<Record<string, unknown>> | undefined,
  role: string,
): object | undefined {
  const isInput = role === "user" || role === "system" || role === "developer";
  if (!isInput || part.type !== "text" || (given !== undefined && given.type !== type)) {
    return undefined;
  }
  return { type, text: part.text, ...given, prompt_cache_breakpoint: EXPLICIT };
}

/**
 * Returns messages with marks after these positions, or as close before each as a mark is possible. Marked messages are
 * copies; the originals don't change.
 */
export function withCacheMarks(
  provider: ProviderName,
  messages: readonly ParsedMessage[],
  positions: readonly number[],
): readonly ParsedMessage[] {
  const marked = [...messages];
  let least = 0;
  for (const position of positions) {
    for (let at = Math.min(position, messages.length - 1); at >= least; at--) {
      const message = messages[at] as ParsedMessage;
      const copy = provider === "ai-sdk" ? markedMessage(message) : markedParts(MARKS[provider], message);
      if (copy !== undefined) {
        marked[at] = copy;
        break;
      }
    }
    least = position + 1;
  }
  return marked;
}

/** Returns a message with a mark on the last part that can have one. */
function markedParts(mark: Mark | undefined, parsed: ParsedMessage): ParsedMessage | undefined {
  const { message, parts } = parsed;
  for (let at = parts.length - 1; at >= 0; at--) {
    const { part, given: own, place } = parts[at] as PlacedPart;
    const given = isRecord(own) ? own : undefined;
    const block = part.type === "text" && isBlank(part.text) ? undefined : mark?.(part, given, message.role);
    if (block !== undefined) {
      const marked: PlacedPart = { part, given: block, place };
      return { ...parsed, parts: parts.map((other, index) => (index === at ? marked : other)) };
    }
  }
  return undefined;
}

/**
 * Returns a message with the AI SDK's options for Anthropic's cache:
 * https://ai-sdk.dev/providers/ai-sdk-providers/anthropic#cache-control
 */
function markedMessage(parsed: ParsedMessage): ParsedMessage | undefined {
  const { role } = parsed.message;
  if (role === "system" || role === "developer") {
    return undefined; // all instructions become one text
  }
  const given = parsed.given as Readonly<Record<string, unknown>>;
  const options = isRecord(given.providerOptions) ? given.providerOptions : {};
  const anthropic = isRecord(options.anthropic) ? options.anthropic : {};
  const providerOptions = { ...options, anthropic: { ...anthropic, cacheControl: EPHEMERAL } };
  return { ...parsed, given: { ...given, providerOptions } };
}

/**
 * True if a model accepts marks: OpenAI's from GPT-5.6 on, and Claude and Nova at Bedrock. Other models refuse them.
 */
export function takesCacheMarks(provider: ProviderName, model: string | null | undefined): boolean {
  if (provider === "bedrock") {
    return /claude|nova/i.test(model ?? "");
  }
  if (provider !== "openai" && provider !== "openai-responses") {
    return provider !== "gemini";
  }
  const [, major, minor] = /^(?:.*\/)?gpt-(\d+)(?:\.(\d+))?/.exec(model ?? "") ?? [];
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 6);
}
