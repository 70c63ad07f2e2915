// The server of the chat, as a route of Next.js (app/api/chat/route.ts) or of any host with `Request` and `Response`.
// It keeps nothing: the messages come from the page, within its budget.

import { openai } from "@ai-sdk/openai";
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  safeValidateUIMessages,
  streamText,
  toUIMessageStream,
} from "ai";

export async function POST(request: Request): Promise<Response> {
  const { messages } = await request.json();
  const checked = await safeValidateUIMessages({ messages });
  if (!checked.success) {
    return Response.json({ error: checked.error.message }, { status: 400 });
  }
  const { stream } = streamText({
    model: openai.chat("gpt-4o"),
    instructions: "You answer briefly.",
    messages: await convertToModelMessages(checked.data),
    abortSignal: request.signal,
  });
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream }) });
}
