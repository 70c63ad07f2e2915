// Messages between the page and its worker.

import type { MessageInput } from "windrow";
import type { Context } from "../state/picture.js";
import type { Asked } from "../state/setup.js";

/** The turns of side A, and those of side B. */
export type TurnsOf = "turns" | "turnsB";

/** A job for the worker. A newer job replaces an older one of its kind. */
export type Job =
  | { readonly kind: "conversation"; readonly messages: readonly MessageInput[] }
  | { readonly kind: "curve"; readonly id: number; readonly asked: Asked }
  | { readonly kind: TurnsOf; readonly id: number; readonly asked: Asked; readonly request: Asked }
  | { readonly kind: "question"; readonly id: number; readonly asked: Asked; readonly position: number };

export type JobOf<Kind extends Job["kind"]> = Job & { readonly kind: Kind };

/** The number of messages that fit at each budget, from builds at sampled budgets. */
export interface Curve {
  /** The tokens of the required messages. */
  readonly needed: number;
  /** The tokens of everything. */
  readonly all: number;
  /** The sampled budgets in ascending order, and the number of messages kept at each. */
  readonly budgets: readonly number[];
  readonly kept: readonly number[];
  /** The smallest sampled budget at which each message is in the prompt and stays in it. Infinite if it never is. */
  readonly from: Float64Array;
  /** The conversation's length. */
  readonly count: number;
  readonly isDone: boolean;
}

/** One turn: the prompt that followed a message of the user. */
export interface Turn {
  /** The number of messages at the time. */
  readonly end: number;
  readonly tokens: number;
  /** The tokens at its beginning that repeat the previous turn. */
  readonly reused: number;
  /** The place of the first difference from the turn before, and the reason in words. */
  readonly difference?: string | undefined;
  readonly kept: number;
  /** The reason for a missing prompt. */
  readonly failure?: string;
}

/** A turn that was built, compared with the one before it if there is one. */
export function turnOf({ prefix, tokens, kept }: Context, end: number, hasBefore: boolean): Turn {
  return {
    end,
    tokens: tokens.total,
    reused: hasBefore ? (prefix?.tokens ?? 0) : 0,
    difference: hasBefore ? prefix?.difference?.words : undefined,
    kept: kept.length,
  };
}

/** Facts about one message that the build doesn't report. */
export interface Answer {
  readonly position: number;
  /** The budgets between which it is in the prompt, according to samples. The last one may be infinite. */
  readonly spans: readonly (readonly [from: number, to: number])[];
  /** True if it would be in the prompt with another ranking, at the same budget. */
  readonly rankings: readonly { readonly ranking: string; readonly isIn: boolean }[];
}

export type ToldChange =
  | { readonly kind: "curve"; readonly id: number; readonly curve: Curve }
  | { readonly kind: TurnsOf; readonly id: number; readonly turns: readonly Turn[]; readonly isDone: boolean }
  | { readonly kind: "question"; readonly id: number; readonly answer: Answer }
  | { readonly kind: "failed"; readonly id: number; readonly what: Job["kind"]; readonly words: string };
