// The budget: a number, and a slider beside it. The slider's steps grow with the budget.

import { find, formatNumber } from "./elements.js";

const slider = find<HTMLInputElement>("slider");
const input = find<HTMLInputElement>("max-tokens");
const SMALLEST = 20;
const STEPS = Number(slider.max);
let largest = 1000;

/** Runs `changed` when the slider is moved. The number is an option like any other. */
export function watchBudget(changed: () => void): void {
  slider.addEventListener("input", () => {
    input.value = String(budgetAt(Number(slider.value)));
    describe();
    changed();
  });
  input.addEventListener("input", placeSlider);
}

/** Fits the slider to a conversation that costs `tokens` as a whole. */
export function fitBudget(tokens: number): void {
  largest = Math.max(roundUp(tokens), SMALLEST * 10);
  placeSlider();
}

/** Sets the budget, as a round number; undefined for none. */
export function setBudget(tokens: number | undefined): void {
  input.value = tokens === undefined ? "" : String(round(tokens));
  placeSlider();
}

function budgetAt(step: number): number {
  return step === STEPS ? largest : round(SMALLEST * (largest / SMALLEST) ** (step / STEPS));
}

function placeSlider(): void {
  const budget = input.value === "" ? largest : Math.min(Math.max(Number(input.value), SMALLEST), largest);
  slider.value = String(Math.round((STEPS * Math.log(budget / SMALLEST)) / Math.log(largest / SMALLEST)));
  describe();
}

function describe(): void {
  slider.setAttribute(
    "aria-valuetext",
    input.value === "" ? "no limit" : `${formatNumber(Number(input.value))} tokens`,
  );
  slider.style.setProperty("--filled", `${(100 * Number(slider.value)) / STEPS}%`);
}

/** Rounds to what people would type: steps of 5, 50, 500. */
function round(tokens: number): number {
  const step = Math.max(5 * 10 ** (Math.floor(Math.log10(Math.max(tokens, 1))) - 2), 1);
  return Math.round(tokens / step) * step;
}

function roundUp(tokens: number): number {
  const step = 10 ** Math.max(Math.floor(Math.log10(Math.max(tokens, 1))) - 1, 0);
  return Math.ceil(tokens / step) * step;
}
