// Decodes the parts of the engine that bundles contain as text.

import { decodeBase64 } from "../base/base64.js";

/** Compiles a module from base64. */
export function compiled(base64: string): WebAssembly.Module {
  return new WebAssembly.Module(decodeBase64(base64));
}
