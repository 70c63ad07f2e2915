// SipHash-2-4: a short keyed checksum. It can't be computed without the key, so nobody can guess secrets and compare.

export type SipKey = readonly [bigint, bigint];

const encoder = new TextEncoder();
const word = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotated = (value: bigint, bits: bigint): bigint => word((value << bits) | (value >> (64n - bits)));

/** Returns the checksum of a text, of 64 bits. */
export function sipHash([first, second]: SipKey, text: string): bigint {
  const bytes = encoder.encode(text);
  let a = first ^ 0x736f6d6570736575n;
  let b = second ^ 0x646f72616e646f6dn;
  let c = first ^ 0x6c7967656e657261n;
  let d = second ^ 0x7465646279746573n;
  const mix = (rounds: number): void => {
    for (let round = 0; round < rounds; round++) {
      a = word(a + b);
      b = rotated(b, 13n) ^ a;
      a = rotated(a, 32n);
      c = word(c + d);
      d = rotated(d, 16n) ^ c;
      a = word(a + d);
      d = rotated(d, 21n) ^ a;
      c = word(c + b);
      b = rotated(b, 17n) ^ c;
      c = rotated(c, 32n);
    }
  };
  const take = (block: bigint): void => {
    d ^= block;
    mix(2);
    a ^= block;
  };
  const end = bytes.length - (bytes.length % 8);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < end; at += 8) {
    take(view.getBigUint64(at, true));
  }
  let last = BigInt(bytes.length % 256) << 56n;
  for (let at = end; at < bytes.length; at++) {
    last |= BigInt(bytes[at] as number) << BigInt(8 * (at - end));
  }
  take(last);
  c ^= 0xffn;
  mix(4);
  return a ^ b ^ c ^ d;
}

/** Derives a key from a text. */
export const keyOf = (text: string): SipKey => [sipHash([0n, 1n], text), sipHash([2n, 3n], text)];

/** Returns a random key. */
export function randomKey(): SipKey {
  const [first = 0n, second = 0n] = crypto.getRandomValues(new BigUint64Array(2));
  return [first, second];
}
