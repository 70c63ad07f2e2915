// Places: the lines in view, and each piece of the prompt in its column.

import { computed, signal } from "@preact/signals";
import type { Picture } from "../state/picture.js";
import { state } from "../state/state.js";

/**
 * The height of a line in pixels. All lines have the same height, so computing a scroll position is one multiplication.
 */
export const LINE = 24;

export const view = {
  /** The scroll position of the conversation, and the height of its window. */
  top: signal(0),
  height: signal(0),
  /** The height of the prompt's column. */
  column: signal(0),
  isDark: signal(matchMedia("(prefers-color-scheme: dark)").matches),
};

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => {
  view.isDark.value = matches;
});

/** A block of the column: a piece, or several that are too thin to see separately. */
export interface Block {
  /** The block's pieces, from the first to the last. */
  readonly first: number;
  readonly last: number;
  readonly top: number;
  readonly height: number;
}

export interface Layout {
  readonly blocks: readonly Block[];
  /** The height of a token in pixels. */
  readonly scale: number;
  /** The end of the prompt. */
  readonly end: number;
}

/**
 * The minimum height of a block. Thinner pieces are too small to point at, so neighbors are joined until their block is
 * this tall.
 */
const THINNEST = 4;

export function layoutOf({ context: { tokens }, pieceCount, starts }: Picture, height: number): Layout {
  const scale = height / Math.max(tokens.limit ?? 0, tokens.total, 1);
  const blocks: Block[] = [];
  const topOf = (piece: number): number => (starts[piece] ?? 0) * scale;
  for (let first = 0, last = 0; last < pieceCount; last++) {
    const top = topOf(first);
    const bottom = topOf(last + 1);
    const isNextTall = topOf(last + 2) - bottom >= THINNEST;
    if (bottom - top >= THINNEST || isNextTall || last === pieceCount - 1) {
      blocks.push({ first, last, top, height: bottom - top });
      first = last + 1;
    }
  }
  return { blocks, scale, end: (starts[pieceCount] ?? 0) * scale };
}

export const layout = computed(() => {
  const picture = state.picture.value;
  return picture === undefined ? undefined : layoutOf(picture, view.column.value);
});

/** Brings a line into view. */
export const reveal = signal<number | undefined>(undefined);
