// Request bodies next to those that the packages themselves make from the same messages: their clients accept them
// unchanged, their schemas validate them, and their converters say the same in the same order.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import { functionCallingModelIds, postInitAndCheckFieldsChatCompletion, prebuiltAppConfig } from "@mlc-ai/web-llm";
import { OpenAIResponsesModel, setTracingDisabled, withTrace } from "@openai/agents";
import { convertToModelMessages, generateText, modelMessageSchema } from "ai";
import { modelMessageSchema as schema5 } from "ai-5";
import { convertToModelMessages as convert6, modelMessageSchema as schema6 } from "ai-6";
import OpenAI from "openai";
import { problemsOf, requestOf } from "windrow";
import { forEachSeed, forEachSeedAsync } from "../package/support/property.mjs";
import { randomTurns, SHAPES } from "../package/support/shape-conversations.mjs";

setTracingDisabled(true);

/** A `fetch` that records its bodies and answers with an error. */
function recorder() {
  const bodies = [];
  const fetch = async (request, init) => {
    bodies.push(JSON.parse(init?.body ?? (await request.text())));
    return new Response('{"error":{"message":"no"}}', { status: 400, headers: { "content-type": "application/json" } });
  };
  return { bodies, fetch };
}

/** The body of the request that `run` makes with a package. */
async function sentBy(run) {
  const { bodies, fetch } = recorder();
  const failure = await Promise.resolve(run(fetch)).then(
    () => undefined,
    (error) => error,
  );
  assert.ok(bodies.length > 0, failure?.stack ?? "nothing was sent");
  return bodies[0];
}

/** A conversation in one format with all its features, except those in `without`. */
function conversation(shape, random, { thoughtsOf, without = [] } = {}) {
  const { write, thoughtsOf: own = [], has } = SHAPES[shape];
  const thoughts = thoughtsOf ?? own;
  const { turns } = randomTurns(random, {
    thoughtsOf: own.filter((maker) => thoughts.includes(maker)),
    has: has.filter((it) => !["system-anywhere", ...without].includes(it)),
    alternates: true,
  });
  return write(wellFormed(turns.filter(({ kind }) => kind !== "system")), random);
}

/**
 * Returns plain data without lone surrogates. JSON can't carry them, so windrow leaves out signed reasoning that has
 * one.
 */
function wellFormed(value) {
  if (typeof value === "string") {
    return value.toWellFormed();
  }
  if (Array.isArray(value)) {
    return value.map(wellFormed);
  }
  const isPlain = value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, wellFormed(inner)])) : value;
}

const MARK = /zq\d+qz/g;

/** Lists who says what in a body: the marks of each speaker in turn, however the messages are divided. */
function saidIn(provider, body) {
  const rows = {
    openai: () => body.messages.map(({ role, ...message }) => [role, message]),
    "openai-responses": () =>
      body.input.map((item) => [item.role ?? (/_output$/.test(item.type) ? "tool" : "assistant"), item]),
    anthropic: () => body.messages.map(({ role, content }) => [role, content]),
    gemini: () => body.contents.map(({ role, parts }) => [role, parts]),
  }[provider]();
  const said = [];
  for (const [role, held] of rows) {
    const marks = Array.from(JSON.stringify(held).matchAll(MARK), ([mark]) => mark);
    const speaker = role === "system" || role === "developer" ? "system" : role;
    if (said.at(-1)?.[0] === speaker) {
      said.at(-1)[1].push(...marks);
    } else if (marks.length > 0) {
      said.push([speaker, marks]);
    }
  }
  // LangChain sends some of it to Gemini twice.
  return said.map(([speaker, marks]) => [speaker, [...new Set(marks)]]);
}

const PROVIDERS = {
  openai: { maker: "none", of: (fetch) => createOpenAI({ apiKey: "k", fetch }).chat("gpt-4o") },
  "openai-responses": { maker: "openai", of: (fetch) => createOpenAI({ apiKey: "k", fetch }).responses("gpt-5") },
  anthropic: { maker: "anthropic", of: (fetch) => createAnthropic({ apiKey: "k", fetch })("claude-sonnet-4-5") },
  gemini: { maker: "google", of: (fetch) => createGoogle({ apiKey: "k", fetch })("gemini-2.5-pro") },
};

/** With `store: false`, OpenAI's package sends items instead of their ids. */
const SETTINGS = { maxRetries: 0, providerOptions: { openai: { store: false } } };

describe("the AI SDK", () => {
  for (const shape of Object.keys(SHAPES)) {
    test(`its schemas accept requests made from ${shape}`, () => {
      forEachSeed((random) => {
        const { messages } = requestOf("ai-sdk", conversation(shape, random));
        for (const message of messages) {
          // Version 5 has other words for denied calls, and for images and files in tool results.
          const isOf5 = !/"(?:(?:image|file)-(?:data|url)|execution-denied)"/.test(JSON.stringify(message));
          for (const schema of [...(isOf5 ? [schema5] : []), schema6, modelMessageSchema]) {
            const { success, error } = schema.safeParse(message);
            assert.ok(success, `${error}: ${JSON.stringify(message)}`);
          }
        }
      });
    });
  }

  for (const [provider, { maker, of }] of Object.entries(PROVIDERS)) {
    test(`the request that its package sends to ${provider} keeps the rules`, async () => {
      for (const shape of ["ai-sdk-ui", "anthropic", "openai-responses", "langchain"]) {
        await forEachSeedAsync(async (random) => {
          const messages = conversation(shape, random, { thoughtsOf: [maker], without: ["media", "tool-media"] });
          const sent = await sentBy((fetch) =>
            generateText({ model: of(fetch), ...SETTINGS, ...requestOf("ai-sdk", messages) }),
          );
          // The SDK's package for Gemini doesn't merge assistant messages.
          const isOfPackage = ({ rule }) =>
            rule === "fields-are-known" || (provider === "gemini" && rule === "roles-alternate");
          const problems = problemsOf(provider, sent).filter((problem) => !isOfPackage(problem));
          assert.deepEqual(problems, [], JSON.stringify(sent));
          assert.deepEqual(saidIn(provider, sent), saidIn(provider, requestOf(provider, messages)));
        });
      }
    });

    test(`a UIMessage sent to ${provider} says the same as windrow's body`, async () => {
      await forEachSeedAsync(async (random) => {
        const messages = conversation("ai-sdk-ui", random, { thoughtsOf: [maker], without: ["media"] });
        for (const convert of [convertToModelMessages, convert6]) {
          const converted = await convert(messages);
          const sent = await sentBy((fetch) => generateText({ model: of(fetch), ...SETTINGS, messages: converted }));
          assert.deepEqual(saidIn(provider, requestOf(provider, messages)), saidIn(provider, sent));
        }
      });
    });
  }

  test("the body equals its own conversion of a UIMessage", async () => {
    await forEachSeedAsync(async (random) => {
      const messages = conversation("ai-sdk-ui", random, { without: ["media"] });
      const converted = (await convertToModelMessages(messages)).flatMap(withoutApprovals);
      const { messages: made } = requestOf("ai-sdk", messages);
      assert.deepEqual(plainData(made.map(inParts)), plainData(converted.map(inParts)));
    });
  });
});

/** A message whose content is a list, without the parts that the SDK writes in several ways. */
function inParts({ role, content }) {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return { role, content: parts.map(({ providerExecuted, ...part }) => part) };
}

/** A value as JSON has it, with a replacement for lone surrogates. */
const plainData = (value) =>
  JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === "string" ? inner.toWellFormed() : inner));

/** A message without approval requests and their answers. */
function withoutApprovals({ role, content }) {
  const parts = typeof content === "string" ? content : content.filter(({ type }) => !/^tool-approval/.test(type));
  return parts.length === 0 ? [] : [{ role, content: parts }];
}

describe("the providers' clients send a body unchanged", () => {
  const makers = {
    openai: (fetch, body) =>
      new OpenAI({ apiKey: "k", fetch, maxRetries: 0 }).chat.completions.create({ model: "gpt-4o", ...body }),
    "openai-responses": (fetch, body) =>
      new OpenAI({ apiKey: "k", fetch, maxRetries: 0 }).responses.create({ model: "gpt-5", ...body }),
    anthropic: (fetch, body) =>
      new Anthropic({ apiKey: "k", fetch, maxRetries: 0 }).messages.create({ model: "m", max_tokens: 10, ...body }),
    gemini: async (fetch, { contents, systemInstruction }) => {
      const client = new GoogleGenAI({ apiKey: "k" });
      const own = globalThis.fetch;
      globalThis.fetch = fetch;
      try {
        const config = systemInstruction === undefined ? {} : { systemInstruction };
        await client.models.generateContent({ model: "gemini-2.5-pro", contents, config });
      } finally {
        globalThis.fetch = own;
      }
    },
  };
  for (const [provider, make] of Object.entries(makers)) {
    test(provider, async () => {
      for (const [shape, { write, has, thoughtsOf }] of Object.entries(SHAPES)) {
        await forEachSeedAsync(async (random) => {
          const { turns } = randomTurns(random, {
            thoughtsOf,
            has: has.filter((it) => provider !== "openai" || it !== "tool-media"),
          });
          const body = requestOf(provider, write(turns, random));
          const sent = await sentBy((fetch) => make(fetch, body));
          for (const field of Object.keys(body)) {
            const [is, was] = [sent[field], plainData(body[field])];
            // Google's client sets a role on the instructions.
            const given = field === "systemInstruction" ? { ...is, role: undefined } : is;
            assert.deepEqual(plainData(given), was, shape);
          }
        });
      }
    });
  }
});

describe("LangChain's models", () => {
  const models = {
    openai: (fetch) => new ChatOpenAI({ apiKey: "k", model: "gpt-4o", maxRetries: 0, configuration: { fetch } }),
    "openai-responses": (fetch) =>
      new ChatOpenAI({
        apiKey: "k",
        model: "gpt-5",
        useResponsesApi: true,
        zdrEnabled: true,
        maxRetries: 0,
        configuration: { fetch },
      }),
    anthropic: (fetch) =>
      new ChatAnthropic({ apiKey: "k", model: "claude-sonnet-4-5", maxRetries: 0, clientOptions: { fetch } }),
    gemini: (fetch) => {
      const own = globalThis.fetch;
      globalThis.fetch = fetch;
      const model = new ChatGoogleGenerativeAI({ apiKey: "k", model: "gemini-2.5-pro", maxRetries: 0 });
      return { invoke: (messages) => model.invoke(messages).finally(() => (globalThis.fetch = own)) };
    },
  };
  for (const [provider, of] of Object.entries(models)) {
    test(`a request to ${provider} says the same as windrow's body`, async () => {
      // OpenAI's reasoning is sent back in a LangChain field that these messages don't have.
      const maker = provider === "openai-responses" ? "none" : PROVIDERS[provider].maker;
      await forEachSeedAsync(async (random) => {
        const messages = conversation("langchain", random, {
          thoughtsOf: [maker],
          without: ["media", "tool-media", "name"],
        });
        const sent = await sentBy((fetch) => of(fetch).invoke(messages));
        assert.deepEqual(saidIn(provider, requestOf(provider, messages)), saidIn(provider, sent));
      });
    });
  }
});

test("items sent by the Agents SDK say the same as windrow's body for the Responses API", async () => {
  await forEachSeedAsync(async (random) => {
    const messages = conversation("openai-agents", random, { without: ["media", "tool-media"] });
    const sent = await sentBy((fetch) => {
      const client = new OpenAI({ apiKey: "k", fetch, maxRetries: 0 });
      const request = {
        input: messages,
        modelSettings: {},
        tools: [],
        handoffs: [],
        outputType: "text",
        tracing: false,
      };
      return withTrace("test", () => new OpenAIResponsesModel(client, "gpt-5").getResponse(request));
    });
    const body = requestOf("openai-responses", messages);
    assert.deepEqual(saidIn("openai-responses", body), saidIn("openai-responses", sent));
  });
});

describe("WebLLM", () => {
  /** Model types: the first accepts text, and the third also accepts images. */
  const [LLM, VLM] = [0, 2];
  const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];

  /** Runs WebLLM's own checks of a request. */
  function check(body, model = "Qwen3-4B-q4f16_1-MLC", type = LLM) {
    postInitAndCheckFieldsChatCompletion(structuredClone(body), model, type, undefined);
  }

  for (const shape of Object.keys(SHAPES)) {
    test(`accepts requests made from ${shape}`, () => {
      forEachSeed((random) => {
        const { write, has } = SHAPES[shape];
        const { turns } = randomTurns(random, { has: [...has.filter((it) => it !== "tool-media"), "images"] });
        const body = requestOf("web-llm", write(turns, random));
        check(body, "Phi-3.5-vision-instruct-q4f16_1-MLC", VLM);
        assert.ok(body.messages.every(({ role, content }) => role === "user" || typeof content === "string"));
      });
    });
  }

  test("refuses what the rules refuse, and accepts the rest", () => {
    const user = { role: "user", content: "hi" };
    const system = { role: "system", content: "Be brief." };
    const image = (url, detail) => ({ type: "image_url", image_url: { url, ...(detail && { detail }) } });
    const [hermes] = functionCallingModelIds;
    for (const body of /** @type {any[]} */ ([
      { messages: [user] },
      { messages: [system, user] },
      { messages: [user, system, user] },
      { messages: [user, { role: "assistant", content: "ho" }] },
      { messages: [{ role: "user", content: [image("https://example.org/a.png")] }] },
      { messages: [{ role: "user", content: [image("https://example.org/a.png", "low")] }] },
      { messages: [{ role: "user", content: [image("blob:a")] }] },
      { messages: [{ role: "user", content: ["a", "b"].map((text) => ({ type: "text", text })) }] },
      { messages: [user], tools },
      { messages: [user], tools, model: "Qwen3-4B-q4f16_1-MLC" },
      { messages: [user], tools, model: hermes },
      { messages: [system, user], tools, model: hermes },
    ])) {
      const model = body.model ?? (body.tools === undefined ? undefined : hermes);
      const problems = problemsOf("web-llm", body, { model });
      const run = () => check(body, model, VLM);
      if (problems.length === 0) {
        run();
      } else {
        assert.throws(run, JSON.stringify(body));
      }
    }
  });

  test("takes tools for the models that the rule names, and has small context windows", () => {
    const models = prebuiltAppConfig.model_list.map(({ model_id: id }) => id);
    for (const model of models) {
      const problems = problemsOf("web-llm", { messages: [{ role: "user", content: "hi" }], tools }, { model });
      assert.equal(problems.length === 0, functionCallingModelIds.includes(model), model);
    }
    const windows = prebuiltAppConfig.model_list.map(({ overrides }) => overrides?.context_window_size ?? 0);
    assert.ok(Math.max(...windows) <= 4096);
  });
});
