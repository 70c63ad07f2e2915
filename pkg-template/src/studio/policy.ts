// The content security policy of the page, in one place for the studio's server and for the static build.

/** All that a `meta` tag can say: nothing is loaded from another origin, and nothing is sent to one but those of `connect`. */
export function metaPolicy(connect: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...connect].join(" "),
    // A worker that starts from a blob has the policy of its page, even if the host sends no header with the worker's script.
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The same as a header, which can also say that no other page may have this one in a frame. */
export function headerPolicy(connect: readonly string[] = []): string {
  return `${metaPolicy(connect)}; frame-ancestors 'none'`;
}
