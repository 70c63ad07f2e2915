// The formats in every bundle: messages with `role` and `content`, in windrow's own form and in the dialects that
// applications mix with it.

import { type Dialect, provideDialects } from "../message/dialect.js";
import { provideOwnFormat } from "../message/recognise.js";
import { aiSdkModel } from "./ai-sdk/read.js";
import { anthropic } from "./anthropic/read.js";
import { chrome } from "./chrome/read.js";
import { cohere } from "./cohere/read.js";
import { llamaIndex } from "./llamaindex/read.js";
import { mistral } from "./mistral/read.js";
import { ollama } from "./ollama/read.js";
import { openAiChat } from "./openai-chat/read.js";
import { SIGNS } from "./signs.js";
import { tanStackModel } from "./tanstack/model.js";
import { windrowFormat } from "./windrow/format.js";
import { windrow } from "./windrow/read.js";

const DIALECTS: readonly Dialect[] = [
  windrow,
  openAiChat,
  anthropic,
  aiSdkModel,
  llamaIndex,
  tanStackModel,
  ollama,
  cohere,
  mistral,
  chrome,
];

provideDialects(DIALECTS);
provideOwnFormat(windrowFormat(DIALECTS), SIGNS);
