// Names and numbers that several parts of the page use.

/** The database of saved conversations. Its name differs from that of an application on the same origin. */
export const DATABASE = "windrow-playground";

const numbers = new Intl.NumberFormat("en");

/** A number with separators: 12,500. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** A number with its noun: 1 message, 12 messages. */
export function formatCount(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? "" : "s"}`;
}
