// Chromium without a bundler: a static folder with the installed package, under the strictest policy that allows wasm
// to be compiled.

import { fileURLToPath } from "node:url";
import { outcomeAt, pageOf, versionOfChromium } from "../support/browser.mjs";
import { packageFolder } from "../support/programs.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const shared = fileURLToPath(new URL("../shared", import.meta.url));

function pageAt(name) {
  const folders = { "/": folder, "/shared/": shared, "/windrow/": packageFolder("windrow") };
  return pageOf(folders, (address) => outcomeAt(`${address}${name}.html`));
}

export const chromium = {
  name: "Chromium",
  folder: "chromium",
  version: versionOfChromium,
  checks: [
    { what: "a script tag, from a static folder", run: () => pageAt("script") },
    { what: "a web worker", run: () => pageAt("worker") },
    { what: "a service worker", run: () => pageAt("service-worker") },
    { what: "`windrow/slim` with a `fetch` of the core", run: () => pageAt("slim") },
  ],
};
