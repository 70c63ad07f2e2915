// Where things are: which lines are in view, and where each piece of the prompt stands in its column.

import { computed, signal } from "@preact/signals";
import type { Picture, Piece } from "../state/picture.js";
import { state } from "../state/state.js";

/** The height of a line, in pixels: all are the same, so that scrolling is a multiplication. */
export const LINE = 24;

export const view = {
  /** How far the conversation is scrolled, and how tall its window is. */
  top: signal(0),
  height: signal(0),
  /** The height of the prompt's column. */
  column: signal(0),
  isDark: signal(matchMedia("(prefers-color-scheme: dark)").matches),
};

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => {
  view.isDark.value = matches;
});

/** A block of the column: a piece, or several that are too thin to be told apart. */
export interface Block {
  readonly pieces: readonly Piece[];
  readonly top: number;
  readonly height: number;
}

export interface Layout {
  readonly blocks: readonly Block[];
  /** Where each message stands. */
  readonly spans: ReadonlyMap<number, readonly [top: number, bottom: number]>;
  /** How many pixels a token has. */
  readonly scale: number;
  /** Where the prompt ends. */
  readonly end: number;
}

/** A block that is thinner cannot be pointed at. */
const THINNEST = 4;

export function layoutOf(picture: Picture | undefined, height: number): Layout {
  const { tokens } = picture?.context ?? {};
  const most = Math.max(tokens?.limit ?? 0, tokens?.total ?? 0, 1);
  const scale = height / most;
  const spans = new Map<number, readonly [number, number]>();
  const blocks: Block[] = [];
  let at = 0;
  let held: Piece[] = [];
  let heldTop = 0;
  for (const piece of picture?.pieces ?? []) {
    const top = at;
    at += piece.tokens * scale;
    spans.set(piece.position, [top, at]);
    if (held.length === 0) {
      heldTop = top;
    }
    held.push(piece);
    if (at - heldTop >= THINNEST) {
      blocks.push({ pieces: held, top: heldTop, height: at - heldTop });
      held = [];
    }
  }
  if (held.length > 0) {
    blocks.push({ pieces: held, top: heldTop, height: at - heldTop });
  }
  return { blocks, spans, scale, end: at };
}

export const layout = computed(() => layoutOf(state.picture.value, view.column.value));

/** Brings a line into view. */
export const reveal = signal<number | undefined>(undefined);
