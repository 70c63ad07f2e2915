// A page that builds one context of a long chat, by itself or by its worker, and records its long tasks.

const asked = new URLSearchParams(location.search);
const length = Number(asked.get("length"));
const config = {
  encoding: "o200k_base",
  request: "When is the deposit for the harbour ferry due?",
  budget: { maxTokens: 4000 },
};

const WORDS =
  "harbour violin garden invoice lantern copper orchard ticket bridge kettle deposit ferry seats due price".split(" ");
const messages = Array.from({ length }, (_, at) => ({
  id: `m${at}`,
  role: at % 2 === 0 ? "user" : "assistant",
  content: Array.from({ length: 20 + (at % 50) }, (_, word) => WORDS[(at * 7 + word * word * 3) % WORDS.length]).join(
    " ",
  ),
}));

async function engineOf() {
  if (asked.get("where") === "page") {
    return await import("/windrow/dist/default.js");
  }
  const { connectWorker } = await import("/windrow/dist/worker.js");
  return connectWorker(new Worker("/thread.js", { type: "module" }));
}

async function measure() {
  const { buildContext } = await engineOf().then((engine) => ({
    buildContext: (...given) => engine.buildContext(...given),
  }));
  // By now, the core and the vocabulary are loaded.
  await buildContext(messages.slice(0, 100), config);
  const longTasks = [];
  const observer = new PerformanceObserver((list) => longTasks.push(...list.getEntries()));
  await new Promise((resolve) => setTimeout(resolve, 200));
  observer.observe({ type: "longtask" });
  const began = performance.now();
  await buildContext(messages, config);
  const buildMs = performance.now() - began;
  await new Promise((resolve) => setTimeout(resolve, 200));
  observer.disconnect();
  return { buildMs, longestMs: Math.max(0, ...longTasks.map(({ duration }) => duration)) };
}

window.outcome = measure();
