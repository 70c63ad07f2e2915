// Shared by webpack and Rspack: their common interface, and a build configured only with paths.

import { pageOf } from "./browser.mjs";

/** Bundles the folder `context` for production, and returns its page's outcome. */
export async function builtBy(bundle, context, options = {}) {
  const compiler = bundle({
    context,
    mode: "production",
    entry: "./main.js",
    output: { path: `${context}dist`, publicPath: "/dist/", clean: true },
    performance: { hints: false },
    ...options,
  });
  const stats = await new Promise((resolve, reject) => {
    compiler.run((failure, result) => (failure ? reject(failure) : resolve(result)));
  });
  await new Promise((resolve) => compiler.close(resolve));
  if (stats.hasErrors() || stats.hasWarnings()) {
    throw new Error(stats.toString({ all: false, errors: true, warnings: true }));
  }
  return await pageOf(context);
}
