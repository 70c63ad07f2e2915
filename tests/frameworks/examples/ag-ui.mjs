// A client of AG-UI. Each run of the agent receives the context of the messages. The agent is scripted.

import { AbstractAgent, EventType } from "@ag-ui/client";
import { from, switchMap } from "rxjs";
import { transformRunInput } from "windrow/ag-ui";

const initialMessages = Array.from({ length: 40 }, (_, at) => [
  { role: "user", id: `asked_${at}`, content: `What do we know about boat ${at}?` },
  { role: "assistant", id: `said_${at}`, content: `Boat ${at} lies in the north harbour and needs paint.` },
]).flat();

class Scripted extends AbstractAgent {
  run({ threadId, runId, messages }) {
    console.log(`${messages.length} messages are sent`);
    return from([
      { type: EventType.RUN_STARTED, threadId, runId },
      { type: EventType.TEXT_MESSAGE_START, messageId: "m", role: "assistant" },
      { type: EventType.TEXT_MESSAGE_CONTENT, messageId: "m", delta: "Boat 7 lies in the north harbour." },
      { type: EventType.TEXT_MESSAGE_END, messageId: "m" },
      { type: EventType.RUN_FINISHED, threadId, runId },
    ]);
  }
}

const transform = transformRunInput({
  budget: { maxTokens: 300 },
  onContext: ({ tokens }) => console.log(`${tokens.total} of ${tokens.limit} tokens`),
});
const agent = new Scripted({ initialMessages });
agent.use((input, next) => from(transform(input)).pipe(switchMap((sent) => next.run(sent))));
agent.addMessage({ role: "user", id: "now", content: "Where does boat 7 lie?" });
const { newMessages } = await agent.runAgent();
console.log(newMessages.at(-1)?.content);
