// windrow/windrow.wasm in Vercel's edge runtime. Turbopack does not find a file of a package that is imported with `?module` from outside.

export { default } from "./windrow.wasm?module";
