// The setup: a preset with a line about its users, and the options that differ from it.

import { type ContextConfig, encodings } from "windrow";
import { chosenOf } from "../engine/hooks.js";
import { budgetFor, totalCost } from "../state/building.js";
import { endpoint, hasChromeModel, isStudio } from "../state/models.js";
import { formatCount, formatNumber } from "../state/names.js";
import {
  asksTriage,
  leavesBudget,
  optionOf,
  type PresetName,
  presetNames,
  presetWords,
  type Setup,
  type Shape,
  shapeOfPreset,
  shapes,
  shapeTitles,
  usualModels,
  withOption,
} from "../state/setup.js";
import { type Side, state } from "../state/state.js";
import { Panel } from "./parts.js";
import "./Setup.css";

interface SideProps {
  readonly side: Side;
  readonly setup: Setup;
  readonly set: (setup: Setup) => void;
}

export function SetupPanel({ side }: { side: Side }) {
  const signal = side === "a" ? state.a : state.b;
  const setup = signal.value;
  if (setup === undefined) {
    return null;
  }
  const set = (changed: Setup) => {
    signal.value = changed;
  };
  const isCompared = state.b.value !== undefined;
  const changed = Object.keys(setup.options).length;
  const props = { side, setup, set };
  return (
    <Panel id={`setup-${side}`} title={isCompared ? `Setup ${side.toUpperCase()}` : "Setup"} place="right wide">
      {() => (
        <form class="stack" autocomplete="off" onSubmit={(event) => event.preventDefault()}>
          <Presets {...props} />
          {asksTriage(setup.preset) && <Triage {...props} />}
          {side === "a" && <ShapeField />}
          <Options {...props} />
          <div class="buttons">
            <button
              type="button"
              class="button"
              disabled={changed === 0}
              data-reset={side}
              onClick={() => set({ ...setup, options: {} })}
            >
              Reset {changed === 0 ? "the options" : formatCount(changed, "option")}
            </button>
          </div>
        </form>
      )}
    </Panel>
  );
}

function Presets({ side, setup, set }: SideProps) {
  const choose = (preset: PresetName) => {
    set({ ...setup, preset, options: {} });
    if (side === "a") {
      state.shape.value = shapeOfPreset(preset, state.shape.value);
      const isKept = leavesBudget(preset) && leavesBudget(setup.preset) && state.budget.value !== undefined;
      state.budget.value = isKept ? state.budget.value : budgetFor({ ...setup, preset }, totalCost());
    }
  };
  return (
    <fieldset class="presets" data-presets={side}>
      <legend class="visually-hidden">Preset</legend>
      {presetNames.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name={`preset-${side}`}
            value={name}
            checked={setup.preset === name}
            onChange={() => choose(name)}
          />
          <b>
            {name === "" ? "plain" : name} <span class="quiet for">{presetWords[name]?.isFor}</span>
          </b>
          <span class="quiet does">{presetWords[name]?.does}</span>
        </label>
      ))}
    </fieldset>
  );
}

function ShapeField() {
  return (
    <label class="field">
      <span>Show and send the prompt as</span>
      <select
        id="shape-field"
        value={state.shape.value}
        onChange={({ currentTarget }) => {
          state.shape.value = currentTarget.value as Shape;
        }}
      >
        {shapes.map((shape) => (
          <option key={shape} value={shape}>
            {shapeTitles[shape]}
          </option>
        ))}
      </select>
    </label>
  );
}

// Triage

const judges = {
  words: "a script: keeps messages that share a word with the request",
  you: "you: choose below",
  unavailable: "a script: says that it is unavailable",
  failing: "a script: fails",
  chrome: "the model that is built into this browser",
  endpoint: "an endpoint of yours",
} as const;

function Triage({ setup, set }: SideProps) {
  const { triage } = setup;
  const offered = (Object.keys(judges) as (keyof typeof judges)[]).filter(
    (judge) => (judge !== "chrome" || hasChromeModel) && (judge !== "endpoint" || isStudio),
  );
  const isScript = triage.by !== "chrome" && triage.by !== "endpoint";
  return (
    <fieldset class="group stack" id="triage">
      <legend>Triage: the fast model</legend>
      <div class="fields">
        <label class="field wide">
          <span>It is</span>
          <select
            id="judge"
            value={triage.by}
            onChange={({ currentTarget }) =>
              set({ ...setup, triage: { ...triage, by: currentTarget.value as keyof typeof judges } })
            }
          >
            {offered.map((judge) => (
              <option key={judge} value={judge}>
                {judges[judge]}
              </option>
            ))}
          </select>
        </label>
        {isScript && (
          <NumberField
            id="delay"
            words="It takes, milliseconds"
            value={triage.delay_ms === 0 ? undefined : triage.delay_ms}
            placeholder="0"
            set={(value) =>
              set({ ...setup, triage: { ...triage, delay_ms: Math.min(Math.max(value ?? 0, 0), 60_000) } })
            }
          />
        )}
        <OptionNumber
          setup={setup}
          set={set}
          path="triage.alwaysIncludeRecent"
          words="Always include newest"
          placeholder="5"
        />
      </div>
      {triage.by === "endpoint" && <EndpointFields />}
      {isScript && <Candidates setup={setup} set={set} />}
    </fieldset>
  );
}

/** Maximum number of choices shown as boxes. */
const MOST_LISTED = 200;

function Candidates({ setup, set }: Pick<SideProps, "setup" | "set">) {
  const question = state.question.value;
  const { triage } = setup;
  if (question === undefined) {
    return <p class="quiet">It isn't asked: there are no older messages to choose from.</p>;
  }
  const { candidates } = question;
  const hasChosen = triage.by === "you" || triage.by === "words";
  const chosen = new Set(hasChosen ? chosenOf(question, triage).map(({ id }) => id) : []);
  const unit = optionOf(setup, "window.unit") === "exchange" ? "exchange" : "message";
  return (
    <details>
      <summary id="question">
        Asked about {formatCount(candidates.length, `older ${unit}`)}:{" "}
        {hasChosen ? `${formatNumber(chosen.size)} chosen` : "no answer"}
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <div class="candidates" tabIndex={0}>
        <fieldset disabled={triage.by !== "you"}>
          <legend class="visually-hidden">Candidates of the fast model</legend>
          {candidates.slice(-MOST_LISTED).map(({ id, text }) => (
            <label key={id}>
              <input
                type="checkbox"
                value={id}
                checked={chosen.has(id)}
                onChange={({ currentTarget }) =>
                  set({ ...setup, triage: { ...triage, chosen: { ...triage.chosen, [id]: currentTarget.checked } } })
                }
              />
              <span class="quiet">{id}</span>
              <span>{text.slice(0, 200).replace(/\s+/g, " ")}</span>
            </label>
          ))}
        </fieldset>
      </div>
      {candidates.length > MOST_LISTED && (
        <p class="quiet">and {formatCount(candidates.length - MOST_LISTED, "older one")}</p>
      )}
    </details>
  );
}

/** The model of the visitor's that the studio may ask. Nothing of it is kept. */
function EndpointFields() {
  const { baseUrl, model, apiKey, isAgreed } = endpoint.value;
  const set = (changed: Partial<typeof endpoint.value>) => {
    endpoint.value = { ...endpoint.value, isAgreed: false, ...changed };
  };
  if (baseUrl === "") {
    return (
      <p class="quiet">
        This page talks to no other server. To ask a model, start the studio with the address before /chat/completions:{" "}
        <code>npx windrow studio --endpoint http://127.0.0.1:11434/v1</code>
      </p>
    );
  }
  return (
    <div class="fields">
      <label class="field">
        <span>Model</span>
        <input type="text" value={model} onInput={({ currentTarget }) => set({ model: currentTarget.value })} />
      </label>
      <label class="field">
        <span>Key, kept only in memory</span>
        <input
          type="password"
          autocomplete="off"
          value={apiKey}
          onInput={({ currentTarget }) => set({ apiKey: currentTarget.value })}
        />
      </label>
      <label class="check wide">
        <input
          type="checkbox"
          checked={isAgreed}
          disabled={model === ""}
          onChange={({ currentTarget }) => {
            set({ isAgreed: currentTarget.checked });
            state.a.value = { ...state.a.value };
          }}
        />
        Send candidates and request to {new URL(baseUrl).origin}
      </label>
    </div>
  );
}

// Options

interface FieldProps extends Pick<SideProps, "setup" | "set"> {
  readonly path: string;
  readonly words: string;
}

function isInvalid(path: string): "true" | undefined {
  return state.failure.value?.path === path ? "true" : undefined;
}

function NumberField({
  id,
  words,
  value,
  placeholder,
  path,
  set,
}: {
  id: string;
  words: string;
  value: number | undefined;
  placeholder: string;
  path?: string;
  set: (value: number | undefined) => void;
}) {
  const invalid = path === undefined ? undefined : isInvalid(path);
  return (
    <label class="field">
      <span>{words}</span>
      <input
        id={id}
        type="number"
        step="any"
        placeholder={placeholder}
        value={value ?? ""}
        aria-invalid={invalid}
        aria-errormessage={invalid === undefined ? undefined : "build-failure"}
        onInput={({ currentTarget }) => {
          if (!currentTarget.validity.badInput) {
            set(currentTarget.value === "" ? undefined : Number(currentTarget.value));
          }
        }}
      />
    </label>
  );
}

function OptionNumber({ setup, set, path, words, placeholder }: FieldProps & { placeholder: string }) {
  return (
    <NumberField
      id={path.replace(".", "-")}
      words={words}
      placeholder={placeholder}
      path={path}
      value={optionOf(setup, path) as number | undefined}
      set={(value) => set(withOption(setup, path, value))}
    />
  );
}

function OptionChoice({
  setup,
  set,
  path,
  words,
  choices,
  isWide = false,
}: FieldProps & { choices: Readonly<Record<string, string>>; isWide?: boolean }) {
  const [usual = ""] = Object.keys(choices);
  return (
    <label class={isWide ? "field wide" : "field"}>
      <span>{words}</span>
      <select
        id={path.replace(".", "-")}
        value={String(optionOf(setup, path) ?? usual)}
        aria-invalid={isInvalid(path)}
        onChange={({ currentTarget }) => {
          const { value } = currentTarget;
          set(withOption(setup, path, value === usual ? undefined : value));
        }}
      >
        {Object.entries(choices).map(([value, said]) => (
          <option key={value} value={value}>
            {said}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A list of the roles, sources or tags of the conversation, to keep or to leave out. */
function OptionList({ setup, set, path, words, offered }: FieldProps & { offered: readonly string[] }) {
  const isOfRoles = path === "filter.roles";
  const value = optionOf(setup, path) as readonly string[] | undefined;
  if (offered.length < (isOfRoles ? 2 : 1)) {
    return null;
  }
  const isChecked = (name: string) => value?.includes(name) ?? isOfRoles;
  const change = (name: string, isOn: boolean) => {
    const others = (value ?? []).filter((one) => !offered.includes(one));
    const checked = offered.filter((one) => (one === name ? isOn : isChecked(one)));
    const all = isOfRoles && checked.length === offered.length && others.length === 0;
    set(withOption(setup, path, all ? undefined : [...checked, ...others]));
  };
  return (
    <fieldset class="checks" data-list={path}>
      <legend>{words}</legend>
      {offered.slice(0, 24).map((name) => (
        <label class="check" key={name}>
          <input
            type="checkbox"
            value={name}
            checked={isChecked(name)}
            onChange={({ currentTarget }) => change(name, currentTarget.checked)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

let offeredOf: { readonly messages: readonly object[]; readonly lists: Offered } | undefined;

interface Offered {
  readonly roles: readonly string[];
  readonly sources: readonly string[];
  readonly tags: readonly string[];
  readonly sessions: readonly string[];
}

/** The roles, sources, tags and sessions of the conversation. */
function offered(): Offered {
  const messages = state.source.value?.messages ?? [];
  if (offeredOf?.messages !== messages) {
    const roles = new Set<string>();
    const sources = new Set<string>();
    const tags = new Set<string>();
    const sessions = new Set<string>();
    for (const message of messages) {
      roles.add(message.role);
      for (const [set, value] of [
        [sources, message.source],
        [sessions, message.sessionId],
      ] as const) {
        if (value) {
          set.add(value);
        }
      }
      for (const tag of message.tags ?? []) {
        tags.add(tag);
      }
    }
    offeredOf = {
      messages,
      lists: { roles: [...roles], sources: [...sources], tags: [...tags], sessions: [...sessions] },
    };
  }
  return offeredOf.lists;
}

function Options({ setup, set }: SideProps) {
  const props = { setup, set };
  const { roles, sources, tags, sessions } = offered();
  const encodingChoices = Object.fromEntries([["", "by the model"], ...encodings.map((name) => [name, name])]);
  return (
    <div class="stack">
      <fieldset class="group">
        <legend>Ranking, and overflow</legend>
        <div class="fields">
          <OptionChoice
            {...props}
            path="recall.ranking"
            words="If not all messages fit"
            choices={{
              relevance: "those that the request is about stay",
              bm25: "those with its words stay (BM25)",
              recency: "the newest stay",
            }}
            isWide
          />
          <OptionChoice
            {...props}
            path="budget.onRequiredOverflow"
            words="If too much is required"
            choices={{ error: "fail", shorten: "shorten it", exceed: "exceed the budget" }}
          />
          <ModelField {...props} />
          <OptionChoice {...props} path="encoding" words="Count in" choices={encodingChoices} />
          <OptionNumber {...props} path="budget.maxChars" words="Characters at most" placeholder="no limit" />
        </div>
      </fieldset>
      <fieldset class="group">
        <legend>How far back: a message stays only if every limit allows it</legend>
        <div class="fields">
          <OptionNumber {...props} path="window.lookbackCount" words="Newest" placeholder="all" />
          <OptionChoice
            {...props}
            path="window.unit"
            words="counted in"
            choices={{ message: "messages", exchange: "exchanges" }}
          />
          <OptionNumber {...props} path="window.maxUserTurns" words="Turns of the user" placeholder="all" />
          <OptionNumber {...props} path="window.recencyHours" words="Hours back" placeholder="no limit" />
          <OptionNumber {...props} path="window.minMessages" words="but at least" placeholder="10" />
          <OptionNumber {...props} path="window.requiredNewest" words="Always include newest" placeholder="0" />
        </div>
      </fieldset>
      <fieldset class="group stack">
        <legend>Which messages count</legend>
        <div class="fields">
          <OptionNumber {...props} path="collect.fetchLimit" words="Only the newest" placeholder="all" />
          {sessions.length > 1 && (
            <OptionChoice
              {...props}
              path="sessionId"
              words="Session"
              choices={Object.fromEntries([["", "all"], ...sessions.map((name) => [name, name])])}
            />
          )}
          <ClockField {...props} />
        </div>
        <OptionList {...props} path="filter.roles" words="Roles that stay" offered={roles} />
        <OptionList {...props} path="filter.excludeSources" words="Sources to leave out" offered={sources} />
        <OptionList {...props} path="filter.excludeTags" words="Tags to leave out" offered={tags} />
      </fieldset>
    </div>
  );
}

/** The model whose tokens are counted. */
function ModelField({ setup, set }: Pick<SideProps, "setup" | "set">) {
  return (
    <label class="field">
      <span>Count for the model</span>
      <input
        id="model"
        type="text"
        list="models"
        placeholder={usualModels[state.shape.value] ?? "any in o200k_base"}
        value={(optionOf(setup, "model") as string | undefined) ?? ""}
        onChange={({ currentTarget: { value } }) =>
          set(withOption(setup, "model", value.trim() === "" ? undefined : value.trim()))
        }
      />
      <datalist id="models">
        {["gpt-5", "gpt-4o", "gpt-4", ...Object.values(usualModels)].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}

/** The clock; a preset begins with that of the conversation. */
function ClockField({ setup, set }: Pick<SideProps, "setup" | "set">) {
  const given = setup.preset === "" ? undefined : state.source.value?.given.now;
  const own = optionOf(setup, "now") as ContextConfig["now"] | undefined;
  const moment = own == null ? given : new Date(own).getTime();
  const offset = moment === undefined ? 0 : new Date(moment).getTimezoneOffset() * 60_000;
  return (
    <label class="field">
      <span>Clock, in this computer's time</span>
      <input
        id="now"
        type="datetime-local"
        value={moment === undefined ? "" : new Date(moment - offset).toISOString().slice(0, 16)}
        onInput={({ currentTarget }) => {
          const { value } = currentTarget;
          set(withOption(setup, "now", value === "" ? undefined : new Date(value).toISOString()));
        }}
      />
    </label>
  );
}
