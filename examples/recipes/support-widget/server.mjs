// Serves the page and windrow's files. Passes the widget's questions on to a model, with the key and the instructions
// that visitors don't see.
//
//   OPENAI_API_KEY=… node server.mjs

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const { OPENAI_API_KEY = "", OPENAI_BASE_URL = "https://api.openai.com/v1", PORT = "8080" } = process.env;
const INSTRUCTIONS = "You answer questions of visitors who want to rent a boat. Be brief.";
const LARGEST_BODY = 100_000;
const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript", wasm: "application/wasm" };
const PACKAGE = import.meta.resolve("windrow");

/** Answers a visitor with the model's reply: a status and a text. */
async function answer(request) {
  let body = "";
  for await (const piece of request.setEncoding("utf8")) {
    body += piece;
    if (body.length > LARGEST_BODY) {
      return [413, "too large"];
    }
  }
  const chat = [{ role: "system", content: INSTRUCTIONS }];
  try {
    // Visitors can send anything: only the roles and texts of a chat get through.
    for (const { role, content } of JSON.parse(body).messages) {
      if (!["user", "assistant"].includes(role) || typeof content !== "string") {
        return [400, "not a message of a chat"];
      }
      chat.push({ role, content });
    }
  } catch {
    return [400, "not a list of messages"];
  }
  const reply = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${OPENAI_API_KEY}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: chat }),
  });
  if (!reply.ok) {
    console.error(reply.status, await reply.text());
    return [502, "the model didn't answer"];
  }
  return [200, (await reply.json()).choices[0].message.content];
}

/** Returns the page, or a file of the package. */
async function fileAt(path) {
  const name = /^\/windrow\/([\w.\-/]+)$/.exec(path)?.[1];
  const file = name === undefined ? new URL("index.html", import.meta.url) : new URL(`./${name}`, PACKAGE);
  return [200, await readFile(file), TYPES[file.pathname.split(".").at(-1)]];
}

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const isQuestion = request.method === "POST" && pathname === "/api/support";
  const found = isQuestion ? answer(request) : fileAt(pathname);
  const [status, content, type = "text/plain; charset=utf-8"] = await found.catch((failure) => {
    console.error(failure);
    return [isQuestion ? 502 : 404, "not available"];
  });
  response.writeHead(status, { "Content-Type": type }).end(content);
});
server.listen(Number(PORT), () => console.log(`http://localhost:${server.address().port}`));
