// The token of the studio.

/**
 * The token in the address that the studio printed; null on any other host, which can ask no endpoint and has no app to
 * follow.
 */
export const studioToken = new URLSearchParams(location.search).get("token");
