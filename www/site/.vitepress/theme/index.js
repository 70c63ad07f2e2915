// The look of the site: VitePress's own with the colors of the playground, and a link into the playground from each
// page that has something to try there.

import { useData, withBase } from "vitepress";
import theme from "vitepress/theme";
import { h } from "vue";
import { addressOf } from "./playground.js";
import "./look.css";

function OpenInPlayground() {
  const { page } = useData();
  const address = addressOf(page.value.relativePath);
  const link = () => h("a", { href: withBase(address), target: "_self" }, "Try it in the playground");
  return address && h("nav", { class: "try", "aria-label": "Playground" }, link());
}

export default { ...theme, Layout: () => h(theme.Layout, null, { "doc-before": () => h(OpenInPlayground) }) };
