// What bundles carry of the engine as text.

import { decodeBase64 } from "../base/base64.js";

/** Compiles a module that is there in base64. */
export function compiled(base64: string): WebAssembly.Module {
  return new WebAssembly.Module(decodeBase64(base64));
}
