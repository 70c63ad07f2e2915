// The strip: the whole conversation from left to right, each message as wide as it costs tokens.

import type { Fate, MessageInput, TraceRange } from "windrow";
import { find, formatCount } from "./elements.js";
import { dayOf, speakerOf } from "./message.js";

/** What the strip shows. */
export interface Overview {
  readonly messages: readonly MessageInput[];
  /** What the messages are named by, where it is not their position. */
  readonly numbers?: readonly number[] | undefined;
  /** Where each message begins, in tokens of the whole conversation; one more for the end. */
  readonly starts: Float64Array;
  readonly ranges: readonly TraceRange[];
}

const strip = find<HTMLCanvasElement>("strip");
const frame = find("overview");
const inView = find("in-view");
const note = find("axis-note");
let shown: Overview = { messages: [], starts: new Float64Array(1), ranges: [] };

/** How tall a message stands, so that the fate does not hang on colour alone. */
const heights: Record<Fate, number> = { kept: 1, shortened: 0.62, excerpt: 0.62, "left out": 0.24 };

/** Runs `chosen` with the position of the message that is clicked. */
export function watchOverview(chosen: (position: number) => void): void {
  frame.addEventListener("click", (event) => {
    const position = positionAt(event);
    if (position !== undefined) {
      chosen(position);
    }
  });
  frame.addEventListener("pointermove", (event) => {
    const position = positionAt(event);
    const message = position === undefined ? undefined : shown.messages[position];
    note.textContent =
      message === undefined || position === undefined
        ? ""
        : `${shown.numbers?.[position] ?? position} · ${speakerOf(message)} · ${fateAt(position)}`;
  });
  frame.addEventListener("pointerleave", () => {
    note.textContent = "";
  });
  new ResizeObserver(draw).observe(frame);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

/** Shows what became of a conversation. */
export function showOverview(overview: Overview): void {
  shown = overview;
  const { messages, ranges } = overview;
  find("axis-first").textContent = dayOf(messages[0]);
  find("axis-last").textContent = dayOf(messages.at(-1));
  const counts = { kept: 0, shortened: 0, excerpt: 0, "left out": 0 };
  for (const { first, last, fate } of ranges) {
    counts[fate] += last - first + 1;
  }
  const parts = Object.entries(counts).map(([fate, count]) => `${count} ${fate}`);
  strip.setAttribute("aria-label", `Overview: of ${formatCount(messages.length, "message")}, ${parts.join(", ")}`);
  draw();
}

/** Marks the part that the list below shows. */
export function markInView(first: number, last: number): void {
  const { starts } = shown;
  const total = starts.at(-1) || 1;
  const from = (starts[first] ?? 0) / total;
  const to = (starts[last + 1] ?? total) / total;
  inView.style.left = `${100 * from}%`;
  inView.style.width = `${100 * (to - from)}%`;
  inView.hidden = shown.messages.length === 0 || to - from > 0.999;
}

function draw(): void {
  const scale = devicePixelRatio;
  const width = Math.round(frame.clientWidth * scale);
  const height = Math.round(strip.clientHeight * scale);
  strip.width = width;
  strip.height = height;
  const canvas = strip.getContext("2d");
  const total = shown.starts.at(-1) ?? 0;
  if (canvas === null || total === 0) {
    return;
  }
  const style = getComputedStyle(frame);
  const colours: Record<Fate, string> = {
    kept: style.getPropertyValue("--accent"),
    shortened: style.getPropertyValue("--accent"),
    excerpt: style.getPropertyValue("--accent"),
    "left out": style.getPropertyValue("--left-out"),
  };
  const edge = (position: number) => ((shown.starts[position] ?? total) / total) * width;
  const bar = (from: number, to: number, fate: Fate) => {
    const tall = Math.round(height * heights[fate]);
    canvas.fillStyle = colours[fate];
    canvas.fillRect(from, height - tall, to - from, tall);
  };
  // Where messages are wide enough to be told apart, they are.
  const isWide = width / shown.messages.length >= 4 * scale;
  // What is in goes on top, so that a single kept message among thousands is seen.
  const inOrder = [...shown.ranges].sort((one, other) => heights[one.fate] - heights[other.fate]);
  for (const { first, last, fate } of inOrder) {
    if (isWide) {
      for (let position = first; position <= last; position++) {
        const from = Math.round(edge(position));
        bar(from, Math.max(Math.round(edge(position + 1)) - scale, from + scale), fate);
      }
    } else {
      const from = edge(first);
      bar(from, Math.max(edge(last + 1), from + 2 * scale), fate);
    }
  }
}

function positionAt(event: MouseEvent): number | undefined {
  const { left, width } = frame.getBoundingClientRect();
  const { starts, messages } = shown;
  if (messages.length === 0 || width === 0) {
    return undefined;
  }
  const token = ((event.clientX - left) / width) * (starts.at(-1) ?? 0);
  let low = 0;
  let high = messages.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] as number) <= token) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

function fateAt(position: number): Fate | "" {
  return shown.ranges.find(({ last }) => position <= last)?.fate ?? "";
}
