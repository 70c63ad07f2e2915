//! The units that windows count and triage chooses among: groups or exchanges.

use crate::config::WindowUnit;
use crate::log::groups::{self, Groups};
use crate::log::messages::Messages;

/// Cuts rows, oldest first, into units. A group is in the unit of its first row.
pub(crate) fn of(
    messages: &Messages,
    groups: &Groups,
    unit: WindowUnit,
    rows: &[usize],
) -> Vec<Vec<usize>> {
    let mut units: Vec<Vec<usize>> = Vec::new();
    // Each group's unit, by the group's row.
    let mut unit_of_group = vec![None; messages.len()];
    let mut stretch = 0;
    let mut before = None;
    for row in rows {
        let begins = match unit {
            WindowUnit::Message => begins_message(messages, before, *row),
            WindowUnit::Exchange => {
                // Rows on different sides of a gap belong to different exchanges.
                let is_beyond_gap = groups::stretch_of(messages, *row) > stretch;
                begins_exchange(messages, *row) || units.is_empty() || is_beyond_gap
            }
        };
        stretch = stretch.max(groups::stretch_of(messages, *row));
        before = Some(*row);
        let group = groups.of(*row);
        let unit = unit_of_group[group].unwrap_or_else(|| {
            if begins {
                units.push(Vec::new());
            }
            units.len() - 1
        });
        unit_of_group[group] = Some(unit);
        units[unit].push(*row);
    }
    units
}

/// True if a new message begins at the second of two rows. The steps of an assistant's message are one message.
pub(crate) fn begins_message(messages: &Messages, before: Option<usize>, row: usize) -> bool {
    before.is_none_or(|before| !messages.are_of_one_answer(before, row))
}

/// Returns the rows of the newest `count` messages, oldest first.
pub(crate) fn newest_messages<'a>(
    messages: &Messages,
    rows: &'a [usize],
    count: usize,
) -> &'a [usize] {
    let begins = |at: &usize| {
        begins_message(messages, at.checked_sub(1).map(|before| rows[before]), rows[*at])
    };
    let first = (0..rows.len()).rev().filter(begins).take(count).last();
    &rows[first.unwrap_or(rows.len())..]
}

/// True if a message begins an exchange, as the user's messages do.
pub(crate) fn begins_exchange(messages: &Messages, row: usize) -> bool {
    messages.role(row).begins_exchange()
}
