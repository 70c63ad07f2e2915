// Random conversations in every format that is read: with parallel calls and their results, media, reasoning with its
// provider's proof, denied and approved calls if the format has them, instructions, and parts that no model sees.
//
// A conversation is first made as neutral turns, and then written in each format. Everything that is said has a mark, a
// short text that occurs nowhere else. With the marks, a test can tell what became of it.

import {
  AIMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = "JVBERi0xLjQKMSAwIG9iago8PC9UeXBlL0NhdGFsb2c+PgplbmRvYmoKdHJhaWxlcjw8Pj4KJSVFT0YK";
const TOOLS = ["search", "look_up", "book-hall", "get_weather"];
const START = Date.UTC(2026, 0, 5, 9);

/**
 * The turns of a conversation, with the marks of everything said in them.
 *
 * - `mostTurns`: the most turns;
 * - `thoughtsOf`: the providers whose reasoning the format can carry with its proof;
 * - `alternates`: true if user and assistant alternate;
 * - `has`: the format's features in addition to texts and calls: `media`, `media-data` (no media by URL), `images` (no
 * files), `image-data` (only images by their data), `documents` (texts as files), `tool-media`, `denied`, `failed`,
 * `name`, `system-anywhere`.
 */
export function randomTurns(random, { mostTurns = 8, thoughtsOf = [], has = [], alternates = false } = {}) {
  return new Script(random, { thoughtsOf, has: new Set(has), alternates }).turns(random.integer(1, mostTurns));
}

class Script {
  marks = [];
  #random;
  #thoughtsOf;
  #has;
  #alternates;
  #count = 0;

  constructor(random, { thoughtsOf, has, alternates }) {
    this.#random = random;
    this.#alternates = alternates;
    this.#thoughtsOf = thoughtsOf;
    this.#has = has;
  }

  turns(count) {
    const turns = [];
    if (this.#random.chance(0.5)) {
      turns.push({ kind: "system", text: this.#text("system") });
    }
    for (let left = count; left > 0; left--) {
      turns.push(...(this.#alternates ? [this.#user(), this.#assistant()] : [this.#turn()]));
    }
    turns.push({ kind: "user", parts: [{ text: this.#text("text") }] });
    return { turns, marks: this.marks };
  }

  #turn() {
    const { chance, pick } = this.#choices();
    if (this.#has.has("system-anywhere") && chance(0.05)) {
      return { kind: "system", text: this.#text("system") };
    }
    return pick([() => this.#user(), () => this.#assistant(), () => this.#assistant()])();
  }

  #user() {
    const { chance, pick } = this.#choices();
    /** @type {{ text?: string, media?: object }[]} */
    /** @type {{ text?: string, media?: object }[]} */
    const parts = [{ text: this.#text("text") }];
    if (this.#has.has("media") && chance(0.25)) {
      parts.push({ media: this.#media() });
    }
    if (this.#has.has("documents") && chance(0.1)) {
      parts.push({ media: { kind: "file", mediaType: "text/plain", text: this.#text("text"), filename: "notes.txt" } });
    }
    if (chance(0.1)) {
      parts.push({ text: this.#text("text") });
    }
    return { kind: "user", parts, ...(this.#has.has("name") && chance(0.1) ? { name: pick(["Mara", "Dr. Q"]) } : {}) };
  }

  /** The assistant's part of a turn: steps with calls, and its final words. */
  #assistant() {
    const { chance, pick } = this.#choices();
    const steps = [];
    for (let left = pick([0, 0, 1, 1, 2]); left > 0; left--) {
      const calls = Array.from({ length: pick([1, 1, 2, 3]) }, () => this.#call());
      steps.push({ thoughts: this.#thoughts(), text: chance(0.3) ? this.#text("text") : undefined, calls });
    }
    steps.push({ thoughts: this.#thoughts(), text: this.#text("text"), calls: [] });
    return { kind: "assistant", steps };
  }

  #call() {
    const { chance, pick } = this.#choices();
    this.#count += 1;
    const mark = this.#mark("call");
    const states = ["done", "done", "done", ...["failed", "denied"].filter((state) => this.#has.has(state))];
    const state = pick(states);
    const json = state === "done" && chance(0.3);
    return {
      id: `call_${this.#count}`,
      name: pick(TOOLS),
      input: { query: mark, ...(chance(0.3) ? { page: 2, deep: { list: [1, "two", null] } } : {}) },
      mark,
      state,
      text: this.#text("result", { of: mark }),
      json,
      media: state === "done" && !json && this.#has.has("tool-media") && chance(0.2) ? this.#media("image") : undefined,
    };
  }

  #thoughts() {
    const { chance, pick, integer } = this.#choices();
    if (this.#thoughtsOf.length === 0 || chance(0.6)) {
      return [];
    }
    const provider = pick(this.#thoughtsOf);
    this.#count += 1;
    const id = `rs_${this.#count}`;
    // OpenAI's encrypted reasoning has about a thousand characters even if there is little of it.
    const sealed = () => `gAAAAABo${"o2DU".repeat(208 + 6 * integer(1, 9))}`;
    const proof = provider === "openai" ? { id, data: sealed() } : { signature: `c2ln${this.#count}` };
    return [{ provider, text: this.#text("reasoning", { provider }), ...proof }];
  }

  #media(kind = this.#random.pick(this.#has.has("images") ? ["image"] : ["image", "image", "file"])) {
    if (this.#has.has("image-data")) {
      return { kind: "image", mediaType: "image/png", base64: PIXEL };
    }
    if (kind === "file") {
      return { kind, mediaType: "application/pdf", base64: PDF, filename: "plan.pdf" };
    }
    return this.#has.has("media-data") || this.#random.chance(0.5)
      ? { kind, mediaType: "image/png", base64: PIXEL }
      : { kind, mediaType: "image/png", url: `https://example.org/${this.#mark("media")}.png` };
  }

  #text(kind, more = {}) {
    const words = this.#random.text(this.#random.chance(0.1) ? 60 : 10);
    return `${this.#mark(kind, { ...more, words })} ${words}`.trimEnd();
  }

  #mark(kind, more = {}) {
    this.#count += 1;
    const mark = `zq${this.#count}qz`;
    this.marks.push({ mark, kind, ...more });
    return mark;
  }

  #choices() {
    const random = this.#random;
    return {
      chance: (probability) => random.chance(probability),
      pick: (list) => random.pick(list),
      integer: (least, most) => random.integer(least, most),
    };
  }
}

const dataUrl = ({ mediaType, base64, url }) => url ?? `data:${mediaType};base64,${base64}`;
const outputOf = ({ json, text }) => (json ? { found: [text] } : text);

// ---- OpenAI chat completions ----

function openAiPart(part) {
  if (part.text !== undefined) {
    return { type: "text", text: part.text };
  }
  const { media } = part;
  return media.kind === "image"
    ? { type: "image_url", image_url: { url: dataUrl(media), detail: "auto" } }
    : { type: "file", file: { filename: media.filename, file_data: dataUrl(media) } };
}

function openAiMessages(turns, random) {
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: random.pick(["system", "developer"]), content: turn.text }];
    }
    if (turn.kind === "user") {
      const isText = turn.parts.length === 1 && random.chance(0.7);
      const content = isText ? turn.parts[0].text : turn.parts.map(openAiPart);
      return [{ role: "user", content, ...(turn.name ? { name: turn.name } : {}) }];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => {
      const tool_calls = calls.map(({ id, name, input, mark }) =>
        random.chance(0.1)
          ? { id, type: "custom", custom: { name, input: `${mark}\n+ "ok"` } }
          : { id, type: "function", function: { name, arguments: JSON.stringify(input) } },
      );
      const content =
        text === undefined ? random.pick([null, ""]) : random.chance(0.2) ? [{ type: "text", text }] : text;
      return [
        {
          role: "assistant",
          content,
          ...(random.chance(0.2) ? { refusal: null, annotations: [] } : {}),
          ...(thoughts.length > 0 ? { reasoning_content: thoughts.map((it) => it.text).join("") } : {}),
          ...(calls.length > 0 ? { tool_calls } : {}),
        },
        ...calls.map((call) => {
          const said = call.json ? JSON.stringify(outputOf(call)) : call.text;
          const content = random.chance(0.2) ? [{ type: "text", text: said }] : said;
          return { role: "tool", tool_call_id: call.id, content };
        }),
      ];
    });
  });
}

/** OpenAI's first functions: one call per message, without an id, and its result directly after it. */
function functionMessages(turns, random) {
  return openAiMessages(turns, random).flatMap((message) => {
    const { tool_calls, ...said } = message;
    if (message.role === "tool") {
      return [];
    }
    const results = new Map(
      turns.flatMap(({ steps = [] }) => steps.flatMap(({ calls }) => calls.map((call) => [call.id, textOf(call)]))),
    );
    const pairs = (tool_calls ?? []).map((call, at) => {
      const { name, input, arguments: given = JSON.stringify({ input }) } = call.function ?? call.custom;
      const own = at === 0 ? said : { role: "assistant", content: null };
      return [
        { ...own, function_call: { name, arguments: given } },
        { role: "function", name, content: results.get(call.id) },
      ];
    });
    return pairs.length === 0 ? [message] : pairs.flat();
  });
}

// ---- OpenAI Responses and Agents ----

function responsesPart(part) {
  if (part.text !== undefined) {
    return { type: "input_text", text: part.text };
  }
  const { media } = part;
  return media.kind === "image"
    ? { type: "input_image", image_url: dataUrl(media), detail: "auto" }
    : { type: "input_file", filename: media.filename, file_data: dataUrl(media) };
}

function responsesItems(turns, random) {
  let count = 0;
  const itemId = (prefix) => {
    count += 1;
    return `${prefix}_${count}`;
  };
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: random.pick(["system", "developer"]), content: turn.text }];
    }
    if (turn.kind === "user") {
      return [{ type: "message", role: "user", content: turn.parts.map(responsesPart) }];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => [
      ...thoughts.map((thought) => ({
        type: "reasoning",
        id: thought.id,
        // The API returns these, but refuses them as input.
        summary: [{ type: "summary_text", text: thought.text, index: 0 }],
        encrypted_content: thought.data,
        status: "completed",
      })),
      ...(text === undefined
        ? []
        : [
            {
              type: "message",
              id: itemId("msg"),
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
            },
          ]),
      ...calls.map(({ id, name, input }) => ({
        type: "function_call",
        id: itemId("fc"),
        call_id: id,
        name,
        arguments: JSON.stringify(input),
        status: "completed",
      })),
      ...calls.map((call) => ({
        type: "function_call_output",
        call_id: call.id,
        output:
          call.media === undefined
            ? call.json
              ? JSON.stringify(outputOf(call))
              : call.text
            : [{ type: "input_text", text: call.text }, responsesPart({ media: call.media })],
      })),
    ]);
  });
}

function agentsPart(part) {
  if (part.text !== undefined) {
    return { type: "input_text", text: part.text };
  }
  const { media } = part;
  return media.kind === "image"
    ? { type: "input_image", image: dataUrl(media), detail: "auto" }
    : { type: "input_file", file: dataUrl(media), filename: media.filename };
}

function agentsItems(turns) {
  let count = 0;
  const itemId = (prefix) => {
    count += 1;
    return `${prefix}_${count}`;
  };
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ type: "message", role: "system", content: turn.text, providerData: {} }];
    }
    if (turn.kind === "user") {
      return [{ type: "message", role: "user", content: turn.parts.map(agentsPart), providerData: {} }];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => [
      ...thoughts.map((thought) => ({
        type: "reasoning",
        id: thought.id,
        content: [{ type: "input_text", text: thought.text }],
        providerData: { encrypted_content: thought.data },
      })),
      ...(text === undefined
        ? []
        : [
            {
              type: "message",
              id: itemId("msg"),
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text, providerData: { annotations: [] } }],
            },
          ]),
      ...calls.map(({ id, name, input }) => ({
        type: "function_call",
        id: itemId("fc"),
        callId: id,
        name,
        arguments: JSON.stringify(input),
        status: "completed",
      })),
      ...calls.map((call) => ({
        type: "function_call_result",
        callId: call.id,
        name: call.name,
        status: "completed",
        output:
          call.media === undefined
            ? { type: "text", text: call.json ? JSON.stringify(outputOf(call)) : call.text }
            : [{ type: "input_text", text: call.text }, agentsPart({ media: call.media })],
      })),
    ]);
  });
}

// ---- Anthropic ----

function anthropicBlock(part) {
  if (part.text !== undefined) {
    return { type: "text", text: part.text };
  }
  const { kind, mediaType: media_type, base64: data, url, text, filename } = part.media;
  const given = url === undefined ? { type: "base64", media_type, data } : { type: "url", url };
  const source = text === undefined ? given : { type: "text", media_type, data: text };
  return kind === "image" ? { type: "image", source } : { type: "document", source, title: filename };
}

function anthropicMessages(turns, random) {
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: "system", content: turn.text }];
    }
    if (turn.kind === "user") {
      const isText = turn.parts.length === 1 && random.chance(0.5);
      const blocks = turn.parts.map(anthropicBlock);
      if (random.chance(0.2)) {
        blocks.at(-1).cache_control = { type: "ephemeral" };
      }
      return [{ role: "user", content: isText ? turn.parts[0].text : blocks }];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => [
      {
        role: "assistant",
        content: [
          ...thoughts.map((it) => ({ type: "thinking", thinking: it.text, signature: it.signature })),
          ...(thoughts.length > 0 && random.chance(0.1) ? [{ type: "redacted_thinking", data: "c2VhbGVk" }] : []),
          ...(text === undefined ? [] : [{ type: "text", text, citations: null }]),
          ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
        ],
      },
      ...(calls.length === 0
        ? []
        : [
            {
              role: "user",
              content: calls.map((call) => ({
                type: "tool_result",
                tool_use_id: call.id,
                content:
                  call.media === undefined
                    ? random.chance(0.5)
                      ? [{ type: "text", text: call.json ? JSON.stringify(outputOf(call)) : call.text }]
                      : call.text
                    : [{ type: "text", text: call.text }, anthropicBlock({ media: call.media })],
                ...(call.state === "failed" ? { is_error: true } : {}),
              })),
            },
          ]),
    ]);
  });
}

// ---- Gemini ----

function geminiPart(part) {
  if (part.text !== undefined) {
    return { text: part.text };
  }
  const { mediaType: mimeType, base64: data, url: fileUri } = part.media;
  return fileUri === undefined ? { inlineData: { mimeType, data } } : { fileData: { mimeType, fileUri } };
}

function geminiContents(turns, random) {
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: "system", parts: [{ text: turn.text }] }];
    }
    if (turn.kind === "user") {
      return [{ role: "user", parts: turn.parts.map(geminiPart) }];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => {
      // With an id on both sides, on one side, or on neither. Without ids, name and order pair them.
      const has = random.pick(["both", "both", "none", "call", "response"]);
      const signature = thoughts[0]?.signature;
      return [
        {
          role: "model",
          parts: [
            ...thoughts.map((it) => ({ text: it.text, thought: true })),
            ...(text === undefined
              ? []
              : [{ text, ...(signature && calls.length === 0 ? { thoughtSignature: signature } : {}) }]),
            ...calls.map(({ id, name, input: args }, at) => ({
              functionCall: { ...(has === "both" || has === "call" ? { id } : {}), name, args },
              ...(signature && at === 0 ? { thoughtSignature: signature } : {}),
            })),
          ],
        },
        ...(calls.length === 0
          ? []
          : [
              {
                role: "user",
                parts: calls.map((call) => ({
                  functionResponse: {
                    ...(has === "both" || has === "response" ? { id: call.id } : {}),
                    name: call.name,
                    response: call.json
                      ? outputOf(call)
                      : { [call.state === "failed" ? "error" : "output"]: call.text },
                    ...(call.media === undefined ? {} : { parts: [geminiPart({ media: call.media })] }),
                  },
                })),
              },
            ]),
      ];
    });
  });
}

// ---- Bedrock ----

function bedrockBlock(part) {
  if (part.text !== undefined) {
    return { text: part.text };
  }
  const { kind, base64, filename } = part.media;
  const source = { bytes: Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)) };
  return kind === "image"
    ? { image: { format: "png", source } }
    : { document: { format: "pdf", name: filename.replace(".pdf", ""), source } };
}

function bedrockMessages(turns, random) {
  const point = () => (random.chance(0.1) ? [{ cachePoint: { type: "default" } }] : []);
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: "system", content: [{ text: turn.text }, ...point()] }];
    }
    if (turn.kind === "user") {
      return [{ role: "user", content: [...turn.parts.map(bedrockBlock), ...point()] }];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => [
      {
        role: "assistant",
        content: [
          ...thoughts.map(({ text: said, signature }) => ({
            reasoningContent: { reasoningText: { text: said, signature } },
          })),
          ...(text === undefined ? [] : [{ text }, ...point()]),
          ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
        ],
      },
      ...(calls.length === 0
        ? []
        : [
            {
              role: "user",
              content: [
                ...calls.map((call) => ({
                  toolResult: {
                    toolUseId: call.id,
                    content: [
                      call.json ? { json: outputOf(call) } : { text: call.text },
                      ...(call.media === undefined ? [] : [bedrockBlock({ media: call.media })]),
                    ],
                    ...(call.state === "failed" ? { status: "error" } : {}),
                  },
                })),
                ...point(),
              ],
            },
          ]),
    ]);
  });
}

// ---- AI SDK ----

function metadataOf({ provider, signature, id, data }) {
  return provider === "openai"
    ? { openai: { itemId: id, reasoningEncryptedContent: data } }
    : provider === "google"
      ? { google: { thoughtSignature: signature } }
      : { anthropic: { signature } };
}

const aiSdkOutput = (call) =>
  call.state === "failed"
    ? { type: "error-text", value: call.text }
    : call.state === "denied"
      ? { type: "execution-denied", reason: call.text }
      : call.json
        ? { type: "json", value: outputOf(call) }
        : call.media === undefined
          ? { type: "text", value: call.text }
          : {
              type: "content",
              value: [
                { type: "text", text: call.text },
                call.media.url === undefined
                  ? { type: "image-data", data: call.media.base64, mediaType: call.media.mediaType }
                  : { type: "image-url", url: call.media.url },
              ],
            };

function modelMessages(turns, random) {
  const media = ({ kind, mediaType, base64, url, filename }) =>
    kind === "image" && random.chance(0.5)
      ? { type: "image", image: url === undefined ? base64 : new URL(url), mediaType }
      : { type: "file", data: url === undefined ? base64 : new URL(url), mediaType, ...(filename ? { filename } : {}) };
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: "system", content: turn.text }];
    }
    if (turn.kind === "user") {
      const isText = turn.parts.length === 1 && random.chance(0.5);
      const parts = turn.parts.map((part) => (part.media ? media(part.media) : { type: "text", text: part.text }));
      return [{ role: "user", content: isText ? turn.parts[0].text : parts }];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => [
      {
        role: "assistant",
        content: [
          ...thoughts.map((it) => ({ type: "reasoning", text: it.text, providerOptions: metadataOf(it) })),
          ...(text === undefined ? [] : [{ type: "text", text }]),
          ...calls.map(({ id, name, input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input })),
          ...calls
            .filter(({ state }) => state === "denied")
            .map(({ id }) => ({ type: "tool-approval-request", approvalId: `ask_${id}`, toolCallId: id })),
        ],
      },
      ...(calls.length === 0
        ? []
        : [
            {
              role: "tool",
              content: [
                ...calls
                  .filter(({ state }) => state === "denied")
                  .map(({ id }) => ({ type: "tool-approval-response", approvalId: `ask_${id}`, approved: false })),
                ...calls.map((call) => ({
                  type: "tool-result",
                  toolCallId: call.id,
                  toolName: call.name,
                  output: aiSdkOutput(call),
                })),
              ],
            },
          ]),
    ]);
  });
}

function uiMessages(turns, random) {
  return turns.map((turn, at) => {
    const id = `m${at}`;
    if (turn.kind === "system") {
      return { id, role: "system", parts: [{ type: "text", text: turn.text }] };
    }
    if (turn.kind === "user") {
      const parts = turn.parts.map(({ text, media }) =>
        media === undefined
          ? { type: "text", text }
          : { type: "file", mediaType: media.mediaType, url: dataUrl(media), filename: media.filename ?? "photo.png" },
      );
      return { id, role: "user", parts: [...parts, ...(random.chance(0.1) ? [{ type: "data-note", data: 1 }] : [])] };
    }
    const parts = turn.steps.flatMap(({ thoughts, text, calls }) => [
      { type: "step-start" },
      ...thoughts.map((it) => ({ type: "reasoning", text: it.text, state: "done", providerMetadata: metadataOf(it) })),
      ...(text === undefined ? [] : [{ type: "text", text, state: "done" }]),
      ...calls.map((call) => {
        const { id: toolCallId, name, input, state, text: said } = call;
        const type = random.chance(0.3) ? { type: "dynamic-tool", toolName: name } : { type: `tool-${name}` };
        const approval = { id: `ask_${toolCallId}`, approved: state !== "denied" };
        const done = {
          done: () => ({
            state: "output-available",
            output: outputOf(call),
            ...(random.chance(0.2) ? { approval } : {}),
          }),
          failed: () => ({ state: "output-error", errorText: said }),
          denied: () => ({ state: "output-denied", approval: { ...approval, reason: said } }),
        };
        return { ...type, toolCallId, input, ...done[state]() };
      }),
      ...(random.chance(0.1) ? [{ type: "source-url", sourceId: "s1", url: "https://example.org/boats" }] : []),
    ]);
    return { id, role: "assistant", parts };
  });
}

/** @param {any} part */
function tanStackPart({ text, media }) {
  if (text !== undefined) {
    return { type: "text", content: text };
  }
  const { kind, mediaType: mimeType, base64, url } = media;
  const source = url === undefined ? { type: "data", value: base64, mimeType } : { type: "url", value: url, mimeType };
  return { type: kind === "image" ? kind : "document", source };
}

function tanStackMessages(turns) {
  return turns.map((turn, at) => {
    const about = { id: `m${at}`, createdAt: new Date(START + at * 60_000) };
    if (turn.kind === "system") {
      return { ...about, role: "system", parts: [tanStackPart(turn)] };
    }
    if (turn.kind === "user") {
      return { ...about, role: "user", parts: turn.parts.map(tanStackPart) };
    }
    const parts = turn.steps.flatMap(({ thoughts, text, calls }) => [
      ...thoughts.map((it) => ({ type: "thinking", content: it.text, signature: it.signature })),
      ...(text === undefined ? [] : [tanStackPart({ text })]),
      ...calls.map(({ id, name, input }) => ({
        type: "tool-call",
        id,
        name,
        arguments: JSON.stringify(input),
        input,
        state: "complete",
      })),
      ...calls.map((call) => ({
        type: "tool-result",
        toolCallId: call.id,
        content:
          call.media === undefined
            ? call.json
              ? JSON.stringify(outputOf(call))
              : call.text
            : [tanStackPart(call), tanStackPart({ media: call.media })],
        state: call.state === "failed" ? "error" : "complete",
      })),
    ]);
    return { ...about, role: "assistant", parts };
  });
}

function otelMessages(turns) {
  const media = ({ kind, mediaType: mime_type, base64, url }) =>
    url === undefined
      ? { type: "blob", modality: kind, mime_type, content: base64 }
      : { type: "uri", modality: kind, mime_type, uri: url };
  const partOf = (/** @type {any} */ part) =>
    part.media === undefined ? { type: "text", content: part.text } : media(part.media);
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: "system", parts: [partOf(turn)], finish_reason: "" }];
    }
    if (turn.kind === "user") {
      return [{ role: "user", parts: turn.parts.map(partOf), finish_reason: "" }];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => [
      {
        role: "assistant",
        parts: [
          ...thoughts.map((it) => ({ type: "reasoning", content: it.text })),
          ...(text === undefined ? [] : [partOf({ text })]),
          ...calls.map(({ id, name, input }) => ({ type: "tool_call", id, name, arguments: input })),
        ],
        finish_reason: calls.length === 0 ? "stop" : "tool_call",
      },
      ...calls.map((call) => ({
        role: "tool",
        parts: [{ type: "tool_call_response", id: call.id, response: outputOf(call) }],
      })),
    ]);
  });
}

function semanticKernelMessages(turns) {
  const media = ({ kind, mediaType, base64, url }) => ({
    ...{ $type: kind === "image" ? "ImageContent" : "BinaryContent", MimeType: mediaType },
    ...(url === undefined ? { Data: base64 } : { Uri: url }),
  });
  const partOf = (/** @type {any} */ part) =>
    part.media === undefined ? { $type: "TextContent", Text: part.text } : media(part.media);
  const message = (label, Items) => ({ Role: { Label: label }, Items });
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [message("system", [partOf(turn)])];
    }
    if (turn.kind === "user") {
      return [message("user", turn.parts.map(partOf))];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => [
      message("assistant", [
        ...thoughts.map((it) => ({ $type: "ReasoningContent", Text: it.text })),
        ...(text === undefined ? [] : [partOf({ text })]),
        ...calls.map(({ id, name, input }) => ({
          ...{ $type: "FunctionCallContent", Id: id, FunctionName: name, Arguments: input },
        })),
      ]),
      ...calls.map((call) =>
        message("tool", [{ $type: "FunctionResultContent", CallId: call.id, Result: outputOf(call) }]),
      ),
    ]);
  });
}

function pydanticMessages(turns) {
  const item = ({ text, media }) =>
    text ??
    (media.url === undefined
      ? { kind: "binary", data: media.base64, media_type: media.mediaType }
      : { kind: "image-url", url: media.url, media_type: media.mediaType });
  const timestamp = new Date(START).toISOString();
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ kind: "request", parts: [{ part_kind: "system-prompt", content: turn.text, timestamp }] }];
    }
    if (turn.kind === "user") {
      const [first, ...others] = turn.parts.map(item);
      const content = others.length === 0 ? first : [first, ...others];
      return [{ kind: "request", parts: [{ part_kind: "user-prompt", content, timestamp }] }];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => [
      {
        kind: "response",
        parts: [
          ...thoughts.map((it) => ({
            part_kind: "thinking",
            content: it.text,
            signature: it.signature,
            provider_name: it.provider === "google" ? "google-gla" : it.provider,
          })),
          ...(text === undefined ? [] : [{ part_kind: "text", content: text }]),
          ...calls.map(({ id, name, input: args }) => ({
            part_kind: "tool-call",
            tool_name: name,
            args,
            tool_call_id: id,
          })),
        ],
        timestamp,
      },
      ...(calls.length === 0
        ? []
        : [
            {
              kind: "request",
              parts: calls.map((call) => ({
                part_kind: call.state === "failed" ? "retry-prompt" : "tool-return",
                tool_name: call.name,
                content: outputOf(call),
                tool_call_id: call.id,
                timestamp,
              })),
            },
          ]),
    ]);
  });
}

function mcpMessages(turns) {
  const block = (/** @type {any} */ { text, media }) =>
    text === undefined
      ? media.kind === "image"
        ? { type: "image", data: media.base64, mimeType: media.mediaType }
        : { type: "resource", resource: { uri: "file:///plan.pdf", mimeType: media.mediaType, blob: media.base64 } }
      : { type: "text", text };
  return turns.flatMap((turn) => {
    if (turn.kind === "user") {
      const [first, ...others] = turn.parts.map(block);
      return [{ role: "user", content: others.length === 0 ? first : [first, ...others] }];
    }
    return (turn.steps ?? []).flatMap(({ text, calls }) => [
      {
        role: "assistant",
        content: [
          ...(text === undefined ? [] : [block({ text })]),
          ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
        ],
      },
      ...(calls.length === 0
        ? []
        : [
            {
              role: "user",
              content: calls.map((call) => ({
                type: "tool_result",
                toolUseId: call.id,
                content: [
                  block({ text: call.json ? JSON.stringify(outputOf(call)) : call.text }),
                  ...(call.media === undefined ? [] : [block({ media: call.media })]),
                ],
                isError: call.state === "failed",
              })),
            },
          ]),
    ]);
  });
}

function agUiMessages(turns) {
  let count = 0;
  const next = () => {
    count += 1;
    return `m${count}`;
  };
  const part = ({ text, media }) =>
    text === undefined
      ? { type: "binary", mimeType: media.mediaType, ...(media.url ? { url: media.url } : { data: media.base64 }) }
      : { type: "text", text };
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ id: next(), role: "system", content: turn.text }];
    }
    if (turn.kind === "user") {
      return [{ id: next(), role: "user", content: turn.parts.map(part) }];
    }
    return turn.steps.flatMap(({ text, calls }) => [
      {
        id: next(),
        role: "assistant",
        ...(text === undefined ? {} : { content: text }),
        ...(calls.length === 0
          ? {}
          : {
              toolCalls: calls.map(({ id, name, input }) => ({
                id,
                type: "function",
                function: { name, arguments: JSON.stringify(input) },
              })),
            }),
      },
      ...calls.map((call) => ({
        id: next(),
        role: "tool",
        toolCallId: call.id,
        content: call.json ? JSON.stringify(outputOf(call)) : call.text,
      })),
    ]);
  });
}

function ui4Messages(turns, random) {
  return turns.map((turn, at) => {
    const about = { id: `m${at}`, createdAt: new Date(START + at * 60_000) };
    if (turn.kind === "system") {
      return {
        ...about,
        role: "system",
        content: turn.text,
        parts: [{ type: "reasoning", reasoning: "", details: [] }],
      };
    }
    if (turn.kind === "user") {
      const texts = turn.parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
      const media = turn.parts.flatMap((part) => (part.media === undefined ? [] : [part.media]));
      return {
        ...about,
        role: "user",
        content: texts.join("\n"),
        experimental_attachments: media.map((it) => ({ url: dataUrl(it), contentType: it.mediaType })),
      };
    }
    const said = turn.steps.flatMap(({ text }) => (text === undefined ? [] : [text]));
    const parts = turn.steps.flatMap(({ thoughts, text, calls }, step) => [
      { type: "step-start" },
      ...thoughts.map((it) => ({
        type: "reasoning",
        reasoning: it.text,
        details: [{ type: "text", text: it.text, signature: it.signature }],
      })),
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...calls.map((call) => ({
        type: "tool-invocation",
        toolInvocation: {
          state: "result",
          step,
          toolCallId: call.id,
          toolName: call.name,
          args: call.input,
          result: outputOf(call),
        },
      })),
    ]);
    const invocations = parts.flatMap(({ toolInvocation }) => (toolInvocation ? [toolInvocation] : []));
    const hasCalls = invocations.length > 0 && random.chance(0.5);
    return {
      ...about,
      role: "assistant",
      content: said.join(""),
      parts,
      ...(hasCalls ? { toolInvocations: invocations } : {}),
    };
  });
}

function mastraMessages(turns, random) {
  return turns.map((turn, at) => {
    const about = { id: `m${at}`, createdAt: new Date(START + at * 60_000), threadId: "t", resourceId: "r" };
    if (turn.kind === "system") {
      return { ...about, role: "system", content: { format: 2, parts: [{ type: "text", text: turn.text }] } };
    }
    if (turn.kind === "user") {
      const parts = turn.parts.map(({ text, media }) =>
        media === undefined
          ? { type: "text", text }
          : { type: "file", mimeType: media.mediaType, data: dataUrl(media) },
      );
      return { ...about, role: "user", content: { format: 2, parts } };
    }
    const parts = turn.steps.flatMap(({ thoughts, text, calls }) => [
      { type: "step-start" },
      ...thoughts.map((it) => ({
        type: "reasoning",
        reasoning: "",
        details: [{ type: "text", text: it.text }],
        providerMetadata: metadataOf(it),
      })),
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...calls.map((call) => ({
        type: "tool-invocation",
        toolInvocation: {
          toolCallId: call.id,
          toolName: call.name,
          args: call.input,
          ...(call.state === "failed"
            ? { state: "output-error", errorText: call.text }
            : call.state === "denied"
              ? { state: "output-denied", approval: { id: "a", approved: false, reason: call.text } }
              : { state: "result", result: outputOf(call) }),
        },
      })),
    ]);
    const texts = turn.steps.flatMap(({ text }) => (text === undefined ? [] : [text]));
    const content = random.chance(0.5) ? { content: texts.at(-1) ?? "" } : {};
    return { ...about, role: "assistant", content: { format: 2, parts, ...content } };
  });
}

function threadMessages(turns, random) {
  return turns.map((turn, at) => {
    const about = { id: `m${at}`, createdAt: new Date(START + at * 60_000), metadata: { custom: {} } };
    const partOf = ({ text, media }) => {
      if (media === undefined) {
        return { type: "text", text };
      }
      const { kind, mediaType: mimeType, filename } = media;
      return kind === "image"
        ? { type: "image", image: dataUrl(media) }
        : { type: "file", data: media.base64, mimeType, filename };
    };
    if (turn.kind === "system") {
      return { ...about, role: "system", content: [{ type: "text", text: turn.text }] };
    }
    if (turn.kind === "user") {
      const parts = turn.parts.map(partOf);
      const beside = random.chance(0.5) ? parts.splice(1) : [];
      const status = { type: "complete" };
      const attachments = beside.map((part, i) => ({ id: `f${i}`, type: "file", name: "f", content: [part], status }));
      return { ...about, role: "user", content: parts, attachments };
    }
    const content = turn.steps.flatMap(({ thoughts, text, calls }) => [
      ...thoughts.map((it) => ({ type: "reasoning", text: it.text, providerMetadata: metadataOf(it) })),
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...calls.map((call) => ({
        type: "tool-call",
        toolCallId: call.id,
        toolName: call.name,
        args: call.input,
        argsText: JSON.stringify(call.input),
        ...(call.state === "denied"
          ? { approval: { id: "a", approved: false, reason: call.text } }
          : { result: outputOf(call), ...(call.state === "failed" ? { isError: true } : {}) }),
        ...(call.media === undefined
          ? {}
          : {
              modelContent: [
                { type: "text", text: call.text },
                { type: "file", data: dataUrl(call.media), mediaType: call.media.mediaType },
              ],
            }),
      })),
      ...(random.chance(0.1)
        ? [{ type: "source", sourceType: "url", id: "s1", url: "https://example.org/boats" }]
        : []),
    ]);
    return { ...about, role: "assistant", content, status: { type: "complete", reason: "stop" } };
  });
}

// ---- LangChain ----

function langChainMessages(turns, random) {
  const form = random.pick(["standard", "anthropic", "openai"]);
  const media = ({ kind, mediaType, base64, url, filename }) => {
    if (form === "openai" && kind === "image") {
      return { type: "image_url", image_url: { url: url ?? `data:${mediaType};base64,${base64}` } };
    }
    return {
      type: kind,
      mimeType: mediaType,
      ...(url === undefined ? { data: base64 } : { url }),
      ...(filename ? { metadata: { filename } } : {}),
    };
  };
  const thoughtOf = (it) =>
    it.provider === "anthropic"
      ? { type: "thinking", thinking: it.text, signature: it.signature }
      : {
          type: "reasoning",
          id: it.id,
          summary: [{ type: "summary_text", text: it.text }],
          encrypted_content: it.data,
        };
  return turns.flatMap((turn, at) => {
    if (turn.kind === "system") {
      return [new SystemMessage(turn.text)];
    }
    if (turn.kind === "user") {
      const isText = turn.parts.length === 1 && random.chance(0.5);
      const content = isText
        ? turn.parts[0].text
        : turn.parts.map((part) => (part.media ? media(part.media) : { type: "text", text: part.text }));
      return [new HumanMessage({ content, id: `h${at}`, ...(turn.name ? { name: turn.name } : {}) })];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => {
      const said = text === undefined ? [] : [{ type: "text", text }];
      const isPlain = thoughts.length === 0 && form !== "anthropic";
      const content = isPlain
        ? (text ?? "")
        : [
            ...thoughts.map(thoughtOf),
            ...said,
            ...(form === "anthropic"
              ? calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input }))
              : []),
          ];
      return [
        new AIMessage({
          content,
          tool_calls: calls.map(({ id, name, input: args }) => ({ id, name, args, type: "tool_call" })),
          ...(random.chance(0.3)
            ? {
                usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
                response_metadata: { model: "m" },
              }
            : {}),
        }),
        ...calls.map(
          (call) =>
            new ToolMessage({
              tool_call_id: call.id,
              name: call.name,
              status: call.state === "failed" ? "error" : "success",
              content:
                call.media === undefined
                  ? call.json
                    ? JSON.stringify(outputOf(call))
                    : call.text
                  : [{ type: "text", text: call.text }, media(call.media)],
            }),
        ),
      ];
    });
  });
}

// ---- pi and opencode ----

function piMessages(turns, random) {
  let timestamp = START;
  const next = () => {
    timestamp += 1000;
    return timestamp;
  };
  const media = ({ mediaType: mimeType, base64 }) => ({ type: "image", data: base64, mimeType });
  const about = {
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 0 } },
  };
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: "compactionSummary", summary: turn.text, tokensBefore: 100, timestamp: next() }];
    }
    if (turn.kind === "user") {
      const isText = turn.parts.length === 1 && random.chance(0.5);
      const content = isText
        ? turn.parts[0].text
        : turn.parts.map((part) => (part.media ? media(part.media) : { type: "text", text: part.text }));
      return [{ role: "user", content, timestamp: next() }];
    }
    return turn.steps.flatMap(({ thoughts, text, calls }) => [
      {
        role: "assistant",
        content: [
          ...thoughts.map((it) => ({ type: "thinking", thinking: it.text, thinkingSignature: it.signature })),
          ...(text === undefined ? [] : [{ type: "text", text }]),
          ...calls.map(({ id, name, input }) => ({ type: "toolCall", id, name, arguments: input })),
        ],
        ...about,
        stopReason: calls.length > 0 ? "toolUse" : "stop",
        timestamp: next(),
      },
      ...calls.map((call) => ({
        role: "toolResult",
        toolCallId: call.id,
        toolName: call.name,
        content: [
          { type: "text", text: call.json ? JSON.stringify(outputOf(call)) : call.text },
          ...(call.media === undefined ? [] : [media(call.media)]),
        ],
        isError: call.state === "failed",
        timestamp: next(),
      })),
    ]);
  });
}

function opencodeMessages(turns, random) {
  return turns.map((turn, at) => {
    const info = { id: `msg_${at}`, sessionID: "ses_1", role: turn.kind === "assistant" ? "assistant" : "user" };
    const own = { ...info, time: { created: START + at * 1000 } };
    if (turn.kind === "system") {
      return { info: own, parts: [{ type: "text", text: turn.text, synthetic: true }] };
    }
    if (turn.kind === "user") {
      const parts = turn.parts.map(({ text, media }) =>
        media === undefined
          ? { type: "text", text }
          : { type: "file", mime: media.mediaType, url: dataUrl(media), filename: media.filename },
      );
      return { info: own, parts };
    }
    const parts = turn.steps.flatMap(({ thoughts, text, calls }) => [
      { type: "step-start" },
      ...thoughts.map((it) => ({ type: "reasoning", text: it.text, metadata: metadataOf(it), time: { start: 1 } })),
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...calls.map((call) => ({
        type: "tool",
        callID: call.id,
        tool: call.name,
        state:
          call.state === "failed"
            ? { status: "error", input: call.input, error: call.text, time: { start: 1, end: 2 } }
            : {
                status: "completed",
                input: call.input,
                output: call.json ? JSON.stringify(outputOf(call)) : call.text,
                title: "t",
                metadata: {},
                time: { start: 1, end: 2 },
                ...(call.media === undefined
                  ? {}
                  : { attachments: [{ type: "file", mime: call.media.mediaType, url: dataUrl(call.media) }] }),
              },
      })),
      ...(random.chance(0.5) ? [{ type: "step-finish", reason: "stop", cost: 0, tokens: {} }] : []),
      ...(random.chance(0.1) ? [{ type: "patch", hash: "h", files: [] }] : []),
    ]);
    return { info: own, parts };
  });
}

// ---- Cohere, Ollama, LlamaIndexTS and Chrome ----

const textOf = (call) => (call.json ? JSON.stringify(outputOf(call)) : call.text);

/** Cohere's assistant states its plan next to its calls. */
function cohereMessages(turns, random) {
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: "system", content: turn.text }];
    }
    if (turn.kind === "user") {
      return [{ role: "user", content: turn.parts.map(openAiPart) }];
    }
    return turn.steps.flatMap(({ text, calls }) => [
      calls.length === 0
        ? { role: "assistant", content: [{ type: "text", text }] }
        : {
            role: "assistant",
            ...(text === undefined ? {} : { tool_plan: text }),
            tool_calls: calls.map(({ id, name, input }) => ({
              id,
              type: "function",
              function: { name, arguments: JSON.stringify(input) },
            })),
          },
      ...calls.map((call) => ({
        role: "tool",
        tool_call_id: call.id,
        content: random.chance(0.5)
          ? [{ type: "document", document: { data: textOf(call) } }]
          : [{ type: "text", text: textOf(call) }],
      })),
    ]);
  });
}

/** Ollama's calls have no ids, and their results come in the order of the calls. */
function ollamaMessages(turns, random) {
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: "system", content: turn.text }];
    }
    if (turn.kind === "user") {
      const texts = turn.parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
      const images = turn.parts.flatMap(({ media }) => (media === undefined ? [] : [media.base64]));
      return [{ role: "user", content: texts.join("\n"), ...(images.length === 0 ? {} : { images }) }];
    }
    return turn.steps.flatMap(({ text = "", calls }) => [
      {
        role: "assistant",
        content: text,
        ...(calls.length === 0
          ? {}
          : {
              tool_calls: calls.map(({ name, input }, index) => ({
                function: { ...(random.chance(0.5) ? { index } : {}), name, arguments: input },
              })),
            }),
      },
      ...calls.map((call) => ({ role: "tool", tool_name: call.name, content: textOf(call) })),
    ]);
  });
}

/** LlamaIndexTS keeps calls and results in `options`. */
function llamaIndexMessages(turns, random) {
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: "system", content: turn.text }];
    }
    if (turn.kind === "user") {
      const isText = turn.parts.length === 1 && random.chance(0.5);
      return [{ role: "user", content: isText ? turn.parts[0].text : turn.parts.map(openAiPart) }];
    }
    return turn.steps.flatMap(({ text = "", calls }) => [
      {
        role: "assistant",
        content: text,
        ...(calls.length === 0
          ? {}
          : { options: { toolCall: calls.map(({ id, name, input }) => ({ id, name, input })) } }),
      },
      ...calls.map((call) => ({
        role: "user",
        content: textOf(call),
        options: { toolResult: { id: call.id, result: textOf(call), isError: false } },
      })),
    ]);
  });
}

/** Chrome's Prompt API has the contents of parts in `value`, and images as bytes. */
function chromeMessages(turns, random) {
  const partOf = ({ text, media }) =>
    media === undefined
      ? { type: "text", value: text }
      : { type: "image", value: Uint8Array.from(Buffer.from(media.base64, "base64")) };
  return turns.flatMap((turn) => {
    if (turn.kind === "system") {
      return [{ role: "system", content: turn.text }];
    }
    if (turn.kind === "user") {
      const isText = turn.parts.length === 1 && random.chance(0.5);
      return [{ role: "user", content: isText ? turn.parts[0].text : turn.parts.map(partOf) }];
    }
    return turn.steps.flatMap(({ text, calls }) => [
      {
        role: "assistant",
        content: [
          ...(text === undefined ? [] : [{ type: "text", value: text }]),
          ...calls.map(({ id: callId, name, input }) => ({
            type: "tool-call",
            value: { callId, name, arguments: input },
          })),
        ],
      },
      ...(calls.length === 0
        ? []
        : [
            {
              role: "user",
              content: calls.map((call) => ({
                type: "tool-response",
                value: {
                  callId: call.id,
                  name: call.name,
                  ...(call.state === "failed"
                    ? { errorMessage: call.text }
                    : {
                        result: call.json
                          ? [{ type: "object", value: outputOf(call) }]
                          : [{ type: "text", value: call.text }],
                      }),
                },
              })),
            },
          ]),
    ]);
  });
}

/**
 * Every format: how turns are written in it, whose reasoning it carries with a proof, and its features. `title` is its
 * name in the table of docs/providers.md.
 */
export const SHAPES = {
  openai: { title: "OpenAI chat", write: openAiMessages, has: ["media", "name", "system-anywhere"], loose: true },
  "openai-functions": {
    title: "OpenAI chat with `function_call`",
    write: functionMessages,
    has: ["media", "name", "system-anywhere"],
    loose: true,
  },
  "openai-responses": {
    title: "OpenAI Responses items",
    write: responsesItems,
    thoughtsOf: ["openai"],
    has: ["media", "tool-media", "system-anywhere"],
  },
  "openai-agents": {
    title: "OpenAI Agents AgentInputItem",
    write: agentsItems,
    thoughtsOf: ["openai"],
    has: ["media", "tool-media", "system-anywhere"],
  },
  anthropic: {
    title: "Anthropic messages",
    write: anthropicMessages,
    thoughtsOf: ["anthropic"],
    has: ["media", "documents", "tool-media", "failed", "system-anywhere"],
  },
  gemini: {
    title: "Gemini contents",
    write: geminiContents,
    thoughtsOf: ["google"],
    has: ["media", "tool-media", "failed", "system-anywhere"],
  },
  bedrock: {
    title: "Bedrock Converse messages",
    write: bedrockMessages,
    thoughtsOf: ["anthropic"],
    has: ["media", "media-data", "tool-media", "failed", "system-anywhere"],
  },
  tanstack: {
    title: "TanStack AI UIMessage",
    write: tanStackMessages,
    thoughtsOf: ["anthropic"],
    has: ["media", "tool-media", "failed", "system-anywhere"],
  },
  otel: {
    title: "OpenTelemetry GenAI messages",
    write: otelMessages,
    has: ["media", "system-anywhere"],
  },
  "semantic-kernel": {
    title: "Semantic Kernel ChatMessageContent",
    write: semanticKernelMessages,
    has: ["media", "system-anywhere"],
  },
  "pydantic-ai": {
    title: "Pydantic AI ModelMessage",
    write: pydanticMessages,
    thoughtsOf: ["anthropic", "google"],
    has: ["media", "failed", "system-anywhere"],
  },
  "ag-ui": {
    title: "AG-UI messages",
    write: agUiMessages,
    has: ["media", "system-anywhere"],
  },
  mcp: {
    title: "MCP messages",
    write: mcpMessages,
    has: ["media", "media-data", "tool-media", "failed"],
  },
  "assistant-ui": {
    title: "assistant-ui ThreadMessage",
    write: threadMessages,
    thoughtsOf: ["anthropic", "openai", "google"],
    has: ["media", "tool-media", "failed", "denied", "system-anywhere"],
  },
  "ai-sdk-ui": {
    title: "AI SDK UIMessage 5 to 7",
    write: uiMessages,
    thoughtsOf: ["anthropic", "openai", "google"],
    has: ["media", "failed", "denied", "system-anywhere"],
  },
  "ai-sdk-ui-4": {
    title: "AI SDK UIMessage 4",
    write: ui4Messages,
    thoughtsOf: ["anthropic"],
    has: ["media", "system-anywhere"],
  },
  "ai-sdk": {
    title: "AI SDK ModelMessage",
    write: modelMessages,
    thoughtsOf: ["anthropic", "openai", "google"],
    has: ["media", "tool-media", "failed", "denied", "system-anywhere"],
  },
  langchain: {
    title: "LangChain instances",
    write: langChainMessages,
    thoughtsOf: ["anthropic", "openai"],
    has: ["media", "tool-media", "failed", "name", "system-anywhere"],
  },
  "langchain-json": {
    title: "LangChain `toJSON()`",
    write: (turns, random) => JSON.parse(JSON.stringify(langChainMessages(turns, random))),
    thoughtsOf: ["anthropic", "openai"],
    has: ["media", "tool-media", "failed", "name", "system-anywhere"],
  },
  "langchain-dict": {
    title: "LangChain `toDict()`",
    write: (turns, random) => mapChatMessagesToStoredMessages(langChainMessages(turns, random)),
    thoughtsOf: ["anthropic", "openai"],
    has: ["media", "tool-media", "failed", "name", "system-anywhere"],
  },
  mastra: {
    title: "Mastra MastraDBMessage",
    write: mastraMessages,
    thoughtsOf: ["anthropic", "openai", "google"],
    has: ["media", "failed", "denied"],
  },
  pi: {
    title: "pi and OpenClaw AgentMessage",
    write: piMessages,
    thoughtsOf: ["anthropic"],
    has: ["media", "image-data", "tool-media", "failed"],
  },
  cohere: { title: "Cohere messages", write: cohereMessages, has: ["media", "images"] },
  ollama: { title: "Ollama messages", write: ollamaMessages, has: ["media", "image-data"] },
  llamaindex: { title: "LlamaIndexTS ChatMessage", write: llamaIndexMessages, has: ["media", "images"] },
  chrome: {
    title: "Chrome Prompt API messages",
    write: chromeMessages,
    has: ["media", "image-data", "failed"],
  },
  opencode: {
    title: "opencode `{ info, parts }`",
    write: opencodeMessages,
    thoughtsOf: ["anthropic", "openai", "google"],
    has: ["media", "tool-media", "failed"],
  },
};
