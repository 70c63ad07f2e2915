// The presets: which one is chosen, what it does in words, and the config that it makes with what is said beside it.

import { type ContextConfig, type MessageInput, type Presets, presets } from "windrow";
import { find } from "./elements.js";
import type { Given } from "./given.js";
import type { PageHook } from "./hooks.js";
import type { Options } from "./options.js";

type PresetName = keyof Presets;

/** What is asked for: a preset, and what is said beside it. */
export interface Asked {
  readonly preset: PresetName | undefined;
  /** Options, contents and hooks; the groups hold only what differs from the preset. */
  readonly own: Options;
  readonly hooks: readonly PageHook[];
  /** The key of the session, where the conversation is kept. */
  readonly session: string | undefined;
}

const words: Readonly<Record<PresetName | "", string>> = {
  "": "No preset: required messages first, then those that rank best for the request, as far as the budget goes.",
  steady: "For many turns with a prompt cache: the beginning stays the same, and what is recalled is quoted behind it.",
  relevant: "The default by its name: what the request is about, in its place in the history.",
  triaged: "The last 25 exchanges, of which a fast model chooses those that matter to the request.",
  turns: "What the bot is, can and remembers, then the last 12 turns of the user in 8,000 characters.",
  tiered: "The conversations of the last 7 days: today's in full, older ones by their summaries.",
  agent: "A system prompt, the newest 10 messages and knowledge that fits the request, in 4,000 tokens.",
  turnContract: "Sources in a fixed order: the oldest chat goes first, then tool results become summaries.",
};

const fieldset = find<HTMLFieldSetElement>("presets");

/** Runs `changed` when another preset is chosen. */
export function watchPresets(changed: () => void): void {
  fieldset.addEventListener("input", changed);
}

/** The name of the chosen preset. */
export function chosenPreset(): PresetName | undefined {
  const name = fieldset.querySelector<HTMLInputElement>("input:checked")?.value;
  return name === "" ? undefined : (name as PresetName | undefined);
}

/** The chosen preset as options; none where none is chosen. */
export function presetOptions(name = chosenPreset()): Options {
  return name === undefined ? {} : (presets[name] as object as Options);
}

/** Says what the preset does, and what becomes of the request. */
export function showPreset(): void {
  const preset = presetOptions();
  find("preset-hint").textContent = words[chosenPreset() ?? ""];
  find("request-hint").textContent = hasSection(preset, "request")
    ? "Comes last and is always kept. Without one, the newest messages stand for it."
    : preset.triage === undefined
      ? "Not a part of this context: it is sent beside it."
      : "The fast model is asked about it. It is not a part of this context, but sent beside it.";
  const triage = find<HTMLFieldSetElement>("triage");
  triage.hidden = preset.triage === undefined;
  triage.disabled = triage.hidden;
}

/** Whether the limit of tokens is left to the caller. */
export function leavesBudget(): boolean {
  const { budget } = presetOptions() as ContextConfig;
  return chosenPreset() === undefined || (budget !== undefined && budget.maxTokens == null);
}

/** Whether a preset has a section of a kind. Without sections there are history and request. */
export function hasSection({ sections }: ContextConfig, kind: string): boolean {
  return sections == null
    ? kind === "request" || kind === "history"
    : sections.some((section) => section.kind === kind);
}

/** What is asked for by the preset, the options on the page, what a file gives, and hooks. */
export function askFor(
  options: ContextConfig,
  given: Given,
  hooks: readonly PageHook[],
  session: string | undefined,
): Asked {
  const name = chosenPreset();
  const preset = presetOptions(name) as ContextConfig;
  // A file's messages may name other sessions than the one that they are kept in.
  const own: Record<string, unknown> = { ...(session === undefined ? {} : { sessionId: null }), ...options };
  if (name !== undefined) {
    own.timeZone = given.timeZone;
    const held = (preset.sections ?? []).filter(({ kind, id }) => /text|items/.test(kind) && id in given.contents);
    if (held.length > 0) {
      own.contents = Object.fromEntries(held.map(({ id }) => [id, given.contents[id]]));
    }
    if (preset.tiers !== undefined && given.conversations.length > 0) {
      own.tiers = { ...options.tiers, conversations: given.conversations };
    }
  }
  for (const { path, run } of hooks) {
    const [group, hook] = path.split(".") as [string, string];
    own[group] = { ...(own[group] as object | undefined), [hook]: run };
  }
  return { preset: name, own, hooks, session };
}

/** The config of what is asked for. */
export function configOf({ preset, own }: Asked): ContextConfig<MessageInput> {
  const config: Record<string, unknown> = { ...presetOptions(preset) };
  for (const [name, value] of Object.entries(own)) {
    config[name] = isGroup(value) && isGroup(config[name]) ? { ...(config[name] as Options), ...value } : value;
  }
  return config as ContextConfig<MessageInput>;
}

/** Whether something is a group of options. */
export function isGroup(value: unknown): value is Options {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
