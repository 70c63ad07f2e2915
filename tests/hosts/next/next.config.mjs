import { fileURLToPath } from "node:url";

// The folder whose packages are installed: this project has none of its own.
const root = fileURLToPath(new URL("..", import.meta.url));

export default {
  turbopack: { root },
  outputFileTracingRoot: root,
  // Next.js 16.4.6 with webpack cannot build any route of the edge runtime: it misses a manifest of its own.
  pageExtensions: process.env.WITHOUT_EDGE ? ["jsx", "js"] : ["edge.js", "js"],
};
