// Parcel: with `packageExports`, which its documentation asks for where a package has entries, and as it comes, for the main entry alone.

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
  // Parcel writes a script into the page, which no strict policy lets through.
  return await whileServed({ "/": `${folder}/dist` }, outcomeAt);
}

/** A project whose root is here, so that the settings of the folder above do not reach it. */
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
