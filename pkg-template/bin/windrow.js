#!/usr/bin/env node
// The command line is dist/cli.js. In a clone, build it first.
import { existsSync } from "node:fs";

const program = new URL("../dist/cli.js", import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  console.error("windrow is not built yet: run `npm start` or `npm run build` first");
  process.exitCode = 1;
}
