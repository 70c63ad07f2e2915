// Positions by key, each taken once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { sources } from "../support/sources.mjs";

const { FreePlaces } = await sources("base/free-places.ts");

test("the first and the last free position of a key are those that a search of the list finds", () => {
  let foundCount = 0;
  const caseCount = forEachSeed((random) => {
    const places = new FreePlaces();
    /** @type {{ keys: string[], isFree: boolean }[]} */
    const list = [];
    for (let step = random.integer(1, 60); step > 0; step--) {
      const key = random.pick(["a", "b", "c"]);
      const fits = ({ keys, isFree }) => isFree && keys.includes(key);
      if (random.chance(0.5)) {
        const keys = ["a", "b", "c"].filter(() => random.chance(0.5));
        places.add(list.length, keys);
        list.push({ keys, isFree: true });
      } else {
        const [first, last] = [list.findIndex(fits), list.findLastIndex(fits)];
        assert.equal(places.first(key) ?? -1, first);
        assert.equal(places.last(key) ?? -1, last);
        const taken = random.pick([first, last]);
        if (taken >= 0) {
          places.take(taken);
          /** @type {any} */ (list[taken]).isFree = false;
          foundCount += 1;
        }
      }
    }
  });
  assertShare(foundCount, caseCount, 1, "positions that were taken");
});
