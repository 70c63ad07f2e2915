// The conversation: one dense line per message. Only the lines in view are in the document.

import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { CUT } from "../state/cuts.js";
import type { Line } from "../state/lines.js";
import { momentOf, oneLine, previewOf, speakerOf } from "../state/message.js";
import { formatCount, formatNumber } from "../state/names.js";
import type { Picture } from "../state/picture.js";
import { addMessage } from "../state/sources.js";
import { type Failure, failureOf, lines, state } from "../state/state.js";
import { movesBy, useSize } from "./drawing.js";
import { LINE, reveal, view } from "./geometry.js";
import { FailureBox } from "./parts.js";
import "./Rows.css";

/** The number of lines above and below the window that are rendered in advance. */
const SPARE = 6;

export function Rows() {
  const box = useRef<HTMLDivElement>(null);
  /** The line with the keyboard's focus. The head of a run shares its place with the run's first message. */
  const onHead = useSignal(false);
  const active = useComputed(() => {
    const { selected } = state;
    const index = selected.value === undefined ? -1 : lines.value.indexOf(selected.value);
    const isBehindHead = index > 0 && lines.value.at(index - 1)?.first === lines.value.at(index)?.first;
    return onHead.value && isBehindHead ? index - 1 : index;
  });

  useSize(box, (_, height) => {
    view.height.value = height;
  });

  useSignalEffect(() => {
    const position = reveal.value;
    const element = box.current;
    if (position !== undefined && element !== null) {
      reveal.value = undefined;
      scrollTo(element, lines.value.indexOf(position), true);
    }
  });

  const select = (index: number) => {
    const line = lines.value.at(index);
    if (line !== undefined) {
      onHead.value = line.isRun;
      state.selected.value = line.first;
      if (box.current !== null) {
        scrollTo(box.current, index, false);
      }
    }
  };
  const fold = ({ first, isRun }: Line) => {
    if (isRun) {
      const unfolded = new Set(state.unfolded.value);
      if (!unfolded.delete(first)) {
        unfolded.add(first);
      }
      onHead.value = true;
      state.unfolded.value = unfolded;
    }
  };
  const press = (event: KeyboardEvent) => {
    const page = Math.max(Math.floor(view.height.value / LINE) - 1, 1);
    const at = active.value;
    const last = lines.value.length - 1;
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: Math.max(at - 1, 0),
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: last,
    };
    movesBy(event, steps, last, select);
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      const line = lines.value.at(at);
      if (line !== undefined) {
        fold(line);
      }
    }
  };

  return (
    <section class="conversation" aria-labelledby="conversation-title" id="conversation" tabIndex={-1}>
      <Head />
      <div
        ref={box}
        class="rows"
        id="rows"
        role="listbox"
        aria-label="Messages"
        tabIndex={0}
        aria-activedescendant={active.value < 0 ? undefined : idOf(lines.value.at(active.value))}
        onScroll={({ currentTarget }) => {
          view.top.value = currentTarget.scrollTop;
        }}
        onKeyDown={press}
        onClick={({ target }) => {
          const index = Number((target as HTMLElement).closest<HTMLElement>("[data-index]")?.dataset.index ?? -1);
          const line = lines.value.at(index);
          if (line !== undefined) {
            select(index);
            fold(line);
          }
        }}
        onPointerLeave={() => {
          state.hovered.value = undefined;
        }}
      >
        <Lines active={active.value} />
      </div>
      <AddForm />
    </section>
  );
}

function scrollTo(element: HTMLElement, index: number, isCentred: boolean): void {
  const top = index * LINE;
  const { scrollTop, clientHeight } = element;
  if (top < scrollTop) {
    element.scrollTop = isCentred ? top - clientHeight / 3 : top;
  } else if (top + LINE > scrollTop + clientHeight) {
    element.scrollTop = isCentred ? top - clientHeight / 3 : top + LINE - clientHeight;
  }
}

function idOf(line: Line | undefined): string | undefined {
  return line === undefined ? undefined : `line-${line.first}${line.isRun ? "-run" : ""}`;
}

function Head() {
  const picture = state.picture.value;
  const counts = picture?.counts;
  const parts = Object.entries(counts ?? {})
    .filter(([fate, count]) => count > 0 || fate === "kept" || fate === "left out")
    .map(
      ([fate, count]) =>
        `${formatNumber(count)} ${(fate === "excerpt" || fate === "stub") && count > 1 ? `${fate}s` : fate}`,
    );
  return (
    <div class="pane-head">
      <p class="counts">
        <b id="conversation-title">Conversation</b>{" "}
        <span class="quiet" id="counts">
          {parts.join(", ")}
        </span>
      </p>
    </div>
  );
}

function Lines({ active }: { active: number }) {
  const picture = state.picture.value;
  const list = lines.value;
  const first = Math.max(Math.floor(view.top.value / LINE) - SPARE, 0);
  const last = Math.min(Math.ceil((view.top.value + view.height.value) / LINE) + SPARE, list.length);
  if (picture === undefined) {
    return null;
  }
  if (list.length === 0) {
    return <p class="empty quiet">There are no messages here.</p>;
  }
  const shown: number[] = [];
  for (let index = first; index < last; index++) {
    shown.push(index);
  }
  // The row with the keyboard's focus stays in the document, even out of view.
  if (active >= 0 && active < list.length && (active < first || active >= last)) {
    shown.push(active);
  }
  return (
    <div role="presentation" style={{ height: `${list.length * LINE}px` }}>
      {shown.map((index) => {
        const line = list.at(index) as Line;
        const props = { picture, line, index, count: list.length, isActive: index === active };
        return line.isRun ? <RunRow key={`r${line.first}`} {...props} /> : <MessageRow key={line.first} {...props} />;
      })}
    </div>
  );
}

interface RowProps {
  readonly picture: Picture;
  readonly line: Line;
  readonly index: number;
  readonly count: number;
  readonly isActive: boolean;
}

/** The smallest budget at which a message is in the prompt, in words; undefined if unknown. */
function comesIn(first: number, last: number): string | undefined {
  const curve = state.turn.value === undefined ? state.curve.value : undefined;
  if (curve?.isDone !== true || curve.count <= last) {
    return undefined;
  }
  let best = Number.POSITIVE_INFINITY;
  for (let position = first; position <= last; position++) {
    best = Math.min(best, curve.from[position] ?? best);
  }
  return Number.isFinite(best) ? formatNumber(best) : "never";
}

function MessageRow({ picture, line, index, count, isActive }: RowProps) {
  const position = line.first;
  const message = picture.messages[position];
  if (message === undefined) {
    return null;
  }
  const other = state.other.value;
  const fate = picture.fateOf(position);
  const isIn = fate !== "left out";
  const isCut = isIn && fate !== "kept";
  const [chip, why] = picture.chipOf(position);
  const [, whyB] = other?.chipOf(position) ?? [];
  const isInB = other !== undefined && other.fateOf(position) !== "left out";
  const at = isIn ? undefined : comesIn(position, position);
  const words = isIn ? chip : at === undefined || at === "never" ? chip : `fits from ${at}`;
  const compared = other === undefined ? words : isIn ? (isInB ? "in both" : "only in A") : isInB ? "only in B" : words;
  const isHovered = state.hovered.value === position;
  return (
    <div
      id={idOf(line)}
      class={`row ${isIn || isInB ? "is-in" : "is-out"}${isCut ? " is-cut" : ""}${isHovered ? " is-hovered" : ""}${isActive ? " is-active" : ""}`}
      role="option"
      aria-selected={isActive}
      aria-setsize={count}
      aria-posinset={index + 1}
      data-index={index}
      data-position={position}
      data-fate={fate}
      tabIndex={-1}
      style={{
        transform: `translateY(${index * LINE}px)`,
        "--why": `var(--why-${isIn ? why : "out"})`,
        "--why-b": `var(--why-${isInB ? whyB : "out"})`,
      }}
      title={momentOf(message)}
      onPointerEnter={() => {
        state.hovered.value = position;
      }}
    >
      <span class={other === undefined ? "mark" : "mark two"} aria-hidden="true" />
      <span class="number">{position}</span>
      <span class="who">{speakerOf(message)}</span>
      <span class="text">
        {isCut ? <Excerpt text={picture.context.explain(position).shortenedText ?? ""} /> : previewOf(message)}
      </span>
      <span class="chip">{compared}</span>
      <span class="tokens">{formatNumber(picture.tokensOf(position))}</span>
    </div>
  );
}

function Excerpt({ text }: { text: string }) {
  // The odd ones are the marks.
  const parts = text.slice(0, 600).split(CUT);
  return (
    <>
      {parts.map((part, index) => {
        if (index % 2 === 0) {
          return oneLine(part);
        }
        const figure = part.match(/[\d,]+/)?.[0] ?? "";
        return (
          <span class="cut" key={`${index}${part}`}>
            {part.startsWith("[truncated") ? part.slice(1, -1) : `${figure} cut`}
          </span>
        );
      })}
    </>
  );
}

function RunRow({ picture, line, index, count, isActive }: RowProps) {
  const { first, last } = line;
  const isUnfolded = state.unfolded.value.has(first);
  const at = comesIn(first, last);
  const hovered = state.hovered.value ?? -1;
  let tokens = 0;
  for (let position = first; position <= last; position++) {
    tokens += picture.tokensOf(position);
  }
  const length = last - first + 1;
  const [reason] = picture.chipOf(first);
  const words = at === undefined || at === "never" ? reason : `fits from ${at}`;
  return (
    <div
      id={idOf(line)}
      class={`row is-out is-run${hovered >= first && hovered <= last && !isUnfolded ? " is-hovered" : ""}${isActive ? " is-active" : ""}`}
      role="option"
      aria-selected={isActive}
      aria-setsize={count}
      aria-posinset={index + 1}
      data-index={index}
      tabIndex={-1}
      style={{ transform: `translateY(${index * LINE}px)`, "--why": "var(--why-out)" }}
      onPointerEnter={() => {
        state.hovered.value = undefined;
      }}
    >
      <span class="mark" aria-hidden="true" />
      <span class="number">
        {first}–{last}
      </span>
      <span class="who">left out</span>
      <span class="text">
        {formatCount(length, "message")} <span aria-hidden="true">{isUnfolded ? "▾" : "▸"}</span>
        <span class="visually-hidden">{isUnfolded ? ", unfolded" : ", folded"}</span>
      </span>
      <span class="chip">{words}</span>
      <span class="tokens">{formatNumber(tokens)}</span>
    </div>
  );
}

/** Adds a message to a saved conversation. */
function AddForm() {
  const failure = useSignal<Failure | undefined>(undefined);
  const text = useSignal("");
  if (state.source.value?.session === undefined) {
    return null;
  }
  const add = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const role = (form.elements.namedItem("role") as HTMLSelectElement).value;
    const content = text.value;
    if (content.trim() === "") {
      return;
    }
    text.value = "";
    try {
      await addMessage(role, content);
      failure.value = undefined;
      reveal.value = (state.source.value?.messages.length ?? 1) - 1;
    } catch (thrown) {
      text.value ||= content;
      failure.value = failureOf(thrown);
    }
  };
  return (
    <form class="add" id="add" autocomplete="off" onSubmit={(event) => void add(event)}>
      <select name="role" aria-label="Who speaks" id="add-role">
        <option>user</option>
        <option>assistant</option>
        <option>system</option>
      </select>
      <input
        id="add-text"
        type="text"
        aria-label="A message to add"
        placeholder="Add a message to this saved conversation"
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
      <button class="button" type="submit">
        Add
      </button>
      {failure.value !== undefined && <FailureBox failure={failure.value} id="add-error" />}
    </form>
  );
}
