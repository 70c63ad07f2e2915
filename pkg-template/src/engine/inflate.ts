// Decodes the package's data that ships deflated and in base64: vocabularies and the meaning table.

import { decodeBase64 } from "../base/base64.js";

/** Inflates bytes if the host has no `DecompressionStream` that works. */
export type Inflate = (deflated: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>;

let inflateByLibrary: Inflate | undefined;

/** Provides another way to inflate bytes, for hosts that may lack `DecompressionStream`. */
export function provideInflate(inflate: Inflate): void {
  inflateByLibrary = inflate;
}

/** Returns the bytes that a base64 text of raw deflate holds. */
export async function inflated(data: string): Promise<Uint8Array> {
  const deflated = decodeBase64(data);
  const stream = inflatingStream();
  if (stream === undefined && inflateByLibrary !== undefined) {
    return await inflateByLibrary(deflated);
  }
  if (stream === undefined) {
    throw new Error("this host has no DecompressionStream for deflate-raw");
  }
  return new Uint8Array(await new Response(new Blob([deflated]).stream().pipeThrough(stream)).arrayBuffer());
}

/**
 * Returns the host's stream that inflates. Undefined if it has none that works: Next.js puts a function that throws in
 * its place, and older browsers don't know the format.
 */
function inflatingStream(): ReadableWritablePair<Uint8Array<ArrayBuffer>, BufferSource> | undefined {
  try {
    return new DecompressionStream("deflate-raw");
  } catch {
    return undefined;
  }
}
