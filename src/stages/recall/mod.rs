//! Stage 4, `recall`: ranks the older messages for the request, and finds matching items for sections, in their own
//! lists and with the hook.
//!
//! Ranking marks nothing: `budget` keeps the ranked messages that fit. The focus determines how broad recall is. A
//! hook's failure becomes a note, never an error: the context is built without its answer.
//!
//! The ranking code is reached through a [`Selection`](crate::stages::selection::Selection): `rank` orders messages,
//! `items` finds sections' items, and `nearness` reads similarities from an embedding model.

mod focus;
pub(crate) mod items;
pub(crate) mod nearness;
pub(crate) mod rank;

use crate::base::cost::{Cost, share_of};
use crate::base::guard;
use crate::base::map::{self, HashedSet, Map};
use crate::config::{ContextConfig, Counting, Format, Item, Placement, SearchResults, SectionKind};
use crate::prompt::form;
use crate::prompt::measure::Meter;
use crate::recall::rank::query;
use crate::stages::budget::cut::most_tokens;
use crate::stages::budget::sections::count;
use crate::stages::recall::focus::focus;
use crate::stages::selection::{GivenSelection, needed};
use crate::stages::unread;
use crate::state::ask::{Answer, HookName, Misunderstood, Need, Outcome, StageResult};
use crate::state::context::{FocusReport, Piece, RecallReport, RecallStatus};
use crate::state::fill::Fill;
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::ranking::RankedMessages;
use crate::state::trace::NoteKind;
use crate::state::view::View;

/// The stage's findings.
#[derive(Debug, Default)]
pub struct Findings {
    focus: FocusReport,
    fits_anyway: bool,
    ranking: Option<RankedMessages>,
    /// Items by the position of the section that shows them.
    items: Map<usize, Vec<Item>>,
    report: Option<RecallReport>,
    notes: Vec<(NoteKind, String)>,
}

/// Computes the focus, ranks the messages, and finds items for sections.
///
/// # Errors
///
/// Stops to ask for older messages, for the vocabulary, for the offsets of the time zone, and for hooks' answers.
pub(crate) fn ask(
    input: &Input,
    marks: &Marks,
    selection: GivenSelection,
) -> StageResult<Findings> {
    let mut findings = Findings { focus: focus(&input.config.recall), ..Findings::default() };
    unread::ask_for_newest_user(input, marks)?;
    let counts_when_needed = input.config.budget.counting == Counting::WhenNeeded;
    let fit = if input.is_ranked() || counts_when_needed { fit(input, marks) } else { Fit::Unsure };
    findings.fits_anyway = matches!(fit, Fit::Anyway);
    if input.is_ranked() && !findings.fits_anyway && !fits_exactly(input, marks, fit)? {
        findings.ranking = Some((needed(selection)?.rank)(input, marks, &mut findings.notes)?);
    }
    search(input, marks, selection, &mut findings)?;
    Ok(findings)
}

/// Stores the findings for later stages.
pub fn mark(marks: &mut Marks, findings: Findings) {
    marks.focus = findings.focus;
    marks.fits_anyway = findings.fits_anyway;
    marks.ranking = findings.ranking;
    marks.found = findings.items;
    marks.recall = findings.report;
    for (kind, words) in findings.notes {
        marks.note(kind, words);
    }
}

/// Says if everything fits the budget, once that is known.
#[derive(Clone, Copy)]
enum Fit {
    /// Yes, by any count: no text has more tokens or characters than bytes.
    Anyway,
    /// Yes, if the messages have at most this many tokens.
    Within(u64),
    Unsure,
}

/// Checks by bytes whether everything fits the budget.
fn fit(input: &Input, marks: &Marks) -> Fit {
    /// Few texts have more bytes per token. Messages with more bytes aren't counted just to check whether they fit.
    const MOST_BYTES_A_TOKEN: u64 = 8;
    /// No character takes more bytes when escaped, and no form adds more around a text of the config.
    const ESCAPED: u64 = 6;
    const AROUND: u64 = 128;
    let config = &input.config;
    // Hook answers aren't known yet, and chosen messages may look different in quotes.
    let is_unknown = input.hook(&[HookName::CountTokens, HookName::Recall]).is_some()
        || config.triage.placement == Placement::AfterHistory;
    let own = config.section(SectionKind::History).map(|(_, section)| section);
    let [tokens, chars, items] = own.map_or([None; 3], |section| {
        [config.token_limit_of(section), section.limit.chars, section.limit.items]
    });
    if is_unknown || items.is_some_and(|items| rows(marks).count() as u64 > items) {
        return Fit::Unsure;
    }
    let limits = [config.budget.prompt_limit(), config.budget.max_chars, tokens, chars];
    let Some(limit) = limits.into_iter().flatten().min() else {
        return Fit::Anyway;
    };
    let is_of_chars = config.budget.max_chars.or(chars).is_some();
    // Everything except the messages stays within this bound, even if the messages are counted.
    let mut most = form::most_of(&form::frame(config, false));
    let mut add_made = |bytes: usize| {
        let text = AROUND.saturating_add(ESCAPED.saturating_mul(bytes as u64));
        most = most.saturating_add(config.budget.per_message()).saturating_add(text);
    };
    for text in [&config.render.heading, &config.render.gap_notice].into_iter().flatten() {
        add_made(text.len());
    }
    if config.render.provider.is_some() {
        add_made(form::OPENING.len());
    }
    for section in config.sections() {
        let texts = [&section.label, &section.text, &section.empty].into_iter().flatten();
        add_made(section.id.len() + texts.map(String::len).sum::<usize>());
        let template = section.item.as_deref().unwrap_or_default();
        let copies = template.matches('{').count().max(1);
        for item in &section.items {
            let texts = [Some(&item.text), item.source.as_ref()].into_iter().flatten();
            add_made(template.len() + copies * texts.map(String::len).sum::<usize>());
        }
    }
    let fill = Fill::default();
    let view = View { input, marks, fill: &fill };
    // A cut depends on the whole log, including messages outside the window.
    let cut = config.budget.cut.zip(most_tokens(config));
    let limit = cut.map_or(limit, |(cut, tokens)| limit.min(share_of(tokens, cut.high_water)));
    let left_out = |row: &usize| cut.is_some() && marks.is_left_out(*row);
    let left_out = marks.order.iter().copied().filter(left_out).map(Piece::Message);
    let Some(room) = limit.checked_sub(most) else { return Fit::Unsure };
    // Nothing is counted if there are only character limits, if there is a cut, which uses counts that no hook or
    // provider changes, or if more of the log may have to be read, because unread messages may match better than read
    // ones.
    let is_counted = input.transcript.unread().is_none()
        && !is_of_chars
        && config.budget.cut.is_none()
        && config.render.format == Format::Messages;
    let countable = if is_counted { room.saturating_mul(MOST_BYTES_A_TOKEN) } else { room };
    let (mut bytes, mut sent) = (0_u64, 0_u64);
    let most_sent = room_of_bytes(config);
    for piece in pieces(input, marks).chain(left_out) {
        let parts = form::parts(view, piece, false);
        bytes = bytes.saturating_add(form::most_of(&parts));
        if most_sent != u64::MAX {
            sent = sent.saturating_add(parts.bytes());
        }
        if bytes > countable || sent > most_sent {
            return Fit::Unsure;
        }
    }
    if bytes <= room { Fit::Anyway } else { Fit::Within(room) }
}

/// The bytes that messages may have in the JSON. The other half is for sections and tools.
fn room_of_bytes(config: &ContextConfig) -> u64 {
    config.budget.max_bytes.map_or(u64::MAX, |bytes| bytes / 2)
}

/// Checks whether everything fits the budget by exact counts. The newest messages are counted first, because their
/// counts are needed anyway.
fn fits_exactly(input: &Input, marks: &Marks, fit: Fit) -> StageResult<bool> {
    let Fit::Within(tokens) = fit else { return Ok(false) };
    let meter = Meter::new(input, marks)?;
    let fill = Fill::default();
    let view = View { input, marks, fill: &fill };
    let newest_first = &mut pieces(input, marks).rev();
    Ok(meter
        .cost_within(
            view,
            newest_first,
            Cost { tokens, chars: u64::MAX, bytes: room_of_bytes(&input.config) },
        )?
        .is_some())
}

/// The messages that aren't left out.
fn rows(marks: &Marks) -> impl DoubleEndedIterator<Item = usize> {
    marks.order.iter().copied().filter(|row| !marks.is_left_out(*row))
}

/// The request and the messages that aren't left out, as pieces of the prompt.
fn pieces(input: &Input, marks: &Marks) -> impl DoubleEndedIterator<Item = Piece> {
    let request = input.request.iter().map(|_| Piece::Request);
    request.chain(rows(marks).map(|row| marks.piece(row)))
}

/// Finds items for sections: among their own items, and by the hook if it is set and a section shows its hits.
fn search(
    input: &Input,
    marks: &Marks,
    selection: GivenSelection,
    findings: &mut Findings,
) -> StageResult {
    let recall = input.config.section(SectionKind::Recall).map(|(position, _)| position);
    let ranked = input.config.sections().iter().enumerate().filter(|(_, section)| section.ranked);
    let ranked: Vec<usize> = ranked.map(|(position, _)| position).collect();
    if recall.is_none() && ranked.is_empty() {
        return Ok(());
    }
    let query = marks.request_text(input);
    let is_asked = input.answer_of(HookName::Recall).is_some() || query.trim().is_empty();
    if recall.is_some() && !is_asked && input.hook(&[HookName::Recall]).is_some() {
        let focus = &findings.focus;
        return Err(Need::Recall {
            query,
            max_items: focus.max_items,
            max_chars: focus.max_chars,
            focus: focus.level,
            timeout_ms: input.config.recall.timeout_ms,
        }
        .into());
    }
    let query = query::readable(query);
    for position in ranked {
        let found = find((input, selection), &findings.focus, position, &query)?;
        findings.items.insert(position, found);
    }
    if let Some(position) = recall {
        let found = recalled((input, selection), findings, position, &query)?;
        findings.items.insert(position, found);
    }
    Ok(())
}

/// The items of the section of kind `recall`, best first: the hook's hits, and matches among its own items.
fn recalled(
    (input, selection): (&Input, GivenSelection),
    findings: &mut Findings,
    position: usize,
    query: &str,
) -> StageResult<Vec<Item>> {
    let has_items = !input.config.sections()[position].items.is_empty();
    let joins = input.config.recall.search_results == SearchResults::Join;
    let answer = input.answer_of(HookName::Recall).cloned();
    let outcome = answer.as_ref().map(|answer| answer.outcome);
    let status = match outcome {
        _ if query.trim().is_empty() => RecallStatus::EmptyQuery,
        Some(Outcome::Given) => RecallStatus::Ok,
        _ if has_items => RecallStatus::Ok,
        Some(Outcome::Failed) => RecallStatus::Failed,
        Some(Outcome::Unavailable) | None => RecallStatus::Unavailable,
    };
    let answer = answer.unwrap_or_default();
    if outcome == Some(Outcome::Failed) {
        let reason = answer.reason.unwrap_or_default();
        let words = format!("recall.search failed: {reason}");
        findings.notes.push((NoteKind::RecallFailed, words));
    }
    if status == RecallStatus::Unavailable {
        let words = "nothing could be recalled: recall is unavailable".to_owned();
        findings.notes.push((NoteKind::RecallUnavailable, words));
    }
    let given = answer.items.unwrap_or_default().into_iter().map(|found| Item {
        id: found.id,
        text: found.text,
        summary: None,
        priority: None,
        source: found.source,
        score: found.score,
    });
    let mut found: Vec<Item> = given.collect();
    if status != RecallStatus::Ok || found.iter().all(|item| item.text.trim().is_empty()) {
        found.clear();
    }
    if status == RecallStatus::Ok && (joins || outcome != Some(Outcome::Given)) {
        let own = find((input, selection), &findings.focus, position, query)?;
        let mut order: Vec<usize> = (0..own.len()).collect();
        map::sort_by_key(&mut order, &|at| (map::descending(own[at].score.unwrap_or(0.0)), 0));
        let own = order.into_iter().map(|at| own[at].clone()).collect();
        found = by_turns(found, own, count(Some(findings.focus.max_items)));
    }
    findings.report = Some(RecallReport { status, hits: found.len() });
    Ok(found)
}

/// Alternates between two lists, without blank texts and duplicates.
fn by_turns(one: Vec<Item>, other: Vec<Item>, most: usize) -> Vec<Item> {
    let mut known: HashedSet<String> = HashedSet::default();
    let mut items = Vec::new();
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    loop {
        let (first, second) = (one.next(), other.next());
        if first.is_none() && second.is_none() {
            return items;
        }
        for item in first.into_iter().chain(second) {
            let text = guard::collapse(&item.text);
            let is_new = !text.is_empty() && known.insert(text);
            if is_new && items.len() < most {
                items.push(item);
            }
        }
    }
}

/// The parts of a section's items that match the request best, as items in order. Empty without items or without a
/// request.
fn find(
    (input, selection): (&Input, GivenSelection),
    focus: &FocusReport,
    position: usize,
    query: &str,
) -> StageResult<Vec<Item>> {
    if query.trim().is_empty() || input.config.sections()[position].items.is_empty() {
        return Ok(Vec::new());
    }
    Ok((needed(selection)?.find)(input, focus, position, query))
}

/// The usable part of an answer: as many items as were requested. More items aren't an error, because the best come
/// first.
pub(crate) fn understand(max_items: u64, answer: &mut Answer) -> Misunderstood {
    match &mut answer.items {
        Some(items) => items.truncate(max_items.try_into().unwrap_or(usize::MAX)),
        None if answer.outcome == Outcome::Given => {
            return answer.fail("the answer isn't a list");
        }
        None => {}
    }
    Misunderstood::default()
}
