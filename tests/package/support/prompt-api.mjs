// A substitute for Chrome's Prompt API: a `LanguageModel` with the draft's window, checks and errors, and a count that
// isn't windrow's. It imports nothing, so that pages and workers can use it.

/** Tokens of a message and of the start of the reply, in addition to their texts. */
const TEMPLATE = 5;
const REPLY_PREFIX = 3;

class QuotaExceededError extends Error {
  name = "QuotaExceededError";
  constructor(requested, quota) {
    super("The input is too large.");
    Object.assign(this, { requested, quota });
  }
}

/**
 * Tokens of a text in an invented vocabulary: pieces of at most 5 letters, each other character, and a third of the
 * bytes of other scripts.
 */
function tokensIn(text) {
  let tokens = 0;
  for (const [piece] of text.matchAll(/[A-Za-z]{1,5}| ?[0-9]{1,2}|\p{L}+|[^\p{L}\d]/gu)) {
    tokens += /^[ -~]+$/.test(piece) ? 1 : Math.ceil(new TextEncoder().encode(piece).length / 3);
  }
  return tokens;
}

/** Checks a prompt by the draft's rules, and returns its tokens. */
function measured(messages, isBegun) {
  let tokens = REPLY_PREFIX;
  let hasInput = isBegun;
  for (const { role, content } of messages) {
    if (!["system", "user", "assistant"].includes(role) || (role === "system" && hasInput)) {
      throw new TypeError(`no message of the role ${role} here`);
    }
    for (const { type, value } of typeof content === "string" ? [{ type: "text", value: content }] : content) {
      if (type !== "text" || typeof value !== "string") {
        throw new TypeError(`no ${type} is expected`);
      }
      tokens += tokensIn(value);
    }
    tokens += TEMPLATE;
    hasInput = true;
  }
  return tokens;
}

/**
 * Returns a `LanguageModel` whose sessions have `window` tokens. `names` is `present` or `earlier`, the version of its
 * field names. `log` counts calls, and those refused as too large.
 */
export function promptApi({ window = 9216, names = "present", replyOf = (turn) => `Reply ${turn}.` } = {}) {
  const log = { creates: 0, prompts: 0, measures: 0, overflows: 0, most: 0, replies: 0 };
  const checkFits = (used) => {
    log.most = Math.max(log.most, used);
    if (used > window) {
      log.overflows += 1;
      throw new QuotaExceededError(used, window);
    }
  };
  const create = async (/** @type {{ initialPrompts?: any[] }} */ { initialPrompts = [] } = {}) => {
    await Promise.resolve();
    log.creates += 1;
    let used = initialPrompts.length === 0 ? 0 : measured(initialPrompts, false);
    checkFits(used);
    const measure = async (messages) => {
      await Promise.resolve();
      log.measures += 1;
      return measured(messages, false);
    };
    const fields = {
      present: { window: "contextWindow", used: "contextUsage", measure: "measureContextUsage" },
      earlier: { window: "inputQuota", used: "inputUsage", measure: "measureInputUsage" },
    }[names];
    /** @type {Record<string, any>} */
    const session = {
      async prompt(messages) {
        await Promise.resolve();
        log.prompts += 1;
        used += measured(messages, used > 0);
        checkFits(used);
        const reply = replyOf(log.prompts);
        log.replies += tokensIn(reply);
        used += tokensIn(reply);
        checkFits(used);
        return reply;
      },
    };
    Object.defineProperties(session, {
      [fields.window]: { get: () => window },
      [fields.used]: { get: () => used },
      [fields.measure]: { value: measure },
    });
    return session;
  };
  return { create, log };
}

/** User lines: prose, code, figures and other scripts. Estimates of them differ. */
export const SUBJECTS = [
  "The boat house by the lake has forty seats, and its kitchen closes at ten.",
  "function fits(tokens, window) { return tokens.filter((it) => it.count <= window.left[it.at]); }",
  "Счёт 4711 оплачен 12 июня, остаток 1 204,50 франков, договор прилагается.",
  "会議は六月十二日の午後三時に始まります。資料を三部用意してください。",
  "0.1742, 0.9921, 17.220, 88.01, 4711, 12.06.2026, 0x7f3a91, 1e-12, 99.99 %",
];

/** A deterministic number below `most` for each `at`. */
export const spread = (at, most) => ((at * 2_654_435_761) >>> 7) % most;

/**
 * A chat of `turns` turns with a model of the substitute. Each turn opens a new session, as pages do to keep their
 * prompt small. Returns the substitute's log, and how much of the window was used when messages were left out.
 */
export async function runPromptApi({ buildContext }, { chromeContext }, { turns = 200, names = "present" } = {}) {
  const line = (at) => SUBJECTS[spread(at, SUBJECTS.length)];
  const replyOf = (turn) => Array.from({ length: 1 + spread(turn, 8) }, () => line(turn + 7)).join(" ");
  const { create, log } = promptApi({ names, replyOf });
  const base = await create();
  const messages = [{ role: "system", content: "You help to plan a wedding. Answer in one paragraph." }];
  const filled = [];
  let trimmedCount = 0;
  for (let turn = 0; turn < turns; turn++) {
    const text = Array.from({ length: 1 + spread(turn + 1, 20) }, (_, at) => line(turn + at * (turn % 3))).join("\n");
    messages.push({ role: "user", content: `Turn ${turn}: ${text}` });
    const context = await chromeContext(base, (budget) =>
      buildContext(messages, { budget, request: null, encoding: "estimate", render: { provider: "chrome" } }),
    );
    const { initialPrompts, prompt } = context.request("chrome");
    const session = await create({ initialPrompts });
    const before = log.most;
    messages.push({ role: "assistant", content: await session.prompt(prompt) });
    if (context.trimmed) {
      trimmedCount += 1;
      filled.push((session.contextUsage ?? session.inputUsage) / 9216);
    }
    if (!JSON.stringify(prompt).includes(`Turn ${turn}: `) || before > 9216) {
      throw new Error(`turn ${turn} is not in its prompt`);
    }
  }
  return { ...log, trimmedCount, least: Math.min(...filled) };
}
