// Texts to be counted. They are written straight into the engine's memory, because there are many short ones.

import { countText, engineMemory, textBuffer } from "#core";
import { engineGeneration } from "./engine.js";

/** The buffer that the engine keeps for a text, in bytes. A buffer for a longer text is released afterwards. */
const KEPT_BYTES = 1 << 16;

const encoder = new TextEncoder();
let room = new Uint8Array(0);
let generation = 0;

/** Returns the number of tokens in a text, by one of the engine's counters. */
export function countTokensOf(text: string, counter: number): number {
  // Growing memory detaches the view, and a new instance has another memory.
  if (room.length <= text.length || generation !== engineGeneration()) {
    makeRoom(text.length);
  }
  let { read, written } = encoder.encodeInto(text, room);
  if (read < text.length) {
    makeRoom(written + 3 * (text.length - read));
    written += encoder.encodeInto(text.slice(read), room.subarray(written)).written;
  }
  try {
    return countText(counter, written);
  } finally {
    if (room.length > KEPT_BYTES) {
      room = new Uint8Array(0); // the engine has released it
    }
  }
}

/** Grows the buffer for a text and keeps the bytes already written. */
function makeRoom(bytes: number): void {
  const length = Math.max(bytes, KEPT_BYTES);
  generation = engineGeneration();
  const start = textBuffer(length);
  room = new Uint8Array((engineMemory() as WebAssembly.Memory).buffer, start, length);
}
