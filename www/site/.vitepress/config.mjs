// How VitePress builds the site of the docs. `npm run build:site` puts the pages into `source` and sets the paths.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { slug } from "github-slugger";
import { defineConfig } from "vitepress";

const { SITE_SOURCE: source, SITE_OUTPUT: output, SITE_BASE: base } = process.env;

/** The pages by their groups. People need them in this order. */
const GROUPS = {
  Start: {
    "Thirty seconds": "/",
    Guide: "/docs/guide",
    Recipes: "/docs/recipes",
    Presets: "/docs/presets",
    "Moving over": "/docs/moving",
  },
  "Keep a chat": { Sessions: "/docs/sessions", Files: "/docs/files" },
  "Run an agent": { Agents: "/docs/agents", Hooks: "/docs/hooks", Models: "/docs/models" },
  "Pay less": { "Prompt caches": "/docs/caching", Tokens: "/docs/tokens" },
  "Send it": { Providers: "/docs/providers", Frameworks: "/docs/frameworks", Formats: "/docs/formats" },
  "Text from strangers": { "Untrusted input": "/docs/untrusted", Redaction: "/docs/redaction" },
  "Hosts and sizes": { Hosts: "/docs/hosts", Speed: "/docs/speed" },
  "How ranking works": { Recall: "/docs/recall", "Reports of peers": "/docs/peers" },
  Reference: { Options: "/docs/reference", "Types of the package": "/api/", Changes: "/CHANGELOG" },
  Internals: {
    Architecture: "/ARCHITECTURE",
    Design: "/DESIGN",
    "A worker": "/examples/worker/README",
    Contributing: "/CONTRIBUTING",
    Security: "/SECURITY",
    Releasing: "/RELEASING",
  },
};

/** The pages of the package's types, by the names that are imported. */
const types = readdirSync(join(source, "api"), { recursive: true })
  .map((path) => path.replace(/\.md$/, ""))
  .filter((path) => path.startsWith("windrow") && existsSync(join(source, "api", `${path}.md`)))
  .sort()
  .map((path) => ({ text: path, link: `/api/${path}` }));

const links = (pages) => Object.entries(pages).map(([text, link]) => ({ text, link }));

/** Makes an empty header of a table a plain cell, because it names nothing. */
function plainEmptyHeaders({ renderer }) {
  renderer.rules.th_open = (tokens, at, options, _, self) => {
    if (tokens[at + 1].content === "") {
      tokens[at].tag = "td";
      tokens[at + 2].tag = "td";
    }
    return self.renderToken(tokens, at, options);
  };
}

export default defineConfig({
  title: "windrow",
  description: "Fits an LLM chat into a token budget: keeps the messages that the request needs, and says why.",
  lang: "en-US",
  base,
  srcDir: source,
  outDir: output,
  cacheDir: join(source, ".cache"),
  cleanUrls: false,
  lastUpdated: false,
  srcExclude: ["public/**"],
  rewrites: { "README.md": "index.md" },
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}icon.svg` }]],
  markdown: {
    // The same anchors as on GitHub, because the pages are read there too.
    anchor: { slugify: slug },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: plainEmptyHeaders,
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/docs/guide" },
      { text: "Reference", link: "/docs/reference" },
      { text: "Playground", link: "/playground/index.html", target: "_self" },
      { text: "Core in Rust", link: "/core/windrow/index.html", target: "_self" },
    ],
    sidebar: {
      "/api/": [{ text: "Types of the package", link: "/api/" }, ...types],
      "/": Object.entries(GROUPS).map(([text, pages]) => ({ text, items: links(pages) })),
    },
    footer: { message: "MIT or Apache-2.0, as you choose." },
  },
});
