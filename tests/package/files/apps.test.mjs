// Files of other apps: a conversation written in any form is read back with the same speakers, words, times, replies
// and calls.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import {
  buildContextSync,
  loadEncoding,
  memoryStore,
  openSession,
  parseTranscript,
  plainMessage,
  problemsOf,
  providers,
} from "windrow";
import { APP_FILES } from "../support/app-files.mjs";
import { checkAny } from "../support/file-cases.mjs";
import { tokensOfBody } from "../support/independent-count.mjs";
import { mutateText } from "../support/mutations.mjs";
import { forEachSeed, forEachSeedAsync } from "../support/property.mjs";
import { randomConversation, timeOf } from "../support/turns.mjs";

/** Returns the parts of messages, without fields that a kind of file doesn't have. */
function readBack(messages, has) {
  const names = new Map();
  return messages.flatMap((given) => {
    const { role, content, name, createdAt, replyTo } = plainMessage(given);
    const head = {
      ...(has.names && role !== "tool" && { name }),
      ...(has.times && {
        time: new Date(
          typeof createdAt === "string" && !/Z|[+-]\d\d:\d\d$/.test(createdAt) ? `${createdAt}Z` : createdAt,
        ).getTime(),
      }),
      ...(has.replies && replyTo != null && { replyTo }),
    };
    return content.map((/** @type {any} */ part) => {
      if (part.type === "tool-call") {
        names.set(part.toolCallId, part.toolName);
        const input = typeof part.input === "string" ? JSON.parse(part.input) : part.input;
        return { kind: "call", ...(has.times && { time: head.time }), tool: part.toolName, input };
      }
      if (part.type === "tool-result") {
        return {
          kind: "result",
          ...(has.times && { time: head.time }),
          tool: names.get(part.toolCallId),
          text: textIn(part.output),
        };
      }
      return { kind: part.type, role, ...head, text: part.text };
    });
  });
}

const textIn = (output) =>
  typeof output === "string"
    ? output
    : Array.isArray(output)
      ? output.map(textIn).join("")
      : textIn(output?.value ?? output?.text ?? JSON.stringify(output));

/** Returns the parts of a written conversation. */
function written(turns, { has, timed = (turn) => turn, idOf = (id) => id }) {
  return turns.flatMap((turn) => {
    const time = has.times ? { time: timeOf(timed(turn)).getTime() } : {};
    const head = {
      role: turn.role,
      ...(has.names && { name: turn.name }),
      ...time,
      ...(turn.replyTo !== undefined && { replyTo: idOf(turn.replyTo) }),
    };
    return [
      ...(turn.reasoning === undefined ? [] : [{ kind: "reasoning", ...head, text: turn.reasoning }]),
      { kind: "text", ...head, text: turn.text },
      ...turn.calls.flatMap(({ name, input, output }) => [
        { kind: "call", ...time, tool: name, input },
        { kind: "result", ...time, tool: name, text: output },
      ]),
    ];
  });
}

/** Parts in one order: the results of parallel calls come after all of the calls. */
const grouped = (parts) => {
  const keys = parts.map((part) => JSON.stringify(part));
  const words = (part) => part.kind === "call" || part.kind === "result";
  return { said: parts.filter((part) => !words(part)), tools: keys.filter((_, at) => words(parts[at])).sort() };
};

/** The marks of texts in messages. */
const marksIn = (messages) => new Set(JSON.stringify(messages).match(/\bw\d+\b/g));

/** Returns a file's contents. Undefined if it is refused. */
function readIfPossible(text) {
  try {
    return parseTranscript(text);
  } catch (error) {
    assert.equal(error.code, "INVALID_TRANSCRIPT", error.stack);
    return undefined;
  }
}

/** The names of fields with the type or the speaker of a row or a part. */
const TYPES = new Set(["type", "kind", "say", "ask", "subtype", "content_type", "role", "from", "sender"]);

/** True if a field has all words of a row or a part, and they aren't a single one, which may be a name. */
const saysAll = (field, unit) =>
  /w\d+(?: |\\n)/.test(JSON.stringify(field ?? null)) && marksIn(field).size === marksIn(unit).size;

/** Returns a file after giving a row or a part an unknown type, or a field with words an unknown name. */
function withUnknown(text, random) {
  const isJson = /^(?:\{|\[\{)/.test(text);
  const rows = isJson ? (/^\{.*\n\{/.test(text) ? text.split("\n") : [text]).map((row) => JSON.parse(row)) : [];
  const changes = [];
  // A program's own facts may have any names.
  const find = (value, unit, isOfProgram = false) => {
    const own = Array.isArray(value) || "id" in value ? value : unit;
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === "string" && TYPES.has(name)) {
        changes.push(() => {
          value[name] = "brand-new";
        });
      } else if (!Array.isArray(value) && !isOfProgram && name !== "metadata" && saysAll(field, own)) {
        changes.push(() => {
          delete value[name];
          value.brandNew = field;
        });
      }
      if (typeof field === "object" && field !== null) {
        find(field, Array.isArray(value) ? field : own, name === "metadata");
      }
    }
  };
  find(rows, rows);
  if (changes.length === 0) {
    return undefined;
  }
  random.pick(changes)();
  return rows.map((row) => JSON.stringify(row)).join("\n");
}

before(() => loadEncoding("o200k_base"));

for (const app of APP_FILES) {
  const { kind, has, write } = app;
  describe(kind, () => {
    test("is read back, and unread parts are counted", async () => {
      await forEachSeedAsync(async (random) => {
        const turns = randomConversation(random, app);
        const { text, skipped, timeOf: timed, idOf, before = [] } = write(turns, random);
        const parsed = parseTranscript(text);
        const read = readBack(parsed.messages, has);
        assert.deepEqual(
          read.splice(0, before.length).map((part) => part.text),
          before,
        );
        assert.deepEqual(grouped(read), grouped(written(turns, { has, timed, idOf })));
        assert.equal(parsed.skipped.length, skipped, JSON.stringify(parsed.skipped));
        assert.equal(parsed.unread, undefined);
        const session = await openSession("s", { store: memoryStore() });
        const imported = await session.import(text);
        assert.equal(imported.messageCount, parsed.messages.length);
        assert.deepEqual(readBack(await session.messages(), has).slice(before.length), read);
      });
    });

    test("becomes a valid request for every provider, with the count of its body", () => {
      let [counted, sent] = [0, 0];
      forEachSeed((random) => {
        const { text } = write(randomConversation(random, app), random);
        const provider = random.pick(providers).name;
        const context = buildContextSync(parseTranscript(text).messages, {
          ...{ encoding: "o200k_base", model: "gpt-4o", request: "Go on.", render: { provider } },
        });
        const body = context.request(provider);
        assert.deepEqual(problemsOf(provider, body), [], provider);
        const tokens = tokensOfBody(provider, body);
        assert.ok(context.tokens.total >= tokens, `${context.tokens.total} were counted of ${tokens} for ${provider}`);
        counted += context.tokens.total;
        sent += tokens;
      });
      assert.ok(counted / sent < 1.001, `${counted} were counted of ${sent}`);
    });

    test("says so if words are lost because a type or a field is unknown", () => {
      forEachSeed((random) => {
        const { text } = write(randomConversation(random, app), random);
        const changed = withUnknown(text, random);
        const after = changed === undefined ? undefined : readIfPossible(changed);
        if (after !== undefined) {
          const before = parseTranscript(text);
          const lost = [...marksIn(before.messages)].filter((mark) => !marksIn(after.messages).has(mark));
          const known = new Set(before.skipped.map((row) => JSON.stringify(row)));
          const isSaid = after.skipped.some((row) => !known.has(JSON.stringify(row)));
          assert.ok(lost.length === 0 || isSaid, `${lost} of ${changed}`);
        }
      });
    });

    test("is read as far as it is understood, or refused, after being cut or changed", async () => {
      await forEachSeedAsync(async (random) => {
        const { text } = write(randomConversation(random, app), random);
        await checkAny(text.slice(0, random.integer(0, text.length)));
        await checkAny(mutateText(random, text, [text]));
      });
    });
  });
}

test("a file mixed with another's rows loses none of them", () => {
  forEachSeed((random) => {
    const lists = APP_FILES.flatMap((app) => {
      const turns = randomConversation(random, app).map((turn) => ({
        ...turn,
        abandoned: undefined,
        notice: undefined,
      }));
      const { text } = app.write(turns, random);
      const rows = app.kind === "WhatsApp export" || !text.startsWith("[") ? undefined : JSON.parse(text);
      return rows === undefined || "chat" in rows[0] || "content" in rows[0] ? [] : [{ rows, turns }];
    });
    const { rows, turns } = random.pick(lists);
    const others = [
      { role: "user", content: "plain1" },
      { role: "assistant", content: "plain2" },
    ];
    const at = random.integer(0, rows.length);
    const { conversations } = parseTranscript(JSON.stringify([...rows.slice(0, at), ...others, ...rows.slice(at)]));
    const said = JSON.stringify(conversations);
    for (const word of ["plain1", "plain2", ...turns.map(({ text }) => /w\d+/.exec(text)?.[0] ?? "")]) {
      assert.ok(said.includes(word), `${word} is lost`);
    }
  });
});

test("WhatsApp's own words for a file differ from a user's", () => {
  const chat = (text) => parseTranscript(`[01.06.26, 10:00:00] Ann: ${text}`).messages[0].content;
  assert.equal(chat("\u200e<attached: 0001-PHOTO.jpg>"), "[Attached file: 0001-PHOTO.jpg]");
  assert.equal(chat("\u200eIMG 1.jpg (Datei angehängt)\nLook!"), "[Attached file: IMG 1.jpg]\nLook!");
  const omitted = {
    image: ["\u200eimage omitted", "\u200eimage absente"],
    "Contact card": ["\u200eContact card omitted"],
    "plan.pdf": [
      "plan.pdf • \u200e1 page \u200edocument omitted",
      "plan.pdf • \u200e2 Seiten \u200eDokument weggelassen",
    ],
    Media: ["<Media omitted>", "<Media omessi>", "<Media weggelaten>"],
    Bild: ["\u200eBild weggelassen"],
    Medien: ["<Medien ausgeschlossen>", "<Medien weggelassen>"],
    imagen: ["\u200eimagen omitida"],
    Multimedia: ["<Multimedia omitido>"],
    imagem: ["\u200eimagem ocultada"],
    Mídia: ["<Mídia oculta>"],
    audio: ["\u200eaudio omis", "\u200eaudio omesso", "\u200eaudio weggelaten"],
    Médias: ["<Médias omis>"],
  };
  for (const [name, forms] of Object.entries(omitted)) {
    for (const form of forms) {
      assert.equal(chat(form), `[Attached file: ${name}]`, form);
      assert.equal(chat(`${form}\nLook!`), `[Attached file: ${name}]\nLook!`, form);
    }
  }
  for (const own of ["3.14 (x)", "a.txt (old copy)", "<b: c>", "~ five", "image omitted", "<b> omitted"]) {
    assert.equal(chat(own), own);
  }
});

test("WhatsApp's years are those of the common era, on Thai phones too", () => {
  const timeOf = (date) => parseTranscript(`[${date}, 10:00:00] Ann: Hi`).messages[0].createdAt;
  for (const [date, year] of Object.entries({ "31/1/2569": 2026, "31/1/2026": 2026, "31/1/26": 2026 })) {
    assert.equal(timeOf(date), `${year}-01-31T10:00:00`);
  }
});

test("a picture whose data the file has stays a picture", () => {
  const url = "data:image/png;base64,iVBORw0KGgo=";
  const webUi = (row) =>
    JSON.stringify({ chat: { history: { currentId: "a", messages: { a: { id: "a", role: "user", ...row } } } } });
  for (const text of [
    webUi({ content: "Look.", files: [{ type: "image", url }] }),
    webUi({
      content: [
        { type: "text", text: "Look." },
        { type: "image_url", image_url: { url } },
      ],
    }),
    JSON.stringify([{ ts: 1, type: "say", say: "text", text: "Look.", images: [url] }]),
    JSON.stringify([{ chat_metadata: {} }, { name: "Ann", is_user: true, mes: "Look.", extra: { image: url } }]),
  ]) {
    assert.deepEqual(
      parseTranscript(text).messages.map(({ content }) => content),
      [
        [
          { type: "text", text: "Look." },
          { type: "image", data: "iVBORw0KGgo=", mediaType: "image/png" },
        ],
      ],
    );
  }
});

test("WhatsApp's years of two digits are found, in front and at the end, once the chat has several days", () => {
  const two = (value) => String(value).padStart(2, "0");
  forEachSeed((random) => {
    const isYearFirst = random.chance(0.5);
    const [separator, end] = random.pick([
      ["/", ", "],
      [". ", ". "],
      ["-", " "],
    ]);
    const year = random.integer(20, 26);
    const start = Date.UTC(2000 + year, random.integer(0, 11), random.integer(1, 28));
    const times = [0, 1, random.integer(15, 40), random.integer(41, 90)].map(
      (days) => new Date(start + days * 86_400_000),
    );
    const text = times
      .map((time) => {
        const [y, m, d] = [time.getUTCFullYear() % 100, time.getUTCMonth() + 1, time.getUTCDate()].map(two);
        return `${(isYearFirst ? [y, m, d] : [d, m, y]).join(separator)}${end}10:00 - Ann: Hi`;
      })
      .join("\n");
    const read = parseTranscript(text).messages.map(({ createdAt }) => String(createdAt).slice(0, 10));
    assert.deepEqual(
      read,
      times.map((time) => time.toISOString().slice(0, 10)),
      text,
    );
  });
});

/** The languages of WhatsApp's apps. */
const LANGUAGES =
  "af sq am ar az bn bg ca zh-CN zh-HK zh-TW hr cs da nl en-US en-GB en-IN en-CA en-ZA et fil fi fr fr-CA de de-CH el gu ha he hi hu id ga it ja kn kk ko lo lv lt mk ms ml mr nb fa pl pt-BR pt-PT pa ro ru sr sk sl es es-MX es-AR sw sv ta te th tr uk ur uz vi zu si km my ka hy".split(
    " ",
  );

test("WhatsApp's times are read in every language of its apps, with 12 and 24 hours, in both forms of a line", () => {
  const times = [20, 0, 9, 12, 15, 23].map((hour, at) => new Date(Date.UTC(2026, 5, 20 + at, hour, 4, 5)));
  for (const language of LANGUAGES) {
    for (const hourCycle of ["h12", "h23"]) {
      for (const timeStyle of ["short", "medium"]) {
        // Korean phones write the whole year, which is in the longer form.
        const dateStyle = language === "ko" ? "medium" : "short";
        const options = { timeZone: "UTC", dateStyle, timeStyle, hourCycle };
        const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, /** @type {any} */ (options));
        for (const line of [(time) => `${time} - Ann: Hi`, (time) => `[${time}] Ann: Hi`]) {
          const text = times.map((time) => line(format.format(time))).join("\n");
          const expected = times.map((time) => time.toISOString().slice(0, timeStyle === "short" ? 16 : 19));
          const { messages, skipped } = parseTranscript(text);
          const read = messages.map(({ createdAt }) => String(createdAt).slice(0, timeStyle === "short" ? 16 : 19));
          assert.deepEqual([read, skipped], [expected, []], `${language}: ${text.slice(0, 60)}`);
          assert.ok(
            messages.every(({ name, content }) => name === "Ann" && content === "Hi"),
            language,
          );
        }
      }
    }
  }
});

test("WhatsApp's words for half of the day that aren't known are reported", () => {
  const { messages, skipped } = parseTranscript("1/6/2026, 9:00 xx - Ann: Hi\n1/6/2026, 9:00 yy - Jo: Ho");
  assert.equal(messages.length, 2);
  assert.deepEqual(
    skipped.map(({ reason }) => reason),
    ['the times have "xx" and "yy": read as before noon'],
  );
});
