mod groups;
pub(crate) mod unread;
