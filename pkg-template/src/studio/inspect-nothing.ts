// What `windrow/inspect` is in production: nothing.

/** Does nothing: builds are shown while an app is developed. */
export function inspect(): void {}
