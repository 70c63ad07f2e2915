// The entry `windrow/redact`: keeps secrets out of a prompt.

import { createRedactor, type Redactor } from "./redactor.js";

export type { RecordedEdit, RecordedRedaction, Restorer } from "../config/redactor.js";
export { SECRET_KINDS, type SecretKind, type SecretMatch } from "./find.js";
export { createRedactor, type FindSecrets, findSecrets, type Redactor, type RedactorOptions } from "./redactor.js";

/**
 * The default redactor. It replaces keys of well-known providers, tokens, private keys, email addresses, and numbers
 * of cards, bank accounts and phones. Its key is random and lasts as long as the program. `createRedactor` creates
 * others.
 */
export const secrets: Redactor = /* @__PURE__ */ createRedactor();
