// The readers of other apps' files. Importing this module provides them; the entry `windrow/files` does, and so does
// `windrow` in Node. A page that reads no such files doesn't load them.

import { KNOWN_KINDS, provideKinds } from "../known.js";
import { provideReaders } from "../readers.js";
import { READ_KINDS } from "./kinds.js";
import { NAMED_KINDS } from "./names.js";
import { READERS } from "./readers.js";

provideKinds(NAMED_KINDS);
provideReaders(READERS);

/** The kinds of other apps' files that windrow recognizes: their names, and whether it reads them. */
export const fileKinds: readonly { readonly name: string; readonly isRead: boolean }[] = /* @__PURE__ */ listed();

function listed(): typeof fileKinds {
  const named = NAMED_KINDS.filter(({ name }) => KNOWN_KINDS.every((kind) => kind.name !== name));
  return Object.freeze(
    [...KNOWN_KINDS, ...named].map((kind) => Object.freeze({ name: kind.name, isRead: READ_KINDS.includes(kind) })),
  );
}
