//! Stage 2, `filter`: leaves out messages of certain kinds, and those that the user wants forgotten.

use crate::base::message::{Field, Role};
use crate::base::time::MILLISECONDS_PER_DAY;
use crate::config::{FilterConfig, ForgottenSentence, Format, WindowUnit};
use crate::log::groups::Groups;
use crate::log::messages::Messages;
use crate::log::tool_calls;
use crate::log::units;
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::trace::Reason;

/// Leaves out messages by role, source, tag, status, content and age.
pub fn mark(input: &Input, marks: &mut Marks) {
    let is_text = input.config.render.format != Format::Messages;
    for row in marks.open_rows() {
        match unwanted(input, &marks.groups, row) {
            // In a text format a call is text, so it stays without its result.
            Some(Reason::Role) if is_text => marks.leave_out_alone(row, Reason::Role),
            Some(reason) => marks.leave_out(row, reason),
            None => {}
        }
    }
    if input.config.filter.completed_only && input.config.window.unit == WindowUnit::Exchange {
        leave_out_unanswered(input, marks);
    }
    if !input.config.filter.forgotten.is_empty() {
        forget(input, marks);
    }
}

/// Reason why the filter leaves a message out, if it does.
pub(crate) fn unwanted(input: &Input, groups: &Groups, row: usize) -> Option<Reason> {
    let FilterConfig {
        roles,
        exclude_sources,
        exclude_tags,
        completed_only,
        exclude_tool_calls,
        exclude_blank,
        max_age_days,
        forgotten: _,
    } = &input.config.filter;
    let transcript = &input.transcript;
    let has_one_of = |field, unwanted: &[String]| {
        !unwanted.is_empty()
            && transcript.values(row, field).any(|value| unwanted.iter().any(|u| u == value))
    };
    // Results in an assistant's message are parts of an answer.
    let is_in_answer = transcript.are_of_one_answer(row, row);
    let role = if is_in_answer { Role::Assistant } else { transcript.role(row) };
    if transcript.is_summary(row) {
        (!input.config.tiers.enabled).then_some(Reason::IsSummary)
    } else if roles.as_ref().is_some_and(|roles| !roles.contains(&role)) {
        Some(Reason::Role)
    } else if *exclude_tool_calls
        && (tool_calls::is_nothing_else(&input.config, transcript, row)
            || (joins_next(transcript, row) && !leads_on(transcript, groups, row)))
    {
        Some(Reason::ToolCalls)
    } else if has_one_of(Field::Source, exclude_sources) {
        Some(Reason::Source)
    } else if has_one_of(Field::Tag, exclude_tags) {
        Some(Reason::Tag)
    } else if *completed_only
        && transcript.value(row, Field::Status).is_some_and(|status| status != "completed")
    {
        Some(Reason::Unfinished)
    } else if (*exclude_blank || input.config.render.provider.is_some())
        && tool_calls::is_blank(&input.config, transcript, row)
        && !(joins_next(transcript, row) && leads_on(transcript, groups, row))
    {
        Some(Reason::Blank)
    } else if max_age_days.is_some_and(|days| is_older(input, row, days)) {
        Some(Reason::BeyondAge)
    } else {
        None
    }
}

/// True if a message, such as reasoning, means nothing without the next one.
fn joins_next(transcript: &Messages, row: usize) -> bool {
    transcript.value(row, Field::JoinsNext).is_some()
}

/// True if such a message led to one that means something by itself. Providers require reasoning next to its result,
/// even if its text is hidden.
fn leads_on(transcript: &Messages, groups: &Groups, row: usize) -> bool {
    groups.members(row).last().is_some_and(|last| !joins_next(transcript, *last))
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a Date are exact in a double")]
fn is_older(input: &Input, row: usize, days: f64) -> bool {
    let time = input.transcript.time(row);
    time.is_some_and(|time| (input.now.0 - time.0) as f64 > days * MILLISECONDS_PER_DAY as f64)
}

/// Leaves out exchanges without an answer, except the request or, without a request, the newest exchange.
fn leave_out_unanswered(input: &Input, marks: &mut Marks) {
    let mut rows = marks.open_rows();
    rows.retain(|row| !marks.is_in_turn(*row));
    let mut exchanges =
        units::of(&input.transcript, &marks.groups, input.config.window.unit, &rows);
    if input.shows_request() && !marks.has_request(input) {
        exchanges.pop();
    }
    for exchange in exchanges {
        let has = |role| exchange.iter().any(|row| input.transcript.role(*row) == role);
        if has(Role::User) && !has(Role::Assistant) {
            for row in exchange {
                if input.transcript.role(row) == Role::User && marks.requirement(row).is_none() {
                    marks.leave_out(row, Reason::Unfinished);
                }
            }
        }
    }
}

/// Leaves out messages that contain only forgotten sentences, and marks those that contain more.
fn forget(input: &Input, marks: &mut Marks) {
    for row in marks.open_rows() {
        if marks.is_in_turn(row) || marks.requirement(row).is_some() {
            continue;
        }
        let id = input.transcript.value(row, Field::Id);
        let is_user = input.transcript.role(row) == Role::User;
        let is_meant = |it: &&ForgottenSentence| match &it.message_ids {
            Some(ids) => id.is_some_and(|id| ids.iter().any(|of| of == id)),
            None => is_user,
        };
        let mut forgotten = input.config.filter.forgotten.iter().filter(is_meant).peekable();
        if forgotten.peek().is_none() {
            continue;
        }
        let text = input.transcript.own_text(row);
        let rest = forgotten.fold(None, |rest: Option<String>, it| {
            without(rest.as_deref().unwrap_or(&text), &it.sentence).or(rest)
        });
        let Some(rest) = rest else { continue };
        let has_more = |(field, value): (Field, &str)| match field {
            Field::Text => value.len() > text.len(),
            _ => field.is_content() && field != Field::Name,
        };
        if rest.contains(char::is_alphanumeric) || input.transcript.fields(row).any(has_more) {
            marks.forget(row);
        } else {
            marks.leave_out(row, Reason::Forgotten);
        }
    }
}

/// A text without a given sentence, if it contains it. In a statement, `;` replaces a quotation.
fn without(text: &str, sentence: &str) -> Option<String> {
    let mut left = String::new();
    let mut rest = text;
    for part in sentence.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let (before, after) = rest.split_once(part)?;
        left.push_str(before);
        rest = after;
    }
    left.push_str(rest);
    Some(left)
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    properties! {
        /// The text around the sentence stays.
        #[test]
        fn a_sentence_is_taken_out(before in "[a-z ]{0,9}", said in "[A-Z]{1,9}", after in "[a-z ]{0,9}") {
            let text = format!("{before}{said}{after}");
            prop_assert_eq!(without(&text, &said), Some(format!("{before}{after}")));
            prop_assert_eq!(without(&text, &format!("{said};")), Some(format!("{before}{after}")));
            prop_assert_eq!(without(&text, "0"), None);
        }
    }
}
