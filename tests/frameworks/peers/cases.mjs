// Reports from users of such tools, each as a small case: the report, how to reproduce it, and the conditions on the
// result. `make` takes a source of random choices, so a case has as many variations as there are seeds.

import { ask, chat, exchange, png, prose } from "./neutral.mjs";

const pairs = [
  "results have their calls",
  "calls have their results",
  "it is within the limit",
  "the request is there",
];
const bounded = ["it is within the limit", "the limit is made use of", "the request is there"];
const whole = [...pairs, "the order is kept"];

/** Cases of one kind, one for each report. `make(random, at)` makes a case, because some reports need another form. */
function kind(name, holds, reports, make) {
  return reports.map((reference, at) => ({ name, reference, holds, make: (random) => make(random, at) }));
}

const request = ask("What did we say about the lantern and the bridge?");
const limit = (random) => random.integer(250, 900);

/** Calls somewhere in a long chat: single, parallel, or several in a row. */
const withCalls = (random, at) => {
  const counts = [[1], [2], [3], [1, 1], [2, 1], [4]][at % 6];
  const more = (turn) =>
    random.chance(0.5) ? counts.flatMap((count, step) => exchange(random, `c${turn}_${step}`, count)) : [];
  return { messages: [...chat(random, 24, more), request], request: "request", maxTokens: limit(random) };
};

/** An unfinished turn: the request, and the calls that it led to. */
const inLoop = (random, at) => {
  const steps = Array.from({ length: random.integer(1, 4) }, (_, step) =>
    exchange(random, `now${step}`, 1 + ((at + step) % 2), { words: random.integer(5, 25) }),
  ).flat();
  const messages = [...chat(random, 24), request, ...steps];
  return { messages, request: "request", inTurn: steps.map(({ id }) => id), maxTokens: random.integer(700, 1200) };
};

const SCRIPTS = [
  () => "会議は北京の灯籠について話しました。請求書は橋の下にあります。".repeat(4),
  (random) => JSON.stringify(Array.from({ length: 12 }, (_, at) => ({ id: at, key: random.fraction(), "x-y": null }))),
  () => "🧵🏮🌉👩‍👩‍👧‍👦🎻".repeat(14),
  () => "회의에서 등불과 다리에 대해 이야기했습니다. 송장은 부엌에 있습니다.".repeat(3),
  () => "फानूस और पुल के बारे में हमने क्या कहा था? चालान रसोई में है।".repeat(3),
  (random) => Array.from({ length: 30 }, () => random.fraction().toString(36).slice(2)).join("/"),
  () => "ماذا قلنا عن الفانوس والجسر؟ الفاتورة في المطبخ.".repeat(4),
  () => "const λ = (x) => ({ ...x, [x['k-k']]: x?.v ?? 0 });\n\t// ---\n".repeat(6),
];

export const cases = [
  ...kind(
    "a window separates a call from its results",
    whole,
    [
      ...[
        "langchain-ai/langchain#33245",
        "langchain-ai/langchain#29637",
        "langchain-ai/langchain#34282",
        "KryptSec/oasis#70",
      ],
      ...["openai-agents-python#4322", "mastra-ai/mastra#16193", "vercel/ai#11036", "vercel/ai#10568"],
      ...[
        "langchain-ai/langchain#33265",
        "langchain-ai/langchain#33268",
        "langchain-ai/langchain#35313",
        "langchain-ai/langchainjs#9629",
      ],
    ],
    withCalls,
  ),
  ...kind(
    "the current turn loses its own steps",
    [...whole, "what answers the request is there"],
    ["mastra-ai/mastra#24110", "mastra-ai/mastra#24600", "mastra-ai/mastra#24679", "strands#2196"],
    inLoop,
  ),
  ...kind(
    "reasoning is separated from its call",
    [...whole, "reasoning goes with its call", "reasoning is kept with a call of the current turn"],
    [
      "vercel/ai#13430",
      "vercel/ai#13435",
      "vercel/ai#13542",
      "vercel/ai#13901",
      "openai-agents-js#1280",
      "vercel/ai#21102",
    ],
    (random, at) => {
      const steps = exchange(random, "now", 1 + (at % 2), { reasoning: `It wants ${prose(random, 12)}.` });
      const more = (turn) =>
        random.chance(0.4) ? exchange(random, `c${turn}`, 1, { reasoning: `Perhaps ${prose(random, 8)}.` }) : [];
      const messages = [...chat(random, 20, more), request, ...steps];
      return { messages, request: "request", inTurn: steps.map(({ id }) => id), maxTokens: random.integer(500, 900) };
    },
  ),
  ...kind(
    "a message limit doesn't limit tokens",
    bounded,
    [
      ...["mastra-ai/mastra#14115", "mastra-ai/mastra#3360", "suitenumerique/conversations#526", "morphic#608"],
      ...["PageSpace#708", "microsoft/autogen#4024", "openclaw/openclaw#139961", "openclaw/openclaw#130226"],
    ],
    (random, at) => {
      const page = { id: "page", role: "assistant", text: `A page: ${prose(random, 300 * (1 + (at % 3)))}.` };
      const messages = chat(random, 20 + at);
      messages.splice(random.integer(4, messages.length - 4), 0, page);
      return { messages: [...messages, request], request: "request", maxTokens: limit(random) };
    },
  ),
  ...kind(
    "instructions and tools aren't counted",
    [...bounded, "instructions are there"],
    [
      ...["cloudflare/agents#1538", "cloudflare/agents#1593", "cloudflare/agents#2064", "cloudflare/agents#1720"],
      ...["windmill-labs/windmill#9490", "screenpipe/screenpipe#3852"],
    ],
    (random, at) => {
      const system = { id: "system", role: "system", text: `You are careful. ${prose(random, 60 + 40 * at)}.` };
      return {
        messages: [system, ...chat(random, 24), request],
        request: "request",
        maxTokens: random.integer(700, 1100),
      };
    },
  ),
  ...kind(
    "an image counts as its base64",
    bounded,
    [
      ...[
        "open-webui/open-webui#29761",
        "open-webui/open-webui#29764",
        "justrach/codegraff#260",
        "markusylisiurunen/tau#452",
      ],
      ...["CherryHQ/cherry-studio#17837", "agentic-api#255", "pi#1441"],
    ],
    (random, at) => {
      const image = { id: "image", role: "user", text: "This is the bridge.", image: png(20_000 * (at + 1)) };
      return {
        messages: [...chat(random, 20), image, ...chat(random, 1), request],
        request: "request",
        maxTokens: 1200,
      };
    },
  ),
  ...kind(
    "non-Latin scripts, JSON and code are undercounted",
    bounded,
    [
      ...[
        "Martian-Engineering/lossless-claw#250",
        "Martian-Engineering/lossless-claw#47",
        "Martian-Engineering/lossless-claw#343",
      ],
      ...[
        "NousResearch/hermes-agent#59121",
        "headroomlabs-ai/headroom#1093",
        "remnic#2188",
        "lovia#91",
        "zerostack#111",
      ],
    ],
    (random, at) => {
      const text = SCRIPTS[at % SCRIPTS.length];
      const messages = Array.from({ length: 40 }, (_, place) => ({
        id: `m${place}`,
        role: place % 2 === 0 ? "user" : "assistant",
        text: `${place}: ${text(random)}`,
      }));
      return { messages: [...messages, request], request: "request", maxTokens: random.integer(600, 1500) };
    },
  ),
  ...kind(
    "a provider rejects the first message",
    [...pairs, "the user speaks first", "nothing is empty"],
    [
      ...[
        "lobehub#1601",
        "langchain-ai/langchainjs#9272",
        "langchain-ai/langchainjs#9319",
        "google-gemini/gemini-cli#11814",
      ],
      ...["chatbot-ui#1656", "baibot#13"],
    ],
    (random, at) => {
      const made = withCalls(random, at);
      const greeting = { id: "greeting", role: "assistant", text: "Hello, how can I help?" };
      const blank = { id: "blank", role: "assistant", text: at % 2 === 0 ? "" : "  \n" };
      const [first, ...others] = made.messages;
      return { ...made, messages: [greeting, first, blank, ...others] };
    },
  ),
  ...kind(
    "a provider rejects the last message",
    ["it ends with the user or a tool", "the request is there", "results have their calls"],
    ["chatlas#416", "nanobot#3297"],
    (random, at) => (at === 0 ? inLoop(random, at) : { ...withCalls(random, at), maxTokens: 400 }),
  ),
  ...kind(
    "the message being replied to is dropped",
    ["the message that another one replies to is there", ...bounded],
    ["PraisonAI#5223", "openclaw/openclaw#151853", "vm0#4006", "jazz#438"],
    (random, at) => {
      const messages = chat(random, 30);
      const repliedTo = messages[random.integer(0, 9)].id;
      const asked = ask(["Is that still so?", "And then?", "Why?", "Yes, do that."][at % 4], { replyTo: repliedTo });
      return { messages: [...messages, asked], request: "request", repliedTo, maxTokens: limit(random) };
    },
  ),
  ...kind(
    "the old message that answers the request is dropped",
    ["the old fact is there", ...bounded],
    ["mastra-ai/mastra#9311", "acolyte#275"],
    (random) => {
      const messages = chat(random, 40);
      const fact = {
        id: "fact",
        role: "user",
        text: "The spare key to the observatory hangs behind the blue barometer.",
      };
      messages.splice(random.integer(2, 12), 0, fact);
      const asked = ask("Where does the spare key to the observatory hang?");
      return { messages: [...messages, asked], request: "request", fact: "fact", maxTokens: limit(random) };
    },
  ),
  ...kind(
    "the first task is lost",
    ["pinned messages are there", ...bounded],
    ["summarization-pydantic-ai#18"],
    (random) => {
      const [task, ...others] = chat(random, 30);
      return {
        messages: [{ ...task, pinned: true }, ...others, request],
        request: "request",
        pinned: [task.id],
        maxTokens: limit(random),
      };
    },
  ),
  ...kind(
    "the prompt doesn't show who said what",
    ["speakers are told apart", "the request is there"],
    ["NousResearch/hermes-agent#13282", "mastra-ai/mastra#16860"],
    (random) => {
      const names = ["Mira", "Jonas", "Rosa"];
      const messages = chat(random, 20).map((message) =>
        message.role === "user" ? { ...message, name: random.pick(names) } : message,
      );
      return { messages: [...messages, request], request: "request", maxTokens: limit(random) };
    },
  ),
  ...kind(
    "every step recounts the whole chat",
    ["counting follows the length", "the request is there"],
    [
      ...["langchain-ai/langchain#31827", "SamSaffron/term-llm#668", "minpeter/kiro-lb#35"],
      ...["SkillNerds/xskill#258", "cloudllm#16"],
    ],
    (random, at) => ({ messages: [...chat(random, 60 + 20 * at), request], request: "request", maxTokens: 600 }),
  ),
  ...kind(
    "a second build differs, or changes its input",
    ["a second build returns the same", "the given messages don't change", "the request is there"],
    ["lobehub#18797", "pdd#826"],
    withCalls,
  ),
];
