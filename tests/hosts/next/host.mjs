// Next.js, built for production and served: a page in the browser, a server component, a Node route, and two edge
// runtime routes.

import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { outcomeAt } from "../support/browser.mjs";
import { outputOf, packageFolder, versionOf, whileServing } from "../support/programs.mjs";

const cwd = fileURLToPath(new URL(".", import.meta.url));

const asked = async (address) => {
  const response = await fetch(address);
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`status ${response.status}: ${text.slice(0, 2000)}`);
  }
  return text;
};

const places = {
  "a page": (address) => outcomeAt(`${address}/client`),
  "a server component": async (address) => {
    const [, base64] = /<pre>([^<]+)<\/pre>/.exec(await asked(`${address}/server`));
    return JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
  },
  "a route in Node": async (address) => JSON.parse(await asked(`${address}/node`)),
  "a route in the edge runtime": async (address) => JSON.parse(await asked(`${address}/edge`)),
  "`windrow/slim` in the edge runtime": async (address) => JSON.parse(await asked(`${address}/slim`)),
};

/**
 * Builds the application, serves it, and requests each path. Returns an answer or a failure for each.
 *
 * @param {string[]} asked
 * @param {string} bundler
 * @param {Record<string, string>} [env]
 */
async function answersAt(asked, bundler, env) {
  const next = `${packageFolder("next")}/dist/bin/next`;
  rmSync(`${cwd}.next`, { recursive: true, force: true });
  await outputOf(process.execPath, [next, "build", `--${bundler}`], { cwd, env });
  const serving = [process.execPath, next, "start", "--hostname", "127.0.0.1", "--port", "0"];
  return await whileServing(serving, /(http:\/\/(?:127\.0\.0\.1|localhost):\d+)/, { cwd, env }, async (address) => {
    const answers = {};
    for (const what of asked) {
      [answers[what]] = await Promise.allSettled([places[what](address)]);
    }
    return answers;
  });
}

/** Next.js with one of its bundlers and these paths. */
function nextHost(bundler, asked, env) {
  let answers;
  const answerAt = async (what) => {
    answers ??= answersAt(asked, bundler, env);
    const { value, reason } = (await answers)[what];
    return reason === undefined ? value : Promise.reject(reason);
  };
  return {
    name: `Next.js with ${bundler[0].toUpperCase()}${bundler.slice(1)}`,
    folder: "next",
    version: () => versionOf("next"),
    checks: asked.map((what) => ({ what, run: () => answerAt(what) })),
  };
}

export const next = nextHost("turbopack", Object.keys(places));
export const nextWithWebpack = nextHost(
  "webpack",
  Object.keys(places).filter((what) => !what.includes("edge")),
  { WITHOUT_EDGE: "true" },
);
