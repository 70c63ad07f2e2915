// windrow/windrow.wasm in Vercel's edge runtime. A separate file of the package, because Turbopack can't resolve an
// import with `?module` from outside the package.

export { default } from "./windrow.wasm?module";
