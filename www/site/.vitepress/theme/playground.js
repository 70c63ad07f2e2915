// The views of the playground that pages link to.

/** For each page, the playground's sample and setup. */
export const VIEWS = {
  "index.md": { sample: "workshop", budget: 150 },
  "docs/guide.md": { sample: "workshop", budget: 200 },
  "docs/agents.md": { sample: "agent", budget: 2000 },
  "docs/recall.md": { sample: "friends", budget: 1000 },
  "docs/caching.md": { sample: "assistant", budget: 1000, setup: { preset: "steady" } },
  "docs/presets.md": { sample: "channel", budget: 1000, setup: { preset: "turns" } },
  "docs/tokens.md": { sample: "languages", budget: 500 },
};

/** Returns the address of a page's view, without the base of the site. */
export function addressOf(page) {
  const view = VIEWS[page];
  if (view === undefined) {
    return undefined;
  }
  const said = new URLSearchParams({ sample: view.sample, budget: String(view.budget) });
  if (view.setup !== undefined) {
    said.set("a", JSON.stringify(view.setup));
  }
  return `/playground/index.html#${said}`;
}
