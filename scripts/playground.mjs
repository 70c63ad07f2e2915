// The playground's server, for `npm start` and `npm run dev`.

import { existsSync } from "node:fs";
import { Failure, projectPath } from "./project.mjs";

/** Serves `www` until the process ends. Uses the next free port if the usual one is taken. Returns the address. */
export async function servePlayground() {
  const folder = projectPath("www");
  if (!existsSync(`${folder}/index.html`)) {
    throw new Failure("the playground's page www/index.html is missing");
  }
  const { createServer } = await import("vite");
  const server = await createServer({ root: folder, clearScreen: false, logLevel: "warn" });
  await server.listen();
  return server.resolvedUrls.local[0];
}
