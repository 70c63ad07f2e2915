// A chat in React that survives a reload: `useChat` shows it, a session in IndexedDB keeps it, and each turn sends the
// server only the messages that the turn needs. Build it with Vite, or use it as a client component of Next.js.

import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { type FormEvent, useState } from "react";
import { createRoot } from "react-dom/client";
import { openSession } from "windrow";
import { indexedDbStore } from "windrow/stores/indexeddb";

const session = await openSession<UIMessage>("web:main", { store: indexedDbStore({ name: "react-chat" }) });

const transport = new DefaultChatTransport<UIMessage>({
  api: "/api/chat",
  async prepareSendMessagesRequest({ messages, messageId }) {
    if (messageId !== undefined) {
      await session.truncateFrom(messageId); // an edit or another try: builds no longer see it and what followed
    }
    await session.append(messages.slice(-1)); // the user's message
    const context = await session.build({
      model: "gpt-4o",
      budget: { maxTokens: 8000 },
      render: { provider: "ai-sdk" },
    });
    return { body: { messages: context.messages } };
  },
});

function Chat({ shown }: { readonly shown: UIMessage[] }) {
  const [draft, setDraft] = useState("");
  const [edited, setEdited] = useState<string>();
  const [isSaving, setIsSaving] = useState(false);
  const { messages, sendMessage, regenerate, stop, status, error } = useChat({
    messages: shown,
    transport,
    // Also called if the reply was stopped or failed. Then its first part is kept, so that it can be tried again.
    async onFinish({ message }) {
      if (message.role === "assistant" && message.parts.length > 0) {
        setIsSaving(true);
        await session.append(message).finally(() => setIsSaving(false));
      }
    },
  });
  // Another try or an edit must not begin before the reply is saved.
  const isBusy = isSaving || status === "submitted" || status === "streaming";

  function send(event: FormEvent) {
    event.preventDefault();
    if (isBusy || draft.trim() === "") {
      return;
    }
    void sendMessage(edited === undefined ? { text: draft } : { text: draft, messageId: edited });
    setDraft("");
    setEdited(undefined);
  }

  function edit(message: UIMessage) {
    setEdited(message.id);
    setDraft(textOf(message));
  }

  const last = messages.at(-1);
  return (
    <main>
      <ol aria-live="polite">
        {messages.map((message) => (
          <li key={message.id} data-role={message.role}>
            <p>{textOf(message)}</p>
            {message.role === "user" && !isBusy && (
              <button type="button" onClick={() => edit(message)}>
                Edit
              </button>
            )}
          </li>
        ))}
      </ol>
      {error !== undefined && <p role="alert">The reply failed: {error.message}</p>}
      {last !== undefined && !isBusy && (
        <button type="button" onClick={() => regenerate({ messageId: last.id })}>
          Try again
        </button>
      )}
      {isBusy && (
        <button type="button" onClick={stop}>
          Stop
        </button>
      )}
      <form onSubmit={send}>
        <input aria-label="Message" value={draft} onChange={(event) => setDraft(event.target.value)} />
        <button type="submit" disabled={isBusy}>
          {edited === undefined ? "Send" : "Send the edited message"}
        </button>
      </form>
    </main>
  );
}

function textOf({ parts }: UIMessage): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

const root = document.getElementById("root") ?? document.body.appendChild(document.createElement("div"));
createRoot(root).render(<Chat shown={[...(await session.messages())]} />);
