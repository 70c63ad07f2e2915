// Media that a provider's request has no place for become lines, so a chat can go on with any provider.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildContextSync, loadEncoding, providers, requestOf } from "windrow";
import { forEachSeed } from "../support/property.mjs";

await loadEncoding("o200k_base");

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const MEDIA = {
  image: { type: "image", mediaType: "image/png", data: PNG },
  audio: { type: "audio", mediaType: "audio/wav", data: "UklGRiQAAABXQVZF" },
  document: { type: "file", mediaType: "application/pdf", data: "JVBERi0=", filename: "a.pdf" },
  video: { type: "file", mediaType: "video/mp4", data: "AAAAIGZ0eXA=", filename: "a.mp4" },
  // Documents that are texts have a place everywhere.
  markdown: { type: "file", mediaType: "text/markdown", data: "# Forty boats, by name", filename: "a.md" },
  json: { type: "file", mediaType: "application/json", data: '{ "boats": [40, 41] }', filename: "a.json" },
  source: { type: "document", source: { type: "text", media_type: "text/plain", data: "Forty boats." } },
  found: {
    type: "search_result",
    source: "https://example.org",
    title: "Boats",
    content: [{ type: "text", text: "40" }],
  },
};
const TEXTS = ["markdown", "json", "source", "found"];
const ALL = ["image", "audio", "document", "video"];

/** The places for media, as docs/providers.md lists them. */
const PLACES = {
  gemini: { user: ALL, tool: ALL, assistant: ALL },
  "ai-sdk": { user: ALL, tool: ALL, assistant: ALL },
  openai: { user: ALL, tool: [], assistant: [] },
  "openai-responses": { user: ["image", "document", "video"], tool: ["image", "document", "video"], assistant: [] },
  anthropic: { user: ["image", "document"], tool: ["image", "document"], assistant: [] },
  bedrock: { user: ALL, tool: ["image", "document", "video"], assistant: [] },
  chrome: { user: ["image", "audio"], tool: ["image", "audio"], assistant: [] },
  "web-llm": { user: ["image", "audio"], tool: [], assistant: [] },
};

const line = ({ mediaType, data }) => `[${mediaType}: ${Buffer.from(data, "base64").length} bytes, not shown]`;

/**
 * Returns a chat, and the same chat with lines in place of the media that `places` doesn't allow.
 *
 * @returns {{ chat: any[], lined: any[], textCount: number, lineCount: number }}
 */
function chats(random, places) {
  const chat = [];
  const lined = [];
  let textCount = 0;
  let lineCount = 0;
  const said = (role) => {
    const text = { type: "text", text: `text ${textCount++}: boats` };
    const kinds = [...ALL, ...TEXTS].filter((kind) => role !== "assistant" || kind !== "audio");
    const media = Array.from({ length: random.integer(0, 2) }, () => random.pick(kinds));
    const shown = media.map((kind) =>
      [...places[role], ...TEXTS].includes(kind) ? MEDIA[kind] : { type: "text", text: line(MEDIA[kind]) },
    );
    lineCount += shown.filter(({ type }) => type === "text").length;
    return [
      [text, ...media.map((kind) => MEDIA[kind])],
      [text, ...shown],
    ];
  };
  const add = (role, more = {}) => {
    const [content, other] = said(role);
    chat.push({ role, content, ...more });
    lined.push({ role, content: other, ...more });
  };
  for (let at = random.integer(1, 6); at > 0; at--) {
    add("user");
    if (random.chance(0.5)) {
      const call = { role: "assistant", content: "", toolCalls: [{ id: `c${at}`, name: "look", arguments: { at } }] };
      chat.push(call);
      lined.push(call);
      add("tool", { toolCallId: `c${at}` });
    }
    add("assistant");
  }
  const request = { role: "user", content: "What do they show?" };
  return { chat: [...chat, request], lined: [...lined, request], textCount, lineCount };
}

test("every provider has a table", () => {
  assert.deepEqual(Object.keys(PLACES).sort(), providers.map(({ name }) => name).sort());
});

const names = /** @type {import("windrow").ProviderName[]} */ (Object.keys(PLACES));
for (const provider of names) {
  const places = PLACES[provider];
  test(`${provider}: a request has every text and every medium that has a place, and a line for each other one`, () => {
    let lines = 0;
    forEachSeed((random) => {
      const { chat, lined, textCount, lineCount } = chats(random, places);
      const config = { encoding: /** @type {const} */ ("o200k_base"), render: { provider } };
      const context = buildContextSync(chat, config);
      const body = JSON.stringify(context.request(provider));
      for (let at = 0; at < textCount; at++) {
        assert.ok(body.includes(`text ${at}: boats`), `text ${at}`);
      }
      assert.equal(body.split(", not shown]").length - 1, lineCount);
      assert.equal(context.tokens.total, buildContextSync(lined, config).tokens.total);
      assert.equal(context.trace.notes.filter(({ kind }) => kind === "media-hidden").length, Math.min(lineCount, 1));
      assert.equal(body, JSON.stringify(requestOf(provider, context.messages)));
      lines += lineCount;
    });
    assert.equal(
      lines > 0,
      Object.values(places).some((kinds) => kinds.length < ALL.length),
    );
  });
}

test("the request keeps its media, and fails if the provider has no place for one", () => {
  /** @type {any} */
  const request = { role: "user", content: [{ type: "text", text: "What is said?" }, MEDIA.audio] };
  const context = buildContextSync([request], { encoding: "o200k_base", render: { provider: "anthropic" } });
  assert.throws(() => context.request("anthropic"), { code: "NOT_SENDABLE" });
  const older = [request, { role: "assistant", content: "I can't hear it." }, { role: "user", content: "Then guess." }];
  const next = buildContextSync(older, { encoding: "o200k_base", render: { provider: "anthropic" } });
  assert.match(JSON.stringify(next.request("anthropic")), /\[audio\/wav: \d+ bytes, not shown\]/);
});
