// The inspector: why the chosen message is in or out, the budgets at which it is in, and the options that would change
// that. Without a choice, the figures of the whole prompt.

import type { ComponentChildren } from "preact";
import type { ServerTokens, TokensBySource, ToolTokens } from "windrow";
import type { Answer } from "../engine/jobs.js";
import { piecesIn } from "../state/cuts.js";
import { setForgotten } from "../state/forgetting.js";
import { isForgotten, statements } from "../state/memory.js";
import { blocksOf, momentOf, speakerOf } from "../state/message.js";
import { formatCount, formatNumber } from "../state/names.js";
import { FORM, type Picture } from "../state/picture.js";
import { forkAt } from "../state/sources.js";
import { state } from "../state/state.js";
import { turnOnPage } from "../state/turns.js";
import { isSecondOfDouble } from "./parts.js";
import "./Inspector.css";

export function Inspector() {
  const picture = state.picture.value;
  const selected = state.selected.value;
  if (picture === undefined) {
    return <section class="inspector" aria-label="Inspector" />;
  }
  if (selected !== undefined && selected >= 0 && selected < picture.messages.length) {
    return <OfMessage picture={picture} position={selected} />;
  }
  const index = selected === undefined ? -1 : picture.pieceOf(selected);
  const piece = index < 0 || index >= picture.pieceCount ? undefined : picture.pieceAt(index);
  return (
    <section class="inspector" id="inspector" aria-label="Inspector">
      {piece === undefined ? (
        <OfPrompt picture={picture} />
      ) : (
        <>
          <Part title={piece.name || piece.role} id="said">
            <p class="quiet">{formatCount(Math.round(piece.tokens), "token")}</p>
            <p class="said">{piece.text}</p>
          </Part>
          <Part title="Why it is in">
            <p>
              {piece.why === "request"
                ? "It is the request, which comes last and is always in."
                : piece.name === FORM
                  ? "The cost of the prompt's format: the overhead of its messages, and its tools."
                  : "The setup adds it: it isn't a message of the conversation."}
            </p>
          </Part>
          <Part title="" isThird>
            <ClearButton />
          </Part>
        </>
      )}
    </section>
  );
}

/** A part that can be scrolled by the keyboard too. */
function Part({
  title,
  id,
  isThird = false,
  children,
}: {
  title: string;
  id?: string;
  isThird?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section
      class={isThird ? "third" : ""}
      aria-label={title || "More"}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable part must be reachable by keyboard.
      tabIndex={0}
      {...(id === undefined ? {} : { id })}
    >
      {title !== "" && <h2>{title}</h2>}
      {children}
    </section>
  );
}

function ClearButton() {
  return (
    <button
      type="button"
      class="button small"
      onClick={() => {
        state.selected.value = undefined;
      }}
    >
      Whole prompt
    </button>
  );
}

function OfMessage({ picture, position }: { picture: Picture; position: number }) {
  const message = picture.messages[position];
  if (message === undefined) {
    return null;
  }
  const explained = picture.context.explain(position);
  const { fate, stage, words } = explained;
  const isIn = fate !== "left out";
  const moment = momentOf(message);
  return (
    <section class="inspector" id="inspector" aria-label="Inspector">
      <Part title={`#${position} ${speakerOf(message)}`} id="said">
        <p class="quiet">
          {[formatCount(picture.tokensOf(position), "token"), moment, fate].filter((part) => part !== "").join(" · ")}
        </p>
        <Said picture={picture} position={position} shown={explained.shortenedText} />
      </Part>
      <Part title={isIn ? "Why it is in" : "Why it is out"} id="why">
        <p>
          {words.slice(0, 1).toUpperCase() + words.slice(1)}. <span class="quiet">Decided by the stage {stage}.</span>
        </p>
        <Spans position={position} />
        {fate !== "kept" && <Asking position={position} />}
      </Part>
      <Part title="What would change it" isThird id="change">
        {/* What the worker answers comes below: it moves no button under the pointer. */}
        <EditButtons position={position} />
        <Rankings position={position} isIn={isIn} />
      </Part>
    </section>
  );
}

function Said({ picture, position, shown }: { picture: Picture; position: number; shown: string | undefined }) {
  const message = picture.messages[position];
  if (message === undefined) {
    return null;
  }
  return (
    <>
      {blocksOf(message).map(({ label, text }, index) => (
        <div key={index}>
          {label !== undefined && <span class="label">{label}</span>}
          <p class="said">
            {shown === undefined
              ? text
              : piecesIn(text, shown).map((piece, at) =>
                  piece.isIn ? <span key={at}>{piece.text}</span> : <del key={at}>{piece.text}</del>,
                )}
          </p>
        </div>
      ))}
    </>
  );
}

/** The call that returns a shortened message to a model. */
function Asking({ position }: { position: number }) {
  return (
    <p id="asking">
      With the tool of <code>context.retrieval</code> the model can ask for the original:{" "}
      <code>{`retrieve({ id: "r${position}" })`}</code>
    </p>
  );
}

function Spans({ position }: { position: number }) {
  const answer = state.answer.value;
  if (answer?.position !== position) {
    // The worker isn't asked about earlier turns, or while the picture is out of date.
    const isAsked = state.turn.value === undefined && !state.isOld.value;
    return isAsked ? <p class="quiet">Looking for the budget…</p> : null;
  }
  return <p id="spans">{spansInWords(answer)}</p>;
}

function spansInWords({ spans }: Answer): string {
  if (spans.length === 0) {
    return "No budget is large enough: it is left out for another reason.";
  }
  const [first] = spans;
  if (spans.length === 1 && first !== undefined && first[1] === Number.POSITIVE_INFINITY) {
    return `In from ${formatCount(first[0], "token")} on.`;
  }
  const words = spans.map(([from, to]) =>
    to === Number.POSITIVE_INFINITY
      ? `from ${formatNumber(from)} on`
      : `from ${formatNumber(from)} to ${formatNumber(to)}`,
  );
  return `In ${words.join(", and ")}. In between, others take its room.`;
}

const rankingWords: Readonly<Record<string, string>> = {
  relevance: "ranking by relevance",
  bm25: "ranking by the request's words alone (BM25)",
  recency: "ranking by recency",
};

function Rankings({ position, isIn }: { position: number; isIn: boolean }) {
  const answer = state.answer.value;
  if (answer?.position !== position) {
    return null;
  }
  const others = answer.rankings.filter((other) => other.isIn !== isIn);
  if (answer.rankings.length === 0) {
    return null;
  }
  return (
    <p>
      {others.length === 0
        ? "The other rankings decide the same at this budget."
        : `With ${others.map(({ ranking }) => rankingWords[ranking]).join(", and with ")} it is ${isIn ? "left out" : "in"}.`}
    </p>
  );
}

function EditButtons({ position }: { position: number }) {
  const edit = state.edits.value.get(position);
  const set = (to: "pin" | "out" | undefined) => {
    const edits = new Map(state.edits.value);
    if (to === undefined) {
      edits.delete(position);
    } else {
      edits.set(position, to);
    }
    state.edits.value = edits;
  };
  return (
    <div class="buttons">
      <button
        type="button"
        class="button small"
        aria-pressed={edit === "pin"}
        onClick={() => set(edit === "pin" ? undefined : "pin")}
      >
        {edit === "pin" ? "Unpin" : "Pin"}
      </button>
      <button
        type="button"
        class="button small"
        aria-pressed={edit === "out"}
        onClick={() => set(edit === "out" ? undefined : "out")}
      >
        {edit === "out" ? "Take back in" : "Leave out"}
      </button>
      {state.source.value?.session !== undefined && (
        <button
          type="button"
          class="button small"
          id="fork"
          onClick={(event) => {
            if (!isSecondOfDouble(event)) {
              void forkAt(position);
            }
          }}
        >
          Copy up to here
        </button>
      )}
      <ClearButton />
    </div>
  );
}

// The whole prompt

const itemForms = { full: "whole", summary: "by its summary", cut: "cut", leftOut: "left out" } as const;
const tiers = { thread: "active thread", today: "today", yesterday: "yesterday", older: "older" } as const;
const forms = {
  full: "in full",
  truncatedTail: "its end",
  summary: "by its summary",
  extract: "by an extract",
  leftOut: "left out",
} as const;
/** Maximum number of rows in a table that people read. */
const MOST_CONVERSATIONS = 100;

/** Maximum number of costs in a line, so that people can still read it. */
const MOST_COSTS = 12;

/**
 * Shows the costs by tool, MCP server, source and speaker. A prompt with one source, or one speaker, has no line about
 * it.
 */
function BySource({ tools, toolInstructions, servers, sources, speakers }: TokensBySource) {
  const ofTool = ({ definition, calls, results }: ToolTokens | ServerTokens) =>
    `${formatNumber(definition + calls + results)} (${formatNumber(definition)} defined, ${formatNumber(calls)} called, ${formatNumber(results)} returned)`;
  const aboutTools = toolInstructions > 0 ? [`instructions ${formatNumber(toolInstructions)}`] : [];
  const lines: readonly (readonly [id: string, title: string, least: number, costs: readonly string[]])[] = [
    ["by-tool", "By tool", 1, [...tools.map((tool) => `${tool.name} ${ofTool(tool)}`), ...aboutTools]],
    ["by-server", "By MCP server", 1, servers.map((server) => `${server.server} ${ofTool(server)}`)],
    ["by-source", "By source", 2, sources.map(({ source, tokens }) => `${source ?? "none"} ${formatNumber(tokens)}`)],
    [
      "by-speaker",
      "By speaker",
      2,
      speakers.map(({ role, name, tokens }) => `${name ?? role} ${formatNumber(tokens)}`),
    ],
  ];
  return (
    <>
      {lines.map(([id, title, least, costs]) =>
        costs.length < least ? null : (
          <p key={id} class="quiet" id={id}>
            {title}: {costs.slice(0, MOST_COSTS).join("; ")}
            {costs.length > MOST_COSTS ? `; +${costs.length - MOST_COSTS} more` : ""}
          </p>
        ),
      )}
    </>
  );
}

/** The lasting statements of the user. Each can be forgotten. */
function Statements() {
  const all = statements.value;
  if (all.length === 0) {
    return null;
  }
  return (
    <>
      <h2>Remembered about the user</h2>
      <ul class="statements" id="statements">
        {all.map((statement) => {
          const { sentence, kind, index, replacedBy } = statement;
          const isGone = isForgotten(statement);
          const facts = [kind, `#${index}`, ...(replacedBy === undefined ? [] : [`replaced by #${replacedBy}`])];
          return (
            <li
              key={`${index} ${sentence}`}
              class={isGone || replacedBy !== undefined ? "statement is-gone" : "statement"}
            >
              <button
                type="button"
                class="sentence"
                onClick={() => {
                  state.selected.value = index;
                }}
              >
                {sentence}
              </button>
              <span class="quiet">{[...facts, ...(isGone ? ["forgotten"] : [])].join(" · ")}</span>
              <button
                type="button"
                class="button small"
                aria-label={`${isGone ? "Remember" : "Forget"}: ${sentence}`}
                onClick={() => void setForgotten(statement, !isGone)}
              >
                {isGone ? "Remember" : "Forget"}
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function OfPrompt({ picture }: { picture: Picture }) {
  const { context } = picture;
  const { tokens, snapshot, trace, recall, focus, charCount, sections, conversations } = context;
  const turn = turnOnPage();
  const items = sections.filter((section) => section.items.length > 0);
  return (
    <>
      <Part title="This prompt" id="figures">
        <dl class="figures">
          <dt>Counted</dt>
          <dd>{tokens.words}</dd>
          {turn !== undefined && (
            <>
              <dt>Repeated</dt>
              <dd id="repeated">
                {turn.reused === 0
                  ? "nothing of the turn before"
                  : `${formatCount(turn.reused, "token")} of the turn before`}
                {turn.difference === undefined ? "" : `; ${turn.difference}`}
              </dd>
            </>
          )}
          {charCount != null && (
            <>
              <dt>Characters</dt>
              <dd>{formatNumber(charCount)}</dd>
            </>
          )}
          {recall?.status === "ok" && (
            <>
              <dt>Recall</dt>
              <dd>
                {formatNumber(recall.hits)} found, focus {focus.summary}
              </dd>
            </>
          )}
          <dt>Hash</dt>
          <dd class="hash" id="hash">
            {snapshot.contextHash}
          </dd>
        </dl>
        <ul class="notes" id="notes">
          {trace.notes.map(({ kind, words }) => (
            <li key={kind + words}>
              {words.slice(0, 1).toUpperCase() + words.slice(1)}. <span class="code-name">{kind}</span>
            </li>
          ))}
        </ul>
      </Part>
      <Part title="Sections" id="sections">
        <dl class="figures">
          {tokens.sections.map(({ id, tokens: cost }, index) => (
            <div key={`${index} ${id}`} style={{ display: "contents" }}>
              <dt>{id}</dt>
              <dd>{formatNumber(cost)}</dd>
            </div>
          ))}
        </dl>
        <BySource {...tokens.bySource} />
        {items.map((section) => (
          <p key={section.id} class="quiet">
            {section.id}:{" "}
            {section.items.map(({ id, form }, index) => `${id ?? `#${index + 1}`} ${itemForms[form]}`).join("; ")}
          </p>
        ))}
      </Part>
      <Part title={conversations.length > 0 ? "Conversations" : ""} isThird id="tiers">
        {conversations.length === 0 ? (
          <>
            <Statements />
            <p class="quiet">Choose a message, a block or a turn to see the reasons.</p>
          </>
        ) : (
          <table class="conversations">
            <thead>
              <tr>
                <th scope="col">Ended</th>
                <th scope="col">Name</th>
                <th scope="col">Tier</th>
                <th scope="col">Shown</th>
              </tr>
            </thead>
            <tbody>
              {conversations.slice(0, MOST_CONVERSATIONS).map(({ id, label, tier, form }) => (
                <tr key={id}>
                  <td>{label}</td>
                  <td>{id}</td>
                  <td>{tiers[tier]}</td>
                  <td>{forms[form]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Part>
    </>
  );
}
