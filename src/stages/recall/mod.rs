//! Stage 4, `recall`: ranks the older messages by the request, and finds what sections show for it: among their items, and by
//! the hook.
//!
//! Ranking marks nothing: `budget` keeps of the ranked what fits. The focus says how broad recall is. A failure of a hook is a
//! note, never an error: the context is built without.

mod focus;

use crate::base::candidate::Candidate;
use crate::base::guard;
use crate::base::map::{self, HashedSet, Map};
use crate::base::message::{Field, Role};
use crate::config::{Item, Placement, Ranking, RecallConfig, SearchResults, SectionKind};
use crate::prompt::form;
use crate::recall::index::Index;
use crate::recall::index::vectors::{self, Vector, write_similarities};
use crate::recall::rank::pairs::{self, Pairs};
use crate::recall::rank::passages::{self, Bounds, Found};
use crate::recall::rank::query::{self, Query, Request};
use crate::recall::rank::reasons::{Evidence, NOT_INDEXED, UNREAD, Whereabouts};
use crate::recall::rank::score::{self, Scores};
use crate::recall::rank::scoring::Scoring;
use crate::recall::rank::standing;
use crate::recall::rank::weights::Weights;
use crate::recall::rank::worth::{self, Excerpted};
use crate::stages::budget::sections::count;
use crate::stages::recall::focus::focus;
use crate::stages::unread;
use crate::state::ask::{Answer, HookName, Misunderstood, Need, Outcome, StageResult, Wanted};
use crate::state::context::{FocusReport, Piece, RecallReport, RecallStatus};
use crate::state::fill::Fill;
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::ranking::{Basis, RankEvidence, Ranked, RankedPlace, Scored};
use crate::state::trace::{Decision, NoteKind, Reason};
use crate::state::view::View;
use std::rc::Rc;

/// What the stage finds.
#[derive(Debug, Default)]
pub struct Findings {
    focus: FocusReport,
    ranking: Option<Ranked>,
    /// By the position of the section that shows them.
    items: Map<usize, Vec<Item>>,
    report: Option<RecallReport>,
    notes: Vec<(NoteKind, String)>,
}

/// Computes the focus, ranks the messages, and finds what sections show.
///
/// # Errors
///
/// Stops to ask for older messages, for the offsets of the time zone, and for what the hooks give.
pub fn ask(input: &Input, marks: &Marks) -> StageResult<Findings> {
    let mut findings = Findings { focus: focus(&input.config.recall), ..Findings::default() };
    unread::ask_for_newest_user(input, marks)?;
    findings.ranking = rank(input, marks, &mut findings.notes)?;
    search(input, marks, &mut findings)?;
    Ok(findings)
}

/// Keeps the findings for the stages behind this one.
pub fn mark(marks: &mut Marks, findings: Findings) {
    marks.focus = findings.focus;
    marks.ranking = findings.ranking;
    marks.found = findings.items;
    marks.recall = findings.report;
    for (kind, words) in findings.notes {
        marks.note(kind, words);
    }
}

/// Ranks the messages that limits apply to; nothing where all of them fit, or the newest come first.
fn rank(
    input: &Input,
    marks: &Marks,
    notes: &mut Vec<(NoteKind, String)>,
) -> StageResult<Option<Ranked>> {
    if !input.is_ranked() || fits_anyway(input, marks) {
        return Ok(None);
    }
    let ranking = input.config.recall.ranking;
    unread::ask_before_ranking(input, marks)?;
    let newest = newest(input, marks);
    if let Some(known) = input.transcript.unread().and_then(|unread| unread.ranking.clone()) {
        let is_there = |row: &usize| *row < input.transcript.len() && marks.is_optional(*row);
        let read = |row: usize| is_there(&row).then_some(RankedPlace::Row(row));
        let candidates = known.candidates.into_iter();
        let candidates =
            candidates.map(|(place, form, with)| Candidate { place, form, with }.map(read));
        return Ok(Some(Ranked {
            newest,
            standing: known.standing.into_iter().filter_map(read).collect(),
            candidates: candidates.flatten().collect(),
            evidence: RankEvidence::Recorded(known.recalled),
        }));
    }
    let mut indexed = indexed(input, marks)?;
    if input.config.budget.cut.is_some() {
        indexed.leave_out_answers(input, marks);
    }
    let Indexed { index, places, seqs } = indexed;
    let mut rows = vec![UNREAD; index.len()];
    let mut is_open = vec![unread::may_be_ranked(input); index.len()];
    for (row, place) in places.iter().copied().enumerate().filter(|it| it.1 != NOT_INDEXED) {
        rows[place] = row;
        is_open[place] = marks.is_optional(row);
    }
    let known_seqs = seqs.as_ref().map(|seqs| seqs.as_slice());
    let whereabouts = Whereabouts { index: &index, rows: &rows, seqs: known_seqs };
    unread::ask_for_other_halves(input, marks, &places, whereabouts)?;
    let text = query::readable(marks.request_text(input));
    let similarities = match ranking {
        Ranking::Relevance => similarities(input, marks, &text, notes)?,
        _ => None,
    };
    let (source, row) = match &input.request {
        Some(request) => (request, Some(0)),
        None => (&input.transcript, marks.newest_user_row(input)),
    };
    let name = row.and_then(|row| source.value(row, Field::Name)).unwrap_or_default();
    let role = row.map_or(Role::User, |row| source.role(row));
    let basis = Basis {
        is_open,
        index: Rc::clone(&index),
        request: [text, name.to_owned()],
        role,
        zone_offsets: input.answers.zone_offsets.clone(),
    };
    let similarities = similarities.map(|by_row| {
        let of_row = |row: &usize| by_row.get(*row).copied().unwrap_or_default();
        rows.iter().map(of_row).collect::<Vec<f32>>()
    });
    let known = input.scored.take().filter(|known| known.basis == basis && similarities.is_none());
    let found = match known {
        Some(known) => known,
        None => scored(input, basis, similarities.as_deref())?,
    };
    let Scored { query, scores, best, standing, basis: Basis { is_open, .. } } = &found;
    let open = |place: usize| {
        let row = rows[place];
        let at = if row == UNREAD { RankedPlace::Unread(place) } else { RankedPlace::Row(row) };
        is_open[place].then_some(at)
    };
    let candidates = best.iter().filter_map(|it| it.map(open)).collect();
    let standing = standing.iter().copied().filter_map(open).collect();
    let (query, scores) = (Rc::clone(query), Rc::clone(scores));
    let evidence = Evidence { index, query, scores, similarities, rows, places, seqs };
    input.scored.replace(Some(found));
    let evidence = RankEvidence::Found(Rc::new(evidence));
    Ok(Some(Ranked { newest, standing, candidates, evidence }))
}

/// Scores the messages of an index for the request.
fn scored(input: &Input, basis: Basis, similarities: Option<&[f32]>) -> StageResult<Scored> {
    let [text, name] = &basis.request;
    let request = Request { text, name, role: basis.role };
    let query = Query::new(&basis.index, request, input.now, &input.answers.zone);
    if !query.spans.is_empty() {
        input.zone()?; // stops until it is known, and the request is read again
    }
    let (index, is_open) = (&basis.index, &basis.is_open);
    let scoring = Scoring { index, query: &query, is_open, weights: &Weights::TUNED };
    let closed_count = is_open.iter().filter(|is_open| !**is_open).count();
    let most = most_ranked(input, closed_count);
    let (scores, best, standing) = if input.config.recall.ranking == Ranking::Bm25 {
        let scores = score::score_by_words(scoring);
        let best = score::best(&scores.total, most).into_iter().map(Candidate::whole).collect();
        (scores, best, Vec::new())
    } else {
        let scores = score::score(scoring, input.now, similarities);
        let mut worth = worth::worth(scoring, &scores);
        let best = score::best(&worth, most);
        let best = worth::count_off_repeated(index, best, &mut worth);
        let best = candidates(input, scoring, &scores, &worth, &best);
        (scores, best, standing::standing(scoring, &worth))
    };
    let (scores, best, standing) = (Rc::new(scores), Rc::new(best), Rc::new(standing));
    Ok(Scored { query: Rc::new(query), scores, best, standing, basis })
}

/// The best messages as candidates: those twice that are worth more as excerpts, and each with what it brings.
fn candidates(
    input: &Input,
    scoring: Scoring<'_>,
    scores: &Scores,
    worth: &[f32],
    best: &[usize],
) -> Vec<Candidate<usize>> {
    let RecallConfig { excerpts, pairs, .. } = &input.config.recall;
    let excerpted = Excerpted {
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

/// An index, and where its messages are.
struct Indexed {
    index: Rc<Index>,
    /// By row: the place in the index, or [`NOT_INDEXED`].
    places: Vec<usize>,
    /// The sequence number of each, where a store has messages that are not read.
    seqs: Option<Rc<Vec<u64>>>,
}

impl Indexed {
    /// Takes the index as it was when the request came, so that the answers of the request do not change what is quoted before them.
    fn leave_out_answers(&mut self, input: &Input, marks: &Marks) {
        let is_answer = |row: &usize| marks.is_in_turn(*row) && marks.asked() != Some(*row);
        let answers = (0..self.places.len()).filter(is_answer);
        let answers = answers.map(|row| self.places[row]).filter(|place| *place != NOT_INDEXED);
        let Some(first) = answers.min() else { return };
        self.index = input.transcript.earlier_index(&self.index, first);
        for place in &mut self.places {
            if *place >= first {
                *place = NOT_INDEXED;
            }
        }
    }
}

/// The index of all messages of this session and for this agent: the words of others do not tell which are rare here, or who
/// speaks. Of a log that was not read whole it is the one that is kept of the log.
fn indexed(input: &Input, marks: &Marks) -> StageResult<Indexed> {
    let transcript = &input.transcript;
    let mut own = marks.order.clone();
    if marks.has_decision(is_of_others) {
        own.retain(|row| !marks.decision(*row).is_some_and(is_of_others));
    }
    let is_log = own.len() == transcript.len() && own.is_sorted() && !transcript.needs_whole_log();
    let all = 0..transcript.len();
    if is_log && transcript.is_part() {
        let index = transcript.whole_index();
        if index.needs_whole_log() {
            return Err(Wanted::All.into());
        }
        let places = all.map(|row| transcript.stored_row(row)).collect();
        return Ok(Indexed { index, places, seqs: None });
    }
    let log = if is_log { transcript.log_index() } else { None };
    match (log, transcript.unread()) {
        (Some(log), None) => Ok(Indexed { index: log.index, places: all.collect(), seqs: None }),
        (None, None) => {
            let mut places = vec![NOT_INDEXED; transcript.len()];
            for (place, row) in own.iter().enumerate() {
                places[*row] = place;
            }
            Ok(Indexed { index: transcript.index(&own), places, seqs: None })
        }
        (None, Some(_)) if is_log => Err(Wanted::Index.into()),
        (None, Some(_)) => Err(Wanted::All.into()),
        (Some(log), Some(_)) => {
            let places = transcript.seqs().iter().map(|seq| log.place_of(*seq)).collect();
            match places {
                Ok(places) if !log.index.needs_whole_log() => {
                    Ok(Indexed { index: log.index, places, seqs: Some(log.seqs) })
                }
                _ => Err(Wanted::All.into()),
            }
        }
    }
}

// ---- How near the messages are ----

/// By row, how near a message is to the request by the hook for embeddings; none where there is no hook, or it failed. Of what
/// limits do not apply to nothing is known: 0.
fn similarities(
    input: &Input,
    marks: &Marks,
    request: &str,
    notes: &mut Vec<(NoteKind, String)>,
) -> StageResult<Option<Vec<f32>>> {
    if request.trim().is_empty() || input.hook(&[HookName::Embed]).is_none() {
        return Ok(None);
    }
    let rows = marks.optional_rows();
    let Some(answer) = input.answer_of(HookName::Embed) else {
        if rows.is_empty() {
            return Ok(None);
        }
        let config = &input.config.recall;
        let vectors = input.transcript.embeddings(&config.embed_model);
        let request = vectors::cut(request).to_owned();
        let mut texts = vectors.unknown_texts(&input.transcript, &rows);
        texts.retain(|text| *text != request);
        texts.insert(0, request); // the first vector is the request's
        return Err(Need::Embeddings {
            texts,
            message_count: rows.len(),
            batch_size: config.embed_batch_size,
            timeout_ms: config.timeout_ms,
        }
        .into());
    };
    match answer.outcome {
        Outcome::Given => {
            let found = answer.similarities.as_deref().and_then(vectors::read_similarities);
            let mut all = vec![0.0; input.transcript.len()];
            for (row, similarity) in rows.iter().zip(found.unwrap_or_default()) {
                all[*row] = similarity;
            }
            Ok(Some(all))
        }
        Outcome::Unavailable => {
            let words = "there are no embeddings: messages were ranked by their words alone";
            notes.push((NoteKind::EmbeddingUnavailable, words.to_owned()));
            Ok(None)
        }
        Outcome::Failed => {
            let reason = answer.reason.clone().unwrap_or_default();
            notes.push((NoteKind::EmbeddingFailed, format!("recall.embed failed: {reason}")));
            Ok(None)
        }
    }
}

/// Remembers the vector of a text that was asked for.
pub(crate) fn learn(input: &Input, text: &str, vector: Vector, is_request: bool) {
    let vectors = input.transcript.embeddings(&input.config.recall.embed_model);
    if !is_request || vectors.is_of_any(text) {
        vectors.learn(text, vector);
    }
}

/// How near the messages that limits apply to are, as it is recorded; or why that cannot be said.
fn nearness(input: &Input, marks: &Marks, request: &Vector) -> Result<String, &'static str> {
    let rows = marks.optional_rows();
    let vectors = input.transcript.embeddings(&input.config.recall.embed_model);
    if vectors.forget_others(&rows, request.dimensions()) {
        return Err("gave vectors of another length than before, which are forgotten now");
    }
    let similarities = vectors.similarities(&rows, request);
    similarities.map(|known| write_similarities(&known)).ok_or("gave fewer vectors than texts")
}

/// An answer about embeddings as far as it is used. Where it does not say how near the messages are, the vectors do that were
/// learned: the request's is `request`.
pub(crate) fn understand_embeddings(
    input: &Input,
    marks: &Marks,
    message_count: usize,
    request: Option<&Vector>,
    answer: &mut Answer,
) -> Misunderstood {
    if let (Outcome::Given, None, Some(request)) = (answer.outcome, &answer.similarities, request) {
        match nearness(input, marks, request) {
            Ok(similarities) => answer.similarities = Some(similarities),
            Err(reason) => return answer.fail(reason),
        }
    }
    let text = answer.similarities.as_deref().unwrap_or_default();
    let found = vectors::read_similarities(text).map(|found| found.len());
    if answer.outcome == Outcome::Given && found != Some(message_count) {
        return answer.fail("the answer does not say how near the messages are");
    }
    if answer.outcome != Outcome::Given {
        answer.similarities = None;
    }
    Misunderstood::default()
}

/// More than fit the prompt.
///
/// Required and closed messages (`closed_count`) rank too, and are passed over.
fn most_ranked(input: &Input, closed_count: usize) -> usize {
    const MOST: u64 = 16_384;
    const LEAST_TOKENS: u64 = 4;
    const MISSES: u64 = 512;
    let limit = input.config.budget.prompt_limit().unwrap_or(u64::MAX) / LEAST_TOKENS;
    let most = limit.saturating_add(MISSES).min(MOST);
    usize::try_from(most).unwrap_or(usize::MAX).saturating_add(closed_count)
}

/// Whether all that there is fits the budget however it is counted: no text has more tokens or characters than bytes.
fn fits_anyway(input: &Input, marks: &Marks) -> bool {
    /// No letter takes more bytes when it is escaped, and no form puts more around a text of the config's.
    const ESCAPED: u64 = 6;
    const AROUND: u64 = 128;
    let config = &input.config;
    // The answers of hooks are not known yet, and chosen messages may be written otherwise where they are quoted.
    let is_unknown = input.hook(&[HookName::CountTokens, HookName::Recall]).is_some()
        || config.triage.placement == Placement::AfterHistory;
    let own = config.section(SectionKind::History).map(|(_, section)| section);
    let [tokens, chars, items] = own.map_or([None; 3], |section| {
        [config.token_limit_of(section), section.limit.chars, section.limit.items]
    });
    let rows = || marks.order.iter().copied().filter(|row| !marks.is_left_out(*row));
    if is_unknown || items.is_some_and(|items| rows().count() as u64 > items) {
        return false;
    }
    let limits = [config.budget.prompt_limit(), config.budget.max_chars, tokens, chars];
    let Some(limit) = limits.into_iter().flatten().min() else {
        return true;
    };
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
    let given = input.request.iter().map(|_| Piece::Request);
    let pieces = given.chain(rows().map(|row| marks.piece(row)));
    for piece in pieces {
        if most > limit {
            break;
        }
        most = most.saturating_add(form::most_of(&form::parts(view, piece, false)));
    }
    most <= limit
}

/// Whether a message was left out as it is of another session, for another agent, or there twice.
fn is_of_others(decision: Decision) -> bool {
    matches!(decision.reason, Reason::OtherSession | Reason::OtherTarget | Reason::Duplicate)
}

/// Finds what sections show for the request: among their items, and by the hook, where there is one and a section for what
/// it finds.
fn search(input: &Input, marks: &Marks, findings: &mut Findings) -> StageResult {
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
        let found = find(input, &findings.focus, position, &query);
        findings.items.insert(position, found);
    }
    if let Some(position) = recall {
        let found = recalled(input, findings, position, &query);
        findings.items.insert(position, found);
    }
    Ok(())
}

/// What the section of kind `recall` shows, the best first: what the hook found, and what is among the section's items.
fn recalled(input: &Input, findings: &mut Findings, position: usize, query: &str) -> Vec<Item> {
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
        let words = "nothing could be recalled: there is no recall".to_owned();
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
        let own = find(input, &findings.focus, position, query);
        let mut order: Vec<usize> = (0..own.len()).collect();
        map::sort_by_key(&mut order, &|at| (map::descending(own[at].score.unwrap_or(0.0)), 0));
        let own = order.into_iter().map(|at| own[at].clone()).collect();
        found = by_turns(found, own, count(Some(findings.focus.max_items)));
    }
    findings.report = Some(RecallReport { status, hits: found.len() });
    found
}

/// Two lists by turns, without blank texts, and none twice.
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

/// What of a section's items fits the request best, as items in their order.
fn find(input: &Input, focus: &FocusReport, position: usize, query: &str) -> Vec<Item> {
    if query.trim().is_empty() {
        return Vec::new();
    }
    let section = &input.config.sections()[position];
    let limit = &section.limit;
    let is_bounded = limit.items.is_some() || limit.chars.is_some() || limit.tokens.is_some();
    let is_recall = section.kind == SectionKind::Recall;
    let mut bounds = Bounds {
        count: count(limit.items),
        chars: count(limit.chars),
        text_chars: usize::MAX,
        around: section.item.as_ref().map_or(0, |template| template.chars().count()) + 1,
    };
    if is_recall || !is_bounded {
        bounds.count = bounds.count.min(count(Some(focus.max_items)));
        bounds.chars = bounds.chars.min(count(Some(focus.max_chars)));
    }
    if is_recall {
        bounds.text_chars = count(Some(input.config.recall.max_item_chars));
    }
    let texts: Vec<&str> = section.items.iter().map(|item| item.text.as_str()).collect();
    let library = input.transcript.known_library(&texts, bounds.passage_chars());
    let found = passages::find(&library, &texts, query, bounds, input.now);
    let item = |found: Found| {
        let item = &section.items[found.text];
        let text = &item.text[found.range];
        Item {
            text: text.to_owned(),
            summary: item.summary.clone().filter(|_| text == item.text.trim()),
            priority: Some(found.score),
            score: Some(found.score),
            ..item.clone()
        }
    };
    found.into_iter().map(item).collect()
}

/// An answer as far as it is used: as many items as were asked for. More than that are no mistake: the best come first.
pub(crate) fn understand(max_items: u64, answer: &mut Answer) -> Misunderstood {
    match &mut answer.items {
        Some(items) => items.truncate(max_items.try_into().unwrap_or(usize::MAX)),
        None if answer.outcome == Outcome::Given => {
            return answer.fail("the answer is no list");
        }
        None => {}
    }
    Misunderstood::default()
}
