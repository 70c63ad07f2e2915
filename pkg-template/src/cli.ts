// The command line: shows a context in the shell, and replays recorded ones. Standard output has only the context, or
// one line per recording. Standard error reports the messages that were read, kept and left out, or describes a failure
// in one line.

import { readFileSync } from "node:fs";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { counted } from "./base/words.js";
import { withProgress } from "./cli/progress.js";
import { carriedContext } from "./context/carry-on.js";
import { checkRecording, inWords } from "./context/replay.js";
import { nearest } from "./engine/nearest.js";
import { textOfFile } from "./files/bytes.js";
import { conversationOf, inOrderOfTime, listed, newestOf } from "./files/conversations.js";
import { tryParse, withoutMark } from "./files/text.js";
import {
  type BuildRecording,
  type BuiltContext,
  buildContext,
  type ContextConfig,
  ContextError,
  type Fate,
  type Format,
  type MessageInput,
  type ParsedConversation,
  type ParsedTranscript,
  type ProviderName,
  parseTranscript,
  presets,
  providers,
  replay,
  type ServerTokens,
  type TokensBySource,
  type ToolTokens,
} from "./load/node.js";
import { openBrowser } from "./studio/browser.js";
import { type Studio, type StudioOptions, startStudio } from "./studio/server.js";
import { keptToken } from "./studio/token.js";
import { TokenizerFileError, tokenizerVocabulary } from "./vocabulary/tokenizer-json.js";

const PRESETS = Object.keys(presets) as (keyof typeof presets)[];
const PROVIDERS = providers.map(({ name }) => name);

/** The encodings in which a file can be counted. */
const BUILD_ENCODINGS = ["o200k_base", "cl100k_base", "estimate"] as const;

const HELP = `Builds the context of a request from a conversation in a file, and reports the messages that it left
out, with the reasons.

  windrow build FILE [options]
  windrow replay RECORDINGS TRANSCRIPT
  windrow studio [FILE] [--port N] [--open] [--endpoint URL]
  windrow vocabulary TOKENIZER [--write FILE]

FILE is a JSON list of messages, one message per line (JSONL), an object with "messages" and
optionally "request", an export of a chat app or a messenger, or the session of an agent, such as
Claude Code, Codex, the Gemini CLI, pi or opencode; "-" is standard input. If it has several
conversations, windrow takes the newest one, or the one that --conversation names.

  --request TEXT    the request; default: the file's own, or its newest user message
  --preset NAME     start from the config of a documented system; other options override it:
                    ${PRESETS.join(", ")}
  --max-tokens N    the maximum number of tokens; default: no limit
  --format FORM     text (default), messages, xml, conversations, or json: messages, figures, trace
                    and recording; a preset has its own default
  --as PROVIDER     write the body of a request that continues the session with another model:
                    ${PROVIDERS.join(", ")}.
                    If the session ends with an assistant message, the request is "Continue.",
                    unless --request sets another
  --last N          consider only the newest N messages, plus the request and its answers; with
                    the preset triaged, the newest N exchanges
  --session ID      leave out the messages of other sessions
  --conversation C  use one conversation of the file, by its id, its number from 1, its title or a
                    part of the title; all: all of them, one after another
  --model NAME      count tokens like this model, for example gpt-4o
  --encoding NAME   count in one of ${BUILD_ENCODINGS.join(", ")}; default: the first
  --recording FILE  append a line to FILE that can rebuild the context
  --help, -h        show this help
  --version         show the version

The context goes to standard output, the summary to standard error.

replay builds the contexts in RECORDINGS (one per line) again from TRANSCRIPT, which may have grown
since. For each it prints one line that says if it is the same. It also accepts --conversation.

studio serves a page on this machine that shows the prompt for FILE, with the reason for each
message. It also shows the builds of an app that calls inspect(context) from windrow/inspect, with
the page's address in WINDROW_STUDIO. --open opens the page in the browser. With --port, the address
stays the same after a restart: its token is in a file that only you can read. The page asks a model
only at the --endpoint, which must support OpenAI's chat completions, such as
http://127.0.0.1:11434/v1. It contacts no other server.

vocabulary reads the tokenizer.json of Qwen 2 to 3, DeepSeek V3, Llama 3 or Mistral's Tekken, and
prints its name. With --write FILE it writes a vocabulary for exact counts:
loadEncoding({ name, bytes }).

Exit codes: 0 done, 1 the context could not be built, or a replayed one differs, 2 the command line
or a file is wrong, 3 done, but some messages of the file could not be read.
`;

const OPTIONS = {
  request: { type: "string" },
  preset: { type: "string" },
  "max-tokens": { type: "string" },
  format: { type: "string" },
  as: { type: "string" },
  last: { type: "string" },
  session: { type: "string" },
  conversation: { type: "string" },
  model: { type: "string" },
  encoding: { type: "string" },
  recording: { type: "string" },
  port: { type: "string" },
  open: { type: "boolean" },
  endpoint: { type: "string" },
  write: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

type OptionName = keyof typeof OPTIONS;
const STUDIO_OPTIONS: readonly OptionName[] = ["port", "open", "endpoint"];

const VOCABULARY_OPTIONS: readonly OptionName[] = ["write"];

const COMMANDS = ["build", "replay", "studio", "vocabulary"];
const FORMS = ["text", "messages", "xml", "conversations", "json"] as const satisfies readonly (Format | "json")[];

const SEE_HELP = "; see windrow --help";

/** The highest valid port. */
const MOST_PORT = 65_535;

/** The exit code if some messages of a file couldn't be read. */
const UNREAD_EXIT_CODE = 3;

/** Maximum number of skipped rows that are listed. */
const SKIPPED_ROWS_SHOWN = 10;

/** The words for messages that the context includes only in part. */
const FORM_WORDS: Partial<Record<Fate, string>> = {
  shortened: " shortened",
  excerpt: " as excerpts",
  stub: " as stubs",
};

/** An error that the user can correct, shown as one line. */
class UsageError extends Error {
  /** The next step, if the line doesn't name it. */
  readonly nextAction: string | undefined;

  constructor(message: string, nextAction?: string) {
    super(message);
    this.nextAction = nextAction;
  }
}

/** A parsed command line. */
type Order = BuildOrder | ReplayOrder | StudioOrder | VocabularyOrder;

interface BuildOrder {
  readonly command: "build";
  readonly file: string;
  readonly form: (typeof FORMS)[number];
  readonly config: ContextConfig;
  /** The provider whose request body is written instead of a format. */
  readonly as: ProviderName | undefined;
  /** The conversation of the file. */
  readonly conversation: string | undefined;
  /** The file for the recording. */
  readonly recording: string | undefined;
}

interface ReplayOrder {
  readonly command: "replay";
  readonly recordings: string;
  readonly transcript: string;
  /** The conversation of the transcript. */
  readonly conversation: string | undefined;
}

interface VocabularyOrder {
  readonly command: "vocabulary";
  /** The tokenizer.json. */
  readonly tokenizer: string;
  /** The file for the vocabulary. */
  readonly to: string | undefined;
}

interface StudioOrder {
  readonly command: "studio";
  readonly file: string | undefined;
  readonly port: number | undefined;
  /** True to open the browser. */
  readonly isOpened: boolean;
  readonly endpoint: URL | undefined;
}

async function main(commandLine: readonly string[]): Promise<void> {
  const order = readCommandLine(commandLine);
  if (typeof order === "string") {
    await write(process.stdout, order);
  } else if (order.command === "build") {
    await runBuild(order);
  } else if (order.command === "studio") {
    await runStudio(order);
  } else if (order.command === "vocabulary") {
    await runVocabulary(order);
  } else {
    await runReplay(order);
  }
}

async function runBuild(order: BuildOrder): Promise<void> {
  const name = nameOf(order.file);
  const read = await readConversation(order.file, order.conversation);
  const { as } = order;
  const given = { ...order.config, request: order.config.request ?? read.file.request };
  const { context, body } = await withProgress("Building the context", async () =>
    as === undefined
      ? { context: await buildContext(read.messages, given), body: undefined }
      : carriedContext(read.messages, as, given),
  );
  if (order.recording !== undefined) {
    await appendLine(order.recording, JSON.stringify(context.recording));
  }
  await write(process.stdout, body === undefined ? show(context, order.form) : `${JSON.stringify(body, null, 2)}\n`);
  await write(process.stderr, summary(name, read, context));
  await warnOfUnread(name, read.file);
}

/** Reports an incomplete conversation, as the last line and with the exit code. */
async function warnOfUnread(name: string, { unread }: ParsedTranscript): Promise<void> {
  if (unread !== undefined) {
    process.exitCode = Math.max(Number(process.exitCode ?? 0), UNREAD_EXIT_CODE);
    const title = painter(process.stderr).alarming("windrow:");
    await write(
      process.stderr,
      `${title} ${oneLine(`${name}: the context has only part of the conversation: ${unread.words}`)}\n`,
    );
  }
}

/** Serves the page until the process ends. */
async function runStudio({ file, port, isOpened, endpoint }: StudioOrder): Promise<void> {
  const read = file === undefined ? undefined : { name: nameOf(file), text: await readText(file) };
  const folder = fileURLToPath(new URL("./page", import.meta.url));
  const kept = port === undefined || port === 0 ? undefined : await keptToken(port);
  const { address, onceAddress } = await startedStudio({ folder, file: read, port, endpoint, token: kept?.token });
  await write(process.stdout, `${address}\n`);
  if (kept?.failure !== undefined) {
    await write(process.stderr, `${oneLine(kept.failure)}, so the address is valid only until the studio ends\n`);
  }
  if (isOpened) {
    const failure = await openBrowser(onceAddress());
    if (failure !== undefined) {
      await write(process.stderr, `No browser could be opened (${oneLine(failure)}): open the address above\n`);
    }
  }
  const words = "The studio is at the address above; Ctrl+C ends it. An app shows its builds there with";
  await write(process.stderr, `${words} inspect(context) from windrow/inspect, and WINDROW_STUDIO=${address}\n`);
}

async function startedStudio(options: StudioOptions): Promise<Studio> {
  try {
    return await startStudio(options);
  } catch (failure) {
    const { code } = failure as NodeJS.ErrnoException;
    if (code === "EADDRINUSE" || code === "EACCES") {
      const fault = code === "EACCES" ? "may not be used" : "is in use";
      throw new UsageError(`port ${options.port} ${fault}`, "Pass another --port, or none to get a free one.");
    }
    throw failure;
  }
}

/** Makes a vocabulary from a tokenizer.json. */
async function runVocabulary({ tokenizer, to }: VocabularyOrder): Promise<void> {
  const file = nameOf(tokenizer);
  try {
    const { name, bytes, tokens, composes } = await withProgress(`Reading ${oneLine(file)}`, async () =>
      tokenizerVocabulary(await readText(tokenizer)),
    );
    if (to !== undefined) {
      try {
        await writeFile(to, bytes);
      } catch (failure) {
        throw new UsageError(`${to}: ${fileFailure(failure, "written")}`);
      }
    }
    await write(process.stdout, `${name}\n`);
    const place = to === undefined ? "to write the vocabulary, pass --write FILE" : `written to ${to}`;
    const form = composes ? " Its tokenizer composes characters (NFC) first: pass texts in that form." : "";
    await write(
      process.stderr,
      `${oneLine(file)}: ${tokens} tokens, ${bytes.length} bytes, ${oneLine(place)}.${form}\n`,
    );
  } catch (failure) {
    if (failure instanceof TokenizerFileError) {
      throw new UsageError(`${file}: ${failure.message}`, failure.nextAction);
    }
    throw failure;
  }
}

async function runReplay(order: ReplayOrder): Promise<void> {
  const recordings = readRecordings(await readText(order.recordings), nameOf(order.recordings));
  const name = nameOf(order.transcript);
  const { messages, file } = await readConversation(order.transcript, order.conversation);
  for (const [index, recording] of recordings.entries()) {
    const step = `Replaying ${index + 1} of ${recordings.length}`;
    const { words, exitCode } = await withProgress(step, () => replayOne(recording, messages));
    await write(process.stdout, `${index + 1}: ${oneLine(words)}\n`);
    process.exitCode = Math.max(Number(process.exitCode ?? 0), exitCode);
  }
  await warnOfUnread(name, file);
}

/** Replays a recorded context. Returns the result in words, and its exit code. */
async function replayOne(
  recording: BuildRecording,
  messages: readonly MessageInput[],
): Promise<{ readonly words: string; readonly exitCode: number }> {
  try {
    const { same, differences } = await replay(recording, messages);
    const words = differences.map(inWords).join("; ");
    return same
      ? { words: words === "" ? `same, ${recording.contextHash}` : `same, though ${words}`, exitCode: 0 }
      : { words: `differs: ${words}`, exitCode: 1 };
  } catch (failure) {
    if (!(failure instanceof ContextError)) {
      throw failure;
    }
    return failure.code === "INVALID_RECORDING"
      ? { words: `cannot be replayed: ${failure.message}`, exitCode: 2 }
      : { words: `differs: it can no longer be built: ${failure.message}`, exitCode: 1 };
  }
}

// ---- The command line ----

/** Reads the command line. Returns the text of `--help` or `--version` if it asks for one of them. */
function readCommandLine(commandLine: readonly string[]): Order | string {
  // Not strict, because the errors of strict mode span several lines and don't suggest the right spelling. The code
  // below refuses the same input.
  const { tokens } = parseArgs({
    args: [...commandLine],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<OptionName, string>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") {
      words.push(token.value);
    } else if (token.kind === "option") {
      const name = knownOption(token.name, token.rawName);
      if (values.has(name)) {
        throw new UsageError(`--${name} was passed twice`);
      }
      values.set(name, optionValue(name, token.value, token.inlineValue === true));
    }
  }
  if (values.has("help")) {
    return HELP;
  }
  if (values.has("version")) {
    const packageFile = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    return `${(JSON.parse(packageFile) as { version: string }).version}\n`;
  }

  const [command, ...files] = words;
  if (tokens.length === 0) {
    return HELP;
  }
  if (command === undefined) {
    throw new UsageError(`no command was named${SEE_HELP}`);
  }
  switch (command) {
    case "build":
      return buildOrder(files, values);
    case "replay":
      return replayOrder(files, values);
    case "studio":
      return studioOrder(files, values);
    case "vocabulary":
      return vocabularyOrder(files, values);
    default:
      throw new UsageError(`unknown command ${quote(command)}${suggestion(command, COMMANDS) || SEE_HELP}`);
  }
}

function buildOrder([file, ...rest]: readonly string[], values: ReadonlyMap<OptionName, string>): BuildOrder {
  for (const [owner, names] of [
    ["studio", STUDIO_OPTIONS],
    ["vocabulary", VOCABULARY_OPTIONS],
  ] as const) {
    const other = names.find((name) => values.has(name));
    if (other !== undefined) {
      throw new UsageError(`--${other} is an option of windrow ${owner}`);
    }
  }
  if (file === undefined) {
    throw new UsageError("windrow build needs a file, or - for standard input");
  }
  if (rest.length > 0) {
    throw new UsageError(`one file at a time: ${rest.map(quote).join(" ")} is too many`);
  }
  const name = choiceOption(values, "preset", PRESETS);
  const preset: ContextConfig = name === undefined ? {} : presets[name];
  const form = choiceOption(values, "format", FORMS) ?? preset.render?.format ?? "text";
  const given = {
    request: values.get("request"),
    sessionId: values.get("session"),
    model: values.get("model"),
    encoding: choiceOption(values, "encoding", BUILD_ENCODINGS),
  };
  const as = choiceOption(values, "as", PROVIDERS);
  const clash = (["format", "recording"] as const).find((option) => values.has(option));
  if (as !== undefined && clash !== undefined) {
    throw new UsageError(`--as writes the body of a request, so it can't be combined with --${clash}`);
  }
  const maxTokens = countOption(values, "max-tokens");
  const lookbackCount = countOption(values, "last");
  const format = form === "json" ? (preset.render?.format ?? "messages") : form;
  return {
    command: "build",
    file,
    as,
    form,
    config: {
      ...preset,
      ...given,
      window: { ...preset.window, ...(lookbackCount === undefined ? {} : { lookbackCount }) },
      budget: { ...preset.budget, ...(maxTokens === undefined ? {} : { maxTokens }) },
      render: { ...preset.render, format },
    },
    conversation: values.get("conversation"),
    recording: values.get("recording"),
  };
}

function replayOrder(files: readonly string[], values: ReadonlyMap<OptionName, string>): ReplayOrder {
  const [recordings, transcript, ...rest] = files;
  const option = [...values.keys()].find((name) => name !== "conversation");
  if (option !== undefined) {
    throw new UsageError(`--${option} is an option of windrow build`);
  }
  if (recordings === undefined || transcript === undefined) {
    throw new UsageError("windrow replay needs a file of recordings and a transcript");
  }
  if (rest.length > 0) {
    throw new UsageError(`two files at a time: ${rest.map(quote).join(" ")} is too many`);
  }
  if (recordings === "-" && transcript === "-") {
    throw new UsageError("only one of the two can be standard input");
  }
  return { command: "replay", recordings, transcript, conversation: values.get("conversation") };
}

function studioOrder([file, ...rest]: readonly string[], values: ReadonlyMap<OptionName, string>): StudioOrder {
  const option = [...values.keys()].find((name) => !STUDIO_OPTIONS.includes(name));
  if (option !== undefined) {
    throw new UsageError(`--${option} is an option of windrow build`);
  }
  if (rest.length > 0) {
    throw new UsageError(`one file at a time: ${rest.map(quote).join(" ")} is too many`);
  }
  const port = countOption(values, "port");
  if (port !== undefined && port > MOST_PORT) {
    throw new UsageError(`--port must be at most ${MOST_PORT}; got ${port}`);
  }
  const endpoint = endpointOption(values.get("endpoint"));
  return { command: "studio", file, port, isOpened: values.has("open"), endpoint };
}

function vocabularyOrder(
  [tokenizer, ...rest]: readonly string[],
  values: ReadonlyMap<OptionName, string>,
): VocabularyOrder {
  const option = [...values.keys()].find((name) => !VOCABULARY_OPTIONS.includes(name));
  if (option !== undefined) {
    throw new UsageError(`--${option} is an option of windrow ${STUDIO_OPTIONS.includes(option) ? "studio" : "build"}`);
  }
  if (tokenizer === undefined) {
    throw new UsageError("windrow vocabulary needs a tokenizer.json");
  }
  if (rest.length > 0) {
    throw new UsageError(`one file at a time: ${rest.map(quote).join(" ")} is too many`);
  }
  return { command: "vocabulary", tokenizer, to: values.get("write") };
}

/** Parses an address whose origin a content security policy can name. */
function endpointOption(given: string | undefined): URL | undefined {
  if (given === undefined) {
    return undefined;
  }
  const address = URL.canParse(given) ? new URL(given) : undefined;
  if (address === undefined || !/^https?:\/\/[\w.-]+(:\d+)?$/.test(address.origin)) {
    throw new UsageError(`--endpoint must be an address such as http://127.0.0.1:11434/v1; got ${quote(given)}`);
  }
  return address;
}

function knownOption(name: string, written: string): OptionName {
  if (Object.hasOwn(OPTIONS, name)) {
    return name as OptionName;
  }
  const known = Object.keys(OPTIONS).map((option) => `--${option}`);
  throw new UsageError(`unknown option ${quote(written)}${suggestion(written, known) || SEE_HELP}`);
}

function optionValue(name: OptionName, value: string | undefined, isInline: boolean): string {
  if (OPTIONS[name].type === "boolean") {
    if (value !== undefined) {
      throw new UsageError(`--${name} takes no value`);
    }
    return "";
  }
  // In `--request --format xml`, the value is missing. Any other text that begins with a dash is a value.
  const isOption = !isInline && value?.startsWith("--") && Object.hasOwn(OPTIONS, value.slice(2).split("=")[0] ?? "");
  if (value === undefined || isOption) {
    throw new UsageError(`--${name} needs a value`);
  }
  return value;
}

function choiceOption<T extends string>(
  values: ReadonlyMap<OptionName, string>,
  name: OptionName,
  known: readonly T[],
): T | undefined {
  const given = values.get(name);
  const choice = known.find((candidate) => candidate === given);
  if (given !== undefined && choice === undefined) {
    throw new UsageError(`--${name} is one of ${known.join(", ")}, not ${quote(given)}${suggestion(given, known)}`);
  }
  return choice;
}

function countOption(values: ReadonlyMap<OptionName, string>, name: OptionName): number | undefined {
  const given = values.get(name);
  if (given === undefined) {
    return undefined;
  }
  const count = Number(given);
  if (!/^\d+$/.test(given) || !Number.isSafeInteger(count)) {
    throw new UsageError(`--${name} must be an integer of 0 or more; got ${quote(given)}`);
  }
  return count;
}

function suggestion(given: string, known: readonly string[]): string {
  const right = nearest(given, known, "transcript_error");
  return right === undefined ? "" : `; did you mean ${right}?`;
}

// ---- The file ----

function nameOf(file: string): string {
  return file === "-" ? "standard input" : file;
}

async function readText(file: string): Promise<string> {
  const name = nameOf(file);
  const text = decode(await readBytes(file, name), name);
  if (text.trim() === "") {
    throw new UsageError(`${name}: is empty`);
  }
  return text;
}

async function appendLine(file: string, line: string): Promise<void> {
  try {
    await appendFile(file, `${line}\n`);
  } catch (failure) {
    throw new UsageError(`${file}: ${fileFailure(failure, "written")}`);
  }
}

async function readBytes(file: string, name: string): Promise<Uint8Array> {
  try {
    if (file !== "-") {
      return await readFile(file);
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of process.stdin) {
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (failure) {
    throw new UsageError(`${name}: ${fileFailure(failure, "read")}`);
  }
}

function fileFailure(failure: unknown, done: "read" | "written"): string {
  const { code } = failure as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
      return done === "read" ? "no such file" : "no such folder";
    case "ENOTDIR":
      return "no such file: a part of its path isn't a directory";
    case "EISDIR":
      return "is a directory, not a file";
    case "EACCES":
    case "EPERM":
      return `may not be ${done}: permission denied`;
    case "ERR_FS_FILE_TOO_LARGE":
      return "is too large";
    default:
      return `cannot be ${done} (${code ?? String(failure)})`;
  }
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    return textOfFile(bytes);
  } catch (failure) {
    throw failure instanceof ContextError ? new UsageError(`${name}: ${failure.message}`) : failure;
  }
}

/** The parsed file. */
interface ReadFile {
  readonly file: ParsedTranscript;
  /** The messages for the context. */
  readonly messages: readonly MessageInput[];
  /** The conversation that they belong to. Undefined if they are all messages of the file. */
  readonly conversation: ParsedConversation | undefined;
}

async function readConversation(path: string, choice: string | undefined): Promise<ReadFile> {
  const name = nameOf(path);
  const file = await withProgress(`Reading ${oneLine(name)}`, async () => parseFile(await readText(path), name));
  const { conversations } = file;
  if (conversations.length === 0) {
    throw new UsageError(`${name}: no messages found`);
  }
  const titled = choice === undefined || choice === "all" ? [] : titledOf(conversations, choice);
  const chosen =
    choice === undefined
      ? newestOf(conversations)
      : (conversationOf(conversations, choice) ?? (titled.length === 1 ? titled[0] : undefined));
  if (chosen !== undefined) {
    return { file, messages: chosen.messages, conversation: chosen };
  }
  if (choice === "all") {
    return {
      file,
      messages: inOrderOfTime(conversations).flatMap(({ messages }) => messages),
      conversation: undefined,
    };
  }
  if (titled.length > 1) {
    throw new UsageError(
      `${name}: ${counted(titled.length, "conversation")} have ${quote(choice ?? "")} in the title`,
      `Pass more of the title, or the number: ${listed(conversations, titled).map(oneLine).join("; ")}.`,
    );
  }
  throw new UsageError(
    `${name}: no conversation ${quote(choice ?? "")} found`,
    `It has ${counted(conversations.length, "conversation")}: ${listed(conversations).map(oneLine).join("; ")}.`,
  );
}

function parseFile(text: string, name: string): ParsedTranscript {
  try {
    return parseTranscript(text);
  } catch (failure) {
    throw failure instanceof ContextError ? new UsageError(`${name}: ${failure.message}`) : failure;
  }
}

/** Returns the conversations with this title in any case or, without one, those with these words in the title. */
function titledOf(conversations: readonly ParsedConversation[], words: string): readonly ParsedConversation[] {
  const wanted = comparable(words);
  const titles = conversations.map((conversation) => ({ conversation, title: comparable(conversation.title ?? "") }));
  const exact = titles.filter(({ title }) => title === wanted);
  const found = exact.length > 0 ? exact : titles.filter(({ title }) => title.includes(wanted));
  return wanted === "" ? [] : found.map(({ conversation }) => conversation);
}

/** Returns a title in lower case, without differences in Unicode form and spaces. */
function comparable(title: string): string {
  return oneLine(title.normalize("NFKC")).toLowerCase();
}

/**
 * Reads the recordings in a file: one per line, a single one, or a list. Each is a recording, or the JSON of a context
 * that has one.
 */
function readRecordings(text: string, name: string): readonly BuildRecording[] {
  const body = withoutMark(text);
  const whole = tryParse(body);
  const rows = (whole.failure === undefined ? [whole.value].flat() : body.split("\n"))
    .map((row, index) => ({ row, number: index + 1 }))
    .filter(({ row }) => typeof row !== "string" || row.trim() !== "");
  return rows.map(({ row, number }) => {
    const place = `${name}: ${rows.length === 1 ? "" : `row ${number}: `}`;
    const { value, failure } = whole.failure === undefined ? { value: row } : tryParse(String(row));
    if (failure !== undefined) {
      throw new UsageError(`${place}not a recording: ${failure.message}`);
    }
    const recording = (value as { readonly recording?: unknown } | null)?.recording ?? value;
    try {
      checkRecording(recording);
    } catch (failure) {
      throw new UsageError(`${place}${(failure as Error).message}`);
    }
    return recording;
  });
}

// ---- Output ----

function show(context: BuiltContext<MessageInput, Format>, form: BuildOrder["form"]): string {
  const { messages, text, tokens, trimmed, trace, snapshot, recording } = context;
  if (form !== "messages" && form !== "json") {
    return text?.endsWith("\n") ? text : `${text}\n`;
  }
  // Either `messages` or `text` is set. JSON leaves out undefined fields.
  const shown = form === "messages" ? messages : { messages, text, tokens, trimmed, trace, snapshot, recording };
  return `${JSON.stringify(shown, null, 2)}\n`;
}

function summary(name: string, read: ReadFile, context: BuiltContext<MessageInput, Format>): string {
  const { conversations, skipped } = read.file;
  const { tokens, snapshot } = context;
  const paint = painter(process.stderr);
  const lines = [`${paint.strong(oneLine(name))}: ${counted(read.messages.length, "message")} read`];

  if (conversations.length > 1) {
    const { conversation } = read;
    const others = conversations.filter((other) => other !== conversation);
    const [which = "all of them"] = conversation === undefined ? [] : listed(conversations, [conversation]);
    lines.push(`${counted(conversations.length, "conversation")}: ${paint.strong(oneLine(which))}`);
    if (conversation !== undefined) {
      lines.push(
        "Others, with --conversation:",
        ...listed(conversations, others).map((other) => `  ${oneLine(other)}`),
      );
    }
  }

  if (skipped.length > 0) {
    lines.push(`Skipped ${counted(skipped.length, "row")} that could not be read:`);
    for (const { row, reason } of skipped.slice(0, SKIPPED_ROWS_SHOWN)) {
      lines.push(`  row ${row}: ${oneLine(reason)}`);
    }
    if (skipped.length > SKIPPED_ROWS_SHOWN) {
      lines.push(`  +${skipped.length - SKIPPED_ROWS_SHOWN} more`);
    }
  }

  const outcomes = outcomesOf(context);
  for (const [title, isLeftOut] of [
    ["Kept", false],
    ["Left out", true],
  ] as const) {
    const rows = outcomes.filter((outcome) => (outcome.fate === "left out") === isLeftOut);
    const total = rows.reduce((sum, outcome) => sum + outcome.messages, 0);
    lines.push(paint.strong(`${title}: ${counted(total, "message")}`));
    for (const { fate, messages, tokens, words } of rows) {
      const cost = isLeftOut ? "" : ` (${counted(tokens, "token")})`;
      const figures = `${counted(messages, "message")}${FORM_WORDS[fate] ?? ""}${cost}`;
      lines.push(`  ${figures}: ${paint.faint(oneLine(words))}`);
    }
  }

  for (const { words } of context.trace.notes) {
    lines.push(`Note: ${oneLine(words)}`);
  }

  const limit = tokens.limit == null ? ", no limit" : ` of ${tokens.limit}`;
  const sections = tokens.sections.map((section) => `${section.id} ${section.tokens}`).join(", ");
  lines.push(`${paint.strong(`Tokens: ${tokens.total}${limit}`)} (${tokens.words}): ${sections}`);
  lines.push(...bySourceLines(tokens.bySource));
  lines.push(`Hash: ${snapshot.contextHash}`);
  // A blank line separates context and summary on a terminal that shows both.
  return `${process.stdout.isTTY ? "\n" : ""}${lines.join("\n")}\n`;
}

/** Maximum number of tools, servers, sources or speakers that a line names. */
const NAMED_COSTS = 8;

/**
 * Returns the costs by tool, MCP server, source and speaker, one line each. Sources and speakers only appear if there
 * are several.
 */
function bySourceLines({ tools, toolInstructions, servers, sources, speakers }: TokensBySource): readonly string[] {
  const ofTool = ({ definition, calls, results }: ToolTokens | ServerTokens): [number, string] => [
    definition + calls + results,
    ` (definition ${definition}, calls ${calls}, results ${results})`,
  ];
  const line = (kind: string, costs: readonly (readonly [name: string, tokens: number, more?: string])[]): string => {
    const named = costs.slice(0, NAMED_COSTS).map(([name, tokens, more = ""]) => `${oneLine(name)} ${tokens}${more}`);
    const rest = costs.length > NAMED_COSTS ? [`+${costs.length - NAMED_COSTS} more`] : [];
    return `  ${kind}: ${[...named, ...rest].join(", ")}`;
  };
  const aboutTools = toolInstructions > 0 ? [["instructions", toolInstructions] as const] : [];
  const ofTools = [...tools.map((tool) => [tool.name || "unnamed", ...ofTool(tool)] as const), ...aboutTools];
  const ofServers = servers.map((server) => [server.server, ...ofTool(server)] as const);
  const ofSources = sources.map(({ source, tokens }) => [source ?? "none", tokens] as const);
  const ofSpeakers = speakers.map(({ role, name, tokens }) => [name ? `${role} ${name}` : role, tokens] as const);
  return [
    ...(ofTools.length > 0 ? [line("by tool", ofTools)] : []),
    ...(ofServers.length > 0 ? [line("by MCP server", ofServers)] : []),
    ...(ofSources.length > 1 ? [line("by source", ofSources)] : []),
    ...(ofSpeakers.length > 1 ? [line("by speaker", ofSpeakers)] : []),
  ];
}

/** The number of messages with the same outcome and reason. */
interface FateCount {
  readonly fate: Fate;
  readonly words: string;
  messages: number;
  tokens: number;
}

function outcomesOf({ trace }: BuiltContext<MessageInput, Format>): readonly FateCount[] {
  const outcomes = new Map<string, FateCount>();
  for (const { first, last, fate, reason, tokens } of trace.ranges) {
    const key = `${fate} ${reason}`;
    const words = trace.reasons.find((entry) => entry.reason === reason)?.words ?? reason;
    const outcome = outcomes.get(key) ?? { fate, words, messages: 0, tokens: 0 };
    outcome.messages += last - first + 1;
    outcome.tokens += tokens;
    outcomes.set(key, outcome);
  }
  return [...outcomes.values()];
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/**
 * Puts a text from a file, or from a JSON error, on one line and removes everything that a terminal would interpret.
 */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

interface Painter {
  strong(text: string): string;
  faint(text: string): string;
  alarming(text: string): string;
}

function painter(stream: NodeJS.WriteStream): Painter {
  const isColoured = stream.isTTY && !process.env.NO_COLOR;
  const wrap = (code: number) => (text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { strong: wrap(1), faint: wrap(2), alarming: wrap(31) };
}

/** Writes a text and waits until it is written. A closed reader (`windrow … | head`) isn't a failure. */
function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (failure?: Error | null): void => {
      const isClosed = (failure as NodeJS.ErrnoException | undefined)?.code === "EPIPE";
      failure && !isClosed ? reject(failure) : resolve();
    };
    // The stream also emits the error. Without a listener, it would end the process with a stack trace.
    stream.once("error", end);
    stream.write(text, end);
  });
}

async function run(): Promise<void> {
  try {
    await main(process.argv.slice(2));
  } catch (failure) {
    const line = `${painter(process.stderr).alarming("windrow:")} ${oneLine(String((failure as Error).message))}\n`;
    process.exitCode = failure instanceof UsageError ? 2 : 1;
    const next = failure instanceof ContextError ? nextAction(failure) : (failure as Partial<UsageError>).nextAction;
    await write(process.stderr, next === undefined ? line : `${line}${next}\n`);
  }
}

/** Returns the next step in the command line's own words. */
function nextAction({ code, needed, nextAction }: ContextError): string {
  return code === "BUDGET_TOO_SMALL"
    ? `Pass --max-tokens ${needed} or more, or shorten the request or the file.`
    : nextAction;
}

void run();
