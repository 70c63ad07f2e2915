// The recording of the context on the page: what it holds, and replaying it.

import { type Answer, type BuildRecording, type Difference, type MessageInput, type Replay, replay } from "windrow";
import { copyBy } from "./copying.js";
import { find, formatCount, formatNumber, make } from "./elements.js";
import { showFailure } from "./result.js";
import { saveAs } from "./saving.js";

/** A recording, and the conversation that it is of. */
interface Recorded {
  readonly recording: BuildRecording;
  readonly messages: readonly MessageInput[];
}

const result = find("replayed");
const failed = find("replay-error");
let shown: Recorded | undefined;

/** Makes the buttons work. */
export function watchRecording(): void {
  // A line, as `npx windrow replay` reads it.
  const text = (): string => `${JSON.stringify(shown?.recording)}\n`;
  copyBy(find("copy-recording"), text);
  find("download-recording").addEventListener("click", () => saveAs("recording.jsonl", text()));
  find("replay").addEventListener("click", () => void replayAgain(async () => shown?.recording));
  const file = find<HTMLInputElement>("recording-file");
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    file.value = "";
    if (chosen !== undefined) {
      void replayAgain(async () => recordingIn(await chosen.text()), chosen.name);
    }
  });
}

/** Shows what a recording holds. */
export function showRecording(recording: BuildRecording, messages: readonly MessageInput[]): void {
  const isNew = !isShown({ recording, messages });
  shown = { recording, messages };
  if (!isNew) {
    return;
  }
  result.hidden = true;
  showFailure(failed, undefined);
  const { length } = new TextEncoder().encode(JSON.stringify(recording));
  const { answers, largeAnswers } = recording;
  find("recorded").textContent =
    `Config, clock, ${formatCount(answers.length, "answer")} of hooks, and the checksum of ` +
    `${formatCount(recording.transcript.length, "message")}: ${formatNumber(Math.ceil(length / 100) / 10)} kB.`;
  find("answers").replaceChildren(
    ...answers.flatMap((record) => {
      const answer = "hash" in record ? largeAnswers[record.hash] : record;
      return answer === undefined ? [] : [make("li", "", make("code", "", answer.hook), ` ${inWords(answer)}`)];
    }),
  );
}

/** Whether the page shows the same context of the same conversation. */
function isShown({ recording, messages }: Recorded): boolean {
  return shown?.messages === messages && shown.recording.contextHash === recording.contextHash;
}

const LONGEST_LIST = 20;

function inWords({ outcome, reason, ids, items }: Answer): string {
  if (outcome !== "given") {
    return outcome === "failed" ? `failed: ${reason}` : "was not available";
  }
  if (ids != null) {
    const more = ids.length > LONGEST_LIST ? ` and ${formatNumber(ids.length - LONGEST_LIST)} more` : "";
    return ids.length === 0 ? "chose nothing" : `chose ${ids.slice(0, LONGEST_LIST).join(", ")}${more}`;
  }
  return items == null ? "answered" : `found ${formatCount(items.length, "note")}`;
}

function recordingIn(text: string): BuildRecording {
  // `replay` says what is wrong with what is none.
  try {
    return JSON.parse(text) as BuildRecording;
  } catch {
    return JSON.parse(text.split("\n", 1)[0] ?? "") as BuildRecording;
  }
}

let newest = 0;

/** Replays a recording on the conversation of the page, and says what came of it. */
async function replayAgain(read: () => Promise<BuildRecording | undefined>, name = ""): Promise<void> {
  newest += 1;
  const turn = newest;
  const before = shown;
  let show: () => void;
  try {
    const recording = await read();
    if (recording === undefined || before === undefined) {
      return;
    }
    const again = await replay(recording, before.messages);
    show = () => {
      showFailure(failed, undefined);
      showReplay(again, name);
    };
  } catch (failure) {
    const isText = failure instanceof SyntaxError;
    show = () => {
      result.hidden = true;
      showFailure(failed, isText ? new Error(`${name} is not JSON: ${failure.message}`) : failure);
    };
  }
  if (turn === newest && before !== undefined && isShown(before)) {
    show();
    (result.hidden ? failed : result).scrollIntoView({ block: "nearest" });
  }
}

function showReplay({ same, differences, context }: Replay<MessageInput>, name: string): void {
  const what = name === "" ? "" : `${name}: `;
  const lines = differences.map((difference) => make("li", "", differenceInWords(difference)));
  result.replaceChildren(
    make("span", "replayed-title", `${what}${same ? "the same" : "not the same"}`),
    same ? ` context, byte for byte: ${formatNumber(context.tokens.total)} tokens, and the same hash.` : " context.",
    ...(lines.length === 0 ? [] : [make("ul", "", ...lines)]),
  );
  result.hidden = false;
}

function differenceInWords({ kind, recorded, found, after, until }: Difference): string {
  switch (kind) {
    case "transcript_shorter":
      return `The conversation has ${found} of the ${recorded} messages that it had.`;
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
