// The packages that tokens are counted with beside windrow, pinned in a project of their own.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { projectPath } from "../scripts/project.mjs";
import { installNpmPackages } from "../scripts/setup.mjs";

const FOLDER = "benches/peers";

/** Installs the peers, as far as that has not been done. */
export async function installPeers() {
  await installNpmPackages(FOLDER, []);
}

const require = createRequire(projectPath(FOLDER, "package.json"));

/** Imports a module of the peers' project. */
export function importPeer(name) {
  return import(pathToFileURL(require.resolve(name)).href);
}

/** The version of a peer that is installed. */
export function versionOf(name) {
  return require(projectPath(FOLDER, "node_modules", name, "package.json")).version;
}

/**
 * Each peer: how it is made ready, as the function that counts a text in `o200k_base`, and whether it says that its counts are exact.
 * A text is a message of a person's: what looks like a special token in it is ordinary text, where a peer can be told so.
 */
export const PEERS = {
  "gpt-tokenizer": {
    isExact: true,
    load: async () => {
      const { countTokens } = await importPeer("gpt-tokenizer/encoding/o200k_base");
      return (text) => countTokens(text, { disallowedSpecial: new Set() });
    },
  },
  tiktoken: {
    isExact: true,
    load: async () => {
      const { get_encoding } = await importPeer("tiktoken");
      const encoding = get_encoding("o200k_base");
      return (text) => encoding.encode_ordinary(text).length;
    },
  },
  "ai-tokenizer": {
    isExact: false,
    load: async () => {
      const { Tokenizer } = await importPeer("ai-tokenizer");
      const tokenizer = new Tokenizer(await importPeer("ai-tokenizer/encoding/o200k_base"));
      return (text) => tokenizer.count(text);
    },
  },
};
