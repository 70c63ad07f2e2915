// Calls other than builds: counting, encodings, transcripts, files, replay, and the entry that receives its core.

import {
  buildContextSync,
  countTokens,
  createTranscript,
  loadEncoding,
  type MessageInput,
  parseTranscript,
  type Recording,
  replay,
  type Transcript,
} from "windrow";
import cl100k from "windrow/encodings/cl100k_base";
import o200k from "windrow/encodings/o200k_base";
import { providers, type RequestBodies, type requestOf } from "windrow/providers";
import { type AnyMessage, messageShapes, type plainMessage, type ReadMessage } from "windrow/shapes";
import { init, initSync, buildContext as slimBuild } from "windrow/slim";
import { type Equal, isTrue } from "./equal.js";

interface ChatMessage {
  role: "user" | "assistant";
  content: string;
  starred: boolean;
}
declare const messages: ChatMessage[];
declare const bytes: Uint8Array<ArrayBuffer>;

// Counting.
isTrue<
  Equal<ReturnType<typeof countTokens>, { readonly tokens: number; readonly exact: boolean; readonly words: string }>
>();
countTokens("hi", { model: "gpt-4o" });
countTokens(messages, { encoding: "estimate" });
// @ts-expect-error: a text or messages
countTokens(5);
// @ts-expect-error: no such option
countTokens("hi", { modle: "gpt-4o" });

// Encodings, by name, module or bytes.
await loadEncoding("o200k_base");
await loadEncoding(o200k);
await loadEncoding(cl100k);
await loadEncoding({ name: "cl100k_base", bytes });
// @ts-expect-error: no such encoding
await loadEncoding("p50k_base");
// @ts-expect-error: its name is missing
await loadEncoding({ bytes });

// Transcripts keep the caller's type.
const transcript = createTranscript(messages);
isTrue<Equal<typeof transcript, Transcript<ChatMessage>>>();
transcript.append({ role: "user", content: "hi", starred: false });
transcript.append(messages);
transcript.replaceLast({ role: "assistant", content: "hi", starred: true });
transcript.truncate(1);
buildContextSync(transcript).kept[0]?.starred;
// @ts-expect-error: not a ChatMessage
transcript.append({ role: "user", content: "hi" });
// @ts-expect-error: the length is readonly
transcript.length = 0;
// @ts-expect-error: no part of the public type
transcript.source();

// Files.
const { messages: parsed, skipped, conversations } = parseTranscript("[]");
isTrue<Equal<typeof parsed, readonly MessageInput[]>>();
skipped[0]?.row.toFixed();
buildContextSync(parsed);
buildContextSync(conversations.flatMap(({ messages }) => messages));
conversations[0]?.startedAt?.slice(0, 10);

// Replay, including recordings that went through JSON.
const { recording } = buildContextSync(messages);
const again = await replay(recording, messages);
isTrue<Equal<typeof again.same, boolean>>();
again.context.kept[0]?.starred;
await replay(JSON.parse("{}") as Recording, transcript);
// @ts-expect-error: a recording
await replay({ contextHash: "ctx_" }, messages);

// The slim entry.
await init(fetch("windrow.wasm"));
await init(bytes);
initSync(new WebAssembly.Module(bytes));
(await slimBuild(messages)).kept[0]?.starred;

// Parts that the slim entry fetches, imported separately.
isTrue<Equal<ReturnType<typeof requestOf<"openai">>, RequestBodies["openai"]>>();
isTrue<Equal<Parameters<typeof requestOf>[1], readonly AnyMessage[]>>();
providers[0]?.rules[0]?.demands.trim();
messageShapes[0]?.name.trim();
isTrue<Equal<ReturnType<typeof plainMessage>, ReadMessage>>();
