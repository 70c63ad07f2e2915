// The studio: a file that the page opens with, and the builds that an app reports, each a line of "Every turn".

import { batch, signal } from "@preact/signals";
import { type BuildRecording, type MessageInput, replay } from "windrow";
import { type Turn, turnOf } from "../engine/jobs.js";
import { endpoint } from "./models.js";
import { formatNumber } from "./names.js";
import type { Context } from "./picture.js";
import { dropPending, openText } from "./sources.js";
import { failureOf, type Source, state } from "./state.js";
import { studioToken } from "./token.js";

/** A build of an app, built again here. */
export interface LiveBuild {
  readonly messages: readonly MessageInput[];
  readonly recording: BuildRecording;
  readonly context: Context;
  readonly turn: Turn;
}

export const live = {
  builds: signal<readonly LiveBuild[]>([]),
  /** The build that is shown; undefined while the newest is followed. */
  shown: signal<number | undefined>(undefined),
};

/** The address to which an app reports its builds; undefined outside the studio. */
export const studioAddress = studioToken === null ? undefined : `${location.origin}/?token=${studioToken}`;

/** The file and the endpoint of the command. */
interface Opened {
  readonly file: { readonly name: string; readonly text: string } | null;
  readonly endpoint: string | null;
}

const asked = (path: string): Promise<Response> =>
  fetch(new URL(path, location.href), { headers: { authorization: `Bearer ${studioToken}` } });

/** Opens the file that the studio was started with, and follows the app. Returns false without a file. */
export async function followStudio(): Promise<boolean> {
  if (studioToken === null) {
    return false;
  }
  void hearBuilds().catch((thrown) => {
    state.notice.value = `The studio has ended: ${failureOf(thrown).words}`;
  });
  const { file, endpoint: allowed } = (await (await asked("./file")).json()) as Opened;
  if (allowed !== null) {
    endpoint.value = { ...endpoint.value, baseUrl: allowed };
  }
  if (file !== null) {
    await openText(file.name, file.text);
  }
  return file !== null || live.builds.value.length > 0;
}

async function hearBuilds(): Promise<void> {
  const reader = (await asked("./events")).body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
    const lines = (rest + read.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.trim() !== "") {
        await take(JSON.parse(line) as Pick<LiveBuild, "messages" | "recording">).catch((thrown) => {
          state.notice.value = `A build of the app could not be shown: ${failureOf(thrown).words}`;
        });
      }
    }
  }
  state.notice.value = "The studio has ended, or this page couldn't keep up: reload the page.";
}

async function take({ messages, recording }: Pick<LiveBuild, "messages" | "recording">): Promise<void> {
  // A config may name the previous prompt, which is that of the line before.
  const before = live.builds.value.at(-1);
  const config = { ...recording.config, previous: before?.context.outline };
  const { context } = (await replay({ ...recording, config }, messages)) as unknown as { readonly context: Context };
  const turn = turnOf(context, messages.length, before !== undefined);
  live.builds.value = [...live.builds.value, { messages, recording, context, turn }];
  if (live.shown.value === undefined) {
    showLive(live.builds.value.length - 1);
  }
}

/** Shows a build of the app; the newest is followed by those to come. */
export function showLive(index: number): void {
  const builds = live.builds.value;
  const build = builds[index];
  if (build === undefined) {
    return;
  }
  dropPending();
  const { messages, recording } = build;
  const { config } = recording as unknown as { readonly config: { readonly budget?: { readonly maxTokens?: number } } };
  const source: Source = {
    from: "app",
    id: String(index),
    name: `Build ${formatNumber(index + 1)} of your app`,
    messages,
    given: { now: undefined, timeZone: "UTC", contents: {}, knowledge: [], conversations: [] },
    text: JSON.stringify(messages),
    skipped: [],
    live: build,
  };
  batch(() => {
    live.shown.value = index === builds.length - 1 ? undefined : index;
    state.turn.value = undefined;
    state.edits.value = new Map();
    state.request.value = typeof recording.request?.content === "string" ? recording.request.content : "";
    state.budget.value = config.budget?.maxTokens ?? undefined;
    state.source.value = source;
    state.isLoading.value = false;
  });
}
