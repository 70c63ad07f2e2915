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
  reply(random, body, model, calls, { tools = undefined, compacts = false } = {}) {
    /** @type {any[]} */
    const content = compacts ? [{ type: "compaction", content: saying(random, 20) }] : [];
    const think = () => {
      const signature = `signature ${this.#count++}`;
      this.#prefixes.set(signature, this.#prefix(body, model, tools, body.messages.length, content.slice()));
      content.push({ type: "thinking", thinking: random.chance(1 / 3) ? "" : saying(random, 20), signature });
    };
    think();
    content.push({ type: "text", text: saying(random, 40) });
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

/**
 * Runs a random chat or agent, by Anthropic's API or Bedrock's: cuts, edits, late instructions, several models,
 * reordered tools, compactions, and builds whose outline isn't kept. Throws if a request has a block that the provider
 * would refuse. Returns the number of blocks sent.
 */
export async function runRandomChat({ buildContext, presets }, random) {
  const provider = new BindingProvider();
  const name = random.pick(["anthropic", "bedrock"]);
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
    const body = name === "bedrock" ? fromBedrock(context.request(name)) : context.request(name);
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
