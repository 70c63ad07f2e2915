//! Ranks the messages that limits apply to by relevance to the request.

use super::nearness::similarities;
use crate::base::candidate::Candidate;
use crate::base::message::{Field, Role};
use crate::config::{Meaning, Ranking, RecallConfig};
use crate::log::plan::Wanted;
use crate::recall::index::{self, Index};
use crate::recall::rank::pairs::{self, Pairs};
use crate::recall::rank::query::{self, Query, Request};
use crate::recall::rank::reasons::{Evidence, NOT_INDEXED, Rows, Whereabouts};
use crate::recall::rank::score::{self, Scores};
use crate::recall::rank::scoring::Scoring;
use crate::recall::rank::standing;
use crate::recall::rank::statements::{self, Limits};
use crate::recall::rank::weights::Weights;
use crate::recall::rank::worth::{self, Bounds, ExcerptedMessage};
use crate::recall::text::meaning::Table;
use crate::stages::unread;
use crate::state::ask::{HookName, Need, StageResult};
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::ranking::{
    Basis, OpenMessages, RankEvidence, RankedMessages, RankedPlace, ScoredRanking,
};
use crate::state::trace::{Decision, NoteKind, Reason};
use std::rc::Rc;

/// Ranks the messages that limits apply to.
pub(crate) fn rank(
    input: &Input,
    marks: &Marks,
    notes: &mut Vec<(NoteKind, String)>,
) -> StageResult<RankedMessages> {
    let ranking = input.config.recall.ranking;
    unread::ask_before_ranking(input, marks)?;
    unread::ask_for_forgotten(input)?;
    let newest = newest(input, marks);
    if newest.iter().any(|row| !unread::is_behind_unread(input, marks, *row)) {
        unread::ask_for_more_of_all(input)?;
    }
    if let Some(known) = input.transcript.unread().and_then(|unread| unread.ranking.clone()) {
        let is_there = |row: &usize| *row < input.transcript.len() && marks.is_optional(*row);
        let read = |row: usize| is_there(&row).then_some(RankedPlace::Row(row));
        let candidates = known.candidates.into_iter();
        let candidates =
            candidates.map(|(place, form, with)| Candidate { place, form, with }.map(read));
        return Ok(RankedMessages {
            newest,
            standing: known.standing.into_iter().filter_map(read).collect(),
            statements: known.statements.into_iter().filter_map(read).collect(),
            candidates: candidates.flatten().collect(),
            evidence: RankEvidence::Recorded(known.recalled),
        });
    }
    let mut indexed = indexed(input, marks)?;
    if input.config.budget.cut.is_some() {
        indexed.leave_out_answers(input, marks);
    }
    let IndexedRanking { index, places, seqs } = indexed;
    let rows = Rows::new(&places, index.len());
    let is_all_read = places.len() >= index.len();
    let mut open = OpenMessages::new(index.len(), is_all_read || unread::may_be_ranked(input));
    for (row, place) in places.iter().copied().enumerate().filter(|it| it.1 != NOT_INDEXED) {
        open.set(place, marks.may_be_recalled(row));
    }
    let known_seqs = seqs.as_ref().map(|seqs| seqs.as_slice());
    let whereabouts = Whereabouts { index: &index, rows: &rows, seqs: known_seqs };
    unread::ask_for_other_halves(input, marks, &places, whereabouts)?;
    let text = query::readable(marks.request_text(input));
    let by_hook = match ranking {
        Ranking::Relevance => similarities(input, marks, &text, notes)?,
        _ => None,
    };
    let meaning = if by_hook.is_none() { meaning(input, &text)? } else { None };
    let (source, row) = match &input.request {
        Some(request) => (request, Some(0)),
        None => (&input.transcript, marks.newest_user_row(input)),
    };
    let name = row.and_then(|row| source.value(row, Field::Name)).unwrap_or_default();
    let role = row.map_or(Role::User, |row| source.role(row));
    let basis = Basis {
        open,
        index: Rc::clone(&index),
        request: [text, name.to_owned()],
        role,
        zone_offsets: input.answers.zone_offsets.clone(),
    };
    let by_hook = by_hook.map(|by_row| {
        let of = |place: usize| rows.of(place).and_then(|row| by_row.get(row).copied());
        (0..index.len()).map(|place| of(place).unwrap_or_default()).collect::<Vec<f32>>()
    });
    let similarities = match meaning {
        Some(table) => Some(by_meaning(input, &basis, &table, &rows)?),
        None => by_hook,
    };
    let known = input.scored.take().filter(|known| known.basis == basis && similarities.is_none());
    let found = match known {
        Some(known) => known,
        None => scored(input, basis, similarities.as_deref())?,
    };
    let ScoredRanking { query, scores, best, standing, statements, basis } = &found;
    let is_open = basis.open.as_slice();
    let open = |place: usize| {
        let at = || rows.of(place).map_or(RankedPlace::Unread(place), RankedPlace::Row);
        is_open[place].then(at)
    };
    let mut candidates = Vec::with_capacity(best.len()); // doubling would take more
    candidates.extend(best.iter().filter_map(|it| it.map(open)));
    let standing = standing.iter().copied().filter_map(open).collect();
    let statements = statements.iter().copied().filter_map(open).collect();
    let (query, scores) = (Rc::clone(query), Rc::clone(scores));
    let evidence = Evidence { index, query, scores, similarities, rows, places, seqs };
    input.scored.replace(Some(found));
    let evidence = RankEvidence::Found(Rc::new(evidence));
    Ok(RankedMessages { newest, standing, statements, candidates, evidence })
}

/// The table of token vectors, if the config ranks by it.
///
/// # Errors
///
/// Stops to ask for it.
fn meaning(input: &Input, request: &str) -> StageResult<Option<Rc<Table>>> {
    let RecallConfig { ranking, meaning, .. } = input.config.recall;
    if (ranking, meaning) != (Ranking::Relevance, Meaning::Static) || request.trim().is_empty() {
        return Ok(None);
    }
    match &input.answers.meaning {
        Some(table) => Ok(Some(Rc::clone(table))),
        None => Err(Need::Meaning.into()),
    }
}

/// For each message of an index, its similarity to the request by the table of token vectors; 0 for messages that may
/// not be recalled.
fn by_meaning(input: &Input, basis: &Basis, table: &Table, rows: &Rows) -> StageResult<Vec<f32>> {
    let text_of = |place: usize| {
        let row = rows.of(place)?;
        Some(index::text_of(&input.transcript, row))
    };
    let similarities = basis.index.similarities(table, &basis.request[0], &text_of);
    let mut similarities = similarities.ok_or(Wanted::All)?;
    for (similarity, is_open) in similarities.iter_mut().zip(basis.open.as_slice()) {
        if !is_open {
            *similarity = 0.0;
        }
    }
    Ok(similarities)
}

/// Scores the messages of an index for the request.
fn scored(input: &Input, basis: Basis, similarities: Option<&[f32]>) -> StageResult<ScoredRanking> {
    let [text, name] = &basis.request;
    let request = Request { text, name, role: basis.role };
    let query = Query::new(&basis.index, request, input.now, &input.answers.zone);
    if !query.spans.is_empty() {
        input.zone()?; // stops until it is known, and the request is read again
    }
    let (index, is_open) = (&basis.index, basis.open.as_slice());
    let weights = &Weights::TUNED;
    let scoring = Scoring { index, query: &query, is_open, similarities, weights };
    let room = input.config.budget.prompt_limit().unwrap_or(u64::MAX);
    // A hook may count fewer tokens than any tokenizer.
    let is_known = input.hook(&[HookName::CountTokens]).is_none();
    let bounds = Bounds {
        count: most_ranked(room, basis.open.closed_count()),
        room: if is_known { room } else { u64::MAX },
    };
    let (scores, best, standing, statements) = if input.config.recall.ranking == Ranking::Bm25 {
        let scores = score::score_by_words(scoring);
        let best =
            score::best(&scores.total, bounds.count).into_iter().map(Candidate::whole).collect();
        (scores, best, Vec::new(), Vec::new())
    } else {
        let scores = score::score(scoring, input.now);
        let mut worth = worth::worth(scoring, &scores);
        let best = worth::best_without_repeats(scoring, &mut worth, bounds);
        let best = candidates(input, scoring, &scores, &worth, &best);
        let excerpts = &input.config.recall.excerpts;
        let limits =
            Limits { room, long: if excerpts.enabled { excerpts.min_tokens } else { u64::MAX } };
        let statements = statements::statements(scoring, &scores, &worth, limits);
        (scores, best, standing::standing(scoring, &worth), statements)
    };
    let (scores, best) = (Rc::new(scores), Rc::new(best));
    let (standing, statements) = (Rc::new(standing), Rc::new(statements));
    Ok(ScoredRanking { query: Rc::new(query), scores, best, standing, statements, basis })
}

/// The best messages as candidates, each with the messages that it brings along. Those that are worth more as excerpts
/// occur twice.
fn candidates(
    input: &Input,
    scoring: Scoring<'_>,
    scores: &Scores,
    worth: &[f32],
    best: &[usize],
) -> Vec<Candidate<usize>> {
    let RecallConfig { excerpts, pairs, .. } = &input.config.recall;
    let excerpted = ExcerptedMessage {
        roles: if excerpts.enabled { &excerpts.roles } else { &[] },
        min_tokens: excerpts.min_tokens,
        tokens: excerpts.tokens,
    };
    let excerpts = worth::of_excerpts(scoring, scores, worth, excerpted);
    let candidates = worth::with_excerpts(best, worth, &excerpts);
    let pairs = Pairs { questions: pairs.questions, replies: pairs.reply_tokens > 0 };
    pairs::with_pairs(scoring.index, candidates, pairs)
}

/// The newest of the messages that limits apply to, the newest first.
fn newest(input: &Input, marks: &Marks) -> Vec<usize> {
    let count = usize::try_from(input.config.recall.recent_messages).unwrap_or(usize::MAX);
    marks.order.iter().rev().copied().filter(|row| marks.is_optional(*row)).take(count).collect()
}

/// An index, and its messages' places.
struct IndexedRanking {
    index: Rc<Index>,
    /// For each row, its place in the index, or [`NOT_INDEXED`].
    places: Vec<usize>,
    /// The messages' sequence numbers, if a store has unread messages.
    seqs: Option<Rc<Vec<u64>>>,
}

impl IndexedRanking {
    /// Uses the index from the time of the request, so that the answers to the request don't change the quotes before
    /// them.
    fn leave_out_answers(&mut self, input: &Input, marks: &Marks) {
        let rows = Rows::new(&self.places, self.index.len());
        let is_answer = |place: &usize| {
            let row = rows.of(*place);
            row.is_some_and(|row| marks.is_in_turn(row) && marks.asked() != Some(row))
        };
        let newest_first = (0..self.index.len()).rev();
        let Some(first) = newest_first.take_while(is_answer).last() else { return };
        self.index = input.transcript.earlier_index(&self.index, first);
        for place in &mut self.places {
            if *place >= first {
                *place = NOT_INDEXED;
            }
        }
    }
}

/// The index of all messages of this session and for this agent, because other messages shouldn't affect which words
/// are rare or who speaks. For a partly read log it is the log's own index.
///
/// It has the order of the log, whose neighbors were said together even if clocks disagree, and which only grows at its
/// end. If times mostly go back, it has the order of time.
fn indexed(input: &Input, marks: &Marks) -> StageResult<IndexedRanking> {
    let transcript = &input.transcript;
    let is_by_time = transcript.seqs().is_empty() && transcript.clock().runs_backwards();
    let mut own: Vec<usize> =
        if is_by_time { marks.order.clone() } else { (0..transcript.len()).collect() };
    if marks.has_decision(is_of_others) {
        own.retain(|row| !marks.decision(*row).is_some_and(is_of_others));
    }
    let is_log = own.len() == transcript.len() && !is_by_time && !transcript.needs_whole_log();
    let all = 0..transcript.len();
    if is_log && transcript.is_part() {
        let index = transcript.whole_index();
        if index.needs_whole_log() {
            return Err(Wanted::All.into());
        }
        let places = all.map(|row| transcript.stored_row(row)).collect();
        return Ok(IndexedRanking { index, places, seqs: None });
    }
    let log = if is_log { transcript.log_index() } else { None };
    match (log, transcript.unread()) {
        (Some(log), None) => {
            Ok(IndexedRanking { index: log.index, places: all.collect(), seqs: None })
        }
        (None, None) => {
            let mut places = vec![NOT_INDEXED; transcript.len()];
            for (place, row) in own.iter().enumerate() {
                places[*row] = place;
            }
            Ok(IndexedRanking { index: transcript.index(&own), places, seqs: None })
        }
        (None, Some(_)) if is_log => Err(Wanted::Index.into()),
        (None, Some(_)) => Err(Wanted::All.into()),
        (Some(log), Some(_)) => {
            let place = |(row, seq): (usize, &u64)| {
                Some(log.place_of(*seq)? + transcript.share(row).saturating_sub(1))
            };
            let places: Option<Vec<usize>> =
                transcript.seqs().iter().enumerate().map(place).collect();
            match places {
                Some(places) if !log.index.needs_whole_log() => {
                    Ok(IndexedRanking { index: log.index, places, seqs: Some(log.seqs) })
                }
                _ => Err(Wanted::All.into()),
            }
        }
    }
}

/// More messages than fit the prompt.
///
/// Required and closed messages (`closed_count`) rank too, and are skipped.
fn most_ranked(room: u64, closed_count: usize) -> usize {
    const MOST: u64 = 16_384;
    const MISSES: u64 = 512;
    let most = (room / Bounds::LEAST_TOKENS).saturating_add(MISSES).min(MOST);
    usize::try_from(most).unwrap_or(usize::MAX).saturating_add(closed_count)
}

/// True if a message was left out because it belongs to another session or agent, or is a duplicate.
fn is_of_others(decision: Decision) -> bool {
    matches!(decision.reason, Reason::OtherSession | Reason::OtherTarget | Reason::Duplicate)
}
