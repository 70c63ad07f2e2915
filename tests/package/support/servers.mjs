// Servers that tests start.

/**
 * The port of a server.
 *
 * @param {{ address(): import("node:net").AddressInfo | string | null }} server
 */
export function portOf(server) {
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}
