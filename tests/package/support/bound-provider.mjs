// A provider that binds reasoning to everything before it, as Anthropic documents it, and a chat with it. It runs in
// any host.

import { Random } from "./random.mjs";

const WORDS = "harbour violin garden invoice kitchen train plumber window ticket letter candle river".split(" ");

export const saying = (random, most) =>
  Array.from({ length: random.integer(2, most) }, () => random.pick(WORDS)).join(" ");

/** A provider that remembers the request before each reasoning block, and checks every block that comes back. */
export class BindingProvider {
  #prefixes = new Map();
  #count = 0;
  sent = 0;

  static #text(value) {
    const plain = (key, inner) => {
      if (key === "cache_control") {
        return undefined;
      }
      return key === "content" && typeof inner === "string" ? [{ type: "text", text: inner }] : inner;
    };
    return JSON.stringify(value, plain);
  }

  /** Everything before a block. Content before a compaction doesn't count, because the provider doesn't read it. */
  #prefix({ system = null, messages }, model, tools, end, blocks) {
    const before = messages.slice(0, end).map(({ role, content }) => ({ role, content }));
    const isCompaction = ({ type }) => type === "compaction";
    const own = blocks.findLastIndex(isCompaction);
    const at = before.findLastIndex(({ content }) => Array.isArray(content) && content.some(isCompaction));
    if (own >= 0) {
      return BindingProvider.#text([model, tools, system, [], blocks.slice(own)]);
    }
    const read = at < 0 ? before : before.slice(at);
    if (at >= 0) {
      read[0] = { ...read[0], content: read[0].content.slice(read[0].content.findLastIndex(isCompaction)) };
    }
    return BindingProvider.#text([model, tools, system, read, blocks]);
  }

  /** Throws if the request has reasoning that is bound to something else. */
  check(body, model, tools = undefined) {
    this.sent = 0;
    for (const [at, { content }] of body.messages.entries()) {
      for (const [index, block] of (Array.isArray(content) ? content : []).entries()) {
        if (block.type === "thinking") {
          this.sent += 1;
          const now = this.#prefix(body, model, tools, at, content.slice(0, index));
          const then = this.#prefixes.get(block.signature);
          if (now !== then) {
            throw new Error(`messages.${at}.content.${index}: bound to a different conversation\n${now}\n${then}`);
          }
        }
      }
    }
  }

  /** Replies with reasoning, then with a text or a call. Sometimes it reasons again before the call. */
  reply(random, body, model, calls, { tools = undefined, compacts = false, secrets = false } = {}) {
    /** @type {any[]} */
    const content = compacts ? [{ type: "compaction", content: saying(random, 20) }] : [];
    const think = () => {
      const signature = `signature ${this.#count++}`;
      this.#prefixes.set(signature, this.#prefix(body, model, tools, body.messages.length, content.slice()));
      content.push({ type: "thinking", thinking: random.chance(1 / 3) ? "" : saying(random, 20), signature });
    };
    think();
    content.push({ type: "text", text: secrets ? `Write to ${random.pick(WORDS)}@example.org.` : saying(random, 40) });
    if (calls) {
      if (random.chance(1 / 2)) {
        think();
      }
      content.push({ type: "tool_use", id: `call_${this.#count}`, name: "look", input: { q: saying(random, 3) } });
    }
    return { role: "assistant", content };
  }
}

/**
 * The user's next words, or a tool's result.
 *
 * @returns {any}
 */
export function next(random, reply) {
  const call = reply?.content.find(({ type }) => type === "tool_use");
  return call === undefined
    ? { role: "user", content: saying(random, 30) }
    : { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: saying(random, 60) }] };
}

/**
 * Returns a request of Bedrock's Converse with its texts and its reasoning as Anthropic's blocks, without cache points.
 */
function fromBedrock({ system, messages }) {
  const block = (given) => {
    const { text: thinking, signature } = given.reasoningContent?.reasoningText ?? {};
    const said = given.text === undefined ? given : { type: "text", text: given.text };
    return signature === undefined ? said : { type: "thinking", thinking, signature };
  };
  const blocks = (list) => list.filter((it) => it.cachePoint === undefined).map(block);
  return {
    system: blocks(system),
    messages: messages.map(({ role, content }) => ({ role, content: blocks(content) })),
  };
}

/** Returns a request of the AI SDK with its reasoning as Anthropic's blocks. */
function fromAiSdk({ system, messages }) {
  const block = (given) => {
    const { signature } = given.providerOptions?.anthropic ?? {};
    return given.type === "reasoning" ? { type: "thinking", thinking: given.text, signature } : given;
  };
  const blocks = (content) => (typeof content === "string" ? content : content.map(block));
  return { system, messages: messages.map(({ role, content }) => ({ role, content: blocks(content) })) };
}

const BODIES = { anthropic: (body) => body, bedrock: fromBedrock, "ai-sdk": fromAiSdk };

/**
 * Runs a random chat or agent, by Anthropic's API, Bedrock's or the AI SDK: cuts, edits, late instructions, several
 * models, reordered tools, compactions, and builds whose outline isn't kept. Throws if a request has a block that the
 * provider would refuse. Returns the number of blocks sent.
 */
export async function runRandomChat({ buildContext, presets }, random) {
  const provider = new BindingProvider();
  const name = random.pick(Object.keys(BODIES));
  const messages = [{ role: "system", content: "Be brief." }, next(random)];
  const base = random.pick([{}, { recall: { ranking: "recency" } }, presets.steady]);
  const calls = random.pick([0, 1 / 2, 3 / 4]);
  let tools = ["look", "find"].map((name) => ({ name, description: name, parameters: { type: "object" } }));
  /** @type {any} */
  let previous;
  let sent = 0;
  for (let turn = 0; turn < 16; turn++) {
    const model = random.chance(1 / 12) ? "claude-sonnet-5-5" : "claude-opus-5-5";
    tools = random.chance(1 / 20) ? tools.toReversed() : tools;
    const budget = { ...base.budget, maxTokens: random.chance(1 / 6) ? 1000 : 1200, tools };
    /** @type {any} */
    const config = { ...base, budget, model, render: { provider: name }, previous, encoding: "estimate" };
    const context = await buildContext([...messages], config);
    const body = BODIES[name](context.request(name));
    provider.check(body, model, tools);
    sent += provider.sent;
    previous = random.chance(1 / 10) ? undefined : JSON.parse(JSON.stringify(context.outline));
    const compacts = name === "anthropic" && random.chance(1 / 12);
    const reply = provider.reply(random, body, model, random.chance(calls), { tools, compacts });
    messages.push(reply, next(random, reply));
    const at = random.integer(0, messages.length - 1);
    if (random.chance(1 / 12) && typeof messages[at].content === "string") {
      messages[at] = { ...messages[at], content: saying(random, 30) };
    }
    if (random.chance(1 / 12)) {
      const change = { type: "tool_removal", tool: { type: "tool_reference", name: "find" } };
      messages.push({ role: "system", content: random.pick([saying(random, 5), [change]]) }, next(random));
    }
  }
  return sent;
}

/**
 * Runs a chat or an agent with a provider that refuses reasoning from another conversation. Returns the number of
 * blocks sent, and the number produced since the last cut.
 *
 * @param {any} windrow
 * @param {any} random
 * @param {any} config
 * @param {{ turns: number; calls: number }} options
 */
export async function runChat({ createTranscript, buildContext }, random, config, { turns, calls }) {
  const provider = new BindingProvider();
  const transcript = createTranscript([{ role: "system", content: "Be brief." }, next(random)]);
  let [sent, thought, since, cut, quoted] = [0, 0, 0, undefined, 0];
  for (let turn = 0; turn < turns; turn++) {
    const context = await buildContext(transcript, config);
    const body = context.request("anthropic");
    provider.check(body, config.model);
    const before = context.trace.ranges.findLast(({ reason }) => reason === "before_cut")?.last;
    since = before === cut ? since : 0;
    cut = before;
    sent += Math.min(provider.sent, since);
    thought += since;
    quoted += JSON.stringify(body).includes("Earlier in this conversation:") ? 1 : 0;
    const reply = provider.reply(random, body, config.model, random.chance(calls));
    since += reply.content.filter(({ type }) => type === "thinking").length;
    transcript.append([reply, next(random, reply)]);
  }
  transcript.free();
  return { turns, sent, thought, quoted };
}

/** Runs a chat of 200 turns on a budget of 4,000 tokens. Some turns call a tool. */
export async function runLongChat(windrow) {
  const { loadEncoding, presets } = windrow;
  await loadEncoding("o200k_base");
  const budget = { ...presets.steady.budget, maxTokens: 4000 };
  const config = { ...presets.steady, model: "claude-opus-5-5", render: { provider: "anthropic" }, budget };
  return await runChat(windrow, new Random(36), config, { turns: 200, calls: 0.3 });
}

/**
 * Runs a random chat or agent in a session: summaries, redaction, retrieval, sections, replaced and cut off messages,
 * regenerated replies, and tabs that open, close and take turns. Throws if a request has a block that the provider
 * would refuse. Returns the number of blocks sent, and the number of requests with a summary.
 */
export async function runRandomSession({ memoryStore, openSession, presets }, redact, random) {
  const provider = new BindingProvider();
  const store = memoryStore();
  const tabs = [await openSession("chat", { store })];
  const base = random.pick([{}, { recall: { ranking: "recency" } }, presets.steady, presets.steady]);
  const calls = random.pick([0, 1 / 2, 3 / 4]);
  const tools = [{ name: "look", description: "look", parameters: { type: "object" } }];
  const summarize = () => {
    if (random.chance(1 / 6)) {
      throw new Error("busy");
    }
    return saying(random, 12);
  };
  const compact = { summarize, maxTokens: 150, ...random.pick([{}, { prepareAt: 0.7 }]) };
  const retrieval = random.chance(1 / 3);
  const config = {
    ...base,
    ...(base === presets.steady && random.chance(2 / 3) ? { compact } : {}),
    ...(random.chance(1 / 3) ? { redact } : {}),
    encoding: "estimate",
    render: { provider: "anthropic" },
  };
  let rules = saying(random, 6);
  await tabs[0].append([{ role: "system", content: "Be brief." }, next(random)]);
  let [sent, summarized] = [0, 0];
  for (let turn = 0; turn < 16; turn++) {
    if (random.chance(1 / 8)) {
      tabs.push(await openSession("chat", { store }));
    }
    if (tabs.length > 1 && random.chance(1 / 8)) {
      await tabs.splice(random.integer(0, tabs.length - 1), 1)[0].close();
    }
    const tab = random.pick(tabs);
    const model = random.chance(1 / 16) ? "claude-sonnet-5-5" : "claude-opus-5-5";
    rules = random.chance(1 / 16) ? saying(random, 6) : rules;
    const sections = [
      { id: "rules", kind: "text", text: rules },
      { id: "past", kind: "history" },
      { id: "ask", kind: "request" },
    ];
    const maxTokens = random.chance(1 / 8) ? 900 : 1200;
    const budget = { ...base.budget, maxTokens, tools, toolResults: { retrieval } };
    const build = async () => {
      const context = await tab.build({ ...config, budget, model, ...(calls === 0 ? { sections } : {}) });
      const body = context.request("anthropic");
      provider.check(body, model, tools);
      sent += provider.sent;
      summarized += context.compact?.summary === undefined ? 0 : 1;
      return body;
    };
    let body = await build();
    if (random.chance(1 / 10)) {
      provider.reply(random, body, model, false, { tools });
      body = await build();
    }
    const secrets = random.chance(1 / 6);
    const reply = provider.reply(random, body, model, random.chance(calls), { tools, secrets });
    await tab.append(reply);
    if (random.chance(1 / 12)) {
      const [thought, ...rest] = reply.content;
      const edited = rest.map((block) => (block.type === "text" ? { ...block, text: saying(random, 9) } : block));
      await tab.replaceLast({ ...reply, content: [thought, ...edited.filter(({ type }) => type !== "thinking")] });
    }
    await tab.append(next(random, reply));
    if (random.chance(1 / 16)) {
      const said = await tab.messages();
      await tab.truncateFrom(random.pick(said.slice(2)).id);
      await tab.append(next(random));
    }
  }
  await Promise.all(tabs.map((tab) => tab.close()));
  return { sent, summarized };
}
