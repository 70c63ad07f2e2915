// The call as a program would make it: JavaScript that can be copied.

import { sharedWordsCode } from "./hooks.js";
import { DATABASE } from "./log.js";
import { type Asked, isGroup, presetOptions } from "./preset.js";

/** The call that builds what is asked for. */
export function callOf({ preset, own, hooks, session }: Asked): string {
  const { spread, groups } =
    preset === undefined
      ? { spread: [], groups: {} }
      : { spread: [`...presets.${preset}`], groups: presetOptions(preset) };
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
  const codes = hooks.map((hook) => hook.code());
  const shared = codes.some((code) => code.includes("sharedWords(")) ? [sharedWordsCode] : [];
  const presets = preset === undefined ? "" : ", presets";
  const call =
    session === undefined
      ? [
          `import { buildContext${presets} } from "windrow";`,
          `const context = await buildContext(messages, ${config});`,
        ]
      : [
          `import { openSession${presets} } from "windrow";\nimport { indexedDbStore } from "windrow/stores/indexeddb";`,
          `const store = indexedDbStore({ name: ${JSON.stringify(DATABASE)} });
const session = await openSession(${JSON.stringify(session)}, { store });
const context = await session.build(${config});`,
        ];
  return [...call, ...codes, ...shared].join("\n\n");
}

/** What fits in a line of the page. */
const WIDTH = 56;

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
    // A hook is a function below the call, under its own name.
    const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
    return typeof value === "function" ? name : `${key}: ${print(value, indent)}`;
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
