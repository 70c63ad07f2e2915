//! Cuts texts to fit, visibly and between whole characters. A cut text keeps its beginning and its end.

use crate::base::text::{head, tail};
use crate::prompt::form;
use crate::prompt::measure::Meter;
use crate::state::ask::{Need, StageResult, Stop};
use crate::state::fill::ShortenedText;
use std::ops::Range;

/// The greatest length below `failing` that fits, provided that all fitting lengths are shorter than all failing ones.
/// 0 is assumed to fit, and `failing` not to.
///
/// The search starts from below, so its cost depends on the fitting length and not on the length of the text. If a hook
/// counts, the question also covers the next lengths, so that the hook gets few calls.
pub(crate) fn longest_fitting(
    mut failing: usize,
    fits: &mut dyn FnMut(usize) -> StageResult<bool>,
) -> StageResult<usize> {
    const FIRST: usize = 64;
    const DOUBLED_AHEAD: u32 = 4;
    let (mut fitting, mut tried) = (0, FIRST);
    while tried < failing {
        let next = (1..=DOUBLED_AHEAD).map(|times| tried.saturating_mul(1 << times));
        if asking_ahead(tried, &mut next.take_while(|length| *length < failing), fits)? {
            fitting = tried;
            tried = tried.saturating_mul(2);
        } else {
            failing = tried;
        }
    }
    while fitting + 1 < failing {
        let middle = fitting.midpoint(failing);
        let [low, high] = [fitting.midpoint(middle), middle.midpoint(failing)];
        let next = [fitting, low, middle, high, failing];
        let quarters = next.windows(2).map(|pair| pair[0].midpoint(pair[1])).chain([low, high]);
        if asking_ahead(middle, &mut quarters.filter(|length| *length > 0), fits)? {
            fitting = middle;
        } else {
            failing = middle;
        }
    }
    Ok(fitting)
}

/// Tries a length. If that asks for counts, the question also covers other lengths.
fn asking_ahead(
    length: usize,
    next: &mut dyn Iterator<Item = usize>,
    fits: &mut dyn FnMut(usize) -> StageResult<bool>,
) -> StageResult<bool> {
    let mut found = fits(length);
    if let Err(Stop::Ask(need)) = &mut found
        && let Need::Counts { texts, .. } = &mut **need
    {
        for length in next {
            if let Err(Stop::Ask(more)) = fits(length)
                && let Need::Counts { texts: more, .. } = *more
            {
                let new = more.into_iter().filter(|text| !texts.contains(text));
                let new: Vec<String> = new.collect();
                texts.extend(new);
            }
        }
    }
    found
}

/// Cuts a text to a number of code points, with a marker in each gap that says how much of the text is kept. The ranges
/// in `first` are kept before the rest of the text, in their order.
pub(crate) fn cut(
    text: &str,
    first: &[Range<usize>],
    char_count: usize,
    token_count: u64,
    meter: &Meter,
) -> StageResult<ShortenedText> {
    let kept = kept_ranges(text, first, char_count);
    let mut tokens = 0;
    for range in &kept {
        tokens += meter.count(&text[range.clone()])?;
    }
    let marker = form::marker(tokens, token_count);
    let mut out = ShortenedText::default();
    let mut end = 0;
    for range in kept.into_iter().chain(std::iter::once(text.len()..text.len())) {
        if range.start > end {
            out.add_line(&marker);
            out.markers.push(out.text.len() - marker.len());
        }
        if !range.is_empty() {
            out.add_line(&text[range.clone()]);
        }
        end = range.end;
    }
    Ok(out)
}

/// Returns the parts that a cut to a number of code points keeps, in order.
fn kept_ranges(text: &str, first: &[Range<usize>], char_count: usize) -> Vec<Range<usize>> {
    let mut kept: Vec<Range<usize>> = Vec::new();
    let mut room = char_count;
    for range in first.iter().take_while(|_| char_count > 0) {
        room -= keep_ends(text, [range, range], room, &mut kept);
    }
    while room > 0 {
        let gaps = gaps(&kept, text.len());
        let (Some(begin), Some(end)) = (gaps.first(), gaps.last()) else { break };
        match keep_ends(text, [begin, end], room, &mut kept) {
            0 => break, // not a whole character fits
            length => room -= length,
        }
    }
    kept
}

/// The parts of a text that aren't kept.
fn gaps(kept: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    let ends = std::iter::once(0).chain(kept.iter().map(|range| range.end));
    let starts = kept.iter().map(|range| range.start).chain([length]);
    ends.zip(starts).map(|(end, start)| end..start).filter(|gap| !gap.is_empty()).collect()
}

/// Keeps the beginning of one range and the end of another, or both of the same range, as long as `room` allows.
/// Returns how many code points they have.
fn keep_ends(
    text: &str,
    [begin, end]: [&Range<usize>; 2],
    room: usize,
    kept: &mut Vec<Range<usize>>,
) -> usize {
    let before = head(&text[begin.clone()], room.div_ceil(2));
    let middle = begin.start + before.len();
    let length = before.chars().count();
    let after = tail(&text[end.start.max(middle)..end.end], room - length);
    keep(kept, begin.start..middle);
    keep(kept, end.end - after.len()..end.end);
    length + after.chars().count()
}

/// Adds a range to the kept ones, in its place. It must not overlap any of them.
fn keep(kept: &mut Vec<Range<usize>>, range: Range<usize>) {
    let at = kept.partition_point(|it| it.start < range.start);
    match (at.checked_sub(1), kept.get(at)) {
        _ if range.is_empty() => {}
        (Some(before), next) if kept[before].end == range.start => {
            let joins_next = next.is_some_and(|next| next.start == range.end);
            kept[before].end = if joins_next { kept.remove(at).end } else { range.end };
        }
        (_, Some(next)) if next.start == range.end => kept[at].start = range.start,
        _ => kept.insert(at, range),
    }
}
