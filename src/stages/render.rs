//! Stage 8, `render`: puts the kept pieces into the requested form, and reports their cost.

use crate::base::cost::Cost;
use crate::base::map::Map;
use crate::base::message::Field;
use crate::base::text::counted;
use crate::config::{Calibration, Format, OpenCalls, SectionKind};
use crate::log::groups::HalfCall;
use crate::log::tool_calls::shown_fields;
use crate::prompt::certainty::Beside;
use crate::prompt::form;
use crate::prompt::measure::Meter;
use crate::prompt::merged;
use crate::prompt::sent;
use crate::state::ask::StageResult;
use crate::state::context::{
    Context, HalfCalls, MadeText, Piece, PlacedPiece, SectionReport, SectionTokens, TokenReport,
};
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::trace::{NoteKind, Reason};
use crate::state::view::View;
use crate::tokens::windows;

/// Assembles the prompt and reports its cost.
///
/// # Errors
///
/// Stops to ask for counts.
pub fn ask(view: View<'_>) -> StageResult<Context> {
    let View { input, marks, fill } = view;
    let mut meter = Meter::new(input, marks)?;
    // Now the last piece of the prompt is known.
    let pieces: Vec<Piece> = fill.layout.iter().map(|(piece, _)| *piece).collect();
    meter.last = pieces.last().copied();
    meter.ask_for(view, &pieces)?;
    let has_instruction = pieces.iter().any(|piece| view.role_of(*piece).is_instruction());
    let fixed = meter.fixed(input, has_instruction)?;
    let mut costs = Vec::with_capacity(pieces.len());
    for piece in &pieces {
        costs.push(meter.cost(view, *piece)?);
    }
    merged::settle(&meter, view, &pieces, &mut costs)?;
    let total = costs.iter().fold(fixed, |total, cost| total.plus(*cost));
    let certainty = meter.certainty(&input.config, beside_texts(view, &pieces));
    let budget = &input.config.budget;
    let opening = meter.opening(input, has_instruction)?;
    let (fixed, costs) = as_tokens(budget.calibration(), [opening, fixed.tokens], &costs);
    let is_text = input.config.render.format != Format::Messages;
    let content = |made: &MadeText, position| {
        let piece = Piece::Made(position);
        let text = if fill.quotes.first() == Some(&piece) {
            form::quoting_content(view)
        } else {
            form::made_content(view, piece, made)
        };
        MadeText { text, ..made.clone() }
    };
    let made = fill.made.iter().enumerate().map(|(position, made)| content(made, position));
    // A text that the build made is in `made`, in its sent form.
    let cut = fill.shortened.iter().filter(|(piece, _)| !matches!(piece, Piece::Made(_)));
    let mut media_lines = Map::clone(&fill.hidden_media);
    for (row, lines) in fill.media_lines.iter() {
        media_lines.insert(marks.as_given(Piece::Message(*row)), lines.clone());
    }
    let excerpts = fill.excerpts.iter();
    let excerpts = excerpts.map(|(row, gaps)| (marks.as_given(Piece::Message(*row)), gaps.clone()));
    let placed = fill.layout.iter().zip(&costs).map(|((piece, section), cost)| PlacedPiece {
        piece: marks.as_given(*piece),
        section: *section,
        tokens: *cost,
        checksum: 0, // `snapshot` sets it
    });
    Ok(Context {
        tokens: TokenReport {
            total: budget.calibration().tokens(total.tokens),
            counted: total.tokens,
            calibration: (!budget.usage.is_empty()).then(|| budget.calibration().factor()),
            limit: budget.token_limit(),
            exact: certainty.is_exact,
            words: certainty.words,
            encoding: meter.name().to_owned(),
            sections: section_tokens(view, fixed, &costs),
        },
        least_cached: windows::least_cached(input.config.model.as_deref()),
        char_count: meter.counts_chars().then_some(total.chars),
        byte_count: budget.max_bytes.map(|_| {
            let media = pieces.iter().map(|piece| sent::media_bytes(view, *piece));
            media.fold(total.bytes, u64::saturating_add)
        }),
        text: is_text.then(|| form::text(view, pieces.iter().copied())),
        sections: section_reports(view),
        made: made.collect(),
        shortened: cut.map(|(piece, it)| (marks.as_given(*piece), it.text.clone())).collect(),
        excerpts: excerpts.collect(),
        media_lines: media_lines.iter().map(|(piece, it)| (*piece, it.clone())).collect(),
        halves: if is_text { Vec::new() } else { half_calls(marks, &pieces) },
        pieces: placed.collect(),
        cut: fill.cut,
        trimmed: fill.is_trimmed,
        focus: marks.focus.clone(),
        recall: marks.recall.clone(),
        triage: marks.triage.clone(),
        compact: fill.compact.as_ref().map(|it| it.report.clone()),
        conversations: fill.conversations.clone(),
        ..Context::default()
    })
}

/// Returns the pieces with halves of calls.
fn half_calls(marks: &Marks, pieces: &[Piece]) -> Vec<HalfCalls> {
    let places = |halves: &[HalfCall]| halves.iter().map(|half| half.place).collect();
    let rows = pieces.iter().filter_map(|piece| piece.row().map(|row| (*piece, row)));
    let halves = rows.map(|(piece, row)| HalfCalls {
        piece,
        open: places(marks.open_calls_of(row)),
        orphans: places(marks.orphans_of(row)),
    });
    halves.filter(|half| !half.open.is_empty() || !half.orphans.is_empty()).collect()
}

/// Lists the calls without a result.
fn note_open_calls(input: &Input, marks: &mut Marks, context: &Context) {
    const NAMED: usize = 8;
    let transcript = &input.transcript;
    let mut calls = Vec::new();
    for row in context.halves.iter().filter_map(|half| half.piece.row()) {
        let open = marks.open_calls_of(row);
        let ids = transcript.values(row, Field::CallId);
        let named = ids.zip(transcript.values(row, Field::CallName)).enumerate();
        let is_open = |place: usize| open.binary_search_by_key(&place, |half| half.place).is_ok();
        // An approval request for a call has no name.
        let named = named.filter(|(place, (_, name))| is_open(*place) && !name.is_empty());
        calls.extend(named.map(|(_, (id, name))| format!("{name} ({id})")));
    }
    if calls.is_empty() {
        return;
    }
    let count = counted(calls.len() as u64, "tool call");
    let more = calls.len().saturating_sub(NAMED);
    calls.truncate(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let names = calls.join(", ");
    let what = match input.config.render.open_calls {
        OpenCalls::Close => "closed as interrupted in the request",
        OpenCalls::Drop => "left out",
    };
    let words = format!("{count} without a result, {what} (render.openCalls): {names}{more}");
    marks.note(NoteKind::OpenCalls, words);
}

/// Adds a note about reasoning and provider notes that the request has no place for.
fn note_unsent(input: &Input, marks: &mut Marks, context: &Context) {
    /// The end of the maker's name, and the kind of reasoning that it names.
    const KINDS: [(&str, &str); 5] = [
        ("/tools", "tool change"),
        ("/output", "output change"),
        ("/note", "provider's note"),
        ("/compaction", "compaction"),
        ("", "reasoning part"),
    ];
    let (config, transcript) = (&*input.config, &input.transcript);
    if context.text.is_some() || !transcript.has_seen(Field::Reasoning) {
        return;
    }
    let rows = context.pieces.iter().filter_map(|placed| placed.piece.row());
    let mut counts = [0; KINDS.len()];
    for row in rows {
        let mut thoughts = sent::Thoughts::default();
        for (field, value) in shown_fields(config, transcript, row) {
            if let Some(sent::Thought::Unsent(maker)) = thoughts.read(config, field, value)
                && !value.is_empty()
            {
                let kind = KINDS.iter().position(|(suffix, _)| maker.ends_with(suffix));
                counts[kind.unwrap_or_default()] += 1;
            }
        }
    }
    let found = counts.into_iter().zip(KINDS).filter(|(count, _)| *count > 0);
    let found: Vec<_> = found.map(|(count, (_, noun))| counted(count, noun)).collect();
    if !found.is_empty() {
        let found = found.join(", ");
        marks.note(
            NoteKind::NotSent,
            format!("left out, because the request has no field for it: {found}"),
        );
    }
}

/// Adds a note about messages whose `createdAt` isn't a time. Filters by age and gap notices ignore it.
fn note_unread_times(input: &Input, marks: &mut Marks, context: &Context) {
    let transcript = &input.transcript;
    let rows = context.pieces.iter().filter_map(|placed| placed.piece.row());
    let untimed = rows.filter(|row| transcript.time(*row).is_none());
    let values = untimed.filter_map(|row| transcript.value(row, Field::CreatedAt));
    let count = values.filter(|value| !value.is_empty()).count();
    if count > 0 {
        let found = counted(count as u64, "message");
        let words = format!("without a time, because createdAt isn't ISO 8601: {found}");
        marks.note(NoteKind::TimesUnread, words);
    }
}

/// Adds notes about calls without a result, about times, and about required pieces that cost more than the budget.
pub fn mark(input: &Input, marks: &mut Marks, context: &Context) {
    note_open_calls(input, marks, context);
    note_unsent(input, marks, context);
    note_unread_times(input, marks, context);
    let budget = &input.config.budget;
    let (tokens, chars) = (context.tokens.total, context.char_count);
    let is_over = budget.token_limit().is_some_and(|limit| tokens > limit)
        || budget.max_chars.zip(chars).is_some_and(|(limit, chars)| chars > limit)
        || budget.max_bytes.zip(context.byte_count).is_some_and(|(limit, bytes)| bytes > limit);
    if is_over {
        let mut cost = counted(tokens, "token");
        if let Some(chars) = chars {
            cost = format!("{cost}, {}", counted(chars, "character"));
        }
        if let Some(bytes) = context.byte_count {
            cost = format!("{cost}, {}", counted(bytes, "byte"));
        }
        let words = format!("the required messages and sections cost more than the budget: {cost}");
        marks.note(NoteKind::RequiredOverflow, words);
    }
}

/// Non-text content of the prompt. In a text format everything is text.
fn beside_texts(view: View<'_>, pieces: &[Piece]) -> Beside {
    let mut beside = Beside::default();
    if view.input.config.render.format != Format::Messages {
        return beside;
    }
    let in_place = pieces.iter().filter(|piece| !matches!(piece, Piece::Quoted(_)));
    for piece in in_place {
        let Some((transcript, row)) = view.source(*piece) else { continue };
        let lines = view.media_lines(*piece);
        let is_hidden = !lines.is_empty() && lines.iter().all(Option::is_some);
        beside.has_media |= !is_hidden && transcript.has_media(row);
        beside.has_tools |= transcript.has_tools(row);
    }
    beside
}

/// Returns the costs of the empty form, the tool definitions, and each piece, in the model's tokens, rounded so that
/// they add up to the total. The second argument has the tokens that prime the reply, without and with the definitions.
fn as_tokens(
    calibration: Calibration,
    [opening, mut counted]: [u64; 2],
    costs: &[Cost],
) -> ([u64; 2], Vec<u64>) {
    let format = calibration.tokens(opening);
    let mut before = calibration.tokens(counted);
    let fixed = [format, before - format];
    let tokens = costs.iter().map(|cost| {
        counted = counted.saturating_add(cost.tokens);
        let after = calibration.tokens(counted);
        after - std::mem::replace(&mut before, after)
    });
    (fixed, tokens.collect())
}

fn section_tokens(
    view: View<'_>,
    [mut format, tools]: [u64; 2],
    costs: &[u64],
) -> Vec<SectionTokens> {
    let section = |id: &str, tokens| SectionTokens { id: id.to_owned(), tokens };
    let mut instructions = 0;
    let mut sections: Vec<u64> = vec![0; view.input.config.sections().len()];
    for ((piece, position), cost) in view.fill.layout.iter().zip(costs) {
        let is_history = view.input.config.sections()[*position].kind == SectionKind::History;
        match piece {
            Piece::Message(row) if view.marks.requirement(*row) == Some(Reason::Instruction) => {
                instructions += cost;
            }
            Piece::Made(_) if is_history && view.marks.conversations.is_none() => {
                format += cost;
            }
            _ => sections[*position] += cost,
        }
    }
    let named = view.input.config.sections().iter().zip(sections);
    let named = named.map(|(it, tokens)| section(&it.id, tokens));
    [section("format", format), section("tools", tools), section("instructions", instructions)]
        .into_iter()
        .chain(named)
        .collect()
}

/// The contents of each section: history and request as in the text, all others from `budget`.
fn section_reports(view: View<'_>) -> Vec<SectionReport> {
    let mut given = view.fill.sections.iter().peekable();
    let is_text = view.input.config.render.format != Format::Messages;
    let report = |(position, section): (usize, &crate::config::Section)| {
        if let Some(report) = given.next_if(|report| report.id == section.id) {
            return report.clone();
        }
        let of_section = view.fill.layout.iter().filter(|(_, at)| *at == position);
        let pieces: Vec<Piece> = of_section.map(|(piece, _)| *piece).collect();
        let text = (is_text && !pieces.is_empty()).then(|| form::text(view, pieces));
        SectionReport { id: section.id.clone(), kind: section.kind, text, items: Vec::new() }
    };
    view.input.config.sections().iter().enumerate().map(report).collect()
}
