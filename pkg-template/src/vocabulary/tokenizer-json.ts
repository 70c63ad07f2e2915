// Makes a vocabulary from a tokenizer.json: a byte-level BPE whose pre-tokenizer is one of the families listed here.

import type { EncodingName } from "../base/generated.js";
import { isRecord } from "../base/plain-data.js";
import { counted } from "../base/words.js";
import { vocabularyFile } from "./asset.js";
import { type MergePair, SINGLE_BYTES } from "./order.js";

/** The reason why a file can't be used, with the place in it and the next step. */
export class TokenizerFileError extends Error {
  readonly nextAction: string;

  constructor(message: string, nextAction: string) {
    super(message);
    this.nextAction = nextAction;
  }
}

/** The vocabulary of a tokenizer.json. */
export interface TokenizerVocabulary {
  readonly name: EncodingName;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The number of its tokens, except special ones. */
  readonly tokens: number;
  /** True if its tokenizer composes characters (NFC) before it counts, which windrow doesn't. */
  readonly composes: boolean;
}

/** The longest file that is read, in characters. Known files have 7 to 18 million. */
const LONGEST_FILE = 100_000_000;

/** Maximum number of tokens of a vocabulary, and the longest of them in bytes. */
const MOST_TOKENS = 2 ** 18;
const LONGEST_TOKEN = 128;

const FAMILIES = "Qwen 2 to 3, DeepSeek V3, Llama 3 and Mistral's Tekken";
const TAKE_ANOTHER = `Use the tokenizer.json of one of these: ${FAMILIES}. Count other models by estimate.`;
const DOWNLOAD_AGAIN = "Download tokenizer.json again, and compare its size with the one that its publisher states.";

const WORDS_OF_GPT4 = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|`;
const END_OF_GPT4 = String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const CASED = String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`;
const CAPITALS = String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*`;
const END_OF_GPT4O = String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?";
const PUNCTUATED = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|";
const LETTERS = String.raw`[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;

/** The supported families: their patterns in the file, and their code in a vocabulary file. */
const READ: readonly { readonly name: EncodingName; readonly code: number; readonly patterns: readonly string[] }[] = [
  { name: "qwen", code: 1, patterns: [`${WORDS_OF_GPT4}\\p{N}|${END_OF_GPT4}`] },
  { name: "deepseek_v3", code: 2, patterns: ["\\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", PUNCTUATED + LETTERS] },
  { name: "tekken", code: 3, patterns: [`${CASED}|${CAPITALS}|\\p{N}|${END_OF_GPT4O}`] },
  { name: "llama3", code: 4, patterns: [`${WORDS_OF_GPT4}\\p{N}{1,3}|${END_OF_GPT4}`] },
];

/** Patterns that are known but not supported, with the reason. */
const NOT_READ: readonly { readonly patterns: readonly string[]; readonly words: string }[] = [
  {
    patterns: [`${CASED}${CONTRACTION}|${CAPITALS}${CONTRACTION}|\\p{N}{1,3}|${END_OF_GPT4O}`],
    words: "it splits texts like o200k_base, whose vocabulary windrow already has",
  },
];

/**
 * Makes a vocabulary from a tokenizer.json.
 *
 * @throws {TokenizerFileError} If the file isn't one, is damaged, or has an unsupported tokenizer.
 */
export function tokenizerVocabulary(text: string): TokenizerVocabulary {
  const file = parsedFile(text);
  const model = bpeOf(file);
  const { name, code } = familyOf(file);
  const composes = composesIn(file.normalizer);
  const ids = idsOf(model.vocab);
  const { merges, unmerged } = tokensOf(model, ids, specialTokensOf(file.added_tokens));
  const tokens = SINGLE_BYTES + merges.length + unmerged.length;
  return { name, bytes: vocabularyFile(code, merges, unmerged), tokens, composes };
}

type JsonObject = Readonly<Record<string, unknown>>;

function parsedFile(text: string): JsonObject {
  if (text.length > LONGEST_FILE) {
    throw new TokenizerFileError(
      `it has ${text.length} characters; at most ${LONGEST_FILE} are read`,
      "Check that it is a tokenizer.json: known ones have up to 18 million.",
    );
  }
  let file: unknown;
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (failure) {
    throw new TokenizerFileError(`it isn't JSON, or is cut off: ${(failure as Error).message}`, DOWNLOAD_AGAIN);
  }
  if (!isRecord(file)) {
    throw new TokenizerFileError("it isn't a tokenizer.json: expected an object", TAKE_ANOTHER);
  }
  return file;
}

/** Returns the model in a file, if it is a byte-level BPE. */
function bpeOf(file: JsonObject): JsonObject {
  const { model } = file;
  if (!isRecord(model)) {
    const own = [
      ["tokenizer_class", "the settings of a tokenizer (tokenizer_config.json), without its vocabulary"],
      ["architectures", "the settings of a model (config.json)"],
      ["config", "Mistral's own format (tekken.json)"],
    ].find(([key = ""]) => key in file);
    const words = own === undefined ? "it has no model" : `it is ${own[1]}`;
    throw new TokenizerFileError(words, "Use the tokenizer.json next to it.");
  }
  const kind = typeof model.type === "string" ? model.type : "BPE";
  if (kind !== "BPE") {
    throw new TokenizerFileError(`model: its type is ${kind}, but only byte-level BPE is supported`, TAKE_ANOTHER);
  }
  if (model.byte_fallback === true) {
    const words =
      "model.byte_fallback: this is character-level BPE, as in Llama 2 or Gemma, but only byte-level BPE is supported";
    throw new TokenizerFileError(words, TAKE_ANOTHER);
  }
  for (const field of ["dropout", "continuing_subword_prefix", "end_of_word_suffix"]) {
    const value = model[field];
    if (value !== undefined && value !== null && value !== "" && value !== 0) {
      throw new TokenizerFileError(`model.${field}: ${JSON.stringify(value)} isn't supported`, TAKE_ANOTHER);
    }
  }
  return model;
}

/** Returns the family with a file's patterns. */
function familyOf({ pre_tokenizer: given }: JsonObject): (typeof READ)[number] {
  const steps = isRecord(given) && Array.isArray(given.pretokenizers) ? given.pretokenizers : [given];
  const last: unknown = steps.at(-1);
  const splits: readonly unknown[] = steps.slice(0, -1);
  const isByteLevel = isRecord(last) && last.type === "ByteLevel" && last.add_prefix_space !== true;
  if (!isByteLevel) {
    const type = isRecord(last) ? String(last.type) : "nothing";
    throw new TokenizerFileError(
      `pre_tokenizer: it ends with ${type}, not ByteLevel, so it isn't byte-level BPE`,
      TAKE_ANOTHER,
    );
  }
  if (last.use_regex !== false) {
    throw new TokenizerFileError("pre_tokenizer: it splits texts like GPT-2, which isn't supported", TAKE_ANOTHER);
  }
  const patterns = splits.map((split) => {
    const regex = isRecord(split) && isRecord(split.pattern) ? split.pattern.Regex : undefined;
    const isIsolated =
      isRecord(split) && split.type === "Split" && split.behavior === "Isolated" && split.invert !== true;
    return isIsolated && typeof regex === "string" ? regex.replaceAll("\r", "\\r").replaceAll("\n", "\\n") : "";
  });
  const same = (others: readonly string[]): boolean =>
    others.length === patterns.length && others.every((other, index) => other === patterns[index]);
  const family = READ.find((candidate) => same(candidate.patterns));
  if (family === undefined) {
    const known = NOT_READ.find(({ patterns: [pattern = ""] }) => same([pattern]));
    const words = known ? known.words : `it splits texts by unknown patterns: ${JSON.stringify(patterns)}`;
    throw new TokenizerFileError(`pre_tokenizer: ${words}`, TAKE_ANOTHER);
  }
  return family;
}

/** True if a file's tokenizer composes characters. */
function composesIn(normalizer: unknown): boolean {
  const steps: unknown[] = isRecord(normalizer)
    ? Array.isArray(normalizer.normalizers)
      ? normalizer.normalizers
      : [normalizer]
    : [];
  const other = steps.find((step) => !isRecord(step) || step.type !== "NFC");
  if (other !== undefined) {
    const type = isRecord(other) ? String(other.type) : JSON.stringify(other);
    throw new TokenizerFileError(`normalizer: it changes texts by ${type}, which isn't supported`, TAKE_ANOTHER);
  }
  return steps.length > 0;
}

/** Returns the ids of tokens by their texts. */
function idsOf(vocab: unknown): ReadonlyMap<string, number> {
  if (!isRecord(vocab)) {
    throw new TokenizerFileError("model.vocab: expected an object of tokens and their ids", DOWNLOAD_AGAIN);
  }
  const ids = new Map<string, number>();
  const byId = new Map<number, string>();
  for (const [token, id] of Object.entries(vocab)) {
    if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 0) {
      throw new TokenizerFileError(
        `model.vocab[${JSON.stringify(token)}]: expected an id, got ${JSON.stringify(id)}`,
        DOWNLOAD_AGAIN,
      );
    }
    const other = byId.get(id);
    if (other !== undefined) {
      const two = `${JSON.stringify(other)} and ${JSON.stringify(token)}`;
      throw new TokenizerFileError(`model.vocab: ${two} have the same id, ${id}`, DOWNLOAD_AGAIN);
    }
    byId.set(id, token);
    ids.set(token, id);
  }
  return ids;
}

/** Returns the texts of special tokens, which merges never produce. */
function specialTokensOf(added: unknown): ReadonlySet<string> {
  const tokens: unknown[] = Array.isArray(added) ? added : [];
  return new Set(tokens.map((token) => (isRecord(token) ? String(token.content) : "")));
}

/** Returns the letter that represents each byte: the byte itself if it is visible, or a letter from U+0100 on. */
function byteLetters(): string[] {
  let next = 0x100;
  return Array.from({ length: SINGLE_BYTES }, (_, byte) => {
    const isSeen = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
    return String.fromCharCode(isSeen ? byte : next++);
  });
}

/** A merge in a file. */
interface FileMerge {
  readonly left: string;
  readonly right: string;
  readonly place: string;
}

/** The tokens of a vocabulary: those made by merges, in order of rank, and the bytes of the others. */
interface VocabularyTokens {
  readonly merges: readonly MergePair[];
  readonly unmerged: readonly Uint8Array[];
}

/** Returns the tokens of a file, except the single bytes. */
function tokensOf(model: JsonObject, ids: ReadonlyMap<string, number>, special: ReadonlySet<string>): VocabularyTokens {
  const letters = byteLetters();
  const missing = letters.findIndex((letter) => !ids.has(letter));
  if (missing >= 0) {
    const words = `model.vocab: the byte ${missing}, ${JSON.stringify(letters[missing])}, isn't in it`;
    throw new TokenizerFileError(words, DOWNLOAD_AGAIN);
  }
  const merges = mergesOf(model.merges, ids);
  const { made, hasOtherSplits } = madeTokens(merges, letters);
  if (SINGLE_BYTES + made.size > MOST_TOKENS) {
    const words = `model.merges: they make ${counted(made.size, "token")}; at most ${MOST_TOKENS - SINGLE_BYTES} are supported`;
    throw new TokenizerFileError(words, TAKE_ANOTHER);
  }
  const isWhole = model.ignore_merges === true;
  const parts = hasOtherSplits || isWhole ? lastMerges(made, merges) : made;
  const unmade = [...made.values()].find(({ left, right }) => !parts.has(left + right));
  if (unmade !== undefined && !isWhole) {
    const words = `${unmade.place}: ${JSON.stringify(unmade.left + unmade.right)} isn't the token that its bytes merge into`;
    throw new TokenizerFileError(words, DOWNLOAD_AGAIN);
  }
  const bytes = new Map(letters.map((letter, byte) => [letter, byte]));
  const isUnmerged = (token: string): boolean => !(parts.has(token) || bytes.has(token) || special.has(token));
  const unmerged = isWhole ? [...ids.keys()].filter(isUnmerged) : [];
  const merged = pairsOf(parts, bytes, hasOtherSplits || isWhole);
  return { merges: merged, unmerged: unmerged.map((token) => bytesOf(token, bytes)) };
}

/**
 * Returns the tokens made by merges, each with its first merge. `hasOtherSplits` is true if several merges make the
 * same token.
 */
function madeTokens(
  merges: readonly FileMerge[],
  letters: readonly string[],
): { made: ReadonlyMap<string, FileMerge>; hasOtherSplits: boolean } {
  const made = new Map<string, FileMerge>();
  const singles = new Set(letters);
  let before = "";
  let hasOtherSplits = false;
  for (const merge of merges) {
    const text = merge.left + merge.right;
    const first = made.get(text)?.place ?? (singles.has(text) ? "a single byte" : undefined);
    if (first === undefined) {
      made.set(text, merge);
    } else if (text === before) {
      hasOtherSplits = true;
    } else {
      const words = `${merge.place}: it makes ${JSON.stringify(text)} a second time, after ${first}`;
      throw new TokenizerFileError(words, DOWNLOAD_AGAIN);
    }
    before = text;
  }
  return { made, hasOtherSplits };
}

/**
 * Returns, for each token, the last merge when the token's own bytes are merged. Leaves out tokens whose bytes don't
 * merge into one.
 *
 * A file generated from ranks lists every way to split a token. Only one of them ever happens, because the text around
 * a token doesn't change the order of its merges.
 */
function lastMerges(
  made: ReadonlyMap<string, FileMerge>,
  merges: readonly FileMerge[],
): ReadonlyMap<string, FileMerge> {
  const ranks = new Map(merges.map(({ left, right }, rank) => [`${left} ${right}`, rank]));
  const last = new Map<string, FileMerge>();
  for (const text of made.keys()) {
    const parts = [...text];
    for (let merge = mergeFirst(parts, merges, ranks); merge; merge = mergeFirst(parts, merges, ranks)) {
      if (parts.length === 1) {
        last.set(text, merge);
      }
    }
  }
  return last;
}

/** Applies the possible merge with the lowest rank, at the first place that has it, and returns it. */
function mergeFirst(
  parts: string[],
  merges: readonly FileMerge[],
  ranks: ReadonlyMap<string, number>,
): FileMerge | undefined {
  let [lowest, at] = [merges.length, 0];
  for (let index = 0; index + 1 < parts.length; index += 1) {
    const rank = ranks.get(`${parts[index]} ${parts[index + 1]}`) ?? lowest;
    if (rank < lowest) {
      [lowest, at] = [rank, index];
    }
  }
  const merge = merges[lowest];
  if (merge !== undefined) {
    parts.splice(at, 2, merge.left + merge.right);
  }
  return merge;
}

/**
 * Returns the pair that makes each token. Expects tokens in order of rank.
 *
 * With `mayWait`, a part may have a higher rank than its token. Such a token is made right after that part, and gets
 * the next place.
 */
function pairsOf(
  tokens: ReadonlyMap<string, FileMerge>,
  bytes: ReadonlyMap<string, number>,
  mayWait: boolean,
): MergePair[] {
  const places = new Map(bytes);
  const pairs: MergePair[] = [];
  const waiting = new Map<string, FileMerge[]>();
  /** For each token, those that waited for it, directly or through another one. */
  const followers = new Map<string, FileMerge[]>();
  const add = (merge: FileMerge, awaited?: string): void => {
    const { left, right, place } = merge;
    const [leftPlace, rightPlace] = [places.get(left), places.get(right)];
    if (leftPlace === undefined || rightPlace === undefined) {
      const later = leftPlace === undefined ? left : right;
      if (!mayWait) {
        const words = `${place}: it merges ${JSON.stringify(later)}, which only a later merge makes`;
        throw new TokenizerFileError(words, DOWNLOAD_AGAIN);
      }
      waiting.set(later, [...(waiting.get(later) ?? []), merge]);
      return;
    }
    const text = left + right;
    places.set(text, SINGLE_BYTES + pairs.length);
    pairs.push([leftPlace, rightPlace]);
    if (awaited !== undefined) {
      followers.set(awaited, [...(followers.get(awaited) ?? []), merge]);
    }
    for (const other of waiting.get(text) ?? []) {
      add(other, awaited ?? text);
    }
  };
  for (const merge of tokens.values()) {
    add(merge);
  }
  for (const [awaited, merges] of followers) {
    checkFollowers(tokens.get(awaited), merges);
  }
  return pairs;
}

/**
 * Rejects tokens that waited for a part if this could change the order of merges.
 *
 * In the file's order, a token that waits is merged before the next occurrence of its part is made. In the order used
 * here, it is merged after all of them. Both lead to the same tokens unless two occurrences compete for a token between
 * them.
 */
function checkFollowers(awaited: FileMerge | undefined, merges: readonly FileMerge[]): void {
  const family = new Set([awaited, ...merges].map((merge) => `${merge?.left}${merge?.right}`));
  const toTheRight = new Set(merges.filter(({ left }) => family.has(left)).map(({ right }) => right));
  const isTorn = merges.find(
    ({ left, right }) =>
      (family.has(left) && (family.has(right) || right === awaited?.left)) ||
      (family.has(right) && toTheRight.has(left)),
  );
  if (isTorn !== undefined) {
    const words = `${isTorn.place}: it merges ${JSON.stringify(isTorn.left)} with ${JSON.stringify(isTorn.right)}, one of which has a higher rank, in an order that isn't supported`;
    throw new TokenizerFileError(words, TAKE_ANOTHER);
  }
}

/** Returns the bytes of a token. */
function bytesOf(token: string, bytes: ReadonlyMap<string, number>): Uint8Array {
  const codes = [...token].map((letter) => bytes.get(letter));
  if (codes.includes(undefined) || codes.length > LONGEST_TOKEN) {
    const words = `model.vocab: ${JSON.stringify(token)} isn't written as at most ${LONGEST_TOKEN} bytes`;
    throw new TokenizerFileError(words, DOWNLOAD_AGAIN);
  }
  return Uint8Array.from(codes.map((code) => code ?? 0));
}

/** Returns the merges of a file. Both tokens and the merged one are all in the vocabulary. */
function mergesOf(given: unknown, ids: ReadonlyMap<string, number>): FileMerge[] {
  if (!Array.isArray(given)) {
    throw new TokenizerFileError("model.merges: expected a list of merges", DOWNLOAD_AGAIN);
  }
  return given.map((merge: unknown, index) => {
    const place = `model.merges[${index}]`;
    const parts: unknown[] = typeof merge === "string" ? merge.split(" ") : Array.isArray(merge) ? merge : [];
    const [left, right] = parts;
    if (parts.length !== 2 || typeof left !== "string" || typeof right !== "string" || left === "" || right === "") {
      throw new TokenizerFileError(
        `${place}: expected two tokens, got ${JSON.stringify(merge).slice(0, 100)}`,
        DOWNLOAD_AGAIN,
      );
    }
    const missing = [left, right, left + right].find((token) => !ids.has(token));
    if (missing !== undefined) {
      throw new TokenizerFileError(`${place}: ${JSON.stringify(missing)} isn't in model.vocab`, DOWNLOAD_AGAIN);
    }
    if (left.length + right.length > LONGEST_TOKEN) {
      const words = `${place}: it makes a token of ${left.length + right.length} bytes; at most ${LONGEST_TOKEN} are supported`;
      throw new TokenizerFileError(words, TAKE_ANOTHER);
    }
    return { left, right, place };
  });
}
