// Runs every case against every peer, and prints who fails what. Fails if this package fails a case.
//
//   npm run peers prints the table and each failure
//   npm run peers -- --write also writes the table into docs/peers.md

import { readFileSync, writeFileSync } from "node:fs";
import { Random } from "../../package/support/random.mjs";
import { cases } from "./cases.mjs";
import { checks } from "./checks.mjs";
import * as aiSdk from "./peers/ai-sdk.mjs";
import * as langchain from "./peers/langchain.mjs";
import * as loop from "./peers/loop.mjs";
import * as windrow from "./peers/windrow.mjs";

export const peers = [windrow, langchain, aiSdk, loop];
const VARIATIONS = 5;

/** A peer's messages for a case, with the data that the checks need. */
async function sentBy(peer, made) {
  const first = await peer.send(made);
  const second = await peer.send(made);
  const isSame = JSON.stringify(first.messages) === JSON.stringify(second.messages);
  return { ...first, again: isSame ? undefined : "the same messages gave another result" };
}

/**
 * Returns the problems of a peer's messages in words, or nothing if every check that the peer claims to satisfy passes.
 */
export async function judge(peer, { holds }, made) {
  const claimed = holds.filter((name) => !peer.lacks?.includes(name));
  let sent;
  try {
    sent = await sentBy(peer, made);
  } catch (failure) {
    return { problems: [`it fails: ${failure.message}`] };
  }
  const facts = { inTurn: [], pinned: [], ...made, ...sent, messages: made.messages };
  const problems = claimed.flatMap((name) => {
    const problem = checks[name](facts, sent.messages);
    return problem === undefined || problem === false ? [] : [`${name}: ${problem}`];
  });
  return { problems };
}

/** Runs every case with every peer. Returns the number of failed variations and the first problem. */
async function judgeAll() {
  const results = [];
  for (const [number, it] of cases.entries()) {
    const row = { ...it, found: [] };
    for (const peer of peers) {
      const claims = it.holds.filter((name) => !peer.lacks?.includes(name));
      const isClaimed = claims.includes(it.holds[0]);
      const found = {
        peer: peer.name,
        failures: 0,
        problem: undefined,
        isPart: claims.length < it.holds.length,
        isClaimed,
      };
      for (let variation = 0; variation < VARIATIONS; variation++) {
        const made = it.make(new Random(1 + number * 100 + variation));
        const { problems } = await judge(peer, it, made);
        found.failures += problems.length > 0 ? 1 : 0;
        found.problem ??= problems[0];
      }
      row.found.push(found);
    }
    results.push(row);
  }
  return results;
}

function tableOf(results) {
  const names = [...new Set(results.map(({ name }) => name))];
  const cell = (rows, at) => {
    const claimed = rows.filter(({ found }) => found[at].isClaimed);
    const failed = claimed.filter(({ found }) => found[at].failures > 0).length;
    const mark = claimed.some(({ found }) => found[at].isPart) ? " *" : "";
    return claimed.length === 0 ? "not applicable" : `${claimed.length - failed} of ${claimed.length}${mark}`;
  };
  const lines = [...names, "all"].map((name) => {
    const rows = results.filter((row) => name === "all" || row.name === name);
    return `| ${name} | ${peers.map((_, at) => cell(rows, at)).join(" | ")} |`;
  });
  return [
    `| what users reported | ${peers.map(({ name }) => name).join(" | ")} |`,
    `|---|${peers.map(() => "---|").join("")}`,
    ...lines,
  ].join("\n");
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const results = await judgeAll();
  const table = tableOf(results);
  console.log(table);
  console.log("\n* excludes cases that need a feature the tool lacks\n");
  for (const { name, reference, found } of results) {
    for (const { peer, failures, problem } of found.filter((it) => it.isClaimed && it.failures > 0)) {
      console.log(`${peer}: ${reference} (${name}), ${failures} of ${VARIATIONS}: ${problem}`);
    }
  }
  if (process.argv.includes("--write")) {
    const page = new URL("../../../docs/peers.md", import.meta.url);
    const place = /(<!-- table -->\n)[\s\S]*?(<!-- \/table -->)/;
    writeFileSync(
      page,
      readFileSync(page, "utf8").replace(place, (_, before, after) => `${before}${table}\n${after}`),
    );
  }
  const own = results.filter(({ found }) => found[0].failures > 0);
  console.log(`\n${results.length - own.length} passed, ${own.length} failed`);
  process.exitCode = own.length > 0 ? 1 : 0;
}
