// The lines between conversation and prompt, on a canvas: a ribbon for each message in view that is in the prompt.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { lines, state } from "../state/state.js";
import { LINE, layout, view } from "./geometry.js";

/** The colours of the page, read once for each theme. */
const colours = new Map<string, string>();
let coloursOf: boolean | undefined;

export function colourOf(name: string): string {
  if (coloursOf !== view.isDark.value) {
    coloursOf = view.isDark.value;
    colours.clear();
  }
  let colour = colours.get(name);
  if (colour === undefined) {
    colour = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
    colours.set(name, colour);
  }
  return colour;
}

export function Flow() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const draw = () => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (element == null || context == null) {
      return;
    }
    const scale = devicePixelRatio;
    const width = element.clientWidth;
    const height = element.clientHeight;
    if (element.width !== width * scale || element.height !== height * scale) {
      element.width = width * scale;
      element.height = height * scale;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    drawRibbons(context, width, height);
  };
  useEffect(() => {
    const observer = new ResizeObserver(draw);
    if (canvas.current !== null) {
      observer.observe(canvas.current);
    }
    return () => observer.disconnect();
  }, []);
  // Whatever it reads draws again where it changes.
  useSignalEffect(draw);
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
    const piece = picture.pieceOf(position);
    if (piece < 0) {
      return;
    }
    const upper = (picture.starts[piece] ?? 0) * scale;
    const lower = Math.max((picture.starts[piece + 1] ?? 0) * scale - 1, upper + 1);
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
