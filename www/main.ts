// The playground: a conversation, a request and a budget go in; what windrow makes of them is shown.

import {
  type BuiltContext,
  buildContext,
  type ContextConfig,
  createTranscript,
  type Format,
  type MessageInput,
  parseTranscript,
  type Session,
  type SessionChange,
  type Transcript,
} from "windrow";
import { addTo, followAdded, watchAdding } from "./adding.js";
import { fitBudget, setBudget, watchBudget } from "./budget.js";
import { revealMessage, showConversation, watchConversation } from "./conversation.js";
import { find, formatCount, formatNumber } from "./elements.js";
import { type Given, givenBy } from "./given.js";
import { searchIn } from "./hooks.js";
import { forkAt, leaveRemoved, markOnPage, watchKept } from "./kept.js";
import { buildKept, type LogPart, newestPart } from "./log.js";
import {
  advanceClock,
  markInvalid,
  offerChoices,
  readConfig,
  setClock,
  setPreset,
  showOptionsSet,
  watchOptions,
} from "./options.js";
import { markInView, showOverview, watchOverview } from "./overview.js";
import {
  type Asked,
  askFor,
  chosenPreset,
  configOf,
  hasSection,
  leavesBudget,
  presetOptions,
  showPreset,
  watchPresets,
} from "./preset.js";
import { showRecording, watchRecording } from "./recording.js";
import { showFailure, showResult, showSkipped, watchResult } from "./result.js";
import { type FastModel, fastModel, forgetDecisions, showQuestion, watchTriage } from "./triage.js";

/** The conversation on the page. */
interface Loaded {
  readonly name: string;
  /** Of a kept one, those that were read. */
  readonly messages: readonly MessageInput[];
  readonly transcript: Transcript;
  readonly given: Given;
  /** The file's text; of a kept one none. */
  readonly text?: string;
  /** Of a file with several conversations: which of them it is, from 1, and of how many. */
  readonly place?: readonly [number: number, count: number];
  readonly kept?: Kept;
}

/** Where a conversation is kept, and which part of it is on the page. */
interface Kept extends LogPart {
  readonly session: Session;
}

/** What every message of a conversation costs in one form and encoding. */
interface Costs {
  readonly key: string;
  readonly transcript: Transcript;
  readonly costs: Float64Array;
  /** Where each message begins; one more for the end. */
  readonly starts: Float64Array;
  readonly total: number;
}

const fileError = find("file-error");
const buildError = find("build-error");
const request = find<HTMLInputElement>("request");
let loaded: Loaded | undefined;
let costs: Costs | undefined;
/** The conversation whose context is on the page. */
let onPage: Loaded | undefined;

// Building: the newest wins.

let newestBuild = 0;
let waiting = 0;

/** Builds when typing pauses. */
function buildSoon(): void {
  clearTimeout(waiting);
  waiting = setTimeout(build, 60);
}

async function build(): Promise<void> {
  clearTimeout(waiting);
  newestBuild += 1;
  const turn = newestBuild;
  const before = loaded;
  if (before === undefined) {
    return;
  }
  showOptionsSet();
  const model = presetOptions().triage === undefined ? undefined : fastModel();
  const asked = ask(before, model);
  const config = configOf(asked);
  try {
    await costsOf(before, config);
    const built = await contextOf(before, config);
    if (turn !== newestBuild) {
      return;
    }
    if (built === undefined) {
      buildSoon();
      return;
    }
    if (built.current.transcript !== before.transcript) {
      before.transcript.free();
    }
    loaded = built.current;
    const known = await costsOf(built.current, config);
    if (turn === newestBuild) {
      show(built, known, asked);
      showQuestion(model, config.window?.unit ?? "message");
    }
  } catch (failure) {
    if (turn === newestBuild) {
      const path = (failure as { readonly path?: string }).path;
      showFailure(buildError, failure, onPage === undefined ? "" : "Below is the last context that could be built.");
      markInvalid(path);
      find("main").classList.toggle("stale", true);
      document.body.dataset.state = "failed";
    }
  }
}

/** A context, and the conversation as far as it was read for it. */
interface Built {
  readonly current: Loaded;
  readonly context: BuiltContext<MessageInput, Format>;
  readonly rowsRead?: number;
}

/** Builds a context. Undefined where the log was changed under it. */
async function contextOf(before: Loaded, config: ContextConfig): Promise<Built | undefined> {
  const { kept, transcript } = before;
  if (kept === undefined) {
    return { current: before, context: await buildContext(transcript, config) };
  }
  const built = await buildKept(kept.session, config, kept);
  if (built === undefined) {
    return undefined;
  }
  const { context, rowsRead, ...part } = built;
  const isKnown = part.messages === before.messages && part.unreadCount === kept.unreadCount;
  return { current: isKnown ? before : loadedOf({ ...part, session: kept.session }), context, rowsRead };
}

/** A kept conversation, as far as it was read. */
function loadedOf(kept: Kept): Loaded {
  const { messages, session } = kept;
  const transcript = kept.messages === loaded?.messages ? loaded.transcript : createTranscript(messages);
  return { name: session.key, messages, transcript, given: givenBy("", messages), kept };
}

/** What the page asks for, with the hooks that there are something for. */
function ask({ given, kept }: Loaded, model: FastModel | undefined): Asked {
  const { knowledge } = given;
  const recalls = knowledge.length > 0 && hasSection(presetOptions() as ContextConfig, "recall");
  const hooks = [...(model ? [model.hook] : []), ...(recalls ? [searchIn(knowledge)] : [])];
  return askFor(readConfig(), given, hooks, kept?.session.key);
}

function show({ current, context, rowsRead }: Built, { costs, starts }: Costs, asked: Asked): void {
  const { messages, kept } = current;
  const { ranges } = context.trace;
  showFailure(buildError, undefined);
  markInvalid(undefined);
  find("main").classList.toggle("stale", false);
  showResult(context, asked, current.given.timeZone, rowsRead);
  showRecording(context.recording, messages);
  const numbers = kept?.numbers;
  showOverview({ messages, numbers, starts, ranges });
  const explain = (position: number) => context.explain(position);
  const fork = numbers && ((position: number) => forkAt(numbers[position] ?? 0));
  const isNew = onPage !== current && (kept === undefined || onPage?.kept?.session !== kept.session);
  showConversation({ messages, numbers, costs, ranges, explain, fork }, isNew);
  showSize(current);
  followAdded();
  onPage = current;
  document.body.dataset.state = "built";
}

/**
 * What every message costs: a context without limits has them all, so one build tells. It is made once for each form
 * and encoding.
 */
async function costsOf({ transcript, kept }: Loaded, { encoding, render }: ContextConfig): Promise<Costs> {
  const key = JSON.stringify([encoding, render]);
  if (costs?.key === key && costs.transcript === transcript) {
    return costs;
  }
  const whole = await buildContext(transcript, {
    ...(encoding == null ? {} : { encoding }),
    ...(render === undefined ? {} : { render }),
  });
  const each = Float64Array.from({ length: transcript.length }, (_, position) => whole.explain(position).tokens);
  const starts = new Float64Array(each.length + 1);
  for (const [position, cost] of each.entries()) {
    starts[position + 1] = (starts[position] as number) + cost;
  }
  // What was not read costs about as much, a message.
  const share = (transcript.length + (kept?.unreadCount ?? 0)) / Math.max(transcript.length, 1);
  const made = { key, transcript, costs: each, starts, total: whole.tokens.total * share };
  if (transcript === loaded?.transcript) {
    costs = made;
    fitBudget(made.total + 200);
  }
  return made;
}

let newestBeginning = 0;

/** Begins with a conversation and a preset: sets clock and budget, and builds. */
async function begin(current: Loaded): Promise<void> {
  newestBeginning += 1;
  const turn = newestBeginning;
  setClock(chosenPreset() === undefined ? undefined : current.given.now);
  const { maxTokens } = (presetOptions() as ContextConfig).budget ?? {};
  let budget = maxTokens ?? undefined;
  if (leavesBudget()) {
    const { total } = await costsOf(current, configOf(ask(current, undefined)));
    // A quarter of it, as a round number.
    budget = Math.min(Math.max(Number((total / 4).toPrecision(1)), 200), 4000);
  }
  if (turn === newestBeginning) {
    setBudget(budget);
    await build();
  }
}

function choosePreset(): void {
  setPreset(presetOptions());
  showPreset();
  if (loaded !== undefined) {
    void begin(loaded);
  }
}

// Loading: from the sample, a chosen file, or a dropped one.

let newestLoad = 0;

async function load(name: string, read: () => Promise<ArrayBuffer>, isSample = false): Promise<void> {
  newestLoad += 1;
  const turn = newestLoad;
  try {
    const text = decode(await read());
    const { messages, skipped, conversations, request: asked } = parseTranscript(text);
    if (turn !== newestLoad) {
      return;
    }
    const given = givenBy(text, messages);
    const number = conversations.findIndex((conversation) => conversation.messages === messages) + 1;
    const place = conversations.length > 1 ? { place: [number, conversations.length] as const } : {};
    const current = { name, messages, text, transcript: createTranscript(messages), given, ...place };
    putOnPage(current);
    showSkipped(skipped);
    takeRequest(typeof asked === "string" ? asked : undefined);
    forgetDecisions();
    await begin(current);
  } catch (failure) {
    if (turn === newestLoad) {
      const note = loaded === undefined ? "" : `The page still shows ${loaded.name}.`;
      showFailure(fileError, failure, isSample ? "" : `${name} was not loaded. ${note}`);
      document.body.dataset.state = "failed";
    }
  }
}

function putOnPage(current: Loaded): void {
  // What is still being built is of what was on the page before.
  newestBuild += 1;
  clearTimeout(waiting);
  loaded?.transcript.free();
  void loaded?.kept?.session.close();
  loaded = current;
  costs = undefined;
  showFailure(fileError, undefined);
  offerChoices(current.messages);
  showSize(current);
  addTo(current.kept?.session);
  markOnPage(current.kept?.session, current.name);
}

/** Says how long the conversation is, and how much of it was not read. */
function showSize({ name, messages, kept, place }: Loaded): void {
  const unreadCount = kept?.unreadCount ?? 0;
  const where = kept === undefined ? "" : "Kept: ";
  const which = place === undefined ? "" : `, the newest of ${formatCount(place[1], "conversation")}`;
  find("file-note").textContent = `${where}${name}${which}, ${formatCount(messages.length + unreadCount, "message")}`;
  find("unread").hidden = kept === undefined;
  find("unread-count").textContent =
    unreadCount === 0
      ? "All of it was read."
      : `${formatNumber(unreadCount)} older ${unreadCount === 1 ? "message was" : "messages were"} not read.`;
}

/** Puts a kept conversation on the page, and follows it. */
async function showKept(session: Session, isSame: boolean): Promise<void> {
  newestLoad += 1;
  const turn = newestLoad;
  const part = await newestPart(session);
  if (turn !== newestLoad) {
    void session.close();
    return;
  }
  const current = loadedOf({ ...part, session });
  putOnPage(current);
  session.subscribe((change) => void hear(session, change).catch(follow));
  if (isSame) {
    await build();
    return;
  }
  showSkipped([]);
  takeRequest(undefined);
  forgetDecisions();
  await begin(current);
}

/** What this tab or another has done to the kept conversation on the page. */
async function hear(session: Session, change: SessionChange<MessageInput>): Promise<void> {
  if (change.kind === "append") {
    advanceClock(givenBy("", change.messages).now);
  } else if ((await session.info()) === undefined) {
    leaveRemoved(session.key);
    return;
  }
  await follow();
}

let isFollowing = false;
let isBehind = false;

/** Builds again, and once more where more has come meanwhile: it may come faster than it can be shown. */
async function follow(): Promise<void> {
  isBehind = true;
  if (isFollowing) {
    return;
  }
  isFollowing = true;
  while (isBehind) {
    isBehind = false;
    await build();
  }
  isFollowing = false;
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("the file is not UTF-8 text");
  }
}

let requestOfFile = "";

/** A file's request takes the place of an earlier file's; what the user typed stays if the file has none. */
function takeRequest(given: string | undefined): void {
  if (given !== undefined || request.value === requestOfFile) {
    requestOfFile = given ?? "";
    request.value = requestOfFile;
  }
}

function loadFile(file: File | undefined): void {
  if (file !== undefined) {
    void load(file.name, () => file.arrayBuffer());
  }
}

function loadSample(): Promise<void> {
  const address = new URL("./sample.json", import.meta.url);
  return load("The sample", async () => (await fetch(address)).arrayBuffer(), true);
}

function watchFiles(): void {
  const input = find<HTMLInputElement>("file");
  input.addEventListener("change", () => {
    loadFile(input.files?.[0]);
    input.value = "";
  });
  find("sample").addEventListener("click", () => void loadSample());
  const drop = find("drop");
  const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  addEventListener("dragover", (event) => {
    if (hasFile(event)) {
      event.preventDefault();
      drop.hidden = false;
    }
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) {
      drop.hidden = true;
    }
  });
  addEventListener("drop", (event) => {
    drop.hidden = true;
    if (hasFile(event)) {
      event.preventDefault();
      loadFile(event.dataTransfer?.files[0]);
    }
  });
}

/** The bar stays at the top while the page scrolls; what is below needs its height. */
function watchBar(): void {
  const bar = find("bar");
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--bar-height", `${bar.offsetHeight}px`);
  }).observe(bar);
}

watchPresets(choosePreset);
watchTriage();
watchOptions(buildSoon);
watchBudget(buildSoon);
watchConversation(markInView);
watchOverview(revealMessage);
watchResult();
watchRecording();
watchFiles();
watchAdding();
watchBar();
// A browser may remember which preset was chosen.
setPreset(presetOptions());
showPreset();
const textOnPage = () => (loaded?.messages.length === 0 ? undefined : loaded?.text);
const numberOnPage = () => loaded?.place?.[0];
if (!watchKept({ text: textOnPage, conversation: numberOnPage, show: showKept, leave: loadSample })) {
  void loadSample();
}
