// The worker, as the page sees it: jobs go in, the newest answers come out.

import address from "virtual:worker-address";
import type { MessageInput } from "windrow";
import type { Asked } from "../state/setup.js";
import type { Job, ToldChange } from "./jobs.js";

let worker: Worker | undefined;
let count = 0;
const wanted: Partial<Record<Job["kind"], number>> = {};

/** Starts the worker. `hears` is told the answers to the newest jobs. */
export function startWorker(hears: (told: ToldChange) => void): void {
  // A worker that starts from a blob has the policy of this page. One that starts from its file has that of the file's response,
  // and a host that sends no headers sends none.
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

/** Hands a conversation over. The next jobs are about it. */
export function giveConversation(messages: readonly MessageInput[]): void {
  for (const kind of ["curve", "turns", "question"] as const) {
    delete wanted[kind];
  }
  try {
    worker?.postMessage({ kind: "conversation", messages } satisfies Job);
  } catch {
    // A message may hold what cannot cross, such as a function: as JSON it can.
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

/** Asks for every turn. `request` is the present request. */
export function askTurns(asked: Asked, request: Asked): void {
  send({ kind: "turns", id: ++count, asked, request });
}

export function askAbout(asked: Asked, position: number): void {
  send({ kind: "question", id: ++count, asked, position });
}
