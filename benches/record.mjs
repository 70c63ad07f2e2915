// Records a bench's results for later: the machine, the versions and the figures, in a file with the date in its name.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { dirname } from "node:path";
import { projectPath } from "../scripts/project.mjs";
import { versionOf } from "./peers.mjs";
import { median } from "./table.mjs";

/** Prints and returns the machine and the versions. */
export function describeRun(peers) {
  const { version } = JSON.parse(readFileSync(projectPath("pkg-template", "package.json"), "utf8"));
  const run = {
    date: new Date().toISOString(),
    machine: {
      processor: cpus()[0]?.model,
      cores: availableParallelism(),
      memoryBytes: totalmem(),
      platform: `${process.platform} ${process.arch}`,
    },
    versions: {
      node: process.versions.node,
      v8: process.versions.v8,
      windrow: version,
      ...Object.fromEntries(peers.map((name) => [name, versionOf(name)])),
    },
  };
  const { processor, cores, platform } = run.machine;
  console.log(`${run.date}, ${processor}, ${cores} cores, ${platform}`);
  console.log(
    Object.entries(run.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
  );
  return run;
}

/** Writes a record to the requested file or into the cache. */
export function writeRecord(name, record, path) {
  const day = record.date.slice(0, 19).replaceAll(":", "-");
  const file = path ?? projectPath(".cache", "benches", `${name}-${day}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
  console.log(`written: ${file}`);
}

/** Returns the median of some values and their interquartile range. */
export function spreadOf(values) {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  return { median: median(values), from: at(0.25), to: at(0.75), best: sorted[0], count: values.length };
}

/** Returns the value of a bench's option: `--write FILE`. */
export function optionOf(options, name) {
  const index = options.indexOf(`--${name}`);
  return index < 0 ? undefined : options[index + 1];
}
