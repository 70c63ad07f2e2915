// Without the core: the caller hands it over, so that it can be cached, streamed or compiled elsewhere.
import { provideModule } from "../engine.js";

export * from "../index.js";

/** The core in any form that a host has it in: compiled, as bytes, or as the answer to a request. */
export type CoreInput = WebAssembly.Module | ArrayBuffer | Uint8Array<ArrayBuffer> | Response;

/** Hands over the core, the file `windrow/windrow.wasm`, and compiles it where it is not compiled yet. */
export async function init(input: CoreInput | PromiseLike<CoreInput>): Promise<void> {
  initSync(await compile(await input));
}

/** Hands over a compiled core. */
export function initSync(module: WebAssembly.Module): void {
  provideModule(() => module);
}

async function compile(input: CoreInput): Promise<WebAssembly.Module> {
  if (input instanceof WebAssembly.Module) {
    return input;
  }
  if (typeof Response === "function" && input instanceof Response) {
    if (!input.ok) {
      throw new Error(`windrow's core could not be loaded: ${input.url} answered ${input.status}`);
    }
    const isWasm = input.headers.get("content-type")?.startsWith("application/wasm");
    return isWasm ? WebAssembly.compileStreaming(input) : WebAssembly.compile(await input.arrayBuffer());
  }
  return WebAssembly.compile(input as ArrayBuffer | Uint8Array<ArrayBuffer>);
}
