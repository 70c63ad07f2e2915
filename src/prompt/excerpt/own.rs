//! Finds the user's own words around a pasted log, file or article.
//!
//! Prose counts as the user's; code, logs and tables count as pasted. In a text that is all prose, the longest
//! paragraph counts as pasted, and so do others about as long if a much shorter one asks something.

use super::passages::{Passage, Passages};
use std::cmp::Reverse;
use std::ops::Range;

/// Minimum share of letters and prose punctuation in a passage of prose. Lines of logs and code have about 0.5 to 0.8.
const PROSE: f32 = 0.85;

/// The minimum for a passage that asks a question, because it may name a file, a line or a figure.
const QUESTION: f32 = 0.6;

/// A question is short if it is at most 1 in this many of the longest paragraph.
const SHORT: usize = 4;

/// Passages of one kind without an empty line between them.
struct Block {
    range: Range<usize>,
    is_prose: bool,
    asks: bool,
}

/// Returns the user's own words in a text: first those at its ends, a question before the rest, then the paragraphs
/// next to them, then questions between pasted texts. None if nothing in the text is pasted.
pub(crate) fn own_words(text: &str) -> Vec<Range<usize>> {
    let Passages { list, is_json: false } = Passages::of(text) else { return Vec::new() };
    let mut blocks: Vec<Block> = Vec::new();
    for Passage { range, .. } in &list {
        let said = &text[range.clone()];
        let asks = asks(said);
        let is_prose = is_prose(said, asks);
        match blocks.last_mut() {
            Some(last)
                if last.is_prose == is_prose
                    && text[last.range.end..range.start].matches('\n').count() < 2 =>
            {
                last.range.end = range.end;
                last.asks |= asks;
            }
            _ => blocks.push(Block { range: range.clone(), is_prose, asks }),
        }
    }
    let by_length = |at: &usize| (blocks[*at].range.len(), Reverse(*at));
    let longest = (0..blocks.len()).max_by_key(by_length);
    if blocks.iter().all(|block| block.is_prose)
        && let Some(longest) = longest
    {
        let most = blocks[longest].range.len();
        if blocks.iter().any(|block| block.asks && block.range.len() * SHORT <= most) {
            for block in &mut blocks {
                block.is_prose = block.range.len() * 2 < most;
            }
        }
        split_longest(text, &list, &mut blocks, longest);
    }
    in_order(&blocks)
}

/// Marks a paragraph as pasted, except for a few sentences at an end of the text: the user may continue there without
/// an empty line.
fn split_longest(text: &str, passages: &[Passage], blocks: &mut Vec<Block>, longest: usize) {
    let block = &mut blocks[longest];
    block.is_prose = false;
    let all = block.range.clone();
    let of = |passage: Option<&Passage>| {
        passage.map(|it| it.range.clone()).filter(|it| *it != all && all.contains(&it.start))
    };
    let (first, last) = (of(passages.first()), of(passages.last()));
    let own =
        |range: Range<usize>| Block { asks: asks(&text[range.clone()]), range, is_prose: true };
    block.range =
        first.as_ref().map_or(all.start, |it| it.end)..last.as_ref().map_or(all.end, |it| it.start);
    blocks.extend(last.map(own));
    if let Some(first) = first {
        blocks.insert(0, own(first));
    }
}

fn in_order(blocks: &[Block]) -> Vec<Range<usize>> {
    let before = blocks.iter().take_while(|block| block.is_prose).count();
    let after = blocks[before..].iter().rev().take_while(|block| block.is_prose).count();
    let end = blocks.len() - after;
    let mut own: Vec<&Block> = Vec::new();
    for at in 0..before.max(after) {
        own.extend((at < after).then(|| &blocks[blocks.len() - 1 - at]));
        own.extend(blocks[..before].get(at));
    }
    if let [last, first, ..] = own.as_mut_slice()
        && first.asks
        && !last.asks
    {
        std::mem::swap(first, last);
    }
    own.extend(blocks[before..end].iter().rev().filter(|block| block.is_prose && block.asks));
    own.into_iter().map(|block| block.range.clone()).collect()
}

/// True if a passage asks a question.
fn asks(said: &str) -> bool {
    let mut letters = said.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends = |next: &char| next.is_whitespace() || "\"')*_»”’".contains(*next);
        if matches!(letter, '？' | '؟') || (letter == '?' && letters.peek().is_none_or(ends)) {
            return true;
        }
    }
    false
}

/// True if a passage is prose rather than code, a log, a table or a quoted line.
#[expect(clippy::cast_precision_loss, reason = "letters of a passage")]
fn is_prose(said: &str, asks: bool) -> bool {
    let is_of_prose =
        |letter: &char| letter.is_alphabetic() || " .,!?'’`。，、？！".contains(*letter);
    let share = said.chars().filter(is_of_prose).count() as f32 / said.chars().count() as f32;
    let least = if asks { QUESTION } else { PROSE };
    share >= least && !["```", "~~~", "|", ">"].iter().any(|mark| said.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::own_words;

    const LOG: &str = "2026-01-05 08:00:01 INFO  worker-3 GET /api/v1/items?id=31 200 12ms\n\
        2026-01-05 08:00:02 ERROR worker-3 refused\n    at Pool.connect (/srv/app/pool.js:41:7)\n";

    fn own(text: &str) -> Vec<&str> {
        own_words(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn text_around_a_pasted_log_is_the_users() {
        let ask = "Why does it fail?";
        for (before, after) in [("", "\n"), ("", "\n\n"), ("My log.\n", ""), ("My log.\n\n", "\n")]
        {
            let before_own: Vec<&str> =
                [before.trim()].into_iter().filter(|it| !it.is_empty()).collect();
            assert_eq!(
                own(&format!("{before}{}{after}{ask}", LOG.repeat(9))),
                [&[ask][..], &before_own].concat()
            );
        }
        assert_eq!(own(&format!("{ask}\n```\n{LOG}```\nThanks.")), [ask, "Thanks."]);
        assert_eq!(own(&format!("{LOG}\n{ask}\n\n{LOG}")), [ask]);
        let long = "It fails on Mondays, and nobody knows why.\n\nI have tried the old pool too.";
        assert_eq!(own(&format!("{LOG}\n{long}\n\n{ask}"))[0], ask);
        assert_eq!(own(&format!("{LOG}\n{long}\n\n{ask}")).len(), 3);
    }

    #[test]
    fn the_longest_paragraph_of_prose_counts_as_pasted() {
        let article = "The harbour was rebuilt in spring. ".repeat(40);
        let ask = "Who paid for it?";
        assert_eq!(own(&format!("Read this.\n\n{article}\n\n{ask}")), [ask, "Read this."]);
        assert_eq!(own(&format!("{ask}\n\n{article}"))[0], ask);
        assert!(own(&format!("{article}{ask}"))[0].ends_with(ask));
        let between = format!("{article}\n\n{ask} Here is more:\n\n{article}");
        assert!(own(&between).iter().any(|said| said.starts_with(ask)));
        assert!(own(&between).iter().all(|said| said.len() < article.len() / 2));
        assert_eq!(own("word"), Vec::<&str>::new());
    }
}
