//! Token counts equal those of tiktoken-rs for any text, and invalid vocabularies are refused.

use crate::support::{ASSETS, reference_count};
use proptest::prelude::*;
use std::rc::Rc;
use tiktoken_rs::tokenizer::{Tokenizer, get_tokenizer};
use windrow::base::error::ErrorCode;
use windrow::tokens::{Counter, Encoding, EncodingName, Tokenizer as Estimated, asset};

/// A separate encoding with an empty cache.
fn encoding(name: EncodingName) -> Encoding {
    Encoding::from_vocabulary(name, asset(name)).expect("the asset is sound")
}

fn asset(name: EncodingName) -> &'static [u8] {
    &ASSETS[name as usize]
}

/// Texts of many scripts and forms, each with the reason to test it.
const TEXTS: [(&str, &str); 29] = [
    ("empty", ""),
    ("one space", " "),
    (
        "English",
        "The committee met on Tuesday, the 4th of March, to decide where this year's conference should be held. \
         Nobody could agree: Lisbon's venue was cheaper, but Graz had better trains, and — as Miriam pointed out — \
         \"we've already paid the deposit there\". They'll vote again next week.",
    ),
    (
        "a chat",
        "hey!! are u coming tmrw?? lol\nidk maybe... gotta check w/ Sam first :)\nok np 👍 lmk by 6pm\n\
         IT'S FINE. DON'T WORRY, WE'LL MANAGE, I'D SAY",
    ),
    (
        "Rust",
        "impl<'a> Iterator for Pieces<'a> {\n    type Item = &'a str;\n\n    fn next(&mut self) -> Option<Self::Item> {\n        \
         let end = self.rest.find(\"::\")?;\n        let (piece, rest) = self.rest.split_at(end);\n        self.rest = &rest[2..];\n        \
         Some(piece)\n    }\n}\n",
    ),
    (
        "Python with tabs",
        "def mean(values):\n\tif not values:\n\t\treturn None\n\t# integer division would lose the rest\n\treturn sum(values) / len(values)\n\n\
         class HTTPServerError(Exception):\n\t\"\"\"It's raised when self.status_code >= 500.\"\"\"\n",
    ),
    (
        "JavaScript",
        "export const debounce = (fn, ms = 250) => {\n  let timer;\n  return (...args) => { clearTimeout(timer); timer = setTimeout(() => fn(...args), ms); };\n};\n",
    ),
    (
        "a path and an address",
        "/usr/lib/x86_64-linux-gnu/libc.so.6 https://example.org/a/b?c=d&e=%20f#g\n/\n//\r\n/",
    ),
    (
        "JSON",
        "{\"id\":\"msg_01\",\"role\":\"tool\",\"content\":[{\"type\":\"tool_result\",\"output\":{\"flights\":[{\"number\":\"HAT204\",\"price\":182.5,\"seats\":{\"economy\":12,\"business\":0}}],\"next\":null,\"ok\":true}}]}",
    ),
    (
        "JSON, indented",
        "{\n    \"name\": \"windrow\",\n    \"tags\": [\n        \"context\",\n        \"tokens\"\n    ],\n    \"empty\": {},\n    \"ratio\": -1.25e-7\n}\n",
    ),
    (
        "Markdown",
        "# Title\n\n* one\n* **two** and `code`\n  1. nested\n\n> quoted *text*\n\n```sh\ncargo test --all -- --nocapture\n```\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n---\n[link](https://example.org \"title\")\n",
    ),
    (
        "base64",
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    ),
    ("hexadecimal", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0xDEADBEEF"),
    (
        "numbers",
        "1 12 123 1234 12345 123456 1234567 3.14159 1,000,000 2026-11-21T22:05:09.123Z +49 30 1234567 ½ ¾ Ⅷ ٣٤٥٦٧ १२३४५ ①②③④",
    ),
    (
        "Chinese",
        "我们昨天讨论了会议地点的问题，最后决定下个月在成都举行。张伟说：“预算还需要重新核算。”大家都同意了。",
    ),
    (
        "Japanese",
        "昨日の会議で、来月のイベント会場について話し合いました。結局、京都のホテルに決まりましたが、まだ予約はしていません。ｶﾀｶﾅも。",
    ),
    (
        "Korean",
        "어제 회의에서 다음 달 행사 장소에 대해 논의했습니다. 결국 부산에 있는 호텔로 결정했지만 아직 예약은 하지 않았어요.",
    ),
    (
        "Russian",
        "Вчера мы обсуждали, где провести конференцию в следующем году. Решили, что лучше всего подойдёт Казань, но бюджет ещё не утверждён.",
    ),
    (
        "Arabic",
        "ناقشنا أمس مكان انعقاد المؤتمر في العام القادم، وقررنا أن تكون الدار البيضاء. لم نحجز القاعة بعدُ، واللهُ أعلم.",
    ),
    (
        "Hindi",
        "कल हमने अगले साल के सम्मेलन के स्थान पर चर्चा की। अंत में जयपुर तय हुआ, लेकिन अभी तक होटल बुक नहीं किया गया है।",
    ),
    ("Thai", "เมื่อวานเราคุยกันเรื่องสถานที่จัดงานประชุมปีหน้า สุดท้ายเลือกเชียงใหม่ แต่ยังไม่ได้จองโรงแรม"),
    (
        "Turkish, Vietnamese, Greek, Hebrew",
        "İstanbul'da ışıklar söndü. Chúng tôi đã quyết định tổ chức ở Đà Nẵng. Αποφασίσαμε για τη Θεσσαλονίκη. החלטנו על חיפה.",
    ),
    ("emoji", "👩‍👩‍👧‍👦 👍🏽 🇪🇺🇨🇭 ❤️‍🔥 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🙂🙃 ☀︎ ☀️ ©®™"),
    (
        "combining marks",
        "e\u{301}A\u{301}B\u{308}\u{323} \u{301}x \u{20dd}a क्षि ｶﾞ a\u{e0101}\u{fe0f} \u{1c5}\u{1c8}a \u{2b0}\u{301}B",
    ),
    ("byte order mark first", "\u{feff}Project Gutenberg's"),
    (
        "what looks like special tokens",
        "<|endoftext|> hi <|im_start|>user<|fim_prefix|><|endofprompt|>",
    ),
    (
        "contractions",
        "I'm I'M you're YOU'RE we've WE'VE he'll HE'LL she'd SHE'D it's IT'S don't DON'T 's 'S '\u{17f} x'\u{17f}y '\u{17f}top 'S'T'RE'LLama'VEgan'Dad'Mum \
         rock'n'roll ''s ’s it’s a'l a'll a'v a've a'vE 'r 're \u{212a}'s k'\u{212a}",
    ),
    (
        "white space",
        "a  b   c\t\td \t e\n\n\nf \n \n g\r\n\r\nh\r\ri   \n   j\u{a0}k\u{a0}\u{a0}l\u{85}m\u{2028}n\u{2029}\u{3000}o \u{200b} p \u{2003}\u{2003}q\u{b}\u{c}r   ",
    ),
    ("white space last", "x\n   \n\t "),
];

#[test]
fn counts_equal_the_references_on_texts_of_every_kind() {
    for name in EncodingName::PACKAGED {
        let encoding = encoding(name);
        for (what, text) in TEXTS {
            // Once counted, and once from the cache.
            for _ in 0..2 {
                assert_eq!(encoding.count(text), reference_count(name, text), "{name:?}, {what}");
            }
        }
    }
}

#[test]
fn counts_equal_the_references_on_every_part_of_a_text() {
    for name in EncodingName::PACKAGED {
        let encoding = encoding(name);
        for (what, text) in TEXTS {
            for (at, _) in text.char_indices() {
                let (before, after) = text.split_at(at);
                for part in [before, after] {
                    assert_eq!(
                        encoding.count(part),
                        reference_count(name, part),
                        "{name:?}, {what}: {part:?}"
                    );
                }
            }
        }
    }
}

/// Characters and sequences that trip up a pretokenizer, and some that lead up to them.
#[rustfmt::skip]
static SEQUENCES: [&str; 105] = [
    "a", "b", "e", "s", "t", "l", "A", "B", "S", "T", "LL", "ing", "the", "The",
    "'", "’", "'s", "'S", "'T", "'ll", "'LL", "'re", "'Ve", "'d", "'m", "\u{17f}", "\u{212a}",
    "ß", "ẞ", "İ", "ı", "\u{1c5}", "\u{1c8}", "\u{2b0}", "ª", "é", "Ä",
    "я", "Ж", "漢", "か", "ｶ", "한", "ع", "ह", "ก", "א",
    "\u{301}", "\u{308}", "\u{20dd}", "\u{fe0f}", "\u{e0101}", "ि", "ั",
    "1", "9", "12", "2025", "½", "Ⅷ", "٣", "१",
    " ", " ", " ", "  ", "\t", "\n", "\n", "\r", "\r\n", "\u{b}", "\u{85}", "\u{a0}", "\u{2028}", "\u{3000}",
    "\u{200b}", "\u{200d}", "\u{feff}", "\u{ad}",
    "/", "//", ".", ",", "!", "?", "-", "_", "(", ")", "{", "}", "\"", "\\", "#", "$", "=>",
    "😀", "👍🏽", "👩‍👧", "🇪🇺", "<|endoftext|>", "\0", "\u{7f}", "\u{10ffff}",
];

/// Texts assembled from these, with runs of one character or arbitrary characters mixed in. Most assigned characters
/// lie in the first planes.
fn nasty() -> impl Strategy<Value = String> {
    let sequence = || prop::sample::select(SEQUENCES.as_slice());
    let below = |end: u32| {
        (0x80..end).prop_map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    };
    let piece = prop_oneof![
        16 => sequence().prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => below(0x3000).prop_map(String::from),
        1 => below(0x1_0000).prop_map(String::from),
        1 => (sequence(), 2..40_usize).prop_map(|(sequence, times)| sequence.repeat(times)),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Compares random texts in each encoding with the reference.
fn compare(texts: &impl Strategy<Value = String>) {
    let encodings = EncodingName::PACKAGED.map(|name| (name, encoding(name)));
    windrow_property::check(texts, |text| {
        for (name, encoding) in &encodings {
            prop_assert_eq!(encoding.count(&text), reference_count(*name, &text), "{:?}", name);
        }
        Ok(())
    });
}

#[test]
fn counts_equal_the_references_on_random_texts() {
    compare(&nasty());
}

#[test]
fn counts_equal_the_references_on_long_pieces() {
    let alphabets = [
        "a",
        "ab",
        "etaoinshrdlu",
        "ABCdef",
        "=-",
        " ",
        "\n ",
        "漢字かな",
        "привет",
        "กขค\u{e31}\u{e32}",
        "😀👍",
        "e\u{301}",
    ];
    let long = (prop::sample::select(alphabets.to_vec()), 100..5000_usize, any::<u64>());
    compare(&long.prop_map(|(alphabet, length, seed)| random_text(alphabet, length, seed)));
}

/// Repeats a pattern of a few characters: in such runs, token boundaries depend on the start.
fn repeated(letters: &'static [&'static str]) -> impl Strategy<Value = String> {
    let pattern = prop::collection::vec(prop::sample::select(letters), 1..6);
    (pattern, 1..40_usize, 1000..9000_usize, prop::sample::select(letters)).prop_map(
        |(pattern, run, length, odd)| {
            // Repeats each part of a pattern `run` times, and now and then inserts something else.
            let period: String = pattern.iter().map(|part| part.repeat(run)).collect();
            let periods = length / period.len().max(1) + 1;
            let mut text = period.repeat(periods);
            text.push_str(odd);
            text.push_str(&period.repeat(periods / 2));
            text
        },
    )
}

/// Letters, symbols and white space. Each kind forms one long piece.
static LONG_PIECES: [&[&str]; 7] = [
    &["a", "b", "e", "h", "n", "o", "t", "z", "th", "ing"],
    &["A", "B", "X", "TH"],
    &["=", "-", "*", "/", ".", "#", "_", "!", "\n\n", "\r\n"],
    &[" ", "\t", "\u{a0}", "\u{3000}"],
    &["\n", "\r", " ", "\t"],
    &["漢", "字", "の", "は", "한", "ก"],
    &["😀", "👍🏽", "\u{301}", "\u{200d}", "👩‍👧", "🇪🇺"],
];

#[test]
fn counts_equal_the_references_on_repeated_patterns() {
    // The reference's pattern engine fails on long white space at the beginning.
    let pattern = prop::sample::select(LONG_PIECES.to_vec()).prop_flat_map(repeated);
    compare(&pattern.prop_map(|text| format!("x{text}")));
}

/// Returns `length` characters of an alphabet, in an order that the seed decides.
fn random_text(alphabet: &str, length: usize, seed: u64) -> String {
    let characters: Vec<char> = alphabet.chars().collect();
    let mut state = seed | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        characters[(state >> 33) as usize % characters.len()]
    };
    std::iter::repeat_with(next).take(length).collect()
}

#[test]
fn hostile_pieces_of_a_megabyte_are_counted() {
    for name in EncodingName::PACKAGED {
        let encoding = encoding(name);
        let counters = [Counter::Exact(Rc::new(encoding)), Counter::Estimate(Estimated::O200k)];
        for alphabet in [
            "a",
            "abcdefghijklmnopqrstuvwxyz",
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ漢",
            "!#$%&()*+,-.:;<=>?@[]^_{|}~\u{301}",
            " ",
            "\n",
            "\t \r\n\u{a0}",
        ] {
            let text = random_text(alphabet, 1 << 20, 7);
            for counter in &counters {
                let count = counter.count(&text);
                assert!((1 << 13..1 << 21).contains(&count), "{name:?}, {alphabet:?}: {count}");
                assert_eq!(counter.count_until(&text, 1000), None);
            }
            // The reference is slow with more, and its pattern engine fails on white space.
            let text = random_text(alphabet, 1 << 15, 7);
            if !text.starts_with(char::is_whitespace) {
                assert_eq!(counters[0].count(&text), reference_count(name, &text));
            }
        }
    }
}

#[test]
fn count_until_agrees_with_count() {
    for name in EncodingName::PACKAGED {
        let encoding = Counter::Exact(Rc::new(encoding(name)));
        for counter in [encoding, Counter::Estimate(Estimated::O200k)] {
            for (what, text) in TEXTS {
                let count = counter.count(text);
                for limit in 0..count {
                    assert_eq!(
                        counter.count_until(text, limit),
                        None,
                        "{}, {what}: {limit}",
                        counter.name()
                    );
                }
                for limit in [count, count + 1, 2 * count, u64::MAX] {
                    assert_eq!(
                        counter.count_until(text, limit),
                        Some(count),
                        "{}, {what}: {limit}",
                        counter.name()
                    );
                }
            }
        }
    }
}

#[test]
fn a_counter_names_its_method() {
    for name in EncodingName::PACKAGED {
        let counter = Counter::Exact(Rc::new(encoding(name)));
        assert!(counter.is_exact());
        assert_eq!(counter.name(), name.as_str());
        assert_eq!(EncodingName::from_name(name.as_str()), Some(name));
        assert_eq!(serde_json::to_value(name).expect("a name is a string"), name.as_str());
    }
    assert!(!Counter::Estimate(Estimated::O200k).is_exact());
    assert_eq!(Counter::Estimate(Estimated::O200k).name(), "estimate");
    assert_eq!(EncodingName::from_name("p50k_base"), None);
}

fn refused(name: EncodingName, bytes: &[u8]) -> String {
    let error =
        Encoding::from_vocabulary(name, bytes).expect_err("it is no vocabulary of this encoding");
    assert_eq!(error.code, ErrorCode::InvalidEncoding);
    assert!(!error.next_action.is_empty());
    error.message
}

#[test]
fn bytes_that_are_not_a_vocabulary_are_refused() {
    let name = EncodingName::Cl100kBase;
    let good = asset(name);
    assert_eq!(refused(name, &[]), "the bytes are not a vocabulary of windrow");
    assert_eq!(
        refused(name, b"<!doctype html><title>404</title>"),
        "the bytes are not a vocabulary of windrow"
    );
    assert_eq!(
        refused(name, asset(EncodingName::O200kBase)),
        "the vocabulary belongs to another encoding"
    );
    for length in [1, 8, 23, 24, 100, 280, 281, good.len() / 2, good.len() - 1] {
        refused(name, &good[..length]);
    }
    refused(name, &[good, &[0]].concat());

    let changed = |at: usize, to: u8| {
        let mut bytes = good.to_vec();
        bytes[at] = bytes[at].wrapping_add(to);
        refused(name, &bytes)
    };
    assert_eq!(changed(8, 1), "the vocabulary is of another version of the format");
    assert_eq!(changed(12, 1), "the vocabulary is cut off or too long");
    assert_eq!(changed(16, 1), "the vocabulary is damaged: its checksum is wrong");
    for at in (24..good.len()).step_by(9973) {
        assert_eq!(changed(at, 1), "the vocabulary is damaged: its checksum is wrong");
        assert_eq!(changed(at, 128), "the vocabulary is damaged: its checksum is wrong");
    }
}

#[test]
fn arbitrary_bytes_never_panic() {
    let header =
        prop_oneof![Just(Vec::new()), Just(asset(EncodingName::Cl100kBase)[..24].to_vec())];
    let body = prop::collection::vec(any::<u8>(), 0..2000);
    proptest!(|(header in header, body in body)| {
        refused(EncodingName::Cl100kBase, &[header, body].concat());
    });
}

#[test]
fn a_vocabulary_that_pairs_cannot_express_is_refused() {
    let bytes: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    let with = |tokens: &[&[u8]]| {
        let mut all = bytes.clone();
        all.extend(tokens.iter().map(|token| token.to_vec()));
        asset::encode(&all).map(|asset| asset.len()).map_err(|error| error.message)
    };
    let unsplittable = Err("a token does not split into two tokens of lower rank");
    assert_eq!(with(&[]), Ok(24 + 256));
    assert_eq!(with(&[b"ab", b"abc"]), Ok(24 + 256 + 12));
    assert_eq!(with(&[b"abc"]), unsplittable);
    assert_eq!(with(&[b"ab", b"ab"]), unsplittable);
    assert_eq!(with(&[b""]), unsplittable);
    assert_eq!(with(&[&[b'a'; 129]]), Err("a token is longer than 128 bytes"));
    assert!(asset::encode(&bytes[1..]).is_err());
    assert!(asset::encode(&[&bytes[1..], &bytes[1..2]].concat()).is_err());
}

#[test]
fn models_have_the_encodings_of_the_reference() {
    #[rustfmt::skip]
    let names = [
        "gpt-4o", "gpt-4o-mini", "gpt-4o-2024-05-13", "chatgpt-4o-latest", "chatgpt-4o",
        "gpt-4.1", "gpt-4.1-nano", "gpt-4.5-preview", "gpt-5", "gpt-5-mini", "gpt-5.4-pro",
        "gpt-5_future", "gpt-6", "gpt-6-future", "o1", "o1-mini", "o1-preview", "o2", "o3",
        "o3-mini", "o4", "o4-mini", "o4-mini-2026-06-02", "o4-pro", "o10", "codex-mini",
        "codex-mini-latest", "gpt-oss-20b", "gpt-oss-120b", "gpt-oss", "gpt-4", "gpt-4-turbo",
        "gpt-4-32k-0314", "gpt-4-1106-preview", "gpt-3.5-turbo", "gpt-3.5-turbo-0125", "gpt-3.5",
        "gpt-3.5-unknown", "gpt-35-turbo", "gpt-35-turbo-16k", "davinci-002", "babbage-002",
        "davinci", "text-davinci-003", "code-davinci-002", "text-embedding-ada-002",
        "text-embedding-3-small", "text-embedding-3-large", "text-embedding-4", "gpt2", "gpt-2",
        "gpt", "GPT-4o", "", "claude-sonnet-4-5", "gemini-2.5-pro", "llama-3.3-70b",
        "ft:gpt-3.5-turbo:org:2023-11-11", "ft:gpt-4o:org:name:id", "ft:gpt-5:org:name",
        "ft:davinci-002:org", "ft:claude:org", "ft:ft:gpt-4o:org", "ft:", "foo",
    ];
    for name in names {
        let expected = match get_tokenizer(name) {
            Some(Tokenizer::O200kBase | Tokenizer::O200kHarmony) => Some(EncodingName::O200kBase),
            Some(Tokenizer::Cl100kBase) => Some(EncodingName::Cl100kBase),
            _ => None,
        };
        assert_eq!(EncodingName::for_model(name), expected, "{name}");
    }
    assert_eq!(EncodingName::for_model("openai/gpt-oss-120b"), Some(EncodingName::O200kBase));
    assert_eq!(EncodingName::for_model("openai/gpt-4"), Some(EncodingName::Cl100kBase));
    assert_eq!(EncodingName::for_model("anthropic/claude-sonnet-4.5"), None);
}

#[test]
fn the_estimate_is_close_to_the_exact_count() {
    let encoding = encoding(EncodingName::O200kBase);
    // Ordinary texts, in contrast to those that collect rare cases.
    #[rustfmt::skip]
    let ordinary = [
        "English", "a chat", "Rust", "Python with tabs", "JavaScript", "JSON", "JSON, indented",
        "Markdown", "base64", "Chinese", "Japanese", "Korean", "Russian", "Arabic", "Hindi",
        "Thai",
    ];
    let (mut total, mut estimated_total) = (0, 0);
    for (what, text) in TEXTS.into_iter().filter(|(what, _)| ordinary.contains(what)) {
        let (exact, estimated) =
            (encoding.count(text), Counter::Estimate(Estimated::O200k).count(text));
        assert!(estimated.abs_diff(exact) * 100 <= exact * 40, "{what}: {estimated} for {exact}");
        total += exact;
        estimated_total += estimated;
    }
    assert!(
        u64::abs_diff(estimated_total, total) * 100 <= total * 12,
        "{estimated_total} for {total}"
    );
    assert_eq!(Counter::Estimate(Estimated::O200k).count(""), 0);
    assert_eq!(Counter::Estimate(Estimated::O200k).count("a"), 1);
}
