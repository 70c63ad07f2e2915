mod groups;
mod joined;
pub(crate) mod unread;
