// Making and finding elements. Text always goes in as text, never as HTML.

/** The element of the page with an id. */
export function find<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`the page has no #${id}`);
  }
  return found as E;
}

/** A new element with a class and with texts or elements in it. */
export function make<N extends keyof HTMLElementTagNameMap>(
  name: N,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[N] {
  const element = document.createElement(name);
  if (className !== "") {
    element.className = className;
  }
  element.append(...children);
  return element;
}

const numbers = new Intl.NumberFormat("en");

/** A number with separators: 12,500. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** A number with its noun: 1 message, 12 messages. */
export function formatCount(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? "" : "s"}`;
}
