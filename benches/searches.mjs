// Full-text search packages in JavaScript, for comparison, with the same stop words.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import flexsearch from "flexsearch";
import MiniSearch from "minisearch";
import { Chat, FUNCTION_WORDS, requestsFor } from "./chat.mjs";
import { median } from "./table.mjs";

/** More than fit into a prompt of 4,000 tokens. */
const MOST_FOUND = 200;

const stopWords = new Set(FUNCTION_WORDS);

/** Each indexes texts by position, and searches for messages with any of the words, best first. */
const searches = {
  MiniSearch: (texts) => {
    const index = new MiniSearch({
      fields: ["text"],
      processTerm: (term) => (stopWords.has(term.toLowerCase()) ? null : term.toLowerCase()),
    });
    index.addAll(texts.map((text, id) => ({ id, text })));
    return (request) => index.search(request).slice(0, MOST_FOUND);
  },
  FlexSearch: (texts) => {
    const encoder = new flexsearch.Encoder({ filter: stopWords });
    const index = new flexsearch.Index({ tokenize: "strict", encoder });
    for (const [id, text] of texts.entries()) {
      index.add(id, text);
    }
    return (request) => index.search(request, { limit: MOST_FOUND, suggest: true });
  },
};

export const SEARCHES = Object.keys(searches);

/**
 * Measures one package on the chat used for rankings. Returns times in milliseconds, with the median of the requests.
 */
export function measure(name, count, rounds) {
  const messages = new Chat(1).messages(count);
  const requests = requestsFor(messages, rounds + 1);
  const texts = messages.map(({ content }) => content);
  const before = usedBytes();
  const started = performance.now();
  const search = searches[name](texts);
  const indexing = performance.now() - started;
  const growth = usedBytes() - before;
  search(requests.pop());
  const found = requests.map((request) => {
    const started = performance.now();
    const { length } = search(request);
    return { took: performance.now() - started, length };
  });
  return {
    indexing,
    growth,
    query: median(found.map(({ took }) => took)),
    found: median(found.map((it) => it.length)),
  };
}

/** Returns the size of the used heap after a garbage collection. */
function usedBytes() {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  collect();
  return process.memoryUsage().heapUsed;
}
