//! Decides which parts of a message with tool calls or results are shown.

use crate::base::message::{Field, Role};
use crate::config::ContextConfig;
use crate::log::groups::HalfCall;
use crate::log::messages::Messages;

/// The fields of a message that the context shows: without those that a compaction in the message replaces, and without
/// tool calls and results next to other parts, if `filter.excludeToolCalls` is set.
pub(crate) fn shown_fields<'a>(
    config: &ContextConfig,
    transcript: &'a Messages,
    row: usize,
) -> impl Iterator<Item = (Field, &'a str)> {
    let excludes = config.filter.exclude_tool_calls;
    let mut is_result = false;
    let mut covered = covered_count(config, transcript, row);
    transcript.fields(row).filter(move |(field, _)| match field {
        _ if covered > 0 => {
            covered -= 1;
            *field == Field::Name
        }
        _ if !excludes => true,
        Field::CallId | Field::CallName | Field::CallArguments => false,
        Field::ResultId => {
            is_result = true;
            false
        }
        // The text after the id of a call is its result.
        Field::Text if is_result => {
            is_result = false;
            false
        }
        _ => true,
    })
}

/// Counts the fields of a message before its last compaction that the request's provider accepts; 0 without one.
pub(crate) fn covered_count(config: &ContextConfig, transcript: &Messages, row: usize) -> usize {
    if !transcript.has_seen(Field::ReasoningOf) {
        return 0;
    }
    let is_compaction = |(_, (field, maker)): &(usize, (Field, &str))| {
        *field == Field::ReasoningOf && config.compaction_maker() == Some(*maker)
    };
    let found = transcript.fields(row).enumerate().filter(is_compaction);
    found.last().map_or(0, |(place, _)| place)
}

/// True if a message has nothing but tool calls or results.
pub(crate) fn is_nothing_else(config: &ContextConfig, transcript: &Messages, row: usize) -> bool {
    let is_of_tool = |(field, _)| matches!(field, Field::CallId | Field::ResultId);
    transcript.role(row) == Role::Tool
        || (transcript.fields(row).any(is_of_tool) && is_blank(config, transcript, row))
}

/// True if a filter lets a message through, possibly without its tool calls and results.
pub(crate) fn is_shown(config: &ContextConfig, transcript: &Messages, row: usize) -> bool {
    let is_unwanted = config.filter.exclude_blank || config.render.provider.is_some();
    let is_hidden = is_unwanted && is_blank(config, transcript, row);
    !is_hidden && !is_nothing_else(config, transcript, row)
}

/// True if a message shows nothing.
pub(crate) fn is_blank(config: &ContextConfig, transcript: &Messages, row: usize) -> bool {
    shown_fields(config, transcript, row).all(|(field, value)| match field {
        Field::Name => true,
        Field::Text | Field::Reasoning => value.trim().is_empty(),
        field => !field.is_content(),
    })
}

/// True if a message has any content besides calls without a result and results without a call: a text, media, a call
/// with a result, or the result of a call. Reasoning alone doesn't count.
pub(crate) fn says_more(
    transcript: &Messages,
    row: usize,
    open_calls: &[HalfCall],
    orphans: &[HalfCall],
) -> bool {
    let has = |halves: &[HalfCall], place: usize| {
        halves.binary_search_by_key(&place, |half| half.place).is_ok()
    };
    let (mut calls, mut results) = (0_usize, 0_usize);
    // True if the next text is the result of a tool.
    let mut is_result = transcript.role(row) == Role::Tool;
    for (field, value) in transcript.fields(row) {
        let is_said = match field {
            Field::CallId => {
                calls += 1;
                false
            }
            Field::CallName => {
                // An approval request for a call has no name.
                !value.is_empty() && !has(open_calls, calls - 1)
            }
            Field::ResultId => {
                results += 1;
                is_result = true;
                !orphans.is_empty() && !has(orphans, results - 1)
            }
            Field::Text if is_result => {
                is_result = transcript.role(row) == Role::Tool;
                false
            }
            Field::Text => !value.trim().is_empty(),
            Field::Image | Field::Audio | Field::File => transcript.role(row) != Role::Tool,
            _ => false,
        };
        if is_said {
            return true;
        }
    }
    false
}
