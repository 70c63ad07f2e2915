//! Units that windows count and triage chooses among: groups, or exchanges.

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
    // The unit of each group, by the group's row.
    let mut unit_of_group = vec![None; messages.len()];
    let mut stretch = 0;
    for row in rows {
        let begins = match unit {
            WindowUnit::Message => true,
            WindowUnit::Exchange => {
                // Rows on different sides of a gap belong to different exchanges.
                let is_beyond_gap = groups::stretch_of(messages, *row) > stretch;
                begins_exchange(messages, *row) || units.is_empty() || is_beyond_gap
            }
        };
        stretch = stretch.max(groups::stretch_of(messages, *row));
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

/// True if an exchange begins with a message: it is the user's.
pub(crate) fn begins_exchange(messages: &Messages, row: usize) -> bool {
    messages.role(row).begins_exchange()
}
