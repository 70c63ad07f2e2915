// Finds secrets in a text, in one pass per kind. No pattern backtracks over more than a few dozen characters. Only a
// class with a star repeats without a limit: a group, or `{16,}`, would exhaust the engine's stack in a text of some
// megabytes.

/** A secret in a text: its range and its kind. */
export interface SecretMatch {
  readonly start: number;
  readonly end: number;
  /** The name of the kind in its placeholder, in capital letters: `EMAIL`. */
  readonly kind: string;
}

/** The kinds of secrets that `findSecrets` knows. */
export const SECRET_KINDS = ["PRIVATE_KEY", "API_KEY", "TOKEN", "EMAIL", "CARD", "IBAN", "PHONE"] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

type Spans = Iterable<readonly [start: number, end: number]>;

/**
 * The keys of well-known providers, by their prefixes: OpenAI, Anthropic and others (`sk-`), GitHub, GitLab, AWS,
 * Google, Slack, Stripe, npm, PyPI, Hugging Face, SendGrid, DigitalOcean, Shopify, Groq, xAI, Perplexity, Replicate,
 * Linear, Notion, Databricks, Twilio, Telegram.
 */
const API_KEY: RegExp = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    "sk-[\\w-]{16}[\\w-]*",
    "gh[opsur]_[A-Za-z0-9]{30}[A-Za-z0-9]*",
    "github_pat_\\w{22}\\w*",
    "gl(?:pat|ptt|rt)-[\\w-]{20}[\\w-]*",
    "A(?:KIA|SIA|ROA|IDA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    "AIza[\\w-]{35}",
    "GOCSPX-[\\w-]{20}[\\w-]*",
    "ya29\\.[\\w-]{20}[\\w-]*",
    "xox[a-z]-[A-Za-z0-9-]{10}[A-Za-z0-9-]*",
    "xapp-[A-Za-z0-9-]{10}[A-Za-z0-9-]*",
    "[prs]k_(?:live|test)_\\w{10}\\w*",
    "whsec_[A-Za-z0-9+/=]{16}[A-Za-z0-9+/=]*",
    "npm_[A-Za-z0-9]{30}[A-Za-z0-9]*",
    "pypi-[\\w-]{50}[\\w-]*",
    "hf_[A-Za-z0-9]{30}[A-Za-z0-9]*",
    "SG\\.[\\w-]{16}[\\w-]*\\.[\\w-]{16}[\\w-]*",
    "do[opr]_v1_[a-f0-9]{40}[a-f0-9]*",
    "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    "gsk_[A-Za-z0-9]{40}[A-Za-z0-9]*",
    "xai-[\\w-]{40}[\\w-]*",
    "pplx-[A-Za-z0-9]{40}[A-Za-z0-9]*",
    "r8_[A-Za-z0-9]{30}[A-Za-z0-9]*",
    "lin_api_[A-Za-z0-9]{30}[A-Za-z0-9]*",
    "ntn_[A-Za-z0-9]{40}[A-Za-z0-9]*",
    "dapi[a-f0-9]{32}",
    "(?:SK|AC)[a-f0-9]{32}(?![A-Za-z0-9])",
    "\\d{8,10}:[\\w-]{35}(?![\\w-])",
  ].join("|")})`,
  "g",
);

/** A JSON web token, and the token after `Bearer`. */
const JWT = /(?<![\w-])eyJ[\w-]{8}[\w-]*\.[\w-]{8}[\w-]*\.[\w-]{8}[\w-]*/g;
const BEARER = /(?<![A-Za-z0-9])Bearer[ \t]{1,4}([\w.~+/-]{16}[\w.~+/-]*={0,2})/gi;

const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
/** A piece of a key whose end is missing. JSON writes line ends as `\n`. */
const KEY_PIECE = /[ \r\n\t]+|\\[nrt]|[A-Za-z-]{3,20}: [^\r\n\\]{0,80}|[A-Za-z0-9+/=]{16}[A-Za-z0-9+/=]*/y;

function* privateKeys(text: string): Spans {
  let isOpen = true;
  let end = 0;
  for (const { index, 0: begin } of text.matchAll(KEY_BEGIN)) {
    if (index < end) {
      continue;
    }
    const body = index + begin.length;
    KEY_END.lastIndex = body;
    const found: RegExpExecArray | null = isOpen ? KEY_END.exec(text) : null;
    isOpen = found !== null; // without an end here, a later beginning has none either
    if (found === null) {
      end = body;
      for (KEY_PIECE.lastIndex = body; KEY_PIECE.test(text); ) {
        end = KEY_PIECE.lastIndex;
      }
    } else {
      end = found.index + found[0].length;
    }
    yield [index, end];
  }
}

function* matchesOf(pattern: RegExp, text: string): Spans {
  for (const match of text.matchAll(pattern)) {
    const secret = match[1] ?? match[0];
    const end = match.index + match[0].length;
    yield [end - secret.length, end];
  }
}

// ---- E-mail addresses ----

const LOCAL = /[\p{L}\p{N}._%+-]/u;
const DOMAIN = /[\p{L}\p{N}.-]*/uy;
const DOMAIN_NAME =
  /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)*\.[\p{L}-]{2,}$/u;
const LOCAL_BEGIN = /^[^\p{L}\p{N}_]+/u;

function* emails(text: string): Spans {
  let done = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    let start = at;
    while (start > done && isLocal(text, start - 1)) {
      start -= 1;
    }
    DOMAIN.lastIndex = at + 1;
    let end = at + 1 + (DOMAIN.exec(text)?.[0].length ?? 0);
    while (/[.-]/.test(text[end - 1] as string)) {
      end -= 1;
    }
    const domain = text.slice(at + 1, end);
    const local = text.slice(start, at);
    const begin = start + (LOCAL_BEGIN.exec(local)?.[0].length ?? 0);
    if (begin < at && domain.length < 256 && isDomain(domain)) {
      yield [begin, end];
    }
    done = at + 1;
  }
}

/** True if a character may come before the `@`. A surrogate may, because it can be part of a letter. */
const isLocal = (text: string, at: number): boolean =>
  LOCAL.test(text[at] as string) || /[\ud800-\udfff]/.test(text[at] as string);

const isDomain = (domain: string): boolean => !domain.includes("..") && DOMAIN_NAME.test(domain);

// ---- Numbers ----

const DIGITS = /\d+/g;
/** The character codes of the lowest and highest first digit of a card number. */
const FIRST_DIGITS = [50, 54] as const;
const MOST_DIGITS = 19;
/**
 * The valid lengths of a card number, by its prefix. Visa, Mastercard, American Express, Discover, JCB, Diners,
 * UnionPay, Maestro.
 */
const CARDS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|2[2-7])/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  [/^35/, [16]],
  [/^3(?:0[0-5]|[689])/, [14]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:50|5[6-9]|6)/, [16]],
];

/** Finds card numbers. They begin and end with a group of digits and pass Luhn's check. */
function* cards(text: string): Spans {
  let done = 0;
  for (const { index } of text.matchAll(DIGITS)) {
    const end = index < done ? undefined : cardEnd(text, index);
    if (end !== undefined) {
      yield [index, end];
      done = end;
    }
  }
}

/** Returns the end of the card number that begins at a place. Undefined without one. */
function cardEnd(text: string, start: number): number | undefined {
  const first = text.charCodeAt(start);
  if (first < FIRST_DIGITS[0] || first > FIRST_DIGITS[1]) {
    return undefined;
  }
  let digits = "";
  const ends: (number | undefined)[] = [];
  for (let at = start; digits.length <= MOST_DIGITS; at++) {
    if (isDigit(text.charCodeAt(at))) {
      digits += text[at];
      continue;
    }
    ends[digits.length] = at;
    if (!(" \u00a0.-".includes(text[at] ?? "x") && isDigit(text.charCodeAt(at + 1)))) {
      break;
    }
  }
  const lengths = CARDS.find(([pattern]) => pattern.test(digits))?.[1] ?? [];
  const length = lengths.find((count) => ends[count] !== undefined && isChecked(digits.slice(0, count)));
  return length === undefined ? undefined : ends[length];
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** True if a number passes Luhn's check. */
function isChecked(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]) * (1 + (at % 2));
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

const IBAN = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}/g;

function* ibans(text: string): Spans {
  for (const { index, 0: found } of text.matchAll(IBAN)) {
    // Words in capital letters may follow the IBAN.
    for (let end = found.length; end >= 15; end--) {
      const next = text[index + end] ?? "";
      const isEnd = !/[A-Za-z0-9]/.test(next) && found[end - 1] !== " ";
      if (isEnd && remainder97(found.slice(0, end).replaceAll(" ", "")) === 1) {
        yield [index, index + end];
        break;
      }
    }
  }
}

/** Returns an IBAN's number modulo 97. It is 1 if the check digits are right. */
function remainder97(iban: string): number {
  let left = 0;
  for (const letter of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(letter, 36);
    left = (left * (value > 9 ? 100 : 10) + value) % 97;
  }
  return left;
}

/** Phone numbers with a country code, in North American notation, and with a 0 before the area code. */
const PHONES = [
  /(?<![\w+])(?:\+|00)[1-9]\d{0,2}(?:[ \u00a0()./-]{0,3}\d){5,13}(?!\d)/g,
  /(?<![\w.+-])(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])\d{3}[ .-]\d{4}(?![\w-]|\.\d)/g,
  /(?<![\w.,+-])(?:\(0[1-9]\d{1,3}\)|0[1-9]\d{1,3})(?: ?[/-] ?| )\d{3,9}(?:[ -]\d{1,9}){0,4}(?![\w-]|[.,:]\d)/g,
];

/** Finds phone numbers with 7 to 15 digits. */
function* phones(text: string): Spans {
  for (const pattern of PHONES) {
    for (const [start, end] of matchesOf(pattern, text)) {
      const count = text.slice(start, end).replace(/\D/g, "").length;
      if (count >= 7 && count <= 15) {
        yield [start, end];
      }
    }
  }
}

function* tokens(text: string): Spans {
  yield* matchesOf(JWT, text);
  yield* matchesOf(BEARER, text);
}

const FINDERS: Readonly<Record<SecretKind, (text: string) => Spans>> = {
  PRIVATE_KEY: privateKeys,
  API_KEY: (text) => matchesOf(API_KEY, text),
  TOKEN: tokens,
  EMAIL: emails,
  CARD: cards,
  IBAN: ibans,
  PHONE: phones,
};

/** Finds the keys, tokens, addresses and numbers in a text, in order. */
export function secretsIn(text: string, kinds: readonly SecretKind[] = SECRET_KINDS): readonly SecretMatch[] {
  return apart(kinds.flatMap((kind) => Array.from(FINDERS[kind](text), ([start, end]) => ({ start, end, kind }))));
}

/** Returns matches in order. Overlapping matches become one. */
export function apart(matches: readonly SecretMatch[]): readonly SecretMatch[] {
  const ordered = [...matches].sort((one, other) => one.start - other.start || other.end - one.end);
  const found: SecretMatch[] = [];
  for (const match of ordered) {
    const last = found.at(-1);
    if (last !== undefined && match.start < last.end) {
      found[found.length - 1] = { ...last, end: Math.max(last.end, match.end) };
    } else if (match.start < match.end) {
      found.push(match);
    }
  }
  return found;
}
