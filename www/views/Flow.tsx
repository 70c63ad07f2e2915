// The lines between conversation and prompt, on a canvas: a ribbon for each message in view that is in the prompt.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { lineOf, lines, state } from "../state/state.js";
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
  const { spans } = layout.value;
  const list = lines.value;
  const top = view.top.value;
  const lit = state.hovered.value ?? state.selected.value;
  if (picture === undefined) {
    return;
  }
  const ribbon = (position: number, from: number, isLit: boolean) => {
    const span = spans.get(position);
    if (span === undefined) {
      return;
    }
    const [, why] = picture.chipOf(position);
    const [upper, lower] = span;
    const middle = width / 2;
    context.beginPath();
    context.moveTo(0, from + 2);
    context.bezierCurveTo(middle, from + 2, middle, upper, width, upper);
    context.lineTo(width, Math.max(lower - 1, upper + 1));
    context.bezierCurveTo(middle, Math.max(lower - 1, upper + 1), middle, from + LINE - 2, 0, from + LINE - 2);
    context.closePath();
    context.globalAlpha = isLit ? 0.75 : 0.2;
    context.fillStyle = colourOf(`why-${why}`);
    context.fill();
  };
  const first = Math.max(Math.floor(top / LINE), 0);
  const last = Math.min(Math.ceil((top + height) / LINE), list.length);
  for (let index = first; index < last; index++) {
    const line = list[index];
    if (line !== undefined && !line.isRun && line.first !== lit && picture.fateOf(line.first) !== "left out") {
      ribbon(line.first, index * LINE - top, false);
    }
  }
  if (lit !== undefined && lit >= 0 && lit < picture.messages.length && picture.fateOf(lit) !== "left out") {
    ribbon(lit, Math.min(Math.max(lineOf(lit) * LINE - top, -LINE), height), true);
  }
  context.globalAlpha = 1;
}
