// A worker with one Durable Object per session, which runs the bench's commands.

import { DurableObject } from "cloudflare:workers";
import { openSession } from "windrow";
import { durableObjectStore } from "windrow/stores/durable-object";
import * as sessions from "./sessions.mjs";

export class Session extends DurableObject {
  #store = durableObjectStore(this.ctx.storage);
  #session;

  async fetch(request) {
    const { action, key, given } = await request.json();
    this.#session ??= await openSession(key, { store: this.#store });
    const session = this.#session;
    const actions = {
      fill: () => sessions.fill(this.#store, key, given),
      warmUp: () => sessions.warmUp(),
      exchange: () => sessions.appendExchange(session),
      build: () => session.build(sessions.config("And then?")),
      settled: () => session.settled(),
      opening: () => sessions.measureOpening(this.#store, key),
    };
    await actions[action]();
    return new Response("done");
  }
}

export default {
  async fetch(request, { SESSIONS }) {
    const asked = await request.json();
    const object = SESSIONS.get(SESSIONS.idFromName(asked.key));
    return object.fetch(request.url, { method: "POST", body: JSON.stringify(asked) });
  },
};
