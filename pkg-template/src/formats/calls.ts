// Tool calls that stand in a field of a message, next to its content: windrow's own, and those of OpenAI's chat.

import { describe } from "../base/options.js";
import { saidBy } from "../message/columns.js";
import type { Row } from "../message/format.js";
import { checkNothingIsLost, saysSomething } from "../message/lost.js";
import { list, Malformed } from "../message/malformed.js";
import type { CallPart } from "../message/message.js";
import { from, originOf } from "../message/origin.js";
import { callPart, oneOf } from "../message/parts.js";

const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "name", "arguments", "input", "function", "custom"]);

/** Reads a list of tool calls. */
export function callsIn(calls: unknown, place: string, maker: string | undefined): readonly CallPart[] {
  return list(calls, place).map((call, at) => readCall(call, `${place}[${at}]`, maker));
}

function readCall(given: unknown, place: string, maker: string | undefined): CallPart {
  if (typeof given !== "object" || given === null) {
    throw new Malformed(
      place,
      `expected a tool call, got ${describe(given)}`,
      "Pass objects with id, name and arguments.",
    );
  }
  const call = given as Row;
  const holder = call.function ?? call.custom;
  const named = (typeof holder === "object" && holder !== null ? holder : call) as Row;
  const [input, field] = oneOf(named, "arguments", "input");
  const inner = named === call ? "" : call.function === holder ? ".function" : ".custom";
  const whole = named === call ? call : { ...call, name: named.name };
  const read = callPart(whole, ["id", "name"], [input, inner + field], place, maker);
  const part = from(read, given, place, originOf(read)?.field);
  for (const fields of named === call ? [call] : [call, named]) {
    checkNothingIsLost(fields, { place, what: "tool call", known: CALL_FIELDS }, !saysSomething(part), () =>
      saidBy([part]),
    );
  }
  if (call.result != null || call.output != null) {
    throw new Malformed(
      `${place}.${call.result != null ? "result" : "output"}`,
      "a tool call holds its result",
      "Pass the result as a message of the role tool, with the id of the call as toolCallId.",
    );
  }
  return part;
}
