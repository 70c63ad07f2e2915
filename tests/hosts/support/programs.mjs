// Programs of hosts, run to their end or until they are stopped.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../node_modules/", import.meta.url));
const morePackages = fileURLToPath(new URL("../more/node_modules/", import.meta.url));

/** Settings that keep a host from phoning home or coloring its output. */
const quiet = {
  NEXT_TELEMETRY_DISABLED: "1",
  WRANGLER_SEND_METRICS: "false",
  DO_NOT_TRACK: "1",
  DENO_NO_UPDATE_CHECK: "1",
  NO_COLOR: "1",
  CI: "true",
};

/** @typedef {{ cwd?: string, env?: Record<string, string> }} StartOptions */

/** The folder of an installed package. */
export function packageFolder(name) {
  const own = `${packages}${name}`;
  return existsSync(own) ? own : `${morePackages}${name}`;
}

/** The version of an installed package. */
export function versionOf(name) {
  return JSON.parse(readFileSync(`${packageFolder(name)}/package.json`, "utf8")).version;
}

/**
 * @param {string} command
 * @param {string[]} programArguments
 * @param {StartOptions} [options]
 */
function start(command, programArguments, { cwd, env = {} } = {}) {
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const child = spawn(command, programArguments, {
    cwd,
    env: { ...inherited, ...quiet, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (piece) => {
      output[name] += piece;
    });
  }
  return { child, output };
}

/**
 * Returns a program's standard output. If the program fails, the error has everything that it wrote.
 *
 * @param {string} command
 * @param {string[]} programArguments
 * @param {StartOptions} [options]
 * @returns {Promise<string>}
 */
export function outputOf(command, programArguments, options) {
  const { child, output } = start(command, programArguments, options);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) {
        resolve(output.stdout);
      } else {
        const end = `${command} ${programArguments.join(" ")} ended with ${signal ?? code}`;
        reject(new Error(`${end}\n${output.stdout}\n${output.stderr}`));
      }
    });
  });
}

/**
 * Runs an action while a server is running. `pattern` matches the server's address in its output.
 *
 * @template T
 * @param {string[]} command A program and its arguments.
 * @param {RegExp} pattern
 * @param {StartOptions} options
 * @param {(address: string) => T} action
 */
export async function whileServing([command, ...programArguments], pattern, options, action) {
  const { child, output } = start(command, programArguments, options);
  const ended = new Promise((resolve) => child.on("close", resolve));
  try {
    const address = await new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(output.stdout);
        if (found) {
          resolve(found[1]);
        }
      };
      child.stdout.on("data", look);
      child.on("error", reject);
      child.on("close", () => reject(new Error(`${command} ended\n${output.stdout}\n${output.stderr}`)));
    });
    return await action(address);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

/** The JSON in the last line of a text. */
export function lastLine(text) {
  return JSON.parse(text.trimEnd().split("\n").at(-1));
}
