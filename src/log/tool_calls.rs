//! What a message shows of tool calls and their results.

use crate::base::message::{Field, Role};
use crate::config::FilterConfig;
use crate::log::messages::Messages;

/// The fields of a message as the context shows them: without tool calls, and without results that stand beside other
/// parts, where `filter.excludeToolCalls` says so.
pub(crate) fn shown_fields<'a>(
    filter: &FilterConfig,
    transcript: &'a Messages,
    row: usize,
) -> impl Iterator<Item = (Field, &'a str)> {
    let excludes = filter.exclude_tool_calls;
    let mut is_result = false;
    transcript.fields(row).filter(move |(field, _)| match field {
        _ if !excludes => true,
        Field::CallId | Field::CallName | Field::CallArguments => false,
        Field::ResultId => {
            is_result = true;
            false
        }
        // The text behind the id of a call is its result.
        Field::Text if is_result => {
            is_result = false;
            false
        }
        _ => true,
    })
}

/// Whether a message is nothing but tool calls or results.
pub(crate) fn is_nothing_else(filter: &FilterConfig, transcript: &Messages, row: usize) -> bool {
    let is_of_tool = |(field, _)| matches!(field, Field::CallId | Field::ResultId);
    transcript.role(row) == Role::Tool
        || (transcript.fields(row).any(is_of_tool) && is_blank(filter, transcript, row))
}

/// Whether a message shows nothing.
pub(crate) fn is_blank(filter: &FilterConfig, transcript: &Messages, row: usize) -> bool {
    shown_fields(filter, transcript, row).all(|(field, value)| match field {
        Field::Name => true,
        Field::Text | Field::Reasoning => value.trim().is_empty(),
        field => !field.is_content(),
    })
}
