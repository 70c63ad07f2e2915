// Parts that `windrow/slim` fetches when they are first needed. Each case runs in a separate process, because a loaded
// part stays.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildContext } from "windrow";

const dist = dirname(fileURLToPath(import.meta.resolve("windrow/slim")));

/** Messages in windrow's own form, and their equivalent as AI SDK UI messages. */
const own = [
  { id: "1", role: "system", content: "Be brief." },
  { id: "2", role: "user", content: "Where do we meet?" },
];
const foreign = own.map(({ id, role, content }) => ({ id, role, parts: [{ type: "text", text: content }] }));
/** @satisfies {import("windrow").ContextConfig} */
const options = { encoding: "estimate", now: 0 };

/** The output of a program that has `slim` and the core, with errors as `[code, nextAction]`. */
function printed(program, folder = dist) {
  const setUp = `
    import { readFileSync } from "node:fs";
    const slim = await import(${JSON.stringify(pathToFileURL(join(folder, "slim.js")).href)});
    const file = (name) => readFileSync(${JSON.stringify(join(dist, "/"))} + name + ".wasm");
    await slim.init(file("windrow"), { selection: () => file("selection") });
    const part = (name) => import(${JSON.stringify(pathToFileURL(folder).href)} + "/" + name + ".js");
    const [own, foreign, options] = ${JSON.stringify([own, foreign, options])};
    const outcome = async (run) => {
      try { return await run(); } catch ({ code, nextAction }) { return [code, nextAction]; }
    };
    const hashOf = async (messages, more) => (await slim.buildContext(messages, { ...options, ...more })).snapshot.contextHash;
    console.log(JSON.stringify(await (async () => { ${program} })()));`;
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", setUp], { cwd: dist, encoding: "utf8" }),
  );
}

const hashOf = async (messages, more) => (await buildContext(messages, { ...options, ...more })).snapshot.contextHash;
const missing = (entry) => ["PART_NOT_LOADED", `Import "${entry}" next to "windrow/slim".`];
const shapes = missing("windrow/shapes");
const providers = missing("windrow/providers");

describe("windrow/slim fetches a part when it is first needed", () => {
  test("messages in windrow's own form need no part, and no call fetches one", () => {
    const [first, sync, counted, request, named, parsed] = printed(`
      const context = await slim.buildContext(own, options);
      return [
        context.messages.length,
        slim.buildContextSync(own, options).messages.length,
        slim.countTokens(own, { encoding: "estimate" }).tokens > 0,
        await outcome(() => context.request("openai")),
        await outcome(() => slim.createTranscript([], { shape: "pi" })),
        await outcome(() => slim.parseTranscript(JSON.stringify(own))),
      ];`);
    assert.deepEqual([first, sync, counted], [2, 2, true]);
    assert.deepEqual(request, providers);
    assert.deepEqual([named, parsed], [shapes, shapes]);
  });

  test("buildContext fetches the formats for the first message of another package, and then the sync calls have them", async () => {
    const [before, counted, hash, after, transcript] = printed(`
      return [
        await outcome(() => slim.buildContextSync(foreign, options)),
        await outcome(() => slim.countTokens(foreign, { encoding: "estimate" })),
        await hashOf(foreign),
        slim.buildContextSync(foreign, options).snapshot.contextHash,
        slim.createTranscript(foreign).length,
      ];`);
    assert.deepEqual([before, counted], [shapes, shapes]);
    const expected = await hashOf(foreign);
    assert.deepEqual([hash, after, transcript], [expected, expected, 2]);
  });

  test("a request in another format, and a named format, fetch them too", async () => {
    assert.equal(printed("return hashOf([], { request: foreign[1] });"), await hashOf([], { request: foreign[1] }));
    assert.equal(
      printed('return hashOf(foreign, { shape: "ai-sdk-ui" });'),
      await hashOf(foreign, { shape: "ai-sdk-ui" }),
    );
  });

  test("an invalid message is refused the same before and after the formats are loaded", () => {
    const wrong = '[{ id: "1", role: "user", parts: [{ type: "nonsense" }] }]';
    const codes = printed(`
      const codeOf = async (messages) => (await outcome(() => slim.buildContext(messages, options)))[0];
      return [await codeOf([{ role: "nobody", content: "" }]), await codeOf(${wrong}), await codeOf(${wrong})];`);
    assert.deepEqual(codes, ["INVALID_TRANSCRIPT", "INVALID_TRANSCRIPT", "INVALID_TRANSCRIPT"]);
  });

  test("buildContext fetches the providers if one is named, and then makes its request", async () => {
    /** @satisfies {import("windrow").ContextConfig} */
    const named = { render: { provider: "anthropic" } };
    const request = printed(`
      return (await slim.buildContext(own, { ...options, ...${JSON.stringify(named)} })).request("anthropic");`);
    assert.deepEqual(request, (await buildContext(own, { ...options, ...named })).request("anthropic"));
  });

  test("sessions, replay, retention and search have the formats", () => {
    const [session, replayed, found, retained] = printed(`
      const store = slim.memoryStore();
      const session = await slim.openSession("s", { store });
      await session.append(foreign);
      const { recording } = await session.build(options);
      return [
        (await session.build(options)).messages.length,
        (await session.replay(recording)).same,
        (await slim.searchSessions(store, "meet")).length,
        (await slim.retain(store, { maxMessages: 1 })).removedCount > 0,
      ];`);
    assert.deepEqual([session, replayed, found, retained], [2, true, 2, true]);
    for (const call of [
      "slim.replay(RECORDING, foreign).then(({ same }) => same)",
      'slim.searchSessions(await filled(), "meet").then(({ length }) => length > 0)',
      // The message that a pinned one replies to stays: only the pinned message says so.
      "slim.retain(await filled(), { maxMessages: 1 }).then(({ removedCount }) => removedCount === 0)",
    ]) {
      // A store already has messages of another format, which this process hasn't seen.
      const program = printed(`
        const { recording } = await slim.buildContext(foreign, options);
        return recording;`);
      const filled = `
        const filled = async () => {
          const store = slim.memoryStore();
          const [first] = foreign;
          const messages = [first, { ...first, id: "reply", replyTo: "1" }, { ...foreign[1], id: "newest" }];
          await store.append("s", messages.map((data) => (
            { type: "message", id: data.id, data, ...(data.id === "reply" ? { pinned: true } : {}) })));
          return store;
        };`;
      const ran = `${filled} return await ${call.replace("RECORDING", JSON.stringify(program))};`;
      assert.equal(printed(ran), true, call);
    }
  });

  test("with an extra import a part is there from the start, for the sync calls", async () => {
    const [hash, request, names] = printed(`
      const { messageShapes } = await part("shapes");
      const { requestOf } = await part("providers");
      const context = slim.buildContextSync(foreign, options);
      return [context.snapshot.contextHash, [context.request("openai"), requestOf("openai", foreign)], messageShapes.length];`);
    const context = await buildContext(foreign, options);
    assert.equal(hash, context.snapshot.contextHash);
    assert.deepEqual(request, [context.request("openai"), context.request("openai")]);
    assert.ok(names > 5);
  });
});

describe("an unavailable part", () => {
  const folder = mkdtempSync(join(tmpdir(), "windrow-parts-"));
  after(() => rmSync(folder, { recursive: true }));

  test("only fails calls that need it, and the next call fetches it again", () => {
    for (const name of readdirSync(dist).filter((file) => file.endsWith(".js"))) {
      cpSync(join(dist, name), join(folder, basename(name)));
    }
    for (const name of ["shapes.js", "providers.js"]) {
      rmSync(join(folder, name));
    }
    const [shape, works, provider, session, again] = printed(
      `const named = { ...options, render: { provider: "openai" } };
      const failures = [
        await outcome(() => slim.buildContext(foreign, options)),
        (await slim.buildContext(own, options)).messages.length,
        await outcome(() => slim.buildContext(own, named)),
        await outcome(() => slim.openSession("s", { store: slim.memoryStore() })),
      ];
      return [...failures, await outcome(() => slim.buildContext(foreign, options))];`,
      folder,
    );
    assert.deepEqual([shape, works, provider, session, again], [shapes, 2, providers, shapes, shapes]);
  });
});
