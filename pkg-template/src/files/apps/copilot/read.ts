// Sessions of Copilot Chat in VS Code: requests, each with the parts of its reply. Arguments and tool results are in
// the metadata of the request's result. Since version 1.109 a session is a log: its first row has the session, and the
// others change a field, extend a list, or delete a field. The fields are those of microsoft/vscode
// (src/vs/workbench/contrib/chat/common/model: chatModel.ts, objectMutationLog.ts) and of microsoft/vscode-copilot-chat
// (`toolCallRounds`).

import { FreePlaces } from "../../../base/free-places.js";
import { counted } from "../../../base/words.js";
import type { PartInput } from "../../../message/message.js";
import { isoOf, timeMsOf } from "../../../message/times.js";
import { listIn, type Row, recordIn, textIn, unreadWordsIn } from "../../file.js";
import { fileLine, messagesInTurn, textPart } from "../../parts.js";
import type { AppConversation, AppStep, KindReader } from "../../readers.js";
import { parsedText } from "../../text.js";
import { copilotKind } from "./kind.js";

export const copilot: KindReader = {
  kind: copilotKind,
  open: (session) => [conversationOf(session)],
  openLog: (rows) => {
    const faults = rows.flatMap((row, at) => {
      const field = Object.keys(row).find((name) => !LOG_FIELDS.has(name) && typeof row[name] === "object");
      return field === undefined ? [] : [{ at, reason: `${field}: the change is not read` }];
    });
    return { ...conversationOf(rows.reduce(changed, {})), faults };
  },
  rowReader: () => stepOf,
};

function conversationOf({ sessionId, customTitle, creationDate, requesterUsername, requests }: Row): AppConversation {
  const user = textIn(requesterUsername);
  return {
    facts: { id: sessionId, title: customTitle, startedAt: creationDate },
    rows: listIn(requests).map((row) => (row !== null && typeof row === "object" ? { ...row, [USER]: user } : row)),
  };
}

const LOG_FIELDS: ReadonlySet<string> = new Set(["kind", "k", "v", "i"]);

/** The kinds of rows in a session's log. A row that extends a list may cut it first, to the length `i`. */
const [SESSION, CHANGE, EXTEND, DELETE] = [0, 1, 2, 3];

/** The longest path of a change. A session's own have up to 5 steps. */
const LONGEST_PATH = 30;

/** Returns a session with the change of a row. */
function changed(session: Row, { kind, k, v, i }: Row): Row {
  const path = listIn(k);
  const extended = (list: unknown): unknown => {
    const before = listIn(list);
    return [...(typeof i === "number" ? before.slice(0, Math.max(i, 0)) : before), ...listIn(v)];
  };
  if (kind === SESSION) {
    return recordIn(v);
  }
  if (path.length === 0 || path.length > LONGEST_PATH) {
    return session;
  }
  switch (kind) {
    case CHANGE:
      return recordIn(withChange(session, path, () => v));
    case EXTEND:
      return recordIn(withChange(session, path, extended));
    case DELETE:
      return recordIn(withChange(session, path, () => undefined));
    default:
      return session;
  }
}

/** Returns a copy of a value with a change at a path. The value itself if the path leads nowhere. */
function withChange(value: unknown, [step, ...rest]: readonly unknown[], change: (held: unknown) => unknown): unknown {
  if (step === undefined) {
    return change(value);
  }
  if (Array.isArray(value)) {
    const at = Number(step);
    return Number.isInteger(at) && at >= 0 && at < value.length
      ? value.with(at, withChange(value[at], rest, change))
      : value;
  }
  const held = recordIn(value);
  return { ...held, [String(step)]: withChange(held[String(step)], rest, change) };
}

const USER = Symbol("the user's name");

/** Parts of an answer that the model didn't write: the program shows them while it works. */
const SILENT: ReadonlySet<unknown> = new Set([
  ...[
    "progressMessage",
    "progressTask",
    "progressTaskSerialized",
    "progressTaskResult",
    "prepareToolInvocation",
    "undoStop",
  ],
  ...[
    "codeblockUri",
    "mcpServersStarting",
    "confirmation",
    "command",
    "references",
    "codeCitation",
    "warning",
    "treeData",
  ],
  ...[
    "elicitation",
    "elicitationSerialized",
    "extensions",
    "pullRequest",
    "multiDiffData",
    "notebookEditGroup",
    "move",
    "agentDetection",
  ],
]);

function stepOf(row: Row & { readonly [USER]?: string | undefined }): AppStep {
  const { requestId, responseId, timestamp, message, variableData, response, result, shouldBeRemovedOnSend, isHidden } =
    row;
  if (shouldBeRemovedOnSend != null || isHidden === true) {
    return { messages: [], faults: ["the request was withdrawn"] };
  }
  const createdAt = isoOf(timeMsOf(timestamp));
  const attached = listIn(recordIn(variableData).variables).flatMap((one) => textIn(recordIn(one).name) ?? []);
  const asked = [messageText(message), ...attached.map(fileLine)];
  const faults: string[] = [];
  const parts = answerParts(listIn(response).map(recordIn), recordIn(recordIn(result).metadata), faults);
  const failure = textIn(recordIn(recordIn(result).errorDetails).message);
  if (failure !== undefined) {
    faults.push(`errorDetails: the answer failed: ${failure.slice(0, 100)}`);
  }
  const unread = asked[0] === undefined ? unreadWordsIn(recordIn(message)) : undefined;
  if (unread !== undefined || message === undefined) {
    faults.push(`message: ${unread ?? "the request has none"}`);
  }
  // The program asks in the user's name when a command ends, for example.
  const isOfProgram = row.isSystemInitiated === true;
  const name = isOfProgram ? undefined : row[USER];
  const words = textPart(asked.filter((line) => textIn(line)).join("\n"));
  const question = messagesInTurn(
    { id: textIn(requestId), role: "user", createdAt },
    isOfProgram ? words.map((part) => ({ ...part, origin: "file" }) as PartInput) : words,
  );
  return {
    messages: [
      ...question.map((said) => (name === undefined ? said : { ...said, name })),
      ...messagesInTurn({ id: textIn(responseId), role: "assistant", createdAt }, parts),
    ],
    faults,
  };
}

function messageText(message: unknown): string | undefined {
  const { text, parts } = recordIn(message);
  const pieces = listIn(parts).map((part) => recordIn(part).text);
  return textIn(message) ?? textIn(text) ?? textIn(pieces.filter((piece) => textIn(piece)).join(""));
}

/** A call's arguments and result. */
interface RecordedCall {
  readonly name: string | undefined;
  readonly input: unknown;
  readonly output: string | undefined;
}

function recordedCalls({ toolCallRounds, toolCallResults }: Row, faults: string[]): ReadonlyMap<string, RecordedCall> {
  const results = recordIn(toolCallResults);
  const calls = listIn(toolCallRounds)
    .flatMap((round) => listIn(recordIn(round).toolCalls))
    .map(recordIn);
  const ids = new Set(calls.map(({ id }) => String(id)));
  const alone = Object.keys(results).filter((id) => !ids.has(id));
  if (alone.length > 0) {
    faults.push(`toolCallResults: ${counted(alone.length, "result")} without a call`);
  }
  return new Map(
    calls.map(({ id, name, arguments: given }) => {
      const result = recordIn(results[String(id)]);
      const content = listIn(result.content);
      const output = textIn(content.map((part) => wordsIn(recordIn(part).value)).join("\n"));
      const unread = output === undefined ? unreadWordsIn(result) : undefined;
      if (unread !== undefined) {
        faults.push(`toolCallResults: ${unread}`);
      }
      return [String(id), { name: textIn(name), input: parsedText(given), output }];
    }),
  );
}

/** Maximum nesting of the words of a result. */
const DEEPEST_NODE = 100;

/** Returns a result's words: a text, or a tree of nodes as the extension's own tools return it. */
function wordsIn(value: unknown, depth = 0): string {
  const { node = value, text, lineBreakBefore, children } = recordIn(value);
  if (typeof value === "string" || depth > DEEPEST_NODE) {
    return typeof value === "string" ? value : "";
  }
  return node === value
    ? `${lineBreakBefore ? "\n" : ""}${textIn(text) ?? ""}${listIn(children)
        .map((one) => wordsIn(one, depth + 1))
        .join("")}`
    : wordsIn(node, depth + 1);
}

/** Returns the fault of a part that has words, but not in the field for them. */
function lostWords(part: Row, value: unknown): readonly string[] {
  const fault = value === undefined ? unreadWordsIn(part) : undefined;
  return fault === undefined ? [] : [fault];
}

function answerParts(response: readonly Row[], metadata: Row, faults: string[]): readonly PartInput[] {
  const recorded = [...recordedCalls(metadata, faults)];
  const unnamed = new FreePlaces();
  for (const [at, [id, { name }]] of recorded.entries()) {
    unnamed.add(at, [`id ${id}`, `name ${name}`]);
  }
  // The program's ids and names of calls may differ from the model's. They are in the same order.
  const isCall = ({ kind }: Row): boolean => kind === "toolInvocationSerialized" || kind === "toolInvocation";
  const order = response.filter(isCall).length === recorded.length ? response.filter(isCall) : [];
  const parts: PartInput[] = [];
  const say = (text: unknown): void => {
    const last = parts.at(-1);
    if (typeof text !== "string" || text === "") {
      return;
    }
    if (last?.type === "text") {
      parts.splice(-1, 1, { type: "text", text: last.text + text });
    } else if (text.trim() !== "") {
      parts.push({ type: "text", text });
    }
  };
  for (const part of response) {
    const { kind, value, content, inlineReference, toolCallId, toolId } = part;
    if (kind === undefined || kind === "markdownContent" || kind === "markdownVuln") {
      const said = value ?? recordIn(content).value;
      say(said);
      faults.push(...lostWords(part, said));
    } else if (kind === "inlineReference") {
      say(`\`${referenceName(inlineReference)}\``);
    } else if (kind === "thinking") {
      const text = textIn(Array.isArray(value) ? value.filter((line) => typeof line === "string").join("\n") : value);
      parts.push(...(text === undefined ? [] : [{ type: "reasoning" as const, text }]));
      faults.push(...lostWords(part, value));
    } else if (isCall(part)) {
      const id = textIn(toolCallId) ?? `call-${parts.length + 1}`;
      const none = recorded.length;
      const named = Math.min(unnamed.first(`id ${id}`) ?? none, unnamed.first(`name ${toolId}`) ?? none);
      const at = order.length > 0 ? order.indexOf(part) : named;
      unnamed.take(at);
      parts.push(...callParts(id, part, recorded[at]?.[1]));
    } else if (kind === "textEditGroup") {
      say(`\n[Edited: ${referenceName(part.uri)}]\n`);
    } else if (!SILENT.has(kind)) {
      faults.push(`response: a part of the kind ${JSON.stringify(kind)?.slice(0, 60)} is not read`);
    }
  }
  return parts;
}

function callParts(
  toolCallId: string,
  { toolId, invocationMessage, pastTenseMessage, isComplete, toolSpecificData, resultDetails }: Row,
  call: RecordedCall | undefined,
): readonly PartInput[] {
  const shown = shownCall(recordIn(toolSpecificData), recordIn(resultDetails));
  const wordsOf = (text: unknown): string | undefined => textIn(text) ?? textIn(recordIn(text).value);
  const toolName = call?.name ?? textIn(toolId) ?? "tool";
  const output =
    call?.output ??
    shown.output ??
    wordsOf(pastTenseMessage) ??
    (isComplete === true ? wordsOf(invocationMessage) : undefined);
  return [
    { type: "tool-call", toolCallId, toolName, input: call?.input ?? shown.input ?? {} },
    ...(output === undefined ? [] : [{ type: "tool-result" as const, toolCallId, output }]),
  ];
}

/** Returns the input and the output that the program shows for a call. The metadata doesn't have every call. */
function shownCall(
  { commandLine, command, rawInput, terminalCommandOutput }: Row,
  { input, output }: Row,
): Partial<RecordedCall> {
  const { userEdited, toolEdited, original } = recordIn(commandLine);
  const line = textIn(userEdited) ?? textIn(toolEdited) ?? textIn(original) ?? textIn(command);
  const lines = listIn(output).map((part) => textIn(recordIn(part).value));
  return {
    input: rawInput ?? (line === undefined ? parsedText(textIn(input)) : { command: line }),
    output:
      textIn(recordIn(terminalCommandOutput).text) ?? textIn(lines.filter((words) => words !== undefined).join("\n")),
  };
}

/** Returns the name of a file or a symbol. */
function referenceName(reference: unknown): string {
  const { name, path, fsPath, uri, location } = recordIn(reference);
  const inner = recordIn(uri ?? recordIn(location).uri);
  return textIn(name) ?? textIn(path) ?? textIn(fsPath) ?? textIn(inner.path) ?? textIn(inner.fsPath) ?? "file";
}
