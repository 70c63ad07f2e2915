//! Makes excerpts: the passages of a long text that are relevant to a request, whole and in order, with visible marks
//! for omissions.
//!
//! A passage is a natural unit of the text: a few sentences, a list item, a table row, a code block, an element of a
//! JSON document. Passages are never split. A passage brings its context along: its heading, or its table's header.
//!
//! The choice depends only on the text and the request, so every host and every replay makes the same excerpt.

mod json;
mod own;
mod passages;

use crate::base::map::{self, HashedMap};
use crate::base::message::Role;
use crate::recall::rank::weights::Weights;
use crate::recall::text::detect::detect;
use crate::recall::text::runs::runs;
use crate::recall::text::terms::{Analyzer, Kind, Term, Word};
use crate::state::context::Gap;
pub(crate) use own::own_words;
pub(crate) use passages::{MARK_END, mark};
use passages::{Passage, Passages};
use std::borrow::Cow;

/// The passages of a long text that are relevant to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The passages, with a mark in each gap.
    pub(crate) text: String,
    pub(crate) gaps: Vec<Gap>,
}

/// A long text, ready to make excerpts of any length.
#[derive(Debug)]
pub(crate) struct LongText<'a> {
    text: Cow<'a, str>,
    passages: Passages,
    /// Relevance of each passage to the request.
    scores: Vec<f32>,
    /// True if the beginning and the end come before all passages but the best one.
    keeps_ends: bool,
}

/// Approximate bytes per token.
const BYTES_PER_TOKEN: u64 = 4;

/// The approximate number of tokens in a text.
pub(crate) fn about_tokens(text: &str) -> u64 {
    text.len() as u64 / BYTES_PER_TOKEN
}

impl<'a> LongText<'a> {
    /// Prepares a text for a request. In a tool's result (`role`) the beginning, the end, errors and identifiers matter
    /// too.
    pub(crate) fn new(text: Cow<'a, str>, request: &str, role: Role) -> Self {
        let passages = Passages::of(&text);
        let scores = scores(&text, &passages.list, request, role);
        Self { text, passages, scores, keeps_ends: role == Role::Tool }
    }

    /// The length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Approximate number of tokens.
    pub(crate) fn about_tokens(&self) -> u64 {
        about_tokens(&self.text)
    }

    /// Makes an excerpt of about `tokens` tokens. Returns None if no passage of the text could be left out, or if the
    /// most relevant one is already longer. `count` counts the tokens of omitted text.
    pub(crate) fn excerpt(&self, tokens: u64, count: &dyn Fn(&str) -> u64) -> Option<Excerpt> {
        let is_about = self.scores.iter().any(|score| *score > 0.0);
        let least = if is_about { f32::MIN_POSITIVE } else { 0.0 };
        self.excerpt_of(least, tokens, count)
    }

    /// Makes an excerpt, filling remaining room with irrelevant passages from both ends.
    pub(crate) fn full_excerpt(&self, tokens: u64, count: &dyn Fn(&str) -> u64) -> Option<Excerpt> {
        self.excerpt_of(0.0, tokens, count)
    }

    fn excerpt_of(&self, least: f32, tokens: u64, count: &dyn Fn(&str) -> u64) -> Option<Excerpt> {
        let mut order = by_worth(&self.passages.list, &self.scores, least);
        let most = bytes(tokens);
        if self.keeps_ends {
            put_ends_second(&mut order, &self.passages.list, most / END_SHARE);
        }
        let is_kept = chosen(&self.passages.list, order, most);
        let is_some = is_kept.iter().any(|is_kept| *is_kept);
        let is_all = is_kept.iter().all(|is_kept| *is_kept);
        let assembled =
            (is_some && !is_all).then(|| self.passages.assemble(&self.text, &is_kept, count));
        assembled.map(|(text, gaps)| Excerpt { text, gaps })
    }

    /// The beginning and the end of the text, about `tokens` tokens in all, with a mark between them.
    pub(crate) fn ends(&self, tokens: u64, count: &dyn Fn(&str) -> u64) -> Excerpt {
        let most = bytes(tokens).min(self.text.len());
        let head = (0..=most / 2).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let tail = self.text.len() - most / 2;
        let end = self.text.len();
        let tail = (tail..=end).find(|at| self.text.is_char_boundary(*at)).unwrap_or(end);
        let left_out = count(&self.text[head..tail]);
        let [head, tail] = [self.text[..head].trim_end(), self.text[tail..].trim_start()];
        let before = if head.is_empty() { String::new() } else { format!("{head}\n") };
        let after = if tail.is_empty() { String::new() } else { format!("\n{tail}") };
        let gaps = vec![Gap { start: before.len(), tokens: left_out }];
        Excerpt { text: before + &mark(left_out) + &after, gaps }
    }
}

/// Approximate number of bytes that a number of tokens takes.
fn bytes(tokens: u64) -> usize {
    usize::try_from(tokens.saturating_mul(BYTES_PER_TOKEN)).unwrap_or(usize::MAX)
}

/// Number of bytes at the beginning and at the end of a longer text that are searched for relevant passages.
const MOST_READ: usize = 512 * 1024;

/// Relevance of each passage: its words from the request, weighted by rarity in this text, plus half of its neighbors'
/// scores.
fn scores(text: &str, passages: &[Passage], request: &str, role: Role) -> Vec<f32> {
    const BESIDE: f32 = 0.5;

    let mut analyzer = Analyzer::new();
    let language = detect(text);
    let mut words = analyzer.query(request, &[detect(request), language]);
    if words.iter().any(|word| !word.is_request_word) {
        words.retain(|word| !word.is_request_word);
    }
    let end = text.len().saturating_sub(MOST_READ);
    let is_read = |passage: &Passage| passage.range.end <= MOST_READ || passage.range.start >= end;
    let mut own = of_words(&words, passages, |passage, each| {
        if is_read(passage) {
            let passage = &text[passage.range.clone()];
            analyzer.document(passage, &runs(passage, usize::MAX), language, each);
        }
    });
    if role == Role::Tool {
        let last = own.len().saturating_sub(1);
        for (at, (score, passage)) in own.iter_mut().zip(passages).enumerate() {
            let said = if is_read(passage) { &text[passage.range.clone()] } else { "" };
            let tells = at == 0 || at == last || tells_failure(said);
            *score += if tells { 1.0 } else { 0.0 };
            *score += count_identifiers(said);
        }
    }
    let beside = |at: usize| {
        let before = at.checked_sub(1).map_or(0.0, |before| own[before]);
        own[at] + BESIDE * (before + own.get(at + 1).copied().unwrap_or_default())
    };
    (0..own.len()).map(beside).collect()
}

/// Scores passages by the words of a request; rarer words count more. `read` yields a passage's terms.
fn of_words(
    words: &[Word],
    passages: &[Passage],
    mut read: impl FnMut(&Passage, &mut dyn FnMut(Term)),
) -> Vec<f32> {
    // A word may occur in several kinds of terms. Each kind counts once.
    let ways: Vec<(&Word, Kind)> = words
        .iter()
        .flat_map(|word| [Kind::Word, Kind::Identifier, Kind::Gram].map(|kind| (word, kind)))
        .collect();
    let mut ways_of: HashedMap<Term, Vec<usize>> = HashedMap::default();
    for (way, (word, kind)) in ways.iter().enumerate() {
        for term in word.terms_of(*kind) {
            ways_of.entry(term).or_default().push(way);
        }
    }
    let mut passages_with = vec![Vec::new(); ways.len()];
    for (at, passage) in passages.iter().enumerate() {
        read(passage, &mut |term| {
            for way in ways_of.get(&term).into_iter().flatten() {
                if passages_with[*way].last() != Some(&at) {
                    passages_with[*way].push(at);
                }
            }
        });
    }
    let mut scores = vec![0.0_f32; passages.len()];
    for ((_, kind), found) in ways.iter().zip(passages_with) {
        #[expect(clippy::cast_precision_loss, reason = "passages of one text")]
        let rarity = (1.0 + passages.len() as f32 / (found.len() as f32 + 0.5)).ln();
        for at in found {
            scores[at] += Weights::TUNED.of_kind(*kind) * rarity;
        }
    }
    scores
}

/// True if a line of a log or a result reports a failure.
pub(crate) fn tells_failure(text: &str) -> bool {
    const SIGNS: [&str; 7] =
        ["error", "fail", "exception", "traceback", "panic", "fatal", "denied"];
    let said = text.to_ascii_lowercase();
    SIGNS.iter().any(|sign| said.contains(sign))
}

/// Number of identifiers in a text.
fn count_identifiers(text: &str) -> f32 {
    f32::from(u16::try_from(identifiers(text).count()).unwrap_or(u16::MAX))
}

/// Returns the identifiers in a text: words that name something, such as a path, an id, a key or a date. They have a
/// digit, a dot, a slash or an underscore, and aren't numbers.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    const SHORTEST: usize = 5;
    let is_of_word = |it: char| it.is_ascii_alphanumeric() || "_-./#@:".contains(it);
    let names = |word: &&str| {
        let word = word.as_bytes();
        let is_number = word.iter().all(|it| it.is_ascii_digit() || b".,".contains(it));
        word.len() >= SHORTEST
            && !is_number
            && (word.iter().any(u8::is_ascii_digit)
                || word[1..word.len() - 1].iter().any(|it| b"_./".contains(it)))
    };
    text.split(move |letter| !is_of_word(letter)).filter(names)
}

/// Approximate number of bytes of a mark.
const MARK: usize = 40;

/// The first and the last passage of a tool's result come second if each takes at most this part of the room: 1 in 8.
/// A log may have more errors than fit, and its last line often has the result.
const END_SHARE: usize = 8;

/// Returns the passages that score at least `least`: first those with the highest score for their length; of equal
/// ones, the first.
fn by_worth(passages: &[Passage], scores: &[f32], least: f32) -> Vec<usize> {
    #[expect(clippy::cast_precision_loss, reason = "lengths of passages")]
    let worth = |at: usize| scores[at] / (passages[at].range.len() + MARK) as f32;
    let is_wanted = |at: &usize| !passages[*at].is_heading && scores[*at] >= least;
    let mut order: Vec<usize> = (0..passages.len()).filter(is_wanted).collect();
    // Among irrelevant passages, those nearest to an end come first, so that both ends are shown.
    let end = passages.len().saturating_sub(1);
    let from_end = |at: usize| match at.min(end - at) {
        near if scores[at] == 0.0 => i64::try_from(near).unwrap_or(i64::MAX),
        _ => 0,
    };
    map::sort_by_key(&mut order, &|at| (-i64::from(worth(at).to_bits()), from_end(at)));
    order
}

/// Moves the first and the last passage to the place after the best one if each is at most `most` bytes long.
fn put_ends_second(order: &mut [usize], passages: &[Passage], most: usize) {
    for end in [passages.len().saturating_sub(1), 0] {
        let place = order.iter().position(|at| *at == end && passages[*at].range.len() <= most);
        if let Some(place) = place.filter(|place| *place > 1) {
            order[1..=place].rotate_right(1);
        }
    }
}

/// Chooses passages in this order, each with its context, until no other fits.
fn chosen(passages: &[Passage], order: Vec<usize>, most: usize) -> Vec<bool> {
    let mut is_kept = vec![false; passages.len()];
    // A single mark for everything that is left out.
    let mut length = MARK;
    for at in order {
        let above = std::iter::successors(Some(at), |at| passages[*at].below);
        let new: Vec<usize> = above.filter(|at| !is_kept[*at]).collect();
        let before = length;
        for at in new.iter().copied() {
            // A passage in the middle of a gap adds a mark, and the last passage of a gap removes one.
            let is_shown = |at: Option<usize>| at.is_none_or(|at| is_kept.get(at) != Some(&false));
            match (is_shown(at.checked_sub(1)), is_shown(Some(at + 1))) {
                (false, false) => length += MARK,
                (true, true) => length -= MARK,
                _ => {}
            }
            length += passages[at].range.len();
            is_kept[at] = true;
        }
        if length > most {
            length = before;
            for at in new {
                is_kept[at] = false;
            }
        }
    }
    is_kept
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use windrow_property::properties;

    fn excerpt(
        text: &str,
        (request, tokens): (&str, u64),
        count: &dyn Fn(&str) -> u64,
    ) -> Option<Excerpt> {
        LongText::new(text.into(), request, Role::Assistant).excerpt(tokens, count)
    }

    fn wanted(request: &str, tokens: u64) -> (&str, u64) {
        (request, tokens)
    }

    fn bytes(part: &str) -> u64 {
        part.len() as u64
    }

    const PAGE: &str = "\
Here is a plan for the garden.

## Soil

- Dig it over in autumn.
- Add compost from the heap.

## Water

| month | litres |
|---|---|
| May | 40 |
| June | 75 |

```sh
# water
pump --minutes 20
```

Do not water at noon. The leaves would burn in the sun of July.";

    #[test]
    fn important_passages_come_with_their_headings() {
        let shown = |request| excerpt(PAGE, wanted(request, 45), &bytes).expect("an excerpt").text;
        let june = shown("How many litres in June?");
        assert!(june.contains("## Water\n\n| month | litres |\n|---|---|\n"), "{june}");
        assert!(june.contains("| June | 75 |") && !june.contains("compost"), "{june}");
        let compost = shown("Where is the compost from?");
        assert!(
            compost.contains("## Soil\n") && compost.contains("- Add compost from the heap."),
            "{compost}"
        );
        let pump = shown("How do I call the pump?");
        assert!(pump.contains("```sh\n# water\npump --minutes 20\n```"), "{pump}");
        let nothing = shown("Who won the match?");
        assert!(nothing.starts_with("Here is a plan for the garden."), "{nothing}");
    }

    #[test]
    fn a_text_without_passages_has_no_excerpt() {
        assert_eq!(excerpt("One line.", wanted("line", 100), &bytes), None);
        assert_eq!(excerpt("", wanted("line", 100), &bytes), None);
        assert_eq!(excerpt(&"-".repeat(9000), wanted("line", 100), &bytes), None);
        let code = format!("```\n{}\n```", "let a = 1;\n".repeat(900));
        assert_eq!(excerpt(&code, wanted("let", 100), &bytes), None, "a block of code is not torn");
    }

    #[test]
    fn a_log_keeps_its_beginning_end_and_errors() {
        let line = |number: i32| match number {
            70 => "ERROR disk is full".to_owned(),
            _ => format!("step {number} went well, and the next one begins"),
        };
        let log = (0..100).map(line).collect::<Vec<_>>().join("\n");
        let log = LongText::new(log.into(), "And now?", Role::Tool);
        let shown = log.excerpt(80, &bytes).expect("an excerpt").text;
        assert!(shown.contains("disk is full"), "{shown}");
        assert!(shown.starts_with("step 0 ") && shown.contains("step 99 "), "{shown}");
    }

    #[test]
    fn a_log_full_of_errors_keeps_both_ends_and_the_line_that_is_asked_for() {
        for tokens in [80, 100, 400] {
            let line =
                |at| format!("12:00:{at} [{at}] error in /srv/app/{at}.rs, build 0x{at} failed");
            let log = (100..300).map(line).collect::<Vec<_>>().join("\n");
            let log = format!("$ make all\n{log}\nmake: 200 of 200 targets");
            let found = LongText::new(log.into(), "Why did 0x237 fail?", Role::Tool);
            let shown = found.excerpt(tokens, &bytes).expect("an excerpt").text;
            assert!(shown.starts_with("$ make all\n"), "{shown}");
            assert!(shown.ends_with("make: 200 of 200 targets"), "{shown}");
            assert!(shown.contains("build 0x237 failed"), "{shown}");
        }
    }

    #[test]
    fn only_the_beginning_and_end_of_a_huge_text_are_read() {
        let line = |number: usize| match number {
            10 => "The pump is red.\n".to_owned(),
            60_000 => "The valve is red.\n".to_owned(),
            119_990 => "The hose is red.\n".to_owned(),
            _ => format!("step {number} went as well as it could\n"),
        };
        let log: String = (0..120_000).map(line).collect();
        assert!(log.len() > 3 * MOST_READ);
        let shown = excerpt(&log, wanted("What is red?", 100), &bytes).expect("an excerpt").text;
        assert!(shown.contains("The pump is red.") && shown.contains("The hose is red."));
        assert!(!shown.contains("The valve is red."), "it is in the middle");
    }

    /// Lines of all kinds, including marks that look like those of an excerpt.
    fn text() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "[a-z]{1,9}( [a-z]{1,9}){0,20}\\.( [A-Z][a-z]{1,9}\\.){0,3}",
            Just("## Heading".to_owned()),
            Just("- item of a list".to_owned()),
            Just("  more of it".to_owned()),
            Just("| a | b |".to_owned()),
            Just("|---|---|".to_owned()),
            Just("```".to_owned()),
            Just("~~~ rust".to_owned()),
            Just("[… 12 tokens left out …]".to_owned()),
            Just(String::new()),
            any::<String>(),
        ];
        prop::collection::vec(line, 0..60).prop_map(|lines| lines.join("\n"))
    }

    /// The kept text, without the marks.
    fn kept_parts(found: &Excerpt) -> Vec<&str> {
        let mut parts = Vec::new();
        let mut begin = 0;
        for gap in &found.gaps {
            parts.push(&found.text[begin..gap.start]);
            let mark = &found.text[gap.start..];
            begin = gap.start + mark.find("left out …]").expect("a mark") + "left out …]".len();
        }
        parts.push(&found.text[begin..]);
        parts
    }

    properties! {
        #[test]
        fn an_excerpt_is_parts_of_the_text_in_their_order(text in text(), request in "[a-z]{1,9} [a-z]{1,9}", tokens in 1_u64..200) {
            if let Some(found) = excerpt(&text, wanted(&request, tokens), &bytes) {
                let mut rest = text.as_str();
                for part in kept_parts(&found) {
                    let part = part.trim_matches('\n');
                    let at = rest.find(part);
                    prop_assert!(at.is_some(), "{part:?}");
                    rest = &rest[at.unwrap_or_default() + part.len()..];
                }
                // White space between adjacent kept passages stays.
                let spaces = text.chars().filter(|it| it.is_whitespace()).map(char::len_utf8).sum::<usize>();
                prop_assert!(found.text.len() as u64 <= tokens * BYTES_PER_TOKEN + spaces as u64);
                prop_assert!(!found.gaps.is_empty() && found.gaps.iter().all(|gap| gap.tokens > 0));
                prop_assert_eq!(excerpt(&text, wanted(&request, tokens), &bytes), Some(found));
            }
        }

        #[test]
        fn irrelevant_text_keeps_both_ends(lines in 16_usize..60, tokens in 40_u64..120) {
            let rows = (0..lines).map(|at| format!("The boats of row {at} are by the lake.\n\n"));
            let text = rows.collect::<Vec<_>>().concat();
            let found = excerpt(&text, wanted("zebra quartz", tokens), &bytes).expect("an excerpt");
            prop_assert!(found.text.contains("row 0 "), "{}", found.text);
            prop_assert!(found.text.contains(&format!("row {} ", lines - 1)), "{}", found.text);
        }

        #[test]
        fn a_result_keeps_both_ends_next_to_its_best_line(
            lines in prop::collection::vec("(error: )?[a-z]{1,9}( [a-z0-9/._]{1,12}){0,6}", 40..120),
            request in "[a-z]{1,9} [a-z]{1,9}",
            tokens in 100_u64..300,
        ) {
            let log = format!("$ make all\n{}\n200 of 200 targets", lines.join("\n"));
            let found = LongText::new(log.as_str().into(), &request, Role::Tool);
            if let Some(Excerpt { text: shown, .. }) = found.full_excerpt(tokens, &bytes) {
                prop_assert!(shown.starts_with("$ make all\n"), "{}", shown);
                prop_assert!(shown.ends_with("200 of 200 targets"), "{}", shown);
            }
        }

        #[test]
        fn code_blocks_stay_whole(code in "[a-z \\n]{0,200}", before in text(), tokens in 1_u64..300) {
            let block = format!("````\n{code}\n````");
            let text = format!("{}\n\n{block}\n\nThe end. It is here.", before.replace(['`', '~'], "'"));
            if let Some(found) = excerpt(&text, wanted("end", tokens), &bytes) {
                let is_there = found.text.contains("````");
                prop_assert_eq!(found.text.contains(&block), is_there);
            }
        }

        #[test]
        fn json_stays_json(list in prop::collection::vec(("[a-z\"\\\\ ]{0,12}", any::<i32>()), 2..40), how in 0_u8..4, tokens in 1_u64..80) {
            let elements: Vec<Value> = list.iter().map(|(name, number)| json!({"name": name, "n": [number, name]})).collect();
            let value = match how {
                0 => json!(elements),
                1 => json!({"results": elements, "page": 1}),
                2 => json!({"a": {"results": elements}}),
                _ => Value::Object(elements.into_iter().enumerate().map(|(at, it)| (format!("k{at}"), it)).collect()),
            };
            for text in [value.to_string(), serde_json::to_string_pretty(&value).expect("it is JSON")] {
                if let Some(found) = excerpt(&text, wanted("results", tokens), &bytes) {
                    let read: Result<Value, _> = serde_json::from_str(&found.text);
                    prop_assert!(read.is_ok(), "{}", found.text);
                    prop_assert!(found.text.contains("left out …]"));
                }
            }
        }
    }
}
