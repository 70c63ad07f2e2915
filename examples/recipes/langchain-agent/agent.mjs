// A LangChain agent that answers questions about the files of a folder, one question per line. The checkpointer keeps
// the whole conversation. Each call sends only the part that the model needs, and the model can ask for the rest.
//
//   OPENAI_API_KEY=… node agent.mjs FOLDER

import { readdir, readFile, realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { createInterface } from "node:readline";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { contextMiddleware } from "windrow/langchain";
import { z } from "zod";

const folder = await realpath(process.argv[2] ?? ".");

/** Returns a path within the folder, and refuses all others. Follows links before it decides. */
async function inFolder(path) {
  const found = await realpath(resolve(folder, path));
  if (found !== folder && !found.startsWith(folder + sep)) {
    throw new Error(`${path} is outside of the folder`);
  }
  return found;
}

/** Tells the model about a failure, so that it can try something else. */
const orFailure = (promise) => promise.catch((failure) => `Failed: ${failure.message}`);

const listFiles = tool(
  () =>
    orFailure(
      (async () => {
        const entries = await readdir(folder, { recursive: true, withFileTypes: true });
        const files = entries.filter((entry) => entry.isFile());
        return files.map((entry) => relative(folder, resolve(entry.parentPath, entry.name))).join("\n");
      })(),
    ),
  { name: "list_files", description: "Lists the files of the folder.", schema: z.object({}) },
);

const readFileTool = tool(({ path }) => orFailure(inFolder(path).then((found) => readFile(found, "utf8"))), {
  name: "read_file",
  description: "Returns the text of a file.",
  schema: z.object({ path: z.string().describe("a path from list_files") }),
});

const model = process.env.MODEL ?? "gpt-4o";
const agent = createAgent({
  model: new ChatOpenAI({ model, configuration: { baseURL: process.env.OPENAI_BASE_URL } }),
  systemPrompt: "You answer questions about the files of a folder. Read before you answer. Be brief.",
  tools: [listFiles, readFileTool],
  checkpointer: new MemorySaver(), // a database in an app
  middleware: [
    contextMiddleware({
      model,
      budget: { maxTokens: 8000 },
      retrieval: true,
      onContext: ({ tokens, kept }) =>
        console.error(`${kept.length} messages, ${tokens.total} of ${tokens.limit} tokens`),
    }),
  ],
});

const thread = { configurable: { thread_id: "main" }, recursionLimit: 100 };
for await (const question of createInterface({ input: process.stdin })) {
  try {
    const { messages } = await agent.invoke({ messages: [{ role: "user", content: question }] }, thread);
    console.log(messages.at(-1).text);
  } catch (failure) {
    console.error(`Failed: ${failure.message}`);
    process.exitCode = 1;
  }
}
