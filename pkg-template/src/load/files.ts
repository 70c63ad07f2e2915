// Files of other apps: their readers, and another agent's session carried on. The entry `windrow/files`; `windrow` in Node has the readers too.

import "../files/apps/index.js";

export { type CarriedOn, type CarryOnOptions, carryOn } from "../context/carry-on.js";
export { fileKinds } from "../files/apps/index.js";
