// Any file, for any provider: a body that breaks no rule, or an error that names the fault and the next step.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ContextError, loadEncoding, problemsOf, providers } from "windrow";
import { carryOn } from "windrow/files";
import { APP_FILES } from "../support/app-files.mjs";
import { mutateText, mutateValue } from "../support/mutations.mjs";
import { assertShare, forEachSeedAsync } from "../support/property.mjs";
import { randomConversation } from "../support/turns.mjs";

before(() => loadEncoding("o200k_base"));

const damaged = (text, random) => mutateText(random, text, [text]);

/** Returns a file of JSON after changing some of its values. Other files stay. */
function withOtherValues(text, random) {
  const rows = /^(?:\{|\[\{)/.test(text) ? (/^\{.*\n\{/.test(text) ? text.split("\n") : [text]) : [];
  try {
    return rows.length === 0
      ? text
      : rows.map((row) => JSON.stringify(mutateValue(random, JSON.parse(row)))).join("\n");
  } catch {
    return text; // a value too deep for JSON, or one that it can't hold
  }
}

const FIELDS =
  "role content type parts text messages input output id name tool_calls call_id arguments url data image_url sender message document_url".split(
    " ",
  );
const WORDS =
  "user assistant system tool text image function_call function_call_output web_search_call reasoning tool_use tool_result a {} data:image/png;base64,AAAA https://example.org/a.pdf document_url image_url".split(
    " ",
  );

/** Returns a value of the fields and words that formats of messages have. */
function valueLikeMessages(random, depth = 4) {
  const inner = () => valueLikeMessages(random, depth - 1);
  const kind = depth === 0 ? 0 : random.integer(0, 9);
  if (kind < 4) {
    return random.pick([...WORDS, null, 5, true, "", " "]);
  }
  if (kind < 6) {
    return Array.from({ length: random.integer(0, 3) }, inner);
  }
  return Object.fromEntries(
    Array.from({ length: random.integer(1, 5) }, () => random.pick(FIELDS)).map((name) => [
      name,
      (name === "role" || name === "type") && random.chance(0.9) ? random.pick(WORDS) : inner(),
    ]),
  );
}

/** Asserts that a file becomes a valid body for every provider, or a typed error. Returns true if any has a body. */
async function checkFile(file) {
  let isSent = false;
  for (const { name: as } of providers) {
    const options = { as, encoding: /** @type {const} */ ("o200k_base"), budget: { maxTokens: 50_000 } };
    const result = await carryOn(file, options).catch((failure) => failure);
    if (result instanceof Error) {
      assert.ok(result instanceof ContextError, result.stack);
      assert.ok(result.nextAction.length > 10, result.message);
      assert.doesNotMatch(result.message, /has no role$/);
    } else {
      assert.deepEqual(problemsOf(as, result.body), [], as);
      isSent = true;
    }
  }
  return isSent;
}

test("a file of any kind, whole or damaged, becomes a valid body or a typed error", async () => {
  let [cases, sent] = [0, 0];
  await forEachSeedAsync(async (random) => {
    const kind = random.pick(APP_FILES);
    const { text } = kind.write(randomConversation(random, kind), random);
    cases += 1;
    sent += Number(await checkFile(random.pick([(same) => same, damaged, withOtherValues])(text, random)));
  });
  assertShare(sent, cases, 3, "files that become a body");
});

test("so does any JSON that looks like messages", async () => {
  let [cases, sent] = [0, 0];
  await forEachSeedAsync(async (random) => {
    const rows = Array.from({ length: random.integer(1, 4) }, () => valueLikeMessages(random));
    const user = { role: "user", content: "Hi" };
    const file = random.pick([rows, rows[0], [user, ...rows], { messages: [user, ...rows] }]);
    cases += 1;
    sent += Number(await checkFile(JSON.stringify(file)));
  });
  assertShare(sent, cases, 10, "values that become a body");
});
