// The whole page.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { openFile, openPasted } from "../state/sources.js";
import { state } from "../state/state.js";
import { Budget } from "./Budget.js";
import { Flow } from "./Flow.js";
import { Inspector } from "./Inspector.js";
import { Legend } from "./Legend.js";
import { Marks } from "./Marks.js";
import { Prompts } from "./Prompt.js";
import { Rows } from "./Rows.js";
import { ToldChange, Top } from "./Top.js";
import { Turns } from "./Turns.js";
import "./base.css";

export function App() {
  return (
    <div class={state.isOld.value ? "app is-old" : "app"}>
      <button type="button" class="button skip" onClick={() => document.getElementById("rows")?.focus()}>
        Skip to the conversation
      </button>
      <Top />
      <section class="about" aria-label="About this page">
        See which messages of a chat go into the model's prompt, which are left out, and why.
      </section>
      <ToldChange />
      <section class="asking" aria-label="Request and budget">
        <Request />
        <Budget />
      </section>
      <section class="strips" aria-label="Turns and messages">
        <Turns />
        <Marks />
        <Legend />
      </section>
      <main class="panes">
        <Rows />
        <Flow />
        <Prompts />
      </main>
      <Inspector />
      <DropZone />
    </div>
  );
}

function Request() {
  const isOfTurn = state.turn.value !== undefined;
  return (
    <div class="request">
      <label for="request">
        {isOfTurn ? "Request: the user's message at this turn" : "Request: the user's question"}
      </label>
      <input
        id="request"
        type="text"
        placeholder="If empty, the newest message is the request"
        value={state.request.value}
        onInput={({ currentTarget }) => {
          state.request.value = currentTarget.value;
          state.turn.value = undefined;
        }}
      />
    </div>
  );
}

/** Opens files that are dropped and texts that are pasted anywhere on the page. */
function DropZone() {
  const isOver = useSignal(false);
  useEffect(() => {
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent) => {
      if (hasFile(event)) {
        event.preventDefault();
        isOver.value = true;
      }
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) {
        isOver.value = false;
      }
    };
    const drop = (event: DragEvent) => {
      isOver.value = false;
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) {
        event.preventDefault();
        void openFile(file);
      }
    };
    const paste = (event: ClipboardEvent) => {
      const { target } = event;
      if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
        return;
      }
      const file = event.clipboardData?.files[0];
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (file !== undefined) {
        void openFile(file);
      } else if (text !== "") {
        void openPasted(text);
      }
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    addEventListener("paste", paste);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
      removeEventListener("paste", paste);
    };
  }, []);
  return isOver.value ? <div class="drop">Drop a conversation, a recording or a shared view</div> : null;
}
