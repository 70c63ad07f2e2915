// Questions that tests ask about transcripts and contexts.

import assert from "node:assert/strict";
import { buildContextSync, ContextError } from "windrow";

/** Ids of the tool calls that a message makes, in any form. */
export function callIds(message) {
  const calls = message.toolCalls ?? message.tool_calls ?? [];
  return [...calls.map((call) => call.id), ...parts(message, "tool-call").map((part) => part.toolCallId)];
}

/** Ids of the tool calls whose results a message has. */
export function resultIds(message) {
  const own = message.toolCallId ?? message.tool_call_id;
  return [...(own == null ? [] : [own]), ...parts(message, "tool-result").map((part) => part.toolCallId)];
}

function parts(message, type) {
  return Array.isArray(message.content) ? message.content.filter((part) => part.type === type) : [];
}

/** Checks that every tool call is followed by its result, and every result preceded by its call. */
export function checkGroupsAreWhole(messages) {
  const open = new Set();
  const called = new Set();
  for (const message of messages) {
    for (const id of resultIds(message)) {
      assert.ok(called.has(id), `the result of ${id} is kept without its call`);
      open.delete(id);
    }
    for (const id of callIds(message)) {
      called.add(id);
      open.add(id);
    }
  }
  assert.deepEqual([...open], [], "every call that is kept has a result");
}

/** Returns the context, or undefined if the required messages don't fit. Any other error fails. */
export function tryBuild(transcript, config) {
  try {
    return buildContextSync(transcript, config);
  } catch (error) {
    if (error instanceof ContextError && error.code === "BUDGET_TOO_SMALL") {
      return undefined;
    }
    throw error;
  }
}

/** Everything that defines a context, for comparison. */
export function essence(context) {
  return (
    context && {
      contextHash: context.snapshot.contextHash,
      digest: context.recording.transcript,
      kept: context.kept.length,
      tokens: context.tokens,
      trace: context.trace,
      text: context.text,
    }
  );
}

/** Freezes a value deeply. */
export function deepFreeze(value) {
  if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const element of Object.values(value)) {
      deepFreeze(element);
    }
  }
  return value;
}
