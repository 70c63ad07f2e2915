// Figures in sentences.

/** How many there are of something: `1 token`, `2 tokens`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
