// The legend: the meaning of each color in the charts that are shown.

import { type Why, whyTitles } from "../state/reasons.js";
import { state } from "../state/state.js";
import { allTurns, turnsOfB, turnWord } from "../state/turns.js";

export function Legend() {
  const picture = state.picture.value;
  const other = state.other.value;
  const shown = new Set([...(picture?.whys ?? []), ...(other?.whys ?? [])]);
  if ([picture, other].some((one) => (one?.counts["left out"] ?? 0) > 0)) {
    shown.add("out");
  }
  const word = turnWord();
  const turns = [...allTurns().turns, ...(turnsOfB() ?? [])];
  return (
    <div class="legend" id="legend">
      {state.curve.value !== undefined && (
        <dl>
          <dt>Budget</dt>
          <Entry color="curve" words="messages that fit" />
        </dl>
      )}
      <dl>
        <dt>{word === "turn" ? "Turns" : "Steps"}</dt>
        <Entry color="same" words={`same as the ${word} before`} />
        <Entry color="fresh" words="new" />
        {turns.some(({ failure }) => failure !== undefined) && <Entry color="wrong" words="the build failed" />}
      </dl>
      <dl>
        <dt>Messages</dt>
        {(Object.keys(whyTitles) as Why[])
          .filter((why) => shown.has(why))
          .map((why) => (
            <Entry key={why} color={`why-${why}`} words={whyTitles[why]} />
          ))}
      </dl>
    </div>
  );
}

function Entry({ color, words }: { color: string; words: string }) {
  return (
    <dd>
      <i style={{ "--color": `var(--${color})` }} />
      {words}
    </dd>
  );
}
