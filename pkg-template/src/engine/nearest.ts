// What somebody who slipped may have meant. The engine decides, as it does for options.

import { nearestName } from "#core";
import type { ErrorKind } from "../base/errors.js";
import { call } from "./engine.js";

/** The name that differs least from what was given, if it differs little enough to be a slip. */
export function nearest<Name extends string>(given: string, known: readonly Name[], kind: ErrorKind): Name | undefined {
  return call(kind, () => nearestName(given, [...known])) as Name | undefined;
}
