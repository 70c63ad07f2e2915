// Does everything from a fresh clone: sets up, builds the package, builds a context from a conversation, and serves the
// playground.
//
//   npm start                                          the sample conversation
//   npm start -- FILE --request "…" --max-tokens 4000  your own file; the options are those of `windrow build`
//   npm start -- --once                                ends after printing, the default without a terminal

import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { servePlayground } from "./playground.mjs";
import { projectPath, root, runProgram } from "./project.mjs";
import { setUp } from "./setup.mjs";

const sample = {
  file: "www/sample.json",
  request: "What did we decide about the venue?",
  maxTokens: "600",
};

/**
 * The options of `windrow build`. All of them take a value, so a value isn't mistaken for the file.
 *
 * @type {import("node:util").ParseArgsConfig["options"]}
 */
const options = Object.fromEntries(
  ["request", "max-tokens", "format", "last", "session", "model", "encoding"].map((name) => [name, { type: "string" }]),
);

await runProgram(async () => {
  const given = process.argv.slice(2);
  const once = given.includes("--once");
  const { folder, commandLine } = completeCommandLine(given.filter((argument) => argument !== "--once"));
  await setUp("build");
  await build();
  const exitCode = await runCommandLine(folder, commandLine);
  if (exitCode !== 0) {
    process.exitCode = exitCode;
  } else if (!once && process.stdout.isTTY) {
    console.log(`\nThe playground is at ${await servePlayground()} (Ctrl+C ends it)`);
  }
});

/**
 * Returns the arguments, or those for the sample if they name no file. A file's path is relative to the folder that npm
 * was started in.
 */
function completeCommandLine(given) {
  const { values, positionals } = parseArgs({ args: given, options, strict: false, allowPositionals: true });
  if (positionals.length > 0 || given.includes("--help") || given.includes("-h")) {
    return { folder: process.env.INIT_CWD ?? process.cwd(), commandLine: given };
  }
  const commandLine = [sample.file, ...given];
  if (values.request === undefined) {
    commandLine.push("--request", sample.request);
  }
  if (values["max-tokens"] === undefined) {
    commandLine.push("--max-tokens", sample.maxTokens);
  }
  return { folder: root, commandLine };
}

/** Runs the package's own command line, which reports its own errors. Returns its exit code. */
function runCommandLine(folder, commandLine) {
  console.error(`▸ npx windrow build ${commandLine.map(quote).join(" ")}\n`);
  return new Promise((resolve, reject) => {
    const program = projectPath("pkg-template", "bin", "windrow.js");
    const child = spawn(process.execPath, [program, "build", ...commandLine], { cwd: folder, stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

function quote(argument) {
  return /^[\w./:=-]+$/.test(argument) ? argument : JSON.stringify(argument);
}
