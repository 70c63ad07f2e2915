// What the build puts in place of these imports; see scripts/build.mjs.

/** The core, as a host that compiles wasm itself hands it over: Cloudflare's workerd and its kin. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

/** The same in Vercel's edge runtime. */
declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}

/** The same by `import source`, where the host has it. */
declare module "*.wasm?source" {
  const module: WebAssembly.Module;
  export default module;
}

/** The core's bytes in base64, inlined by the build. */
declare module "virtual:windrow-wasm-base64" {
  const base64: string;
  export default base64;
}
