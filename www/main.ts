// The playground: a conversation, a request and a budget go in; what windrow makes of them is shown.

import {
  type BuiltContext,
  buildContext,
  type ContextConfig,
  createTranscript,
  type Format,
  type MessageInput,
  parseTranscript,
  type Transcript,
} from "windrow";
import { fitBudget, setBudget, watchBudget } from "./budget.js";
import { revealMessage, showConversation, watchConversation } from "./conversation.js";
import { find, formatCount } from "./elements.js";
import { type Given, givenBy } from "./given.js";
import { searchIn } from "./hooks.js";
import { markInvalid, offerChoices, readConfig, setClock, setPreset, showOptionsSet, watchOptions } from "./options.js";
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
  readonly messages: readonly MessageInput[];
  readonly transcript: Transcript;
  readonly given: Given;
}

/** What every message of a conversation costs in one form and encoding. */
interface Costs {
  readonly key: string;
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
  const current = loaded;
  if (current === undefined) {
    return;
  }
  showOptionsSet();
  const model = presetOptions().triage === undefined ? undefined : fastModel();
  const asked = ask(current, model);
  const config = configOf(asked);
  try {
    const known = await costsOf(current, config);
    const context = await buildContext(current.transcript, config);
    if (turn === newestBuild) {
      show(current, context, known, asked);
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

/** What the page asks for, with the hooks that there are something for. */
function ask({ given }: Loaded, model: FastModel | undefined): Asked {
  const { knowledge } = given;
  const recalls = knowledge.length > 0 && hasSection(presetOptions() as ContextConfig, "recall");
  return askFor(readConfig(), given, [...(model ? [model.hook] : []), ...(recalls ? [searchIn(knowledge)] : [])]);
}

function show(
  current: Loaded,
  context: BuiltContext<MessageInput, Format>,
  { costs, starts }: Costs,
  asked: Asked,
): void {
  const { messages } = current;
  const { ranges } = context.trace;
  showFailure(buildError, undefined);
  markInvalid(undefined);
  find("main").classList.toggle("stale", false);
  showResult(context, asked, current.given.timeZone);
  showRecording(context.recording, messages);
  showOverview({ messages, starts, ranges });
  const explain = (position: number) => context.explain(position);
  showConversation({ messages, costs, ranges, explain }, onPage !== current);
  onPage = current;
  document.body.dataset.state = "built";
}

/**
 * What every message costs: a context without limits has them all, so one build tells. It is made once for each form
 * and encoding.
 */
async function costsOf({ transcript }: Loaded, { encoding, render }: ContextConfig): Promise<Costs> {
  const key = JSON.stringify([encoding, render]);
  if (costs?.key === key) {
    return costs;
  }
  const conversation = loaded;
  const whole = await buildContext(transcript, {
    ...(encoding == null ? {} : { encoding }),
    ...(render === undefined ? {} : { render }),
  });
  const each = Float64Array.from({ length: transcript.length }, (_, position) => whole.explain(position).tokens);
  const starts = new Float64Array(each.length + 1);
  for (const [position, cost] of each.entries()) {
    starts[position + 1] = (starts[position] as number) + cost;
  }
  const made = { key, costs: each, starts, total: whole.tokens.total };
  if (conversation === loaded) {
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
    const { messages, skipped, request: asked } = parseTranscript(text);
    if (turn !== newestLoad) {
      return;
    }
    loaded?.transcript.free();
    loaded = { name, messages, transcript: createTranscript(messages), given: givenBy(text, messages) };
    costs = undefined;
    showFailure(fileError, undefined);
    showSkipped(skipped);
    find("file-note").textContent = `${name}, ${formatCount(messages.length, "message")}`;
    offerChoices(messages);
    takeRequest(typeof asked === "string" ? asked : undefined);
    forgetDecisions();
    await begin(loaded);
  } catch (failure) {
    if (turn === newestLoad) {
      const note = loaded === undefined ? "" : `The page still shows ${loaded.name}.`;
      showFailure(fileError, failure, isSample ? "" : `${name} was not loaded. ${note}`);
      document.body.dataset.state = "failed";
    }
  }
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

function loadSample(): void {
  const address = new URL("./sample.json", import.meta.url);
  void load("The sample", async () => (await fetch(address)).arrayBuffer(), true);
}

function watchFiles(): void {
  const input = find<HTMLInputElement>("file");
  input.addEventListener("change", () => {
    loadFile(input.files?.[0]);
    input.value = "";
  });
  find("sample").addEventListener("click", loadSample);
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
watchBar();
// A browser may remember which preset was chosen.
setPreset(presetOptions());
showPreset();
loadSample();
