// The prompt: a block for each piece, as tall as its tokens, in the shape of the provider.

import { useRef } from "preact/hooks";
import { momentOf, oneLine, previewOf, speakerOf } from "../state/message.js";
import { formatCount, formatNumber } from "../state/names.js";
import type { Picture } from "../state/picture.js";
import { groupsOf, sentBy } from "../state/request.js";
import { type Shape, shapes, shapeTitles, textFormat, withOption } from "../state/setup.js";
import { state } from "../state/state.js";
import { turnOnPage, turnWord } from "../state/turns.js";
import { movesBy, useSize } from "./drawing.js";
import { type Block, type Layout, layout, layoutOf, reveal, view } from "./geometry.js";
import { CopyButton, FailureBox, openPanel, Panel } from "./parts.js";
import "./Prompt.css";

export function Prompts() {
  const { picture, other } = state;
  return (
    <div class={other.value === undefined ? "prompts" : "prompts two"}>
      {picture.value !== undefined && layout.value !== undefined && (
        <Prompt picture={picture.value} layout={layout.value} name={other.value && "A"} />
      )}
      {other.value !== undefined && (
        <Prompt picture={other.value} layout={layoutOf(other.value, view.column.value)} name="B" />
      )}
    </div>
  );
}

/** Chooses the shape. A narrow window has it only next to the request. */
function Shapes({ id }: { id: string }) {
  return (
    <fieldset class="choice" id={id}>
      <legend class="visually-hidden">The shape of the prompt</legend>
      {shapes.map((shape) => (
        <label key={shape}>
          <input
            type="radio"
            name={id}
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
  useSize(column, (_, height) => {
    if (isFirst) {
      view.column.value = height;
    }
  });
  const id = isFirst ? "blocks" : "blocks-b";
  const failure = isFirst ? state.refusal.value : undefined;
  return (
    <section class="prompt" aria-label={name === undefined ? "Prompt" : `Prompt of ${name}`}>
      <div class="pane-head">
        <b>{name ?? "Prompt"}</b>
        {isFirst && <Shapes id="shapes" />}
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

/** The provider's roles, next to the blocks. */
function Rail({ picture, layout: { scale } }: { picture: Picture; layout: Layout }) {
  return (
    <div class="rail" aria-hidden="true">
      {groupsOf(picture).map(({ role, first, last }) => {
        const top = (picture.starts[first] ?? 0) * scale;
        const height = (picture.starts[last + 1] ?? 0) * scale - top - 1;
        return height < 6 ? null : (
          <span key={first} style={{ top: `${top}px`, height: `${height}px` }}>
            {height < 12 ? "" : role}
          </span>
        );
      })}
    </div>
  );
}

/** A block's speaker and text. */
function wordsOf(picture: Picture, { first, last }: Block): readonly [name: string, text: string] {
  if (first < last) {
    return [formatCount(last - first + 1, "piece"), ""];
  }
  const { position, text, name, role } = picture.pieceAt(first);
  const message = picture.messages[position];
  return message === undefined ? [name || role, oneLine(text) || name] : [speakerOf(message), previewOf(message)];
}

/** A shorter block has no room for a line of text, so only screen readers get its words. */
const LINE_OF_WORDS = 12;

function Blocks({ id, picture, layout: { blocks } }: { id: string; picture: Picture; layout: Layout }) {
  const blockOf = (position: number | undefined): number => {
    const piece = position === undefined ? -1 : picture.pieceOf(position);
    return piece < 0 ? -1 : blocks.findIndex(({ last }) => piece <= last);
  };
  const active = blockOf(state.selected.value);
  const lit = blockOf(state.hovered.value);
  const select = (index: number) => {
    const block = blocks[index];
    if (block !== undefined) {
      const { position } = picture.pieceAt(block.first);
      state.selected.value = position;
      if (position >= 0) {
        reveal.value = position;
      }
    }
  };
  const press = (event: KeyboardEvent) => {
    const last = blocks.length - 1;
    const steps: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: last };
    movesBy(event, steps, last, select);
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
      onClick={({ target }) => select(blockIn(target))}
      onPointerOver={({ target }) => {
        const block = blocks[blockIn(target)];
        state.hovered.value = block === undefined ? undefined : picture.pieceAt(block.first).position;
      }}
      onPointerLeave={() => {
        state.hovered.value = undefined;
      }}
    >
      {blocks.map((block, index) => (
        <BlockShape
          key={index}
          id={`${id}-${index}`}
          index={index}
          picture={picture}
          block={block}
          isActive={index === active}
          isLit={index === lit}
        />
      ))}
    </div>
  );
}

/** The index of the block that an event is about. */
function blockIn(target: EventTarget | null): number {
  return Number((target as HTMLElement).closest<HTMLElement>("[data-index]")?.dataset.index ?? -1);
}

interface BlockProps {
  readonly id: string;
  readonly index: number;
  readonly picture: Picture;
  readonly block: Block;
  readonly isActive: boolean;
  readonly isLit: boolean;
}

function BlockShape({ id, index, picture, block, isActive, isLit }: BlockProps) {
  const { first, last, top, height } = block;
  const { position, why } = picture.pieceAt(first);
  const message = picture.messages[position];
  const tokens = Math.round((picture.starts[last + 1] ?? 0) - (picture.starts[first] ?? 0));
  const [name, text] = wordsOf(picture, block);
  const isThin = height < LINE_OF_WORDS;
  return (
    <div
      id={id}
      data-index={index}
      class={`block ${why}${isLit ? " is-lit" : ""}`}
      role="option"
      aria-selected={isActive}
      aria-label={isThin ? `${formatCount(tokens, "token")} ${name} ${text}` : undefined}
      data-tokens={tokens}
      tabIndex={-1}
      title={message === undefined ? undefined : momentOf(message)}
      style={{
        top: `${top}px`,
        height: `${height}px`,
        lineHeight: `${Math.min(height - 1, 18)}px`,
        "--why": `var(--why-${why})`,
      }}
    >
      {!isThin && (
        <span class="words">
          <span class="figure">
            {formatNumber(tokens)}
            <span class="visually-hidden"> tokens </span>
          </span>
          <b>{name}</b> {text}
        </span>
      )}
    </div>
  );
}

/** The line at the end of the part that repeats the turn before. */
function Same({ layout: own }: { layout: Layout }) {
  const turn = turnOnPage();
  if (turn === undefined || turn.reused === 0) {
    return null;
  }
  const top = turn.reused * own.scale;
  return top > own.end + 1 ? null : (
    <div class="same" style={{ top: `${Math.max(top - 1, 0)}px` }}>
      <span class="long">same as the {turnWord()} before ↑</span>
      <span class="short">same ↑</span>
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
        {tokens.limit == null ? (tokens.total === 1 ? " token" : " tokens") : ` of ${formatNumber(tokens.limit)}`}
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

/** Maximum length of the shown text, because more slows the page down. A copy always has all of it. */
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
        <Shapes id={`${id}-shapes`} />
        {picture.shape === "text" && <TextFormats />}
        <span class="quiet">{picture.context.tokens.words}</span>
      </div>
      {failure !== undefined && <FailureBox failure={failure} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <pre class="sent" id={`${id}-text`} tabIndex={0}>
        {text.length > LONGEST_SHOWN
          ? `${text.slice(0, LONGEST_SHOWN)}\n… and ${formatCount(text.length - LONGEST_SHOWN, "more character")}`
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
      <span class="visually-hidden">Format of the text</span>
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
