//! Cuts longer texts into passages, which are found separately.
//!
//! A text is cut at headings, blank lines and list items. Only a part that is still too long is cut at the ends of
//! sentences. Small neighbors stay together, and a heading stays with the text below it.

use crate::base::map;
use crate::base::message::{Field, Role};
use crate::base::text;
use crate::base::time::{Milliseconds, Zone};
use crate::log::messages::Columns;
use crate::log::messages::Messages;
use crate::recall::index::Index;
use crate::recall::rank::query::{Query, Request};
use crate::recall::rank::score;
use crate::recall::rank::scoring::Scoring;
use crate::recall::rank::weights::Weights;
use crate::recall::rank::worth;
use std::ops::Range;
use unicode_segmentation::GraphemeCursor;
use xxhash_rust::xxh64::Xxh64;

/// Maximum length of a passage in code points: a paragraph or two, on one topic.
const LONGEST: usize = 600;
/// Lower bound for this limit.
const LEAST_LONGEST: usize = 100;
/// A heading ends the passage before it if that is at least 1/`SHORT_PART` of the longest length.
const SHORT_PART: usize = 4;

/// Bounds of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Maximum number of passages.
    pub(crate) count: usize,
    /// Maximum number of code points of all passages. The best one is included whatever its length.
    pub(crate) chars: usize,
    /// Maximum number of code points shown of one text.
    pub(crate) text_chars: usize,
    /// Code points around each passage.
    pub(crate) around: usize,
}

impl Bounds {
    /// Maximum length of a passage in code points.
    pub(crate) fn passage_chars(&self) -> usize {
        self.text_chars.clamp(LEAST_LONGEST, LONGEST)
    }
}

/// A part of a text that matches the request: one passage, or adjacent ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    /// The position of its text.
    pub(crate) text: usize,
    /// The range in the text, in bytes.
    pub(crate) range: Range<usize>,
    /// The relevance, from 0 to 1: the score as a share of the best one's.
    pub(crate) score: f64,
}

/// The parts of some texts that match a request best, in the order of the texts. Excludes passages that neither have a
/// word of the request nor are next to one that does.
///
/// `library` has the same texts.
pub(crate) fn find(
    library: &Library,
    texts: &[&str],
    request: &str,
    bounds: Bounds,
    now: Milliseconds,
) -> Vec<Found> {
    let passages = &library.passages;
    let text_of = |range: &Range<usize>, text: usize| {
        texts.get(text).and_then(|text| text.get(range.clone())).unwrap_or_default()
    };
    let scores = library.score(request, now);
    let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
    map::sort_by_key(&mut order, &|at| (!map::ordered(scores[at]).cast_signed(), 0));
    let most = order.first().map_or(1.0, |best| scores[*best]);

    let mut room = bounds.chars;
    let mut chosen: Vec<usize> = Vec::new();
    for at in order {
        if chosen.len() == bounds.count {
            break;
        }
        let (text, range) = &passages[at];
        let cost = text_of(range, *text).chars().count() + bounds.around;
        if cost <= room || chosen.is_empty() {
            room = room.saturating_sub(cost);
            chosen.push(at);
        }
    }
    map::sort_by_key(&mut chosen, &|_| (0, 0));

    let longest_joined = bounds.text_chars.min(2 * LONGEST);
    let mut found: Vec<Found> = Vec::with_capacity(chosen.len());
    let mut before = None;
    for at in chosen {
        let (text, range) = passages[at].clone();
        let score = f64::from(scores[at] / most);
        let last = found.last_mut().filter(|last| {
            let joined =
                || text_of(&(last.range.start..range.end), text).chars().nth(longest_joined);
            last.text == text && before == at.checked_sub(1) && joined().is_none()
        });
        match last {
            Some(last) => {
                last.range.end = range.end;
                last.score = last.score.max(score);
            }
            None => found.push(Found { text, range, score }),
        }
        before = Some(at);
    }
    found
}

/// The passages of texts, with their index.
#[derive(Debug)]
pub(crate) struct Library {
    /// The passages, each with the position of its text.
    passages: Vec<(usize, Range<usize>)>,
    index: Index,
}

impl Library {
    /// Cuts texts into passages of at most `longest` characters and indexes them.
    pub(crate) fn of(texts: &[&str], longest: usize) -> Self {
        let mut passages: Vec<(usize, Range<usize>)> = Vec::new();
        let mut parts: Vec<(usize, &str)> = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            for range in cut(text, longest) {
                parts.push((at, &text[range.clone()]));
                passages.push((at, range));
            }
        }
        let messages = messages_of(&parts);
        let mut index = Index::default();
        index.extend(&messages, 0..messages.len());
        Self { passages, index }
    }

    /// The relevance of each passage to a request. Each text counts as a conversation, and its passages as messages. 0
    /// if neither a passage nor a neighbor has a word of the request, and almost 0 for a copy.
    fn score(&self, request: &str, now: Milliseconds) -> Vec<f32> {
        let index = &self.index;
        // No passage has a speaker with the request's role, so the request continues none of them.
        let request = Request { text: request, name: "", role: Role::User };
        let query = Query::new(index, request, now, &Zone::default());
        let is_open = vec![true; index.len()];
        let weights = &Weights::TUNED;
        let scoring =
            Scoring { index, query: &query, is_open: &is_open, similarities: None, weights };
        let mut scores = score::score(scoring, now);
        let bounds = worth::Bounds { count: index.len(), room: u64::MAX };
        let best = worth::best_without_repeats(scoring, &mut scores.total, bounds);
        let has_word = |at: usize, text: usize| {
            self.passages.get(at).is_some_and(|passage| passage.0 == text) && scores.own[at] > 0.0
        };
        let is_near = |at: &usize| {
            let text = self.passages.get(*at).map_or(0, |passage| passage.0);
            has_word(*at, text)
                || has_word(at + 1, text)
                || at.checked_sub(1).is_some_and(|before| has_word(before, text))
        };
        let mut near = vec![0.0; index.len()];
        for at in best.into_iter().filter(is_near) {
            near[at] = scores.total[at];
        }
        near
    }
}

/// A checksum of texts and of the length of their passages.
pub(crate) fn checksum(texts: &[&str], longest: usize) -> u64 {
    let mut hash = Xxh64::new(longest as u64);
    for text in texts {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.digest()
}

/// Passages as the messages of a transcript. Empty if they are too many for one.
fn messages_of(parts: &[(usize, &str)]) -> Messages {
    let code = |field: Field| Field::ALL.iter().zip(0_u8..).find(|it| *it.0 == field);
    let fields = [Field::ConversationId, Field::Text].map(|it| code(it).map_or(0, |it| it.1));
    let count = parts.len();
    let mut text = String::new();
    let mut segment_lengths = Vec::with_capacity(2 * count);
    for (id, part) in parts {
        let id = id.to_string();
        for value in [&id, *part] {
            text.push_str(value);
            segment_lengths.push(u32::try_from(value.len()).unwrap_or(u32::MAX));
        }
    }
    let mut transcript = Messages::default();
    let columns = Columns {
        text: text.as_bytes(),
        roles: &vec![Role::System as u8; count],
        pinned: &vec![0; count],
        times: &vec![f64::NAN; count],
        segment_counts: &vec![2; count],
        segment_fields: &fields.repeat(count),
        segment_lengths: &segment_lengths,
    };
    // This fails only beyond 4 GB.
    let _ = transcript.append(&columns);
    transcript
}

/// A block of a text, as its author divided it.
#[derive(Clone, Debug)]
struct Block {
    range: Range<usize>,
    begins_with_heading: bool,
    /// True if it has more than headings.
    has_body: bool,
}

/// Cuts a text into passages of at most `longest` code points, in order. They cover all of it except white space, and
/// begin and end at whole characters. (A single character that is longer is a separate passage.)
fn cut(text: &str, longest: usize) -> Vec<Range<usize>> {
    let mut passages: Vec<Range<usize>> = Vec::new();
    let mut length = 0;
    for block in blocks(text) {
        let mut is_new = block.begins_with_heading && length >= longest / SHORT_PART;
        for piece in pieces(text, block.range, longest) {
            let begin = match passages.last() {
                Some(last) if !is_new => last.end,
                _ => piece.start,
            };
            let more = text[begin..piece.end].chars().count();
            match passages.last_mut() {
                Some(last) if !is_new && length + more <= longest => {
                    last.end = piece.end;
                    length += more;
                }
                _ => {
                    length = text[piece.clone()].chars().count();
                    passages.push(piece);
                }
            }
            is_new = false;
        }
    }
    passages
}

/// The blocks of a text, each without the blank lines around it.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let is_heading = is_heading(line);
        let last = blocks.last_mut().filter(|_| is_open);
        if line.trim().is_empty() {
            is_open = last.is_some_and(|last| !last.has_body); // a heading belongs with the text after it
            continue;
        }
        let begins = is_heading || is_list_item(line);
        match last {
            Some(last) if !(begins && last.has_body) => {
                last.range.end = range.end;
                last.has_body |= !is_heading;
            }
            _ => {
                blocks.push(Block {
                    range,
                    begins_with_heading: is_heading,
                    has_body: !is_heading,
                });
            }
        }
        is_open = true;
    }
    blocks
}

/// True if a line is a heading in Markdown.
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    let after = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - after.len())) && after.starts_with(char::is_whitespace)
}

/// True if a line begins an item of a list.
fn is_list_item(line: &str) -> bool {
    const MOST_DIGITS: usize = 3;
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = line.len() - after_number.len();
    let after = if digits == 0 {
        line.strip_prefix(['-', '*', '+', '•', '–', '·'])
    } else if digits <= MOST_DIGITS {
        after_number.strip_prefix(['.', ')'])
    } else {
        None
    };
    after.is_some_and(|after| after.starts_with(char::is_whitespace))
}

/// Splits a block into pieces of at most `longest` code points, without white space around them.
fn pieces(text: &str, block: Range<usize>, longest: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = block.start;
    while start < block.end {
        let rest = &text[start..block.end];
        let length = if rest.chars().nth(longest).is_none() {
            rest.len()
        } else {
            match place_to_cut(rest, text::head(rest, longest)) {
                0 => GraphemeCursor::new(0, rest.len(), true)
                    .next_boundary(rest, 0)
                    .ok()
                    .flatten()
                    .unwrap_or(rest.len()),
                place => place,
            }
        };
        let piece = trimmed(&rest[..length]);
        if !piece.is_empty() {
            pieces.push(start + piece.start..start + piece.end);
        }
        start += length;
    }
    pieces
}

/// The place to cut a text within its beginning `head`: after a sentence or a word, but not near the start.
fn place_to_cut(text: &str, head: &str) -> usize {
    let earliest = head.len() / 3;
    let (mut by_sentence, mut by_word) = (None, None);
    let (mut is_over, mut before) = (false, ' ');
    for (at, letter) in head.char_indices() {
        let begins_word = before.is_whitespace() && !letter.is_whitespace();
        let begins_sentence = begins_word || is_wide_stop(before);
        if at >= earliest && begins_sentence && !closes(letter) && is_boundary(text, at) {
            by_word = Some(at);
            by_sentence = if is_over { Some(at) } else { by_sentence };
        }
        is_over = matches!(letter, '.' | '!' | '?' | '…' | '؟' | '।')
            || is_wide_stop(letter)
            || is_over && (closes(letter) || letter.is_whitespace());
        before = letter;
    }
    by_sentence.or(by_word).unwrap_or(head.len())
}

/// True for characters that end a sentence without a space after them.
fn is_wide_stop(letter: char) -> bool {
    matches!(letter, '。' | '！' | '？')
}

/// True for characters that may follow the end of a sentence and belong to it.
fn closes(letter: char) -> bool {
    matches!(letter, ')' | ']' | '"' | '\'' | '”' | '’' | '»' | '」' | '』' | '）')
}

fn is_boundary(text: &str, at: usize) -> bool {
    GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0) == Ok(true)
}

/// The range of a text without white space at its ends, cut between whole characters.
fn trimmed(text: &str) -> Range<usize> {
    let mut end = text.trim_end().len();
    let mut start = end - text[..end].trim_start().len();
    if !is_boundary(text, end) {
        let mut cursor = GraphemeCursor::new(end, text.len(), true);
        end = cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len());
    }
    if !is_boundary(text, start) {
        let mut cursor = GraphemeCursor::new(start, text.len(), true);
        start = cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0);
    }
    start..end
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;
    use windrow_property::properties;

    const ALL: Bounds =
        Bounds { count: usize::MAX, chars: usize::MAX, text_chars: usize::MAX, around: 0 };

    fn passages(text: &str, longest: usize) -> Vec<&str> {
        cut(text, longest).into_iter().map(|range| &text[range]).collect()
    }

    fn find_in(texts: &[&str], request: &str, bounds: Bounds) -> Vec<Found> {
        let library = Library::of(texts, bounds.passage_chars());
        find(&library, texts, request, bounds, Milliseconds(0))
    }

    fn found<'a>(texts: &[&'a str], request: &str, bounds: Bounds) -> Vec<&'a str> {
        let found = find_in(texts, request, bounds);
        found.into_iter().map(|it| &texts[it.text][it.range]).collect()
    }

    #[test]
    fn a_short_text_is_one_passage() {
        let text = "# Venue\n\nThe hall by the lake.\n\n# Food\n\n- bread\n- cheese";
        assert_eq!(passages(text, 600), [text]);
        assert_eq!(passages(" \n\t\n ", 600), [""; 0]);
        assert_eq!(passages("", 600), [""; 0]);
    }

    #[test]
    fn a_heading_belongs_to_the_text_after_it() {
        let body = "word ".repeat(30);
        let text = format!("# One\n\n{body}\n\n## Two\n### Two b\n\n{body}\n## Three");
        let passages = passages(&text, 170);
        assert_eq!(passages.len(), 3);
        assert!(passages[0].starts_with("# One\n\nword"));
        assert!(passages[1].starts_with("## Two\n### Two b\n\nword"));
        assert_eq!(passages[2], "## Three");
    }

    #[test]
    fn lists_are_cut_between_their_items() {
        let items: Vec<String> =
            (1..=12).map(|number| format!("{number}. {}", "thing ".repeat(10))).collect();
        for passage in passages(&items.join("\n"), 150) {
            assert!(passage.starts_with(|letter: char| letter.is_ascii_digit()), "{passage}");
            assert_eq!(passage.lines().count(), 2);
        }
    }

    #[test]
    fn long_paragraphs_are_cut_after_sentences() {
        let sentence = "Nobody (\"but her\") knew that. ";
        for passage in passages(&sentence.repeat(40), 150) {
            assert!(passage.starts_with("Nobody") && passage.ends_with("that."), "{passage}");
        }
        for passage in passages(&"彼は庭を歩いた。".repeat(60), 100) {
            assert!(passage.starts_with('彼') && passage.ends_with('。'), "{passage}");
        }
    }

    #[test]
    fn passages_about_the_request_are_found() {
        let texts =
            ["The boiler was repaired in March.", "Anna collects stamps.", "", "Tea at four."];
        assert_eq!(found(&texts, "Which stamps does Anna like?", ALL), [texts[1]]);
        assert_eq!(found(&texts, "when did they repair the boilers", ALL), [texts[0]]);
        assert_eq!(found(&texts, "quantum chromodynamics", ALL), [""; 0]);
        assert_eq!(found(&texts, " ", ALL), [""; 0]);
        assert_eq!(found(&[], "stamps", ALL), [""; 0]);
    }

    #[test]
    fn neighbors_are_shown_as_one() {
        let filler = |number: usize| format!("{}{number}.", "Nothing to see. ".repeat(35));
        let paragraphs = [filler(1), filler(2), "Mango trees. ".repeat(44), filler(3), filler(4)];
        let text = paragraphs.join("\n\n");
        let all = find_in(&[&text], "mango", ALL);
        let all: Vec<&str> = all.iter().map(|it| &text[it.range.clone()]).collect();
        let two = paragraphs[1..3].join("\n\n");
        assert_eq!(all, [two.trim(), &paragraphs[3]], "three are too long to be one text");
        let two = find_in(&[&text], "mango", Bounds { count: 2, ..ALL });
        assert_eq!(two.len(), 1);
        assert!(two[0].range.len() > 1100 && text[two[0].range.clone()].contains("Mango"));
        assert!((two[0].score - 1.0).abs() < 1e-9);
        let one = found(&[&text], "mango", Bounds { count: 1, ..ALL });
        assert_eq!(one, [paragraphs[2].trim()]);
    }

    /// Texts containing the separators that the cuts look for.
    fn texts() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            "[a-z]{1,12}",
            "[A-Z][a-z]{0,5}\\. ",
            Just(" ".to_owned()),
            Just("\n".to_owned()),
            Just("\n\n".to_owned()),
            Just("\n# ".to_owned()),
            Just("\n- ".to_owned()),
            Just("\r\n".to_owned()),
            Just("。".to_owned()),
            Just("👩‍👩‍👧‍👦".to_owned()),
            Just("🇩🇪".to_owned()),
            Just("\u{308}".to_owned()),
            Just("\u{600}".to_owned()),
            any::<char>().prop_map(String::from),
        ];
        proptest::collection::vec(part, 0..200).prop_map(|parts| parts.concat())
    }

    properties! {
        #[test]
        fn passages_hold_all_of_a_text_and_tear_nothing(text in texts(), longest in 1_usize..80) {
            let boundaries: Vec<usize> =
                text.grapheme_indices(true).map(|it| it.0).chain([text.len()]).collect();
            let mut end = 0;
            for passage in cut(&text, longest) {
                prop_assert!(text[end..passage.start].trim().is_empty(), "nothing is lost");
                prop_assert!(!passage.is_empty());
                prop_assert!(boundaries.binary_search(&passage.start).is_ok());
                prop_assert!(boundaries.binary_search(&passage.end).is_ok());
                let shown = &text[passage.clone()];
                let is_one = shown.graphemes(true).count() == 1;
                prop_assert!(shown.chars().count() <= longest || is_one);
                end = passage.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }

        #[test]
        fn found_passages_stay_within_the_text(
            list in proptest::collection::vec(texts(), 0..8),
            request in texts(),
            count in 0_usize..6,
            chars in 0_usize..900,
        ) {
            let list: Vec<&str> = list.iter().map(String::as_str).collect();
            let bounds = Bounds { count, chars, ..ALL };
            let found = find_in(&list, &request, bounds);
            prop_assert!(found.len() <= count);
            let length = |it: &Found| list[it.text][it.range.clone()].chars().count();
            prop_assert!(found.len() <= 1 || found.iter().map(length).sum::<usize>() <= chars + 2 * found.len() * LONGEST);
            for pair in found.windows(2) {
                prop_assert!((pair[0].text, pair[0].range.end) <= (pair[1].text, pair[1].range.start));
            }
            for it in &found {
                prop_assert!(0.0 < it.score && it.score <= 1.0);
            }
        }
    }
}
