// Building a context again from its recording.

import { buildContext } from "./build.js";
import type { ContextConfig } from "./config.js";
import type { BuiltContext } from "./context.js";
import { ContextError } from "./errors.js";
import type { Format, Recording } from "./generated.js";
import { describe, type MessageInput } from "./messages.js";
import { createTranscript, messagesOf, type Transcript } from "./transcript.js";

/** How a replay differs from what was recorded. */
export interface Difference {
  /**
   * `transcript_shorter`: the transcript has fewer messages than when it was recorded. `transcript_changed`: its messages
   * of then are not what they were. `engine_changed`: another version of windrow. `context_changed`: another context.
   */
  readonly kind: "transcript_shorter" | "transcript_changed" | "engine_changed" | "context_changed";
  /** What was recorded. */
  readonly recorded: string | number;
  /** What was found. */
  readonly found: string | number;
}

/** A context built again. */
export interface Replay<M extends MessageInput = MessageInput> {
  /** Whether it is the context that was recorded, by its hash. */
  readonly same: boolean;
  /** The context. */
  readonly context: BuiltContext<M, Format>;
  /** What differs from the recording. */
  readonly differences: readonly Difference[];
}

/**
 * Builds a context again, with the recorded config and clock, from the messages that the transcript had then: what was
 * appended since does not matter. Fails with `INVALID_RECORDING`, and as `buildContext` does.
 */
export async function replay<M extends MessageInput>(
  recording: Recording & { readonly request?: MessageInput },
  transcript: readonly M[] | Transcript<M>,
): Promise<Replay<M>> {
  checkRecording(recording);
  const { length, digest } = recording.transcript;
  const prefix = createTranscript(messagesOf(transcript, "context_build_error").slice(0, length));
  const config = { ...recording.config, now: recording.now, request: recording.request } as ContextConfig;
  let context: BuiltContext<M, Format>;
  try {
    context = (await buildContext(prefix, config)) as BuiltContext<M, Format>;
  } catch (failure) {
    const isConfig = failure instanceof ContextError && failure.code === "INVALID_CONFIG";
    throw isConfig ? invalid(`the recording's config cannot be used: ${failure.message}`, failure) : failure;
  } finally {
    prefix.free();
  }

  const differences: Difference[] = [];
  const compare = (kind: Difference["kind"], recorded: string | number, found: string | number): void => {
    if (recorded !== found) {
      differences.push({ kind, recorded, found });
    }
  };
  compare("transcript_shorter", length, context.recording.transcript.length);
  if (differences.length === 0) {
    compare("transcript_changed", digest, context.recording.transcript.digest);
  }
  compare("engine_changed", recording.engineVersion, context.recording.engineVersion);
  compare("context_changed", recording.contextHash, context.recording.contextHash);
  return { same: recording.contextHash === context.recording.contextHash, context, differences };
}

const FORMAT_VERSION = 1;

function checkRecording(recording: Recording): void {
  const isRecording =
    typeof recording === "object" &&
    recording !== null &&
    typeof recording.formatVersion === "number" &&
    typeof recording.engineVersion === "string" &&
    typeof recording.config === "object" &&
    recording.config !== null &&
    !Array.isArray(recording.config) &&
    Number.isFinite(recording.now) &&
    Number.isInteger(recording.transcript?.length) &&
    recording.transcript.length >= 0 &&
    typeof recording.transcript.digest === "string" &&
    typeof recording.contextHash === "string";
  if (!isRecording) {
    throw invalid(`expected a recording, got ${describe(recording)} that is none`);
  }
  if (recording.formatVersion !== FORMAT_VERSION) {
    const found = recording.formatVersion;
    throw invalid(
      `the recording has format version ${found}, and this version of windrow reads ${FORMAT_VERSION}`,
      undefined,
      "Update windrow.",
    );
  }
}

function invalid(
  message: string,
  cause?: ContextError,
  nextAction = "Pass the recording of a built context as it was.",
): ContextError {
  return new ContextError({ kind: "context_build_error", code: "INVALID_RECORDING", message, nextAction, cause });
}
