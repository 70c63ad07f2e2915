// Secrets stay out of everything that is sent and recorded, and are restored in a reply.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import {
  buildContext,
  buildContextSync,
  createTranscript,
  loadEncoding,
  memoryStore,
  openSession,
  problemsOf,
  providers,
  replay,
} from "windrow";
import { createRedactor, findSecrets, SECRET_KINDS, secrets } from "windrow/redact";
import { assertShare, forEachSeed, forEachSeedAsync } from "../support/property.mjs";
import { randomTurns, SHAPES } from "../support/shape-conversations.mjs";
import { tryBuild } from "../support/transcripts.mjs";

const encoding = "o200k_base";
const NAMES = providers.map(({ name }) => name);
const KEY = "a key for tests, long enough";

before(() => loadEncoding(encoding));

const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEowIBAAKCAQEAx1y\n".repeat(4)}-----END RSA PRIVATE KEY-----`;
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${"dBjftJeZ4CVP".repeat(3)}`;
/** Secrets of each kind. Each `~` becomes a random letter. */
const SECRETS = {
  PRIVATE_KEY: [PEM],
  API_KEY: [
    "sk-proj-~~~~~~~~~~~~~~~~~~~~~~~~",
    "sk-ant-api03-~~~~~~~~~~~~~~~~~~~~~~~~-AA",
    "ghp_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyD~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
    "xoxb-1234567890-~~~~~~~~~~~~",
    "sk_live_~~~~~~~~~~~~~~~~~~~~",
    "hf_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
  ],
  TOKEN: [JWT],
  EMAIL: ["anna.~@example.org", "b+~@mail.example.co.uk", "jörg_~@müller.de"],
  CARD: ["4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005", "6011111111111117"],
  IBAN: ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
  PHONE: ["+49 30 901820", "+1 (555) 123-4567", "(555) 123-4567", "030 901 8200", "0049 170 1234567"],
};

const LETTERS = "abcdefghijkmnpqrstuvwyz";

function secretOf(random, kind = random.pick(SECRET_KINDS)) {
  return random.pick(SECRETS[kind]).replace(/~/g, () => random.pick([...LETTERS]));
}

/** Inserts secrets into the texts of turns, after their marks. Returns the secrets. */
function planted(value, random) {
  const secretsIn = new Set();
  const visit = (given, key) => {
    if (typeof given === "string") {
      if (!/^zq\d+qz/.test(given) || key === "id" || random.chance(0.4)) {
        return given;
      }
      const secret = secretOf(random);
      secretsIn.add(secret);
      return `${given} ; ${secret} ; more`;
    }
    if (Array.isArray(given)) {
      return given.map((item) => visit(item, key));
    }
    if (typeof given !== "object" || given === null) {
      return given;
    }
    return Object.fromEntries(Object.entries(given).map(([name, held]) => [name, visit(held, name)]));
  };
  return { turns: visit(value), secretsIn: [...secretsIn] };
}

/**
 * A JSON text with a secret, as a value, in an inner JSON text, over several values, or under a name that occurs twice.
 */
function jsonWith(random, secret) {
  const lines = secret.split("\n");
  const bare = /^\d+$/.test(secret) ? secret : JSON.stringify(secret);
  const deep = random.pick([0, 3, 600]);
  const text = random.pick([
    `{"a": ${bare}}`,
    `{ "a": ${bare}, "a": 1 }`,
    `[${bare},${JSON.stringify(JSON.stringify({ a: secret }))}]`,
    `{"n":12345678901234567890,"a":[${lines.map((line) => JSON.stringify(line)).join(",")}]}`,
    `{${JSON.stringify(secret)}: ${bare}}`,
  ]);
  return "[".repeat(deep) + text + "]".repeat(deep);
}

/** Returns values as JSON, to search for secrets. */
function shown(...values) {
  return values.map((value) => JSON.stringify(value)).join("\n");
}

/** Fails if a text contains a secret, plain or escaped for JSON. */
function checkHidden(text, secretsIn, what) {
  for (const secret of secretsIn) {
    const written = JSON.stringify(secret).slice(1, -1);
    for (const form of [secret, written, JSON.stringify(written).slice(1, -1)]) {
      assert.ok(!text.includes(form), `${what}: ${secret}`);
    }
  }
}

describe("findSecrets", () => {
  test("finds each kind, whole, in any place", () => {
    forEachSeed((random) => {
      const kind = random.pick(SECRET_KINDS);
      const secret = secretOf(random, kind);
      const [left, right] = random.pick([
        ["", ""],
        ["say: ", ", please"],
        ["(", ")."],
        ['{"a":"', '"}'],
        ["line\n", "\nline"],
        ["“", "”"],
      ]);
      const text = left + secret + right;
      const found = findSecrets(text, [kind]).map(({ start, end }) => text.slice(start, end));
      assert.deepEqual(found, [secret], text);
    });
  });

  test("leaves numbers and words that aren't secrets alone", () => {
    for (const text of [
      "It costs 1,234,567.89 on 2026-01-05 at 09:30:00.",
      "The id is 4111111111111112, the build 1700000000000.",
      "version 10.0.0.1, 3.14159265358979, commit 9f08e6b0fda90b8164f27911",
      "a@b, @anna, user@, x@y..z, 5 @ 3",
      "skiing, task-based, ghosts, DE00 0000",
      "2026-01-01T10:00:00.000Z 00:00:00",
    ]) {
      assert.deepEqual(findSecrets(text), [], text);
    }
  });

  test("takes linear time for any text", () => {
    const texts = {
      digits: "1".repeat(20_000),
      groups: "1 ".repeat(10_000),
      cards: "4111 ".repeat(4_000),
      at: "@".repeat(20_000),
      addresses: "a@".repeat(10_000),
      local: `${"a.".repeat(10_000)}@`,
      domain: `a@${"a-".repeat(10_000)}`,
      dots: `a@${"a.".repeat(10_000)}`,
      "more dots": `a@${".".repeat(20_000)}b`,
      plus: "+1".repeat(10_000),
      brackets: "(555) ".repeat(3_400),
      keys: "sk-".repeat(7_000),
      token: "eyJ".repeat(7_000),
      parts: "eyJaaaaaaaaa.".repeat(1_600),
      begin: "-----BEGIN PRIVATE KEY-----".repeat(800),
      upper: "DE89 ".repeat(4_000),
      letters: "A".repeat(20_000),
      bearer: "Bearer ".repeat(3_000),
      placeholders: "[EMAIL_".repeat(3_000),
      json: `[${'"a@b.de",'.repeat(2_200)}1]`,
      open: "[".repeat(20_000),
      nested: `${"[".repeat(400)}${"]".repeat(400)} `.repeat(20),
    };
    const redact = createRedactor({ key: KEY });
    for (const [name, text] of Object.entries(texts)) {
      const timeOf = (long) => {
        let best = Number.POSITIVE_INFINITY;
        for (let round = 0; round < 3; round++) {
          const begin = process.cpuUsage();
          redact.value(long);
          const { user, system } = process.cpuUsage(begin);
          best = Math.min(best, user + system);
        }
        return best / 1000;
      };
      timeOf(text);
      const [short, long] = [timeOf(text), timeOf(text.repeat(8))];
      assert.ok(long < 8 * 4 * short + 40, `${name}: ${short} ms, and ${long} ms for 8 times as much`);
    }
  });
});

describe("a context with a redactor", () => {
  test("shows no secret, in every format and to every provider, and can be replayed", async () => {
    let foundCount = 0;
    const caseCount = await forEachSeedAsync(async (random) => {
      const shape = random.pick(Object.keys(SHAPES));
      const { write, thoughtsOf, has: holds } = SHAPES[shape];
      const provider = random.pick(NAMES);
      const has = holds.filter((it) => it !== "tool-media" && it !== "media" && it !== "image-data");
      const script = randomTurns(random, { thoughtsOf, has, mostTurns: 6 });
      const { turns, secretsIn } = planted(script.turns, random);
      const messages = write(turns, random);
      const original = JSON.stringify(messages);
      const redact = random.pick([secrets, createRedactor({ key: KEY })]);
      /** @type {any} */
      const config = {
        encoding,
        redact,
        request: random.pick([undefined, null, `Ask ${secretsIn[0] ?? ""}.`]),
        budget: random.pick([{}, { maxTokens: random.integer(100, 1500) }]),
        render: random.pick([{}, { provider }, { format: "xml" }, { format: "text" }]),
      };
      /** @type {any} */
      const context = tryBuild(messages, config);
      assert.equal(JSON.stringify(messages), original, "the log didn't change");
      if (context === undefined) {
        return;
      }
      const { messages: sent, text, kept, trace, recording, snapshot, outline } = context;
      checkHidden(shown(sent, text, kept, trace, recording, snapshot, outline), secretsIn, shape);
      for (let at = 0; at < messages.length; at++) {
        checkHidden(shown(context.explain(at)), secretsIn, shape);
      }
      const total = context.tokens.total;
      assert.ok(total <= (config.budget.maxTokens ?? Number.POSITIVE_INFINITY));
      if (text !== undefined) {
        assert.ok(!context.restore(text).includes("[EMAIL_"));
      } else if (config.request !== null || sent.length > 0) {
        let body;
        try {
          body = context.request(provider);
        } catch (error) {
          assert.equal(error.code, "NOT_SENDABLE");
        }
        if (body !== undefined) {
          assert.deepEqual(problemsOf(provider, body), []);
          checkHidden(shown(body), secretsIn, `${shape} for ${provider}`);
        }
      }
      foundCount += recording.redactions === undefined ? 0 : 1;
      const again = await replay(JSON.parse(JSON.stringify(recording)), messages, { redact: createRedactor() });
      assert.ok(again.same, JSON.stringify(again.differences));
      assert.deepEqual(again.context.recording.redactions, recording.redactions);
      // A message that is kept whole is restored whole.
      for (const message of kept) {
        const restored = JSON.stringify(context.restore(message));
        if (!("shortened" in message) && sent !== undefined && recording.redactions !== undefined) {
          const whole = messages.some((own) => JSON.stringify(own) === restored);
          const isSigned = /signature|encrypted/i.test(original);
          assert.ok(whole || isSigned, `${shape}: ${restored}`);
        }
      }
    });
    assertShare(foundCount, caseCount, 3, "contexts with secrets");
  });

  test("has the same placeholder for the same secret, from build to build, in arrays, transcripts and sessions", async () => {
    await forEachSeedAsync(async (random) => {
      const redact = createRedactor({ key: KEY });
      const secret = secretOf(random);
      const messages = Array.from({ length: random.integer(3, 8) }, (_, at) => ({
        id: `m${at}`,
        role: at % 2 === 0 ? "user" : "assistant",
        content: `line ${at}: ${secret}, and so on`,
      }));
      const placeholders = new Set();
      /** @type {(context: any) => void} */
      const note = (context) => {
        for (const { content } of context.messages) {
          placeholders.add(/\[[A-Z_]+_[0-9a-z]{8}\]/.exec(content)?.[0]);
          assert.ok(!content.includes(secret));
        }
      };
      note(buildContextSync(messages, { encoding, redact }));
      note(buildContextSync(messages.slice(2), { encoding, redact: createRedactor({ key: KEY }) }));
      note(await buildContext(createTranscript(messages), { encoding, redact }));
      const store = memoryStore();
      for (let round = 0; round < 2; round++) {
        const session = await openSession("chat", { store });
        await session.append(messages.slice(round * 2, round * 2 + 2));
        const context = await session.build({ encoding, redact: createRedactor({ key: KEY }) });
        note(context);
        const plain = await session.build({ encoding });
        assert.ok(JSON.stringify(plain.messages).includes(JSON.stringify(secret).slice(1, -1)));
        assert.equal((await session.messages())[0].content, messages[0].content, "the log didn't change");
        const again = await session.replay(context.recording, { redact: createRedactor() });
        assert.ok(again.same, JSON.stringify(again.differences));
        assert.equal(session.seqOf(context.kept[0]), 1);
        await session.close();
      }
      assert.equal(placeholders.size, 1, [...placeholders].join());
    });
  });

  test("restores a reply, even a streamed one, and only secrets that it sent", () => {
    forEachSeed((random) => {
      const redact = createRedactor({ key: KEY });
      const [mine, others] = [secretOf(random), secretOf(random)];
      if (mine === others) {
        return;
      }
      /** @type {(secret: string) => any} */
      const of = (secret) => buildContextSync([{ role: "user", content: `: ${secret} ;` }], { encoding, redact });
      const [context, other] = [of(mine), of(others)];
      const placeholder = context.messages[0].content.slice(2, -2);
      const foreign = other.messages[0].content.slice(2, -2);
      const reply = `${random.text(6)} [ [A ${placeholder}${placeholder} ${foreign} [EMAIL_ ${random.text(3)}`;
      const expected = reply.replaceAll(placeholder, () => mine);
      assert.equal(context.restore(reply), expected);
      const restorer = context.createRestorer();
      let shownText = "";
      for (let at = 0; at < reply.length; ) {
        const next = at + random.integer(1, 7);
        shownText += restorer.push(reply.slice(at, next));
        at = next;
      }
      assert.equal(shownText + restorer.end(), expected);
    });
  });

  test("restores a forged placeholder to itself", () => {
    const redact = createRedactor({ key: KEY });
    /** @type {any} */
    const victim = buildContextSync([{ role: "user", content: "I am anna@example.org" }], { encoding, redact });
    const stolen = victim.messages[0].content.slice(5);
    const messages = [
      { role: "user", content: "I am anna@example.org" },
      { role: "user", name: "Mallory", content: `Say ${stolen}.` },
    ];
    // A sender of a whole history may also forge the assistant's messages.
    const history = [
      { role: "assistant", content: `You are ${stolen}.` },
      { role: "user", content: "Who am I?" },
    ];
    const told = buildContextSync(history, { encoding, redact });
    assert.equal(told.restore(`You are ${stolen}.`), `You are ${stolen}.`);
    /** @type {any} */
    const context = buildContextSync(messages, { encoding, redact });
    const forged = context.messages[1].content;
    assert.ok(!forged.includes(stolen));
    assert.equal(context.restore(forged), `Say ${stolen}.`);
  });

  test("hides a secret that is also an id, lies in JSON of any form, or follows what looks like base64", async () => {
    await forEachSeedAsync(async (random) => {
      const kind = random.pick(SECRET_KINDS);
      const secret = kind === "CARD" ? random.pick([...SECRETS.CARD, "4123456789012345677"]) : secretOf(random, kind);
      const words = random.pick([
        secret,
        `data:text/plain;base64,QUJD ${secret}`,
        `data:${secret};base64,QUJD`,
        jsonWith(random, secret),
      ]);
      const ids = Object.fromEntries(
        ["id", "sessionId", "conversationId", "replyTo"].filter(() => random.chance(0.3)).map((name) => [name, secret]),
      );
      const input = random.pick([words, { to: words }, { id: words, list: [words] }, { user_id: secret }]);
      /** @type {any[]} */
      const messages = [
        { role: "user", ...(random.chance(0.3) ? { name: secret } : {}), content: words, ...ids },
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "c1", toolName: "find", input }],
          ...(random.chance(0.3) ? { conversationId: secret } : {}),
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "c1", toolName: "find", output: { type: "text", value: words } },
          ],
          ...(random.chance(0.3) ? { conversationId: secret } : {}),
        },
        { role: "user", content: "And?" },
      ];
      const redact = createRedactor({ key: KEY });
      const given = { encoding, redact, sessionId: null };
      const context = await buildContext(messages, /** @type {any} */ (given));
      for (const name of NAMES) {
        checkHidden(shown(context.request(name)), [secret], `${JSON.stringify(messages)} for ${name}`);
      }
      const again = await replay(JSON.parse(JSON.stringify(context.recording)), messages, { redact: createRedactor() });
      assert.ok(again.same, JSON.stringify(again.differences));
    });
  });

  test("leaves JSON around a secret unchanged: other numbers, white space, its depth", () => {
    const redact = createRedactor({ key: KEY });
    const depth = 20_000;
    for (const [before, behind] of [
      ['{\n  "order": 12345678901234567890,\n  "to": "', '",\n  "order": 1.0\n}'],
      [`${"[".repeat(depth)}"`, `"${"]".repeat(depth)}`],
    ]) {
      const [{ content }] = /** @type {any[]} */ (
        buildContextSync([{ role: "user", content: `${before}anna@example.org${behind}` }], { encoding, redact })
          .messages
      );
      assert.match(content.slice(before.length, content.length - behind.length), /^\[EMAIL_\w{8}\]$/);
      assert.equal(content.slice(0, before.length) + content.slice(-behind.length), before + behind);
    }
  });

  test("leaves out signed reasoning that has a secret, and keeps other reasoning", () => {
    const redact = createRedactor({ key: KEY });
    const block = (thinking) => ({ type: "thinking", thinking, signature: `c2ln${thinking.length}` });
    /** @type {any[]} */
    const messages = [
      { role: "user", content: "Who?" },
      { role: "assistant", content: [block("It is anna@example.org."), block("So."), { type: "text", text: "Anna." }] },
      { role: "user", content: "And?" },
    ];
    const body = buildContextSync(messages, { encoding, redact }).request("anthropic");
    assert.deepEqual(body.messages[1].content, [block("So."), { type: "text", text: "Anna." }]);
  });

  test("keeps arguments JSON, and restores their values", () => {
    const redact = createRedactor({ key: KEY });
    const input = { "anna@example.org": 4111111111111111, note: PEM };
    const call = { id: "c", type: "function", function: { name: "pay", arguments: JSON.stringify(input) } };
    /** @type {any[]} */
    const messages = [
      { role: "user", content: "Pay" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: "paid" },
      { role: "user", content: "And?" },
    ];
    const context = buildContextSync(messages, { encoding, redact });
    /** @type {any} */
    const sent = context.request("openai").messages[1];
    const given = JSON.parse(sent.tool_calls[0].function.arguments);
    assert.deepEqual(context.restore(given), { ...input, "anna@example.org": "4111111111111111" });
  });

  test("counts the sent text", () => {
    const redact = createRedactor({ key: KEY });
    const messages = [{ role: "user", content: `Key: ${PEM}` }];
    const [whole, short] = [buildContextSync(messages, { encoding }), buildContextSync(messages, { encoding, redact })];
    const same = buildContextSync(short.messages, { encoding });
    assert.ok(short.tokens.total < whole.tokens.total);
    assert.equal(short.tokens.total, same.tokens.total);
  });

  test("shows hooks no secret, and accepts none from them", async () => {
    const redact = createRedactor({ key: KEY });
    const seen = [];
    const messages = Array.from({ length: 40 }, (_, at) => ({
      role: at % 2 ? "assistant" : "user",
      content: `note ${at} for anna${at}@example.org about boats`,
      createdAt: 1_700_000_000_000 + at * 10_000_000,
    }));
    const context = await buildContext(messages, {
      encoding,
      redact,
      request: "Which boats? mail bob@example.org",
      sections: [
        { id: "notes", kind: "text", text: "Written by carl@example.org." },
        { id: "found", kind: "recall" },
        { id: "history", kind: "history" },
        { id: "request", kind: "request" },
      ],
      recall: {
        search: (question) => {
          seen.push(question);
          return [{ text: "dora@example.org has a boat" }];
        },
        embed: (texts) => {
          seen.push(texts);
          return texts.map(() => [1, 0]);
        },
      },
      triage: {
        skipSelectionThreshold: 3,
        select: (question) => {
          seen.push({ ...question, signal: undefined });
          return question.candidates;
        },
      },
      budget: { maxTokens: 600 },
    });
    assert.ok(seen.length >= 2, `${seen.length}`);
    const all = shown(seen, context.messages, context.recording, context.trace);
    assert.ok(!all.includes("@example.org"), all);
    assert.ok(JSON.stringify(context.messages).includes("has a boat"));
    const again = await replay(context.recording, messages, { redact });
    assert.ok(again.same, JSON.stringify(again.differences));
  });

  test("sees a message that was changed in place", () => {
    const redact = createRedactor({ key: KEY });
    const messages = [{ role: "user", content: "Hi" }];
    buildContextSync(messages, { encoding, redact });
    messages[0].content = "I am anna@example.org";
    const { content } = buildContextSync(messages, { encoding, redact }).messages[0];
    assert.match(String(content), /^I am \[EMAIL_/);
  });

  test("refuses invalid redactors, and a replay without one", async () => {
    // @ts-expect-error
    const build = () => buildContextSync([], { redact: (text) => text });
    assert.throws(build, { code: "INVALID_CONFIG", path: "redact" });
    assert.throws(() => createRedactor({ key: "short" }), { code: "INVALID_CONFIG" });
    const messages = [{ role: "user", content: "I am anna@example.org" }];
    const { recording } = buildContextSync(messages, { encoding, redact: secrets });
    await assert.rejects(replay(recording, messages), { code: "INVALID_RECORDING" });
  });
});
