//! Handles the results of repeated calls.
//!
//! If a call is made several times, the prompt needs the newest result. It supersedes the older ones, which grow last,
//! and only if they fit whole. Their stubs say that a newer one follows, as long as that one is whole. A result that
//! only refers to an older one ("File unchanged since last read") supersedes nothing. Instead, the older one grows
//! first, and a line after the reference says how much of it is left out. Room for that line is reserved before
//! anything optional is kept. A reference without room for it becomes a stub, which points nowhere. So every line about
//! another result is true.

use super::packer::Packer;
use super::sizes::{Note, Size};
use crate::base::map::HashedMap;
use crate::base::message::Field;
use crate::prompt::excerpt::{self, Excerpt};
use crate::state::ask::StageResult;
use crate::state::context::{Gap, Piece};
use serde_json::Value;

/// Two results of calls with the same tool and arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    pub(super) older: usize,
    newer: usize,
    /// True if the newer result only refers to the older one.
    pub(super) is_reference: bool,
}

/// The results of calls with the same tool and arguments, without references.
#[derive(Default)]
struct Results {
    /// The latest one, in the prompt or not.
    latest: Option<usize>,
    /// Those in the prompt, in order.
    kept: Vec<usize>,
    /// True if the call was made more than once.
    is_asked_again: bool,
}

/// Phrases that agent hosts return for a second read of the same file instead of its contents.
const REFERRING: [&str; 9] = [
    "unchanged",
    "not changed",
    "no change",
    "not modified",
    "earlier",
    "previous",
    "same as",
    "already in",
    "see above",
];

/// A reference is at most 1/`REFERENCE_SHARE` as long as the earlier result. A longer result has its own content.
const REFERENCE_SHARE: usize = 4;

impl Packer<'_> {
    /// Finds the results of repeated calls, by the names and the arguments of the calls.
    pub(super) fn repeats(&self) -> Vec<Repeat> {
        let (mut repeats, by_resource) = self.by_resource();
        for Results { kept, .. } in by_resource {
            if let Some((newer, older)) = kept.split_last() {
                let superseded =
                    |older: &usize| Repeat { older: *older, newer: *newer, is_reference: false };
                repeats.extend(older.iter().map(superseded));
            }
        }
        repeats.sort_unstable_by_key(|repeat| (repeat.older, repeat.newer));
        repeats
    }

    /// Returns the results that a model asked for again, newest first: for each call that was made several times, the
    /// newest result with content.
    pub(crate) fn asked_again(&self) -> Vec<usize> {
        let (_, by_resource) = self.by_resource();
        let again = by_resource.into_iter().filter(|results| results.is_asked_again);
        let mut is_again = vec![false; self.input.transcript.len()];
        for row in again.filter_map(|results| results.latest) {
            is_again[row] = true;
        }
        self.marks.order.iter().rev().copied().filter(|row| is_again[*row]).collect()
    }

    /// Finds the references among results, and the other results by the names and the arguments of their calls.
    fn by_resource(&self) -> (Vec<Repeat>, Vec<Results>) {
        let transcript = &self.input.transcript;
        let is_kept = self.is_kept();
        // For each group and id, the name and the arguments.
        let mut calls: HashedMap<(usize, &str), (&str, &str)> = HashedMap::default();
        let mut by_resource: HashedMap<(&str, String), Results> = HashedMap::default();
        let mut references = Vec::new();
        for row in self.marks.order.iter().copied() {
            let group = self.marks.groups.of(row);
            let (mut id, mut name) = ("", "");
            for (field, value) in transcript.fields(row) {
                match field {
                    Field::CallId => id = value,
                    Field::CallName => name = value,
                    Field::CallArguments => {
                        calls.insert((group, id), (name, value));
                    }
                    _ => {}
                }
            }
            let answered = transcript.value(row, Field::ResultId).filter(|_| self.may_shrink(row));
            let Some((name, arguments)) = answered.and_then(|id| calls.get(&(group, id))) else {
                continue;
            };
            let known = by_resource.entry((*name, self.resource(name, arguments))).or_default();
            known.is_asked_again |= known.latest.is_some();
            if let Some(older) = known.latest.filter(|older| self.refers(row, *older)) {
                references.push(Repeat { older, newer: row, is_reference: true });
                continue;
            }
            known.latest = Some(row);
            known.kept.extend(is_kept[row].then_some(row));
        }
        (references, by_resource.into_values().collect())
    }

    /// Returns the resource of a call: its arguments, or the one that the config names for the tool.
    fn resource(&self, name: &str, arguments: &str) -> String {
        let argument = self.input.config.budget.tool_results.resources.get(name);
        let named = argument.and_then(|argument| {
            let arguments: Value = serde_json::from_str(arguments).ok()?;
            Some(arguments.get(argument)?.to_string())
        });
        named.unwrap_or_else(|| arguments.to_owned())
    }

    /// True if a result only refers to an earlier one.
    fn refers(&self, newer: usize, older: usize) -> bool {
        let transcript = &self.input.transcript;
        let text = transcript.text(newer);
        if text.len() * REFERENCE_SHARE > transcript.text(older).len() {
            return false;
        }
        let text = text.to_ascii_lowercase();
        REFERRING.iter().any(|words| text.contains(words))
    }

    /// Reserves room for the lines after references. Until an earlier result is kept, all of it counts as left out.
    pub(super) fn reserve_notes(&mut self) -> StageResult {
        let is_kept = self.is_kept();
        for Repeat { older, newer, .. } in self.repeats().into_iter().filter(|it| it.is_reference) {
            let Some(tokens) = self.left_out_of(older, is_kept[older]) else { continue };
            let note = Note::EarlierLeftOut { earlier: older, tokens };
            if is_kept[newer] {
                self.note(newer, Some(note))?;
            } else {
                self.results.notes.insert(newer, note);
            }
        }
        Ok(())
    }

    /// Adds a line to each kept result that needs one, or updates it. Without room for it the result stays unchanged.
    /// While results can still grow (`is_growing`), each newer one may become whole.
    pub(super) fn note_repeats(&mut self, repeats: &[Repeat], is_growing: bool) -> StageResult {
        let is_kept = self.is_kept();
        for Repeat { older, newer, is_reference } in repeats.iter().copied() {
            let (row, note) = if is_reference {
                let left_out = self.left_out_of(older, is_kept[older]);
                let note = |tokens| Note::EarlierLeftOut { earlier: older, tokens };
                (newer, left_out.map(note))
            } else {
                // Before a cut nothing may change, so no stub mentions later results.
                let is_shown = self.plan.shrinks && (is_growing || self.is_whole(newer));
                (older, is_shown.then_some(Note::NewerFollows))
            };
            if is_kept[row] && self.results.notes.get(&row).copied() != note {
                self.note(row, note)?;
            }
        }
        Ok(())
    }

    /// For each row, true if it is kept.
    fn is_kept(&self) -> Vec<bool> {
        let mut is_kept = vec![false; self.input.transcript.len()];
        for row in &self.fill.kept {
            is_kept[*row] = true;
        }
        is_kept
    }

    /// The tokens of a result that the prompt doesn't show. None if it is whole.
    fn left_out_of(&self, row: usize, is_kept: bool) -> Option<u64> {
        if !is_kept {
            return Some(self.count_left_out(&self.input.transcript.text(row)));
        }
        let gaps = self.fill.excerpts.get(&row).filter(|_| !self.is_whole(row))?;
        Some(gaps.iter().map(|gap| gap.tokens).sum())
    }

    fn is_whole(&self, row: usize) -> bool {
        self.results.sizes.get(&row).is_none_or(|size| *size == Size::Whole)
    }

    /// Shows a result with another note, if it fits. A reference without room for a note becomes a stub.
    fn note(&mut self, row: usize, note: Option<Note>) -> StageResult {
        let room = self.room_for(row)?;
        let before = self.results.notes.remove(&row);
        let size = self.results.sizes.get(&row).copied().unwrap_or(Size::Whole);
        let otherwise = match (note, before) {
            (Some(Note::EarlierLeftOut { .. }), None) => (note, Size::Stub),
            _ => (before, size),
        };
        for (note, size) in [(note, size), otherwise] {
            match note {
                Some(note) => self.results.notes.insert(row, note),
                None => _ = self.results.notes.remove(&row),
            }
            self.resize(row, size);
            if self.fits_in(row, &room)? {
                break;
            }
        }
        self.pay_result(row, &room)
    }

    /// Adds the note of a result to its shown text.
    pub(super) fn with_note(
        &self,
        row: usize,
        size: Size,
        shown: Option<Excerpt>,
    ) -> Option<Excerpt> {
        match self.results.notes.get(&row) {
            Some(Note::NewerFollows) if size == Size::Stub => shown.map(|mut shown| {
                shown.text += " A newer result of this call follows.";
                shown
            }),
            Some(Note::EarlierLeftOut { earlier, tokens }) if size != Size::Stub => {
                let whole =
                    || Excerpt { text: self.view().text_of(Piece::Message(row)), gaps: Vec::new() };
                let Excerpt { mut text, mut gaps } = shown.unwrap_or_else(whole);
                text += "\nNot all of the earlier result is shown: ";
                let mark = Excerpt {
                    text: excerpt::mark(*tokens),
                    gaps: vec![Gap { start: 0, tokens: *tokens }],
                };
                gaps.push(Gap { start: text.len(), tokens: *tokens });
                text += &self.named(*earlier, mark).text;
                Some(Excerpt { text, gaps })
            }
            _ => shown,
        }
    }
}
