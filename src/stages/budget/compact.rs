//! Manages the summary that replaces the messages that the cut leaves out.
//!
//! A build asks for a summary once for each move of the cut. It asks about the last summary and the messages dropped
//! since, never about that summary alone. The answer covers the messages it was asked about, and stays until the cut
//! moves again. Without an answer, the last summary stays, and the hook isn't asked about the same messages again. The
//! model's words are data: they are in one user message, and their lines after the first are indented.

use super::facts;
use super::packer::{Packer, Plan};
use crate::base::cost::{Cost, share_of};
use crate::base::message::{Field, Role};
use crate::base::text;
use crate::config::{SectionKind, StoredSummary, SummaryFacts};
use crate::log::conversations::text_of;
use crate::prompt::form;
use crate::prompt::shorten::longest_fitting;
use crate::state::ask::{HookName, Need, Outcome, StageResult};
use crate::state::context::{CompactReport, Piece};
use crate::state::fill::{Compaction, Fill};
use crate::state::view::View;

/// Maximum share of the history's room for a summary.
const MOST_SHARE: f64 = 0.25;

/// The facts' share of a summary.
const FACTS_SHARE: f64 = 0.5;

/// A summary, and the rows that it covers.
#[derive(Clone, Default)]
struct Coverage {
    summary: StoredSummary,
    /// Number of dropped rows that it covers.
    count: usize,
}

impl Packer<'_> {
    /// The tokens for a summary, out of the `history` tokens. 0 if there is no summary and no hook to write one.
    pub(super) fn summary_tokens(&self, history: u64) -> u64 {
        let compact = &self.input.config.compact;
        let is_on = self.input.hook(&[HookName::Compact]).is_some()
            || compact.summary.is_some()
            || compact.prepared.is_some();
        let most = share_of(history, MOST_SHARE);
        if is_on { compact.max_tokens.min(most) } else { 0 }
    }

    /// Puts the summary into its reserved room. `gone` has the rows that the cut leaves out, in order. `next` has those
    /// that the next move of the cut will also leave out, if it is near.
    pub(super) fn keep_summary(
        &mut self,
        gone: &[usize],
        next: Option<&[usize]>,
        max_tokens: u64,
    ) -> StageResult {
        if max_tokens == 0 {
            return Ok(());
        }
        let input = self.input;
        let compact = &input.config.compact;
        let (mut current, mut refused) = (self.covered(compact.summary.clone(), gone), None);
        let asked = current.summary.asked_through.clone();
        let answered = self.answered(&current, gone);
        for candidate in [compact.prepared.clone(), answered].into_iter().flatten() {
            let candidate = self.covered(Some(candidate), gone);
            if candidate.count <= current.count {
                continue;
            }
            if self.is_shorter(&candidate, &current, gone)? {
                current = candidate;
            } else {
                refused = Some("it isn't shorter than the messages that it summarizes");
            }
        }
        let prepared = compact.prepared.as_ref().and_then(|it| it.through.as_deref());
        let prepared_count = prepared.map_or(0, |name| self.count_through(gone, name));
        let took_prepared = prepared_count > 0;
        // The hook is never asked twice about the same messages, whatever its answer was.
        let asked = [asked, input.answers.compacted_through.clone()];
        let asked_count = asked.iter().flatten().map(|name| self.count_through(gone, name)).max();
        let seen = asked_count.unwrap_or(0).max(current.count).max(prepared_count);
        let waits = compact.prepare_at.is_none();
        if waits && gone.len() > seen && input.answer_of(HookName::Compact).is_none() {
            let is_last = Plan::of(input, self.marks)[1] == self.plan;
            if is_last && input.hook(&[HookName::Compact]).is_some() {
                return Err(self.question(&current, gone, max_tokens).into());
            }
        }
        if seen > 0 {
            current.summary.asked_through = Some(self.name_of(gone[seen - 1]));
        }
        let open = next.filter(|next| {
            let asked = current.summary.asked_through.iter().chain(
                compact.prepared.iter().flat_map(|it| it.through.iter().chain(&it.asked_through)),
            );
            let asked = asked.map(|name| self.count_through(next, name)).max();
            !waits && next.len() > current.count.max(asked.unwrap_or_default())
        });
        let next = open.map(|next| self.question(&current, next, max_tokens));
        let text = self.summary_text(&current.summary, max_tokens);
        let mut place = None;
        if let (Some(text), Some((section, _))) = (text, input.config.section(SectionKind::History))
        {
            let text = form::summary(&input.config, &text);
            let piece = self.fill.make(section, Role::User, text);
            self.ask_for(&[piece])?;
            let cost = self.total(&[piece])?;
            if cost.fits(self.remaining) {
                self.remaining = self.remaining.minus(cost);
                place = Some((self.row_after(gone[current.count - 1]), piece));
            }
        }
        // A summary of messages that are shown this time may be needed again.
        let unused = compact.summary.clone().filter(|_| current.count == 0);
        let summary = StoredSummary {
            asked_through: current.summary.asked_through.clone(),
            ..unused.unwrap_or(current.summary)
        };
        let report = CompactReport {
            asked_position: (seen > 0).then(|| gone[seen - 1]),
            took_prepared,
            summary,
            next,
        };
        self.fill.compact = Some(Compaction { report, place, refused });
        Ok(())
    }

    /// The question about the rows after the covered ones.
    fn question(&self, current: &Coverage, gone: &[usize], max_tokens: u64) -> Need {
        let Coverage { summary, count } = current;
        let input = self.input;
        let rows = &gone[*count..];
        let facts = facts::with_rows(summary.facts.clone(), &input.transcript, rows);
        Need::Compact {
            previous: Some(summary.text.clone()).filter(|text| !text.is_empty()),
            positions: rows.to_vec(),
            shares: rows.iter().map(|row| input.transcript.share(*row)).collect(),
            text: text_of(&input.config, &input.transcript, rows),
            facts: Box::new(self.fitting(facts, max_tokens)),
            through: gone.last().map(|row| self.name_of(*row)).unwrap_or_default(),
            max_tokens,
            timeout_ms: input.config.compact.timeout_ms,
        }
    }

    /// The hook's summary in this build.
    fn answered(&self, current: &Coverage, gone: &[usize]) -> Option<StoredSummary> {
        let answer = self.input.answer_of(HookName::Compact)?;
        let text = answer.text.clone().filter(|_| answer.outcome == Outcome::Given)?;
        let through = self.input.answers.compacted_through.clone()?;
        let count = self.count_through(gone, &through);
        let rows = gone.get(current.count..count).unwrap_or_default();
        let facts = facts::with_rows(current.summary.facts.clone(), &self.input.transcript, rows);
        let text = text.trim().to_owned();
        Some(StoredSummary { text, facts, through: Some(through), asked_through: None })
    }

    /// A summary with the dropped rows that it covers. It may cover some that are shown, because the cut may have moved
    /// back. If it covers no dropped row, it is discarded.
    fn covered(&self, summary: Option<StoredSummary>, gone: &[usize]) -> Coverage {
        let mut summary = summary.unwrap_or_default();
        let through = summary.through.as_deref();
        let count = through.map_or(0, |name| self.count_through(gone, name));
        if count == 0 {
            let asked_through = summary.asked_through.take();
            summary = StoredSummary { asked_through, ..StoredSummary::default() };
        }
        Coverage { summary, count }
    }

    /// Number of rows up to a message with the given name. 0 without such a message.
    fn count_through(&self, rows: &[usize], name: &str) -> usize {
        let transcript = &self.input.transcript;
        let is_named = |row: &usize| self.name_of(*row) == name;
        let order = &self.marks.order;
        let Some(last) = order.iter().rposition(is_named) else { return 0 };
        let mut comes_before = vec![false; transcript.len()];
        for row in &order[..=last] {
            comes_before[*row] = true;
        }
        rows.iter().filter(|row| comes_before[**row]).count()
    }

    fn name_of(&self, row: usize) -> String {
        let transcript = &self.input.transcript;
        match (transcript.value(row, Field::Id), transcript.share(row)) {
            (None, _) => transcript.name_of(row),
            (Some(id), 0) => id.to_owned(),
            (Some(id), share) => format!("{id}#{share}"),
        }
    }

    /// True if a summary has fewer tokens than the last one plus the messages dropped since.
    fn is_shorter(&self, summary: &Coverage, last: &Coverage, gone: &[usize]) -> StageResult<bool> {
        let fill = Fill::default();
        let view = View { fill: &fill, ..self.view() };
        let pieces: Vec<Piece> =
            gone[last.count..summary.count].iter().map(|row| Piece::Message(*row)).collect();
        let whole = self.meter.total(view, &pieces)?;
        let most = whole.tokens.saturating_add(self.meter.count_about(&last.summary.text));
        Ok(self.meter.count_about(&summary.summary.text) < most)
    }

    /// The facts that fit.
    fn fitting(&self, mut facts: SummaryFacts, max_tokens: u64) -> SummaryFacts {
        let most = share_of(max_tokens, FACTS_SHARE);
        while self.meter.count_about(&facts.lines()) > most && facts.drop_oldest() {}
        facts
    }

    /// The text of a summary with its facts, within its room. None if it would be empty.
    fn summary_text(&mut self, summary: &StoredSummary, max_tokens: u64) -> Option<String> {
        let facts = self.fitting(summary.facts.clone(), max_tokens).lines();
        let join = |text: &str| {
            [text, &facts].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n")
        };
        let about = |text: &str| {
            self.meter.count_about(&form::summary(&self.input.config, &join(text))) + AROUND
        };
        summary.through.as_ref()?;
        let mut text = summary.text.clone();
        if about(&text) > max_tokens {
            let mut fits = |chars: usize| Ok(about(&text::excerpt(&text, chars)) <= max_tokens);
            let chars = longest_fitting(text.chars().count(), &mut fits).unwrap_or_default();
            text = text::excerpt(&text, chars);
        }
        Some(join(&text)).filter(|text| !text.is_empty())
    }

    /// The first shown row after another one, if there is any.
    fn row_after(&self, last: usize) -> Option<usize> {
        let order = &self.marks.order;
        let at = order.iter().position(|row| *row == last)?;
        let is_shown =
            |row: &usize| self.fill.kept.contains(row) || self.marks.asked() == Some(*row);
        order[at..].iter().copied().find(is_shown)
    }

    /// Reserves room for a summary.
    pub(super) fn set_aside(&mut self, tokens: u64) {
        self.remaining = self.remaining.minus(Cost { tokens, ..Cost::default() });
    }
}

/// Tokens around a text that becomes a message.
const AROUND: u64 = 8;
