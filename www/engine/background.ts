// The page's side of the worker: sends jobs, and receives the newest answers.

import address from "virtual:worker-address";
import type { MessageInput } from "windrow";
import type { Asked } from "../state/setup.js";
import type { Job, ToldChange, TurnsOf } from "./jobs.js";

let worker: Worker | undefined;
let count = 0;
const wanted: Partial<Record<Job["kind"], number>> = {};

/** Starts the worker. `hears` receives the answers to the newest jobs. */
export function startWorker(hears: (told: ToldChange) => void): void {
  // A worker started from a blob inherits the page's policy. One started from its file has the policy of the file's
  // response, and a host that sends no headers sends none.
  const start = `import ${JSON.stringify(new URL(address, location.href).href)};`;
  const starter = URL.createObjectURL(new Blob([start], { type: "text/javascript" }));
  worker = new Worker(starter, { type: "module", name: "builds" });
  worker.addEventListener("message", ({ data }: MessageEvent<ToldChange>) => {
    const kind = data.kind === "failed" ? data.what : data.kind;
    if (wanted[kind] === data.id) {
      hears(data);
    }
  });
}

/** Sends a conversation to the worker. Later jobs are about it. */
export function giveConversation(messages: readonly MessageInput[]): void {
  for (const kind of ["curve", "turns", "turnsB", "question"] as const) {
    delete wanted[kind];
  }
  try {
    worker?.postMessage({ kind: "conversation", messages } satisfies Job);
  } catch {
    // A message may contain a value that can't be cloned, such as a function. JSON drops it.
    worker?.postMessage({ kind: "conversation", messages: JSON.parse(JSON.stringify(messages)) } satisfies Job);
  }
}

function send(job: Exclude<Job, { readonly kind: "conversation" }>): void {
  wanted[job.kind] = job.id;
  worker?.postMessage(job);
}

export function askCurve(asked: Asked): void {
  send({ kind: "curve", id: ++count, asked });
}

/** Asks for every turn of a side. `request` is the present request. */
export function askTurns(kind: TurnsOf, asked: Asked, request: Asked): void {
  send({ kind, id: ++count, asked, request });
}

export function askAbout(asked: Asked, position: number): void {
  send({ kind: "question", id: ++count, asked, position });
}
