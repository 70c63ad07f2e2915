// What page and worker say to each other.

import type { MessageInput } from "windrow";
import type { Context } from "../state/picture.js";
import type { Asked } from "../state/setup.js";

/** What the page wants. A newer job of a kind takes the place of an older one. */
export type Job =
  | { readonly kind: "conversation"; readonly messages: readonly MessageInput[] }
  | { readonly kind: "curve"; readonly id: number; readonly asked: Asked }
  | { readonly kind: "turns"; readonly id: number; readonly asked: Asked; readonly request: Asked }
  | { readonly kind: "question"; readonly id: number; readonly asked: Asked; readonly position: number };

export type JobOf<Kind extends Job["kind"]> = Extract<Job, { readonly kind: Kind }>;

/** What fits at which budget, from builds at sampled budgets. */
export interface Curve {
  /** What must be in needs this much. */
  readonly needed: number;
  /** Everything needs this much. */
  readonly all: number;
  /** The sampled budgets, rising, and how many messages are in at each. */
  readonly budgets: readonly number[];
  readonly kept: readonly number[];
  /** For each message the smallest sampled budget from which on it is in; infinite where it never is. */
  readonly from: Float64Array;
  /** The conversation's length. */
  readonly count: number;
  readonly isDone: boolean;
}

/** One turn: what was sent when the user had said this. */
export interface Turn {
  /** How many messages there were. */
  readonly end: number;
  readonly tokens: number;
  /** How many of them are the same, from the beginning on, as in the turn before. */
  readonly reused: number;
  /** From where on it is another prompt than that of the turn before, and why, in words. */
  readonly difference?: string | undefined;
  readonly kept: number;
  /** Why there is no prompt. */
  readonly failure?: string;
}

/** A turn that was built, where there is one before it compared with that. */
export function turnOf({ prefix, tokens, kept }: Context, end: number, hasBefore: boolean): Turn {
  return {
    end,
    tokens: tokens.total,
    reused: hasBefore ? (prefix?.tokens ?? 0) : 0,
    difference: hasBefore ? prefix?.difference?.words : undefined,
    kept: kept.length,
  };
}

/** What is known of one message beside the build. */
export interface Answer {
  readonly position: number;
  /** The exact budgets from and to which it is in, as far as samples tell; open at the end where the last is infinite. */
  readonly spans: readonly (readonly [from: number, to: number])[];
  /** Whether it would be in with another ranking, at the same budget. */
  readonly rankings: readonly { readonly ranking: string; readonly isIn: boolean }[];
}

export type ToldChange =
  | { readonly kind: "curve"; readonly id: number; readonly curve: Curve }
  | { readonly kind: "turns"; readonly id: number; readonly turns: readonly Turn[]; readonly isDone: boolean }
  | { readonly kind: "question"; readonly id: number; readonly answer: Answer }
  | { readonly kind: "failed"; readonly id: number; readonly what: Job["kind"]; readonly words: string };
