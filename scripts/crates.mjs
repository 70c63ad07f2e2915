// The crates that the core depends on, from `cargo metadata`.

import { capture, Failure } from "./project.mjs";

/**
 * Returns the packages of `cargo metadata` that the core reaches over dependencies of some kinds, including its own
 * crates. `isFollowed` decides by kind: null is linked, and the others are `build` and `dev`. `options` go to cargo.
 *
 * @param {(kind: "build" | "dev" | null) => boolean} isFollowed
 * @param {readonly string[]} [options]
 * @returns {Promise<any[]>}
 */
export async function cratesOfCore(isFollowed, options = []) {
  const metadata = await capture("cargo", ["metadata", "--format-version", "1", "--locked", ...options]);
  if (metadata === null) {
    throw new Failure("cargo metadata failed: run `cargo metadata --locked`, and see why");
  }
  const { packages, resolve } = JSON.parse(metadata);
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const seen = new Set();
  const open = [packages.find(({ name }) => name === "windrow").id];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (!seen.has(id)) {
      seen.add(id);
      const used = nodes.get(id).deps.filter((dep) => dep.dep_kinds.some(({ kind }) => isFollowed(kind)));
      open.push(...used.map(({ pkg }) => pkg));
    }
  }
  return packages.filter(({ id }) => seen.has(id));
}
