// The page: the prompt that a model gets from a conversation, and the reasons.

import { render } from "preact";
import { startWorker } from "./engine/background.js";
import { followAddress, readView, viewAddress } from "./state/address.js";
import { followState, hear } from "./state/building.js";
import { isStudio } from "./state/models.js";
import { readList } from "./state/saved.js";
import { showView } from "./state/sources.js";
import { followStudio } from "./state/studio.js";
import { App } from "./views/App.js";

startWorker(hear);
followState();
render(<App />, document.getElementById("page") as HTMLElement);
if (!(await followStudio())) {
  await showView(readView(location.hash));
}
followAddress();
void readList();
document.addEventListener("visibilitychange", () => void readList());
addEventListener("hashchange", ({ newURL }) => {
  // The page may have written its own address meanwhile: the visitor's counts.
  const { hash } = new URL(newURL);
  if (hash !== viewAddress()) {
    void showView(readView(hash));
  }
});

if (import.meta.env.PROD && !isStudio && "serviceWorker" in navigator) {
  // If it isn't allowed, the page needs a network.
  navigator.serviceWorker.register(new URL("./service-worker.js", location.href)).catch(() => {});
}
