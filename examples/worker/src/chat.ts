// One chat of one person: a Durable Object, in whose SQLite the chat is kept. It is reached through the worker alone.

import { DurableObject } from "cloudflare:workers";
import { type MessageInput, openSession, type Session } from "windrow";
import { durableObjectStore } from "windrow/stores/durable-object";
import { responseTo } from "./refusal.js";

/** What can be asked of a chat. */
export type Call =
  | {
      readonly call: "append";
      readonly messages: readonly MessageInput[];
      readonly operationId?: string;
      readonly expectedSeq?: number;
    }
  | {
      readonly call: "messages";
      readonly after?: number;
      readonly before?: number;
      readonly limit: number;
      readonly order: "ascending" | "descending";
    }
  | { readonly call: "context"; readonly request: string; readonly maxTokens: number }
  | { readonly call: "clear" };

/** A visitor speaks for the user and keeps the replies. Nobody outside speaks for the system. */
const ACCEPT = { roles: ["user", "assistant"], formats: ["windrow"] } as const;

export class Chat extends DurableObject {
  #session: Promise<Session> | undefined;

  /** Answers a call; `sessionKey` is what the object is named by. */
  async answer(sessionKey: string, call: Call): Promise<Response> {
    try {
      return await respond(await this.#open(sessionKey), call);
    } catch (failure) {
      return responseTo(failure);
    }
  }

  /** The session stays open as long as the object lives: the next turn reads only what is new. */
  #open(sessionKey: string): Promise<Session> {
    this.#session ??= openSession(sessionKey, { store: durableObjectStore(this.ctx.storage), accept: ACCEPT });
    this.#session.catch(() => {
      this.#session = undefined;
    });
    return this.#session;
  }
}

async function respond(session: Session, call: Call): Promise<Response> {
  switch (call.call) {
    case "append": {
      const { messages, call: _, ...options } = call;
      return Response.json(await session.append(messages, options), { status: 201 });
    }
    case "messages": {
      const { call: _, ...range } = call;
      return Response.json({ messages: await session.messages(range) });
    }
    case "context": {
      const { request, maxTokens } = call;
      const context = await session.build({ request, budget: { maxTokens } });
      const { messages, tokens, trimmed, snapshot } = context;
      return Response.json({ messages, tokens, trimmed, snapshot });
    }
    case "clear":
      await session.clear();
      return new Response(null, { status: 204 });
  }
}
