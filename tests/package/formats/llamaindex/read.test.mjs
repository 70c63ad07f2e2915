// Messages of LlamaIndexTS whose role only it has.

import assert from "node:assert/strict";
import { test } from "node:test";
import { plainMessage } from "windrow";

test("what its memory remembers is read as an instruction", () => {
  assert.deepEqual(plainMessage(/** @type {any} */ ({ role: "memory", content: "Mara likes the hall." })), {
    role: "system",
    content: [{ type: "text", text: "Mara likes the hall." }],
  });
});
