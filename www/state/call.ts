// The call as a program would make it: JavaScript that can be copied.

import type { TriageQuestion } from "windrow";
import { codeOfModel, searchIn, sharedWordsCode } from "../engine/hooks.js";
import { DATABASE } from "./names.js";
import { type Asked, isGroup, presetOptions } from "./setup.js";

/** Messages that the visitor pinned or left out, by position. */
export type Edits = ReadonlyMap<number, "pin" | "out">;

/** The call that makes a build. */
export function callOf(asked: Asked, edits: Edits, question?: TriageQuestion): string {
  const { preset, session } = asked;
  const hooks = hooksOf(asked, question);
  const own = withHooks(asked);
  const spread = preset === "" ? [] : [`...presets.${preset}`];
  const groups = presetOptions(preset);
  const lines = Object.entries(own).map(([name, value]) => {
    if (name === "now") {
      return `// The clock of the page. Without it, that of the host.\n  now: ${print(value, "  ")}`;
    }
    if (name === "sessionId" && value === null) {
      return "// Also messages that name another session.\n  sessionId: null";
    }
    const text =
      isGroup(value) && isGroup(groups[name])
        ? block("{}", [`...presets.${preset}.${name}`, ...entries(value, "    ")], "  ")
        : print(value, "  ");
    return `${name}: ${text}`;
  });
  const config = block("{}", [...spread, ...lines], "", true);
  const shared = hooks.some((code) => code.includes("sharedWords(")) ? [sharedWordsCode] : [];
  const presets = preset === "" ? "" : ", presets";
  const call =
    session === undefined
      ? [
          `import { buildContext${presets} } from "windrow";`,
          ...editLines(edits),
          `const context = await buildContext(messages, ${config});`,
        ]
      : [
          `import { openSession${presets} } from "windrow";\nimport { indexedDbStore } from "windrow/stores/indexeddb";`,
          `const store = indexedDbStore({ name: ${JSON.stringify(DATABASE)} });
const session = await openSession(${JSON.stringify(session)}, { store });
const context = await session.build(${config});`,
        ];
  return [...call, ...hooks, ...shared].join("\n\n");
}

/** The tag that makes the page leave a message out. */
export const LEFT_OUT_TAG = "left out by hand";

function editLines(edits: Edits): string[] {
  const lines = [...edits].map(([position, edit]) => {
    const field = edit === "pin" ? "pinned: true" : `tags: [...(messages[${position}].tags ?? []), "${LEFT_OUT_TAG}"]`;
    return `messages[${position}] = { ...messages[${position}], ${field} };`;
  });
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function withHooks({ own, triage, knowledge }: Asked): Record<string, unknown> {
  const all: Record<string, unknown> = { ...own };
  const add = (group: string, hook: string) => {
    all[group] = { ...(all[group] as object | undefined), [hook]: HOOK };
  };
  if (triage !== undefined) {
    add("triage", triage.by === "chrome" || triage.by === "endpoint" ? "complete" : "select");
  }
  if (knowledge.length > 0) {
    add("recall", "search");
  }
  return all;
}

/** A placeholder for a function that is printed below the call, under its own name. */
const HOOK = Symbol("hook");

function hooksOf({ triage, knowledge }: Asked, question: TriageQuestion | undefined): string[] {
  return [
    ...(triage === undefined ? [] : [codeOfModel(triage, question)]),
    ...(knowledge.length === 0 ? [] : [searchIn(knowledge).code]),
  ];
}

/** Maximum line length in characters. */
const WIDTH = 72;

function print(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    return block(
      "[]",
      value.map((element) => print(element, `${indent}  `)),
      indent,
    );
  }
  return isGroup(value) ? block("{}", entries(value, `${indent}  `), indent) : (JSON.stringify(value) ?? "undefined");
}

function entries(group: object, indent: string): string[] {
  return Object.entries(group).map(([name, value]) => {
    const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
    return value === HOOK ? name : `${key}: ${print(value, indent)}`;
  });
}

function block([open, close]: string, lines: readonly string[], indent: string, isTall = false): string {
  if (lines.length === 0) {
    return `${open}${close}`;
  }
  const flat = lines.join(", ");
  if (!isTall && !flat.includes("\n") && indent.length + flat.length <= WIDTH) {
    return open === "[" ? `[${flat}]` : `{ ${flat} }`;
  }
  return `${open}\n${lines.map((line) => `${indent}  ${line},\n`).join("")}${indent}${close}`;
}
