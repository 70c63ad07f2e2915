// Chats over HTTP, each in its own Durable Object:
//
//   POST   /chats/:chat/messages   appends a message, or a list of them
//   GET    /chats/:chat/messages   ?after= ?before= ?limit= ?order=descending
//   GET    /chats/:chat/context    ?request= ?maxTokens= — or POST, with the same as JSON
//   DELETE /chats/:chat            clears it
//
// The token says whose chat it is. The address only selects one of that person's chats.

import type { MessageInput } from "windrow";
import type { Call, Chat } from "./chat.js";
import { subjectOf, type TokenSettings } from "./identity.js";
import { Refusal, responseTo } from "./refusal.js";

export { Chat } from "./chat.js";

interface Env extends TokenSettings {
  readonly CHATS: DurableObjectNamespace<Chat>;
}

const LARGEST_BODY_BYTES = 256 * 1024;
/** Maximum nesting of lists and objects in a body. */
const MOST_LEVELS = 100;
const MOST_MESSAGES = 100;
const LONGEST_CHAT = 200;
const MOST_TOKENS = 200_000;

export default {
  async fetch(request, env): Promise<Response> {
    try {
      const subject = await subjectOf(request, env);
      const { chat, resource } = placeOf(new URL(request.url));
      const call = await callOf(request, resource);
      // JSON keeps the two apart, whatever they contain.
      const sessionKey = JSON.stringify([subject, chat]);
      return await env.CHATS.get(env.CHATS.idFromName(sessionKey)).answer(sessionKey, call);
    } catch (failure) {
      return responseTo(failure);
    }
  },
} satisfies ExportedHandler<Env>;

function placeOf({ pathname }: URL): { readonly chat: string; readonly resource: string } {
  const [, name = "", resource = ""] = /^\/chats\/([^/]+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
  let chat: string;
  try {
    chat = decodeURIComponent(name);
  } catch {
    throw new Refusal(400, "INVALID_CHAT", "the name of the chat is no UTF-8", "Encode it with encodeURIComponent.");
  }
  if (chat === "") {
    throw new Refusal(404, "NOT_FOUND", "there is nothing here", "Ask for /chats/<name>/messages.");
  }
  if (chat.length > LONGEST_CHAT) {
    throw new Refusal(
      400,
      "INVALID_CHAT",
      "the name of the chat is too long",
      `Use at most ${LONGEST_CHAT} characters.`,
    );
  }
  return { chat, resource };
}

async function callOf(request: Request, resource: string): Promise<Call> {
  const { searchParams } = new URL(request.url);
  const operationId = request.headers.get("Idempotency-Key");
  const numberOf = (name: string): number | undefined => wholeNumber(name, searchParams.get(name) ?? undefined);
  switch (`${request.method} ${resource}`) {
    case "POST messages":
      return {
        call: "append",
        messages: messagesIn(await bodyOf(request)),
        // A retried append is made only once.
        ...(operationId === null ? {} : { operationId }),
        ...given("expectedSeq", numberOf("expectedSeq")),
      };
    case "GET messages":
      return {
        call: "messages",
        limit: Math.min(numberOf("limit") ?? 50, MOST_MESSAGES),
        order: searchParams.get("order") === "descending" ? "descending" : "ascending",
        ...given("after", numberOf("after")),
        ...given("before", numberOf("before")),
      };
    case "GET context":
      return contextCall(searchParams.get("request"), numberOf("maxTokens"));
    case "POST context": {
      const body = await bodyOf(request);
      const { request: asked, maxTokens } = (typeof body === "object" && body !== null ? body : {}) as Record<
        string,
        unknown
      >;
      return contextCall(asked, wholeNumber("maxTokens", maxTokens));
    }
    case "DELETE ":
      return { call: "clear" };
    default:
      throw new Refusal(404, "NOT_FOUND", "there is nothing here", "Ask for /chats/<name>/messages.");
  }
}

function contextCall(request: unknown, maxTokens = 4000): Call {
  if (typeof request !== "string" || request === "") {
    throw invalid("a context is built for a request", 'Say in "request" what the person has written.');
  }
  if (maxTokens < 1 || maxTokens > MOST_TOKENS) {
    throw invalid(`maxTokens is ${maxTokens}`, `Pass a number from 1 to ${MOST_TOKENS}.`);
  }
  return { call: "context", request, maxTokens };
}

/** Returns the messages in a body. The session checks their form, and that their roles are allowed in a chat. */
function messagesIn(body: unknown): readonly MessageInput[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  if (messages.length > MOST_MESSAGES) {
    throw invalid(`there are ${messages.length} messages`, `Append at most ${MOST_MESSAGES} at once.`);
  }
  return messages as MessageInput[];
}

/** Returns the JSON of a body. Stops reading at the size limit. */
async function bodyOf(request: Request): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY_BYTES) {
      throw new Refusal(413, "TOO_LARGE", "the body is too large", `Send at most ${LARGEST_BODY_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  const text = await new Blob(chunks).text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw invalid("the body isn't JSON", "Send JSON.");
  }
  checkDepth(body);
  return body;
}

/** Refuses a body with deeper nesting than a call to another object can carry. */
function checkDepth(body: unknown): void {
  let level = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_LEVELS) {
      throw invalid("the body is nested too deep", `Send at most ${MOST_LEVELS} levels.`);
    }
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
}

function wholeNumber(name: string, value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (number === undefined || (Number.isSafeInteger(number) && (number as number) >= 0)) {
    return number as number | undefined;
  }
  throw invalid(`${name} is no whole number`, `Give ${name} as a number from 0.`);
}

function given<Name extends string>(name: Name, value: number | undefined): { readonly [name in Name]?: number } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [name in Name]?: number };
}

function invalid(message: string, nextAction: string): Refusal {
  return new Refusal(400, "INVALID_REQUEST", message, nextAction);
}
