// The Durable Object store in Cloudflare's runtime, over its SQLite storage. D1 is in tests/full.

import { test } from "node:test";
import { checkContract, checkEdgeStore, runCase } from "../support/edge-stores.mjs";

checkEdgeStore({
  title: "a Durable Object",
  path: "/durable-object",
  own: ["an append resolves when it is durable, and is reported then"],
});

checkContract({ title: "a Durable Object, encrypted", path: "/encrypted" });

test("a Durable Object without SQLite is refused, and the error says how to add it", () =>
  runCase("/without-sqlite", "held", "a Durable Object without SQLite is refused, and the error says how to add it"));
