// Tool calls in a field of a message, outside its content: windrow's own, and those of OpenAI's chat.

import { describe } from "../base/options.js";
import { saidBy } from "../message/columns.js";
import type { UnknownRecord } from "../message/format.js";
import { checkNothingIsLost, saysSomething } from "../message/lost.js";
import { list, MalformedMessage } from "../message/malformed.js";
import type { PlacedPart } from "../message/origin.js";
import { callPart } from "../message/parts.js";

const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "name", "arguments", "input", "function", "custom"]);

/** Reads a list of tool calls. */
export function callsIn(calls: unknown, place: string, maker: string | undefined): readonly PlacedPart[] {
  return list(calls, place).map((call, at) => readCall(call, `${place}[${at}]`, maker));
}

/** Reads a tool call. */
export function readCall(given: unknown, place: string, maker: string | undefined): PlacedPart {
  if (typeof given !== "object" || given === null) {
    throw new MalformedMessage(
      place,
      `expected a tool call, got ${describe(given)}`,
      "Pass objects with id, name and arguments.",
    );
  }
  const call = given as UnknownRecord;
  const holder = call.function ?? call.custom;
  const named = (typeof holder === "object" && holder !== null ? holder : call) as UnknownRecord;
  const { name, arguments: input } = named;
  // Ollama, Workers AI and OpenAI's first functions have no ids, so the name serves as one.
  const id = call.id ?? (/^\.(?:tool_calls|function_call)/.test(place) ? name : undefined);
  const part = callPart(call, { id, name, input: input ?? named.input, fields: ["id", "name"] }, place, maker);
  const placed = { part, given, place };
  const isEmpty = !saysSomething(part);
  const said = (): string => saidBy([placed]);
  // A function with its arguments as text is complete. Any other fields of the call come from the server.
  const isWhole = named !== call && typeof input === "string";
  checkNothingIsLost(call, { place, what: "tool call", known: CALL_FIELDS }, isEmpty && !isWhole, said);
  if (named !== call) {
    checkNothingIsLost(named, { place, what: "tool call", known: CALL_FIELDS }, isEmpty, said);
  }
  if (call.result != null || call.output != null) {
    throw new MalformedMessage(
      `${place}.${call.result != null ? "result" : "output"}`,
      "a tool call holds its result",
      "Pass the result as a message with the role tool, with the id of the call as toolCallId.",
    );
  }
  return placed;
}
