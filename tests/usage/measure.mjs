// Windrow's counts for requests with published usage, next to the providers' figures.

import { readFileSync } from "node:fs";
import { buildContextSync, countTokens, loadEncoding } from "windrow";

/** Requests with the input tokens that the provider reported for them, and the source of both. */
export const samples = JSON.parse(readFileSync(new URL("samples.json", import.meta.url), "utf8"));

await Promise.all([loadEncoding("o200k_base"), loadEncoding("cl100k_base")]);

/** The messages of a request in its own format, instructions first. */
function messagesOf({ messages, input, contents, system, instructions: said, systemInstruction }) {
  const instruction = system ?? said ?? systemInstruction?.parts.map(({ text }) => text).join("");
  const instructions = instruction === undefined ? [] : [{ role: "system", content: instruction }];
  return [...instructions, ...(messages ?? input ?? contents)];
}

/** Output tokens that Claude counts for a reply in addition to its text: the end of the reply. */
const REPLY_ENDS = { anthropic: 4, gemini: 0 };

/** A sample with windrow's count for it, and its excess in percent. */
export function measured(sample) {
  const { api, model, request, reply, inputTokens, outputTokens, toolChoice } = sample;
  if (reply !== undefined) {
    const tokens = countTokens(reply, { model });
    const counted = tokens.tokens + REPLY_ENDS[api];
    return { ...sample, said: outputTokens, counted, percent: (counted / outputTokens - 1) * 100, tokens };
  }
  const context = buildContextSync(messagesOf(request), {
    model,
    recall: { ranking: "recency" },
    budget: { maxTokens: 1e6, tools: request.tools ?? [], toolChoice },
    render: { provider: api },
  });
  const counted = context.tokens.total;
  return { ...sample, said: inputTokens, counted, percent: (counted / inputTokens - 1) * 100, tokens: context.tokens };
}

/** The rows of the documentation's table: one for each way to count. */
export function rows() {
  const groups = samples
    .map(measured)
    .reduce((map, it) => map.set(groupOf(it), [...(map.get(groupOf(it)) ?? []), it]), new Map());
  return [...groups].map(([name, members]) => {
    const sum = (of) => members.reduce((total, it) => total + of(it), 0);
    const counted = sum((it) => it.counted);
    const said = sum((it) => it.said);
    const worst = members.reduce((most, it) => (Math.abs(it.percent) > Math.abs(most.percent) ? it : most));
    return { name, count: members.length, total: ((counted - said) / said) * 100, worst: worst.percent, members };
  });
}

/** The name of a kind of request in the table: who counts it, its contents other than texts, and its language. */
function groupOf({ api, model, request, reply, language, superseded }) {
  if (reply !== undefined) {
    return `${familyOf(api, model)}, replies, ${language}`;
  }
  const text = JSON.stringify(request);
  const beside = request.tools
    ? "with tools"
    : /"type":"(?:input_)?image/.test(text)
      ? "with an image"
      : "without tools";
  const since = superseded ? ", as counted before Anthropic changed it" : "";
  return `${familyOf(api, model)}, ${beside}${since}, ${language}`;
}

function familyOf(api, model) {
  const [major, minor] = (/\d+(?:[.-]\d(?!\d))?/.exec(model)?.[0] ?? "").split(/[.-]/).map(Number);
  const version = major + (minor ?? 0) / 10;
  switch (api) {
    case "openai":
      return "OpenAI chat";
    case "openai-responses":
      return "OpenAI Responses";
    case "anthropic":
      return version < 4 ? "Claude 3 and 3.5" : version < 4.7 ? "Claude 4 to 4.6" : "Claude from 4.7 on";
    default:
      return version < 2.5 ? "Gemini 2.0" : version < 3 ? "Gemini 2.5" : "Gemini 3";
  }
}
