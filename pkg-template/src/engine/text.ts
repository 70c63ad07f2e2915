// Texts that are counted: written straight into the engine's memory, as most are short and there are many.

import { countText, engineMemory, textBuffer } from "#core";
import { engineGeneration } from "./engine.js";

/** The room that the engine keeps for a text, in bytes. What a longer one takes is given up. */
const KEPT_BYTES = 1 << 16;

const encoder = new TextEncoder();
let room = new Uint8Array(0);
let generation = 0;

/** The number of tokens in a text, by a counter of the engine's. */
export function countTokensOf(text: string, counter: number): number {
  // Memory that has grown leaves a view of nothing, and a new instance one of the wrong memory.
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
      room = new Uint8Array(0); // the engine has given it up
    }
  }
}

/** Makes room for a text, with what was written in it before. */
function makeRoom(bytes: number): void {
  const length = Math.max(bytes, KEPT_BYTES);
  generation = engineGeneration();
  const start = textBuffer(length);
  room = new Uint8Array((engineMemory() as WebAssembly.Memory).buffer, start, length);
}
