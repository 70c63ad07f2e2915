// The options on the page, and the config that they make. A control's name is the option's path in the config.

import type { ContextConfig, MessageInput } from "windrow";
import { find, formatCount, make } from "./elements.js";

const form = find<HTMLFormElement>("options");

/** What the page asks for. Options that are left alone are not in it. */
export function readConfig(): ContextConfig {
  const config: Record<string, unknown> = {};
  for (const control of form.elements) {
    const isControl = control instanceof HTMLInputElement || control instanceof HTMLSelectElement;
    if (isControl && control.name !== "" && !control.disabled) {
      readControl(control, config);
    }
  }
  const roles = [...form.querySelectorAll<HTMLInputElement>("#roles input")];
  if (roles.some((role) => !role.checked)) {
    const stay = roles.filter((role) => role.checked).map((role) => role.value);
    put(config, "filter.roles", stay);
  }
  return config;
}

function readControl(control: HTMLInputElement | HTMLSelectElement, config: Record<string, unknown>): void {
  const { name, value, type } = control;
  if (type === "number") {
    if (control.validity.badInput || value !== "") {
      put(config, name, control.validity.badInput ? Number.NaN : Number(value));
    }
  } else if (type === "checkbox" || type === "radio") {
    const box = control as HTMLInputElement;
    if (name === "filter.roles") {
      return;
    }
    if (box.value !== "on" && type === "checkbox") {
      if (box.checked) {
        put(config, name, [...listAt(config, name), value]);
      }
    } else if (box.checked && !(type === "radio" && box.defaultChecked)) {
      put(config, name, type === "radio" ? value : true);
    }
  } else if (value !== "") {
    put(config, name, value);
  }
}

function put(config: Record<string, unknown>, path: string, value: unknown): void {
  const [group, option] = path.split(".") as [string, string | undefined];
  config[group] = option === undefined ? value : { ...(config[group] as object | undefined), [option]: value };
}

function listAt(config: Record<string, unknown>, path: string): readonly string[] {
  const [group, option] = path.split(".") as [string, string];
  return ((config[group] as Record<string, unknown> | undefined)?.[option] as string[] | undefined) ?? [];
}

/** Runs `changed` whenever an option is changed. */
export function watchOptions(changed: () => void): void {
  form.addEventListener("submit", (event) => event.preventDefault());
  // The reset happens after its event.
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    resetMoreOptions();
    changed();
  });
  document.addEventListener("input", ({ target }) => {
    if ((target instanceof HTMLInputElement || target instanceof HTMLSelectElement) && target.form === form) {
      changed();
    }
  });
}

/** The controls of the disclosure. */
function moreControls(): (HTMLInputElement | HTMLSelectElement)[] {
  return [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>(".more input, .more select")];
}

function isSet(control: HTMLInputElement | HTMLSelectElement): boolean {
  if (control instanceof HTMLInputElement && control.type === "checkbox") {
    return control.checked !== control.defaultChecked;
  }
  return control.value !== "" || control.validity.badInput;
}

function resetMoreOptions(): void {
  for (const control of moreControls()) {
    if (control instanceof HTMLInputElement && control.type === "checkbox") {
      control.checked = control.defaultChecked;
    } else {
      control.value = "";
    }
  }
}

/** Says beside the disclosure how many options in it are set. */
export function showOptionsSet(): void {
  const count = moreControls().filter(isSet).length;
  find("options-set").textContent = count === 0 ? "" : `${formatCount(count, "change")}`;
  find<HTMLButtonElement>("reset").disabled = count === 0;
}

/** Marks the control that an error is about, and no other. */
export function markInvalid(path: string | undefined): void {
  for (const control of form.elements) {
    const isIt = path !== undefined && control.getAttribute("name") === path;
    if (isIt) {
      control.setAttribute("aria-invalid", "true");
      control.setAttribute("aria-describedby", "build-error");
      control.closest("details")?.setAttribute("open", "");
    } else if (control.hasAttribute("aria-invalid")) {
      control.removeAttribute("aria-invalid");
      control.removeAttribute("aria-describedby");
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
  offerChecks("roles", "filter.roles", roles, true);
  offerChecks("sources", "filter.excludeSources", sources, false);
  offerChecks("tags", "filter.excludeTags", tags, false);
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

function offerChecks(id: string, name: string, values: Set<string>, stay: boolean): void {
  const field = find<HTMLFieldSetElement>(id);
  field.hidden = values.size < (stay ? 2 : 1);
  for (const old of field.querySelectorAll("label")) {
    old.remove();
  }
  for (const value of [...values].slice(0, MOST_CHECKS)) {
    const box = make("input", "");
    box.type = "checkbox";
    box.name = name;
    box.value = value;
    box.defaultChecked = stay;
    field.append(make("label", "check", box, ` ${value}`));
  }
}
