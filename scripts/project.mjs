// Helpers shared by all scripts: paths, announcing and timing steps, and running programs. Progress goes to standard
// error, so standard output has only the requested output.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

/** Returns a path inside the project. */
export function projectPath(...parts) {
  return join(root, ...parts);
}

/** A failure that the user can act on, shown as one line without a stack. */
export class Failure extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Announces a step, runs it, and prints its time, followed by the string that the action returns, if any. */
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
 * Runs a program to its end and shows its output. Rejects if it can't start or its exit code isn't 0. `output:
 * "stdout"` passes its standard output through; otherwise that goes to standard error too. `onOutput` also receives the
 * standard output, piece by piece.
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

/** Returns the beginning of a command, because a run of all test files names a hundred of them. */
function shortened(command) {
  return command.length > 200 ? `${command.slice(0, 200)} …` : command;
}

/**
 * Runs a development dependency's Node program, for example `typescript/bin/tsc`.
 *
 * @param {string} program
 * @param {string[]} programArguments
 * @param {RunOptions} [options]
 */
export function runNode(program, programArguments, options) {
  return run(process.execPath, [projectPath("node_modules", program), ...programArguments], options);
}

/** Returns a program's standard output, or null if it can't start or fails. */
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

/** Returns a program's standard output. Fails if it can't start or fails. */
export async function outputOf(command, programArguments, options) {
  const printed = await capture(command, programArguments, options);
  if (printed === null) {
    throw new Failure(`this failed: ${shortened([command, ...programArguments].join(" "))}`);
  }
  return printed;
}

/** Returns a digest of files, folders (with all their contents) and plain strings (as `{ text }`), in order. */
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

/** True if a module is the program that Node was started with. */
export function isProgram(moduleUrl) {
  return process.argv[1] !== undefined && moduleUrl === pathToFileURL(realpathSync(process.argv[1])).href;
}

/** Runs a script's main function. A failure becomes one line on standard error and sets the exit code. */
export async function runProgram(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Failure ? `✗ ${error.message}` : error);
    process.exitCode = error instanceof Failure ? error.exitCode : 1;
  }
}
