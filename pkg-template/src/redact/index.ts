// The entry `windrow/redact`: keeps secrets out of a prompt.

import { createRedactor, type Redactor } from "./redactor.js";

export type { RecordedEdit, RecordedRedaction, Restorer } from "../config/redactor.js";
export { SECRET_KINDS, type SecretKind, type SecretMatch } from "./find.js";
export { createRedactor, type FindSecrets, findSecrets, type Redactor, type RedactorOptions } from "./redactor.js";

/**
 * The ready redactor: keys of well-known makers, tokens, private keys, e-mail addresses, numbers of cards, bank accounts and phones. Its
 * key is random, as long as the program runs. `createRedactor` makes others.
 */
export const secrets: Redactor = /* @__PURE__ */ createRedactor();
