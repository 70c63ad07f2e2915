//! Drives a build step by step, up to the finished context.

use super::crossing::{JsResult, failure, moment, number, pairs, plain, read_config, to_js};
use super::selection::{loaded_meaning, started_selection};
use super::tokens::loaded;
use super::transcript::CoreTranscript;
use crate::base::json::to_json;
use crate::base::value::{OptionNames, Value};
use crate::config::ContextConfig;
use crate::log::messages::Messages;
use crate::log::reach::Reach;
use crate::log::unread::RecalledWords;
use crate::machine::{Build, Step};
use crate::state::ask::{Answer, HookName, Need};
use crate::state::context::{
    CompactReport, Context, ConversationReport, FocusReport, Gap, MadeText, Piece, RecallReport,
    Recording, SectionReport, Snapshot, TokenReport, TriageReport,
};
use crate::state::input::{EarlierQuotes, Input};
use crate::state::trace::{Decision, Note, ReasonWords, Trace};
use js_sys::{Float64Array, Int32Array, Uint32Array};
use serde::Serialize;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use xxhash_rust::xxh64::xxh64;

/// A build in progress.
#[wasm_bindgen]
#[derive(Debug)]
pub struct CoreBuild(Build);

#[wasm_bindgen]
impl CoreBuild {
    /// Begins a build over the transcript's current messages. `request` is a transcript of one message, or an empty one
    /// for no request. Without it the newest user message is the request.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` with the option's path, even if the request isn't valid.
    #[wasm_bindgen(constructor)]
    pub fn new(
        transcript: &CoreTranscript,
        request: Option<CoreTranscript>,
        config: &JsValue,
        now: f64,
        hooks: Vec<String>,
    ) -> JsResult<Self> {
        let mut config = read_config(config)?;
        // Only the snapshot's label depends on it.
        config.turn_id.get_or_insert_with(|| random_id("turn"));
        let now = moment(now);
        let request = request.map(|request| request.0);
        let hooks = Value::List(hooks.into_iter().map(Value::Text).collect());
        let hooks = hooks.decode(&OptionNames::NONE).map_err(failure)?;
        Build::new(Rc::clone(&transcript.0), request, config, now, hooks).map(Self).map_err(failure)
    }

    /// Sends only the thinking of these messages, given by their positions in order. Without this call, all thinking is
    /// sent. For builds that haven't begun.
    #[wasm_bindgen(js_name = sendThinkingOf)]
    pub fn send_thinking_of(&mut self, positions: Vec<u32>) {
        self.0.send_thinking_of(positions.into_iter().map(|position| position as usize).collect());
    }

    /// Takes the last ranking of a build that this one replaces; see [`Build::take_ranking`].
    #[wasm_bindgen(js_name = takeRanking)]
    pub fn take_ranking(&self, replaced: &Self) {
        self.0.take_ranking(&replaced.0);
    }

    /// Keeps a text with quotes of an earlier prompt before a message, by its position, and doesn't quote the same
    /// messages again. For builds that haven't begun.
    #[wasm_bindgen(js_name = keepQuotes)]
    pub fn keep_quotes(&mut self, before: u32, quoted: Vec<u32>, text: String) {
        let quoted = quoted.into_iter().map(|position| position as usize).collect();
        self.0.keep_quotes(EarlierQuotes { before: before as usize, quoted, text });
    }

    /// Runs on, and returns the next [`Need`] or the finished context.
    ///
    /// # Errors
    ///
    /// `BUDGET_TOO_SMALL`, `HOOK_FAILED`.
    pub fn step(&mut self) -> JsResult<JsValue> {
        loop {
            match self.0.step().map_err(failure)? {
                Step::Need(Need::Encoding { name }) if loaded(name).is_some() => {
                    if let Some(encoding) = loaded(name) {
                        self.0.provide_encoding(encoding);
                    }
                }
                Step::Need(Need::Selection) if started_selection().is_some() => {
                    if let Some(selecting) = started_selection() {
                        self.0.provide_selection(selecting.selection);
                    }
                }
                Step::Need(Need::Meaning) if loaded_meaning().is_some() => {
                    if let Some(table) = loaded_meaning() {
                        self.0.provide_meaning(table);
                    }
                }
                Step::Need(need) => return to_js(&of_messages(need, &self.0.input().given)),
                Step::Done(context) => return finished(&context, self.0.input()),
            }
        }
    }

    /// Takes the hook's vectors for the requested texts from the one at `first` on; see [`Build::learn_vectors`].
    #[wasm_bindgen(js_name = learnVectors)]
    pub fn learn_vectors(&mut self, first: usize, vectors: &[f32], dimensions: usize) -> bool {
        self.0.learn_vectors(first, vectors, dimensions)
    }

    /// The messages' similarities, parsed from the embedding hook's answer.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn similarities(&self) -> Option<String> {
        self.0.similarities().map(str::to_owned)
    }

    /// Answers a hook's question, with an [`Answer`].
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` if it isn't an answer, `INVALID_RECORDING` if nothing of that kind was asked, `HOOK_FAILED` if
    /// `countTokens` returned no counts.
    pub fn answer(&mut self, answer: &JsValue) -> JsResult<()> {
        let answer: Answer = plain(answer).decode(&OptionNames::NONE).map_err(failure)?;
        self.0.answer(answer).map_err(failure)
    }

    /// Answers the need for a time zone's offsets: start (milliseconds since 1970) and minutes east, alternating.
    #[wasm_bindgen(js_name = answerOffsets)]
    pub fn answer_offsets(&mut self, offsets: &[f64]) {
        self.0.provide_offsets(pairs(offsets));
    }
}

/// Converts a need's rows to messages.
fn of_messages(mut need: Need, transcript: &Messages) -> Need {
    let place = |positions: &mut Vec<usize>| {
        for position in &mut *positions {
            *position = transcript.message_of(*position);
        }
        positions.dedup();
    };
    match &mut need {
        Need::Triage { candidates, .. } => {
            for candidate in candidates {
                place(&mut candidate.positions);
            }
        }
        Need::Summaries { conversations, .. } => {
            for wanted in conversations {
                place(&mut wanted.positions);
            }
        }
        Need::Compact { positions, .. } => {
            for position in positions {
                *position = transcript.message_of(*position);
            }
        }
        _ => {}
    }
    need
}

/// Returns how many of the newest messages a build with this config may look at; infinity for all. It looks at few of
/// the older ones.
///
/// # Errors
///
/// `INVALID_CONFIG` with the option's path.
#[wasm_bindgen(js_name = reachOf)]
pub fn reach_of(config: &JsValue, hooks: Vec<String>) -> JsResult<f64> {
    let config = read_config(config)?;
    let hooks = Value::List(hooks.into_iter().map(Value::Text).collect());
    let hooks: Vec<HookName> = hooks.decode(&OptionNames::NONE).map_err(failure)?;
    Ok(match Reach::of(&config, HookName::ABOUT_ALL.iter().any(|name| hooks.contains(name))) {
        Reach::Newest(count) => number(count as u64),
        Reach::Everything => f64::INFINITY,
    })
}

/// A finished context as it crosses the binding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FinishedContext {
    #[serde(with = "serde_wasm_bindgen::preserve")]
    rows: Int32Array,
    /// The place of each piece among the rows of its message.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    shares: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    costs: Float64Array,
    /// A 53-bit checksum of each piece's sent form.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    checksums: Float64Array,
    /// The parts that cross as one JSON text, because they are small or rarely read.
    json: String,
}

/// A piece, the places of its calls without a result, and of its results without a call.
type CrossingHalf<'a> = ((i32, u32), &'a [usize], &'a [usize]);

/// The number of a piece, and the lines that replace its images and files; None for those that are sent.
type PieceLines<'a> = ((i32, u32), &'a [Option<String>]);

/// The rest of a finished context.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rest<'a> {
    /// A checksum of the tool definitions, which come before everything else.
    head: f64,
    /// The shortest prompt that the model's provider caches, in tokens.
    least_cached: u64,
    /// The form of users' names, as its position in [`UserNames`](crate::log::messages::UserNames).
    user_names: u8,
    /// The positions of the messages in the prompt that are instructions.
    instructions: Vec<i32>,
    made: &'a [MadeText],
    shortened: Vec<((i32, u32), &'a str)>,
    excerpts: Vec<((i32, u32), Vec<ExcerptGap>)>,
    media_lines: Vec<PieceLines<'a>>,
    halves: Vec<CrossingHalf<'a>>,
    text: &'a Option<String>,
    tokens: &'a TokenReport,
    char_count: Option<u64>,
    byte_count: Option<u64>,
    trimmed: bool,
    sections: &'a [SectionReport],
    focus: &'a FocusReport,
    recall: &'a Option<RecallReport>,
    triage: &'a Option<TriageReport>,
    compact: Option<CompactReport>,
    conversations: &'a [ConversationReport],
    trace: CrossingTrace<'a>,
    snapshot: &'a Snapshot,
    recording: &'a Recording,
}

/// A trace whose runs are lists of numbers, because there can be thousands.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CrossingTrace<'a> {
    /// The decisions about the runs, each once.
    decisions: Vec<Decision>,
    /// Each run's first and last message, the place of its decision, and its tokens.
    ranges: Vec<(usize, usize, usize, u64)>,
    reasons: &'a [ReasonWords],
    recalled: &'a [RecalledWords],
    notes: &'a [Note],
    unread_count: usize,
}

impl<'a> CrossingTrace<'a> {
    fn of(trace: &'a Trace) -> Self {
        let mut decisions: Vec<Decision> = Vec::new();
        let ranges = trace.ranges.iter().map(|range| {
            let decision = Decision { fate: range.fate, stage: range.stage, reason: range.reason };
            let known = decisions.iter().position(|known| *known == decision);
            let place = known.unwrap_or_else(|| {
                decisions.push(decision);
                decisions.len() - 1
            });
            (range.first, range.last, place, range.tokens)
        });
        let ranges = ranges.collect();
        let Trace { reasons, recalled, notes, unread_count, .. } = trace;
        Self { decisions, ranges, reasons, recalled, notes, unread_count: *unread_count }
    }
}

/// An omission in one place of an excerpt.
#[derive(Serialize)]
struct ExcerptGap {
    /// The start of its mark, in the code units of a JavaScript string.
    start: usize,
    tokens: u64,
}

/// The omissions in each excerpt, by places in a JavaScript string.
fn gaps_of(context: &Context, transcript: &Messages) -> Vec<((i32, u32), Vec<ExcerptGap>)> {
    let of = |(piece, gaps): &(Piece, Vec<Gap>)| {
        let text = context.shortened.iter().find(|(of, _)| of == piece);
        let text = text.map(|(_, text)| text.as_str()).unwrap_or_default();
        let units = |start: usize| text[..start].encode_utf16().count();
        let gap = |gap: &Gap| ExcerptGap { start: units(gap.start), tokens: gap.tokens };
        (crossing_key(*piece, transcript), gaps.iter().map(gap).collect())
    };
    context.excerpts.iter().map(of).collect()
}

/// A piece as a number, which `pkg-template/src/context/pieces.ts` reads. A message of the transcript is its position,
/// the request is -1, a text made by the build is -2 or below, and a quoted message is the lowest number plus its
/// position.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "messages of one prompt fit 32 bits"
)]
fn crossing_row(piece: Piece, transcript: &Messages) -> i32 {
    match piece {
        Piece::Message(row) => transcript.message_of(row) as i32,
        Piece::Quoted(row) => i32::MIN + transcript.message_of(row) as i32,
        Piece::Request => -1,
        Piece::Made(position) => -2 - position as i32,
    }
}

/// A piece as a number, and its place among the rows of its message; see [`Messages::share`].
#[expect(clippy::cast_possible_truncation, reason = "rows of one message fit 32 bits")]
fn crossing_key(piece: Piece, transcript: &Messages) -> (i32, u32) {
    let share = piece.row().map_or(0, |row| transcript.share(row));
    (crossing_row(piece, transcript), share as u32)
}

fn finished(context: &Context, input: &Input) -> JsResult<JsValue> {
    let transcript: &Messages = &input.given;
    let keys = context.pieces.iter().map(|placed| crossing_key(placed.piece, transcript));
    let (rows, shares): (Vec<i32>, Vec<u32>) = keys.unzip();
    let costs: Vec<f64> = context.pieces.iter().map(|placed| number(placed.tokens)).collect();
    let checksums = context.pieces.iter().map(|placed| number(placed.checksum >> 11));
    let tools = to_json(&context.recording.config.budget.tools);
    let rest = Rest {
        head: number(xxh64(tools.as_bytes(), 0) >> 11),
        least_cached: context.least_cached,
        user_names: input.user_names as u8,
        instructions: context
            .pieces
            .iter()
            .filter(|placed| {
                let row = if let Piece::Message(row) = placed.piece { Some(row) } else { None };
                row.is_some_and(|row| transcript.role(row).is_instruction())
            })
            .map(|placed| crossing_row(placed.piece, transcript))
            .collect(),
        made: &context.made,
        shortened: context
            .shortened
            .iter()
            .map(|(piece, text)| (crossing_key(*piece, transcript), text.as_str()))
            .collect(),
        excerpts: gaps_of(context, transcript),
        media_lines: context
            .media_lines
            .iter()
            .map(|(piece, lines)| (crossing_key(*piece, transcript), lines.as_slice()))
            .collect(),
        halves: context
            .halves
            .iter()
            .map(|half| (crossing_key(half.piece, transcript), &half.open[..], &half.orphans[..]))
            .collect(),
        text: &context.text,
        tokens: &context.tokens,
        char_count: context.char_count,
        byte_count: context.byte_count,
        trimmed: context.trimmed,
        sections: &context.sections,
        focus: &context.focus,
        recall: &context.recall,
        triage: &context.triage,
        compact: context.compact.clone().map(|report| CompactReport {
            asked_position: report.asked_position.map(|row| transcript.message_of(row)),
            next: report.next.map(|need| of_messages(need, transcript)),
            ..report
        }),
        conversations: &context.conversations,
        trace: CrossingTrace::of(&context.trace),
        snapshot: &context.snapshot,
        recording: &context.recording,
    };
    to_js(&FinishedContext {
        rows: Int32Array::from(rows.as_slice()),
        shares: Uint32Array::from(shares.as_slice()),
        costs: Float64Array::from(costs.as_slice()),
        checksums: Float64Array::from(checksums.collect::<Vec<f64>>().as_slice()),
        json: to_json(&rest),
    })
}

/// An id of 64 random bits, after a word that names its kind.
fn random_id(prefix: &str) -> String {
    let mut bytes = [0; 8];
    // On a host without randomness, all ids are the same.
    let _ = getrandom::fill(&mut bytes);
    format!("{prefix}_{:016x}", u64::from_le_bytes(bytes))
}

/// The config with every default, as JSON.
#[wasm_bindgen(js_name = defaultConfig)]
#[must_use]
pub fn default_config() -> String {
    ContextConfig::default().canonical()
}
