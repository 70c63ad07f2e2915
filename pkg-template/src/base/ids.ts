// Ids that nobody else has.

/** How many bits an id has at most: enough that two never meet, and short enough to read. */
const BYTES = 16;

/**
 * An id that nobody else has: so many random bytes, as hexadecimal digits. `crypto.randomUUID` is missing in pages that are not
 * served securely; this is everywhere.
 */
export function newId(byteCount: number = BYTES): string {
  const bytes = crypto.getRandomValues(new Uint8Array(byteCount));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** An id of 64 random bits, behind a word that names its kind: `msg_8f5594d2a5459ae4`. */
export function idOf(what: "fork" | "handoff" | "msg" | "op"): string {
  return `${what}_${newId(8)}`;
}
