// Recognizes aider's chat histories.

import type { KnownKind } from "../../kind.js";

export const aiderKind: KnownKind = {
  name: "Aider chat history",
  text: /^# aider chat started at |^> (?:Tokens: [\d.,]+k? sent|Aider v\d|Applied edit to )/m,
};
