//! The messages kept so far, and the remaining room.

use super::media_limits::HiddenMedia;
use super::sizes::ResultSizes;
use crate::base::cost::Cost;
use crate::base::map::HashedSet;
use crate::base::message::Field;
use crate::config::{Measure, Oversize, SectionKind};
use crate::prompt::measure::Meter;
use crate::state::ask::StageResult;
use crate::state::context::Piece;
use crate::state::fill::Fill;
use crate::state::input::Input;
use crate::state::marks::{Marks, Rank};
use crate::state::view::View;
use std::rc::Rc;

/// Result of making pieces as small as necessary.
pub(crate) enum Shrunk {
    /// The pieces fit at this cost.
    Fits(Cost),
    /// The pieces would cost this much at their smallest, so they stay whole.
    TooLarge(Cost),
}

/// Packs the prompt. The marks are read-only: decisions are in [`Fill`].
#[derive(Debug)]
pub(crate) struct Packer<'a> {
    pub(super) input: &'a Input,
    pub(super) marks: &'a Marks,
    pub(super) meter: Meter,
    pub(super) fill: Fill,
    /// The remaining room of the budget.
    pub(super) remaining: Cost,
    /// The remaining room of the history's own limit.
    pub(super) history: HistoryLimit,
    pub(super) plan: Plan,
    /// Shows a group's results in their initial size or as stubs. None if results don't shrink in this attempt.
    pub(super) shrink: Option<fn(&mut Packer<'_>, &[usize], bool)>,
    pub(super) results: ResultSizes,
    /// The remaining room once the best-ranked messages are kept.
    pub(super) after_ranked: Cost,
    /// True if the required pieces cost more than the budget. Then no room becomes free again.
    pub(super) is_over_budget: bool,
}

/// The choices of an attempt to pack the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent choices")]
pub(super) struct Plan {
    /// True if chosen messages are quoted.
    pub(super) quotes_chosen: bool,
    /// True if recalled messages are quoted.
    pub(super) quotes_recalled: bool,
    /// True if room is reserved for the gap notice.
    pub(super) reserves_notice: bool,
    /// True if tool results shrink.
    pub(super) shrinks: bool,
}

/// The history's own limit: its remaining room, and how it counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct HistoryLimit {
    /// The remaining cost.
    pub(super) cost: Cost,
    /// The remaining number of messages.
    pub(super) items: u64,
    pub(super) measure: Measure,
    pub(super) oversize: Oversize,
}

impl HistoryLimit {
    pub(super) fn of(input: &Input) -> Self {
        let section = input.config.section(SectionKind::History).map(|(_, section)| section);
        let limit = section.map(|section| section.limit.clone()).unwrap_or_default();
        let tokens = section.and_then(|section| input.config.token_limit_of(section));
        Self {
            cost: Cost {
                tokens: tokens.unwrap_or(u64::MAX),
                chars: limit.chars.unwrap_or(u64::MAX),
                bytes: u64::MAX,
            },
            items: limit.items.unwrap_or(u64::MAX),
            measure: limit.measure,
            oversize: limit.oversize,
        }
    }
}

impl<'a> Packer<'a> {
    /// Starts with nothing kept.
    pub(super) fn begin(
        input: &'a Input,
        marks: &'a Marks,
        plan: Plan,
        hidden: &HiddenMedia,
    ) -> StageResult<Self> {
        let budget = &input.config.budget;
        Ok(Self {
            input,
            marks,
            meter: Meter::new(input, marks)?,
            fill: Fill {
                withholds: input.bound.is_some(),
                hidden_media: Rc::clone(hidden),
                ..Fill::default()
            },
            remaining: Cost {
                tokens: budget.prompt_limit().unwrap_or(u64::MAX),
                chars: budget.max_chars.unwrap_or(u64::MAX),
                bytes: budget.max_bytes.unwrap_or(u64::MAX),
            },
            history: HistoryLimit::of(input),
            plan,
            shrink: None,
            results: ResultSizes::default(),
            after_ranked: Cost::default(),
            is_over_budget: false,
        })
    }

    pub(super) fn view(&self) -> View<'_> {
        View { input: self.input, marks: self.marks, fill: &self.fill }
    }

    /// True if something in the prompt may be shown in a larger size.
    pub(super) fn may_grow(&self) -> bool {
        // A later result may refer to an omitted one.
        let has_gaps = self.input.config.budget.tool_results.shrink
            && self.input.transcript.has_seen(Field::ResultId)
            && !self.fill.left_out.is_empty();
        has_gaps
            || self.results.sizes.iter().next().is_some()
            || self.fill.media_lines.iter().next().is_some()
            || self.fill.excerpts.iter().next().is_some()
    }

    /// The total cost of some pieces.
    pub(super) fn total(&self, pieces: &[Piece]) -> StageResult<Cost> {
        self.meter.total(self.view(), pieces)
    }

    /// The total cost of some pieces, if it is within a limit.
    pub(super) fn cost_within(
        &self,
        pieces: &mut dyn Iterator<Item = Piece>,
        limit: Cost,
    ) -> StageResult<Option<Cost>> {
        self.meter.cost_within(self.view(), pieces, limit)
    }

    /// Asks in one batch for all counts that the pieces need.
    pub(super) fn ask_for(&self, pieces: &[Piece]) -> StageResult {
        self.meter.ask_for(self.view(), pieces)
    }

    /// Counts some rows as messages for the history's own limit. The steps of an assistant's message count once.
    pub(super) fn counted_messages(&self, rows: &[usize]) -> u64 {
        let transcript = &self.input.transcript;
        if self.history.items == u64::MAX || !transcript.has_split() {
            return rows.len() as u64;
        }
        let message =
            |row: usize| transcript.are_of_one_answer(row, row).then(|| transcript.message_of(row));
        let mut answers: HashedSet<usize> = HashedSet::default();
        let is_new = |row: &&usize| {
            message(**row).is_none_or(|answer| {
                answers.insert(answer)
                    && !self.fill.kept.iter().any(|other| message(*other) == Some(answer))
            })
        };
        rows.iter().filter(is_new).count() as u64
    }

    /// The members of a row's group that no stage has left out: in a text format a call may be there without its
    /// result.
    pub(super) fn open_members(&self, row: usize) -> impl Iterator<Item = usize> {
        let marks = self.marks;
        let members = marks.groups.members(row).iter().copied();
        members.filter(|member| !marks.is_left_out(*member))
    }
}

/// For each of these claims, the rows that have it and aren't left out, newest first.
pub(super) fn by_rank<const N: usize>(marks: &Marks, ranks: [Rank; N]) -> [Vec<usize>; N] {
    let mut by_rank = ranks.map(|_| Vec::new());
    for row in marks.order.iter().copied().rev() {
        let rank = marks.rank(row);
        if let Some(place) = ranks.iter().position(|wanted| *wanted == rank)
            && !marks.is_left_out(row)
        {
            by_rank[place].push(row);
        }
    }
    for (rows, rank) in by_rank.iter_mut().zip(ranks) {
        if rank == Rank::Direct {
            rows.reverse(); // they are in the order of their priority: the first one is kept first
        }
    }
    by_rank
}
