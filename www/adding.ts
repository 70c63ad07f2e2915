// Adding a message to a kept conversation.

import type { Session } from "windrow";
import { find } from "./elements.js";
import { showFailure } from "./result.js";

const form = find<HTMLFormElement>("add");
const role = find<HTMLSelectElement>("add-role");
const text = find<HTMLTextAreaElement>("add-text");
const failed = find("add-error");
let session: Session | undefined;
let isAdded = false;

/** Makes the form work. What was added is told to all who follow the session. */
export function watchAdding(): void {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void add();
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  find("to-add").addEventListener("click", () => {
    form.scrollIntoView({ block: "end" });
    text.focus({ preventScroll: true });
  });
}

/** Sets the conversation that messages are added to; undefined where it is not kept. */
export function addTo(kept: Session | undefined): void {
  session = kept;
  form.hidden = kept === undefined;
  showFailure(failed, undefined);
}

/** Keeps the form in view when the message that was added has come above it. */
export function followAdded(): void {
  if (isAdded) {
    isAdded = false;
    form.scrollIntoView({ block: "nearest" });
  }
}

async function add(): Promise<void> {
  const content = text.value;
  text.value = "";
  try {
    isAdded = true;
    await session?.append({ role: role.value as "user", content });
    showFailure(failed, undefined);
  } catch (failure) {
    isAdded = false;
    text.value ||= content;
    showFailure(failed, failure);
  }
}
