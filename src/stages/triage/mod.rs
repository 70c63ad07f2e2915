//! Stage 5, `triage`: asks a fast model, through a hook, which older messages matter.
//!
//! The newest are guaranteed and never asked about. The message that the request replies to counts like any other, but
//! stays whatever the answer is. Earlier builds' decisions come from the config, and the model isn't asked again about
//! those messages.

pub(crate) mod choice;
mod text;

use crate::base::json::to_json;
use crate::base::map::HashedMap;
use crate::base::message::Field;
use crate::config::{
    ContextConfig, TriageCandidates, TriageConfig, TriageDecisions, TriageFallback,
};
use crate::log::conversations;
use crate::log::units;
use crate::recall::transcript::Transcript;
use crate::stages::selection::{GivenSelection, needed};
use crate::stages::unread;
use crate::state::ask::{Answer, HookName, Misunderstood, Need, Outcome, StageResult, TriageUnit};
use crate::state::context::TriageReport;
use crate::state::input::Input;
use crate::state::marks::{Marks, Rank};
use crate::state::trace::{NoteKind, Reason};
use choice::Choice;
use xxhash_rust::xxh64::xxh64;

/// Asks which of the older units matter.
///
/// # Errors
///
/// Stops to ask for older messages, and the hook.
pub(crate) fn ask(input: &Input, marks: &Marks, selection: GivenSelection) -> StageResult<Choice> {
    let config = &input.config.triage;
    let decided = decided_in(&input.config);
    let changes_nothing = input.hook(&HOOKS).is_none()
        && config.on_unavailable == TriageFallback::KeepAll
        && decided.is_none();
    if !config.use_selection || changes_nothing {
        return Ok(Choice::default());
    }
    (needed(selection)?.triage)(input, marks, decided)
}

/// The hooks that choose.
const HOOKS: [HookName; 2] = [HookName::Select, HookName::Complete];

/// Chooses among the messages of the window, in addition to earlier builds' decisions.
pub(crate) fn choose(
    input: &Input,
    marks: &Marks,
    decided: Option<TriageDecisions>,
) -> StageResult<Choice> {
    let config = &input.config.triage;
    // Triage chooses among the whole window.
    unread::ask_for_more(input, marks, &[])?;
    let units = units::of(&input.transcript, &marks.groups, input.config.window.unit, &rows(marks));
    let count = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let recent = count(config.always_include_recent);
    // Messages that are guaranteed anyway need no selection.
    let is_small = units.len() <= count(config.skip_selection_threshold) || units.len() <= recent;
    let has_quotes = input.config.budget.cut.is_some() && marks.ranking.is_some();
    let quotes_passed = config.keeps_places() && has_quotes;
    let mut choice = Choice { decided, quotes_passed, ..Choice::default() };
    if is_small {
        return Ok(choice);
    }
    let (older, recent) = units.split_at(units.len() - recent);
    let mut is_asked = vec![false; input.transcript.len()];
    let open = choice.stand_by(&input.transcript, older, &mut is_asked);
    if choice.decided.is_some() {
        choice.recent = recent.concat();
    }
    let Some(last) = open.last() else {
        return Ok(choice);
    };
    let older = &candidate_units(input, marks, open);
    let candidates = || candidates(&input.config, &input.transcript, older);
    let answer = HOOKS.into_iter().find_map(|hook| input.answer_of(hook));
    let (is_chosen, reason) = match (answer, input.hook(&HOOKS)) {
        (None, Some(hook)) => {
            let candidates = candidates();
            let request = marks.request_text(input);
            let prompt = (hook == HookName::Complete)
                .then(|| text::prompt(&request, &candidates, config.max_candidate_chars));
            let (model, timeout_ms) = (config.model.clone(), config.timeout_ms);
            return Err(Need::Triage { request, candidates, prompt, model, timeout_ms }.into());
        }
        (Some(Answer { outcome: Outcome::Given, ids, .. }), _) => {
            (named(&candidates(), ids.as_deref().unwrap_or_default()), Reason::NotChosen)
        }
        (Some(Answer { hook, outcome: Outcome::Failed, reason, .. }), _) => {
            let reason = reason.as_deref().unwrap_or_default();
            let words = format!("{} failed: {reason}", hook.path());
            choice.note = Some((NoteKind::TriageFailed, words));
            if config.on_error == TriageFallback::KeepAll {
                return Ok(choice);
            }
            (vec![false; older.len()], Reason::TriageFailed)
        }
        (Some(_) | None, _) => {
            let words = "triage is unavailable".to_owned();
            choice.note = Some((NoteKind::TriageUnavailable, words));
            if config.on_unavailable == TriageFallback::KeepAll {
                return Ok(choice);
            }
            (vec![false; older.len()], Reason::TriageUnavailable)
        }
    };
    choice.recent = recent.concat();
    for row in older.iter().chain(recent).flatten() {
        is_asked[*row] = true;
    }
    let beside = if reason == Reason::NotChosen { Reason::NotCandidate } else { reason };
    let not_asked = units.iter().flatten().filter(|row| !is_asked[**row]);
    choice.left_out.extend(not_asked.map(|row| (*row, beside)));
    let mut named = choice.decided.take();
    if reason == Reason::NotChosen && config.candidates == TriageCandidates::All {
        let decided = named.get_or_insert_default();
        decided.through = Some(name_of(&input.transcript, last));
        decided.under = Some(checksum(&input.config));
    }
    for (unit, is_chosen) in older.iter().zip(is_chosen) {
        if is_chosen {
            choice.chosen.extend(unit);
            if let Some(decided) = &mut named {
                decided.chosen.push(name_of(&input.transcript, unit));
            }
        } else {
            choice.left_out.extend(unit.iter().map(|row| (*row, reason)));
        }
    }
    choice.decided = named;
    Ok(choice)
}

impl Choice {
    /// Applies earlier builds' decisions to the older units, and returns the undecided ones. It remembers the chosen
    /// ones that still exist.
    fn stand_by<'units>(
        &mut self,
        transcript: &Transcript,
        older: &'units [Vec<usize>],
        is_asked: &mut [bool],
    ) -> &'units [Vec<usize>] {
        let Some(decided) = &mut self.decided else {
            return older;
        };
        // For each name, how many units have it.
        let mut chosen: HashedMap<&str, usize> = HashedMap::default();
        chosen.extend(decided.chosen.iter().map(|name| (name.as_str(), 0)));
        let names: Vec<String> = older.iter().map(|unit| name_of(transcript, unit)).collect();
        let is_last = |name: &String| {
            decided.through.as_ref() == Some(name) || chosen.contains_key(name.as_str())
        };
        let count = names.iter().rposition(is_last).map_or(0, |last| last + 1);
        let (known, open) = older.split_at(count);
        for (unit, name) in known.iter().zip(&names) {
            for row in unit {
                is_asked[*row] = true;
            }
            if let Some(count) = chosen.get_mut(name.as_str()) {
                *count += 1;
                self.chosen.extend(unit);
            } else {
                self.left_out.extend(unit.iter().map(|row| (*row, Reason::NotChosen)));
            }
        }
        let still = decided.chosen.iter().filter(|name| chosen.get(name.as_str()) != Some(&0));
        decided.chosen = still.cloned().collect();
        open
    }
}

/// Earlier builds' decisions with the same options, if decisions are remembered.
fn decided_in(config: &ContextConfig) -> Option<TriageDecisions> {
    let decided = config.triage.decided.clone()?;
    let is_of_these = decided.under.as_ref().is_none_or(|under| *under == checksum(config));
    Some(if is_of_these { decided } else { TriageDecisions::default() })
}

/// A checksum of the options that decisions depend on: triage's own, and those that select candidates.
fn checksum(config: &ContextConfig) -> String {
    let triage = TriageConfig { decided: None, ..config.triage.clone() };
    let options = (triage, &config.collect, &config.filter, &config.window, &config.agent_id);
    format!("{:016x}", xxh64(to_json(&options).as_bytes(), 0))
}

/// The name of a unit in later builds: the id of its first message, or its position.
fn name_of(transcript: &Transcript, unit: &[usize]) -> String {
    let first = unit.first().copied().unwrap_or_default();
    let id = transcript.value(first, Field::Id);
    id.map_or_else(|| format!("#{first}"), str::to_owned)
}

/// Claims a place for guaranteed and chosen messages, and leaves out all others.
pub fn mark(marks: &mut Marks, choice: Choice) {
    marks.triage = choice.decided.map(|decided| TriageReport { decided });
    if let Some((kind, words)) = choice.note {
        marks.note(kind, words);
    }
    for row in choice.recent {
        marks.claim(row, Rank::Recent, Reason::Recent);
    }
    for row in choice.chosen {
        marks.claim(row, Rank::Chosen, Reason::Chosen);
    }
    for (row, reason) in choice.left_out {
        if marks.requirement(row).is_some() {
            continue;
        }
        if choice.quotes_passed && reason == Reason::NotChosen {
            marks.pass(row);
        } else {
            marks.leave_out(row, reason);
        }
    }
}

/// The older units to ask about, in order.
fn candidate_units(input: &Input, marks: &Marks, older: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let config = &input.config.triage;
    let count = config.max_candidates.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let (TriageCandidates::Recalled, Some(ranking)) = (config.candidates, &marks.ranking) else {
        let left_out = count.map_or(0, |count| older.len().saturating_sub(count));
        return older[left_out..].to_vec();
    };
    let mut unit_of = vec![usize::MAX; input.transcript.len()];
    for (position, unit) in older.iter().enumerate() {
        for row in unit {
            unit_of[*row] = position;
        }
    }
    let mut is_taken = vec![false; older.len()];
    let mut taken = 0;
    let mut room = input.config.budget.prompt_limit().map(|limit| limit.saturating_mul(2));
    for row in ranking.candidates.iter().filter_map(|candidate| candidate.place.row()) {
        let Some(is_taken) = is_taken.get_mut(unit_of[row]) else {
            continue;
        };
        if *is_taken {
            continue;
        }
        let is_full = match count {
            Some(count) => taken >= count,
            None => room == Some(0),
        };
        if is_full {
            break;
        }
        *is_taken = true;
        taken += 1;
        let cost: u64 = older[unit_of[row]].iter().map(|row| rough_cost(input, *row)).sum();
        room = room.map(|room| room.saturating_sub(cost));
    }
    older
        .iter()
        .zip(is_taken)
        .filter(|(_, is_taken)| *is_taken)
        .map(|(unit, _)| unit.clone())
        .collect()
}

/// The approximate number of tokens in a message, precise enough to decide how many are worth asking about.
fn rough_cost(input: &Input, row: usize) -> u64 {
    const BYTES_PER_TOKEN: u64 = 4;
    const AROUND: u64 = 4;
    let bytes: usize = input
        .transcript
        .fields(row)
        .filter(|(field, _)| field.is_content())
        .map(|(_, value)| value.len())
        .sum();
    bytes as u64 / BYTES_PER_TOKEN + AROUND
}

/// The rows that triage counts: history, the message that serves as the request, and the message that the request
/// replies to.
fn rows(marks: &Marks) -> Vec<usize> {
    let mut rows = marks.open_rows();
    rows.retain(|row| match marks.requirement(*row) {
        _ if marks.is_in_turn(*row) => false,
        Some(reason) => matches!(reason, Reason::Request | Reason::ReplyTo),
        None => marks.rank(*row) != Rank::Direct,
    });
    rows
}

fn candidates(
    config: &ContextConfig,
    transcript: &Transcript,
    units: &[Vec<usize>],
) -> Vec<TriageUnit> {
    let mut taken: HashedMap<&str, usize> = HashedMap::default();
    for unit in units {
        let id = unit.first().and_then(|row| transcript.value(*row, Field::Id));
        *taken.entry(id.unwrap_or_default()).or_insert(0) += 1;
    }
    let candidate = |unit: &Vec<usize>| {
        let first = unit.first().copied().unwrap_or_default();
        let id = transcript.value(first, Field::Id);
        TriageUnit {
            id: match id {
                Some(id) if taken.get(id) == Some(&1) => id.to_owned(),
                _ => {
                    let mut id = format!("#{}", transcript.message_of(first));
                    while taken.contains_key(id.as_str()) {
                        id.push('#');
                    }
                    id
                }
            },
            positions: unit.clone(),
            text: conversations::text_of(config, transcript, unit),
        }
    };
    units.iter().map(candidate).collect()
}

/// The usable part of an answer: the ids that name candidates, each once, in the order of the candidates.
pub(crate) fn understand(candidates: &[TriageUnit], answer: &mut Answer) -> Misunderstood {
    let text = answer.text.take();
    let mut misunderstood = Misunderstood::default();
    if answer.outcome != Outcome::Given {
        answer.ids = None;
        return misunderstood;
    }
    let chosen = match (text, &answer.ids) {
        (Some(text), None) => {
            let Some(read) = text::read_answer(&text, candidates.len()) else {
                return answer.fail("the answer names no candidates in a known format");
            };
            let mut is_chosen = vec![false; candidates.len()];
            for position in read.positions {
                is_chosen[position] = true;
            }
            for element in read.other {
                misunderstood
                    .add("elements that aren't the number of a candidate were ignored", element);
            }
            if read.breaks_off {
                misunderstood.beside = "a later list that is cut off or can't be read was ignored";
            }
            misunderstood.element_count = read.element_count;
            is_chosen
        }
        (_, Some(ids)) => {
            let mut known: HashedMap<&str, usize> = HashedMap::default();
            known.extend(candidates.iter().map(|candidate| (candidate.id.as_str(), 0)));
            for id in ids.iter().filter(|id| !known.contains_key(id.as_str())) {
                misunderstood.add("elements that name no candidate were ignored", id);
            }
            misunderstood.element_count = ids.len();
            named(candidates, ids)
        }
        (None, None) => return answer.fail("the answer names no candidates"),
    };
    let chosen = candidates.iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
    answer.ids = Some(chosen.map(|(candidate, _)| candidate.id.clone()).collect());
    misunderstood
}

/// For each candidate, true if one of the ids names it.
fn named(candidates: &[TriageUnit], ids: &[String]) -> Vec<bool> {
    let mut known: HashedMap<&str, usize> = HashedMap::default();
    known.extend(ids.iter().map(|id| (id.as_str(), 0)));
    candidates.iter().map(|candidate| known.contains_key(candidate.id.as_str())).collect()
}
