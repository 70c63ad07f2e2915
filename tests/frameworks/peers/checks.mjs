// Conditions on the sent messages. A check takes the case and the messages that a peer would send, in the neutral form.
// It returns the problem in words, or undefined. It knows nothing about any peer.

import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";

const encoder = new Tiktoken(o200k);
const counts = new Map();

/** Tokens of a text, by a tokenizer that no peer uses. */
export function tokensOf(text) {
  if (!counts.has(text)) {
    counts.set(text, encoder.encode(text, [], []).length);
  }
  return counts.get(text);
}

/** The texts of a message. */
const textsIn = ({ text, reasoning, calls = [] }) => [
  ...[text, reasoning].filter((it) => it !== undefined),
  ...calls.flatMap(({ name, input }) => [name, JSON.stringify(input)]),
];

/** Lower bound for the cost of messages: their texts, 3 for each, and 255 for an image of 512 x 512. */
export function costOf(messages) {
  const cost = (message) =>
    3 + textsIn(message).reduce((sum, text) => sum + tokensOf(text), 0) + (message.image ? 255 : 0);
  return messages.reduce((sum, message) => sum + cost(message), 3);
}

const callsIn = (messages) => messages.flatMap(({ calls = [] }) => calls.map(({ id }) => id));
const said = (sent, id) => sent.some((message) => message.id === id);

export const checks = {
  "results have their calls": (_, sent) => {
    const calls = new Set(callsIn(sent));
    const orphan = sent.find(({ answers }) => answers !== undefined && !calls.has(answers));
    return orphan && `the result ${orphan.id} is there without its call`;
  },
  "calls have their results": (_, sent) => {
    const answered = new Set(sent.map(({ answers }) => answers));
    const open = callsIn(sent).find((id) => !answered.has(id));
    return open && `the call ${open} is there without its result`;
  },
  "it is within the limit": ({ maxTokens }, sent) => {
    const cost = costOf(sent);
    return cost > maxTokens ? `${cost} tokens of ${maxTokens}` : undefined;
  },
  "the limit is made use of": ({ maxTokens, messages }, sent) => {
    const [cost, all] = [costOf(sent), costOf(messages)];
    const least = Math.min(all, maxTokens) * 0.5;
    return cost < least ? `${cost} tokens, where ${maxTokens} are allowed and ${all} are there` : undefined;
  },
  "the request is there": ({ request }, sent) => (said(sent, request) ? undefined : "the request is gone"),
  "what answers the request is there": ({ inTurn }, sent) => {
    const gone = inTurn.find((id) => !said(sent, id));
    return gone && `${gone}, a step of the current turn, is gone`;
  },
  "instructions are there": ({ messages }, sent) => {
    const gone = messages.find(({ id, role }) => role === "system" && !said(sent, id));
    return gone && `the instruction ${gone.id} is gone`;
  },
  "the user speaks first": (_, sent) => {
    const first = sent.find(({ role }) => role !== "system");
    return first === undefined || first.role === "user" ? undefined : `the first message is the ${first.role}'s`;
  },
  "nothing is empty": (_, sent) => {
    const empty = sent.find((message) => textsIn(message).join("").trim() === "" && !message.image);
    return empty && `the message ${empty.id} is empty`;
  },
  "it ends with the user or a tool": (_, sent) => {
    const last = sent.at(-1);
    return last && ["user", "tool"].includes(last.role) ? undefined : `the last message is the ${last?.role}'s`;
  },
  "the message that another one replies to is there": ({ repliedTo }, sent) =>
    said(sent, repliedTo) ? undefined : `${repliedTo} is gone`,
  "reasoning goes with its call": (_, sent) => {
    const alone = sent.find(({ reasoning, calls = [], text }) => reasoning && calls.length === 0 && !text);
    return alone && `${alone.id} is nothing but reasoning`;
  },
  "reasoning is kept with a call of the current turn": ({ inTurn, messages }, sent) => {
    const wanted = messages.filter(({ id, reasoning }) => reasoning && inTurn.includes(id));
    const gone = wanted.find(({ id }) => !sent.some((message) => message.id === id && message.reasoning));
    return gone && `the reasoning of ${gone.id} is gone`;
  },
  "the order is kept": ({ messages }, sent) => {
    const places = sent.map(({ id }) => messages.findIndex((message) => message.id === id)).filter((at) => at >= 0);
    const at = places.findIndex((place, index) => index > 0 && place < places[index - 1]);
    return at < 0 ? undefined : `${messages[places[at]].id} stands behind a later message`;
  },
  "the given messages don't change": ({ changed }) => changed,
  "counting follows the length": ({ counted, messages }) =>
    counted === undefined || counted <= 8 * messages.length
      ? undefined
      : `${counted} messages counted of ${messages.length}`,
  "a second build returns the same": ({ again }) => again,
  "the old fact is there": ({ fact }, sent) =>
    said(sent, fact) ? undefined : `${fact}, which the request is about, is gone`,
  "speakers are told apart": ({ messages }, sent) => {
    const lost = sent.find(({ id, name }) => messages.find((it) => it.id === id)?.name !== name && id !== undefined);
    return lost && `nobody knows who said ${lost.id}`;
  },
  "pinned messages are there": ({ pinned }, sent) => {
    const gone = pinned.find((id) => !said(sent, id));
    return gone && `${gone}, which is pinned, is gone`;
  },
};
