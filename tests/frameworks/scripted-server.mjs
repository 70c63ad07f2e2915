// A server with OpenAI's chat completions, whose replies are scripted.

import { createServer } from "node:http";
import { portOf } from "../package/support/servers.mjs";

let replyCount = 0;
/** The fields of every reply. Its id is unique: LangChain replaces a message with the same id. */
function replyOf(object) {
  replyCount += 1;
  return { id: `chatcmpl-${replyCount}`, object, created: 1, model: "gpt-4o" };
}

/** The events of a streamed reply, a word each. With `done: false`, the stream ends too early. */
function eventsOf({ content, done = true }) {
  const reply = replyOf("chat.completion.chunk");
  const chunk = (delta, finish = null) => ({
    ...reply,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const deltas = content.match(/\S+\s*/g).map((text) => chunk({ content: text }));
  const all = [chunk({ role: "assistant", content: "" }), ...deltas, ...(done ? [chunk({}, "stop")] : [])];
  return [...all.map((event) => `data: ${JSON.stringify(event)}\n\n`), ...(done ? ["data: [DONE]\n\n"] : [])];
}

/**
 * Returns the answer to a request. `reply` is an assistant's message, or has an `error` and a `status`. With `gate`, a
 * stream waits for it after its first words.
 */
function responseOf(reply, isStreamed) {
  if (reply.error !== undefined) {
    return Response.json({ error: { message: reply.error } }, { status: reply.status });
  }
  if (!isStreamed) {
    const message = { role: "assistant", content: null, ...reply };
    const choices = [{ index: 0, message, finish_reason: reply.tool_calls === undefined ? "stop" : "tool_calls" }];
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return Response.json({ ...replyOf("chat.completion"), choices, usage });
  }
  const { readable, writable } = new TransformStream();
  void write(writable.getWriter(), reply).catch(() => {}); // the client has disconnected
  return new Response(readable, { headers: { "content-type": "text/event-stream" } });
}

async function write(writer, reply) {
  const encoder = new TextEncoder();
  const events = eventsOf(reply);
  for (const [at, event] of events.entries()) {
    await writer.write(encoder.encode(event));
    if (at === 2) {
      await reply.gate;
    }
  }
  await writer.close();
}

/** Starts a server that answers each request with `answer(body, number)`. `bodies` are the requests. */
export async function startScripted(answer) {
  const bodies = [];
  const server = createServer(async (request, response) => {
    const pieces = await Array.fromAsync(request);
    const body = JSON.parse(Buffer.concat(pieces).toString());
    bodies.push(body);
    const { status, headers, body: stream } = responseOf(answer(body, bodies.length), body.stream);
    response.writeHead(status, Object.fromEntries(headers));
    try {
      for await (const piece of stream) {
        response.write(piece);
      }
      response.end();
    } catch {
      response.destroy();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${portOf(server)}/v1`, bodies, close };
}
