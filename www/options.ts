// The options on the page, and the config that they make. A control's name is the option's path in the config; what it
// begins with is what the preset says, and only what is changed is said beside the preset.

import { type ContextConfig, encodings, type MessageInput } from "windrow";
import { find, formatCount, make } from "./elements.js";

/** Options as plain data: a preset, or a part of a config. */
export type Options = Readonly<Record<string, unknown>>;

type Control = HTMLInputElement | HTMLSelectElement;

const form = find<HTMLFormElement>("options");
for (const name of encodings) {
  find<HTMLSelectElement>("encoding").add(new Option(name));
}
/** The name of the choice of a preset, which is no option. */
const PRESET = "preset";
let preset: Options = {};

/** What the page asks for beside the preset. An option that was emptied is undefined: its default holds. */
export function readConfig(): ContextConfig {
  const config: Record<string, unknown> = {};
  for (const control of namedControls()) {
    if (control.matches(":disabled") || isOtherChoice(control)) {
      continue;
    }
    if (isListed(control)) {
      readList(control.name, config);
    } else if (isChanged(control) || (control.dataset.given !== undefined && control.value !== "")) {
      put(config, control.name, said(control));
    }
  }
  return config;
}

/** The controls that are options. */
function namedControls(): Control[] {
  return [...form.elements].filter(
    (control): control is Control =>
      (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) &&
      control.name !== "" &&
      control.name !== PRESET,
  );
}

/** Whether it is checked or not, and has no value beside. */
function isCheckable({ type }: HTMLInputElement): boolean {
  return type === "checkbox" || type === "radio";
}

/** Whether it is a choice that was not made. */
function isOtherChoice(control: Control): boolean {
  return control instanceof HTMLInputElement && control.type === "radio" && !control.checked;
}

/** Whether it is one of several boxes that make a list. */
function isListed(control: Control): boolean {
  return control.type === "checkbox" && control.value !== "on";
}

function isChanged(control: Control): boolean {
  if (control instanceof HTMLSelectElement) {
    return control.value !== defaultOf(control);
  }
  if (isCheckable(control)) {
    return control.checked !== control.defaultChecked;
  }
  return control.value !== control.defaultValue || control.validity.badInput;
}

function defaultOf(select: HTMLSelectElement): string {
  const options = [...select.options];
  return (options.find((option) => option.defaultSelected) ?? options[0])?.value ?? "";
}

/** What a control says. */
function said(control: Control): unknown {
  const { value, type } = control;
  if (type === "checkbox") {
    return (control as HTMLInputElement).checked;
  }
  if (type === "number") {
    return control.validity.badInput ? Number.NaN : value === "" ? undefined : Number(value);
  }
  return type === "datetime-local" ? new Date(value).toISOString() : value;
}

/** A list of what is checked, with what the preset lists and the page has no box for. */
function readList(name: string, config: Record<string, unknown>): void {
  const boxes = boxesOf(name);
  if (boxes.some(isChanged)) {
    const offered = new Set(boxes.map((box) => box.value));
    const others = listAt(name)?.filter((value) => !offered.has(value)) ?? [];
    put(config, name, [...boxes.filter((box) => box.checked).map((box) => box.value), ...others]);
  }
}

function boxesOf(name: string): HTMLInputElement[] {
  return namedControls().filter((control): control is HTMLInputElement => control.name === name);
}

function put(config: Record<string, unknown>, path: string, value: unknown): void {
  const [group, option] = path.split(".") as [string, string | undefined];
  config[group] = option === undefined ? value : { ...(config[group] as object | undefined), [option]: value };
}

function presetAt(path: string): unknown {
  const [group, option] = path.split(".") as [string, string | undefined];
  return option === undefined ? preset[group] : (preset[group] as Options | undefined)?.[option];
}

function listAt(path: string): readonly string[] | undefined {
  return (presetAt(path) ?? undefined) as readonly string[] | undefined;
}

/** Runs `changed` whenever an option is changed, or what stands among them. */
export function watchOptions(changed: () => void): void {
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    moreControls().forEach(reset);
    changed();
  });
  document.addEventListener("input", ({ target }) => {
    const isControl = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
    if (isControl && target.form === form && target.name !== PRESET) {
      changed();
    }
  });
}

/** Sets every option but the request to what a preset says. */
export function setPreset(chosen: Options): void {
  preset = chosen;
  for (const control of namedControls()) {
    if (control.name !== "request" && control.dataset.given === undefined) {
      setDefault(control);
      reset(control);
    }
  }
}

/** Makes what the preset says the value that the control begins with. */
function setDefault(control: Control): void {
  const value = presetAt(control.name) ?? undefined;
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    const chosen = options.find((option) => option.value === value) ?? options[0];
    for (const option of options) {
      option.defaultSelected = option === chosen;
    }
  } else if (isListed(control)) {
    control.defaultChecked = Array.isArray(value) ? value.includes(control.value) : control.name === "filter.roles";
  } else if (control.type === "radio") {
    control.defaultChecked = control.value === (value ?? "messages");
  } else if (control.type === "checkbox") {
    control.defaultChecked = value === true;
  } else {
    control.defaultValue = value === undefined ? "" : String(value);
  }
}

function reset(control: Control): void {
  if (control instanceof HTMLSelectElement) {
    control.value = defaultOf(control);
  } else if (isCheckable(control)) {
    control.checked = control.defaultChecked;
  } else {
    control.value = control.defaultValue;
  }
}

/** Sets the clock, in milliseconds since 1970; undefined for that of the computer. */
export function setClock(moment: number | undefined): void {
  const clock = find<HTMLInputElement>("now");
  const offset = moment === undefined ? 0 : new Date(moment).getTimezoneOffset() * 60_000;
  clock.defaultValue = moment === undefined ? "" : new Date(moment - offset).toISOString().slice(0, 16);
  reset(clock);
}

/** Moves the clock on, where it is set and stands as it was set. */
export function advanceClock(moment: number | undefined): void {
  const clock = find<HTMLInputElement>("now");
  const isOwn = clock.defaultValue !== "" && clock.value === clock.defaultValue;
  if (isOwn && moment !== undefined && moment > new Date(clock.value).getTime()) {
    setClock(moment);
  }
}

/** The controls of the disclosure. */
function moreControls(): Control[] {
  return [...form.querySelectorAll<Control>(".more input, .more select")];
}

/** Says beside the disclosure how many options in it are changed. */
export function showOptionsSet(): void {
  const count = moreControls().filter(isChanged).length;
  find("options-set").textContent = count === 0 ? "" : `${formatCount(count, "change")}`;
  find<HTMLButtonElement>("reset").disabled = count === 0;
}

/** Marks the control that an error is about, and no other. */
export function markInvalid(path: string | undefined): void {
  for (const control of namedControls()) {
    if (path !== undefined && control.name === path) {
      control.setAttribute("aria-invalid", "true");
      control.setAttribute("aria-errormessage", "build-error");
      control.closest("details")?.setAttribute("open", "");
    } else if (control.hasAttribute("aria-invalid")) {
      control.removeAttribute("aria-invalid");
      control.removeAttribute("aria-errormessage");
    }
  }
}

/** Offers what there is to choose from in a conversation: its roles, sources, tags and sessions. */
export function offerChoices(messages: readonly MessageInput[]): void {
  const roles = new Set<string>();
  const sources = new Set<string>();
  const tags = new Set<string>();
  const sessions = new Set<string>();
  for (const message of messages) {
    roles.add(message.role);
    addText(sources, message.source);
    addText(sessions, message.sessionId);
    for (const tag of message.tags ?? []) {
      addText(tags, tag);
    }
  }
  offerChecks("roles", "filter.roles", roles);
  offerChecks("sources", "filter.excludeSources", sources);
  offerChecks("tags", "filter.excludeTags", tags);
  const options = [...sessions].map((session) => new Option(session));
  find("session").replaceChildren(new Option("all", ""), ...options);
  find("session-field").hidden = sessions.size < 2;
}

function addText(set: Set<string>, value: string | null | undefined): void {
  if (value) {
    set.add(value);
  }
}

/** More than this is no choice for boxes. */
const MOST_CHECKS = 24;

function offerChecks(id: string, name: string, values: Set<string>): void {
  const field = find<HTMLFieldSetElement>(id);
  field.hidden = values.size < (name === "filter.roles" ? 2 : 1);
  for (const old of field.querySelectorAll("label")) {
    old.remove();
  }
  for (const value of [...values].slice(0, MOST_CHECKS)) {
    const box = make("input", "");
    box.type = "checkbox";
    box.name = name;
    box.value = value;
    field.append(make("label", "check", box, ` ${value}`));
    setDefault(box);
    reset(box);
  }
}
