// The recording of the build that is shown, and replays: of it, and of recordings from files.

import { useEffect } from "preact/hooks";
import { textOfFile } from "windrow/files";
import { formatNumber } from "../state/names.js";
import { recordingInWords, recordings, replayShown, saveRecording, takeRecordings } from "../state/recordings.js";
import { state } from "../state/state.js";
import { CopyButton, FailureBox, openPanel, Panel } from "./parts.js";

const LONGEST_LIST = 20;

export function RecordingPanel() {
  const isOpen = recordings.isOpen.value;
  useEffect(() => {
    if (isOpen) {
      openPanel("recording");
      recordings.isOpen.value = false;
    }
  }, [isOpen]);
  return (
    <Panel id="recording" title="Recording" place="right wide">
      {() => <Replays />}
    </Panel>
  );
}

function Replays() {
  const recording = state.picture.value?.context.recording;
  if (recording === undefined) {
    return null;
  }
  const { answers, largeAnswers } = recording;
  const given = answers.flatMap((record) => {
    const answer = "hash" in record ? largeAnswers[record.hash] : record;
    return answer === undefined ? [] : [answer];
  });
  const upload = async (file: File | undefined) => {
    if (file !== undefined) {
      await takeRecordings(file.name, file.arrayBuffer().then(textOfFile));
    }
  };
  return (
    <div class="stack">
      <p>All that is needed, with the conversation, to build this prompt again. {recordingInWords(recording)}</p>
      {given.length > 0 && (
        <ul id="answers">
          {given.map((answer) => (
            <li key={JSON.stringify(answer).slice(0, 200)}>
              <code>{answer.hook}</code> {inWords(answer)}
            </li>
          ))}
        </ul>
      )}
      <div class="buttons">
        <button type="button" class="button" id="replay" onClick={() => void replayShown()}>
          Replay
        </button>
        <label class="button">
          Open a recording
          <input
            class="visually-hidden"
            id="recording-file"
            type="file"
            accept=".json,.jsonl,application/json"
            onChange={({ currentTarget }) => {
              void upload(currentTarget.files?.[0]);
              currentTarget.value = "";
            }}
          />
        </label>
        <button type="button" class="button" id="save-recording" onClick={saveRecording}>
          Download
        </button>
        <CopyButton words="Copy" text={() => JSON.stringify(recording)} />
      </div>
      {recordings.failure.value !== undefined && <FailureBox failure={recordings.failure.value} id="replay-failure" />}
      <ul id="replayed" aria-live="polite">
        {recordings.replayed.value.map(({ name, same, words, differences }) => (
          <li key={name}>
            <b>{name}:</b> {words}
            {!same && (
              <ul>
                {differences.map((difference) => (
                  <li key={difference}>{difference}</li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Answered {
  readonly outcome: string;
  readonly reason?: string | null | undefined;
  readonly ids?: readonly string[] | null | undefined;
  readonly items?: readonly unknown[] | null | undefined;
}

function inWords({ outcome, reason, ids, items }: Answered): string {
  if (outcome !== "given") {
    return outcome === "failed" ? `failed: ${reason}` : "was not available";
  }
  if (ids != null) {
    const more = ids.length > LONGEST_LIST ? ` and ${formatNumber(ids.length - LONGEST_LIST)} more` : "";
    return ids.length === 0 ? "chose nothing" : `chose ${ids.slice(0, LONGEST_LIST).join(", ")}${more}`;
  }
  return items == null ? "answered" : `found ${formatNumber(items.length)}`;
}
