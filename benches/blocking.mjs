// Measures in Chromium how long a page can't respond while a context of many messages is built, by the page itself and
// by its worker. Prints the longest task on the page's thread. Browsers report tasks of 50 ms or more.

import { fileURLToPath } from "node:url";
import { Failure, projectPath } from "../scripts/project.mjs";
import { findChromium } from "../scripts/setup.mjs";
import { closeBrowser, outcomeAt, pageOf } from "../tests/hosts/support/browser.mjs";
import { Table } from "./table.mjs";

const LENGTHS = [1000, 10_000, 100_000];

/** Measures, prints, and fails if the page is unresponsive for long while its worker builds. */
export async function run() {
  process.env.CHROME_PATH ??= findChromium().chromium;
  const folders = {
    "/": fileURLToPath(new URL("blocking/", import.meta.url)),
    "/windrow/": projectPath("pkg-template"),
  };
  const table = new Table("messages", "page: longest task, ms", "build, ms", "worker: longest task, ms", "build, ms");
  let longest = 0;
  try {
    for (const length of LENGTHS) {
      const [page, worker] = [await measured(folders, length, "page"), await measured(folders, length, "worker")];
      table.add(length.toLocaleString("en"), page.longestMs, page.buildMs, worker.longestMs, worker.buildMs);
      longest = Math.max(longest, worker.longestMs);
    }
  } finally {
    await closeBrowser();
  }
  console.log(table.text());
  if (longest > 0) {
    throw new Failure(`the page is blocked for ${longest.toFixed(0)} ms while its worker builds; no task may be long`);
  }
}

function measured(folders, length, where) {
  return pageOf(folders, (address) => outcomeAt(`${address}?length=${length}&where=${where}`));
}
