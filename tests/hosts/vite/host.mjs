// Vite without configuration: its build under the strictest policy that allows wasm to be compiled, and its development
// server.

import { fileURLToPath } from "node:url";
import { portOf } from "../../package/support/servers.mjs";
import { outcomeAt, pageOf } from "../support/browser.mjs";
import { versionOf } from "../support/programs.mjs";

const root = fileURLToPath(new URL(".", import.meta.url));
/** @satisfies {import("vite").InlineConfig} */
const common = { root, configFile: false, logLevel: "warn" };

export const vite = {
  name: "Vite",
  folder: "vite",
  version: () => versionOf("vite"),
  checks: [
    {
      what: "`vite build`, in Chromium under `script-src 'self' 'wasm-unsafe-eval'`",
      run: async () => {
        const { build } = await import("vite");
        await build({ ...common, build: { emptyOutDir: true } });

        return await pageOf(`${root}dist`);
      },
    },
    {
      what: "`vite dev`, in Chromium",
      run: async () => {
        const { createServer } = await import("vite");
        const server = await createServer({
          ...common,
          cacheDir: `${root}dist/cache`,
          server: { host: "127.0.0.1", port: 0 },
        });
        try {
          await server.listen();
          return await outcomeAt(`http://127.0.0.1:${portOf(server.httpServer)}/`);
        } finally {
          await server.close();
        }
      },
    },
  ],
};
