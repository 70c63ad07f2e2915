//! Results of calls that are made again.
//!
//! The result of a call that is made again with the same arguments supersedes the older one. The older one grows last and only if it fits
//! whole. Its stub says that a newer one follows. A newer result that only refers to the older one ("File unchanged since last read") supersedes nothing. Then
//! the older one grows first, and a line after the reference says how much of it is left out.

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

/// Words of a result that refers to an earlier one. Hosts of agents answer a second read of the same file with them.
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

/// A reference has at most this share of the earlier result's length: a longer one has a content.
const REFERENCE_SHARE: usize = 4;

impl Packer<'_> {
    /// Finds the results of calls that are made again, by the names and the arguments of the calls.
    pub(super) fn repeats(&self) -> Vec<Repeat> {
        let transcript = &self.input.transcript;
        // By group and id: the name and the arguments.
        let mut calls: HashedMap<(usize, &str), (&str, &str)> = HashedMap::default();
        let mut latest: HashedMap<(&str, String), usize> = HashedMap::default();
        let mut repeats = Vec::new();
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
            let known = latest.entry((*name, self.resource(name, arguments))).or_insert(row);
            if *known == row {
                continue; // the first of its kind
            }
            let is_reference = self.refers(row, *known);
            repeats.push(Repeat { older: *known, newer: row, is_reference });
            *known = if is_reference { *known } else { row };
        }
        repeats
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

    /// Adds a line to each kept result that needs one, or updates it. Without room for it the result stays unchanged. While results can
    /// still grow (`is_growing`), each newer one may become whole.
    pub(super) fn note_repeats(&mut self, repeats: &[Repeat], is_growing: bool) -> StageResult {
        let mut is_kept = vec![false; self.input.transcript.len()];
        for row in &self.fill.kept {
            is_kept[*row] = true;
        }
        for repeat in repeats {
            let (row, note) = if repeat.is_reference {
                let left_out = self.left_out_of(repeat.older, is_kept[repeat.older]);
                (repeat.newer, left_out.map(Note::EarlierLeftOut))
            } else {
                let is_shown = is_kept[repeat.newer] && (is_growing || self.is_whole(repeat.newer));
                (repeat.older, is_shown.then_some(Note::NewerFollows))
            };
            if is_kept[row] && self.results.notes.get(&row).copied() != note {
                self.note(row, note)?;
            }
        }
        Ok(())
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

    /// Shows a result with another note, if there is room for it.
    fn note(&mut self, row: usize, note: Option<Note>) -> StageResult {
        let room = self.room_for(row)?;
        let before = self.results.notes.remove(&row);
        let size = self.results.sizes.get(&row).copied().unwrap_or(Size::Whole);
        for note in [note, before] {
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

    /// Adds the note of a result to the text that is shown of it.
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
            Some(Note::EarlierLeftOut(tokens)) => {
                let whole =
                    || Excerpt { text: self.view().text_of(Piece::Message(row)), gaps: Vec::new() };
                let Excerpt { mut text, mut gaps } = shown.unwrap_or_else(whole);
                text += "\nNot all of the earlier result is shown: ";
                gaps.push(Gap { start: text.len(), tokens: *tokens });
                text += &excerpt::mark(*tokens);
                Some(Excerpt { text, gaps })
            }
            _ => shown,
        }
    }
}
