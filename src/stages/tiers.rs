//! Stage 6, `tiers`: tells conversations apart, and how much of each is shown: full, a summary, nothing.
//!
//! Summaries are given, or asked of the hook in one batch, and only of conversations that can fit; where there is none, an
//! extract stands for it and says so.

use crate::base::message::Field;
use crate::base::text;
use crate::config::{SectionKind, TierForm};
use crate::log::conversations::{self, Conversations};
use crate::state::ask::{
    Answer, HookName, Misunderstood, Need, Outcome, StageResult, SummaryWanted,
};
use crate::state::draft::Draft;
use crate::state::trace::{NoteKind, Reason};

/// Finds the conversations and their tiers, gets the summaries, and leaves out the messages that are not shown in full.
///
/// # Errors
///
/// Stops to ask for the offsets of the time zone, or for summaries.
pub fn run(draft: &mut Draft) -> StageResult {
    if !draft.config.tiers.enabled || draft.config.section(SectionKind::History).is_none() {
        return Ok(());
    }
    let mut rows = draft.open_rows();
    rows.retain(|row| {
        let is_instruction = draft.requirement(*row) == Some(Reason::Instruction);
        !(is_instruction || draft.is_direct(*row) || draft.is_in_turn(*row))
    });
    let session = draft.config.session_id.as_deref();
    let zone = draft.zone()?;
    let mut found = conversations::find(
        &draft.transcript,
        &rows,
        &|row| draft.groups.of(row),
        &draft.config.tiers,
        session,
        draft.now,
        zone,
    );
    get_summaries(draft, &mut found)?;

    for row in &found.summaries {
        draft.leave_out(*row, Reason::IsSummary);
    }
    for row in &found.too_old {
        leave_out_optional(draft, *row, Reason::BeyondAge);
    }
    for conversation in &found.list {
        let reason = match conversation.wanted {
            TierForm::Full => continue,
            TierForm::Summary => Reason::Summarized,
            TierForm::None => Reason::TierNotShown,
        };
        for row in &conversation.rows {
            leave_out_optional(draft, *row, reason);
        }
    }
    draft.conversations = Some(found);
    Ok(())
}

fn leave_out_optional(draft: &mut Draft, row: usize, reason: Reason) {
    if draft.requirement(row).is_none() {
        draft.leave_out(row, reason);
    }
}

/// Gives conversations that are shown by a summary, and have none, the one that the hook gave.
fn get_summaries(draft: &mut Draft, found: &mut Conversations) -> StageResult {
    let asked =
        draft.answer_of(HookName::Summarize).map(|answer| (answer.outcome, answer.reason.clone()));
    if asked.is_none() && draft.hook(&[HookName::Summarize]).is_some() {
        let wanted = wanted_summaries(draft, found);
        if !wanted.is_empty() {
            let tiers = &draft.config.tiers;
            return Err(Need::Summaries {
                conversations: wanted,
                max_chars: tiers.max_summary_chars,
                timeout_ms: tiers.timeout_ms,
            }
            .into());
        }
    }
    if let Some((Outcome::Failed, reason)) = asked {
        let reason = reason.unwrap_or_default();
        draft.note(NoteKind::SummariesFailed, format!("tiers.summarize failed: {reason}"));
    }
    for conversation in &mut found.list {
        if conversation.summary.is_none() {
            let first = conversation.rows.first();
            conversation.summary =
                first.and_then(|row| draft.summaries.get(row).cloned().flatten());
        }
    }
    Ok(())
}

/// The conversations whose summaries are wanted: as many as can fit beside what is shown before them.
fn wanted_summaries(draft: &Draft, found: &Conversations) -> Vec<SummaryWanted> {
    let tiers = &draft.config.tiers;
    let mut room = room_in_chars(draft);
    let chars = |row: &usize| -> usize {
        draft.transcript.values(*row, Field::Text).map(|text| text.chars().count()).sum()
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
                text: conversations::text_of(
                    &draft.config.filter,
                    &draft.transcript,
                    &conversation.rows,
                ),
            });
        }
    }
    wanted
}

/// What stands around a conversation at least.
const LEAST_ELEMENT_CHARS: usize = 40;

/// How many characters there can be at most: the least of all limits. No token of the supported encodings has more than
/// 128.
fn room_in_chars(draft: &Draft) -> usize {
    const CHARS_PER_TOKEN: u64 = 128;
    let config = &draft.config;
    let section = config.section(SectionKind::History).map(|(_, section)| &section.limit);
    let tokens = [config.budget.prompt_limit(), section.and_then(|limit| limit.tokens)];
    let chars = [config.budget.max_chars, section.and_then(|limit| limit.chars)];
    let in_chars = tokens.into_iter().flatten().map(|limit| limit.saturating_mul(CHARS_PER_TOKEN));
    let room = in_chars.chain(chars.into_iter().flatten()).min();
    room.map_or(usize::MAX, |room| room.try_into().unwrap_or(usize::MAX))
}

/// An answer as far as it is used: one summary for each conversation, none of them blank, none longer than is shown. Of a list
/// of another length nobody knows which summary is whose.
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
            return answer
                .fail("it gave another number of summaries than there were conversations");
        }
        None if answer.outcome == Outcome::Given => {
            return answer.fail("the answer is no list of summaries");
        }
        None => {}
    }
    misunderstood
}

const BLANK: &str = "an extract stands for a summary that is blank";
