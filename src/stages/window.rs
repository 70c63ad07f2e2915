//! Stage 3, `window`: how far back the context reaches, by count, turns and time.
//!
//! What is pinned, and the instructions that the transcript begins with, are outside every window.

use crate::assemble::{Draft, Flow};
use crate::config;
use crate::error::Result;
use crate::trace::Reason;
use crate::transcript::Role;
use serde::{Deserialize, Serialize};

/// How far back the context reaches. A message stays only if every limit lets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WindowConfig {
    /// What `lookbackCount` counts.
    pub unit: WindowUnit,
    /// How many of the newest messages or exchanges stay. Default: all.
    pub lookback_count: Option<u64>,
    /// How many of the newest user messages stay, each with all that follows it. Default: all.
    pub max_user_turns: Option<u64>,
    /// How many of the newest messages stay, whatever `unit` says. Default: all.
    pub max_recent_messages: Option<u64>,
    /// How many hours before the newest message the window begins; a message exactly that old stays, and so does one
    /// without a time. Fractions are allowed, 0 or more. Default: no limit.
    pub recency_hours: Option<f64>,
    /// How many of the newest messages stay however old they are: the floor of `recencyHours`.
    pub min_messages: u64,
}

/// The unit of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum WindowUnit {
    /// One entry of the transcript.
    #[default]
    Message,
    /// A user message and all that answers it, up to the next user message.
    Exchange,
}

impl Default for WindowConfig {
    fn default() -> Self {
        Self {
            unit: WindowUnit::Message,
            lookback_count: None,
            max_user_turns: None,
            max_recent_messages: None,
            recency_hours: None,
            min_messages: 10,
        }
    }
}

impl WindowConfig {
    pub(crate) fn check(&self) -> Result<()> {
        match self.recency_hours {
            Some(hours) if hours < 0.0 => Err(config::invalid(
                "window.recencyHours",
                "expected 0 or more hours",
                "Give the hours as a positive number, or leave the option out.",
            )),
            _ => Ok(()),
        }
    }
}

/// Leaves out what lies before the window.
///
/// # Errors
///
/// None.
pub fn run(draft: &mut Draft) -> Result<Flow> {
    let window = draft.config.window.clone();
    if let Some(count) = window.lookback_count {
        let begins = match window.unit {
            WindowUnit::Message => |_: &Draft, _: usize| true,
            WindowUnit::Exchange => begins_exchange,
        };
        keep_newest(draft, count, begins, Reason::BeyondLookback);
    }
    if let Some(count) = window.max_user_turns {
        keep_newest(draft, count, begins_exchange, Reason::BeyondUserTurns);
    }
    if let Some(count) = window.max_recent_messages {
        keep_newest(draft, count, |_, _| true, Reason::BeyondRecentMessages);
    }
    if let Some(hours) = window.recency_hours {
        keep_recent(draft, hours, window.min_messages);
    }
    Ok(Flow::Next)
}

fn begins_exchange(draft: &Draft, row: usize) -> bool {
    draft.transcript.role(row) == Role::User
}

/// Keeps the newest `count` units, each of which begins at a row for which `begins` holds. Where there are fewer,
/// everything stays, also what precedes the first.
fn keep_newest(draft: &mut Draft, count: u64, begins: fn(&Draft, usize) -> bool, reason: Reason) {
    let mut units = 0;
    for row in windowed_rows(draft).into_iter().rev() {
        if units >= count {
            draft.leave_out(row, reason);
        } else if begins(draft, row) {
            units += 1;
        }
    }
}

/// Keeps what is at most `hours` older than the newest message that has a time, and the newest `floor` messages.
fn keep_recent(draft: &mut Draft, hours: f64, floor: u64) {
    let rows = windowed_rows(draft);
    let Some(newest) = rows
        .iter()
        .filter_map(|row| draft.transcript.time(*row))
        .max()
    else {
        return;
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "milliseconds of a Date are exact in a double"
    )]
    let is_young = |row: usize| {
        let time = draft.transcript.time(row);
        time.is_none_or(|time| (newest.0 - time.0) as f64 <= hours * 3_600_000.0)
    };
    let below_floor = rows
        .len()
        .saturating_sub(floor.try_into().unwrap_or(usize::MAX));
    // By the row that stands for a group: it stays as one.
    let mut stays = vec![false; draft.transcript.len()];
    for (position, row) in rows.iter().enumerate() {
        stays[draft.groups.of(*row)] |= position >= below_floor || is_young(*row);
    }
    for row in rows {
        if !draft
            .groups
            .members(row)
            .iter()
            .any(|member| stays[*member])
        {
            draft.leave_out(row, Reason::TooOld);
        }
    }
}

/// The rows that windows apply to, oldest first.
fn windowed_rows(draft: &Draft) -> Vec<usize> {
    let mut rows = draft.open_rows();
    rows.retain(|row| !draft.is_instruction(*row) && !draft.is_pinned(*row));
    rows
}
