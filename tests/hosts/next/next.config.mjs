import { fileURLToPath } from "node:url";

// The folder with the installed packages: this project has no packages itself.
const root = fileURLToPath(new URL("..", import.meta.url));

export default {
  turbopack: { root },
  outputFileTracingRoot: root,
  // Next.js 16.4.6 with webpack can't build any edge runtime route: it misses one of its manifests.
  pageExtensions: process.env.WITHOUT_EDGE ? ["jsx", "js"] : ["edge.js", "js"],
};
