// Suggests the right name for a misspelled one. The engine decides, as it does for options.

import { nearestName } from "#core";
import type { ErrorKind } from "../base/errors.js";
import { call } from "./engine.js";

/** Returns the known name closest to a misspelled one, if it is close enough to be a typo. */
export function nearest<Name extends string>(given: string, known: readonly Name[], kind: ErrorKind): Name | undefined {
  return call(kind, () => nearestName(given, [...known])) as Name | undefined;
}
