mod groups;
mod joined;
mod later;
pub(crate) mod unread;
