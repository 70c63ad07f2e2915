// Reading a request back recovers its messages: no text, call, result or image is lost, duplicated or attributed to
// another speaker.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plainMessage, providers, requestOf } from "windrow";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { messagesOf, sendableOf } from "../support/shape-bodies.mjs";
import { randomTurns, SHAPES } from "../support/shape-conversations.mjs";

/** The short user message before a conversation that begins with the assistant. */
const EARLIER = "[Earlier messages are not shown.]";

describe("read(write(messages)) has the contents of the messages", () => {
  for (const { name, title } of providers) {
    test(title, () => {
      let withCalls = 0;
      let count = 0;
      forEachSeed((random) => {
        const shape = random.pick(Object.keys(SHAPES));
        const { write, thoughtsOf, has } = SHAPES[shape];
        // A provider without a name field gets names in the text.
        const sendable = sendableOf(name, has).filter((it) => it !== "name");
        const { turns } = randomTurns(random, { thoughtsOf, has: sendable });
        const messages = write(turns, random);
        const body = requestOf(name, messages);
        const said = essence(messages);
        const isJoined = name === "chrome" || name === "web-llm";
        const [sent, wanted] = [essence(messagesOf(name, body)), said].map((it) => (isJoined ? withOneText(it) : it));
        assert.deepEqual(sent, wanted, `${shape}: ${JSON.stringify(messages)}`);
        count += 1;
        withCalls += said.calls.length > 0 ? 1 : 0;
      });
      assertShare(withCalls, count, 2, "conversations with calls");
    });
  }
});

/**
 * Returns the content of messages: the texts of each speaker in order, and calls, results and media, wherever they are.
 */
function essence(messages) {
  const said = { system: [], user: [], assistant: [], calls: [], results: [], media: 0 };
  for (const message of messages) {
    const { role, content } = plainMessage(message);
    for (const part of content) {
      const words = wordsOf(part);
      if (words !== undefined) {
        if (words.trim() !== "" && words !== EARLIER) {
          said[speakerOf(role)].push(words.trim());
        }
        continue;
      }
      switch (part.type) {
        case "tool-call":
          said.calls.push(`${part.toolName} ${argumentsOf(part.input)}`);
          break;
        case "tool-result": {
          const { text, media } = outputOf(part.output);
          said.results.push(text);
          said.media += media;
          break;
        }
        case "image":
        case "audio":
        case "file":
          said.media += 1;
          break;
        default: // Reasoning only goes back to its own provider.
      }
    }
  }
  return {
    system: wellFormed(said.system.join("\n\n")),
    user: said.user.map(wellFormed),
    assistant: said.assistant.map(wellFormed),
    calls: said.calls.map(wellFormed).sort(),
    results: said.results.map(wellFormed).sort(),
    media: said.media,
  };
}

/** Joins the texts of each speaker, because some providers' messages hold only one. */
function withOneText({ user, assistant, ...others }) {
  const joined = (texts) => texts.join("\n").replace(/\s+/g, " ");
  return { ...others, user: joined(user), assistant: joined(assistant) };
}

/** Replaces lone surrogates, which no provider accepts, and their escapes in JSON. */
const wellFormed = (text) => text.replaceAll(/[\ud800-\udfff]|\\+ud[89a-f][0-9a-f]{2}/gu, "\ufffd");

/**
 * Returns the words of a text, or of a document that is one: most providers get it as a text.
 *
 * @param {any} part
 */
function wordsOf({ type, text, source }) {
  return type === "text" ? text : source?.type === "text" ? source.data : undefined;
}

function speakerOf(role) {
  return role === "developer" ? "system" : role === "tool" ? "user" : role;
}

/**
 * Arguments as JSON with sorted fields, because providers use a text or an object. A value that isn't an object becomes
 * the field `input` of one.
 */
function argumentsOf(input) {
  const value = parsed(input) ?? {};
  const object = typeof value === "object" && !Array.isArray(value) ? value : { input };
  return JSON.stringify(Object.entries(object).sort());
}

function parsed(input) {
  try {
    return typeof input === "string" ? JSON.parse(input || "{}") : input;
  } catch {
    return input;
  }
}

function outputOf(output) {
  if (output?.type === "content" && Array.isArray(output.value)) {
    const texts = output.value.map(wordsOf).filter((text) => text !== undefined);
    return { text: texts.filter((text) => text !== "").join("\n"), media: output.value.length - texts.length };
  }
  return { text: typeof output === "string" ? output : JSON.stringify(output ?? ""), media: 0 };
}
