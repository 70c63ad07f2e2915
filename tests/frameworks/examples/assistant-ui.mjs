// An assistant-ui thread in a session. It survives a reload, and contexts are built from it.

import { fromThreadMessageLike, MessageRepository } from "@assistant-ui/core/internal";
import { memoryStore, openSession } from "windrow";
import { threadHistory } from "windrow/assistant-ui";

const store = memoryStore(); // in a page: indexedDbStore({ name: "my-app" })
const open = () => openSession("web:main", { store });

const history = threadHistory(await open());
let parentId = null;
for (const [at, text] of ["Where does boat 7 lie?", "In the north harbour.", "And boat 8?"].entries()) {
  const like = { id: `m${at}`, role: at % 2 ? "assistant" : "user", content: text, createdAt: new Date() };
  const message = fromThreadMessageLike(like, like.id, { type: "complete", reason: "stop" });
  await history.append({ parentId, message });
  parentId = message.id;
}

const session = await open(); // the page reloads
const repository = new MessageRepository();
repository.import(await threadHistory(session).load());
console.log(repository.getMessages().map(({ role, content }) => `${role}: ${content[0].text}`));
const context = await session.build({ model: "gpt-4o", budget: { maxTokens: 100 } });
console.log(context.request("openai"));
