// Every format with every provider: random conversations with calls, media and reasoning are read, fitted into a
// budget, sent as a valid body that never exceeds it, and read back from that body.

import { before, describe, test } from "node:test";
import { loadEncoding } from "windrow";
import { forEachSeed } from "../support/property.mjs";
import { checkShape, PROVIDERS } from "../support/shape-bodies.mjs";
import { SHAPES } from "../support/shape-conversations.mjs";

before(() => loadEncoding("o200k_base"));

describe("for every provider", () => {
  for (const [shape, { title }] of Object.entries(SHAPES)) {
    test(`${title}: valid, whole, within the budget by a count of the body, and the same when built again`, () => {
      forEachSeed((_, seed) => {
        checkShape(shape, PROVIDERS[seed % PROVIDERS.length], [seed]);
      });
    });
  }
});
