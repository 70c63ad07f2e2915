// A setup is one way of building: a preset and the options that differ from it. The config and the call follow from the
// setup and the state of the page.

import {
  type ContextConfig,
  type ForgottenSentence,
  type Format,
  type MessageInput,
  type Presets,
  type ProviderName,
  presets,
} from "windrow";
import type { Hooked, TriageSetup } from "../engine/hooks.js";
import { knowledgeFor } from "../engine/hooks.js";
import type { Given, Knowledge } from "./given.js";

export type PresetName = keyof Presets | "";

/** Options as plain data: a preset, or a part of a config. */
export type Options = Readonly<Record<string, unknown>>;

/** One way of building. */
export interface Setup {
  readonly preset: PresetName;
  /** The options that differ from the preset, by path; null if an option is back at its default. */
  readonly options: Options;
  readonly triage: TriageSetup;
}

export const plainSetup: Setup = { preset: "", options: {}, triage: { by: "words", delay_ms: 0, chosen: {} } };

/** The form of the prompt on the page. */
export type Shape = Extract<ProviderName, "openai" | "anthropic" | "gemini"> | "text";
export const shapes: readonly Shape[] = ["openai", "anthropic", "gemini", "text"];
export const shapeTitles: Readonly<Record<Shape, string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Gemini",
  text: "text",
};

/** The model whose tokens are counted with a provider, if the setup names none. OpenAI's are counted in the first encoding. */
export const usualModels: Readonly<Partial<Record<Shape, string>>> = {
  anthropic: "claude-sonnet-5-5",
  gemini: "gemini-3.8-flash",
};

/** A preset in words: its effect, and its users. */
interface PresetWords {
  readonly does: string;
  readonly isFor: string;
}

export const presetWords: Readonly<Record<string, PresetWords>> = {
  "": {
    does: "Required messages come first, then those about the request, while the budget allows.",
    isFor: "For most chats. Begin here.",
  },
  steady: {
    does: "The history is cut in rare, large steps; recalled messages are quoted after it.",
    isFor: "For chats with a provider that caches prompts: the beginning stays the same from turn to turn.",
  },
  relevant: {
    does: "The messages that fit the request best stay, each in its place in the history.",
    isFor: "For questions that reach far back, if the beginning of the prompt may change each time.",
  },
  triaged: {
    does: "A fast model chooses from the last 25 exchanges those that matter to the request.",
    isFor: "For an assistant in a busy chat room, with a small model available. As in istota.",
  },
  turns: {
    does: "The bot's character, skills and memory, then the user's last 12 turns in 8,000 characters.",
    isFor: "For a bot with its own character and notes. As in takobot.",
  },
  tiered: {
    does: "The conversations of the last 7 days: today's in full, older ones by their summaries.",
    isFor: "For a companion that someone talks to a little every day. As in klausbot.",
  },
  agent: {
    does: "A system prompt, the newest 10 messages and knowledge that fits the request, in 4,000 tokens.",
    isFor: "For an agent that works through tasks and looks things up. As in Loom.",
  },
  turnContract: {
    does: "Sources in a fixed order: the oldest chat goes first, then tool results become summaries.",
    isFor: "For runtimes that must show later what each turn received. As in openboa.",
  },
};

export const presetNames: readonly PresetName[] = ["", ...(Object.keys(presets) as (keyof Presets)[])];

export function presetOptions(name: PresetName): Options {
  return name === "" ? {} : (presets[name] as object as Options);
}

function at(options: Options, path: string): unknown {
  const [group, option] = path.split(".") as [string, string | undefined];
  return option === undefined ? options[group] : (options[group] as Options | undefined)?.[option];
}

/** An option's value in a preset. */
export function presetValue(preset: PresetName, path: string): unknown {
  return at(presetOptions(preset), path) ?? undefined;
}

/** An option's value: the setup's own, or the preset's. */
export function optionOf({ preset, options }: Setup, path: string): unknown {
  return path in options ? (options[path] ?? undefined) : presetValue(preset, path);
}

/** A setup with an option set. An option with the preset's value is dropped. */
export function withOption(setup: Setup, path: string, value: unknown): Setup {
  const { [path]: _, ...options } = setup.options as Record<string, unknown>;
  const known = presetValue(setup.preset, path);
  if (JSON.stringify(value ?? null) !== JSON.stringify(known ?? null)) {
    options[path] = value ?? null;
  }
  return { ...setup, options };
}

/** True if a preset has a section of a kind. Without sections there are history and request. */
export function hasSection(preset: PresetName, kind: string): boolean {
  const { sections } = presetOptions(preset) as ContextConfig;
  return sections == null
    ? kind === "request" || kind === "history"
    : sections.some((section) => section.kind === kind);
}

export function asksTriage(preset: PresetName): boolean {
  return presetOptions(preset).triage !== undefined;
}

/** True if the preset leaves the limit of tokens to the caller. */
export function leavesBudget(preset: PresetName): boolean {
  const { budget } = presetOptions(preset) as ContextConfig;
  return preset === "" || (budget !== undefined && budget.maxTokens == null);
}

/** The text form of a setup: the preset's, or the one that is chosen. */
export function textFormat(setup: Setup): Exclude<Format, "messages"> {
  const format = optionOf(setup, "render.format") as Format | undefined;
  return format === undefined || format === "messages" ? "text" : format;
}

/** The shape that a preset begins with. */
export function shapeOfPreset(preset: PresetName, shape: Shape): Shape {
  const format = presetValue(preset, "render.format") as Format | undefined;
  if (format !== undefined && format !== "messages") {
    return "text";
  }
  return shape === "text" ? "openai" : shape;
}

/** A build that is asked for, as plain data that crosses to the worker. */
export interface Asked {
  readonly preset: PresetName;
  /** Options and contents; the groups hold only what differs from the preset. */
  readonly own: Options;
  readonly triage: TriageSetup | undefined;
  /** The notes that `recall.search` looks through; empty if the preset has no such section. */
  readonly knowledge: readonly Knowledge[];
  /** The key of the session, if the conversation is saved. */
  readonly session: string | undefined;
  /** The sentences that its session leaves out by itself. */
  readonly forgotten: readonly ForgottenSentence[];
}

/** The state of the page next to a setup. */
export interface Circumstances {
  readonly request: string;
  readonly budget: number | undefined;
  readonly shape: Shape;
  readonly given: Given;
  readonly session: string | undefined;
  /** The tag of messages that the page leaves out. */
  readonly leftOutTag: string | undefined;
  /** The forgotten sentences. */
  readonly forgotten: readonly ForgottenSentence[];
}

/** Returns the build that a setup asks for in this state of the page. */
export function askFor(setup: Setup, circumstances: Circumstances): Asked {
  const { request, budget, shape, given, session, leftOutTag, forgotten } = circumstances;
  const { preset, options } = setup;
  const base = presetOptions(preset) as ContextConfig;
  const own: Record<string, unknown> = {};
  if (request !== "") {
    own.request = request;
  }
  if (preset !== "" && given.now !== undefined) {
    own.now = new Date(given.now).toISOString();
  }
  // A file's messages may name a session other than the one they are saved in.
  if (session !== undefined) {
    own.sessionId = null;
  }
  for (const [path, value] of Object.entries(options)) {
    if (path !== "render.format") {
      put(own, path, value ?? undefined);
    }
  }
  const usual = usualModels[shape];
  if (usual !== undefined && optionOf(setup, "model") === undefined && optionOf(setup, "encoding") === undefined) {
    own.model = usual;
  }
  const format = shape === "text" ? textFormat(setup) : "messages";
  if (format !== (base.render?.format ?? "messages")) {
    put(own, "render.format", format);
  }
  if (shape !== "text") {
    put(own, "render.provider", shape);
  }
  if (budget !== (base.budget?.maxTokens ?? undefined)) {
    put(own, "budget.maxTokens", budget);
  }
  if (leftOutTag !== undefined) {
    const tags = (optionOf(setup, "filter.excludeTags") ?? []) as readonly string[];
    put(own, "filter.excludeTags", [...tags, leftOutTag]);
  }
  if (session === undefined && forgotten.length > 0) {
    put(own, "filter.forgotten", forgotten);
  }
  if (preset !== "") {
    own.timeZone = given.timeZone;
    const held = (base.sections ?? []).filter(({ kind, id }) => /text|items/.test(kind) && id in given.contents);
    if (held.length > 0) {
      own.contents = Object.fromEntries(held.map(({ id }) => [id, given.contents[id]]));
    }
    if (base.tiers !== undefined && given.conversations.length > 0) {
      own.tiers = { ...(own.tiers as object | undefined), conversations: given.conversations };
    }
  }
  return {
    preset,
    own,
    triage: asksTriage(preset) ? setup.triage : undefined,
    knowledge: knowledgeFor(hasSection(preset, "recall"), given.knowledge),
    session,
    forgotten: session === undefined ? [] : forgotten,
  };
}

function put(config: Record<string, unknown>, path: string, value: unknown): void {
  const [group, option] = path.split(".") as [string, string | undefined];
  config[group] = option === undefined ? value : { ...(config[group] as object | undefined), [option]: value };
}

/** The config of a build, with hooks. */
export function configOf({ preset, own, forgotten }: Asked, hooks: readonly Hooked[]): ContextConfig<MessageInput> {
  const config: Record<string, unknown> = { ...presetOptions(preset) };
  for (const [name, value] of Object.entries(own)) {
    config[name] = isGroup(value) && isGroup(config[name]) ? { ...(config[name] as Options), ...value } : value;
  }
  for (const { path, run } of hooks) {
    put(config, path, run);
  }
  if (forgotten.length > 0) {
    put(config, "filter.forgotten", forgotten);
  }
  return config as ContextConfig<MessageInput>;
}

/** The same build with another budget, and with another ranking if one is named. */
export function withBudget(asked: Asked, tokens: number | undefined, ranking?: string): Asked {
  const own = { ...asked.own };
  own.budget = { ...(own.budget as object | undefined), maxTokens: tokens };
  if (ranking !== undefined) {
    own.recall = { ...(own.recall as object | undefined), ranking };
  }
  return { ...asked, own };
}

/** True if a value is a group of options. */
export function isGroup(value: unknown): value is Options {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
