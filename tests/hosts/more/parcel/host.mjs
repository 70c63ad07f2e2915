// Parcel: with `packageExports`, which its documentation recommends for packages with several entries, and with its
// defaults, for the main entry only.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { outcomeAt, whileServed } from "../../support/browser.mjs";
import { outputOf, packageFolder, versionOf } from "../../support/programs.mjs";

const cwd = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");

async function built(folder) {
  const program = `${packageFolder("parcel")}/lib/bin.js`;
  await outputOf(
    process.execPath,
    [program, "build", "index.html", "--dist-dir", `${folder}/dist`, "--no-cache", "--log-level", "warn"],
    { cwd: folder },
  );
  // Parcel inlines a script into the page, which a strict policy blocks.
  return await whileServed({ "/": `${folder}/dist` }, outcomeAt);
}

/** A project with its own root, so that the settings of the parent folder don't apply. */
function plainProject() {
  const folder = `${cwd}/dist/plain`;
  mkdirSync(folder, { recursive: true });
  cpSync(`${cwd}/index.html`, `${folder}/index.html`);
  cpSync(`${cwd}/plain.js`, `${folder}/main.js`);
  writeFileSync(`${folder}/package-lock.json`, "{}");
  return folder;
}

export const parcel = {
  name: "Parcel",
  folder: "parcel",
  version: () => versionOf("parcel"),
  checks: [
    { what: "`parcel build` with `packageExports`, in Chromium", run: () => built(cwd) },
    {
      what: "`parcel build` with no configuration, `windrow` alone, in Chromium",
      gives: ["context"],
      run: () => built(plainProject()),
    },
  ],
};
