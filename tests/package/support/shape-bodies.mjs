// Contexts of random conversations in a format, built for a provider: properties of each, and the difference between
// the budget's count and the body's.

import assert from "node:assert/strict";
import { buildContextSync, ContextError, plainMessage, problemsOf, providers, requestOf } from "windrow";
import { tokensOfBody } from "./independent-count.mjs";
import { Random } from "./random.mjs";
import { randomTurns, SHAPES } from "./shape-conversations.mjs";

export const PROVIDERS = providers.map(({ name }) => name);
const encoding = "o200k_base";
/** The maker whose reasoning a provider accepts back. The AI SDK accepts any. */
const MAKERS = { "openai-responses": "openai", anthropic: "anthropic", bedrock: "anthropic", gemini: "google" };

/** The kinds of parts that a provider doesn't accept, and the only media that it accepts. */
const LIMITS = {
  openai: { without: "tool-media" },
  bedrock: { only: "media-data" },
  chrome: { only: "image-data" },
  "web-llm": { without: "tool-media", only: "images" },
};

/** Kinds in a format that a provider can be sent. */
export function sendableOf(provider, has) {
  const { without, only } = LIMITS[provider] ?? {};
  return [...has.filter((it) => it !== without), ...(only === undefined ? [] : [only])];
}

/** A conversation in a format that a provider can be sent. */
function conversationOf(shape, provider, seed, mostTurns) {
  const random = new Random(seed);
  const { write, thoughtsOf, has } = SHAPES[shape];
  const sendable = sendableOf(provider, has);
  const { turns, marks } = randomTurns(random, { thoughtsOf, has: sendable, mostTurns });
  return { random, marks, messages: write(turns, random) };
}

/** Messages of a body, in a form that can be sent again. */
export function messagesOf(provider, body) {
  switch (provider) {
    case "openai":
    case "web-llm":
      return body.messages;
    case "chrome":
      return [...body.initialPrompts, ...body.prompt];
    case "openai-responses":
      return [...instructionsOf(body.instructions), ...body.input];
    case "gemini":
      return [...(body.systemInstruction ? [{ role: "system", ...body.systemInstruction }] : []), ...body.contents];
    default:
      return [...instructionsOf(body.system), ...body.messages];
  }
}

const instructionsOf = (content) => (content === undefined ? [] : [{ role: "system", content }]);

/**
 * For each of `seeds`, builds a context of a conversation in a format within a random budget, for a provider, and
 * checks it. Returns the number of contexts, and the total excess of the budget's count over the body's, as a share.
 * The excess only covers conversations without media and without redacted thinking, because some providers don't
 * publish their cost.
 */
export function checkShape(shape, provider, seeds, mostTurns = 8) {
  const sum = { built: 0, counted: 0, inBody: 0 };
  for (const seed of seeds) {
    try {
      checkOne(shape, provider, { seed, mostTurns }, sum);
    } catch (cause) {
      throw new Error(`${shape} for ${provider} fails for seed ${seed}: ${cause.message}`, { cause });
    }
  }
  return { built: sum.built, error: sum.counted / sum.inBody - 1 };
}

function checkOne(shape, provider, { seed, mostTurns }, sum) {
  const { random, marks, messages } = conversationOf(shape, provider, seed, mostTurns);
  const said = JSON.stringify(messages);
  const maxTokens = random.integer(30, Math.ceil(said.length / 2));
  // A message is copied when a line replaces its image.
  const budget = { maxTokens, toolResults: { shrink: false } };
  /** @satisfies {import("windrow").SyncContextConfig} */
  const options = { encoding, model: "gpt-4o", request: null, budget, render: { provider } };
  let context;
  try {
    context = buildContextSync(messages, options);
  } catch (error) {
    assert.ok(error instanceof ContextError && error.code === "BUDGET_TOO_SMALL", error.stack);
    return;
  }
  sum.built += 1;
  const own = new Set(messages);
  assert.ok(
    context.kept.every(
      (message) => own.has(message) || (message.shortened && messages.some((whole) => isPartOf(message, whole))),
    ),
    "kept messages are the caller's own objects, or their remaining steps",
  );

  const body = context.request(provider);
  assert.deepEqual(problemsOf(provider, body), []);
  const tokens = tokensOfBody(provider, body);
  assert.ok(tokens <= maxTokens, `the body has ${tokens} tokens, and ${maxTokens} are the limit`);
  assert.ok(context.tokens.total <= maxTokens);
  if (!/"media"|image|file|inlineData|fileData|redacted/i.test(JSON.stringify(body))) {
    assert.ok(
      context.tokens.total >= tokens,
      `${context.tokens.total} were counted, and the body has ${tokens} tokens`,
    );
    sum.counted += context.tokens.total;
    sum.inBody += tokens;
  }
  checkMarks(provider, marks, context, body);
  assert.deepEqual(requestOf(provider, messagesOf(provider, body)), body, "the body's own messages are the same body");
}

/** True if all parts of an assistant's message are parts of another one. */
function isPartOf(message, whole) {
  const [part, all] = [message, whole].map((it) => [...plainMessage(it).content].map((own) => JSON.stringify(own)));
  return plainMessage(message).role === "assistant" && part.every((own) => all.includes(own));
}

/**
 * Everything that is kept is in the body once, messages that were left out aren't, and reasoning only goes back to its
 * own provider.
 */
function checkMarks(provider, marks, context, body) {
  const kept = JSON.stringify(context.messages);
  const sent = JSON.stringify(body);
  let isLeftOut = false;
  for (const { mark, kind, provider: maker, words = "" } of marks) {
    if (kind === "reasoning" && /[\ud800-\udfff]/u.test(words)) {
      continue; // It has a lone surrogate, and is only sent if it isn't signed.
    }
    const isTaken = provider === "ai-sdk" || (maker !== undefined && maker === MAKERS[provider]);
    const isSent = kept.includes(mark) && (kind !== "reasoning" || isTaken);
    assert.equal(sent.split(mark).length - 1, isSent ? 1 : 0, `${mark}, ${kind}`);
    isLeftOut ||= kind === "reasoning" && kept.includes(mark) && !isSent;
  }
  const note = context.trace.notes.find((it) => it.kind === "not-sent");
  assert.ok(
    !isLeftOut || /\d reasoning part/.test(note?.words ?? ""),
    "a note counts the parts that the request leaves out",
  );
}
