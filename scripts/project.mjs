// What all scripts share: where things are, how a step is announced and timed, how a program is run.
// Progress goes to standard error, so that standard output holds only what was asked for.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

/** A path inside the project. */
export function projectPath(...parts) {
  return join(root, ...parts);
}

/** A failure that the user can act on: shown as one line, without a stack. */
export class Failure extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Announces a step, runs it, and says how long it took. A string that the action returns is shown beside the time. */
export async function step(title, action) {
  const started = performance.now();
  console.error(`▸ ${title}`);
  const note = await action();
  console.error(`✓ ${title}${note ? `: ${note}` : ""} (${seconds(performance.now() - started)})`);
}

export function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/**
 * @typedef {object} RunOptions
 * @property {Record<string, string>} [env] Added to the environment of this process.
 * @property {string} [cwd]
 * @property {"stdout" | "stderr"} [output]
 * @property {(piece: string) => void} [onOutput]
 */

/**
 * Runs a program to its end, its output shown. Rejects when it cannot start or its exit code is not 0.
 * `output: "stdout"` lets its standard output through; otherwise that too goes to standard error.
 * `onOutput` is given the standard output as well, piece by piece.
 *
 * @param {string} command
 * @param {string[]} programArguments
 * @param {RunOptions} [options]
 * @returns {Promise<void>}
 */
export function run(command, programArguments, { env = {}, cwd = root, output = "stderr", onOutput } = {}) {
  return new Promise((resolve, reject) => {
    const shown = output === "stdout" ? process.stdout : process.stderr;
    const child = spawn(command, programArguments, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", onOutput ? "pipe" : shown, "inherit"],
    });
    child.stdout?.on("data", (chunk) => {
      shown.write(chunk);
      onOutput(chunk.toString("utf8"));
    });
    child.on("error", (error) => reject(new Failure(`${command} cannot be started: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) {
        resolve();
      } else {
        const end = signal ? `was ended by ${signal}` : `failed with exit code ${code}`;
        reject(new Failure(`${shortened([command, ...programArguments].join(" "))} ${end}`, code ?? 1));
      }
    });
  });
}

/** The beginning of a command: a run of all test files names a hundred of them. */
function shortened(command) {
  return command.length > 200 ? `${command.slice(0, 200)} …` : command;
}

/**
 * Runs a Node program of a development dependency, for example `typescript/bin/tsc`.
 *
 * @param {string} program
 * @param {string[]} programArguments
 * @param {RunOptions} [options]
 */
export function runNode(program, programArguments, options) {
  return run(process.execPath, [projectPath("node_modules", program), ...programArguments], options);
}

/** The standard output of a program, or null when it cannot start or fails. */
export function capture(command, programArguments, { env = {}, cwd = root } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, programArguments, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.on("error", () => resolve(null));
    child.on("close", (code) => resolve(code === 0 ? Buffer.concat(chunks).toString("utf8").trim() : null));
  });
}

/** A digest of files, folders (with all that is in them) and plain strings (as `{ text }`), in the order given. */
export function digest(...inputs) {
  const hash = createHash("sha256");
  const addPath = (path) => {
    const status = statSync(projectPath(path), { throwIfNoEntry: false });
    if (!status) {
      hash.update(`missing ${path}\n`);
    } else if (status.isDirectory()) {
      for (const name of readdirSync(projectPath(path)).sort()) {
        addPath(`${path}/${name}`);
      }
    } else {
      hash.update(`file ${path} ${status.size}\n`).update(readFileSync(projectPath(path)));
    }
  };
  for (const input of inputs) {
    if (typeof input === "string") {
      addPath(input);
    } else {
      hash.update(`text ${input.text}\n`);
    }
  }
  return hash.digest("hex");
}

/** Whether a module is the program that Node was started with. */
export function isProgram(moduleUrl) {
  return process.argv[1] !== undefined && moduleUrl === pathToFileURL(realpathSync(process.argv[1])).href;
}

/** Runs a script's main function; a failure becomes one line on standard error and the exit code. */
export async function runProgram(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Failure ? `✗ ${error.message}` : error);
    process.exitCode = error instanceof Failure ? error.exitCode : 1;
  }
}
