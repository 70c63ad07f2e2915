// The hosts. Core hosts are tested with every change, and the others only by `npm run test:hosts`. A host imports its
// packages when it runs, so this list can be read when none of them is installed.

import { chromium } from "./chromium/host.mjs";
import { bun } from "./more/bun/host.mjs";
import { deno } from "./more/deno/host.mjs";
import { esbuild } from "./more/esbuild/host.mjs";
import { jest } from "./more/jest/host.mjs";
import { packageTools } from "./more/package/host.mjs";
import { parcel } from "./more/parcel/host.mjs";
import { rollup } from "./more/rollup/host.mjs";
import { rspack } from "./more/rspack/host.mjs";
import { vitest } from "./more/vitest/host.mjs";
import { webpack } from "./more/webpack/host.mjs";
import { next, nextWithWebpack } from "./next/host.mjs";
import { coreNodes, moreNodes } from "./node/host.mjs";
import { vite } from "./vite/host.mjs";
import { workerd } from "./workerd/host.mjs";

export const coreHosts = [...coreNodes, vite, chromium, workerd, next];

export const hosts = [
  ...coreNodes,
  ...moreNodes,
  deno,
  bun,
  jest,
  vitest,
  chromium,
  vite,
  webpack,
  rspack,
  rollup,
  esbuild,
  parcel,
  next,
  nextWithWebpack,
  workerd,
  ...packageTools,
];
