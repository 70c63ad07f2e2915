// Continuing another agent's session: every kind, every provider, within a budget, whole or interrupted.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { problemsOf, providers } from "windrow";
import { carryOn } from "windrow/files";
import { AGENTS } from "../support/app-files.mjs";
import { errorOf } from "../support/errors.mjs";
import { forEachSeedAsync } from "../support/property.mjs";
import { randomConversation } from "../support/turns.mjs";

const PROVIDERS = providers.map(({ name }) => name);
const MAX_TOKENS = 400;
const options = /** @type {const} */ ({ encoding: "estimate", now: 0 });

describe("carryOn", () => {
  for (const app of AGENTS) {
    test(`makes a valid request from a ${app.kind}, for every provider`, async () => {
      await forEachSeedAsync(async (random) => {
        const turns = randomConversation(random, { ...app, longest: 20 });
        const { text } = app.write(turns, random);
        // An interrupted session ends anywhere between its rows.
        const rows = text.split("\n");
        const isCut = text.startsWith("{") && rows.length > 4 && random.chance(0.5);
        const file = isCut ? rows.slice(0, random.integer(3, rows.length)).join("\n") : text;
        const as = random.pick(PROVIDERS);
        const maxTokens = random.pick([MAX_TOKENS, 10_000]);
        const { body, context } = await carryOn(file, { ...options, as, budget: { maxTokens } });
        assert.deepEqual(problemsOf(as, body), []);
        assert.ok(context.tokens.total <= maxTokens, `${context.tokens.total} of ${maxTokens}`);
        if (maxTokens > MAX_TOKENS && !isCut) {
          const words = /w\d+/.exec(turns.at(-1).text)?.[0] ?? "";
          assert.ok(JSON.stringify(body).includes(words), `the end, ${words}, is in it`);
        }
      });
    });
  }

  const codex = (...payloads) =>
    [
      {
        type: "session_meta",
        payload: { id: "s", timestamp: "2026-01-01T00:00:00Z", base_instructions: { text: "RULE1: be brief." } },
      },
      ...payloads.map((payload) => ({ type: "response_item", payload })),
    ]
      .map((row) => JSON.stringify(row))
      .join("\n");
  const said = (role, text) => ({
    type: "message",
    role,
    content: [{ type: role === "user" ? "input_text" : "output_text", text }],
  });
  const read = (id, path, output) => [
    { type: "function_call", name: "read_file", arguments: JSON.stringify({ path }), call_id: id },
    { type: "function_call_output", call_id: id, output },
  ];
  const filler = Array.from({ length: 60 }, (_, at) => [
    said("user", `question ${at} `.repeat(20)),
    said("assistant", `answer ${at} `.repeat(20)),
  ]).flat();

  test("keeps the agent's rules, however long the session is", async () => {
    const file = codex(
      said("user", "# AGENTS.md instructions for /w\n\nRULE2: run the tests."),
      ...filler,
      said("user", "And now?"),
    );
    for (const as of PROVIDERS) {
      const { body } = await carryOn(file, { ...options, as, budget: { maxTokens: 1000 } });
      const sent = JSON.stringify(body);
      for (const words of ["RULE1", "RULE2", "And now?"]) {
        assert.ok(sent.includes(words), `${words} for ${as}`);
      }
    }
  });

  test("keeps the newest contents of a file, and marks an open call as interrupted", async () => {
    const long = (word) => Array.from({ length: 200 }, (_, at) => `${word} line ${at}`).join("\n");
    const file = codex(
      said("user", "Rename it."),
      ...read("a", "x.ts", long("old")),
      ...read("b", "x.ts", long("new")),
      read("c", "y.ts", "")[0],
    );
    const sent = async (maxTokens) => {
      const { body } = await carryOn(file, { ...options, as: "openai", budget: { maxTokens } });
      assert.deepEqual(problemsOf("openai", body), []);
      return JSON.stringify(body);
    };
    const narrow = await sent(1500);
    assert.ok(narrow.includes("new line 199"));
    assert.ok(!narrow.includes("old line 150"));
    assert.match(await sent(10_000), /interrupted/);
  });

  test("continues with a request if the assistant spoke last", async () => {
    const file = codex(said("user", "Hi"), said("assistant", "Ho"));
    const last = async (given) =>
      JSON.stringify((await carryOn(file, { ...options, ...given, as: "anthropic" })).body).slice(-60);
    assert.match(await last({}), /Continue\./);
    assert.match(await last({ request: "And then?" }), /And then\?/);
  });

  test("uses the conversation that is named, and reports a missing one", async () => {
    const file = JSON.stringify(
      ["Rome", "Oslo"].map((place) => ({ id: place, messages: [{ role: "user", content: `to ${place}` }] })),
    );
    for (const [conversation, words] of /** @type {const} */ ([
      ["Rome", /to Rome/],
      [2, /to Oslo/],
    ])) {
      const { body } = await carryOn(file, { ...options, as: "openai", conversation });
      assert.match(JSON.stringify(body), words);
    }
    const error = await errorOf(() => carryOn(file, { ...options, as: "openai", conversation: "Bonn" }));
    assert.equal(error.code, "INVALID_CONFIG");
    assert.match(error.message, /"Bonn"/);
  });
});

describe("a session of another app", () => {
  const call = { type: "tool-call", id: "t", name: "look", arguments: "{}", state: "input-complete" };
  const result = { type: "tool-result", toolCallId: "t", content: "40", state: "complete" };
  const tanStack = (...parts) =>
    JSON.stringify([
      { id: "1", role: "user", parts: [{ type: "text", content: "How many seats?" }] },
      { id: "2", role: "assistant", parts },
    ]);

  test("that ends with words after a call in the same message gets a request", async () => {
    for (const as of PROVIDERS) {
      const { body } = await carryOn(tanStack(call, result, { type: "text", content: "Forty." }), { ...options, as });
      assert.ok(JSON.stringify(body).includes("Continue."), as);
    }
  });

  test("with calls that have no ids ends like any other", async () => {
    const calls = [1, 2].map((q) => ({ function: { name: "look", arguments: { q } } }));
    for (const steps of [
      [
        { role: "assistant", content: null, function_call: { name: "look", arguments: "{}" } },
        { role: "function", name: "look", content: "40" },
      ],
      [
        { role: "assistant", content: "", tool_calls: calls },
        ...calls.map(() => ({ role: "tool", tool_name: "look", content: "40" })),
      ],
      [
        { role: "assistant", content: "", tool_calls: calls.slice(1) },
        { role: "tool", content: "40" },
      ],
    ]) {
      const chat = [{ role: "user", content: "How many?" }, ...steps, { role: "assistant", content: "Forty." }];
      for (const as of PROVIDERS) {
        const body = JSON.stringify((await carryOn(JSON.stringify(chat), { ...options, as })).body);
        assert.ok(body.includes("Continue.") && !body.includes("interrupted"), `${as}: ${body}`);
      }
    }
  });

  test("that ends with a tool that the provider ran gets a request", async () => {
    const content = [
      { type: "server_tool_use", id: "t", name: "web_search", input: { query: "a" } },
      { type: "web_search_tool_result", tool_use_id: "t", content: [] },
    ];
    const file = JSON.stringify([
      { role: "user", content: "Hi" },
      { role: "assistant", content },
    ]);
    for (const as of PROVIDERS) {
      const { body } = await carryOn(file, { ...options, as });
      assert.ok(JSON.stringify(body).includes("Continue."), as);
    }
  });

  test("with items of OpenAI's tools sends them without the fields that the file's reader adds", async () => {
    const items = [
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "seats" } },
      { type: "local_shell_call", call_id: "c", status: "completed", action: { type: "exec", command: ["ls"] } },
      { type: "function_call_output", call_id: "c", output: "plan" },
      { type: "tool_search_call", call_id: "s", execution: "client", status: "completed", arguments: { query: "x" } },
      { type: "tool_search_output", call_id: "s", execution: "client", status: "completed", tools: [] },
    ];
    const compaction = { type: "compaction", encrypted_content: "sealed" };
    const own = { createdAt: "2026-06-01T10:00:00Z", conversationId: "c", pinned: true, tags: ["a"], replyTo: "m" };
    for (const item of [...items, compaction]) {
      const marked = items.map((one) => (one === item ? { ...item, ...own } : one));
      const session = [
        { role: "user", content: "Hi" },
        ...marked,
        ...(item === compaction ? [{ ...item, ...own }] : []),
      ];
      const { body } = await carryOn(JSON.stringify(session), { ...options, as: "openai-responses" });
      const sent = body.input.filter((one) => "type" in one && one.type === item.type);
      assert.ok(sent.length > 0, item.type);
      for (const name of Object.keys(own)) {
        assert.ok(!JSON.stringify(body).includes(name), `${item.type}: ${JSON.stringify(body)}`);
        const problems = problemsOf("openai-responses", {
          input: [{ ...sent.at(-1), [name]: own[name] }, ...body.input],
        });
        assert.ok(
          problems.some(({ place }) => place === `input[0].${name}`),
          `${item.type}: ${name}`,
        );
      }
    }
  });

  test("that ends with a search of OpenAI's is sendable to every provider", async () => {
    const action = { type: "search", query: "seats" };
    const file = JSON.stringify([
      { role: "user", content: "Hi" },
      { type: "web_search_call", id: "ws_1", status: "completed", action },
    ]);
    for (const as of PROVIDERS) {
      const { body } = await carryOn(file, { ...options, as });
      assert.deepEqual(problemsOf(as, body), [], as);
    }
    const { body } = await carryOn(file, { ...options, as: "openai-responses" });
    assert.deepEqual(body.input.at(-1), { role: "user", content: "Continue." });
  });

  test("that ends with a result or an open call gets none", async () => {
    for (const parts of [
      [call, result],
      [{ type: "text", content: "I look." }, call],
    ]) {
      for (const as of PROVIDERS) {
        const { body } = await carryOn(tanStack(...parts), { ...options, as });
        assert.ok(!JSON.stringify(body).includes("Continue."), as);
      }
    }
  });

  test("has words in place of the files that its export only names", async () => {
    const chat = [
      {
        uuid: "c",
        chat_messages: [
          { uuid: "1", sender: "human", text: "How many seats?", files: [{ file_name: "plan.png" }] },
          { uuid: "2", sender: "assistant", text: "Forty." },
        ],
      },
    ];
    for (const as of PROVIDERS) {
      const { body } = await carryOn(JSON.stringify(chat), { ...options, as });
      assert.ok(JSON.stringify(body).includes("[Attached file: plan.png]"), as);
    }
  });

  test("has words in place of media that the provider can't take, in a request too, in every format", async () => {
    const [png, pdf, image] = ["iVBORw0KGgo=", "https://a.example/plan.pdf", "https://a.example/plan.png"];
    const user = (...content) => ({ role: "user", content });
    const source = (value) => ({ source: { type: "url", value } });
    const files = {
      windrow: user({ type: "file", url: pdf }, { type: "image", url: image }, { type: "audio", url: `${image}.wav` }),
      mistral: user({ type: "document_url", document_url: pdf }, { type: "image_url", image_url: image }),
      "file id": user({ type: "file", file_id: "3b6d45eb-e30b-416f-8019-f47e2e93d930" }),
      openrouter: user(
        { type: "file", file: { filename: "plan.pdf", file_data: pdf } },
        { type: "input_audio", input_audio: { data: png, format: "flac" } },
      ),
      video: user({ type: "video_url", video_url: { url: "https://a.example/plan.mp4" } }),
      anthropic: user({ type: "document", source: { type: "url", url: pdf } }),
      bedrock: user({ document: { format: "pdf", name: "plan", source: { s3Location: { uri: "s3://a/plan.pdf" } } } }),
      gemini: { role: "user", parts: [{ fileData: { mimeType: "video/mp4", fileUri: "gs://a/plan.mp4" } }] },
      tanstack: user({ type: "text", content: "See" }, { type: "document", ...source(pdf) }),
      otel: { role: "user", parts: [{ type: "uri", modality: "image", mime_type: "image/png", uri: image }] },
      "pydantic-ai": {
        kind: "request",
        parts: [{ part_kind: "user-prompt", content: ["See", { kind: "document-url", url: pdf }] }],
      },
      "ag-ui": user({ type: "binary", mimeType: "image/png", data: png }, { type: "image", ...source(image) }),
      "ai-sdk": { role: "user", parts: [{ type: "file", mediaType: "application/pdf", url: pdf }] },
    };
    const call = { type: "tool-call", toolCallId: "t", toolName: "look", input: {} };
    const output = { type: "content", value: [{ type: "file", url: pdf, mediaType: "application/pdf" }] };
    const result = { role: "tool", content: [{ type: "tool-result", toolCallId: "t", toolName: "look", output }] };
    const picture = { type: "image_generation_call", id: "ig_plan", status: "completed", result: png };
    const drawn = { ...picture, revised_prompt: "The plan" };
    const sessions = [
      ...[drawn, { type: "hosted_tool_call", name: drawn.type, providerData: drawn, output: png }].map((item) => [
        ...[{ role: "user", content: "Draw." }, item, { role: "user", content: "And the plan?" }],
      ]),
      ...Object.values(files).flatMap((message) => [[message], [message, { role: "assistant", content: "Forty." }]]),
      [{ role: "user", content: "How many seats?" }, { role: "assistant", content: [call] }, result],
    ];
    for (const [at, session] of sessions.entries()) {
      for (const as of PROVIDERS) {
        const { body } = await carryOn(JSON.stringify(session), { ...options, as });
        const sent = JSON.stringify(body);
        assert.deepEqual(problemsOf(as, body), [], `${at} ${as}`);
        assert.match(sent, /plan|3b6d45eb|flac|wav/, `${at} ${as}: ${sent}`);
      }
    }
  });

  test("in which nothing was said is refused", async () => {
    const error = await errorOf(() => carryOn("[]", { ...options, as: "anthropic" }));
    assert.equal(error.message, "the file has no messages");
  });
});
