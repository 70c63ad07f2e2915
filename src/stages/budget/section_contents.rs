//! Fits the sections other than history and request.

use super::packer::Packer;
use super::sections::{Body, ShownForm};
use crate::base::cost::Cost;
use crate::config::SectionKind;
use crate::state::ask::StageResult;
use crate::state::context::{Piece, SectionReport};
use crate::state::view::View;

/// A section other than history and request, in its current forms.
#[derive(Debug)]
pub(super) struct SectionContent {
    body: Body,
    shown: Vec<ShownForm>,
    pub(super) pieces: Vec<Piece>,
    pub(super) is_required: bool,
}

impl SectionContent {
    /// True if everything is shown whole.
    pub(super) fn is_whole(&self) -> bool {
        self.shown.iter().all(|shown| *shown == ShownForm::Full)
    }

    /// The section's contents, for the result.
    pub(super) fn report(&self, view: View<'_>) -> SectionReport {
        self.body.report(view, &self.shown, &self.pieces)
    }
}

impl Packer<'_> {
    /// The sections, each within its own limit.
    pub(super) fn section_contents(&mut self) -> StageResult<Vec<SectionContent>> {
        let mut contents = Vec::new();
        for (position, section) in self.input.config.sections().iter().enumerate() {
            let Some(body) = Body::of(self.input, self.marks, position) else {
                continue;
            };
            let mut shown = body.full();
            let mut fits = |shown: &[ShownForm]| self.fits_own_limit(&body, shown);
            if !fits(&shown)? {
                shown = body.least(Some(&self.meter), &mut fits)?;
                body.enlarge(&mut shown, &mut fits)?;
            }
            let is_required = section.is_required();
            let pieces = body.pieces(self.input, &mut self.fill, &shown);
            contents.push(SectionContent { body, shown, pieces, is_required });
        }
        Ok(contents)
    }

    /// Keeps the parts of the optional sections that fit, in order. Returns true if any shows less than its own limit
    /// allows.
    pub(super) fn keep_optional(
        &mut self,
        contents: &mut [SectionContent],
        enlarges: bool,
    ) -> StageResult<bool> {
        let mut gave_way = false;
        for content in contents.iter_mut().filter(|content| !content.is_required) {
            let body = &content.body;
            let limit = self.remaining;
            let mut fits = |shown: &[ShownForm]| self.fits_both(body, shown, limit);
            let mut shown = content.shown.clone();
            if !(enlarges && fits(&shown)?) {
                shown = body.least(None, &mut fits)?;
                if enlarges {
                    body.enlarge(&mut shown, &mut fits)?;
                }
            }
            let is_there = fits(&shown)?;
            gave_way |= !is_there || shown != content.shown;
            content.pieces =
                if is_there { body.pieces(self.input, &mut self.fill, &shown) } else { Vec::new() };
            content.shown = shown;
            self.remaining = limit.minus(self.total(&content.pieces)?);
        }
        Ok(gave_way)
    }

    /// Shows items whole while there is room.
    pub(super) fn enlarge_items(&mut self, contents: &mut [SectionContent]) -> StageResult {
        let optional =
            |content: &&mut SectionContent| !content.is_required && !content.pieces.is_empty();
        for content in contents.iter_mut().filter(optional) {
            let body = &content.body;
            let limit = self.remaining.plus(self.total(&content.pieces)?);
            let mut fits = |shown: &[ShownForm]| self.fits_both(body, shown, limit);
            let mut shown = content.shown.clone();
            body.enlarge(&mut shown, &mut fits)?;
            content.pieces = body.pieces(self.input, &mut self.fill, &shown);
            content.shown = shown;
            self.remaining = limit.minus(self.total(&content.pieces)?);
        }
        Ok(())
    }

    /// True if a section fits its own limit.
    fn fits_own_limit(&self, body: &Body, shown: &[ShownForm]) -> StageResult<bool> {
        let section = &self.input.config.sections()[body.section];
        let text = body.text(shown).unwrap_or_default();
        let chars = match section.kind {
            SectionKind::Text => None, // cut to it already
            _ => section.limit.chars,
        };
        if chars.is_some_and(|limit| text.chars().count() as u64 > limit) {
            return Ok(false);
        }
        match self.input.config.token_limit_of(section) {
            Some(limit) => Ok(self.meter.count(&text)? <= limit),
            None => Ok(true),
        }
    }

    /// True if a section fits its own limit and the rest of the budget.
    fn fits_both(&mut self, body: &Body, shown: &[ShownForm], limit: Cost) -> StageResult<bool> {
        Ok(self.fits_own_limit(body, shown)? && self.cost_of(body, shown)?.fits(limit))
    }

    /// The cost of a section in these forms. Removes the texts that it made for that.
    fn cost_of(&mut self, body: &Body, shown: &[ShownForm]) -> StageResult<Cost> {
        let mark = self.fill.made.len();
        let pieces = body.pieces(self.input, &mut self.fill, shown);
        let cost = self.ask_for(&pieces).and_then(|()| self.total(&pieces));
        self.fill.made.truncate(mark);
        cost
    }
}
