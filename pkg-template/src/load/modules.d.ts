// Types of imports that the build replaces; see scripts/build.mjs.

/** The core, compiled by the host: Cloudflare's workerd and similar hosts. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

/** The same in Vercel's edge runtime. */
declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}

/** The same through `import source`, on hosts that have it. */
declare module "*.wasm?source" {
  const module: WebAssembly.Module;
  export default module;
}

/** The core's bytes in base64, inlined by the build. */
declare module "virtual:windrow-wasm-base64" {
  const base64: string;
  export default base64;
}
