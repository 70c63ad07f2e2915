// Google Takeout's file of Gemini activity: prompts and answers, in order of time.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseTranscript } from "windrow";
import { errorOf } from "../support/errors.mjs";
import { checkFile } from "../support/file-cases.mjs";
import { processorMs } from "../support/processor-time.mjs";
import { forEachSeed } from "../support/property.mjs";

const activity = (title, time, html, more = {}) => ({
  header: "Gemini Apps",
  title,
  time,
  products: ["Gemini Apps"],
  activityControls: ["Gemini Apps Activity"],
  ...(html === undefined ? {} : { safeHtmlItem: [].concat(html).map((one) => ({ html: one })) }),
  ...more,
});

checkFile({
  name: "of Gemini's activities",
  sample: () => [
    activity("Gave feedback: Good response", "2026-01-03T00:00:00.000Z"),
    activity("Prompted And by train?", "2026-01-02T00:00:00.000Z", [
      "<p>Two hours,&nbsp;<b>no change</b>.</p><ul><li>08:10</li><li>09:10 &amp; 9:40</li></ul>",
      "<p>Or by bus.</p>",
    ]),
    activity("Prompted  How far is Ghent?", "2026-01-01T00:00:00.000Z", undefined, {
      subtitles: [{ name: "Attached 1 file." }, { name: "-  map-1.png" }, { name: "90 km." }],
      imageFile: "map-1.png",
      attachedFiles: ["map-1.png", "notes.txt"],
    }),
    { header: "Search", title: "Searched for trains", time: "2026-01-01T00:00:00.000Z", products: ["Search"] },
    7,
  ],
  conversations: [
    {
      startedAt: "2026-01-01T00:00:00.000Z",
      messages: [
        {
          role: "user",
          content: [
            { type: "image", url: "map-1.png", mediaType: "image/png" },
            { type: "text", text: "[Attached file: notes.txt]" },
            { type: "text", text: "How far is Ghent?" },
          ],
          createdAt: "2026-01-01T00:00:00.000Z",
        },
        { role: "assistant", content: "90 km.", createdAt: "2026-01-01T00:00:00.000Z" },
        { role: "user", content: "And by train?", createdAt: "2026-01-02T00:00:00.000Z" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Two hours, no change.\n\n- 08:10\n\n- 09:10 & 9:40" },
            { type: "text", text: "Or by bus." },
          ],
          createdAt: "2026-01-02T00:00:00.000Z",
        },
      ],
    },
  ],
  skipped: [
    [4, /^it isn't an activity of Gemini$/],
    [5, /^expected an activity, got 7$/],
    [1, /^title: "Gave feedback: Good response" isn't a prompt$/],
  ],
});

describe("activities", () => {
  const said = (...activities) => parseTranscript(JSON.stringify(activities)).messages.map(({ content }) => content);

  test("are in order of time, and keep their order at equal times", () => {
    forEachSeed((random) => {
      const count = random.integer(1, 30);
      const times = Array.from({ length: count }, () => random.integer(0, 9)).sort((left, right) => right - left);
      const rows = times.map((second, at) => activity(`Prompted ${at}`, `2026-01-01T00:00:0${second}Z`));
      assert.deepEqual(
        said(...rows),
        Array.from({ length: count }, (_, at) => String(count - 1 - at)),
      );
    });
  });

  test("in other languages are prompts if they were answered", () => {
    const at = "2026-01-01T00:00:00Z";
    assert.deepEqual(said(activity("Eingabe: Hallo", at, "<p>Hallo!</p>")), ["Eingabe: Hallo", "Hallo!"]);
    assert.deepEqual(said(activity("Eingabe: Hallo", at), activity("Asked Gemini: hi", at)), ["hi"]);
    assert.deepEqual(said(activity("Created a canvas", at, "<p>x</p>"), activity("Prompted a", at)), ["a"]);
  });

  test("of other products only aren't a conversation", async () => {
    const search = { header: "Search", title: "Searched for trains", time: "2026-01-01T00:00:00Z" };
    const { message } = await errorOf(() => parseTranscript(JSON.stringify([search])));
    assert.match(message, /^This looks like a list of objects with "header", "title" and "time"; /);
  });

  test("have their answers as text", () => {
    const textOf = (html) => said(activity("Prompted a", "2026-01-01T00:00:00Z", html))[1];
    for (const [html, text] of [
      ["<h1>One</h1><p>two<br>three</p>", "One\n\ntwo\nthree"],
      ["<pre><code>if (a &lt; b) {\n  c();\n}</code></pre>", "if (a < b) {\n  c();\n}"],
      ["<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "| a | b\n\n | 1 | 2"],
      ["<style>p { a: b }</style><!-- no --><p>yes</p>", "yes"],
      ["1 < 2 > 0 &#39;&#x2019;&unknown; &#9999999;", "1 < 2 > 0 '’&unknown; &#9999999;"],
      ["<p>cut <b", "cut <b"],
    ]) {
      assert.equal(textOf(html), text);
    }
    for (const piece of ["<", "<p", "<p>", "&", "<script>", "</", "<!--", "&#"]) {
      const started = processorMs();
      said(activity("Prompted a", "2026-01-01T00:00:00Z", `${piece.repeat(200_000)}>`));
      assert.ok(processorMs() - started < 2000, piece);
    }
  });
});
