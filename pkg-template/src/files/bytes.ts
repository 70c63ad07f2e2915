// Decodes the bytes of a file.

import { ContextError } from "../base/errors.js";
import { publicCall } from "../base/public-call.js";

/**
 * Decodes the bytes of a file for `parseTranscript`: UTF-8, or UTF-16 if it begins with that mark, as files written by
 * PowerShell do. Fails with `INVALID_TRANSCRIPT` if they aren't text.
 */
export function textOfFile(bytes: ArrayBuffer | Uint8Array): string {
  return publicCall("transcript_error", "textOfFile", () => {
    const [first, second] = new Uint8Array(bytes instanceof ArrayBuffer ? bytes : bytes.subarray(0, 2));
    const encoding =
      first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch (cause) {
      const isTooLarge = (cause as { readonly code?: unknown }).code === "ERR_STRING_TOO_LONG";
      const isArchive = first === 0x50 && second === 0x4b;
      throw new ContextError({
        kind: "transcript_error",
        code: "INVALID_TRANSCRIPT",
        message: isTooLarge
          ? "the file is too large"
          : isArchive
            ? "the file is an archive: pass a file inside it"
            : "the file is not text in UTF-8 or UTF-16",
        nextAction: isTooLarge
          ? "Split the file into its conversations."
          : isArchive
            ? "Unpack it, and pass one of its files."
            : "Save the file as UTF-8.",
        cause,
      });
    }
  });
}
