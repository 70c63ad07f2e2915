//! What the parts of a prompt cost in the form that was asked for.

use crate::config::{ContextConfig, Format};
use crate::context::{Cost, Piece};
use crate::draft::Draft;
use crate::form;
use crate::time::Milliseconds;
use crate::tokens::Counter;
use crate::transcript::Transcript;
use std::rc::Rc;

/// Measures pieces in one form with one counter, and remembers what messages cost.
#[derive(Debug)]
pub struct Meter {
    counter: Counter,
    /// What a remembered cost depends on beside the message.
    form: String,
    counts_chars: bool,
    last: Option<Piece>,
}

impl Meter {
    pub(crate) fn new(draft: &Draft, counter: Counter) -> Self {
        let render = &draft.config.render;
        let last = match &draft.request {
            Some(_) => Some(Piece::Request),
            None => draft.open_rows().last().map(|row| Piece::Message(*row)),
        };
        Self {
            form: format!("{} {} {}", render.format as u8, render.times, counter.name()),
            counts_chars: draft.config.budget.max_chars.is_some()
                || render.format != Format::Messages,
            counter,
            last,
        }
    }

    /// Whether it counts characters too.
    pub(crate) fn counts_chars(&self) -> bool {
        self.counts_chars
    }

    /// What the form costs with nothing in it.
    pub(crate) fn fixed(&self, draft: &Draft) -> Cost {
        self.measure(&form::frame(draft), u64::MAX).unwrap_or_default()
    }

    /// What pieces cost together with the form itself.
    pub(crate) fn total(&self, draft: &Draft, pieces: &[Piece]) -> Cost {
        let fixed = self.fixed(draft);
        pieces.iter().fold(fixed, |spent, piece| spent.plus(self.cost(draft, *piece)))
    }

    /// What a piece costs.
    pub(crate) fn cost(&self, draft: &Draft, piece: Piece) -> Cost {
        self.cost_until(draft, piece, u64::MAX).unwrap_or_default()
    }

    /// What each message of a group costs, or none as soon as they do not fit together.
    pub(crate) fn group_cost(
        &self,
        draft: &Draft,
        rows: &[usize],
        limit: Cost,
    ) -> Option<Vec<Cost>> {
        let mut room = limit;
        let mut costs = Vec::with_capacity(rows.len());
        for row in rows {
            let cost = self.cost_until(draft, Piece::Message(*row), room.tokens)?;
            if !cost.fits(room) {
                return None;
            }
            room = room.minus(cost);
            costs.push(cost);
        }
        Some(costs)
    }

    /// How many tokens a text has.
    pub(crate) fn count(&self, text: &str) -> u64 {
        self.counter.count(text)
    }

    fn cost_until(&self, draft: &Draft, piece: Piece, token_limit: u64) -> Option<Cost> {
        let is_last = self.last == Some(piece);
        let parts = || form::parts(draft, piece, is_last);
        // The last piece of a text has no line end, so its cost is its own; a shortened one is not the message's.
        let row = match piece {
            Piece::Message(row) if !is_last && draft.shortened_text(piece).is_none() => row,
            _ => return self.measure(&parts(), token_limit),
        };
        if let Some(tokens) = draft.transcript.remembered_cost(&self.form, row) {
            let chars = if self.counts_chars { parts().chars() } else { 0 };
            let cost = Cost { tokens: u64::from(tokens), chars };
            return (cost.tokens <= token_limit).then_some(cost);
        }
        let cost = self.measure(&parts(), token_limit)?;
        if let Ok(tokens) = u32::try_from(cost.tokens) {
            draft.transcript.remember_cost(&self.form, row, tokens);
        }
        Some(cost)
    }

    fn measure(&self, parts: &form::Parts<'_>, token_limit: u64) -> Option<Cost> {
        let mut tokens = parts.flat_tokens;
        for text in parts.texts() {
            let room = token_limit.checked_sub(tokens)?;
            tokens += self.counter.count_until(text, room)?;
        }
        let chars = if self.counts_chars { parts.chars() } else { 0 };
        (tokens <= token_limit).then_some(Cost { tokens, chars })
    }
}

/// What every message of a transcript costs in a form, and what the form itself costs with nothing in it.
#[must_use]
pub fn measure_all(
    transcript: &Rc<Transcript>,
    config: ContextConfig,
    counter: Counter,
) -> (Cost, Vec<Cost>) {
    let draft = Draft::new(Rc::clone(transcript), None, config, Milliseconds(0));
    let meter = Meter::new(&draft, counter);
    let rows = 0..transcript.len();
    (meter.fixed(&draft), rows.map(|row| meter.cost(&draft, Piece::Message(row))).collect())
}
