// Unique random ids.

/** Maximum number of random bytes in an id: enough that two never collide, few enough to read. */
const BYTES = 16;

/**
 * Returns a unique id: `byteCount` random bytes as hexadecimal digits. Unlike `crypto.randomUUID`, it also works in
 * pages that aren't served over HTTPS.
 */
export function newId(byteCount: number = BYTES): string {
  const bytes = crypto.getRandomValues(new Uint8Array(byteCount));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns an id of 64 random bits after a word that names its kind: `msg_8f5594d2a5459ae4`. */
export function idOf(what: "fork" | "handoff" | "msg" | "op"): string {
  return `${what}_${newId(8)}`;
}
