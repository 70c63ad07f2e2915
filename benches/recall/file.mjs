// The format of a file of conversations with questions:
//
// [{ "id"?, "messages":  [{ "id", "role", "name"?, "content", "createdAt"?, "conversationId"?, "toolCalls"?,
// "toolCallId"? }], "questions": [{ "request", "name"?, "createdAt"?, "evidence": [message ids], "groups"?: [[ids]],
// "parents"?: [ids], "category"?, "upTo": the number of messages before the question }] }]
//
// All other fields of a message are passed on with it.

import { readFileSync } from "node:fs";
import { Failure } from "../../scripts/project.mjs";

const ROLES = ["system", "developer", "user", "assistant", "tool"];

/** Reads the conversations of a file. A `Failure` with exit code 2 names the place of a fault. */
export function readConversations(file) {
  let value;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Failure(`${file} cannot be read as JSON: ${error.message}`, 2);
  }
  try {
    return conversationsOf(value);
  } catch (error) {
    throw error instanceof WrongPlace ? new Failure(`${file}: ${error.message}`, 2) : error;
  }
}

class WrongPlace extends Error {
  constructor(place, expected, value) {
    const got = value === undefined ? "nothing" : JSON.stringify(value).slice(0, 60);
    super(`${place || "the file"}: expected ${expected}, got ${got}`);
  }
}

/**
 * Returns the conversations of a parsed file, with ids replaced by positions. A question gets `evidence` and `parents`
 * as positions in `messages`, and `groups` as lists of positions, each once.
 */
export function conversationsOf(value) {
  const conversations = list(value, "", "a list of conversations").map(conversationOf);
  if (!conversations.some(({ questions }) => questions.length > 0)) {
    throw new WrongPlace("", "conversations with questions", value);
  }
  return conversations;
}

function conversationOf(value, index) {
  const place = `[${index}]`;
  object(value, place);
  const messages = list(value.messages, `${place}.messages`, "a list of messages");
  const positions = new Map();
  for (const [position, message] of messages.entries()) {
    const at = `${place}.messages[${position}]`;
    object(message, at);
    if (typeof message.id !== "string") {
      throw new WrongPlace(`${at}.id`, "a text", message.id);
    }
    if (positions.has(message.id)) {
      throw new WrongPlace(`${at}.id`, "an id that no earlier message has", message.id);
    }
    if (!ROLES.includes(message.role)) {
      throw new WrongPlace(`${at}.role`, `one of ${ROLES.join(", ")}`, message.role);
    }
    if (typeof message.content !== "string") {
      throw new WrongPlace(`${at}.content`, "a text", message.content);
    }
    if (message.createdAt !== undefined && Number.isNaN(timeOf(message))) {
      throw new WrongPlace(`${at}.createdAt`, "a date and time", message.createdAt);
    }
    positions.set(message.id, position);
  }
  const questions = list(value.questions, `${place}.questions`, "a list of questions").map((question, position) =>
    questionOf(question, `${place}.questions[${position}]`, messages, positions),
  );
  return { id: value.id ?? index, messages, questions };
}

function questionOf(value, place, messages, positions) {
  object(value, place);
  const positionsOf = (ids, at) =>
    unique(
      list(ids, at, "a list of message ids").map((id, index) => {
        if (!positions.has(id)) {
          throw new WrongPlace(`${at}[${index}]`, "the id of a message of this conversation", id);
        }
        return positions.get(id);
      }),
    );
  if (typeof value.request !== "string" || value.request === "") {
    throw new WrongPlace(`${place}.request`, "a text that is not empty", value.request);
  }
  const { upTo } = value;
  if (!Number.isInteger(upTo) || upTo < 0 || upTo > messages.length) {
    throw new WrongPlace(`${place}.upTo`, `an integer from 0 to ${messages.length}`, upTo);
  }
  if (value.category !== undefined && !Number.isInteger(value.category)) {
    throw new WrongPlace(`${place}.category`, "an integer", value.category);
  }
  if (value.createdAt !== undefined && Number.isNaN(timeOf(value))) {
    throw new WrongPlace(`${place}.createdAt`, "a date and time", value.createdAt);
  }
  return {
    request: value.request,
    name: value.name,
    time: value.createdAt === undefined ? undefined : timeOf(value),
    category: value.category ?? 0,
    upTo,
    evidence: positionsOf(value.evidence ?? [], `${place}.evidence`),
    parents: value.parents === undefined ? undefined : positionsOf(value.parents, `${place}.parents`),
    groups:
      value.groups === undefined
        ? undefined
        : list(value.groups, `${place}.groups`, "a list of groups").map((group, index) =>
            positionsOf(group, `${place}.groups[${index}]`),
          ),
    place,
  };
}

/** Returns the time of a message in milliseconds since 1970. NaN if it can't be read. */
export function timeOf({ createdAt }) {
  return new Date(createdAt).getTime();
}

function list(value, place, expected) {
  if (!Array.isArray(value)) {
    throw new WrongPlace(place, expected, value);
  }
  return value;
}

function object(value, place) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new WrongPlace(place, "an object", value);
  }
}

function unique(values) {
  return [...new Set(values)];
}
