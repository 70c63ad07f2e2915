// Two workers: one runs the package by itself, and the other builds for the page. Their contexts are the same.

import { contextOf } from "/shared/conversation.js";
import { connectWorker } from "/windrow/dist/worker.js";

const worker = new Worker("/in-worker.js", { type: "module" });
const itself = new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
});

async function outcome() {
  const engine = connectWorker(new Worker("/in-connected.js", { type: "module" }));
  const context = await contextOf({ buildContext: (...given) => engine.buildContext(...given) });
  return { ...(await itself), context };
}

window.outcome = outcome();
