// Random transcripts and configs from a seed: the same seed makes the same case, and a failure names its seed.

const WORDS = [
  ..."the venue costs 480 euros; map, maps & mapping — naïve café Ümlaut 北京 会議 🧵 👩‍👩‍👧‍👦 é don't I'll 3.14 1,000,000".split(
    " ",
  ),
  "<b>",
  "</message>",
  "</conversation>",
  "<|endoftext|>",
  "&amp;",
  "User:",
  "Assistant: yes",
  "\n",
  "\n\n",
  "\r\n",
  "\nTool: forged",
  "   ",
  "\t",
  "\u00a0",
  "\u2028",
  "{}",
  '"quoted"',
  "…",
  "aaaaaaaaaaaaaaaa",
  "\ud83e",
];

/** A source of random choices. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = (seed * 0x9e3779b1) >>> 0;
  }

  /** A number from 0 up to, but not including, 1 (mulberry32). */
  fraction() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, inclusive. */
  integer(least, most) {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  chance(probability) {
    return this.fraction() < probability;
  }

  pick(list) {
    return list[this.integer(0, list.length - 1)];
  }

  text(mostWords = 20) {
    const words = Array.from({ length: this.integer(0, mostWords) }, () => this.pick(WORDS));
    return words.join(this.pick([" ", " ", ""]));
  }
}

const START = Date.UTC(2025, 2, 28, 9);

/** A conversation with instructions, names, times, tool calls in every form, and some orphaned calls and results. */
export function randomTranscript(random, { mostMessages = 24 } = {}) {
  const messages = [];
  const length = random.integer(0, mostMessages);
  if (random.chance(0.6)) {
    messages.push({ role: random.pick(["system", "developer"]), content: random.text(12) });
  }
  while (messages.length < length) {
    if (random.chance(0.25)) {
      messages.push(...randomToolCall(random, messages.length));
    } else {
      messages.push(randomMessage(random));
    }
  }
  messages.forEach((message, position) => {
    decorate(random, message, position);
  });
  if (messages.length > 2 && random.chance(0.1)) {
    // Leaves half a tool call, as in a truncated log.
    messages.splice(random.integer(0, messages.length - 1), 1);
  }
  return messages;
}

/** A message without tool calls. */
export function randomMessage(random) {
  const role = random.pick(["user", "user", "user", "assistant", "assistant", "assistant", "system"]);
  const content = random.chance(0.2)
    ? Array.from({ length: random.integer(0, 3) }, () => randomPart(random))
    : random.text(random.chance(0.1) ? 120 : 20);
  return { role, content };
}

function randomPart(random) {
  return random.pick([
    () => random.text(8),
    () => ({ type: "text", text: random.text(8) }),
    () => ({ type: "input_text", text: random.text(4) }),
    () => ({ type: "reasoning", text: random.text(8) }),
  ])();
}

/** A message with one or several calls, and their results, in one of the forms that are read. */
function randomToolCall(random, position) {
  const count = random.integer(1, 3);
  const ids = Array.from({ length: count }, (_, index) => `call-${position}-${index}`);
  const given = () => ({ query: random.text(4), page: random.integer(0, 9) });
  const called = random.pick([
    () => ({
      role: "assistant",
      content: random.text(4),
      toolCalls: ids.map((id) => ({ id, name: "search", arguments: given() })),
    }),
    () => ({
      role: "assistant",
      content: null,
      tool_calls: ids.map((id) => ({
        id,
        type: "function",
        function: { name: "search", arguments: JSON.stringify(given()) },
      })),
    }),
    () => ({
      role: "assistant",
      content: [
        { type: "text", text: random.text(3) },
        ...ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "search", input: given() })),
      ],
    }),
  ])();
  const results = random.pick([
    () => ids.map((toolCallId) => ({ role: "tool", toolCallId, content: random.text(10) })),
    () => ids.map((id) => ({ role: "tool", tool_call_id: id, content: random.text(10) })),
    () => [
      {
        role: "tool",
        content: ids.map((toolCallId) => ({ type: "tool-result", toolCallId, output: { found: random.text(6) } })),
      },
    ],
  ])();
  return [called, ...results];
}

function decorate(random, message, position) {
  message.id = `m${position}`;
  if (random.chance(0.3)) {
    message.name = random.pick(["Mara", "Jonas", "assistant", "Dr. Q: PhD", "秀"]);
  }
  if (random.chance(0.5)) {
    const moment = START + position * 600_000 + random.integer(-300_000, 900_000);
    message.createdAt = random.pick([moment, new Date(moment).toISOString(), new Date(moment)]);
  }
  if (random.chance(0.15)) {
    message.sessionId = random.pick(["web:main", "web:other"]);
  }
  if (random.chance(0.15)) {
    message.source = random.pick(["scheduled", "briefing", "chat"]);
  }
  if (random.chance(0.15)) {
    message.tags = [random.pick(["command", "note"])];
  }
  if (random.chance(0.04)) {
    message.pinned = true;
  }
}

/** A config over the full range of the options. `now` is set, so that a build depends on nothing else. */
export function randomConfig(random, { request = random.chance(0.5) } = {}) {
  const maybe = (probability, make) => (random.chance(probability) ? make() : undefined);
  const budget = random.pick([
    () => ({ maxTokens: random.integer(5, 400) }),
    () => ({ contextLimit: random.integer(120, 600), replyReserve: random.integer(0, 100) }),
    () => ({ maxChars: random.integer(20, 1500) }),
    () => ({ maxTokens: random.integer(50, 400), maxChars: random.integer(200, 1500) }),
    () => ({}),
  ])();
  return dropUndefined({
    now: START + 86_400_000,
    request: request
      ? random.pick([random.text(10), { role: "user", content: random.text(10), name: "Mara" }])
      : undefined,
    sessionId: maybe(0.2, () => "web:main"),
    encoding: random.pick([undefined, undefined, "o200k_base", "cl100k_base", "estimate"]),
    collect: maybe(0.2, () => ({ fetchLimit: random.integer(0, 20) })),
    filter: maybe(0.3, () => ({
      excludeSources: random.pick([[], ["scheduled"], ["scheduled", "briefing"]]),
      excludeTags: random.pick([[], ["command"]]),
      roles: random.pick([undefined, ["system", "developer", "user", "assistant", "tool"], ["user", "assistant"]]),
    })),
    window: maybe(0.5, () =>
      dropUndefined({
        unit: random.pick([undefined, "message", "exchange"]),
        lookbackCount: maybe(0.4, () => random.integer(0, 12)),
        maxUserTurns: maybe(0.3, () => random.integer(0, 6)),
        maxRecentMessages: maybe(0.3, () => random.integer(0, 12)),
        recencyHours: maybe(0.3, () => random.fraction() * 3),
        minMessages: maybe(0.3, () => random.integer(0, 6)),
      }),
    ),
    budget: { ...budget, onRequiredOverflow: random.pick(["error", "shorten"]) },
    render: { format: random.pick(["messages", "text", "xml"]), times: random.chance(0.3) },
  });
}

function dropUndefined(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** The original of a kept message: one with open calls is kept as a marked copy without them. */
export function originalOf(message, transcript) {
  return message.shortened === true ? transcript.find(({ id }) => id === message.id) : message;
}
