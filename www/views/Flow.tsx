// The lines between conversation and prompt, on a canvas: a ribbon for each message in view that is in the prompt.

import { lines, state } from "../state/state.js";
import { colourOf, useDrawing } from "./drawing.js";
import { LINE, layout, view } from "./geometry.js";

export function Flow() {
  const canvas = useDrawing(drawRibbons);
  return (
    <div class="flow-lines" aria-hidden="true">
      <canvas ref={canvas} />
    </div>
  );
}

function drawRibbons(context: CanvasRenderingContext2D, width: number, height: number): void {
  const picture = state.picture.value;
  const scale = layout.value?.scale ?? 0;
  const list = lines.value;
  const top = view.top.value;
  const lit = state.hovered.value ?? state.selected.value;
  if (picture === undefined) {
    return;
  }
  const middle = width / 2;
  const ribbon = (position: number, from: number, isLit: boolean) => {
    const span = picture.spanOf(position);
    if (span === undefined) {
      return;
    }
    const upper = span[0] * scale;
    const lower = Math.max(span[1] * scale - 1, upper + 1);
    context.beginPath();
    context.moveTo(0, from + 2);
    context.bezierCurveTo(middle, from + 2, middle, upper, width, upper);
    context.lineTo(width, lower);
    context.bezierCurveTo(middle, lower, middle, from + LINE - 2, 0, from + LINE - 2);
    context.closePath();
    context.globalAlpha = isLit ? 0.75 : 0.2;
    context.fillStyle = colourOf(`why-${picture.chipOf(position)[1]}`);
    context.fill();
  };
  const first = Math.max(Math.floor(top / LINE), 0);
  const last = Math.min(Math.ceil((top + height) / LINE), list.length);
  for (let index = first; index < last; index++) {
    const line = list.at(index);
    if (line !== undefined && !line.isRun && line.first !== lit) {
      ribbon(line.first, index * LINE - top, false);
    }
  }
  if (lit !== undefined && lit >= 0 && lit < picture.messages.length) {
    ribbon(lit, Math.min(Math.max(list.indexOf(lit) * LINE - top, -LINE), height), true);
  }
  context.globalAlpha = 1;
}
