// What stands before a conversation that begins with the assistant, for providers that take none.

/**
 * A message of the user's before a context that begins with the assistant: Anthropic and Gemini take no other beginning. It
 * comes on top of what the context costs.
 */
export const EARLIER_MESSAGES = "[Earlier messages are not shown.]";
