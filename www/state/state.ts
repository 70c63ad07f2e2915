// The state of the page: one object of signals. Everything on the page follows from it; most of it is in the page's
// address.

import { computed, signal } from "@preact/signals";
import type {
  BuildRecording,
  ForgottenSentence,
  MessageInput,
  ParsedConversation,
  Session,
  TriageQuestion,
} from "windrow";
import type { Answer, Curve, Turn } from "../engine/jobs.js";
import type { Edits } from "./call.js";
import type { Given } from "./given.js";
import { Lines } from "./lines.js";
import type { Context, Picture } from "./picture.js";
import { plainSetup, type Setup, type Shape } from "./setup.js";

/** A conversation on the page. */
export interface Source {
  /** The origin. */
  readonly from: "sample" | "file" | "saved" | "app";
  /** The name at that origin: a sample's name, a file's digest, a session's key. */
  readonly id: string;
  readonly name: string;
  readonly messages: readonly MessageInput[];
  readonly given: Given;
  /** The file's text; undefined for a saved conversation. */
  readonly text?: string;
  /** The number from 1 among the conversations of its file, and how many there are; undefined if it is the only one. */
  readonly place?: readonly [number: number, count: number];
  /** All conversations of its file; undefined if it is the only one. */
  readonly conversations?: readonly ParsedConversation[];
  readonly session?: Session;
  /** The sequence numbers of a saved conversation's messages. */
  readonly numbers?: readonly number[];
  /** The sentences that the user of a saved conversation wants forgotten. */
  readonly forgotten?: readonly ForgottenSentence[];
  readonly skipped: readonly { readonly row: number; readonly reason: string }[];
  /** The app's own build, which the page shows until something changes. */
  readonly live?: { readonly recording: BuildRecording; readonly context: Context };
}

/** A failure as the visitor reads it, with a code and a next step. */
export interface Failure {
  readonly words: string;
  readonly next: string;
  readonly code: string;
  /** The option that caused it. */
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
  /** The number of messages at the turn that is shown. Undefined for the present. */
  turn: signal<number | undefined>(undefined),
  selected: signal<number | undefined>(undefined),
  edits: signal<Edits>(new Map()),

  /** The sentences that the page forgets until it is closed. */
  forgotten: signal<readonly ForgottenSentence[]>([]),

  // The pointer
  hovered: signal<number | undefined>(undefined),
  unfolded: signal<ReadonlySet<number>>(new Set()),

  // The build
  picture: signal<Picture | undefined>(undefined),
  other: signal<Picture | undefined>(undefined),
  failure: signal<Failure | undefined>(undefined),
  /** The reasons why the provider would refuse the prompt; known when the picture has rested. */
  refusal: signal<Failure | undefined>(undefined),
  /** True if the picture is older than the setup. */
  isOld: signal(false),
  /** True while a fast model is asked. */
  isAsking: signal(false),
  question: signal<TriageQuestion | undefined>(undefined),
  curve: signal<Curve | undefined>(undefined),
  turns: signal<{ readonly turns: readonly Turn[]; readonly isDone: boolean }>({ turns: [], isDone: false }),
  /** The turns of side B. */
  turnsB: signal<{ readonly turns: readonly Turn[]; readonly isDone: boolean }>({ turns: [], isDone: false }),
  answer: signal<Answer | undefined>(undefined),

  // Words to the visitor
  fileFailure: signal<Failure | undefined>(undefined),
  notice: signal(""),
  isLoading: signal(true),
};

/** The number of messages on the page. */
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
