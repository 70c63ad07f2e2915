// Reads and reports fields next to a file's messages. The model also saw instructions, tools and images.

import { listIn, type OpenConversation, type Row, recordIn, textIn } from "./file.js";

/** The reason for reporting a field next to the messages. */
export const NOT_READ = "it is next to the messages and isn't read";

/** Fields that describe the conversation or set options of a model, but aren't shown to it. */
const FACTS: ReadonlySet<string> = new Set(
  [
    "id uuid _id title topic name object type kind version source status url language projectHash lastUpdated directories tags labels",
    "createdAt created_at created updatedAt updated_at updated timestamp date startTime",
    "conversationId conversation_id sessionId session_id threadId thread_id userId user_id user first_id last_id",
    "request model models modelId provider endpoint authType anthropic_version anthropic_beta betas",
    "tool_choice toolChoice toolConfig response_format stop stop_sequences reasoning thinking reasoning_effort verbosity",
    "text include metadata usage stream_options service_tier store truncation logit_bias modalities audio",
    "cache_control prompt_cache_key safety_identifier previous_response_id cachedContent",
    "generationConfig generation_config safetySettings safety_settings",
  ].flatMap((names) => names.split(" ")),
);

/** Settings of a model in a request. A field with one of these names may also hold a text for the model. */
const SETTINGS: ReadonlySet<string> = new Set(["text", "reasoning", "thinking", "metadata", "audio", "include"]);

/** True if a field describes a conversation and isn't shown to a model. */
export function isFact(name: string, value: unknown): boolean {
  return FACTS.has(name) && !(SETTINGS.has(name) && /\S\s+\S/.test(textIn(value) ?? ""));
}

/** Reports fields that hold words, lists or objects, aren't facts, and aren't `read`. */
export function reportBeside(value: Row, read: readonly string[], conversation: OpenConversation): void {
  for (const [name, beside] of Object.entries(value)) {
    if (!read.includes(name) && !isFact(name, beside) && isFilled(beside)) {
      const isTools = name === "tools" || name === "functions";
      conversation.skip(`${name}: ${NOT_READ}${isTools ? "; `budget.tools` counts the cost of tools" : ""}`);
    }
  }
}

/** An empty list or object as JSON: some data sets store their tools as text. */
const EMPTY_JSON = /^\s*(?:\[\s*\]|\{\s*\})\s*$/;

/** True if a value has words, entries or fields. */
export function isFilled(value: unknown): boolean {
  const isText = textIn(value) !== undefined && !EMPTY_JSON.test(value as string);
  return isText || listIn(value).length > 0 || Object.keys(recordIn(value)).length > 0;
}
