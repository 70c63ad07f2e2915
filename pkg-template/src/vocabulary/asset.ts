// Writes a vocabulary file. Its format is described in crates/encoding/src/vocabulary.rs.

import { type MergePair, SINGLE_BYTES, storedOrder } from "./order.js";

const FORMAT_VERSION = 2;
const HEADER_BYTES = 24;

/** The highest number in the three bytes of a step. */
const STEP = 0xff_ffff;

/**
 * Returns the vocabulary file for merges in order of rank and the tokens that no merge makes. The first tokens are the
 * bytes 0 to 255.
 */
export function vocabularyFile(
  piecesCode: number,
  merges: readonly MergePair[],
  unmerged: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const count = merges.length;
  const rest = [...unmerged].sort(compareBytes).flatMap((token) => [token.length, ...token]);
  const file = new Uint8Array(HEADER_BYTES + SINGLE_BYTES + 6 * count + rest.length);
  const body = file.subarray(HEADER_BYTES);
  for (let byte = 0; byte < SINGLE_BYTES; byte += 1) {
    body[byte] = byte;
  }
  let [leftBefore, rightBefore] = [0, 0];
  for (const [rank, [left, right]] of storedOrder(merges).entries()) {
    const steps = [right === rightBefore ? left - leftBefore : left, right - rightBefore];
    for (const [side, step] of steps.entries()) {
      for (const plane of [0, 1, 2]) {
        body[SINGLE_BYTES + (3 * side + plane) * count + rank] = ((step & STEP) >> (8 * plane)) & 0xff;
      }
    }
    [leftBefore, rightBefore] = [left, right];
  }
  body.set(rest, SINGLE_BYTES + 6 * count);
  file.set(new TextEncoder().encode("windrowV"));
  const header = new DataView(file.buffer);
  header.setUint32(8, FORMAT_VERSION | (piecesCode << 24), true);
  header.setUint32(12, SINGLE_BYTES + count, true);
  header.setBigUint64(16, checksumOf(body), true);
  return file;
}

/** Compares by the first byte that differs, and then by length. */
function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return at < 0 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1);
}

/** Returns a checksum against damage. */
function checksumOf(bytes: Uint8Array): bigint {
  const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8);
  padded.set(bytes);
  const words = new DataView(padded.buffer);
  let sum = BigInt(bytes.length);
  for (let at = 0; at < padded.length; at += 8) {
    const product = BigInt.asUintN(64, (sum ^ words.getBigUint64(at, true)) * 0x9e37_79b9_7f4a_7c15n);
    sum = BigInt.asUintN(64, product << 29n) | (product >> 35n);
  }
  return sum;
}
