// Divides the tokens of a context among tools and their servers, sources of messages, and speakers.

import type { Role } from "../base/generated.js";
import { isRecord } from "../base/plain-data.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { UnknownRecord } from "../message/format.js";
import type { CallPart, PlainPart, ResultPart } from "../message/message.js";
import type { PlacedPart } from "../message/origin.js";

/** The cost of the tools of one name or of one server, in tokens. */
interface ToolCosts {
  /** Their definitions in `budget.tools`. */
  readonly definition: number;
  /** The calls of these tools in the context. */
  readonly calls: number;
  /** Their results. */
  readonly results: number;
}

/** The cost of a tool, in tokens. */
export interface ToolTokens extends ToolCosts {
  readonly name: string;
  /**
   * The MCP server that it belongs to: the one that the call or the definition names, or else the part of its name
   * before the first `__`, without a leading `mcp__`. Undefined for a tool without a server.
   */
  readonly server: string | undefined;
}

/** The cost of all tools of an MCP server, in tokens. */
export interface ServerTokens extends ToolCosts {
  readonly server: string;
}

/** The cost of the messages of one source, in tokens. */
export interface SourceTokens {
  /** The `source` of the messages. Undefined for those without one, and for texts of sections. */
  readonly source: string | undefined;
  readonly tokens: number;
}

/** The cost of one speaker's words, in tokens. Calls count as the assistant's words, and results as the tool's. */
export interface SpeakerTokens {
  readonly role: Role;
  /** The name of the message. For a result, the name of the tool. */
  readonly name: string | undefined;
  readonly tokens: number;
}

/**
 * The tokens of a context by source. Each list begins with the highest cost. The definitions and `toolInstructions` add
 * up to the section `tools`; `sources` and `speakers` each add up to everything except the sections `format` and
 * `tools`.
 */
export interface TokensBySource {
  readonly tools: readonly ToolTokens[];
  /** The provider's own text about tools, besides their definitions. */
  readonly toolInstructions: number;
  readonly servers: readonly ServerTokens[];
  readonly sources: readonly SourceTokens[];
  readonly speakers: readonly SpeakerTokens[];
}

/** A piece of a context, and its cost. */
export interface CostedPiece {
  readonly role: Role;
  readonly name: string | undefined;
  readonly source: string | undefined;
  /** The piece's message, with only the remaining text if it was shortened. */
  readonly parts: readonly PlacedPart[];
  readonly tokens: number;
}

/**
 * Measures messages in the form of a build: first the cost of the empty form with its tools, then the cost of each
 * message. If `tools` (each as JSON) replace the build's own, nothing is calibrated.
 */
export type Measure = (
  messages: readonly AnyMessage[],
  how?: { readonly tools?: readonly string[]; readonly shape?: string | undefined; readonly first?: number },
) => readonly number[];

/** Returns the tokens by source. `definitions` has the cost of the section `tools`, both calibrated and raw. */
export function tokensBySource(
  pieces: readonly CostedPiece[],
  tools: readonly string[],
  definitions: readonly [tokens: number, counted: number],
  measure: Measure,
): TokensBySource {
  const all = new Tally();
  const toolInstructions = addDefinitions(all, tools, definitions, measure);
  const calls = new Map<string, ToolName>();
  for (const piece of pieces) {
    addPiece(all, piece, calls, measure);
  }
  return { toolInstructions, ...all.lists() };
}

interface ToolName {
  readonly name: string;
  readonly server: string | undefined;
}

type Costs = { -readonly [Kind in keyof ToolCosts]: number };

/** The sums so far. */
class Tally {
  readonly #tools = new Map<string, ToolName & Costs>();
  readonly #servers = new Map<string, { server: string } & Costs>();
  readonly #sources = new Map<string | undefined, { source: string | undefined; tokens: number }>();
  readonly #speakers = new Map<string, { role: Role; name: string | undefined; tokens: number }>();

  addTool({ name, server }: ToolName, kind: keyof ToolCosts, tokens: number): void {
    const none = { definition: 0, calls: 0, results: 0 };
    entryOf(this.#tools, JSON.stringify([name, server]), { name, server, ...none })[kind] += tokens;
    if (server !== undefined) {
      entryOf(this.#servers, server, { server, ...none })[kind] += tokens;
    }
  }

  addWords(role: Role, name: string | undefined, source: string | undefined, tokens: number): void {
    entryOf(this.#sources, source, { source, tokens: 0 }).tokens += tokens;
    entryOf(this.#speakers, JSON.stringify([role, name]), { role, name, tokens: 0 }).tokens += tokens;
  }

  lists(): Omit<TokensBySource, "toolInstructions"> {
    const cost = ({ definition, calls, results }: Costs): number => definition + calls + results;
    return {
      tools: sorted(this.#tools, cost),
      servers: sorted(this.#servers, cost),
      sources: sorted(this.#sources, ({ tokens }) => tokens),
      speakers: sorted(this.#speakers, ({ tokens }) => tokens),
    };
  }
}

/** Adds the cost of each tool's definition. Returns the remaining cost: the provider's own words about tools. */
function addDefinitions(
  all: Tally,
  tools: readonly string[],
  [tokens, counted]: readonly [number, number],
  measure: Measure,
): number {
  const fixed = (own: readonly string[]): number => measure([], { tools: own })[0] ?? 0;
  const known = new Map<string, number>();
  const single = tools.flatMap(declarationsOf);
  // A second definition adds only its own cost, because the words around all of them are already counted.
  const weights = single.map(([json]) => {
    const weight = known.get(json) ?? Math.max(0, fixed([json, json]) - fixed([json]));
    known.set(json, weight);
    return weight;
  });
  const rest = counted - weights.reduce((sum, weight) => sum + weight, 0);
  const [toolInstructions = 0, ...costs] = shared(tokens, [Math.max(0, rest), ...weights]);
  for (const [at, [, tool]] of single.entries()) {
    all.addTool(tool, "definition", costs[at] as number);
  }
  return toolInstructions;
}

/** Returns a definition with the name of its tool; several in one object become an object each. */
function declarationsOf(json: string): (readonly [json: string, tool: ToolName])[] {
  const tool: UnknownRecord = JSON.parse(json);
  for (const field of ["functionDeclarations", "function_declarations"]) {
    const list = tool[field];
    if (Array.isArray(list) && list.length > 0) {
      return list.map((own) => [JSON.stringify({ [field]: [own] }), toolOf(isRecord(own) ? own.name : "", own)]);
    }
  }
  const { name } = isRecord(tool.function) ? tool.function : tool;
  return [[json, toolOf(name ?? tool.type ?? Object.keys(tool)[0], tool)]];
}

const SERVER_FIELDS = ["server_label", "server_name", "mcp_server_name"] as const;

/** Returns a tool by its name, and by its definition or the caller's part with a call, which may name the server. */
function toolOf(name: unknown, given: unknown): ToolName {
  const own = typeof name === "string" ? name : "";
  const fields = isRecord(given) ? SERVER_FIELDS.map((field) => given[field]) : [];
  const stated = fields.find((value): value is string => typeof value === "string" && value !== "");
  const plain = own.replace(/^mcp__/, "");
  const end = plain.indexOf("__");
  return { name: own, server: stated ?? (end > 0 ? plain.slice(0, end) : undefined) };
}

/** Adds the cost of a piece: to the tools that it calls, or has results of, and to its speaker. */
function addPiece(
  all: Tally,
  { role, name, source, parts, tokens }: CostedPiece,
  calls: Map<string, ToolName>,
  measure: Measure,
): void {
  const [ofTools, tools, words]: [(CallPart | ResultPart)[], ToolName[], PlainPart[]] = [[], [], []];
  for (const { part, given } of parts) {
    if (part.type === "tool-call") {
      calls.set(part.toolCallId, toolOf(part.toolName, given));
    }
    if (part.type === "tool-call" || part.type === "tool-result") {
      ofTools.push(part);
      tools.push(calls.get(part.toolCallId) ?? toolOf(part.toolName, undefined));
    } else {
      words.push(part);
    }
  }
  // Text next to the result in a tool's message is the tool's.
  const isResult =
    ofTools.length === 1 && ofTools[0]?.type === "tool-result" && (role === "tool" || words.length === 0);
  const weights = isResult ? [0, 1] : ofTools.length === 0 ? [1] : weightsOf(role, words, ofTools, measure);
  const [own = 0, ...costs] = shared(tokens, weights);
  let spoken = own;
  for (const [at, part] of ofTools.entries()) {
    const cost = costs[at] as number;
    const tool = tools[at] as ToolName;
    if (part.type === "tool-call") {
      all.addTool(tool, "calls", cost);
      spoken += cost;
    } else {
      all.addTool(tool, "results", cost);
      all.addWords("tool", tool.name || name, source, cost);
    }
  }
  if (!isResult) {
    all.addWords(role, name, source, spoken);
  }
}

/** Returns the weight of a message's words with their overhead, followed by those of its calls and results. */
function weightsOf(
  role: Role,
  words: readonly PlainPart[],
  ofTools: readonly (CallPart | ResultPart)[],
  measure: Measure,
): readonly number[] {
  const messages = ofTools.flatMap((part) => {
    const own = part.type === "tool-result" ? ("tool" as const) : role;
    return [[part], [part, part]].map((content) => ({ role: own, content }));
  });
  const [, spoken = 0, ...costs] = measure([{ role, content: words }, ...messages], { tools: [] });
  const own = (at: number): number => Math.max(0, (costs[2 * at + 1] as number) - (costs[2 * at] as number));
  return [words.length === 0 ? 0 : spoken, ...ofTools.map((_, at) => own(at))];
}

/**
 * Returns a number of tokens divided by weights: integers that add up to it. Without weights, everything goes to the
 * first.
 */
function shared(tokens: number, weights: readonly number[]): readonly number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let [weighed, before] = [0, 0];
  return weights.map((weight) => {
    weighed += weight;
    const after = whole === 0 ? tokens : Math.round((tokens * weighed) / whole);
    const own = after - before;
    before = after;
    return own;
  });
}

function entryOf<Key, Entry>(entries: Map<Key, Entry>, key: Key, fresh: Entry): Entry {
  const entry = entries.get(key) ?? fresh;
  entries.set(key, entry);
  return entry;
}

function sorted<Entry>(entries: ReadonlyMap<unknown, Entry>, cost: (entry: Entry) => number): readonly Entry[] {
  return [...entries.values()].sort((one, other) => cost(other) - cost(one));
}
