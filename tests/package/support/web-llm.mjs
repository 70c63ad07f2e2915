// A substitute for WebLLM's engine: `chat.completions.create` with its checks of messages and its error for a prompt that
// is too long. It counts with a tokenizer and a chat template (ChatML) that aren't windrow's.

import { SUBJECTS, spread } from "./prompt-api.mjs";

class ContextWindowSizeExceededError extends Error {
  name = "ContextWindowSizeExceededError";
  constructor(tokens, window) {
    super(
      `Prompt tokens exceed context window size: number of prompt tokens: ${tokens}; context window size: ${window}\n` +
        "Consider shortening the prompt, or increase `context_window_size`, or using sliding window via `sliding_window_size`.",
    );
  }
}

/** Tokens of the marks around a message, in addition to `role\ncontent`, and of the start of the reply. */
const MARKS = 3;
const REPLY_START = 3;

/** Returns an engine with a window of `window` tokens. `encode` is a tokenizer, and `log` counts its calls. */
export function webLlmEngine({ encode, window = 9216, replyOf }) {
  const log = { prompts: 0, overflows: 0, most: 0 };
  const known = new Map();
  const tokensOf = ({ role, content }) => {
    const text = `${role}\n${content}`;
    known.set(text, known.get(text) ?? encode(text).length + MARKS);
    return known.get(text);
  };
  const create = async ({ messages, max_tokens: replyTokens }) => {
    await Promise.resolve();
    for (const [at, { role, content }] of messages.entries()) {
      if (
        typeof content !== "string" ||
        !["system", "user", "assistant"].includes(role) ||
        (role === "system" && at > 0)
      ) {
        throw new TypeError(`no message ${at} of the role ${role} here`);
      }
    }
    if (messages.at(-1)?.role !== "user") {
      throw new TypeError("Last message should be from user or tool.");
    }
    const tokens = messages.reduce((sum, message) => sum + tokensOf(message), REPLY_START);
    log.prompts += 1;
    log.most = Math.max(log.most, tokens + replyTokens);
    if (tokens + replyTokens > window) {
      log.overflows += 1;
      throw new ContextWindowSizeExceededError(tokens, window - replyTokens);
    }
    return {
      choices: [{ message: { role: "assistant", content: replyOf(log.prompts) } }],
      usage: { prompt_tokens: tokens },
    };
  };
  return { engine: { chat: { completions: { create } } }, log };
}

/** User lines. The last one has much white space, which a tokenizer may join with the text around it. */
const LINES = [...SUBJECTS, "\n\n  0.1742,\t0.9921, 0x7f3a91 🎉\n"];

/**
 * A chat of `turns` turns with the substitute, whose replies have at most `replyTokens` tokens. Returns its log, and the
 * smallest share of the room that was used when messages were left out.
 */
export async function runWebLlm({ buildContext }, encode, { turns = 200, replyTokens = 1024 } = {}) {
  const window = 9216;
  const lines = (seed, count) =>
    Array.from({ length: count }, (_, at) => LINES[spread(seed + at, LINES.length)]).join("\n");
  const replyOf = (turn) => lines(turn, 1 + spread(turn, 12));
  const { engine, log } = webLlmEngine({ encode, window, replyOf });
  const messages = [{ role: "system", content: "You help to plan a wedding. Answer in one paragraph." }];
  let trimmedCount = 0;
  let least = 1;
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: "user", content: `Turn ${turn}: ${lines(turn + 3, 1 + spread(turn + 1, 20))}` });
    const context = await buildContext(messages, {
      encoding: "cl100k_base",
      budget: { maxTokens: window - replyTokens, tokensPerMessage: MARKS + 1, tokensPriming: REPLY_START },
      render: { provider: "web-llm" },
    });
    const body = context.request("web-llm");
    const { choices, usage } = await engine.chat.completions.create({ ...body, max_tokens: replyTokens });
    messages.push(choices[0].message);
    if (context.trimmed) {
      trimmedCount += 1;
      least = Math.min(least, usage.prompt_tokens / (window - replyTokens));
    }
    if (!body.messages.at(-1).content.includes(`Turn ${turn}: `)) {
      throw new Error(`turn ${turn} is not in its prompt`);
    }
  }
  return { ...log, trimmedCount, least };
}
