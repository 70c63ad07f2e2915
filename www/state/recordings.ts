// Recordings: of the build that is shown, and of files. Each is replayed on the conversation of the page.

import { signal } from "@preact/signals";
import { type BuildRecording, type Difference, type MessageInput, type Replay, replay } from "windrow";
import { formatCount, formatNumber } from "./names.js";
import { saveAs } from "./saving.js";
import { type Failure, failureOf, state } from "./state.js";

export interface Replayed {
  readonly name: string;
  readonly same: boolean;
  readonly words: string;
  readonly differences: readonly string[];
}

export const recordings = {
  /** The result of each replay. */
  replayed: signal<readonly Replayed[]>([]),
  failure: signal<Failure | undefined>(undefined),
  /** True if the panel is shown. */
  isOpen: signal(false),
};

/** True if a text is a recording, or has one per line. */
export function looksLikeRecording(text: string): boolean {
  const isOne = (value: unknown): boolean =>
    typeof value === "object" && value !== null && "contextHash" in value && "transcript" in value && "config" in value;
  try {
    return isOne(JSON.parse(text));
  } catch {
    try {
      return isOne(JSON.parse(text.split("\n", 1)[0] ?? ""));
    } catch {
      return false;
    }
  }
}

/** Replays the recordings of a file on the conversation of the page. Reading the file may fail. */
export async function takeRecordings(name: string, text: string | Promise<string>): Promise<void> {
  recordings.isOpen.value = true;
  recordings.replayed.value = [];
  recordings.failure.value = undefined;
  try {
    const rows = readRows(await text);
    for (const [index, recording] of rows.entries()) {
      const title = rows.length === 1 ? name : `${name}, ${index + 1} of ${rows.length}`;
      recordings.replayed.value = [...recordings.replayed.value, await replayOne(title, recording)];
    }
  } catch (failure) {
    recordings.failure.value =
      failure instanceof SyntaxError
        ? { ...failureOf(failure), words: `${name} is not JSON: ${failure.message}` }
        : failureOf(failure);
  }
}

function readRows(text: string): BuildRecording[] {
  try {
    return [JSON.parse(text) as BuildRecording];
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return lines.map((line) => JSON.parse(line) as BuildRecording);
  }
}

async function replayOne(name: string, recording: BuildRecording): Promise<Replayed> {
  const messages = state.picture.value?.messages ?? state.source.value?.messages ?? [];
  const again = await replay(recording, messages);
  return inWords(name, again);
}

function inWords(name: string, { same, differences, context }: Replay<MessageInput>): Replayed {
  const words = same
    ? `the same context, byte for byte: ${formatCount(context.tokens.total, "token")}, and the same hash.`
    : "not the same context.";
  return { name, same, words, differences: differences.map(differenceInWords) };
}

function differenceInWords({ kind, recorded, found, after, until }: Difference): string {
  switch (kind) {
    case "transcript_shorter":
      return `The conversation has ${formatCount(Number(found), "message")}, and had ${formatNumber(Number(recorded))}.`;
    case "transcript_changed":
      return after === until
        ? `Message ${after} has changed.`
        : `One of the messages ${after} to ${until} has changed.`;
    case "engine_changed":
      return `It was recorded by windrow ${recorded}, and this is ${found}.`;
    case "context_changed":
      return `The hash is ${found}, and was ${recorded}.`;
  }
}

/** Replays the build that is shown. */
export async function replayShown(): Promise<void> {
  const recording = state.picture.value?.context.recording;
  if (recording !== undefined) {
    await takeRecordings("This build", JSON.stringify(recording));
  }
}

export function saveRecording(): void {
  const recording = state.picture.value?.context.recording;
  if (recording !== undefined) {
    saveAs("recording.jsonl", `${JSON.stringify(recording)}\n`);
  }
}

/** The contents of the present build's recording, in words. */
export function recordingInWords(recording: BuildRecording): string {
  const { length } = new TextEncoder().encode(JSON.stringify(recording));
  const { answers, transcript } = recording;
  return (
    `Config, clock, ${formatCount(answers.length, "answer")} of hooks, and the checksum of ` +
    `${formatCount(transcript.length, "message")}: ${formatNumber(Math.ceil(length / 100) / 10)} kB.`
  );
}
