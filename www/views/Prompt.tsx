// The prompt: a block for each piece, as tall as it has tokens, in the shape of the provider.

import { useEffect, useRef } from "preact/hooks";
import { momentOf, oneLine, previewOf, speakerOf } from "../state/message.js";
import { formatCount, formatNumber } from "../state/names.js";
import type { Picture, Piece } from "../state/picture.js";
import { groupsOf, sentBy } from "../state/request.js";
import { type Shape, shapes, shapeTitles, textFormat, withOption } from "../state/setup.js";
import { state } from "../state/state.js";
import { type Block, type Layout, layout, layoutOf, reveal, view } from "./geometry.js";
import { CopyButton, FailureBox, openPanel, Panel } from "./parts.js";
import "./Prompt.css";

export function Prompts() {
  const { picture, other } = state;
  return (
    <div class={other.value === undefined ? "prompts" : "prompts two"}>
      {picture.value !== undefined && (
        <Prompt picture={picture.value} layout={layout.value} name={other.value && "A"} />
      )}
      {other.value !== undefined && (
        <Prompt picture={other.value} layout={layoutOf(other.value, view.column.value)} name="B" />
      )}
    </div>
  );
}

/** Chooses the shape; the words beside it are those of the provider. */
function Shapes() {
  return (
    <fieldset class="choice" id="shapes">
      <legend class="visually-hidden">The shape of the prompt</legend>
      {shapes.map((shape) => (
        <label key={shape}>
          <input
            type="radio"
            name="shape"
            value={shape}
            checked={state.shape.value === shape}
            onChange={() => chooseShape(shape)}
          />
          <span>{shapeTitles[shape]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function chooseShape(shape: Shape): void {
  state.shape.value = shape;
}

interface PromptProps {
  readonly picture: Picture;
  readonly layout: Layout;
  readonly name: string | undefined;
}

function Prompt({ picture, layout: own, name }: PromptProps) {
  const column = useRef<HTMLDivElement>(null);
  const isFirst = name !== "B";
  useEffect(() => {
    const element = column.current;
    if (element === null || !isFirst) {
      return undefined;
    }
    const observer = new ResizeObserver(() => {
      view.column.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isFirst]);
  const id = isFirst ? "blocks" : "blocks-b";
  const failure = isFirst ? state.refusal.value : undefined;
  return (
    <section class="prompt" aria-label={name === undefined ? "Prompt" : `Prompt of ${name}`}>
      <div class="pane-head">
        <b>{name ?? "Prompt"}</b>
        {isFirst && <Shapes />}
      </div>
      {failure !== undefined && <FailureBox failure={failure} />}
      <div class="column" ref={column}>
        <Rail picture={picture} layout={own} />
        <Blocks id={id} picture={picture} layout={own} />
        {isFirst && <Same layout={own} />}
      </div>
      <Foot picture={picture} isFirst={isFirst} />
    </section>
  );
}

/** The provider's roles beside the blocks. */
function Rail({ picture, layout: own }: { picture: Picture; layout: Layout }) {
  const tops: number[] = [];
  let at = 0;
  for (const { tokens } of picture.pieces) {
    tops.push(at);
    at += tokens * own.scale;
  }
  tops.push(at);
  return (
    <div class="rail" aria-hidden="true">
      {groupsOf(picture).map(({ role, first, last }) => {
        const top = tops[first] ?? 0;
        const height = (tops[last + 1] ?? top) - top - 1;
        return height < 6 ? null : (
          <span key={first} style={{ top: `${top}px`, height: `${height}px` }}>
            {height < 12 ? "" : role}
          </span>
        );
      })}
    </div>
  );
}

function textOfPiece(picture: Picture, { position, text, name }: Piece): string {
  const message = position >= 0 ? picture.messages[position] : undefined;
  return message === undefined ? oneLine(text) || name : previewOf(message);
}

function nameOfPiece(picture: Picture, { position, name, role }: Piece): string {
  const message = position >= 0 ? picture.messages[position] : undefined;
  return message === undefined ? name || role : speakerOf(message);
}

/** What a block says; one that is too thin for a line says it to those who hear it. */
function Words({ picture, block: { pieces, height } }: { picture: Picture; block: Block }) {
  const tokens = Math.round(pieces.reduce((sum, piece) => sum + piece.tokens, 0));
  const [piece] = pieces;
  const isOne = pieces.length === 1 && piece !== undefined;
  return (
    <span class={height < 12 ? "visually-hidden" : "words"}>
      <span class="figure">
        {formatNumber(tokens)}
        <span class="visually-hidden"> tokens </span>
      </span>
      <b>{isOne ? nameOfPiece(picture, piece) : formatCount(pieces.length, "piece")}</b>{" "}
      {isOne ? textOfPiece(picture, piece) : ""}
    </span>
  );
}

function Blocks({ id, picture, layout: own }: { id: string; picture: Picture; layout: Layout }) {
  const { blocks } = own;
  const selected = state.selected.value;
  const hovered = state.hovered.value;
  const active = blocks.findIndex(({ pieces }) => pieces.some(({ position }) => position === selected));
  const select = (index: number) => {
    const piece = blocks[index]?.pieces[0];
    if (piece !== undefined) {
      state.selected.value = piece.position;
      if (piece.position >= 0) {
        reveal.value = piece.position;
      }
    }
  };
  const press = (event: KeyboardEvent) => {
    const last = blocks.length - 1;
    const steps: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: last };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      select(Math.min(Math.max(to, 0), last));
    }
  };
  return (
    <div
      class="blocks"
      id={id}
      role="listbox"
      aria-label="Pieces of the prompt"
      tabIndex={0}
      aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
      onKeyDown={press}
      onClick={({ target }) =>
        select(Number((target as HTMLElement).closest<HTMLElement>("[data-index]")?.dataset.index ?? -1))
      }
      onPointerLeave={() => {
        state.hovered.value = undefined;
      }}
    >
      {blocks.map((block, index) => {
        const { pieces, top, height } = block;
        const piece = pieces[0] as Piece;
        const isLit = hovered !== undefined && pieces.some(({ position }) => position === hovered);
        const message = piece.position >= 0 ? picture.messages[piece.position] : undefined;
        return (
          <div
            key={piece.position}
            id={`${id}-${index}`}
            data-index={index}
            class={`block ${piece.why}${isLit ? " is-lit" : ""}`}
            role="option"
            aria-selected={index === active}
            data-tokens={Math.round(pieces.reduce((sum, one) => sum + one.tokens, 0))}
            tabIndex={-1}
            title={message === undefined ? undefined : momentOf(message)}
            style={{
              top: `${top}px`,
              height: `${height}px`,
              lineHeight: `${Math.min(height - 1, 18)}px`,
              "--why": `var(--why-${piece.why})`,
            }}
            onPointerEnter={() => {
              state.hovered.value = piece.position;
            }}
          >
            <Words picture={picture} block={block} />
          </div>
        );
      })}
    </div>
  );
}

/** The line down to which the prompt is the same as at the turn before. */
function Same({ layout: own }: { layout: Layout }) {
  const { turns, isDone } = state.turns.value;
  const end = state.turn.value;
  const turn = end === undefined ? (isDone ? turns.at(-1) : undefined) : turns.find((one) => one.end === end);
  if (turn === undefined || turn.reused === 0 || state.isOld.value) {
    return null;
  }
  const top = turn.reused * own.scale;
  return top > own.end + 1 ? null : (
    <div class="same" style={{ top: `${Math.max(top - 1, 0)}px` }}>
      <span>same as last turn ↑</span>
    </div>
  );
}

function Foot({ picture, isFirst }: { picture: Picture; isFirst: boolean }) {
  const { tokens } = picture.context;
  const free = tokens.limit == null ? undefined : tokens.limit - tokens.total;
  const id = isFirst ? "body" : "body-b";
  return (
    <div class="prompt-foot">
      <p id={isFirst ? "summary" : "summary-b"} role={isFirst ? "status" : undefined}>
        <b>{formatNumber(tokens.total)}</b>
        {tokens.limit == null ? " tokens" : ` of ${formatNumber(tokens.limit)}`}
        <span class="more quiet">
          {free === undefined ? "" : free < 0 ? `, ${formatNumber(-free)} over` : `, ${formatNumber(free)} free`}
          {tokens.exact ? ", exact" : `, ${tokens.words.split(",")[0]}`}
        </span>
      </p>
      <button type="button" class="button small" onClick={() => openPanel(id)}>
        {picture.shape === "text" ? "Text" : "JSON"}
        <span class="more"> as it is sent</span>
      </button>
      <Body id={id} picture={picture} />
    </div>
  );
}

/** More than this slows the page down; the copy is always whole. */
const LONGEST_SHOWN = 100_000;

function Body({ id, picture }: { id: string; picture: Picture }) {
  const title = `What is sent, as ${picture.shape === "text" ? "text" : `${shapeTitles[picture.shape]} takes it`}`;
  return (
    <Panel id={id} title={title} place="right wide">
      {() => <Sent id={id} picture={picture} />}
    </Panel>
  );
}

function Sent({ id, picture }: { id: string; picture: Picture }) {
  const { text, failure } = sentBy(picture);
  return (
    <div class="stack">
      <div class="buttons">
        <CopyButton words="Copy" text={() => text} />
        {picture.shape === "text" && <TextFormats />}
        <span class="quiet">{picture.context.tokens.words}</span>
      </div>
      {failure !== undefined && <FailureBox failure={failure} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <pre class="sent" id={`${id}-text`} tabIndex={0}>
        {text.length > LONGEST_SHOWN
          ? `${text.slice(0, LONGEST_SHOWN)}\n… and ${formatNumber(text.length - LONGEST_SHOWN)} characters more`
          : text}
      </pre>
    </div>
  );
}

const formats = {
  text: "a line or more for each message",
  xml: "an XML element each",
  conversations: "by conversations",
};

function TextFormats() {
  return (
    <label class="buttons">
      <span class="visually-hidden">Form of the text</span>
      <select
        id="text-format"
        value={textFormat(state.a.value)}
        onChange={({ currentTarget }) => {
          state.a.value = withOption(state.a.value, "render.format", currentTarget.value);
        }}
      >
        {Object.entries(formats).map(([name, words]) => (
          <option key={name} value={name}>
            {name}: {words}
          </option>
        ))}
      </select>
    </label>
  );
}
