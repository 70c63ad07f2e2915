// Other packages that count tokens, pinned in a separate project.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { projectPath } from "../scripts/project.mjs";
import { installNpmPackages } from "../scripts/setup.mjs";

const FOLDER = "benches/peers";

/** Installs the peers unless they are installed. */
export async function installPeers() {
  await installNpmPackages(FOLDER, []);
}

const require = createRequire(projectPath(FOLDER, "package.json"));

/** Imports a module of the peers' project. */
export function importPeer(name) {
  return import(pathToFileURL(require.resolve(name)).href);
}

/** Returns the installed version of a peer. */
export function versionOf(name) {
  return require(projectPath(FOLDER, "node_modules", name, "package.json")).version;
}

/**
 * The peers: how to set up each one's function that counts a text in `o200k_base`, and whether it claims exact counts.
 * A text is a person's message, so a special token in it counts as ordinary text if the peer has that option.
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
