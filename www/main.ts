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
import { markInvalid, offerChoices, readConfig, showOptionsSet, watchOptions } from "./options.js";
import { markInView, showOverview, watchOverview } from "./overview.js";
import { showFailure, showResult, showSkipped, watchResult } from "./result.js";

/** The conversation on the page. */
interface Loaded {
  readonly name: string;
  readonly messages: readonly MessageInput[];
  readonly transcript: Transcript;
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
  const config = readConfig();
  showOptionsSet();
  try {
    const known = await costsOf(current, config);
    const context = await buildContext(current.transcript, config);
    if (turn === newestBuild) {
      show(current, context, known, config);
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

function show(
  current: Loaded,
  context: BuiltContext<MessageInput, Format>,
  { costs, starts }: Costs,
  config: ContextConfig,
): void {
  const { messages } = current;
  const { ranges } = context.trace;
  showFailure(buildError, undefined);
  markInvalid(undefined);
  find("main").classList.toggle("stale", false);
  showResult(context, config);
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
    loaded = { name, messages, transcript: createTranscript(messages) };
    costs = undefined;
    showFailure(fileError, undefined);
    showSkipped(skipped);
    find("file-note").textContent = `${name}, ${formatCount(messages.length, "message")}`;
    offerChoices(messages);
    takeRequest(typeof asked === "string" ? asked : undefined);
    const { total } = await costsOf(loaded, readConfig());
    if (turn === newestLoad) {
      // A quarter of it, as a round number.
      setBudget(Math.min(Math.max(Number((total / 4).toPrecision(1)), 200), 4000));
      await build();
    }
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

watchOptions(buildSoon);
watchBudget(buildSoon);
watchConversation(markInView);
watchOverview(revealMessage);
watchResult();
watchFiles();
watchBar();
loadSample();
