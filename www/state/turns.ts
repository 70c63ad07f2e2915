// The turns: of the conversation, or a line for each build of an app.

import { computed } from "@preact/signals";
import type { Turn } from "../engine/jobs.js";
import { state } from "./state.js";
import { live } from "./studio.js";

export function allTurns(): { readonly turns: readonly Turn[]; readonly isDone: boolean } {
  const isApp = state.source.value?.from === "app";
  return isApp ? { turns: live.builds.value.map(({ turn }) => turn), isDone: true } : state.turns.value;
}

/** The turns of side B; undefined without one. */
export function turnsOfB(): readonly Turn[] | undefined {
  return state.b.value === undefined || state.source.value?.from === "app" ? undefined : state.turnsB.value.turns;
}

/** Number of user messages. */
const requestCount = computed(() => (state.source.value?.messages ?? []).filter(({ role }) => role === "user").length);

/** The name of a turn. An agent's run has steps, because it calls the model more often than the user speaks. */
export function turnWord(): "turn" | "step" {
  const isRun = state.source.value?.from !== "app" && requestCount.value < allTurns().turns.length - 1;
  return isRun ? "step" : "turn";
}

/** The index of the shown turn among all turns. The last one is the present. */
export function shownTurn(): number {
  const { turns } = allTurns();
  if (state.source.value?.from === "app") {
    return live.shown.value ?? turns.length - 1;
  }
  const end = state.turn.value;
  if (end === undefined) {
    return turns.length - 1;
  }
  const index = turns.findIndex((turn) => turn.end >= end);
  return index < 0 ? turns.length - 1 : index;
}

/** The turn of the prompt that is shown; undefined while turns belong to another setup or budget. */
export function turnOnPage(): Turn | undefined {
  const { turns, isDone } = allTurns();
  const turn = turns[shownTurn()];
  const isShown = state.turn.value === undefined ? isDone : turn?.end === state.turn.value;
  const isOfPicture = turn?.tokens === state.picture.value?.context.tokens.total;
  return isShown && isOfPicture && !state.isOld.value ? turn : undefined;
}
