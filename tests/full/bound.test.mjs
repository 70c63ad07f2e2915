// Reasoning that a model binds to everything before it, in random chats, agent runs and sessions: no block is sent
// that the provider would refuse. BOUND_CASES=10000 runs more.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as windrow from "windrow";
import { secrets } from "windrow/redact";
import { runRandomChat, runRandomSession } from "../package/support/bound-provider.mjs";
import { Random } from "../package/support/random.mjs";

const CASES = Number(process.env.BOUND_CASES ?? 500);

test("no block is sent that the provider would refuse", async () => {
  await windrow.loadEncoding("o200k_base");
  let sent = 0;
  for (let seed = 1; seed <= CASES; seed++) {
    try {
      sent += await runRandomChat(windrow, new Random(seed));
      sent += (await runRandomSession(windrow, secrets, new Random(seed))).sent;
    } catch (cause) {
      throw new Error(`the chat of seed ${seed} fails`, { cause });
    }
  }
  assert.ok(sent > 20 * CASES, `${sent} blocks were sent`);
});
