// windrow/windrow.wasm in Vercel's edge runtime, whose bundlers find a file of another package without `?module` alone.

export { default } from "./windrow.wasm?module";
