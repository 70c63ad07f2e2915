// The messages of opencode: a message's facts (`info`) and its parts. A tool part holds the call and its result.
//
// Recognized by: `info` and `parts`.

import { describe } from "../../base/options.js";
import {
  type MessageFormat,
  partsWithText,
  recordOf,
  type TextKind,
  timeIn,
  type UnknownRecord,
  withoutSome,
} from "../../message/format.js";
import { list, MalformedMessage, required, unknownType } from "../../message/malformed.js";
import { lineInstead } from "../../message/media-lines.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from } from "../../message/origin.js";
import {
  callParts,
  INTERRUPTED,
  inSteps,
  mediaPart,
  ofFile,
  reasoningParts,
  STEP,
  type StepPart,
  textPart,
} from "../tool-parts.js";

/**
 * The fields of an opencode message that windrow reads, as a structural type. `{ info, parts }` of `@opencode-ai/sdk`
 * fits it.
 */
export interface OpencodeMessageShape {
  readonly info: { readonly id: string; readonly sessionID: string; readonly role: "user" | "assistant" };
  readonly parts: readonly { readonly type: string }[];
}

/** Parts that the model never sees: step borders, file states, retries, and mentions of agents. */
const UNSEEN = new Set<unknown>(["step-start", "step-finish", "snapshot", "patch", "agent", "retry"]);
/** The texts that the model sees instead of these parts. */
const TOLD: Readonly<Record<string, string>> = {
  compaction: "What did we do so far?",
  subtask: "The following tool was executed by the user",
};
/** The types of user attachments that opencode turns into texts. */
const WRITTEN_OUT = new Set<unknown>(["text/plain", "application/x-directory"]);
/** The texts that the model sees for a call that didn't end, and for a result that opencode has cleared. */
const CLEARED = "[Old tool result content cleared]";

export const opencodeShape: MessageFormat = {
  name: "opencode",
  title: "opencode message",
  signs: ["parts"],
  fields: new Set(["info", "parts"]),

  fits: ({ info, parts }) => Array.isArray(parts) && typeof recordOf(info).role === "string",

  read(row) {
    const { id, role, sessionID, time, error, summary } = recordOf(row.info);
    const parts = list(row.parts, ".parts").map(recordOf);
    // A summary and its question replace the messages it covers, but were written later than the messages
    // after it.
    const isSummary = summary === true || parts.some(({ type }) => type === "compaction");
    return {
      id: id as string | undefined,
      role: role as PlainMessage["role"],
      createdAt: isSummary ? undefined : timeIn(recordOf(time).created),
      sessionId: (sessionID ?? row.sessionId) as string | undefined,
      status: statusOf(error),
      content: inSteps(
        parts.flatMap((part, at): readonly StepPart[] => {
          const isSeen = isShown(part, role);
          return part.type === "step-start" ? [STEP] : isSeen ? readPart(part, `.parts[${at}]`) : [];
        }),
      ),
    };
  },

  withText(row, text) {
    const { role } = recordOf(row.info);
    const parts = partsWithText(row.parts as readonly UnknownRecord[], text, {
      kindOf: (part) => (isShown(part, role) ? kindOf(part) : undefined),
      rewritten,
      made: (own) => ({ type: "text", text: own }),
    });
    return { ...row, parts };
  },

  withOrigin(row, { id, createdAt, sessionId }) {
    const info = recordOf(row.info);
    const time = recordOf(info.time);
    return {
      ...row,
      info: {
        ...info,
        ...(id === undefined ? {} : { id }),
        // A summary has a time, but it isn't read.
        ...(createdAt === undefined || time.created != null ? {} : { time: { ...time, created: createdAt } }),
        ...(sessionId === undefined ? {} : { sessionID: sessionId }),
      },
    };
  },

  withoutToolCalls(row, isUnwanted = () => true) {
    return withoutSome(row, "parts", (part) => isTool(part) && isUnwanted(part));
  },

  // The model sees the attachments of a result after its text.
  withLines(value, next) {
    const { attachments } = value;
    if (!Array.isArray(attachments)) {
      return lineInstead(value, next);
    }
    const lines = attachments.map(next);
    // A space before a line is part of its first token.
    const said = [value.output, ...lines].filter((line) => line != null);
    return { ...value, output: said.join(" "), attachments: attachments.filter((_, at) => lines[at] == null) };
  },
};

const isTool = ({ type }: UnknownRecord): boolean => type === "tool";

/** True if the model sees a part of a message with this role. */
function isShown({ type, ignored, mime }: UnknownRecord, role: unknown): boolean {
  return role !== "user" || !((type === "text" && ignored === true) || (type === "file" && WRITTEN_OUT.has(mime)));
}

/** Returns the state of a turn that didn't end normally. */
function statusOf(error: unknown): string | undefined {
  if (error == null) {
    return undefined;
  }
  return recordOf(error).name === "MessageAbortedError" ? "aborted" : "failed";
}

function readPart(part: UnknownRecord, place: string): readonly PartInput[] {
  const { type, metadata } = part;
  switch (type) {
    case "text": {
      const said = textPart(required(part.text, `${place}.text`), metadata, place);
      // opencode adds instructions, and files that the user names, to the user's message.
      return [part.synthetic === true ? ofFile(said) : said];
    }
    case "reasoning":
      return reasoningParts(required(part.text, `${place}.text`), metadata, place);
    case "file":
      return [from(readFile(part, place), undefined, place)];
    case "tool":
      return readTool(part, place);
    case "compaction":
    case "subtask":
      return [from({ type: "text", text: TOLD[type] as string }, undefined, place)];
    default:
      if (UNSEEN.has(type)) {
        return [];
      }
      throw unknownType(type, place, "part", "the parts of opencode's messages");
  }
}

function readFile(part: UnknownRecord, place: string): PartInput {
  return mediaPart({ ...part, mediaType: part.mime }, { url: required(part.url, `${place}.url`) });
}

function readTool(part: UnknownRecord, place: string): readonly PartInput[] {
  const { callID, tool, state } = part;
  const toolCallId = required(callID, `${place}.callID`);
  const toolName = required(tool, `${place}.tool`);
  const output = outputOf(recordOf(state), `${place}.state`);
  // The provider's metadata of the call is next to the mark that the provider ran the tool.
  const { providerExecuted, ...metadata } = recordOf(part.metadata);
  return callParts({ toolCallId }, place, {
    toolName,
    input: recordOf(state).input,
    output,
    isError: recordOf(state).status !== "completed" && output !== outputBefore(recordOf(state).metadata),
    providerExecuted,
    metadata,
  });
}

/** Returns a tool's result as the model sees it. A running tool counts as interrupted. */
function outputOf(state: UnknownRecord, place: string): unknown {
  const { status, error, metadata, time } = state;
  switch (status) {
    case "pending":
    case "running":
      return INTERRUPTED;
    case "error":
      return outputBefore(metadata) ?? required(error, `${place}.error`);
    case "completed": {
      if (recordOf(time).compacted != null) {
        return CLEARED;
      }
      const text = required(state.output, `${place}.output`);
      const files = list(state.attachments, `${place}.attachments`).map((file, at) =>
        readFile(recordOf(file), `${place}.attachments[${at}]`),
      );
      return files.length === 0 ? text : { type: "content", value: [{ type: "text", text }, ...files] };
    }
    default:
      throw new MalformedMessage(
        `${place}.status`,
        `unknown status ${describe(status)} of a tool's state`,
        "Use pending, running, completed or error.",
      );
  }
}

/** Returns the output of a tool up to its interruption. */
function outputBefore(metadata: unknown): string | undefined {
  const { interrupted, output } = recordOf(metadata);
  return interrupted === true && typeof output === "string" ? output : undefined;
}

function kindOf({ type }: UnknownRecord): TextKind {
  return isTool({ type }) ? "result" : type === "text" || String(type) in TOLD ? "text" : undefined;
}

function rewritten(part: UnknownRecord, text: string): UnknownRecord {
  if (!isTool(part)) {
    const { id, sessionID, messageID } = part;
    return part.type === "text" ? { ...part, text } : { id, sessionID, messageID, type: "text", text };
  }
  const state = recordOf(part.state);
  if (state.status !== "completed") {
    const { metadata, ...rest } = state;
    return { ...part, state: { ...rest, status: "error", error: text } };
  }
  const { compacted, ...time } = recordOf(state.time);
  const { attachments, ...rest } = state;
  const shown = compacted == null && attachments != null ? { attachments } : {};
  return { ...part, state: { ...rest, ...shown, output: text, time } };
}
