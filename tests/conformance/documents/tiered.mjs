// Document 002: conversations in tiers. Preset `tiered`.

import { buildContext, ContextError, parseTranscript, presets, searchFirst } from "windrow";
import { repeated } from "../case.mjs";
import { check, equal, texts } from "../expectations.mjs";
import { checkChoice, checkCount, checkKeys, checkList } from "../shape.mjs";

const INPUT = ["form", "conversations", "chatId", "now", "timezone"];

const CONVERSATION = ["sessionId", "chatId", "startedAt", "endedAt", "summary", "transcript", "messageCount"];

const SETTINGS = {
  maxContextChars: (config, value) => ({
    ...config,
    sections: config.sections.map((section) =>
      section.kind === "history" ? { ...section, limit: { ...section.limit, chars: value } } : section,
    ),
  }),
};

/** Thread status as the document's system words it, passed in by the caller. */
const THREAD_STATUS = {
  continuation:
    "CONTINUATION — You are in an ongoing conversation. The user just messaged again. Do NOT greet or reintroduce yourself. Pick up naturally where you left off.",
  newConversation: "NEW CONVERSATION — This is a new conversation or a return after a break.",
};

const FORMS = { full: "full", truncatedTail: "truncated-tail", summary: "summary", extract: "summary" };

export const tiered = {
  preset: "tiered",
  build,
  expectations: {
    labels: (outcome, expected) => [equal(outcome.byId("label"), expected)],
    form: (outcome, expected) => [equal(outcome.byId("form"), expected)],
    threadStatus: (outcome, expected, { wording }) => {
      const known = [null, "CONTINUATION", "NEW CONVERSATION"];
      checkChoice(expected, "expected.threadStatus", known);
      const actual = known.find((words) => words !== null && outcome.threadStatus?.startsWith(words));
      return [equal(actual ?? outcome.threadStatus, expected, wording.threadStatus ? 2 : 1)];
    },
    innerLength: (outcome, expected) => [
      equal(
        outcome.elements.reduce((sum, element) => sum + Array.from(element).length, 0),
        checkCount(expected, "expected.innerLength"),
      ),
    ],
    // Checks the last element, with or without its closing tag.
    endsWith: (outcome, expected) => {
      const last = outcome.elements.at(-1) ?? "";
      const ends = (end) => last.endsWith(end) || last.replace(/\n<\/conversation>$/, "").endsWith(end);
      return texts(expected, "endsWith").map((end) => check(ends(end), { end }, last));
    },
    instruction_contains: async (outcome, expected) => {
      const instruction = await outcome.instruction();
      return texts(expected, "instruction_contains").map((part) =>
        check(instruction.includes(part), part, instruction),
      );
    },
  },
};

async function build(input, settings) {
  checkKeys(input, "input", INPUT);
  checkKeys(settings, "config", Object.keys(SETTINGS));
  checkChoice(input.form, "input.form", ["conversations"]);
  const conversations = checkList(input.conversations, "input.conversations");
  const messages = conversations.flatMap(messagesOf);

  let config = {
    ...presets.tiered,
    now: input.now,
    timeZone: input.timezone,
    sessionId: String(input.chatId),
    request: null,
    tiers: {
      ...presets.tiered.tiers,
      ...THREAD_STATUS,
      conversations: conversations.map(({ sessionId, chatId, startedAt, endedAt, summary }) => ({
        id: sessionId,
        sessionId: String(chatId),
        startedAt,
        endedAt,
        summary,
      })),
    },
  };
  for (const [name, value] of Object.entries(settings)) {
    config = SETTINGS[name](config, value);
  }

  const context = await buildContext(messages, config);
  const elements = elementsOf(context.text);
  const shown = context.conversations.filter(({ form }) => form !== "leftOut").map(inWords);
  checkAgainstText(shown, elements);
  return {
    context,
    text: context.text,
    messages: context.messages,
    hash: context.snapshot.contextHash,
    includedIds: shown.map(({ id }) => id),
    elements,
    byId: (field) => Object.fromEntries(shown.map((conversation) => [conversation.id, conversation[field]])),
    threadStatus: /<thread-status>([\s\S]*?)<\/thread-status>/.exec(context.text)?.[1] ?? null,
    instruction: async () => {
      const sections = [searchFirst, ...config.sections];
      const whole = await buildContext(messages, { ...config, sections });
      const { text } = whole.sections.find(({ id }) => id === searchFirst.id);
      if (!whole.text.includes(text)) {
        throw new Error("the instruction is not in the text");
      }
      return text;
    },
  };
}

function inWords({ id, label, form }) {
  return { id, label, form: FORMS[form] ?? form };
}

function elementsOf(text) {
  return text.match(/<conversation [^>]*>[\s\S]*?<\/conversation>/g) ?? [];
}

/** Checks that the context's report on its conversations matches the text, one by one. */
function checkAgainstText(shown, elements) {
  const fromText = elements.map((element) => ({
    label: /^<conversation [^>]*relative="([^"]*)"/.exec(element)?.[1],
    isSummary: /^<conversation [^>]*summary="/.test(element),
  }));
  const reported = shown.map(({ label, form }) => ({ label, isSummary: form === "summary" }));
  if (JSON.stringify(fromText) !== JSON.stringify(reported)) {
    throw new Error(
      `context.conversations and the text differ: ${JSON.stringify(reported)} and ${JSON.stringify(fromText)}`,
    );
  }
}

// ---- The transcripts ----

function messagesOf(conversation, position) {
  const place = `input.conversations[${position}]`;
  checkKeys(conversation, place, CONVERSATION);
  const { sessionId, chatId } = conversation;
  return entriesOf(conversation.transcript, `${place}.transcript`).map((entry, row) => ({
    ...entry,
    id: `${sessionId}:${row}`,
    conversationId: sessionId,
    sessionId: String(chatId),
  }));
}

function entriesOf(transcript, place) {
  if (typeof transcript !== "string") {
    checkKeys(transcript, place, ["repeat", "textLength", "role", "timestamp"]);
    const { role, timestamp, ...text } = transcript;
    checkChoice(role, `${place}.role`, ["user", "assistant"]);
    return [{ role, createdAt: timestamp, content: repeated(text) }];
  }
  try {
    return parseTranscript(transcript).messages;
  } catch (error) {
    // A file without rows is an empty conversation.
    if (error instanceof ContextError) {
      return [];
    }
    throw error;
  }
}
