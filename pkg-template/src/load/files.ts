// The entry `windrow/files`: readers of other apps' files, `carryOn` for another agent's session, and `textOfFile`.
// `windrow` in Node includes the readers.

import "../files/apps/index.js";

export { type CarriedOn, type CarryOnOptions, carryOn } from "../context/carry-on.js";
export { fileKinds } from "../files/apps/index.js";
export { textOfFile } from "../files/bytes.js";
