// The readers of other apps' files. Importing this module provides them; the entry `windrow/files` does, and so does
// `windrow` in Node. A page that reads no such files doesn't load them.

import { KNOWN_KINDS, provideKinds } from "../known.js";
import { provideReaders } from "../readers.js";
import { aider } from "./aider.js";
import { assistantUi } from "./assistant-ui.js";
import { cline } from "./cline.js";
import { copilot } from "./copilot.js";
import { copilotCli } from "./copilot-cli.js";
import { discord } from "./discord.js";
import { libreChat } from "./librechat.js";
import { lmStudio } from "./lm-studio.js";
import { NAMED_KINDS } from "./names.js";
import { openWebUi } from "./open-webui.js";
import { opencode } from "./opencode.js";
import { sillyTavern } from "./silly-tavern.js";
import { slack } from "./slack.js";
import { telegram } from "./telegram.js";
import { whatsApp } from "./whatsapp.js";

provideKinds(NAMED_KINDS);
provideReaders({
  "Slack export": slack,
  "Discord export (DiscordChatExporter)": discord,
  "Telegram export": telegram,
  "LibreChat export": libreChat,
  "Open WebUI export": openWebUi,
  "Copilot chat session": copilot,
  "Copilot CLI session": copilotCli,
  "SillyTavern chat": sillyTavern,
  "LM Studio conversation": lmStudio,
  "opencode session": opencode,
  "assistant-ui thread": assistantUi,
  "Cline or Roo Code task (ui_messages.json)": cline,
  "WhatsApp export": whatsApp,
  "Aider chat history": aider,
});

/** The kinds of other apps' files that windrow recognizes: their names, and whether it reads them. */
export const fileKinds: readonly { readonly name: string; readonly isRead: boolean }[] = /* @__PURE__ */ listed();

function listed(): typeof fileKinds {
  const named = NAMED_KINDS.filter(({ name }) => KNOWN_KINDS.every((kind) => kind.name !== name));
  return Object.freeze(
    [...KNOWN_KINDS, ...named].map(({ name, isRead }) => Object.freeze({ name, isRead: isRead === true })),
  );
}
