// Aider's chat history, `.aider.chat.history.md`: the user's lines begin with `####`, the program's with `>`, and all
// others are the assistant's. Aider ends its own lines and the user's with two spaces, and marks only the first line of
// its longer outputs (`append_chat_history` in Aider-AI/aider, aider/io.py). So headings and quotes in an answer, and
// outputs of commands, can be told apart.

import type { Row } from "../../file.js";
import type { AppConversation, AppStep, KindReader } from "../../readers.js";
import { aiderKind } from "./kind.js";

export const aider: KindReader = {
  kind: aiderKind,
  openText(text) {
    const lines = text.split(/\r?\n/);
    const starts = lines.flatMap((line, at) => (START.test(line) ? [at] : []));
    // The end of a longer file begins within a session.
    const all = lines.slice(0, starts[0]).some((line) => line.startsWith("#### ")) ? [-1, ...starts] : starts;
    return all.map((from, number): AppConversation => {
      const session = lines.slice(from + 1, all[number + 1]);
      const { rows, noticeCount } = rowsOf(session);
      const startedAt = START.exec(lines[from] ?? "")?.[1];
      const faults = noticeCount === 0 ? [] : [`${noticeCount} of its lines are notices of the program, not messages`];
      return { facts: { startedAt }, rows, faults };
    });
  },
  rowReader: () => stepOf,
};

const START = /^# aider chat started at (\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})/;

/** Commands to the program. Others, such as /ask and /code, talk to the model. */
const COMMAND = /^\/(?!ask\b|code\b|architect\b|context\b|help\b|chat-mode\b)[a-z-]+/;

function stepOf({ role, content }: Row): AppStep {
  const isCommand = role === "user" && COMMAND.test(String(content));
  return { messages: [{ role, content, ...(isCommand ? { tags: ["command"] } : {}) }] };
}

function rowsOf(lines: readonly string[]): { readonly rows: readonly Row[]; readonly noticeCount: number } {
  const rows: { role: string; lines: string[] }[] = [];
  // An editor may have removed the spaces at the ends of lines.
  const hasMarks = lines.some((line) => /^(?:####|>) /.test(line) && isEnded(line));
  const ends = hasMarks ? noticeEnds(lines) : [];
  let noticeCount = 0;
  let isNewTurn = true;
  const say = (role: string, line: string): void => {
    const last = rows.at(-1);
    if (!isNewTurn && last?.role === role) {
      last.lines.push(line);
    } else {
      rows.push({ role, lines: [line] });
    }
    isNewTurn = false;
  };
  const fenceEnd = fenceFinder(lines);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const end = fenceEnd(at);
    const isEndedOrPlain = !hasMarks || isEnded(line);
    if (/^####(?: |$)/.test(line) && isEndedOrPlain) {
      say("user", line.slice(5).trimEnd());
    } else if (line.startsWith("> ") && (isEndedOrPlain || isOfProgram(lines, at, isNewTurn))) {
      const last = ends[at] ?? at;
      noticeCount += last - at + 1;
      isNewTurn = true;
      at = last;
    } else {
      for (const inFence of lines.slice(at, end + 1)) {
        say("assistant", inFence);
      }
      at = end;
    }
  }
  const all = rows.map(({ role, lines: own }) => ({ role, content: own.join("\n").trim() }));
  const said = all.filter(({ content }) => content !== "" && content !== "<blank>");
  return { rows: joined(said.filter((row, at) => !isRepeated(row, said[at + 1]))), noticeCount };
}

/** True for a line that Aider ended. */
const isEnded = (line: string | undefined): boolean => line?.endsWith("  ") === true;

/** True if the first line of a longer notice directly follows a line of the user's or the program's. */
const isOfProgram = (lines: readonly string[], at: number, isNewTurn: boolean): boolean =>
  isEnded(lines[at - 1]) && (isNewTurn || lines[at - 1]?.startsWith("####") === true);

/**
 * Returns the last line of the notice that begins in each line: the first that is ended and that the next line doesn't
 * continue. Without one, only the first line is surely the program's.
 */
function noticeEnds(lines: readonly string[]): readonly number[] {
  let end: number | undefined;
  const ends: number[] = [];
  for (let at = lines.length - 1; at >= 0; at--) {
    end = isEnded(lines[at]) && /^(?:> |####|$)/.test(lines[at + 1] ?? "") ? at : end;
    ends[at] = end ?? at;
  }
  return ends;
}

interface Said {
  readonly role: string;
  readonly content: string;
}

/** True for a command such as `/ask Why?` that Aider repeats as the user's question. */
function isRepeated({ role, content }: Said, next: Said | undefined): boolean {
  const question = /^\/[a-z-]+\s+([\s\S]*)$/.exec(content)?.[1]?.trim();
  return role === "user" && question !== undefined && next?.role === role && next.content === question;
}

/** Joins answers that only the program's lines separate. */
function joined(rows: readonly Said[]): readonly Row[] {
  const turns: { role: string; contents: string[] }[] = [];
  for (const { role, content } of rows) {
    const last = turns.at(-1);
    if (role === "assistant" && last?.role === role) {
      last.contents.push(content);
    } else {
      turns.push({ role, contents: [content] });
    }
  }
  return turns.map(({ role, contents }) => ({ role, content: contents.join("\n\n") }));
}

/** Longer fences count as this long. */
const LONGEST_FENCE = 8;

/**
 * Returns a function that finds the last line of the fenced code that begins in a line. For an unclosed fence, and for
 * any other line, it returns that line.
 */
function fenceFinder(lines: readonly string[]): (at: number) => number {
  /** The length of the shortest fence that the remaining lines don't close. */
  let open = LONGEST_FENCE + 1;
  const lengthOf = (line: string): number => Math.min(/^`{3,}/.exec(line)?.[0].length ?? 0, LONGEST_FENCE);
  return (at) => {
    const length = lengthOf(lines[at] as string);
    if (length === 0 || length >= open) {
      return at;
    }
    for (let end = at + 1; end < lines.length; end++) {
      const line = lines[end] as string;
      if (lengthOf(line) >= length && /^`+\s*$/.test(line)) {
        return end;
      }
    }
    open = length;
    return at;
  };
}
