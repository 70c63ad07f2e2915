//! A chat into which the user's asides are inserted.

use crate::support::{Message, NOW, build, config, fates, transcript};
use serde_json::{Value, json};
use windrow::state::context::Context;
use windrow::state::trace::Reason;

/// A request that shares no word with the asides.
pub(super) const REQUEST: &str = "How tall can a birch tree grow?";
pub(super) const DAY: i64 = 86_400_000;

/// Sixty exchanges about trees. A small budget holds a few.
pub(super) fn chat() -> Vec<Message> {
    let exchange = |count: i64| {
        let time = NOW.0 - 3 * DAY + count * 60_000;
        [
            Message::user(&format!("Does birch tree number {count} grow near the lake?")).at(time),
            Message::assistant(&format!("Birch number {count} grows on the north shore of it."))
                .at(time + 1),
        ]
    };
    (0..60).flat_map(exchange).collect()
}

/// A chat with messages inserted from its tenth message on.
pub(super) fn chat_with(messages: &[Message]) -> Vec<Message> {
    let mut chat = chat();
    let time = chat[10].time.expect("it has one");
    chat.splice(10..10, messages.iter().map(|message| message.clone().at(time)));
    chat
}

pub(super) fn run(messages: &[Message], tokens: u64, recall: &Value) -> Context {
    let options = json!({"recall": recall, "budget": {"maxTokens": tokens}});
    build(&transcript(messages), Some(REQUEST), config(&options.to_string())).expect("it fits")
}

/// Rows that are there for a reason.
pub(super) fn rows_for(context: &Context, reason: Reason) -> Vec<usize> {
    let fates = fates(context).into_iter().enumerate();
    fates.filter(|(_, (_, own))| *own == reason).map(|(row, _)| row).collect()
}
