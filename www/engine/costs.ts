// Computes the cost of every message. A context without limits includes them all, so one build is enough.

import { buildContext, type Transcript } from "windrow";
import type { Costs } from "../state/picture.js";
import { type Asked, configOf } from "../state/setup.js";

/** The form and the encoding that costs depend on. */
export function costsKey(asked: Asked): string {
  const { encoding, model, render } = configOf(asked, []);
  return JSON.stringify([encoding, model, render]);
}

export async function costsOf(transcript: Transcript, asked: Asked): Promise<Costs> {
  const { encoding, model, render } = configOf(asked, []);
  const whole = await buildContext(transcript, {
    ...(encoding == null ? {} : { encoding }),
    ...(model == null ? {} : { model }),
    ...(render === undefined ? {} : { render }),
  });
  const { length } = transcript;
  const each = new Float64Array(length);
  const starts = new Float64Array(length + 1);
  for (const { first, last, fate } of whole.trace.ranges) {
    for (let position = first; fate === "left out" && position <= last; position++) {
      each[position] = whole.explain(position).tokens;
    }
  }
  for (const [source, , tokens] of whole.outline.pieces) {
    if (typeof source === "number" && source >= 0) {
      each[source] = tokens;
    }
  }
  for (const [position, tokens] of each.entries()) {
    starts[position + 1] = (starts[position] ?? 0) + tokens;
  }
  return { each, starts, total: whole.tokens.total };
}
