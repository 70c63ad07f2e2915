import { DurableObject } from "cloudflare:workers";
import { buildContext, openSession } from "windrow/o200k_base";
import { d1Store } from "windrow/stores/d1";
import { durableObjectStore } from "windrow/stores/durable-object";
import { contextOf, sessionOf } from "../shared/conversation.js";

export class Chat extends DurableObject {
  session() {
    return sessionOf({ openSession }, durableObjectStore(this.ctx.storage));
  }
}

export default {
  async fetch(request, { CHATS, DATABASE }) {
    const session = request.url.endsWith("/d1")
      ? await sessionOf({ openSession }, d1Store(DATABASE))
      : await CHATS.get(CHATS.idFromName("chat")).session();
    return Response.json({ context: await contextOf({ buildContext }), session });
  },
};
