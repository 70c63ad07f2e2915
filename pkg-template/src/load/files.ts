// The entry `windrow/files`: readers of other apps' files, and `carryOn` for another agent's session. `windrow` in Node
// includes the readers.

import "../files/apps/index.js";

export { type CarriedOn, type CarryOnOptions, carryOn } from "../context/carry-on.js";
export { fileKinds } from "../files/apps/index.js";
