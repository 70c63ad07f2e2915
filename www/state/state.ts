// The state of the page: one object of signals. Everything on the page follows from it; most of it is in the page's address.

import { computed, signal } from "@preact/signals";
import type { BuildRecording, MessageInput, Session, TriageQuestion } from "windrow";
import type { Answer, Curve, Turn } from "../engine/jobs.js";
import type { Edits } from "./call.js";
import type { Given } from "./given.js";
import { Lines } from "./lines.js";
import type { Context, Picture } from "./picture.js";
import { plainSetup, type Setup, type Shape } from "./setup.js";

/** A conversation on the page. */
export interface Source {
  /** Where it is from. */
  readonly from: "sample" | "file" | "saved" | "app";
  /** What it is known by in its place: a sample's name, a file's digest, a session's key. */
  readonly id: string;
  readonly name: string;
  readonly messages: readonly MessageInput[];
  readonly given: Given;
  /** The file's text; of a saved one none. */
  readonly text?: string;
  /** Of a file with several conversations: which of them it is, from 1, and of how many. */
  readonly place?: readonly [number: number, count: number];
  readonly session?: Session;
  /** The sequence numbers of a saved one's messages. */
  readonly numbers?: readonly number[];
  readonly skipped: readonly { readonly row: number; readonly reason: string }[];
  /** Of an app's build: the build itself, which is shown as it was made until something is changed. */
  readonly live?: { readonly recording: BuildRecording; readonly context: Context };
}

/** What is said to the visitor in words: a failure has a code and a next step. */
export interface Failure {
  readonly words: string;
  readonly next: string;
  readonly code: string;
  /** The option that it is about. */
  readonly path: string | undefined;
}

export type Side = "a" | "b";

export const state = {
  // In the address
  source: signal<Source | undefined>(undefined),
  request: signal(""),
  budget: signal<number | undefined>(undefined),
  a: signal<Setup>(plainSetup),
  b: signal<Setup | undefined>(undefined),
  shape: signal<Shape>("openai"),
  /** How many messages there were at the turn that is shown; undefined for now. */
  turn: signal<number | undefined>(undefined),
  selected: signal<number | undefined>(undefined),
  edits: signal<Edits>(new Map()),

  // What the pointer does
  hovered: signal<number | undefined>(undefined),
  unfolded: signal<ReadonlySet<number>>(new Set()),

  // What was built
  picture: signal<Picture | undefined>(undefined),
  other: signal<Picture | undefined>(undefined),
  failure: signal<Failure | undefined>(undefined),
  /** Why the provider would refuse the prompt; known when the picture has rested. */
  refusal: signal<Failure | undefined>(undefined),
  /** Whether the picture is older than what is asked for. */
  isOld: signal(false),
  /** Whether a fast model is being asked. */
  isAsking: signal(false),
  question: signal<TriageQuestion | undefined>(undefined),
  curve: signal<Curve | undefined>(undefined),
  turns: signal<{ readonly turns: readonly Turn[]; readonly isDone: boolean }>({ turns: [], isDone: false }),
  answer: signal<Answer | undefined>(undefined),

  // What is said
  fileFailure: signal<Failure | undefined>(undefined),
  notice: signal(""),
  isLoading: signal(true),
};

/** How many messages are on the page. */
export const countShown = computed(() => state.turn.value ?? state.source.value?.messages.length ?? 0);

/** The lines of the conversation. */
export const lines = computed(() => {
  const { picture, other, unfolded } = state;
  const pictures = [picture.value, other.value].filter((one) => one !== undefined);
  return new Lines(pictures, picture.value?.messages.length ?? 0, unfolded.value);
});

/** A failure in words. */
export function failureOf(thrown: unknown): Failure {
  const { message, nextAction, code, path } = thrown as {
    readonly message?: string;
    readonly nextAction?: string;
    readonly code?: string;
    readonly path?: string;
  };
  const said = path === undefined ? (message ?? String(thrown)) : (message ?? "").replace(`${path}: `, "");
  const words = /[.!?:]$/.test(said) ? said : `${said}.`;
  return {
    words: words.slice(0, 1).toUpperCase() + words.slice(1),
    next: nextAction ?? "",
    code: [code, path].filter((part) => typeof part === "string").join(" · "),
    path,
  };
}
