// The page's content security policy, shared by the studio's server and the static build.

/**
 * Returns the policy for a `meta` tag. Nothing loads from another origin, and requests go only to this one and to
 * `connect`.
 */
export function metaPolicy(connect: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...connect].join(" "),
    // A worker started from a blob inherits its page's policy, even if the host sends no header with the worker's
    // script.
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Returns the same policy for a header, which can also forbid that another page frames this one. */
export function headerPolicy(connect: readonly string[] = []): string {
  return `${metaPolicy(connect)}; frame-ancestors 'none'`;
}
