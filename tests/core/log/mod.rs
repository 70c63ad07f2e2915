mod groups;
mod joined;
mod later;
mod totals;
pub(crate) mod unread;
