// Individual modules of the package's sources, for functions that it doesn't export.

import { build } from "esbuild";
import { projectPath } from "../../../scripts/project.mjs";

/**
 * Exports of files below `pkg-template/src`, in one instance: `await sources("message/plain.ts", "message/origin.ts")`.
 */
export async function sources(...files) {
  const { outputFiles } = await build({
    stdin: {
      contents: files.map((file) => `export * from "./${file}";`).join("\n"),
      resolveDir: projectPath("pkg-template", "src"),
      loader: "ts",
    },
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "error",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
