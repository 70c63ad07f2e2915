// windrow/windrow.wasm in Vercel's edge runtime. Turbopack doesn't find a package's file that is imported with
// `?module` from outside the package.

export { default } from "./windrow.wasm?module";
