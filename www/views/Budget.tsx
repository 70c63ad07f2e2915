// The budget: a number, and a slider over a curve of the number of messages that fit.

import { useComputed } from "@preact/signals";
import { totalCost } from "../state/building.js";
import { formatCount, formatNumber } from "../state/names.js";
import { state } from "../state/state.js";
import "./Budget.css";

const STEPS = 1000;

/** The ends of the slider, and the part of it that is too small. */
function useScale() {
  return useComputed(() => {
    const curve = state.curve.value;
    const all = Math.max(curve?.all ?? totalCost(), 20);
    const needed = Math.max(curve?.needed ?? 1, 1);
    const low = Math.max(Math.min(needed * 0.6, all * 0.6), 10);
    const high = all * 1.04;
    const share = (tokens: number) => Math.min(Math.max(Math.log(tokens / low) / Math.log(high / low), 0), 1);
    const tokensAt = (at: number) => low * (high / low) ** at;
    return { share, tokensAt, needed, all };
  });
}

/** A number that a person would type, in steps of 5, 50 or 500. */
function stepAt(tokens: number): number {
  return Math.max(5 * 10 ** (Math.floor(Math.log10(Math.max(tokens, 1))) - 2), 1);
}

function round(tokens: number): number {
  const step = stepAt(tokens);
  return Math.round(tokens / step) * step;
}

export function Budget() {
  const scale = useScale();
  const { share, tokensAt, needed, all } = scale.value;
  const { budget, curve, picture } = state;
  const isTooSmall = state.failure.value?.code.startsWith("BUDGET_TOO_SMALL") === true;
  const kept = picture.value === undefined ? 0 : picture.value.messages.length - picture.value.counts["left out"];
  const words =
    budget.value === undefined
      ? "no limit"
      : `${formatCount(budget.value, "token")}, ${formatNumber(kept)} of ${formatCount(picture.value?.messages.length ?? 0, "message")}`;
  const slide = (step: number) => {
    const tokens = tokensAt(step / STEPS);
    state.budget.value = tokens >= all ? all : Math.min(Math.max(round(tokens), needed), all);
  };
  return (
    <div class="budget">
      <div class="budget-field">
        <label for="budget">Budget, tokens</label>
        <input
          id="budget"
          type="number"
          min="0"
          placeholder="no limit"
          value={budget.value ?? ""}
          aria-invalid={isTooSmall ? "true" : undefined}
          aria-errormessage={isTooSmall ? "build-failure" : undefined}
          onInput={({ currentTarget }) => {
            const { value, validity } = currentTarget;
            if (!validity.badInput) {
              state.budget.value = value === "" ? undefined : Number(value);
            }
          }}
        />
      </div>
      <div class="budget-plot">
        <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
          <rect class="small" x="0" y="0" width={share(needed) * 1000} height="100" />
          {curve.value !== undefined && <CurveShape share={share} />}
        </svg>
        <input
          id="slider"
          type="range"
          min={Math.ceil(share(needed) * STEPS)}
          max={STEPS}
          value={Math.round(share(budget.value ?? all) * STEPS)}
          style={{
            left: `calc(${share(needed)} * (100% - var(--thumb)))`,
            width: `calc(${1 - share(needed)} * (100% - var(--thumb)) + var(--thumb))`,
          }}
          onKeyDown={(event) => {
            const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[
              event.key
            ];
            if (way !== undefined) {
              event.preventDefault();
              const tokens = budget.value ?? all;
              state.budget.value = Math.min(Math.max(round(tokens) + way * stepAt(tokens), needed), all);
            }
          }}
          aria-label="Budget"
          aria-valuetext={words}
          onInput={({ currentTarget }) => slide(Number(currentTarget.value))}
        />
        <p class="budget-ends" aria-hidden="true">
          <span class="wrong">
            too small<span class="more"> below {formatNumber(needed)}</span>
          </span>
          <span>all fits at {formatNumber(all)}</span>
        </p>
      </div>
    </div>
  );
}

/** The share of messages that are in, over budgets. */
function CurveShape({ share }: { share: (tokens: number) => number }) {
  const curve = state.curve.value;
  if (curve === undefined || curve.budgets.length < 2) {
    return null;
  }
  const points = curve.budgets.map((budget, index) => {
    const y = 100 - 96 * ((curve.kept[index] ?? 0) / Math.max(curve.count, 1));
    return [share(budget) * 1000, y] as const;
  });
  const line = points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const last = points.at(-1)?.[1].toFixed(1);
  return (
    <>
      <path class="area" d={`${line} L1000,${last} L1000,100 L${points[0]?.[0].toFixed(1)},100 Z`} />
      <path class={curve.isDone ? "line" : "line is-rough"} d={`${line} L1000,${last}`} />
    </>
  );
}
