// Hooks for an endpoint, tested against a local one that misbehaves in every known way.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { buildContext, replay } from "windrow";
import { openAiCompatible } from "windrow/models";
import { Random } from "../support/random.mjs";
import { portOf } from "../support/servers.mjs";

const KEY = "sk-secret-key-of-a-test";
let server;
let origin;

/**
 * The endpoints, with their behavior and the requests they received. A request names its endpoint, because it may
 * arrive after its test has ended.
 */
const endpoints = [];

before(async () => {
  server = createServer(async (request, response) => {
    const [, number, path] = /^\/(\d+)(\/.*)$/.exec(request.url);
    const { behave, asked } = endpoints[Number(number)];
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) {
      text += chunk;
    }
    const body = JSON.parse(text);
    asked.push({ path, headers: request.headers, body });
    behave(request, response, body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${portOf(server)}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const json =
  (value, status = 200) =>
  (_, response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
const chat = (content) => json({ choices: [{ message: { role: "assistant", content } }] });
const vectors = (_, response, { input }) =>
  json({ data: input.map((text, index) => ({ index, embedding: [text.length, 1, 0.5] })).reverse() })(_, response);

const messages = Array.from({ length: 30 }, (_, at) => ({
  id: String(at),
  role: at % 2 === 0 ? "user" : "assistant",
  content: `Line ${at} about the ${["harbour", "violin", "garden"][at % 3]}.`,
}));

/** A model of an endpoint with this behavior, and the requests that it receives. */
function model(behave) {
  const asked = [];
  const number = endpoints.push({ behave, asked }) - 1;
  return { ...openAiCompatible({ baseUrl: `${origin}/${number}/v1`, model: "fast", apiKey: KEY }), asked };
}

function build(more) {
  return buildContext(messages, {
    request: "The violin?",
    encoding: "estimate",
    budget: { maxTokens: 200 },
    now: 0,
    ...more,
  });
}

test("summarize sends its input as JSON, and the reply is the summary", async () => {
  const fast = model(chat("They talk of violins."));
  const context = await build({
    budget: { maxTokens: 150, cut: {} },
    compact: { maxTokens: 30, summarize: fast.summarize },
  });
  assert.equal(context.compact?.summary.text, "They talk of violins.");
  const [{ path, body }] = fast.asked;
  assert.equal(path, "/v1/chat/completions");
  assert.ok(body.max_tokens <= 30);
  const prompt = body.messages[0].content;
  const quoted = JSON.parse(prompt.slice(prompt.indexOf("\n\n{") + 2));
  assert.deepEqual(Object.keys(quoted), ["previousSummary", "messages", "knownFacts"]);
  assert.match(quoted.messages, /Line 0 about the harbour/);
});

/** Every way for an endpoint to fail to complete. None may hang. */
const FAULTS = {
  "a status of 429": json({ error: { message: "slow down" } }, 429),
  "a status of 500 with HTML": (_, response) => response.writeHead(500).end("<html>oh no</html>"),
  "HTML instead of JSON": (_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<html></html>"),
  "half a body": (_, response) => {
    response.writeHead(200, { "content-length": "500" }).write('{"choices":[');
    setTimeout(() => response.destroy(), 20);
  },
  "no choices": json({ choices: [] }),
  "a null": json(null),
  "a reply without a text": chat(null),
  "a closed connection": (request) => request.socket.destroy(),
  "a redirect to nowhere": (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
  "no answer": () => {},
  "an answer that never ends": (_, response) => {
    const timer = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(timer));
  },
};

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`triage with ${name} fails with a note, and the build continues`, async () => {
    const started = performance.now();
    const triage = {
      complete: model(fault).complete,
      skipSelectionThreshold: 3,
      alwaysIncludeRecent: 2,
      timeoutMs: 300,
    };
    const context = await build({ triage });
    assert.ok(performance.now() - started < 5000, "it does not wait for longer than the hook may take");
    assert.ok(context.messages.length > 0);
    const notes = JSON.stringify(context.trace.notes);
    assert.match(notes, /triage/);
    assert.ok(!JSON.stringify([context.trace, context.recording, context.snapshot]).includes(KEY), "no key is kept");
    const next = await build({ recall: { embed: model(vectors).embed } });
    assert.ok(next.messages.length > 0, "the next call works");
  });
}

test("an error includes the response, but not the key", async () => {
  const { complete } = model(json({ error: "x".repeat(5000) }, 503));
  const completing = /** @type {Promise<any>} */ (complete("prompt", { signal: AbortSignal.timeout(5000), model: "" }));
  const failure = await completing.catch((error) => error);
  assert.match(failure.message, /the model fast: expected a status of success, got 503: \{"error":"xxx/);
  assert.ok(failure.message.length < 400 && !failure.message.includes(KEY));
});

test("a model chooses, and a replay of the recording returns the same without the model", async () => {
  const { complete, asked } = model(chat("I would keep [1, 3]."));
  const triage = { complete, skipSelectionThreshold: 3, alwaysIncludeRecent: 2 };
  const context = await build({ triage });
  assert.equal(asked[0].path, "/v1/chat/completions");
  assert.equal(asked[0].headers.authorization, `Bearer ${KEY}`);
  assert.equal(asked[0].body.temperature, 0);
  const { length } = asked;
  const again = await replay(context.recording, messages);
  assert.ok(again.same);
  assert.equal(asked.length, length);
});

test("vectors come in the order of the texts, in batches, however the endpoint orders them", async () => {
  const { embed, asked } = model(vectors);
  const texts = Array.from({ length: 250 }, (_, at) => "x".repeat(at + 1));
  const found = await embed(texts, { signal: AbortSignal.timeout(5000) });
  assert.deepEqual(
    found.map(([length]) => length),
    texts.map(({ length }) => length),
  );
  assert.deepEqual(
    asked.map(({ body }) => body.input.length),
    [96, 96, 58],
  );
});

test("invalid vectors of any kind are a failure", async () => {
  const random = new Random(11);
  const wrong = [
    (rows) => rows.slice(1),
    (rows) => [...rows, rows[0]],
    (rows) => rows.with(0, { index: 0, embedding: [1, null, 2] }),
    (rows) => rows.with(0, { index: 0, embedding: "AAAA" }),
    (rows) => rows.with(0, { index: 0, embedding: [] }),
    (rows) => rows.with(0, { index: 0, embedding: [1, 2] }),
    (rows) => rows.with(0, null),
    () => undefined,
    () => ({}),
  ];
  for (const change of wrong) {
    const count = random.integer(2, 20);
    const { embed } = model((request, response, { input }) => {
      const rows = input.map((_, index) => ({ index, embedding: [index, 1, 0] }));
      json({ data: change(rows) })(request, response);
    });
    const texts = Array.from({ length: count }, () => random.text());
    await assert.rejects(
      /** @type {Promise<any>} */ (embed(texts, { signal: AbortSignal.timeout(5000) })),
      /expected .*vectors/,
    );
  }
});
