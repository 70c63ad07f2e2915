/** The bytes of a base64 text. Fails for any other text. */
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

/** How many bytes become letters at a time: as many as a call may have arguments anywhere. */
const CHUNK_LENGTH = 0x2000;

/** Bytes as a base64 text. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let first = 0; first < bytes.length; first += CHUNK_LENGTH) {
    binary += String.fromCharCode(...bytes.subarray(first, first + CHUNK_LENGTH));
  }
  return btoa(binary);
}
