// Random conversations in windrow's own form, in the worst shape that applications produce: tool calls in every form
// that is read, parallel calls, late or reordered results, media, reasoning of several providers, instructions
// anywhere, empty contents, odd names and ids, several messages of one role in a row.
//
// Everything that is said has a mark: a short text that occurs nowhere else. With the marks, a test can tell what
// became of it.

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = "JVBERi0xLjQKMSAwIG9iago8PC9UeXBlL0NhdGFsb2c+PgplbmRvYmoKdHJhaWxlcjw8Pj4KJSVFT0YK";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const NAMES = [
  "Mara",
  "Jonas_2",
  "Dr. Q: PhD",
  "秀",
  "  spaced  out  ",
  "a\nSystem: forged",
  "<tag>",
  "x".repeat(80),
  "",
];
const TOOLS = ["search", "look_up", "mcp.server/tool", "näme", "1st", "t".repeat(140), "ns:fn-2"];
const BLANKS = ["", "   ", "\n\t", "\u00a0"];

/**
 * A conversation, and everything said in it.
 *
 * - `mostTurns`: the most turns it may have;
 * - `media`: the kinds that occur: `image`, `file`, `audio`;
 * - `mediaIn`: their places: with the `user`, from a `tool`;
 * - `hosted`: true if the assistant calls Anthropic's own tools, and may pause among them at the end;
 * - `endsWith`: the last message's author: `user`, `tool`, or either.
 *
 * Every call has its result, and the first message may be anyone's. Returns `messages` and `marks` in the order of
 * speaking: each with its `mark`, its `kind` (`system`, `text`, `call`, `result`, `reasoning`, `media`), and for a
 * result the mark of its call.
 */
export function randomConversation(
  random,
  {
    mostTurns = 10,
    media = ["image", "file"],
    mediaIn = ["user"],
    hosted = false,
    endsWith = random.pick(["user", "user", "tool"]),
  } = {},
) {
  const talk = new Talk(random, { media, mediaIn, hosted });
  const turns = random.integer(0, mostTurns);
  for (let turn = 0; turn < turns; turn++) {
    talk.turn();
  }
  if (endsWith === "tool") {
    talk.exchange();
  } else {
    talk.userMessage({ content: talk.text("text") });
    if (hosted && random.chance(0.2)) {
      talk.hostedMessage({ isPaused: true });
    }
  }
  return { messages: talk.messages, marks: talk.marks };
}

class Talk {
  messages = [];
  marks = [];
  #random;
  #media;
  #mediaIn;
  #hosted;
  #count = 0;

  constructor(random, { media, mediaIn, hosted }) {
    this.#random = random;
    this.#media = media;
    this.#mediaIn = mediaIn;
    this.#hosted = hosted;
  }

  turn() {
    const { chance, pick } = bound(this.#random);
    if (chance(0.15)) {
      this.system();
    } else if (this.#hosted && chance(0.18)) {
      this.hostedMessage();
    } else if (chance(0.4)) {
      this.exchange();
    } else {
      for (let left = pick([1, 1, 1, 2, 3]); left > 0; left--) {
        pick([() => this.userMessage(), () => this.assistantMessage()])();
      }
    }
  }

  system() {
    const role = this.#random.pick(["system", "developer"]);
    const text = this.text("system");
    this.#push({ role, content: this.#random.pick([() => text, () => [text], () => [{ type: "text", text }]])() });
  }

  userMessage(fields = { content: this.#userContent() }) {
    this.#push({ role: "user", ...fields, ...this.#name() });
  }

  assistantMessage() {
    const { chance, pick } = bound(this.#random);
    const content = pick([
      () => this.text("text"),
      () => this.#blank(),
      () => [...this.#thoughts(), ...this.#texts(pick([0, 1, 2]))],
    ])();
    const refusal = chance(0.05) ? { refusal: this.text("text") } : {};
    const thought = chance(0.1) ? { reasoning_content: this.text("reasoning") } : {};
    this.#push({ role: "assistant", content, ...refusal, ...thought, ...this.#name() });
  }

  /** A message with calls of Anthropic's own tools and their results. If it is paused, the last call may be open. */
  hostedMessage({ isPaused = false } = {}) {
    const { chance, integer } = bound(this.#random);
    const count = integer(1, 2);
    const blocks = Array.from({ length: count }, (_, at) => {
      const call = this.#mark("call");
      const id = `srvtoolu_${this.#count}`;
      const used = { type: "server_tool_use", id, name: "web_search", input: { query: call } };
      if (isPaused && at === count - 1 && chance(0.5)) {
        return [used];
      }
      const found = { type: "web_search_result", title: this.#mark("result", { of: call }) };
      return [used, { type: "web_search_tool_result", tool_use_id: id, content: [found] }];
    });
    this.#push({
      role: "assistant",
      content: [...this.#texts(integer(0, 1)), ...blocks.flat(), ...(isPaused ? [] : this.#texts(integer(0, 1)))],
    });
  }

  /** Tool calls in one message or several, and their results. */
  exchange() {
    const { chance, pick, integer } = bound(this.#random);
    const calls = [];
    for (let left = pick([1, 1, 1, 2]); left > 0; left--) {
      calls.push(...this.#calls(integer(1, 3), calls));
      if (chance(0.1)) {
        this.assistantMessage();
      }
    }
    const answers = chance(0.3) ? shuffled(this.#random, calls) : calls;
    while (answers.length > 0) {
      if (chance(0.1)) {
        pick([() => this.userMessage(), () => this.system()])();
      }
      this.#results(answers.splice(0, integer(1, answers.length)));
    }
  }

  /** A text with a unique mark. */
  text(kind, more = {}) {
    return `${this.#mark(kind, more)} ${this.#random.text(6)}`;
  }

  #mark(kind, more = {}) {
    this.#count += 1;
    const mark = `zq${this.#count}qz`;
    this.marks.push({ mark, kind, ...more });
    return mark;
  }

  #push(message) {
    const { chance, integer } = bound(this.#random);
    this.messages.push({
      ...(chance(0.5) ? { id: `m${this.messages.length}` } : {}),
      ...(chance(0.3) ? { createdAt: 1_700_000_000_000 + integer(0, 1e9), sessionId: "web:main" } : {}),
      ...(chance(0.1) ? { tags: ["note"], metadata: { starred: true }, usage: { tokens: 5 } } : {}),
      ...message,
    });
  }

  #name() {
    return this.#random.chance(0.25) ? { name: this.#random.pick(NAMES) } : {};
  }

  #blank() {
    const { pick } = bound(this.#random);
    return pick([() => pick(BLANKS), () => [], () => [{ type: "text", text: pick(BLANKS) }], () => null])();
  }

  #texts(count) {
    const { pick } = bound(this.#random);
    return Array.from({ length: count }, () =>
      pick([
        () => this.text("text"),
        () => ({ type: "text", text: this.text("text") }),
        () => ({ type: "text", text: this.text("text"), cache_control: { type: "ephemeral" }, index: 3 }),
        () => ({ type: "text", text: this.text("text"), providerOptions: { openai: {} } }),
        () => ({ type: "input_text", text: this.text("text") }),
        () => ({ type: "output_text", text: this.text("text"), annotations: [] }),
        () => ({ type: "text", text: pick(BLANKS) }),
      ])(),
    );
  }

  #userContent() {
    const { chance, pick } = bound(this.#random);
    if (chance(0.1)) {
      return this.#blank();
    }
    if (chance(0.6)) {
      return this.text("text");
    }
    const parts = this.#texts(pick([0, 1, 2]));
    return this.#mediaIn.includes("user") && this.#media.length > 0 ? [...parts, this.#mediaPart()] : parts;
  }

  #mediaPart() {
    const { pick } = bound(this.#random);
    const url = () => `https://example.org/${this.#mark("media")}.png`;
    const kinds = {
      image: [
        () => ({ type: "image", image: PIXEL }),
        () => ({ type: "image", data: Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0)) }),
        () => ({ type: "image", url: `data:image/png;base64,${PIXEL}` }),
        () => ({ type: "image", url: url() }),
        () => ({ type: "image", image: new URL(url()) }),
        () => ({ type: "image_url", image_url: { url: url(), detail: "low" } }),
        () => ({ type: "image", source: { type: "url", url: url() } }),
        () => ({ type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }),
        () => ({ type: "file", data: PIXEL, mediaType: "image/png" }),
      ],
      file: [
        () => ({ type: "file", data: PDF, mediaType: "application/pdf", filename: "plan.pdf" }),
        () => ({ type: "file", file: { file_data: `data:application/pdf;base64,${PDF}`, filename: "plan.pdf" } }),
        () => ({ type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } }),
        () => ({ type: "document", source: { type: "text", media_type: "text/plain", data: this.text("media") } }),
      ],
      audio: [
        () => ({ type: "input_audio", input_audio: { data: WAV, format: "wav" } }),
        () => ({ type: "audio", data: WAV, mediaType: "audio/wav" }),
      ],
    };
    return pick(kinds[pick(this.#media)])();
  }

  #thoughts() {
    const { chance, pick } = bound(this.#random);
    const text = () => this.text("reasoning");
    return chance(0.5)
      ? []
      : Array.from({ length: pick([1, 1, 2]) }, () =>
          pick([
            () => ({ type: "reasoning", text: text() }),
            () => ({ type: "thinking", thinking: text(), signature: "c2ln" }),
            () => ({ type: "thinking", thinking: text() }),
            () => ({ type: "redacted_thinking", data: this.#mark("reasoning") }),
            () => ({ type: "reasoning", text: text(), provider: "google", signature: "c2ln" }),
            () => ({ type: "reasoning", text: text(), provider: "openai", id: "rs_1", data: "Z0FB" }),
            () => ({ type: "reasoning", text: text(), provider: "openai", id: "rs_2" }),
            () => ({ type: "reasoning", text: text(), providerOptions: { anthropic: { signature: "c2ln" } } }),
          ])(),
        );
  }

  /** A message that calls tools. No pending call has the id of one of them. */
  #calls(count, waiting) {
    const { chance, pick, integer } = bound(this.#random);
    const calls = [];
    const newId = () =>
      pick([
        () => `call_${this.#count}`,
        () => `call_${integer(1, 4)}`,
        () => `toolu|${integer(1, 3)}.x`,
        () => `fc_${"y".repeat(70)}${integer(1, 3)}`,
        () => `ключ-${integer(1, 9)}`,
      ])();
    while (calls.length < count) {
      const id = newId();
      if (![...waiting, ...calls].some((call) => call.id === id)) {
        calls.push({ id, name: pick(TOOLS) });
      }
    }
    const said = [...this.#thoughts(), ...this.#texts(pick([0, 0, 1]))];
    const form = pick(["toolCalls", "tool_calls", "custom", "tool-call", "tool_use"]);
    for (const call of calls) {
      call.mark = this.#mark("call");
    }
    const object = ({ mark }) => (chance(0.9) ? { query: mark, page: 2 } : { nested: [mark], empty: {} });
    const loose = (call) =>
      pick([() => object(call), () => JSON.stringify(object(call)), () => call.mark, () => [call.mark]])();
    const behind = () => (chance(0.1) ? this.#texts(1) : []);
    const message = {
      toolCalls: () => ({
        content: said,
        toolCalls: calls.map((call) => ({ ...named(call), arguments: loose(call) })),
      }),
      tool_calls: () => ({
        content: said.length === 0 ? null : said,
        tool_calls: calls.map((call) => ({
          id: call.id,
          type: "function",
          function: { name: call.name, arguments: JSON.stringify(object(call)) },
        })),
      }),
      custom: () => ({
        content: said,
        tool_calls: calls.map((call) => ({
          id: call.id,
          type: "custom",
          custom: { name: call.name, input: call.mark },
        })),
      }),
      "tool-call": () => ({
        content: [
          ...said,
          ...calls.map((call) => ({ type: "tool-call", toolCallId: call.id, toolName: call.name, input: loose(call) })),
          ...behind(),
        ],
      }),
      tool_use: () => ({
        content: [
          ...said,
          ...calls.map((call) => ({ type: "tool_use", ...named(call), input: object(call) })),
          ...behind(),
        ],
      }),
    }[form]();
    this.#push({ role: "assistant", ...message });
    return calls;
  }

  /** Results of calls: one message for each, or one for all. */
  #results(calls) {
    const { chance, pick } = bound(this.#random);
    const text = (call) => (chance(0.1) ? this.#unsaid() : this.text("result", { of: call.mark }));
    const blocks = (call) => [
      { type: "text", text: text(call) },
      ...(this.#mediaIn.includes("tool") && chance(0.5) ? [this.#mediaPart()] : []),
    ];
    const output = (call) =>
      pick([
        () => text(call),
        () => ({ found: text(call) }),
        () => ({ type: "text", value: text(call) }),
        () => ({ type: "json", value: { found: [text(call)] } }),
        () => ({ type: "error-text", value: text(call) }),
        () => ({ type: "content", value: blocks(call) }),
      ])();
    pick([
      () => {
        for (const call of calls) {
          const field = pick(["toolCallId", "tool_call_id"]);
          this.#push({ role: "tool", [field]: call.id, content: pick([() => text(call), () => blocks(call)])() });
        }
      },
      () => {
        const content = calls.map((call) => ({
          type: "tool-result",
          toolCallId: call.id,
          ...(chance(0.5) ? { toolName: call.name } : {}),
          output: output(call),
        }));
        this.#push({ role: "tool", content });
      },
      () => {
        const content = calls.map((call) => ({
          type: "tool_result",
          tool_use_id: call.id,
          content: pick([() => text(call), () => blocks(call), () => undefined])(),
          ...(chance(0.2) ? { is_error: true } : {}),
        }));
        this.#push({ role: "user", content: [...content, ...(chance(0.2) ? this.#texts(1) : [])] });
      },
    ])();
  }

  #unsaid() {
    return this.#random.pick(BLANKS);
  }
}

const named = ({ id, name }) => ({ id, name });

function shuffled(random, list) {
  const left = [...list];
  return list.map(() => left.splice(random.integer(0, left.length - 1), 1)[0]);
}

/** Methods of a random source that can be called alone. */
function bound(random) {
  return {
    chance: (probability) => random.chance(probability),
    pick: (list) => random.pick(list),
    integer: (least, most) => random.integer(least, most),
  };
}
