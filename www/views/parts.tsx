// Small parts that several views use.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Failure } from "../state/state.js";

/** A failure with its next step and its code. */
export function FailureBox({ failure, id, children }: { failure: Failure; id?: string; children?: ComponentChildren }) {
  return (
    <div class="failure" role="alert" {...(id === undefined ? {} : { id })}>
      <p>
        <b>{failure.words}</b> {failure.next}
      </p>
      {children}
      {failure.code !== "" && <code>{failure.code}</code>}
    </div>
  );
}

/** A button that copies a text, and says that it did. */
export function CopyButton({ words, text, isSmall = false }: { words: string; text: () => string; isSmall?: boolean }) {
  const [said, setSaid] = useState(words);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid("Copied");
    } catch {
      setSaid("Not copied: the browser does not allow it");
    }
    setTimeout(() => setSaid(words), 1500);
  };
  return (
    <button type="button" class={isSmall ? "button small" : "button"} onClick={() => void copy()}>
      {said}
    </button>
  );
}

/** A panel that a button of the top bar opens. It renders only while it is open, so a drag doesn't pay for it. */
export function Panel({
  id,
  title,
  place = "",
  children,
}: {
  id: string;
  title: string;
  place?: string;
  children: () => ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = panel.current;
    const hear = (event: Event) => setOpen((event as ToggleEvent).newState === "open");
    element?.addEventListener("beforetoggle", hear);
    return () => element?.removeEventListener("beforetoggle", hear);
  }, []);
  return (
    <div ref={panel} id={id} class={`panel ${place}`} popover="auto" role="dialog" aria-label={title}>
      {isOpen && (
        <>
          <h2>{title}</h2>
          <Inside render={children} />
        </>
      )}
    </div>
  );
}

function Inside({ render }: { render: () => ComponentChildren }) {
  return <>{render()}</>;
}

export function closePanel(id: string): void {
  document.getElementById(id)?.hidePopover();
}

export function openPanel(id: string): void {
  document.getElementById(id)?.showPopover();
}

/** True for the second click of a double click. A button that makes something new ignores it, however late it comes. */
export const isSecondOfDouble = ({ detail }: MouseEvent): boolean => detail > 1;
