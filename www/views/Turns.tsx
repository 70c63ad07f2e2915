// Every turn: a bar for the prompt that was sent. The solid part is the same as at the turn before.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Turn } from "../engine/jobs.js";
import { previewOf } from "../state/message.js";
import { formatCount } from "../state/names.js";
import { state } from "../state/state.js";
import { showLive } from "../state/studio.js";
import { allTurns, shownTurn, turnsOfB, turnWord } from "../state/turns.js";
import { colourOf, movesBy, shareAt, useDrawing } from "./drawing.js";
import { reveal } from "./geometry.js";
import "./Strips.css";

const STEP_MS = 220;

/** Shows a turn. The last one is the present. */
export function showTurn(index: number): void {
  const { turns, isDone } = allTurns();
  const last = turns.length - 1;
  const at = Math.min(Math.max(index, 0), last);
  const turn = turns[at];
  if (turn === undefined) {
    return;
  }
  if (state.source.value?.from === "app") {
    showLive(at);
    return;
  }
  const end = at === last && isDone ? undefined : turn.end;
  state.turn.value = end;
  reveal.value = (end ?? state.source.value?.messages.length ?? 1) - 1;
}

function wordsAt(index: number): string {
  const { turns, isDone } = allTurns();
  const turn = turns[index];
  if (turn === undefined) {
    return "no turns yet";
  }
  const isApp = state.source.value?.from === "app";
  const name = isApp
    ? `build ${index + 1} of ${turns.length}`
    : isDone && index === turns.length - 1
      ? "now"
      : `${turnWord()} ${index + 1} of ${turns.length - (isDone ? 1 : 0)}`;
  if (turn.failure !== undefined) {
    return `${name}: ${turn.failure}`;
  }
  const other = turnsOfB()?.[index];
  const ofB = other === undefined ? "" : `; B: ${wordsOfTurn(other)}`;
  const message = state.source.value?.messages[turn.end - 1];
  const said = message === undefined || name === "now" ? "" : `, “${previewOf(message).slice(0, 60)}”`;
  return `${name}: ${ofB === "" ? "" : "A: "}${wordsOfTurn(turn)}${ofB}${said}`;
}

function wordsOfTurn({ tokens, reused, failure }: Turn): string {
  const share = Math.round((100 * reused) / Math.max(tokens, 1));
  return failure ?? `${formatCount(tokens, "token")}, ${share} % the same as before`;
}

/** The names of the two sides, next to their halves of a strip. */
export function Sides() {
  return state.b.value === undefined ? null : (
    <span class="sides" aria-hidden="true">
      <b>A</b>
      <b>B</b>
    </span>
  );
}

export function Turns() {
  const isPlaying = useSignal(false);
  const pointed = useSignal<number | undefined>(undefined);
  const { turns, isDone } = allTurns();
  const index = shownTurn();
  const last = turns.length - 1;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;

  useEffect(() => {
    if (!isPlaying.value) {
      return undefined;
    }
    const timer = setInterval(
      () => {
        const at = shownTurn();
        if (at >= allTurns().turns.length - 1) {
          isPlaying.value = false;
        } else {
          showTurn(at + 1);
        }
      },
      isStill ? 3 * STEP_MS : STEP_MS,
    );
    return () => clearInterval(timer);
  }, [isPlaying.value]);

  const canvas = useDrawing((context, width, height) => drawTurns(context, width, height, pointed.value));

  const at = (event: MouseEvent): number => Math.min(Math.max(Math.floor(shareAt(event) * turns.length), 0), last);
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowLeft: index - 1,
      ArrowDown: index - 1,
      ArrowRight: index + 1,
      ArrowUp: index + 1,
      PageDown: index - 10,
      PageUp: index + 10,
      Home: 0,
      End: last,
    };
    movesBy(event, steps, last, (to) => {
      isPlaying.value = false;
      showTurn(to);
    });
  };
  const play = () => {
    if (!isPlaying.value && index >= last) {
      showTurn(0);
    }
    isPlaying.value = !isPlaying.value;
  };
  return (
    <>
      <div class="strip-head">
        <b>Every {turnWord()}</b>
        <div class="buttons">
          <button
            type="button"
            class="icon-button"
            aria-label="Turn before"
            disabled={index <= 0}
            onClick={() => showTurn(index - 1)}
          >
            ◀
          </button>
          <button type="button" class="icon-button words" id="play" disabled={last < 1} onClick={play}>
            {isPlaying.value ? "Pause" : "Play"}
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label="Next turn"
            disabled={index >= last}
            onClick={() => showTurn(index + 1)}
          >
            ▶
          </button>
          <button
            type="button"
            class="icon-button words"
            id="turn-now"
            disabled={index === last}
            onClick={() => {
              isPlaying.value = false;
              showTurn(last);
            }}
          >
            Now
          </button>
        </div>
      </div>
      <div
        class="strip turns"
        id="turns"
        role="slider"
        tabIndex={0}
        aria-label="Every turn"
        aria-valuemin={1}
        aria-valuemax={Math.max(turns.length, 1)}
        aria-valuenow={Math.max(index + 1, 1)}
        aria-valuetext={wordsAt(index)}
        aria-busy={!isDone}
        title={pointed.value === undefined ? wordsAt(index) : wordsAt(pointed.value)}
        onKeyDown={press}
        onPointerDown={(event) => {
          isPlaying.value = false;
          event.currentTarget.setPointerCapture(event.pointerId);
          showTurn(at(event));
        }}
        onPointerMove={(event) => {
          const to = at(event);
          pointed.value = to;
          if (event.buttons === 1 && to !== shownTurn()) {
            showTurn(to);
          }
        }}
        onPointerLeave={() => {
          pointed.value = undefined;
        }}
      >
        <canvas ref={canvas} />
        <Sides />
      </div>
    </>
  );
}

/** The place of a side's bars, and the tokens of the tallest bar. */
interface SidePlace {
  readonly step: number;
  readonly most: number;
  readonly top: number;
  readonly height: number;
}

function drawSide(
  context: CanvasRenderingContext2D,
  turns: readonly Turn[],
  { step, most, top, height }: SidePlace,
): void {
  const gap = step > 4 ? 1 : 0;
  const room = height - 4;
  for (const [index, { tokens, reused, failure }] of turns.entries()) {
    const left = index * step;
    const wide = Math.max(step - gap, 0.75);
    if (failure !== undefined) {
      context.fillStyle = colourOf("wrong");
      context.fillRect(left, top, wide, 3);
      continue;
    }
    const tall = (tokens / most) * room;
    const same = (reused / most) * room;
    context.fillStyle = colourOf("fresh");
    context.fillRect(left, top + room - tall, wide, tall - same);
    context.fillStyle = colourOf("same");
    context.fillRect(left, top + room - same, wide, same);
  }
}

/** Draws the turns of the page: those of A above those of B if there are two sides. */
function drawTurns(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  pointed: number | undefined,
): void {
  const { turns } = allTurns();
  const other = turnsOfB();
  const all = [...turns, ...(other ?? [])];
  const most = Math.max(...all.map(({ tokens }) => tokens), 1);
  const step = width / Math.max(turns.length, 1);
  if (other === undefined) {
    drawSide(context, turns, { step, most, top: 0, height });
  } else {
    drawSide(context, turns, { step, most, top: 0, height: height / 2 });
    drawSide(context, other, { step, most, top: height / 2, height: height / 2 });
  }
  const shown = shownTurn();
  const frame = (index: number, colour: string) => {
    context.strokeStyle = colourOf(colour);
    context.lineWidth = 1.5;
    context.strokeRect(index * step - 0.5, 0.75, Math.max(step, 3) + 0.5, height - 1.5);
  };
  if (pointed !== undefined && pointed !== shown) {
    frame(pointed, "field-line");
  }
  if (turns.length > 0) {
    frame(shown, "ink");
  }
}
