// The cost of a request body, counted only from the body: by OpenAI's published recipe, and with a tokenizer that isn't
// windrow's.
//
// The recipe (tiktoken cookbook, `num_tokens_from_messages`) is for chats: 3 tokens for each message plus its role and
// texts, 1 plus the text for a name, and 3 to prime the reply. Tool calls are counted as in recorded requests
// (docs/tokens.md). It is applied to every provider's bodies, because no other provider has published one. An image
// costs one tile by OpenAI's page. A document that is a text costs its text. Other files are left out, because their
// cost isn't published. So a count is never too high. Reasoning that OpenAI has encrypted costs what OpenAI's own
// client, Codex CLI, estimates (`estimate_reasoning_length` in codex-rs/core/src/context_manager/history.rs).

import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";

const tokenizer = new Tiktoken(o200k);
const known = new Map();

/** Tokens of a text in o200k_base, without special tokens. */
export function tokensIn(text) {
  let count = known.get(text);
  if (count === undefined) {
    count = tokenizer.encode(text, [], []).length;
    if (known.size > 20_000) {
      known.clear();
    }
    known.set(text, count);
  }
  return count;
}

const MESSAGE = 3;
const NAME = 1;
const PRIMING = 3;
const CALL = 3;
/** The same for the Responses API, from recorded requests. */
const RESPONSES_CALL = 1;
const TILE = { low: 85, high: 85 + 170 };

/** A message as the recipe sees it: the speaker and the contents. */
class Count {
  tokens = 0;

  message(role) {
    this.tokens += MESSAGE + tokensIn(role);
  }

  text(text) {
    this.tokens += tokensIn(text);
  }

  name(name) {
    this.tokens += NAME + tokensIn(name);
  }

  /** The name occurs twice: as the recipient of the call, and as the author of the result. */
  call(name, input, flat = CALL) {
    this.tokens +=
      flat + 2 * tokensIn(`functions.${name}`) + tokensIn(typeof input === "string" ? input : JSON.stringify(input));
  }

  sealed(encrypted = "") {
    const bytes = Math.max(Math.floor((encrypted.length * 3) / 4) - 650, 0);
    this.tokens += Math.ceil(bytes / 4);
  }

  image(detail) {
    this.tokens += detail === "low" ? TILE.low : TILE.high;
  }
}

const json = (value) => (typeof value === "string" ? value : JSON.stringify(value));

const COUNTERS = {
  openai({ messages }, count) {
    for (const { role, content, name, tool_calls: calls = [], refusal, ...fields } of messages) {
      count.message(role);
      if (name !== undefined) {
        count.name(name);
      }
      for (const part of typeof content === "string" ? [{ text: content }] : (content ?? [])) {
        if (part.image_url !== undefined) {
          count.image(part.image_url.detail);
        } else if (part.file === undefined && part.input_audio === undefined) {
          count.text(part.text ?? part.refusal);
        }
      }
      if (typeof refusal === "string") {
        count.text(refusal);
      }
      count.text(fields.reasoning_content ?? fields.reasoning ?? "");
      for (const { function: called, custom } of calls) {
        count.call((called ?? custom).name, called?.arguments ?? custom.input);
      }
    }
  },

  "openai-responses"({ instructions, input }, count) {
    if (instructions !== undefined) {
      count.message("system");
      count.text(instructions);
    }
    const parts = (held) => {
      for (const { text, refusal, detail, type } of typeof held === "string" ? [{ text: held }] : held) {
        if (type === "input_image") {
          count.image(detail);
        } else if (type !== "input_file") {
          count.text(text ?? refusal);
        }
      }
    };
    let isCalling = false;
    for (const item of input) {
      const { type = "message", role, content, name, summary } = item;
      if (type === "message") {
        count.message(role);
        parts(content);
      } else if (type === "function_call" || type === "custom_tool_call") {
        if (!isCalling) {
          count.message("assistant");
        }
        count.call(name, item.arguments ?? item.input, RESPONSES_CALL);
      } else if (type === "reasoning") {
        for (const { text } of summary) {
          count.text(text);
        }
        count.sealed(item.encrypted_content);
      } else {
        count.message("tool");
        parts(item.output ?? "");
      }
      // The assistant's words before its calls are one message with them.
      isCalling = type.endsWith("_call") || (type === "message" && role === "assistant");
    }
  },

  chrome({ initialPrompts, prompt }, count) {
    const parts = (held) => {
      for (const { type, value } of typeof held === "string" ? [{ type: "text", value: held }] : held) {
        if (type === "text") {
          count.text(value);
        } else if (type === "image") {
          count.image("low");
        } else if (type === "tool-call") {
          count.call(value.name, value.arguments);
        } else if (type === "tool-response") {
          parts(value.errorMessage ?? value.result);
        } else if (type === "object") {
          count.text(json(value));
        }
      }
    };
    for (const { role, content } of [...initialPrompts, ...prompt]) {
      count.message(role);
      parts(content);
    }
  },

  anthropic({ system, messages }, count) {
    const blocks = (held) => {
      for (const block of typeof held === "string" ? [{ type: "text", text: held }] : (held ?? [])) {
        switch (block.type) {
          case "text":
            count.text(block.text);
            break;
          case "thinking":
            count.text(block.thinking);
            break;
          case "tool_use":
            count.call(block.name, block.input);
            break;
          case "tool_result":
            blocks(block.content);
            break;
          case "document":
            count.text(block.source.type === "text" ? block.source.data : "");
            break;
          default:
        }
      }
    };
    if (system !== undefined) {
      count.message("system");
      blocks(system);
    }
    for (const { role, content } of messages) {
      count.message(role);
      blocks(content);
    }
  },

  gemini({ systemInstruction, contents }, count) {
    const said = (response) => {
      const [[field, value] = [], ...others] = Object.entries(response);
      return others.length === 0 && typeof value === "string" && /^(output|error)$/.test(field)
        ? value
        : json(response);
    };
    if (systemInstruction !== undefined) {
      count.message("system");
    }
    for (const { role, parts } of [...(systemInstruction === undefined ? [] : [systemInstruction]), ...contents]) {
      if (role !== undefined) {
        count.message(role);
      }
      for (const { text, functionCall, functionResponse } of parts) {
        if (text !== undefined) {
          count.text(text);
        } else if (functionCall !== undefined) {
          count.call(functionCall.name, functionCall.args);
        } else if (functionResponse !== undefined) {
          count.text(said(functionResponse.response));
        }
      }
    }
  },

  bedrock({ system, messages }, count) {
    const blocks = (held) => {
      for (const { text, json: value, document, reasoningContent, toolUse, toolResult } of held) {
        if (text !== undefined) {
          count.text(text);
        } else if (document !== undefined) {
          count.text(document.source.text ?? "");
        } else if (value !== undefined) {
          count.text(json(value));
        } else if (reasoningContent?.reasoningText !== undefined) {
          count.text(reasoningContent.reasoningText.text);
        } else if (toolUse !== undefined) {
          count.call(toolUse.name, toolUse.input);
        } else if (toolResult !== undefined) {
          blocks(toolResult.content);
        }
      }
    };
    if (system !== undefined) {
      count.message("system");
      blocks(system);
    }
    for (const { role, content } of messages) {
      count.message(role);
      blocks(content);
    }
  },

  "ai-sdk"({ system, messages }, count) {
    if (system !== undefined) {
      count.message("system");
      count.text(system);
    }
    for (const { role, content } of messages) {
      count.message(role);
      for (const part of typeof content === "string" ? [{ type: "text", text: content }] : content) {
        if (part.type === "text" || part.type === "reasoning") {
          count.text(part.text);
          count.sealed(part.providerOptions?.openai?.reasoningEncryptedContent);
        } else if (part.type === "tool-call") {
          count.call(part.toolName, part.input);
        } else if (part.type === "tool-result") {
          const { value, reason } = part.output;
          for (const text of Array.isArray(value) ? value.map(({ text: said }) => said) : [value ?? reason]) {
            if (text !== undefined) {
              count.text(json(text));
            }
          }
        }
      }
    }
  },
};

/** Lower bound for the cost of a provider's request body. WebLLM uses OpenAI's format. */
export function tokensOfBody(provider, body) {
  const count = new Count();
  COUNTERS[provider === "web-llm" ? "openai" : provider](body, count);
  return count.tokens + PRIMING;
}
