import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildContext, memoryStore, openSession } from "windrow";
import { outcomeOf } from "../../shared/conversation.js";

test("a context and a session", async () => {
  const outcome = await outcomeOf({ buildContext, openSession }, memoryStore());
  expect(JSON.parse(outcome.session).same).toBe(true);
  writeFileSync(process.env.OUTCOME, JSON.stringify(outcome));
});
