// The page's address. It restores the same view, except for the conversation.

import { effect } from "@preact/signals";
import { plainSetup, presetNames, type Setup, type Shape, shapes } from "./setup.js";
import { state } from "./state.js";

/** The contents of an address. */
export interface View {
  readonly from: "sample" | "file" | "saved" | undefined;
  readonly id: string;
  /** The conversation's name, for a notice if it is missing. */
  readonly name: string;
  /** The number from 1 of the conversation in its file; undefined for the newest. */
  readonly conversation: number | undefined;
  readonly request: string | undefined;
  readonly budget: number | "none" | undefined;
  readonly a: Setup;
  readonly b: Setup | undefined;
  readonly shape: Shape;
  readonly turn: number | undefined;
  readonly selected: number | undefined;
  readonly edits: ReadonlyMap<number, "pin" | "out">;
}

/** Reads an address. A missing or wrong part gets its value of a first visit. */
export function readView(hash: string): View {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const from = (["sample", "file", "saved"] as const).find((kind) => said.has(kind));
  const budget = said.get("budget");
  return {
    from,
    id: from === undefined ? "" : (said.get(from) ?? ""),
    name: said.get("name") ?? "",
    conversation: wholeNumber(said.get("conversation")),
    request: said.get("request") ?? undefined,
    budget: budget === "none" ? "none" : wholeNumber(budget),
    a: setupIn(said.get("a")) ?? plainSetup,
    b: setupIn(said.get("b")),
    shape: shapes.find((shape) => shape === said.get("as")) ?? "openai",
    turn: wholeNumber(said.get("turn")),
    selected: wholeNumber(said.get("message")),
    edits: editsIn(said.get("edits") ?? ""),
  };
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function editsIn(text: string): ReadonlyMap<number, "pin" | "out"> {
  const edits = new Map<number, "pin" | "out">();
  for (const [, edit, position] of text.matchAll(/([po])(\d{1,9})/g)) {
    edits.set(Number(position), edit === "p" ? "pin" : "out");
  }
  return edits;
}

function setupIn(text: string | null): Setup | undefined {
  try {
    const { preset = "", options = {}, triage = {} } = JSON.parse(text ?? "") as Partial<Setup>;
    const isKnown = presetNames.includes(preset);
    return { preset: isKnown ? preset : "", options: { ...options }, triage: { ...plainSetup.triage, ...triage } };
  } catch {
    return undefined;
  }
}

function setupText({ preset, options, triage }: Setup): string {
  const isUsual = JSON.stringify(triage) === JSON.stringify(plainSetup.triage);
  return JSON.stringify({
    ...(preset === "" ? {} : { preset }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(isUsual ? {} : { triage }),
  });
}

/** The address of the present view. */
export function viewAddress(): string {
  const said = new URLSearchParams();
  const { source, request, budget, a, b, shape, turn, selected, edits } = state;
  const shown = source.value;
  if (shown !== undefined && shown.from !== "app") {
    said.set(shown.from, shown.id);
    if (shown.from === "file") {
      said.set("name", shown.name);
      if (shown.place !== undefined) {
        said.set("conversation", String(shown.place[0]));
      }
    }
  }
  said.set("request", request.value);
  said.set("budget", String(budget.value ?? "none"));
  const plain = setupText(a.value);
  if (plain !== "{}") {
    said.set("a", plain);
  }
  if (b.value !== undefined) {
    said.set("b", setupText(b.value));
  }
  if (shape.value !== "openai") {
    said.set("as", shape.value);
  }
  if (turn.value !== undefined) {
    said.set("turn", String(turn.value));
  }
  if (selected.value !== undefined) {
    said.set("message", String(selected.value));
  }
  if (edits.value.size > 0) {
    said.set("edits", [...edits.value].map(([position, edit]) => `${edit === "pin" ? "p" : "o"}${position}`).join(""));
  }
  return `#${said}`;
}

/** Browsers refuse an address that changes with every frame. */
const REST_MS = 200;
let timer = 0;

/** Keeps the address up to date. */
export function followAddress(): void {
  effect(() => {
    const address = viewAddress();
    if (state.source.value === undefined || state.isLoading.value) {
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (location.hash !== address) {
        history.replaceState(null, "", address);
      }
    }, REST_MS);
  });
}
