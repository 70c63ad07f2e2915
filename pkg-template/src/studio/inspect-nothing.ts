// `windrow/inspect` in production. It does nothing.

/** Does nothing. Builds are only shown during development. */
export function inspect(): void {}
