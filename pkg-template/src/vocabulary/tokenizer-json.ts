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

/** The most tokens of a vocabulary, and the longest of them in bytes. */
const MOST_TOKENS = 2 ** 18;
const LONGEST_TOKEN = 128;

const FAMILIES = "Qwen 2 to 3, DeepSeek V3 and Mistral's Tekken";
const TAKE_ANOTHER = `Take the tokenizer.json of one of ${FAMILIES}; count other models by estimate.`;
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
];

/** Patterns that are known but not supported, with the reason. */
const NOT_READ: readonly { readonly patterns: readonly string[]; readonly words: string }[] = [
  {
    patterns: [`${WORDS_OF_GPT4}\\p{N}{1,3}|${END_OF_GPT4}`],
    words: "it is of Llama 3, which has tokens that no two others merge into, so it isn't read",
  },
  {
    patterns: [`${CASED}${CONTRACTION}|${CAPITALS}${CONTRACTION}|\\p{N}{1,3}|${END_OF_GPT4O}`],
    words: "it cuts texts as o200k_base does, whose vocabulary windrow has",
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
  const merges = pairsOf(model, ids, specialTokensOf(file.added_tokens));
  return { name, bytes: vocabularyFile(code, merges), tokens: SINGLE_BYTES + merges.length, composes };
}

type JsonObject = Readonly<Record<string, unknown>>;

function parsedFile(text: string): JsonObject {
  if (text.length > LONGEST_FILE) {
    throw new TokenizerFileError(
      `it has ${text.length} characters, and a tokenizer.json of at most ${LONGEST_FILE} is read`,
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
      ["config", "Mistral's own form (tekken.json)"],
    ].find(([key = ""]) => key in file);
    const words = own === undefined ? "it has no model" : `it is ${own[1]}`;
    throw new TokenizerFileError(words, "Take the tokenizer.json that lies next to it.");
  }
  const kind = typeof model.type === "string" ? model.type : "BPE";
  if (kind !== "BPE") {
    throw new TokenizerFileError(`model: it is of type ${kind}, and only a BPE of bytes is read`, TAKE_ANOTHER);
  }
  if (model.byte_fallback === true) {
    const words =
      "model.byte_fallback: it is a BPE of characters, as of Llama 2 or Gemma, and only a BPE of bytes is read";
    throw new TokenizerFileError(words, TAKE_ANOTHER);
  }
  for (const field of ["dropout", "continuing_subword_prefix", "end_of_word_suffix"]) {
    const value = model[field];
    if (value !== undefined && value !== null && value !== "" && value !== 0) {
      throw new TokenizerFileError(`model.${field}: ${JSON.stringify(value)} isn't read`, TAKE_ANOTHER);
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
      `pre_tokenizer: it ends in ${type}, not in ByteLevel, so it isn't a BPE of bytes`,
      TAKE_ANOTHER,
    );
  }
  if (last.use_regex !== false) {
    throw new TokenizerFileError("pre_tokenizer: it cuts texts as GPT-2 does, which isn't read", TAKE_ANOTHER);
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
    const words = known ? known.words : `it cuts texts by patterns that aren't known: ${JSON.stringify(patterns)}`;
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
    throw new TokenizerFileError(`normalizer: it changes texts by ${type}, which isn't read`, TAKE_ANOTHER);
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

/** Returns the pairs of a file's merges in order of rank. */
function pairsOf(model: JsonObject, ids: ReadonlyMap<string, number>, special: ReadonlySet<string>): MergePair[] {
  const ranks = new Map<string, number>();
  for (const [byte, letter] of byteLetters().entries()) {
    if (!ids.has(letter)) {
      throw new TokenizerFileError(
        `model.vocab: the byte ${byte}, ${JSON.stringify(letter)}, isn't in it`,
        DOWNLOAD_AGAIN,
      );
    }
    ranks.set(letter, byte);
  }
  const merges = mergesOf(model.merges, ids);
  const made: FileMerge[] = [];
  let again = 0;
  for (const merge of merges) {
    const text = merge.left + merge.right;
    const rank = ranks.get(text);
    if (rank === undefined) {
      ranks.set(text, SINGLE_BYTES + made.length);
      made.push(merge);
    } else if (rank !== SINGLE_BYTES + made.length - 1) {
      const first = rank < SINGLE_BYTES ? "a single byte" : (made[rank - SINGLE_BYTES]?.place ?? "");
      const words = `${merge.place}: it makes ${JSON.stringify(text)} a second time, after ${first}`;
      throw new TokenizerFileError(words, DOWNLOAD_AGAIN);
    } else {
      again += 1;
    }
  }
  if (SINGLE_BYTES + made.length > MOST_TOKENS) {
    const words = `model.merges: they make ${counted(made.length, "token")}, and at most ${MOST_TOKENS - SINGLE_BYTES} are read`;
    throw new TokenizerFileError(words, TAKE_ANOTHER);
  }
  if (model.ignore_merges === true) {
    const unmade = [...ids.keys()].find((token) => !ranks.has(token) && !special.has(token));
    if (unmade !== undefined) {
      throw new TokenizerFileError(`model.vocab: no merge makes ${JSON.stringify(unmade)}`, DOWNLOAD_AGAIN);
    }
  }
  return made.map((merge, index) => {
    const rank = SINGLE_BYTES + index;
    // A file made from ranks alone has all ways to split a token. Only one of them ever merges.
    const [left, right] =
      again > 0 ? lastPair(merge.left + merge.right, rank, ranks, merge.place) : [merge.left, merge.right];
    const pair = [ranks.get(left) ?? rank, ranks.get(right) ?? rank] as const;
    if (Math.max(...pair) >= rank) {
      const words = `${merge.place}: it merges ${JSON.stringify(pair[0] >= rank ? left : right)}, which only a later merge makes`;
      throw new TokenizerFileError(words, DOWNLOAD_AGAIN);
    }
    return pair;
  });
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
      const words = `${place}: it makes a token of ${left.length + right.length} bytes, and at most ${LONGEST_TOKEN} are read`;
      throw new TokenizerFileError(words, TAKE_ANOTHER);
    }
    return { left, right, place };
  });
}

/** Returns the two tokens of lower rank that are merged last into a token's bytes. */
function lastPair(
  text: string,
  below: number,
  ranks: ReadonlyMap<string, number>,
  place: string,
): readonly [string, string] {
  const parts = [...text];
  while (parts.length > 2) {
    let [lowest, at] = [below, -1];
    for (let index = 0; index + 1 < parts.length; index += 1) {
      const rank = ranks.get(`${parts[index]}${parts[index + 1]}`) ?? below;
      if (rank < lowest) {
        [lowest, at] = [rank, index];
      }
    }
    if (at < 0) {
      const words = `${place}: ${JSON.stringify(text)} isn't made of two tokens that earlier merges make`;
      throw new TokenizerFileError(words, DOWNLOAD_AGAIN);
    }
    parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`);
  }
  return [parts[0] ?? "", parts[1] ?? ""];
}
