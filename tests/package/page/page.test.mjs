// The picture, the budget, turns, setups and replays of the built page, used in Chromium.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { buildContext, presets, replay } from "windrow";
import {
  afterBuild,
  assertQuiet,
  beginAgain,
  callHas,
  callOf,
  choosePreset,
  curveDrawn,
  dropFile,
  hash,
  messagesOf,
  numberOf,
  openForTests,
  openPanel,
  sample,
  sent,
  setBudget,
  shows,
  summary,
  turnsKnown,
} from "../support/page.mjs";

const { page, problems } = await openForTests();

/** Runs the code that the page shows, and returns its context. */
async function runCall(messages = sample.messages) {
  const code = (await callOf(page)).replace(/^import .*$/m, "");
  const AsyncFunction = /** @type {any} */ (async () => {}).constructor;
  const run = new AsyncFunction("buildContext", "presets", "messages", `"use strict";${code}\nreturn context;`);
  return run(buildContext, presets, [...messages]);
}

/** The rows in the document. */
function rows() {
  return page.$$eval("#rows [data-position]", (lines) =>
    lines.map((line) => ({
      position: Number(line.dataset.position),
      fate: line.dataset.fate,
      chip: line.querySelector(".chip").textContent,
      tokens: Number(line.querySelector(".tokens").textContent.replaceAll(",", "")),
    })),
  );
}

test("every message has its own reason and its exact tokens, and the blocks are the prompt", async () => {
  assert.equal(await page.inputValue("#request"), sample.request);
  const { total, limit, kept, leftOut } = await summary(page);
  assert.equal(kept + leftOut, sample.messages.length);
  assert.ok(total <= limit && kept > 0 && leftOut > 0);

  const context = await runCall();
  assert.equal(await hash(page), context.snapshot.contextHash);
  assert.equal(total, context.tokens.total);
  const shown = await rows();
  assert.ok(shown.length >= 15);
  for (const { position, fate, chip, tokens } of shown) {
    const known = context.explain(position);
    assert.deepEqual([fate, tokens], [known.fate, known.tokens], `message ${position}`);
    const word = known.words.match(/“[^”]+”/)?.[0];
    if (fate === "kept" && word !== undefined) {
      assert.ok(chip.includes(word), `${chip} says ${known.words}`);
    }
  }
  const chips = new Set(shown.filter(({ fate }) => fate === "kept").map(({ chip }) => chip));
  assert.ok(chips.size >= 4, [...chips].join(", "));

  const tokens = await page.$$eval("#blocks .block", (all) => all.map((block) => Number(block.dataset.tokens)));
  assert.equal(
    tokens.reduce((sum, count) => sum + count, 0),
    total,
  );
  const body = JSON.parse(await sent(page));
  assert.deepEqual(body, context.request("openai"));
  assertQuiet(problems);
});

test("blocks are as tall as their tokens, and the free space is below them", async () => {
  const { column, blocks } = await page.evaluate(() => ({
    column: document.querySelector(".column").getBoundingClientRect().toJSON(),
    blocks: [...document.querySelectorAll("#blocks .block")].map((block) => ({
      height: block.getBoundingClientRect().height,
      tokens: Number(/** @type {HTMLElement} */ (block).dataset.tokens),
    })),
  }));
  const { limit } = await summary(page);
  for (const { height, tokens } of blocks) {
    assert.ok(Math.abs(height - (tokens * column.height) / limit) < 2, `${tokens} tokens are ${height} pixels`);
  }
});

test("the pointer highlights a message on both sides", async () => {
  await page.hover('#rows [data-position="10"]');
  await page.waitForSelector("#blocks .block.is-lit");
  assert.match(await page.textContent("#blocks .block.is-lit"), /I'll look at rooms/);
  await page.locator("#blocks .block", { hasText: "Decision on the venue" }).hover();
  await page.waitForSelector('#rows [data-position="23"].is-hovered');
  await page.mouse.move(5, 5);
  await page.waitForFunction(() => document.querySelector(".is-lit, .is-hovered") === null);
  assertQuiet(problems);
});

test("a quoted message is highlighted in its block after the history", async () => {
  await beginAgain(page, "sample=assistant");
  await choosePreset(page, "steady");
  await page.keyboard.press("Escape");
  const { messages, request } = JSON.parse(
    await readFile(new URL("../../../www/samples/assistant.json", import.meta.url), "utf8"),
  );
  const { limit } = await summary(page);
  const budget = { ...presets.steady.budget, maxTokens: limit };
  const context = await buildContext(messages, { ...presets.steady, request, budget });
  const placed = new Set(context.outline.pieces.map(([source]) => source));
  const quoted = context.kept.map((message) => messages.indexOf(message)).filter((position) => !placed.has(position));
  const shown = new Set((await rows()).map(({ position }) => position));
  const seen = quoted.filter((position) => shown.has(position));
  assert.ok(seen.length > 2, `${quoted} are quoted`);
  for (const position of seen) {
    await page.hover(`#rows [data-position="${position}"]`);
    await page.waitForSelector("#blocks .block.is-lit");
    assert.match(await page.textContent("#blocks .block.is-lit"), /quoted Earlier in this conversation/);
  }
  assertQuiet(problems);
});

test("the budget decides how much is kept and is never exceeded, and the slider starts at the required minimum", async () => {
  let last = -1;
  for (const budget of [200, 600, 1500, 10_000]) {
    await setBudget(page, budget);
    const { total, limit, kept } = await summary(page);
    assert.equal(limit, budget);
    assert.ok(total <= budget);
    assert.ok(kept > last, `${kept} in at ${budget}, ${last} before`);
    last = kept;
  }
  assert.equal(last, sample.messages.length);
  await curveDrawn(page);
  await page.focus("#slider");
  await page.keyboard.press("Home");
  const least = Number(await page.inputValue("#budget"));
  await shows(page, "summary", ` of ${least}`);
  assert.ok(await page.isHidden("#build-failure"));
  const refused = await buildContext(sample.messages, {
    request: sample.request,
    budget: { maxTokens: 1 },
    render: { provider: "openai" },
  }).catch((error) => error);
  assert.equal(least, refused.needed);

  await page.fill("#budget", "10");
  await page.waitForSelector("#build-failure");
  assert.match(await page.textContent("#build-failure"), /BUDGET_TOO_SMALL · budget\.maxTokens/);
  assert.ok(await page.isVisible(".is-old"), "the last picture is marked");
  await setBudget(page, 600);
  assert.ok(await page.isHidden("#build-failure"));
  assert.ok(await page.isHidden(".is-old"));
  await page.focus("#slider");
  await page.keyboard.press("ArrowRight");
  await shows(page, "summary", " of 605");
  assertQuiet(problems);
});

test("a drag builds with every frame, and the picture matches the budget under the pointer", async () => {
  await curveDrawn(page);
  const box = await page.locator("#slider").boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.3, y);
  await page.mouse.down();
  const seen = new Set();
  for (let step = 0; step <= 20; step++) {
    await page.mouse.move(box.x + box.width * (0.3 + 0.03 * step), y);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const budget = Number(await page.inputValue("#budget"));
    const { limit } = await summary(page);
    assert.equal(limit, budget, "while the pointer is down");
    seen.add(limit);
  }
  await page.mouse.up();
  assert.ok(seen.size > 15, `${seen.size} pictures`);
  assertQuiet(problems);
});

test("omitted runs fold, and show the budget at which the first message fits", async () => {
  await curveDrawn(page);
  const run = page.locator("#rows .is-run").first();
  const text = await run.textContent();
  const [, first, last] = text.match(/^(\d+)–(\d+)left out/);
  const words = await run.locator(".chip").textContent();
  const at = numberOf(words.match(/[\d,]+$/)[0]);
  assert.match(words, /^fits from/);
  assert.ok(at > 1000);
  const isIn = async (maxTokens) => {
    /** @satisfies {import("windrow").ContextConfig} */
    const config = { request: sample.request, budget: { maxTokens }, render: { provider: "openai" } };
    const context = await buildContext(sample.messages, config);
    const positions = Array.from({ length: last - first + 1 }, (_, index) => Number(first) + index);
    return positions.some((position) => context.explain(position).fate !== "left out");
  };
  assert.deepEqual([await isIn(at), await isIn(1000)], [true, false]);

  await run.click();
  await page.waitForSelector(`#rows [data-position="${first}"]`);
  assert.match(await page.textContent(`#rows [data-position="${first}"] .chip`), /fits from/);
  await page.locator("#rows .is-run").first().click();
  await page.waitForFunction((first) => document.querySelector(`#rows [data-position="${first}"]`) === null, first);
  assertQuiet(problems);
});

test("the inspector explains the reason, the exact budget, and the alternatives; pinning and excluding work", async () => {
  await setBudget(page, 600);
  await page.click('#rows [data-position="13"]');
  await page.waitForSelector("#spans");
  const why = await page.textContent("#why");
  assert.match(why, /Why it is (in|out).*stage budget/);
  const [, from] = (await page.textContent("#spans")).match(/from ([\d,]+) (tokens )?on/);
  const fateAt = async (maxTokens) => {
    /** @satisfies {import("windrow").ContextConfig} */
    const config = { request: sample.request, budget: { maxTokens }, render: { provider: "openai" } };
    return (await buildContext(sample.messages, config)).explain(13).fate;
  };
  assert.notEqual(await fateAt(numberOf(from)), "left out");
  assert.equal(await fateAt(numberOf(from) - 1), "left out", "it is exact");

  await page.focus("#rows");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.click("#rows .is-run >> nth=0");
  const left = page.locator('#rows [data-fate="left out"]').first();
  const position = await left.getAttribute("data-position");
  await left.click();
  await shows(page, "inspector", "Why it is out");
  await afterBuild(page, () => page.click("#change >> text=Pin"));
  await shows(page, "why", "pinned");
  assert.match(await callOf(page), new RegExp(`messages\\[${position}\\] = .*pinned: true`));
  await afterBuild(page, () => page.click("#change >> text=Unpin"));
  await page.focus("#rows");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await afterBuild(page, () => page.click("#change >> text=Leave out"));
  await shows(page, "inspector", "Why it is out");
  assert.match(await callOf(page), /excludeTags: \["left out by hand"\]/);
  await page.click("text=Whole prompt");
  assert.equal(await hash(page), (await runCall()).snapshot.contextHash);
  assertQuiet(problems);
});

test("the prompt has each provider's form, and equals the package's", async () => {
  for (const shape of ["anthropic", "gemini", "text"]) {
    await afterBuild(page, () => page.check(`#shapes input[value=${shape}]`, { force: true }));
    const context = await runCall();
    assert.equal(await hash(page), context.snapshot.contextHash, shape);
    const text = await sent(page);
    assert.equal(text, context.text ?? JSON.stringify(context.request(shape), null, 2));
  }
  await openPanel(page, "body");
  await afterBuild(page, () => page.selectOption("#text-format", "xml"));
  assert.match(await sent(page), /^<conversation>/);
  assertQuiet(problems);
});

test("every preset describes its users, sets the options, and the call builds the same context", async () => {
  const names = ["", ...Object.keys(presets)];
  await openPanel(page, "setup-a");
  assert.deepEqual(await page.$$eval("[data-presets=a] input", (inputs) => inputs.map(({ value }) => value)), names);
  for (const words of await page.locator("[data-presets=a] .for").allTextContents()) {
    assert.match(words, /^For .{20}/);
  }
  const hashes = new Set();
  for (const name of [...names.slice(1), ""]) {
    await choosePreset(page, name);
    const preset = presets[name] ?? {};
    assert.equal(await page.inputValue("#setup-a #window-maxUserTurns"), String(preset.window?.maxUserTurns ?? ""));
    const context = await runCall();
    assert.equal(await hash(page), context.snapshot.contextHash, name);
    hashes.add(await hash(page));
  }
  assert.equal(hashes.size, names.length);
  assertQuiet(problems);
});

test("options show differences from the preset, a wrong one is marked at its field, and all can be reset", async () => {
  await choosePreset(page, "triaged");
  assert.equal(await page.inputValue("#window-lookbackCount"), "25");
  assert.ok(await page.isDisabled("[data-reset=a]"));
  await page.fill("#window-lookbackCount", "10");
  await callHas(page, "window: { ...presets.triaged.window, lookbackCount: 10 }");
  await page.uncheck('[data-list="filter.excludeSources"] input[value=scheduled]');
  await callHas(page, 'excludeSources: ["briefing"]');
  await page.fill("#window-minMessages", "");
  await callHas(page, "minMessages: undefined");
  assert.equal(await page.textContent("[data-reset=a]"), "Reset 3 options");
  await page.fill("#window-lookbackCount", "-1");
  await page.waitForSelector("#window-lookbackCount[aria-invalid=true]");
  assert.match(await page.textContent("#build-failure"), /INVALID_CONFIG · window\.lookbackCount/);
  await afterBuild(page, () => page.click("[data-reset=a]"));
  assert.equal(await page.inputValue("#window-lookbackCount"), "25");
  assert.equal(await hash(page), (await runCall()).snapshot.contextHash);
  assertQuiet(problems);
});

test("triage can be tried with a script that chooses, waits, fails or is unavailable, or by the visitor", async () => {
  await choosePreset(page, "triaged");
  await shows(page, "question", "Asked about 20 older exchanges: 1 chosen");
  const before = await summary(page);
  await afterBuild(page, () => page.selectOption("#judge", "you"));
  assert.match(await callOf(page), /return \["m10"\];/);
  await page.click("#question");
  await afterBuild(page, () => page.check(".candidates input >> nth=0"));
  await shows(page, "question", "2 chosen");
  assert.ok((await summary(page)).kept > before.kept);
  assert.equal(await hash(page), (await runCall()).snapshot.contextHash);

  await afterBuild(page, () => page.selectOption("#judge", "failing"));
  await shows(page, "notes", "triage-failed");
  assert.match(await page.textContent("#notes"), /the fast model cannot be reached/);
  assert.ok((await summary(page)).kept < before.kept);
  await afterBuild(page, () => page.selectOption("#judge", "unavailable"));
  await shows(page, "notes", "triage-unavailable");
  assert.ok((await summary(page)).kept > before.kept, "all older ones stay");

  await afterBuild(page, () => page.selectOption("#judge", "words"));
  await page.fill("#delay", "400");
  await page.waitForSelector("#asking");
  await page.waitForSelector("#asking", { state: "detached" });
  assert.match(await callOf(page), /setTimeout\(resolve, 400\)/);
  assert.ok(
    await page.$$eval("#judge option", (all) => all.every(({ value }) => value !== "endpoint")),
    "no endpoint here",
  );
  assertQuiet(problems);
});

test("two setups are shown side by side", async () => {
  await page.click("#compare");
  await page.waitForSelector("#setup-b:popover-open");
  await afterBuild(page, () => page.selectOption("#setup-b #recall-ranking", "recency"));
  await page.keyboard.press("Escape");
  const blocks = (id) => page.locator(`#${id} .block`).count();
  assert.ok((await blocks("blocks")) > 3 && (await blocks("blocks-b")) > 3);
  const chips = new Set((await rows()).map(({ chip }) => chip));
  assert.ok(chips.has("in both") && chips.has("only in A"), [...chips].join(", "));
  await page.focus("#rows");
  await page.keyboard.press("End");
  await page.waitForFunction(() =>
    [...document.querySelectorAll("#rows .chip")].some(({ textContent }) => textContent === "only in B"),
  );
  await page.click("#compare");
  await page.waitForSelector("#blocks-b", { state: "detached" });
  assert.ok((await blocks("blocks")) > 3, "the first column is as tall as before");
  assertQuiet(problems);
});

test("every turn has a bar; a click, the keyboard and playback show its prompt, with the repeated part", async () => {
  await turnsKnown(page);
  // A model is called after user messages and after the results of a step.
  const roles = sample.messages.map(({ role }) => role);
  const isEnd = (role, next) => role === "user" || (role === "tool" && next !== "tool");
  const ends = roles.flatMap((role, position) => (isEnd(role, roles[position + 1]) ? [position + 1] : []));
  assert.equal(Number(await page.getAttribute("#turns", "aria-valuemax")), ends.length + 1);
  await page.focus("#turns");
  await afterBuild(page, () => page.keyboard.press("Home"));
  assert.match(await page.getAttribute("#turns", "aria-valuetext"), /^step 1 of 4\d: \d+ tokens, 0 % the same/);
  await afterBuild(page, () => page.keyboard.press("PageUp"));
  const end = ends[10];
  const context = await buildContext(sample.messages.slice(0, end), {
    budget: { maxTokens: 1000 },
    render: { provider: "openai" },
  });
  assert.equal(await hash(page), context.snapshot.contextHash);
  const text = await page.getAttribute("#turns", "aria-valuetext");
  assert.equal(numberOf(text.match(/([\d,]+) tokens/)[1]), context.tokens.total);
  const before = await buildContext(sample.messages.slice(0, ends[9]), {
    budget: { maxTokens: 1000 },
    render: { provider: "openai" },
  });
  let same = 0;
  while (same < before.messages.length && before.messages[same] === context.messages[same]) {
    same += 1;
  }
  const reused = context.messages
    .slice(0, same)
    .reduce((sum, /** @type {any} */ message) => sum + context.explain(message.id).tokens, 0);
  assert.equal(Number(text.match(/(\d+) %/)[1]), Math.round((100 * reused) / context.tokens.total));
  const again = await buildContext(sample.messages.slice(0, end), {
    budget: { maxTokens: 1000 },
    render: { provider: "openai" },
    previous: before,
  });
  const { difference: first } = again.prefix;
  const difference = first === null ? "" : `; ${first.words}`;
  assert.match(await page.textContent("#repeated"), new RegExp(`^${reused} tokens? of the turn before`));
  assert.ok((await page.textContent("#repeated")).endsWith(` before${difference}`));

  const box = await page.locator("#turns").boundingBox();
  await afterBuild(page, () => page.mouse.click(box.x + box.width * 0.3, box.y + 10));
  const at = Number(await page.getAttribute("#turns", "aria-valuenow"));
  await page.click("#play");
  await page.waitForFunction((at) => Number(document.getElementById("turns").ariaValueNow) > at + 1, at);
  await page.click("#play");
  await afterBuild(page, () => page.click("#turn-now"));
  assert.equal((await summary(page)).kept + (await summary(page)).leftOut, sample.messages.length);
  assertQuiet(problems);
});

test("excerpts show their gaps", async () => {
  const long = Array.from({ length: 60 }, (_, index) =>
    index === 30
      ? "The spare key of the boat house lies under the third flower pot from the left."
      : `Paragraph ${index} speaks of the weather, of the wind and of how the summer went by that year without an end.`,
  ).join("\n\n");
  const messages = [
    ...messagesOf(20),
    { role: "user", content: "Tell me all about the house by the lake." },
    { role: "assistant", content: long },
    ...messagesOf(20),
  ].map((/** @type {any} */ { id: _, ...message }) => message);
  await dropFile(page, "keys.json", JSON.stringify({ messages, request: "Where is the spare key of the boat house?" }));
  await shows(page, "source-name", "keys.json");
  await afterBuild(page, () => page.fill("#budget", "400"));
  await page.waitForSelector('#rows [data-fate="excerpt"] .cut');
  await page.click('#rows [data-fate="excerpt"]');
  await shows(page, "said", "third flower pot");
  assert.ok((await page.locator("#said del").count()) > 0);
  const whole = await page.$eval("#said .said", (said) => said.textContent);
  assert.equal(whole, long, "cut and kept together are the message");
  assertQuiet(problems);
});

test("a recording is downloaded, opened and replayed, and reports differences", async () => {
  await choosePreset(page, "triaged");
  await openPanel(page, "recording");
  assert.match(await page.textContent("#answers"), /triage\.select chose m10/);
  await page.click("#replay");
  await shows(page, "replayed", "the same context, byte for byte");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-recording")]);
  const buffer = await readFile(await download.path());
  const again = await replay(JSON.parse(buffer.toString("utf8")), sample.messages);
  assert.deepEqual([again.same, again.differences], [true, []]);

  await dropFile(page, "recording.jsonl", `${buffer}${buffer}`);
  await shows(page, "replayed", "recording.jsonl, 2 of 2: the same context");
  const changed = sample.messages.map((message) =>
    message.id === "m85" ? { ...message, content: "Something else." } : message,
  );
  await dropFile(page, "changed.json", JSON.stringify(changed));
  await shows(page, "source-name", "changed.json");
  await openPanel(page, "recording");
  const upload = (buffer) =>
    page.setInputFiles("#recording-file", { name: "recording.jsonl", mimeType: "application/json", buffer });
  await upload(buffer);
  await shows(page, "replayed", "One of the messages 64 to 84 has changed.");
  await upload(Buffer.from("no recording"));
  await shows(page, "replay-failure", "recording.jsonl is not JSON");
  await upload(Buffer.from("{}"));
  await shows(page, "replay-failure", "INVALID_RECORDING");
  assertQuiet(problems);
});
