// Draws on canvases that fit their place, and reads the pointer and the keyboard.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { view } from "./geometry.js";

/** The colors of the page, read once for each theme. */
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

/** Draws on the canvas of a component, and again when its size or a signal that `draw` reads changes. */
export function useDrawing(draw: (context: CanvasRenderingContext2D, width: number, height: number) => void) {
  const canvas = useRef<HTMLCanvasElement>(null);
  // Measuring the canvas here would force a layout in the middle of a frame.
  const size = useRef<readonly [width: number, height: number]>([0, 0]);
  const drawAll = () => {
    const context = canvas.current?.getContext("2d");
    if (context != null) {
      const [width, height] = size.current;
      fit(context, width, height);
      draw(context, width, height);
    }
  };
  useSignalEffect(drawAll);
  useSize(canvas, (width, height) => {
    size.current = [width, height];
    drawAll();
  });
  return canvas;
}

/** Calls back with the size of an element, now and when it changes. */
export function useSize(
  element: { readonly current: Element | null },
  hear: (width: number, height: number) => void,
): void {
  useEffect(() => {
    const { current } = element;
    if (current === null) {
      return undefined;
    }
    const observer = new ResizeObserver(() => hear(current.clientWidth, current.clientHeight));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
}

/** Fits a canvas to its place, and clears it. */
function fit(context: CanvasRenderingContext2D, width: number, height: number): void {
  const { canvas } = context;
  const [wide, tall] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  if (canvas.width !== wide || canvas.height !== tall) {
    canvas.width = wide;
    canvas.height = tall;
  }
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
}

/** The pointer's place along an element, from 0 to 1. */
export function shareAt({ clientX, currentTarget }: MouseEvent): number {
  const { left, width } = (currentTarget as HTMLElement).getBoundingClientRect();
  return (clientX - left) / width;
}

/** Moves through a list with a key. `steps` has the new position for each key, which is kept within the list. */
export function movesBy(
  event: KeyboardEvent,
  steps: Readonly<Record<string, number>>,
  last: number,
  move: (to: number) => void,
): void {
  const to = steps[event.key];
  if (to !== undefined) {
    event.preventDefault();
    move(Math.min(Math.max(to, 0), last));
  }
}
