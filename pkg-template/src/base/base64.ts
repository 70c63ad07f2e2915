/** Decodes base64. Throws if the text isn't base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  if ("fromBase64" in Uint8Array) {
    return (Uint8Array as unknown as { fromBase64(text: string): Uint8Array<ArrayBuffer> }).fromBase64(text);
  }
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) {
    bytes[index] = binary.charCodeAt(index);
  }
  return bytes;
}

/** Number of bytes converted per call. Hosts limit the number of arguments. */
const CHUNK_LENGTH = 0x2000;

/** Encodes bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let first = 0; first < bytes.length; first += CHUNK_LENGTH) {
    binary += String.fromCharCode(...bytes.subarray(first, first + CHUNK_LENGTH));
  }
  return btoa(binary);
}
