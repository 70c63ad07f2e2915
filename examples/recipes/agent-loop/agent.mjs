// An agent without a framework: it reads the files of a folder until it can answer a question. Each step sends at most
// 8,000 tokens of all that it has read, and the model can ask for the rest.
//
//   OPENAI_API_KEY=… node agent.mjs FOLDER "Which files have handlers?"

import { readdir, readFile, realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { buildContext, createTranscript, isContextOverflow, retrievalTool } from "windrow";

const { OPENAI_API_KEY = "", OPENAI_BASE_URL = "https://api.openai.com/v1", MODEL = "gpt-4o" } = process.env;
const MOST_STEPS = 100;
const INSTRUCTIONS = "You answer questions about the files of a folder. Read before you answer. Be brief.";

const [, , path, question] = process.argv;
if (path === undefined || question === undefined) {
  console.error('node agent.mjs FOLDER "QUESTION"');
  process.exit(2);
}
const folder = await realpath(path);

const tools = {
  list_files: {
    description: "Lists the files of the folder.",
    parameters: { type: "object", properties: {} },
    async run() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return files.map((entry) => relative(folder, resolve(entry.parentPath, entry.name))).join("\n");
    },
  },
  read_file: {
    description: "Returns the text of a file.",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    async run({ path }) {
      const found = await realpath(resolve(folder, path)); // follows links before it decides
      if (!found.startsWith(folder + sep)) {
        throw new Error(`${path} is outside of the folder`);
      }
      return await readFile(found, "utf8");
    },
  },
};
const definitions = [...Object.entries(tools), [retrievalTool.name, retrievalTool]].map(
  ([name, { description, parameters }]) => ({ type: "function", function: { name, description, parameters } }),
);

/** Asks the model. Fails with the server's words. */
async function ask(body) {
  const answer = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${OPENAI_API_KEY}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model: MODEL, ...body }),
  });
  if (!answer.ok) {
    throw new Error(`${answer.status} ${await answer.text()}`);
  }
  const { choices } = await answer.json();
  return choices[0].message;
}

/** Runs a call. The model is told of a failure, so that it can try something else. */
async function run({ id, function: asked }, retrieval) {
  let content;
  try {
    content =
      asked.name === retrievalTool.name
        ? await retrieval.execute(asked.arguments)
        : await tools[asked.name].run(JSON.parse(asked.arguments));
  } catch (failure) {
    content = `Failed: ${failure.message}`;
  }
  return { role: "tool", tool_call_id: id, content };
}

const transcript = createTranscript([
  { role: "system", content: INSTRUCTIONS },
  { role: "user", content: question },
]);
let maxTokens = 8000;
for (let step = 1; step <= MOST_STEPS; step++) {
  const context = await buildContext(transcript, {
    model: MODEL,
    budget: { maxTokens, tools: definitions, toolResults: { retrieval: true } },
    render: { provider: "openai" },
  });
  console.error(`step ${step}: ${context.messages.length} messages, ${context.tokens.total} tokens`);
  let reply;
  try {
    reply = await ask({ ...context.request("openai"), tools: definitions });
  } catch (failure) {
    if (!isContextOverflow(failure) || maxTokens < 1000) {
      throw failure;
    }
    maxTokens = Math.floor(maxTokens * 0.8); // the server's window is smaller than that
    continue;
  }
  transcript.append(reply);
  if (!reply.tool_calls?.length) {
    console.log(reply.content);
    process.exit(0);
  }
  transcript.append(await Promise.all(reply.tool_calls.map((call) => run(call, context.retrieval))));
}
throw new Error(`no answer in ${MOST_STEPS} steps`);
