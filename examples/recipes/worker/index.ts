// A chat server at the edge: each chat is a Durable Object that keeps its messages in SQLite and streams the replies.
//
//   POST /chats            starts a chat: { id }
//   GET  /chats/:id        its newest messages
//   POST /chats/:id        a message as text; the reply is streamed as text
//
// Nobody can guess the id of a chat, and whoever has it can use the chat. ../../worker identifies people by tokens.

import { DurableObject } from "cloudflare:workers";
import { openSession, type Session } from "windrow";
import { durableObjectStore } from "windrow/stores/durable-object";

interface Env {
  readonly CHATS: DurableObjectNamespace<Chat>;
  /** A server with OpenAI's chat completions, such as https://api.openai.com/v1. */
  readonly MODEL_URL: string;
  readonly MODEL_KEY: string;
}

const LONGEST_MESSAGE = 20_000;
const UNFINISHED = { role: "assistant", content: "", status: "streaming" } as const;
/** Without compression, because that would hold the first words back. */
const STREAMED = { "Content-Type": "text/plain; charset=utf-8", "Content-Encoding": "identity" };

export default {
  fetch(request, { CHATS }) {
    const { pathname } = new URL(request.url);
    if (request.method === "POST" && pathname === "/chats") {
      return Response.json({ id: CHATS.newUniqueId().toString() }, { status: 201 });
    }
    try {
      return CHATS.get(CHATS.idFromString(pathname.replace(/^\/chats\//, ""))).fetch(request);
    } catch {
      return new Response("Not found", { status: 404 }); // not an id that this worker made
    }
  },
} satisfies ExportedHandler<Env>;

export class Chat extends DurableObject<Env> {
  #session!: Session;
  #isAnswering = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => {
      this.#session = await openSession("chat", { store: durableObjectStore(ctx.storage) });
    });
  }

  override async fetch(request: Request): Promise<Response> {
    if (request.method === "GET") {
      const newest = await this.#session.messages({ limit: 100, order: "descending" });
      return Response.json(newest.toReversed());
    }
    const content = await request.text();
    if (content.trim() === "" || content.length > LONGEST_MESSAGE) {
      return new Response(`Send a text of 1 to ${LONGEST_MESSAGE} characters`, { status: 400 });
    }
    if (this.#isAnswering) {
      return new Response("The last reply is still being written", { status: 409 });
    }
    this.#isAnswering = true;
    const id = crypto.randomUUID();
    try {
      await this.#session.append({ id, role: "user", content });
      const reply = await this.#ask();
      await this.#session.append(UNFINISHED);
      const { readable, writable } = new TransformStream();
      this.ctx.waitUntil(this.#write(reply, writable.getWriter()));
      return new Response(readable, { headers: STREAMED });
    } catch (failure) {
      console.error(failure);
      await this.#session.truncateFrom(id).catch(() => {}); // so that it can be sent again
      this.#isAnswering = false;
      return new Response("The model didn't answer. Please send your message again", { status: 502 });
    }
  }

  /** Asks the model for a reply to the newest message. */
  async #ask(): Promise<ReadableStream<Uint8Array>> {
    const model = "gpt-4o";
    const context = await this.#session.build({ model, budget: { maxTokens: 8000 }, render: { provider: "openai" } });
    const answer = await fetch(`${this.env.MODEL_URL}/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${this.env.MODEL_KEY}`, "Content-Type": "application/json" },
      body: JSON.stringify({ model, stream: true, ...context.request("openai") }),
    });
    if (!answer.ok || answer.body === null) {
      throw new Error(`${answer.status} ${await answer.text()}`);
    }
    return answer.body;
  }

  /** Streams the reply and saves it, even if the reader has left. */
  async #write(body: ReadableStream<Uint8Array>, writer: WritableStreamDefaultWriter): Promise<void> {
    writer.closed.catch(() => {}); // the client has disconnected
    let content = "";
    let keptAt = Date.now();
    let status = "completed";
    try {
      for await (const text of textsOf(body)) {
        content += text;
        void writer.write(new TextEncoder().encode(text)).catch(() => {});
        if (Date.now() - keptAt >= 1000) {
          await this.#session.replaceLast({ ...UNFINISHED, content });
          keptAt = Date.now();
        }
      }
    } catch (failure) {
      console.error(failure);
      status = "failed";
    }
    try {
      await this.#session.replaceLast({ ...UNFINISHED, content, status });
    } finally {
      this.#isAnswering = false;
      await (status === "completed" ? writer.close() : writer.abort()).catch(() => {});
    }
  }
}

/** The texts in a stream of chat completions. Fails if the stream ends early. */
async function* textsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data: [DONE]")) {
        return;
      }
      if (line.startsWith("data: ")) {
        yield JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? "";
      }
    }
  }
  throw new Error("the model's stream ended early");
}
