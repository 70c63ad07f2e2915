//! The units that windows count and triage chooses among: messages with what goes together with them, or exchanges.

use crate::base::message::Role;
use crate::config::WindowUnit;
use crate::log::groups;
use crate::state::draft::Draft;

/// Cuts rows, oldest first, into units, as `window.unit` says. What goes together is in one unit: the first of its rows.
pub(crate) fn of(draft: &Draft, rows: &[usize]) -> Vec<Vec<usize>> {
    let mut units: Vec<Vec<usize>> = Vec::new();
    // By the row that stands for a group: the unit that it is in.
    let mut unit_of_group = vec![None; draft.transcript.len()];
    let mut stretch = 0;
    for row in rows {
        let begins = match draft.config.window.unit {
            WindowUnit::Message => true,
            WindowUnit::Exchange => {
                // What lies between two rows that are no neighbours in the log is of neither's exchange.
                let is_beyond_gap = groups::stretch_of(&draft.transcript, *row) > stretch;
                begins_exchange(draft, *row) || units.is_empty() || is_beyond_gap
            }
        };
        stretch = stretch.max(groups::stretch_of(&draft.transcript, *row));
        let group = draft.groups.of(*row);
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

/// Whether an exchange begins with a message.
pub(crate) fn begins_exchange(draft: &Draft, row: usize) -> bool {
    draft.transcript.role(row) == Role::User
}
