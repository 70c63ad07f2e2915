// Edge stores in their real host: a worker that runs one case in a Durable Object or on a D1 database, and reports the
// outcome.

import { DurableObject } from "cloudflare:workers";
import { storeConformance } from "windrow/stores/conformance";
import { d1Store } from "windrow/stores/d1";
import { durableObjectStore } from "windrow/stores/durable-object";
import { encryptedStore } from "windrow/stores/encrypted";
import { edgeCases } from "./edge-store-cases.mjs";

/** Runs the case that a request names, and responds with its result or its failure. */
async function answer(request, host) {
  const { searchParams } = new URL(request.url);
  const name = searchParams.get("case");
  // Stores on the same D1 database don't know about each other's data, as documented.
  const harness = { open: async () => host.open(), knowsOthers: host.kind !== "d1" };
  const own = edgeCases[name];
  const run = own ? () => own(host, searchParams) : storeConformance(harness).find((each) => each.name === name)?.run;
  if (run === undefined) {
    return Response.json({ failure: `there is no case "${name}" for ${host.kind}` });
  }
  try {
    return Response.json({ result: (await run()) ?? null });
  } catch (failure) {
    return Response.json({ failure: failure.stack ?? String(failure), cause: String(failure.cause) });
  }
}

/** Runs a case in several requests at once, one for each writer. */
async function answerTogether(request, env) {
  const answers = await Promise.all(
    Array.from({ length: Number(new URL(request.url).searchParams.get("writers")) }, async (_, writer) => {
      const url = new URL(request.url);
      url.searchParams.delete("writers");
      url.searchParams.set("writer", String(writer));
      return await (await env.SELF.fetch(url)).json();
    }),
  );
  const failed = answers.find(({ failure }) => failure !== undefined);
  return Response.json(failed ?? { result: answers.map(({ result }) => result) });
}

const KEY = new Uint8Array(32).fill(7);

export class Stores extends DurableObject {
  fetch(request) {
    const { storage } = this.ctx;
    const isEncrypted = new URL(request.url).pathname === "/encrypted";
    return answer(request, {
      kind: "durable-object",
      storage,
      open: (over = storage) => {
        const store = durableObjectStore(over);
        return isEncrypted ? encryptedStore(store, KEY) : store;
      },
      exec: async (sql, ...values) => storage.sql.exec(sql, ...values).toArray(),
      batch: async (statements) =>
        storage.transactionSync(() => statements.map(({ sql, values }) => storage.sql.exec(sql, ...values).toArray())),
    });
  }
}

/** A Durable Object whose class was deployed without SQLite. */
export class WithoutSqlite extends DurableObject {
  fetch(request) {
    const { storage } = this.ctx;
    return answer(request, { kind: "durable-object", storage, open: (over = storage) => durableObjectStore(over) });
  }
}

export default {
  fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const place = searchParams.get("place");
    if (searchParams.has("writers")) {
      return answerTogether(request, env);
    }
    if (pathname === "/d1") {
      const database = env[place];
      return answer(request, {
        kind: "d1",
        storage: database,
        open: (over = database) => d1Store(over),
        exec: async (sql, ...values) =>
          (
            await database
              .prepare(sql)
              .bind(...values)
              .all()
          ).results,
        batch: async (statements) => {
          const prepared = statements.map(({ sql, values }) => database.prepare(sql).bind(...values));
          return (await database.batch(prepared)).map(({ results }) => results);
        },
      });
    }
    const objects = pathname === "/without-sqlite" ? env.WITHOUT_SQLITE : env.STORES;
    return objects.get(objects.idFromName(place)).fetch(request);
  },
};
