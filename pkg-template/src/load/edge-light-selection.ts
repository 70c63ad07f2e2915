// windrow/selection.wasm in Vercel's edge runtime: see edge-light-core.ts.

export { default } from "./selection.wasm?module";
