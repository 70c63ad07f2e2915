//! Stage 6, `tiers`: finds the conversations, and decides how much of each is shown: all, a summary, or nothing.
//!
//! Summaries come from the config, or from the hook in one batch, and only for conversations that can fit. A
//! conversation without a summary gets an extract, which is marked as one.

use crate::base::message::Field;
use crate::base::text;
use crate::config::{SectionKind, TierForm};
use crate::log::conversations::{self, Conversations, Sitting};
use crate::stages::selection::{GivenSelection, needed};
use crate::state::ask::{
    Answer, HookName, Misunderstood, Need, Outcome, StageResult, SummaryWanted,
};
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::trace::{NoteKind, Reason};

/// Finds the conversations and their tiers, and gets the summaries. `None` if `tiers` is off.
///
/// # Errors
///
/// Stops to ask for the offsets of the time zone, or for summaries.
pub(crate) fn ask(
    input: &Input,
    marks: &Marks,
    selection: GivenSelection,
) -> StageResult<Option<Conversations>> {
    if !input.config.tiers.enabled || input.config.section(SectionKind::History).is_none() {
        return Ok(None);
    }
    (needed(selection)?.tiers)(input, marks).map(Some)
}

/// Finds the conversations and their tiers, and gets the summaries.
pub(crate) fn find(input: &Input, marks: &Marks) -> StageResult<Conversations> {
    let mut rows = marks.open_rows();
    rows.retain(|row| {
        let is_instruction = marks.requirement(*row) == Some(Reason::Instruction);
        !(is_instruction || marks.is_direct(input, *row) || marks.is_in_turn(*row))
    });
    let sitting = Sitting {
        session_id: input.config.session_id.as_deref(),
        now: input.now,
        zone: input.zone()?,
    };
    let group_of = |row| marks.groups.of(row);
    let tiers = &input.config.tiers;
    let mut found = conversations::find(&input.transcript, &rows, &group_of, tiers, sitting);
    get_summaries(input, &mut found)?;
    Ok(found)
}

/// Leaves out the messages that aren't shown in full.
pub(crate) fn mark(input: &Input, marks: &mut Marks, found: Option<Conversations>) {
    if let Some(Answer { outcome: Outcome::Failed, reason, .. }) =
        input.answer_of(HookName::Summarize)
    {
        let reason = reason.as_deref().unwrap_or_default();
        marks.note(NoteKind::SummariesFailed, format!("tiers.summarize failed: {reason}"));
    }
    let Some(found) = found else {
        return;
    };
    for row in &found.summaries {
        marks.leave_out(*row, Reason::IsSummary);
    }
    for row in &found.too_old {
        leave_out_optional(marks, *row, Reason::BeyondAge);
    }
    for conversation in &found.list {
        let is_required = |row: &usize| marks.requirement(*row).is_some();
        let reason = match conversation.wanted {
            TierForm::Full => continue,
            TierForm::Summary if !conversation.rows.iter().any(is_required) => Reason::Summarized,
            TierForm::Summary | TierForm::None => Reason::TierNotShown,
        };
        for row in &conversation.rows {
            leave_out_optional(marks, *row, reason);
        }
    }
    marks.conversations = Some(found);
}

fn leave_out_optional(marks: &mut Marks, row: usize, reason: Reason) {
    if marks.requirement(row).is_none() {
        marks.leave_out(row, reason);
    }
}

/// Adds the hook's summary to each conversation that is shown as one and has none yet.
fn get_summaries(input: &Input, found: &mut Conversations) -> StageResult {
    let asked = input.answer_of(HookName::Summarize);
    if asked.is_none() && input.hook(&[HookName::Summarize]).is_some() {
        let wanted = wanted_summaries(input, found);
        if !wanted.is_empty() {
            let tiers = &input.config.tiers;
            return Err(Need::Summaries {
                conversations: wanted,
                max_chars: tiers.max_summary_chars,
                timeout_ms: tiers.timeout_ms,
            }
            .into());
        }
    }
    for conversation in &mut found.list {
        if conversation.summary.is_none() {
            let first = conversation.rows.first();
            conversation.summary =
                first.and_then(|row| input.answers.summaries.get(row).cloned().flatten());
        }
    }
    Ok(())
}

/// The conversations that need summaries, up to the number that can still fit.
fn wanted_summaries(input: &Input, found: &Conversations) -> Vec<SummaryWanted> {
    let tiers = &input.config.tiers;
    let mut room = room_in_chars(input);
    let chars = |row: &usize| -> usize {
        input.transcript.values(*row, Field::Text).map(|text| text.chars().count()).sum()
    };
    let mut wanted = Vec::new();
    for conversation in &found.list {
        let needs_summary = conversation.wanted == TierForm::Summary;
        match (&conversation.summary, conversation.wanted) {
            (_, TierForm::None) => continue,
            (_, TierForm::Full) => {
                room = room.saturating_sub(conversation.rows.iter().map(chars).sum());
            }
            (Some(summary), TierForm::Summary) => {
                room = room.saturating_sub(summary.chars().count());
            }
            (None, TierForm::Summary) => {}
        }
        room = room.saturating_sub(LEAST_ELEMENT_CHARS);
        if room == 0 || wanted.len() as u64 >= tiers.max_summaries {
            break;
        }
        if let (true, None, Some(first)) =
            (needs_summary, &conversation.summary, conversation.rows.first())
        {
            // The same id in two sessions means two conversations.
            let is_taken = wanted.iter().any(|it: &SummaryWanted| it.id == conversation.id);
            let own = conversation.id.clone();
            wanted.push(SummaryWanted {
                id: if is_taken { format!("{own}#{first}") } else { own },
                positions: conversation.rows.clone(),
                text: conversations::text_of(&input.config, &input.transcript, &conversation.rows),
            });
        }
    }
    wanted
}

/// Minimum number of characters around a conversation.
const LEAST_ELEMENT_CHARS: usize = 40;

/// Maximum number of characters that can fit: the lowest of all limits. No token of the supported encodings has more
/// than 128.
fn room_in_chars(input: &Input) -> usize {
    const CHARS_PER_TOKEN: u64 = 128;
    let config = &input.config;
    let section = config.section(SectionKind::History).map(|(_, section)| section);
    let own_tokens = section.and_then(|section| config.token_limit_of(section));
    let tokens = [config.budget.prompt_limit(), own_tokens];
    let chars = [config.budget.max_chars, section.and_then(|section| section.limit.chars)];
    let in_chars = tokens.into_iter().flatten().map(|limit| limit.saturating_mul(CHARS_PER_TOKEN));
    let room = in_chars.chain(chars.into_iter().flatten()).min();
    room.map_or(usize::MAX, |room| room.try_into().unwrap_or(usize::MAX))
}

/// The usable part of an answer: one summary for each conversation, cut to the shown length, without blank ones. A list
/// of another length is unusable, because it isn't clear which summary belongs to which conversation.
pub(crate) fn understand(
    conversations: &[SummaryWanted],
    max_chars: u64,
    answer: &mut Answer,
) -> Misunderstood {
    let max_chars = usize::try_from(max_chars).unwrap_or(usize::MAX);
    let mut misunderstood = Misunderstood::default();
    misunderstood.element_count = conversations.len();
    match &mut answer.summaries {
        Some(summaries) if summaries.len() == conversations.len() => {
            for summary in summaries.iter_mut() {
                let text = summary.take();
                match text.as_deref().map(str::trim) {
                    Some("") => {
                        misunderstood.add(BLANK, text.as_deref().unwrap_or_default());
                    }
                    Some(text) => *summary = Some(text::excerpt(text, max_chars)),
                    None => {}
                }
            }
        }
        Some(_) => {
            return answer.fail("the number of summaries differs from the number of conversations");
        }
        None if answer.outcome == Outcome::Given => {
            return answer.fail("the answer isn't a list of summaries");
        }
        None => {}
    }
    misunderstood
}

const BLANK: &str = "a blank summary was replaced by an extract";
