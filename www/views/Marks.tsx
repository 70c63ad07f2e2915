// This prompt: a mark for each message, as wide as its tokens, in the color of its reason.

import { useRef } from "preact/hooks";
import { costsShown } from "../state/building.js";
import { formatNumber } from "../state/names.js";
import type { Costs, Picture } from "../state/picture.js";
import { lines, state } from "../state/state.js";
import { colourOf, shareAt, useDrawing } from "./drawing.js";
import { LINE, reveal, view } from "./geometry.js";
import { Sides } from "./Turns.js";

export function Marks() {
  const frame = useRef<HTMLSpanElement>(null);
  const canvas = useDrawing((context, width, height) => {
    const picture = state.picture.value;
    const costs = costsShown();
    if (picture !== undefined && costs !== undefined) {
      const other = state.other.value;
      const half = other === undefined ? height : height / 2 - 1;
      drawMarks(context, width, half, picture, costs);
      if (other !== undefined) {
        context.save();
        context.translate(0, height / 2 + 1);
        drawMarks(context, width, half, other, costs);
        context.restore();
      }
      if (frame.current !== null) {
        placeFrame(frame.current, picture, costs);
      }
    }
  });

  const picture = state.picture.value;
  const other = state.other.value;
  const words = other === undefined ? wordsOf(picture) : `A: ${wordsOf(picture)}; B: ${wordsOf(other)}`;
  const at = (event: MouseEvent): number | undefined => {
    const costs = costsShown();
    const count = state.picture.value?.messages.length ?? 0;
    return costs === undefined || count === 0
      ? undefined
      : positionAt(costs.starts, count, shareAt(event) * (costs.starts[count] ?? 0));
  };
  return (
    <>
      <div class="strip-head">
        <b>This prompt</b>
        <span class="quiet">width: tokens</span>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the list below has the same for the keyboard. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list below has the same for the keyboard. */}
      <div
        class="strip marks"
        onPointerMove={(event) => {
          state.hovered.value = at(event);
        }}
        onPointerLeave={() => {
          state.hovered.value = undefined;
        }}
        onClick={(event) => {
          const position = at(event);
          if (position !== undefined) {
            state.selected.value = position;
            reveal.value = position;
          }
        }}
      >
        <canvas ref={canvas} role="img" aria-label={`This prompt: ${words}`} />
        <Sides />
        <span class="in-view" ref={frame} />
      </div>
    </>
  );
}

function wordsOf(picture: Picture | undefined): string {
  const counts = Object.entries(picture?.counts ?? {});
  return counts.map(([fate, count]) => `${formatNumber(count)} ${fate}`).join(", ");
}

function positionAt(starts: Float64Array, count: number, token: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] ?? 0) <= token) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/** The heights of messages that are left out or cut, so that color isn't the only sign of a fate. */
const SHORT = 0.26;
const CUT = 0.62;

function drawMarks(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  picture: Picture,
  costs: Costs,
): void {
  const count = picture.messages.length;
  const total = costs.starts[count] ?? 1;
  const edge = (position: number) => ((costs.starts[position] ?? total) / total) * width;
  const isWide = width / Math.max(count, 1) >= 3;
  const bar = (from: number, to: number, tall: number, colour: string) => {
    context.fillStyle = colourOf(colour);
    context.fillRect(from, height - tall, to - from, tall);
  };
  // Messages of the prompt are drawn last, so that a single one among thousands is seen.
  for (const isIn of [false, true]) {
    for (const { first, last, fate } of picture.runs) {
      if ((fate !== "left out") !== isIn) {
        continue;
      }
      if (!isIn && !isWide) {
        bar(edge(first), edge(last + 1), height * SHORT, "why-out");
        continue;
      }
      const tall = isIn ? (fate === "kept" ? height : height * CUT) : height * SHORT;
      // Neighbors of one color are one bar, unless there is room for a gap; so are those within one pixel.
      let from = edge(first);
      for (let position = first; position <= last; position++) {
        const why = isIn ? picture.chipOf(position)[1] : "out";
        const to = edge(position + 1);
        const isSame = position < last && !isWide && (to - from < 1 || picture.chipOf(position + 1)[1] === why);
        if (!isSame) {
          bar(from, Math.max(to - (isWide ? 1 : 0), from + 0.75), tall, `why-${why}`);
          from = to;
        }
      }
    }
  }
  for (const [position, colour] of [
    [state.selected.value, "accent"],
    [state.hovered.value, "ink"],
  ] as const) {
    if (position !== undefined && position >= 0 && position < count) {
      const from = edge(position);
      context.strokeStyle = colourOf(colour);
      context.lineWidth = 1.5;
      context.strokeRect(from - 1.5, 0.75, Math.max(edge(position + 1) - from + 2, 4), height - 1.5);
    }
  }
}

/** Marks the part that the list below shows. */
function placeFrame(frame: HTMLElement, picture: Picture, { starts }: Costs): void {
  const list = lines.value;
  const count = picture.messages.length;
  const total = starts[count] ?? 1;
  const first = list.at(Math.floor(view.top.value / LINE))?.first ?? 0;
  const lastLine = Math.min(Math.ceil((view.top.value + view.height.value) / LINE), list.length) - 1;
  const last = list.at(lastLine)?.last ?? count - 1;
  const from = (starts[first] ?? 0) / total;
  const to = (starts[last + 1] ?? total) / total;
  frame.style.left = `${100 * from}%`;
  frame.style.width = `${100 * (to - from)}%`;
  frame.hidden = to - from > 0.999;
}
