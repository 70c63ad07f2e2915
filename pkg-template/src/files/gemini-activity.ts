// Google Takeout's export of Gemini: `My Activity/Gemini Apps/MyActivity.json`, a list of activities, newest first. An
// activity can be a prompt, in its title, with Gemini's answer as HTML. The file doesn't say which prompts belong to
// one conversation, so all of them form one, in chronological order; `tiers` separates conversations by pauses. The
// format isn't published; the titles and fields are those that readers of real exports use, such as
// jetpack3331/ai-chat-history-manager (GEMINI.md).

import { describe } from "../base/options.js";
import { isRecord } from "../base/plain-data.js";
import type { MessageInput, PartInput } from "../message/message.js";
import { timeMsOf } from "../message/times.js";
import { type FileKind, listIn, type Row, recordIn, textIn } from "./file.js";
import { textOfHtml } from "./html.js";
import { attachedPart, contentOf, partsOrFault, type Report, textPart } from "./parts.js";

/** The start of a prompt's title. Other languages have other words. */
const PROMPT = /^(?:prompted|asked|said)(?: with:| gemini:| bard:)?\s+/i;
/** The start of a title that isn't a prompt, even with an answer next to it. */
const NO_PROMPT =
  /^(?:created|used|selected|gave|added|shared|deleted|viewed|visited|searched|edited|updated|removed|rated)\s/i;
/** Lines next to a prompt that aren't an answer: the attachments, and the Gem that was asked. */
const BESIDE = /^(?:Attached \d+ files?\.?$|-\s{1,8}\S|https?:\/\/\S+$)|was used in this chat\b/;

/** A list of activities is one value, newest first. It may have other rows too. */
export const geminiActivity: FileKind = {
  name: "Gemini activity of Google Takeout",
  fits: (value) => (Array.isArray(value) ? value.some(isOfGemini) : isOfGemini(value)),

  read(value, row, file) {
    const activities: readonly unknown[] = Array.isArray(value) ? value : [value];
    const conversation = file.begin({}, Array.isArray(value) ? undefined : row);
    const turns: { readonly at: number; readonly timeMs: number; readonly activity: Row }[] = [];
    for (const [at, activity] of activities.entries()) {
      if (isRecord(activity) && "role" in activity) {
        conversation.take(activity, at);
      } else if (!isActivity(activity)) {
        conversation.skip(`expected an activity, got ${describe(activity)}`, at, activity);
      } else if (!isOfGemini(activity)) {
        conversation.skip("it isn't an activity of Gemini", at);
      } else {
        turns.push({ at, timeMs: timeMsOf(activity.time) ?? Number.NEGATIVE_INFINITY, activity });
      }
    }
    // The sort is stable: for equal times, the activity later in the file came first.
    for (const { at, activity } of turns.reverse().sort((left, right) => left.timeMs - right.timeMs || 0)) {
      const answer = answerOf(activity, (reason) => conversation.skip(reason, at));
      const asked = promptOf(activity.title as string, answer.length > 0);
      if (asked === undefined) {
        conversation.skip(`title: ${describe(activity.title)} isn't a prompt`, at);
        continue;
      }
      const createdAt = textIn(activity.time);
      const said = (role: string, parts: readonly PartInput[]): void => {
        const message: MessageInput = {
          role,
          content: contentOf(parts),
          ...(createdAt === undefined ? {} : { createdAt }),
        };
        if (parts.length > 0) {
          conversation.take(message, at);
        }
      };
      said("user", [...attachmentsOf(activity), ...textPart(asked)]);
      said("assistant", answer);
    }
  },
};

function isActivity(value: unknown): value is Row {
  return isRecord(value) && typeof value.title === "string" && typeof value.time === "string" && !("role" in value);
}

function isOfGemini(value: unknown): boolean {
  return (
    isActivity(value) &&
    [value.header, ...listIn(value.products)].some((name) => /gemini|bard/i.test(textIn(name) ?? ""))
  );
}

/** Returns the prompt in a title. Undefined for an activity that isn't a prompt. */
function promptOf(title: string, isAnswered: boolean): string | undefined {
  if (PROMPT.test(title)) {
    return title.replace(PROMPT, "");
  }
  return isAnswered && !NO_PROMPT.test(title) ? title : undefined;
}

/**
 * Returns Gemini's answer. A regenerated prompt has all of its answers, because the file doesn't say which one the user
 * continued with.
 */
function answerOf({ safeHtmlItem, subtitles }: Row, report: Report): readonly PartInput[] {
  const answers = listIn(safeHtmlItem)
    .map(recordIn)
    .flatMap((item) =>
      partsOrFault(item, report, () =>
        textIn(item.html) === undefined ? [] : textPart(textOfHtml(item.html as string)),
      ),
    );
  return answers.length > 0
    ? answers
    : namesOf(subtitles)
        .filter((name) => !BESIDE.test(name))
        .flatMap(textPart);
}

function attachmentsOf({ imageFile, attachedFiles }: Row): readonly PartInput[] {
  const names = new Set([imageFile, ...listIn(attachedFiles)].flatMap((name) => textIn(name) ?? []));
  return [...names].flatMap((name) => attachedPart({ name }));
}

function namesOf(subtitles: unknown): readonly string[] {
  return listIn(subtitles).flatMap((subtitle) => (isRecord(subtitle) ? (textIn(subtitle.name) ?? []) : []));
}
