// Where the rules of providers are known from: the provider's page that says one, or threads where a request was refused for it. They stand
// apart from the rules, as only who reads `providers` needs them.

import type { Provider as ProviderName } from "../base/generated.js";

/** What every parser of JSON refuses. */
const HALF_CHARACTER = [
  "https://github.com/anthropics/claude-code/issues/60394",
  "https://github.com/anthropics/claude-code/issues/2108",
];

/** By the name of the provider and the id of the rule. */
export const SOURCES: Readonly<Record<ProviderName, Readonly<Record<string, readonly string[]>>>> = {
  openai: {
    "has-messages": ["https://platform.openai.com/docs/api-reference/chat/create"],
    "roles-are-known": ["https://platform.openai.com/docs/api-reference/chat/create"],
    "fields-are-known": [
      "https://github.com/transitive-bullshit/agentic/issues/531",
      "https://github.com/spring-projects/spring-ai/issues/5197",
    ],
    "nothing-is-empty": [
      "https://github.com/run-llama/llama_index/issues/17555",
      "https://github.com/HKUDS/nanobot/pull/949",
    ],
    "text-is-well-formed": HALF_CHARACTER,
    "names-fit": [
      "https://github.com/jekalmin/extended_openai_conversation/issues/251",
      "https://github.com/microsoft/autogen/issues/4157",
    ],
    "call-ids-fit": [
      "https://github.com/vercel/ai/issues/8132",
      "https://github.com/Portkey-AI/gateway/issues/1062",
      "https://github.com/openclaw/openclaw/pull/875",
    ],
    "call-ids-are-unique": ["https://github.com/BerriAI/litellm/issues/23510"],
    "tool-names-fit": [
      "https://github.com/xinnan-tech/xiaozhi-esp32-server/issues/1465",
      "https://github.com/CherryHQ/cherry-studio/pull/2895",
    ],
    "arguments-are-json": ["https://platform.openai.com/docs/api-reference/chat/create"],
    "results-follow-calls": ["https://github.com/langchain-ai/langchain/issues/33245"],
    "calls-have-results": [
      "https://github.com/agno-agi/agno/issues/3105",
      "https://github.com/QwenLM/qwen-code/issues/606",
    ],
    "ends-with-user": ["https://github.com/anomalyco/opencode/pull/18421"],
  },
  "openai-responses": {
    "has-messages": ["https://platform.openai.com/docs/api-reference/responses/create"],
    "roles-are-known": ["https://platform.openai.com/docs/api-reference/responses/create"],
    "fields-are-known": [
      "https://github.com/spring-projects/spring-ai/issues/5197",
      "https://github.com/openai/openai-python/issues/3008",
      "https://github.com/BerriAI/litellm/issues/13420",
      "https://github.com/Yeachan-Heo/gajae-code/issues/1688",
      "https://platform.openai.com/docs/api-reference/responses/create",
    ],
    "nothing-is-empty": [
      "https://github.com/HKUDS/nanobot/pull/949",
      "https://platform.openai.com/docs/api-reference/responses/create",
    ],
    "text-is-well-formed": HALF_CHARACTER,
    "call-ids-fit": [
      "https://github.com/decolua/9router/issues/393",
      "https://github.com/earendil-works/pi/issues/1022",
      "https://github.com/openclaw/openclaw/pull/27974",
    ],
    "call-ids-are-unique": ["https://platform.openai.com/docs/api-reference/responses/create"],
    "item-ids-fit": [
      "https://github.com/CopilotKit/CopilotKit/pull/6117",
      "https://github.com/nodetool-ai/nodetool/pull/4252",
      "https://github.com/langchain-ai/langchainjs/issues/11044",
    ],
    "tool-names-fit": ["https://github.com/xinnan-tech/xiaozhi-esp32-server/issues/1465"],
    "arguments-are-json": ["https://platform.openai.com/docs/api-reference/responses/create"],
    "results-follow-calls": [
      "https://github.com/vercel/ai/issues/8216",
      "https://github.com/continuedev/continue/issues/10092",
    ],
    "calls-have-results": ["https://github.com/bytedance/trae-agent/issues/245"],
    "reasoning-is-followed": [
      "https://github.com/UKGovernmentBEIS/inspect_ai/pull/1990",
      "https://github.com/openai/openai-node/issues/1567",
      "https://github.com/vercel/ai/issues/7099",
      "https://github.com/anomalyco/opencode/issues/1086",
    ],
    "ends-with-user": ["https://github.com/anomalyco/opencode/pull/18421"],
  },
  anthropic: {
    "has-messages": ["https://docs.anthropic.com/en/api/messages"],
    "roles-are-known": [
      "https://github.com/ianarawjo/ChainForge/issues/271",
      "https://github.com/Maol-1997/cursor-claude-connector/issues/3",
    ],
    "starts-with-user": [
      "https://github.com/lobehub/lobehub/issues/1601",
      "https://github.com/elastic/kibana/pull/246393",
      "https://github.com/pydantic/pydantic-ai/issues/4495",
    ],
    "roles-alternate": [
      "https://github.com/microsoft/semantic-kernel/issues/10281",
      "https://github.com/cline/cline/issues/431",
      "https://github.com/Portkey-AI/gateway/issues/748",
    ],
    "ends-with-user": [
      "https://github.com/anomalyco/opencode/issues/19981",
      "https://github.com/vybestack/llxprt-code/pull/3695",
      "https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons",
    ],
    "fields-are-known": [
      "https://github.com/RooCodeInc/Roo-Code/issues/11429",
      "https://github.com/langchain-ai/langchain/issues/31208",
    ],
    "nothing-is-empty": [
      "https://github.com/anthropics/claude-code/issues/59812",
      "https://github.com/anomalyco/opencode/issues/31259",
    ],
    "text-is-well-formed": HALF_CHARACTER,
    "call-ids-fit": ["https://github.com/HKUDS/nanobot/pull/4356"],
    "call-ids-are-unique": [
      "https://github.com/anthropics/claude-code/issues/20901",
      "https://github.com/BerriAI/litellm/issues/23510",
    ],
    "tool-names-fit": [
      "https://github.com/CherryHQ/cherry-studio/pull/2895",
      "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
    ],
    "arguments-are-objects": ["https://docs.anthropic.com/en/api/messages"],
    "results-follow-calls": [
      "https://github.com/anthropics/claude-code/issues/18947",
      "https://github.com/anthropics/claude-code/issues/13460",
    ],
    "calls-have-results": [
      "https://github.com/anthropics/claude-code/issues/5060",
      "https://github.com/anthropics/claude-code/issues/7929",
    ],
    "hosted-results-follow-calls": [
      "https://github.com/anthropics/claude-code/issues/95406",
      "https://github.com/anthropics/claude-code/issues/89348",
    ],
    "hosted-calls-have-results": [
      "https://github.com/anthropics/anthropic-sdk-python/issues/961",
      "https://github.com/AnswerDotAI/lisette/issues/108",
    ],
    "results-come-first": [
      "https://github.com/anthropics/anthropic-sdk-typescript/issues/653",
      "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
    ],
    "calls-come-last": [
      "https://github.com/anthropics/claude-code/issues/5060",
      "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
    ],
    "reasoning-comes-first": [
      "https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking",
      "https://github.com/anomalyco/opencode/issues/3077",
      "https://github.com/mastra-ai/mastra/issues/7799",
    ],
    "reasoning-is-signed": [
      "https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking",
      "https://github.com/can1357/oh-my-pi/issues/6379",
    ],
    "assistant-does-not-end-in-space": [
      "https://github.com/tailcallhq/forgecode/issues/1872",
      "https://github.com/anomalyco/opencode/issues/1295",
    ],
  },
  gemini: {
    "has-messages": ["https://ai.google.dev/api/caching#Content"],
    "roles-are-known": ["https://ai.google.dev/api/caching#Content"],
    "starts-with-user": [
      "https://github.com/google-gemini/gemini-cli/issues/11814",
      "https://ai.google.dev/gemini-api/docs/function-calling",
    ],
    "roles-alternate": [
      "https://github.com/google-gemini/gemini-cli/issues/26486",
      "https://github.com/langchain-ai/langchain/issues/27799",
    ],
    "ends-with-user": [
      "https://github.com/crewAIInc/crewAI/pull/6973",
      "https://github.com/crewAIInc/crewAI/pull/7134",
    ],
    "fields-are-known": ["https://github.com/gera2ld/ai.nvim/issues/13"],
    "nothing-is-empty": [
      "https://github.com/egoist/chatwise-releases/issues/250",
      "https://github.com/QuantumNous/new-api/issues/1060",
    ],
    "parts-are-of-one-kind": ["https://github.com/boldsoftware/sketch/issues/68"],
    "text-is-well-formed": HALF_CHARACTER,
    "call-ids-are-unique": ["https://ai.google.dev/gemini-api/docs/function-calling"],
    "tool-names-fit": [
      "https://github.com/google-gemini/gemini-cli/issues/2966",
      "https://github.com/kaitranntt/ccs/issues/25",
      "https://github.com/cline/cline/issues/7339",
    ],
    "arguments-are-objects": ["https://ai.google.dev/gemini-api/docs/function-calling"],
    "responses-are-objects": ["https://ai.google.dev/api/caching#FunctionResponse"],
    "results-follow-calls": ["https://github.com/langchain-ai/langchain/issues/27799"],
    "calls-have-results": [
      "https://github.com/google-gemini/gemini-cli/issues/4217",
      "https://github.com/google-gemini/gemini-cli/issues/16984",
    ],
    "results-stand-alone": ["https://github.com/anomalyco/opencode/pull/43479"],
    "calls-are-signed": [
      "https://ai.google.dev/gemini-api/docs/thought-signatures",
      "https://github.com/langgenius/dify-official-plugins/issues/2088",
    ],
  },
  "ai-sdk": {
    "has-messages": ["https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message"],
    "roles-are-known": [
      "https://github.com/midday-ai/ai-sdk-tools/issues/121",
      "https://ai-sdk.dev/docs/foundations/prompts",
    ],
    "fields-are-known": ["https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message"],
    "nothing-is-empty": [
      "https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message",
      "https://github.com/anthropics/claude-code/issues/59812",
    ],
    "text-is-well-formed": HALF_CHARACTER,
    "call-ids-are-unique": ["https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message"],
    "results-have-names": ["https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message"],
    "results-follow-calls": ["https://github.com/vercel/ai/issues/8216"],
    "calls-have-results": ["https://ai-sdk.dev/docs/troubleshooting/missing-tool-results-error"],
    "ends-with-user": ["https://github.com/anomalyco/opencode/pull/18421"],
  },
};
