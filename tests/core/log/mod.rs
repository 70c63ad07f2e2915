mod groups;
mod unread;
