// Accessibility of a page, checked with axe.

import { createRequire } from "node:module";

/** The path of axe's script, for `addScriptTag`. */
export const axe = createRequire(import.meta.url).resolve("axe-core");

/** Returns the violations in a page that has axe's script, as texts. */
export function violationsIn(page) {
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, {
      rules: { "color-contrast-enhanced": { enabled: false }, "identical-links-same-purpose": { enabled: false } },
    });
    return violations.map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join("\n")}`,
    );
  });
}
