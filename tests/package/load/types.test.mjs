// The package's types in a project that has the types of one host, or of none, and checks all declarations.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, "pkg-template", "package.json"), "utf8"));
const entries = Object.entries(exports).filter(([name, { types }]) => types !== undefined && !name.includes("*"));

const hosts = {
  "no host": { lib: ["es2023"], types: [] },
  "a page": { lib: ["es2023", "dom"], types: [] },
  "a web worker": { lib: ["es2023", "webworker"], types: [] },
  Node: { lib: ["es2023"], types: ["node"] },
  workerd: { lib: ["es2023"], types: ["@cloudflare/workers-types"] },
};

for (const [name, host] of Object.entries(hosts)) {
  test(`the types of ${name} are sufficient`, () => {
    mkdirSync(join(root, ".cache"), { recursive: true });
    const folder = mkdtempSync(join(root, ".cache", "types-test-"));
    try {
      // IndexedDB exists only in pages.
      const used = entries.filter(([path]) => path !== "./stores/indexeddb" || host.lib.length > 1);
      const imports = used.map(([path], at) => `export * as entry${at} from "windrow${path.slice(1)}";`);
      writeFileSync(join(folder, "all.ts"), imports.join("\n"));
      const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false };
      const modules = { target: "es2022", module: "nodenext", moduleResolution: "nodenext" };
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions: { ...modules, ...strict, ...host }, include: ["all.ts"] }),
      );
      const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
      const { status, stdout } = spawnSync(process.execPath, [tsc, "--project", folder], { encoding: "utf8" });
      assert.equal(status, 0, stdout);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
