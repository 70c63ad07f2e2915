// One chat of one person: a Durable Object that keeps the chat in its SQLite. Only the worker can reach it.

import { DurableObject } from "cloudflare:workers";
import { type MessageInput, openSession, type Session } from "windrow";
import { durableObjectStore } from "windrow/stores/durable-object";
import { responseTo } from "./refusal.js";

/** The calls of a chat. */
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

/** Visitors write the user's messages and store the replies. Nobody outside can write system messages. */
const ACCEPT = { roles: ["user", "assistant"], formats: ["windrow"] } as const;

export class Chat extends DurableObject {
  #session: Promise<Session> | undefined;

  /** Answers a call. `sessionKey` is the object's name. */
  async answer(sessionKey: string, call: Call): Promise<Response> {
    try {
      return await respond(await this.#open(sessionKey), call);
    } catch (failure) {
      return responseTo(failure);
    }
  }

  /** The session stays open for the object's lifetime, so the next turn reads only new messages. */
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
