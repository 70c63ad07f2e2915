//! Measures the costs of a prompt's parts in its form.

use crate::base::cost::Cost;
use crate::base::map::HashedMap;
use crate::base::message::Role;
use crate::base::time::Milliseconds;
use crate::config::{ContextConfig, Counting, Format};
use crate::prompt::certainty::{Beside, Certainty};
use crate::prompt::form;
use crate::prompt::parts::Parts;
use crate::recall::transcript::Transcript;
use crate::state::ask::{HookName, Need, StageResult};
use crate::state::context::Piece;
use crate::state::counts::Counts;
use crate::state::fill::Fill;
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::view::View;
use crate::tokens::{Counter, LONGEST_TOKEN, Tokenizer};
use std::rc::Rc;
use xxhash_rust::xxh64::xxh64;

/// The counter of texts.
#[derive(Clone, Debug)]
enum Source {
    /// windrow.
    Counter(Counter),
    /// The hook `countTokens`.
    Hook(Rc<Counts>, u64),
}

impl Source {
    fn count_until(&self, text: &str, limit: u64) -> StageResult<Option<u64>> {
        match self {
            Self::Counter(counter) => Ok(counter.count_until(text, limit)),
            Self::Hook(counts, timeout_ms) => match counts.0.borrow().get(text) {
                Some(count) => Ok((*count <= limit).then_some(*count)),
                None => {
                    Err(Need::Counts { texts: vec![text.to_owned()], timeout_ms: *timeout_ms }
                        .into())
                }
            },
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Counter(counter) => counter.name(),
            Self::Hook(..) => "countTokens",
        }
    }
}

/// Measures pieces in one form with one counter, and remembers the costs of messages.
#[derive(Debug)]
pub struct Meter {
    source: Source,
    /// Key for everything that a remembered cost depends on besides the message. None if costs aren't remembered.
    form: Option<u64>,
    counts_chars: bool,
    counts_bytes: bool,
    /// True if the prompt ends without the line end that its last piece was counted with.
    drops_line_end: bool,
    /// Extra tokens that the last line of a text or quote may cost without its line end. One is usually enough.
    pub(crate) line_end: u64,
    /// The last piece of the prompt, if it is known before the prompt is assembled.
    pub(crate) last: Option<Piece>,
}

impl Meter {
    /// The meter of a build.
    ///
    /// # Errors
    ///
    /// Stops to ask for the vocabulary, or for the offsets of the time zone if times are shown.
    pub(crate) fn new(input: &Input, marks: &Marks) -> StageResult<Self> {
        let config = &input.config;
        let is_bounded = marks.fits_anyway && config.budget.counting == Counting::WhenNeeded;
        let source = if input.hook(&[HookName::CountTokens]).is_some() {
            Source::Hook(Rc::clone(&input.answers.counts), config.budget.timeout_ms)
        } else {
            Source::Counter(match (config.encoding_name(), &input.answers.encoding) {
                (None, _) => Counter::Estimate(config.family().tokenizer()),
                (Some(_), _) if is_bounded => Counter::Estimate(config.family().tokenizer()),
                (Some(_), Some(encoding)) => Counter::Exact(Rc::clone(encoding)),
                (Some(name), None) => return Err(Need::Encoding { name }.into()),
            })
        };
        if form::shows_times(config) {
            input.zone()?;
        }
        Ok(Self::of(input, source))
    }

    /// A meter for counts that must not depend on a hook or on a provider's figures. It uses the encoding if it is
    /// loaded, or the estimate.
    pub(crate) fn uncalibrated(input: &Input) -> Self {
        let counter = match (input.config.encoding_name(), &input.answers.encoding) {
            (Some(_), Some(encoding)) if input.hook(&[HookName::CountTokens]).is_none() => {
                Counter::Exact(Rc::clone(encoding))
            }
            _ => Counter::Estimate(input.config.family().tokenizer()),
        };
        Self::of(input, Source::Counter(counter))
    }

    fn of(input: &Input, source: Source) -> Self {
        let config = &input.config;
        let is_remembered = matches!(source, Source::Counter(_));
        let counts_chars = config.budget.max_chars.is_some()
            || config.render.format != Format::Messages
            || config.sections().iter().any(|section| section.limit.chars.is_some());
        let counts_bytes = config.budget.max_bytes.is_some();
        let key = || {
            let names_in_texts = input.names_in_texts();
            format!(
                "{counts_chars} {counts_bytes} {names_in_texts} {}",
                form::key(config, source.name())
            )
        };
        Self {
            form: is_remembered.then(|| xxh64(key().as_bytes(), 0)),
            counts_chars,
            counts_bytes,
            drops_line_end: config.render.format != Format::Messages
                && !config.render.trailing_newline,
            source,
            line_end: 1,
            last: None,
        }
    }

    /// The form whose costs are remembered. None if none are.
    pub(crate) fn form(&self) -> Option<u64> {
        self.form
    }

    /// The name of the counter: an encoding's name, `estimate` or `countTokens`.
    pub(crate) fn name(&self) -> &'static str {
        self.source.name()
    }

    /// Certainty of the counts.
    pub(crate) fn certainty(&self, config: &ContextConfig, beside: Beside) -> Certainty {
        match &self.source {
            Source::Counter(Counter::Estimate(_)) if config.encoding_name().is_some() => {
                Certainty::of_bounds(config, beside)
            }
            Source::Counter(_) => Certainty::of(config, beside),
            Source::Hook(..) => Certainty::of_hook(config, beside),
        }
    }

    /// True if characters are counted too.
    pub(crate) fn counts_chars(&self) -> bool {
        self.counts_chars
    }

    /// Asks in one batch for all counts that the pieces need.
    pub(crate) fn ask_for(&self, view: View<'_>, pieces: &[Piece]) -> StageResult {
        self.ask_ahead(view, 0, &|place| pieces.get(place).copied())
    }

    /// Asks for the counts that the first `count` pieces need, if any are missing. The same batch also asks for counts
    /// of later pieces, up to its size limit. Pieces are numbered from 0.
    pub(crate) fn ask_ahead(
        &self,
        view: View<'_>,
        count: usize,
        piece_at: &dyn Fn(usize) -> Option<Piece>,
    ) -> StageResult {
        const BATCH: usize = 256;
        let Source::Hook(counts, timeout_ms) = &self.source else {
            return Ok(());
        };
        let counts = counts.0.borrow();
        let mut texts: Vec<String> = Vec::new();
        let mut is_wanted: HashedMap<String, u64> = HashedMap::default();
        for position in 0.. {
            let Some(piece) = piece_at(position) else {
                break;
            };
            let is_ahead = count > 0 && position >= count;
            if is_ahead && (texts.is_empty() || texts.len() >= BATCH) {
                break;
            }
            for text in form::parts(view, piece, self.is_last(view, piece)).texts() {
                if !counts.contains_key(&*text) && is_wanted.insert(text.to_string(), 0).is_none() {
                    texts.push(text.into_owned());
                }
            }
        }
        if texts.is_empty() {
            return Ok(());
        }
        Err(Need::Counts { texts, timeout_ms: *timeout_ms }.into())
    }

    /// The tokens of the empty form without the tools.
    pub(crate) fn opening(&self, input: &Input, has_instruction: bool) -> StageResult<u64> {
        let cost = self.measure(&form::opening(&input.config, has_instruction), u64::MAX)?;
        Ok(cost.unwrap_or_default().tokens)
    }

    /// The cost of the empty form, and of the tools.
    pub(crate) fn fixed(&self, input: &Input, has_instruction: bool) -> StageResult<Cost> {
        let cost = self.measure(&form::frame(&input.config, has_instruction), u64::MAX)?;
        Ok(cost.unwrap_or_default())
    }

    /// The tokens of a message besides its content.
    pub(crate) fn envelope(&self, config: &ContextConfig, role: Role) -> StageResult<u64> {
        let mut parts = Parts::default();
        parts.add_envelope(config, config.family(), role);
        Ok(self.measure(&parts, u64::MAX)?.unwrap_or_default().tokens)
    }

    /// The total cost of some pieces.
    pub(crate) fn total(&self, view: View<'_>, pieces: &[Piece]) -> StageResult<Cost> {
        pieces
            .iter()
            .try_fold(Cost::default(), |spent, piece| Ok(spent.plus(self.cost(view, *piece)?)))
    }

    /// The cost of a piece.
    pub(crate) fn cost(&self, view: View<'_>, piece: Piece) -> StageResult<Cost> {
        Ok(self.cost_until(view, piece, u64::MAX)?.unwrap_or_default())
    }

    /// The total cost of some pieces, or None as soon as they don't fit.
    pub(crate) fn cost_within(
        &self,
        view: View<'_>,
        pieces: &mut dyn Iterator<Item = Piece>,
        room: Cost,
    ) -> StageResult<Option<Cost>> {
        let mut spent = Cost::default();
        for piece in pieces {
            let left = room.minus(spent);
            match self.cost_until(view, piece, left.tokens)? {
                Some(cost) if cost.fits(left) => spent = spent.plus(cost),
                _ => return Ok(None),
            }
        }
        Ok(Some(spent))
    }

    /// An upper bound for the characters of a text that fits.
    pub(crate) fn most_chars(&self, limit: Cost) -> usize {
        let of_tokens = match self.source {
            Source::Counter(_) => {
                limit.tokens.saturating_add(1).saturating_mul(LONGEST_TOKEN as u64)
            }
            Source::Hook(..) => u64::MAX,
        };
        usize::try_from(of_tokens.min(limit.chars)).unwrap_or(usize::MAX)
    }

    /// The number of tokens in a text.
    pub(crate) fn count(&self, text: &str) -> StageResult<u64> {
        Ok(self.source.count_until(text, u64::MAX)?.unwrap_or(u64::MAX))
    }

    /// The approximate number of tokens in a text: exact if windrow counts. Never asks a hook.
    pub(crate) fn count_about(&self, text: &str) -> u64 {
        let counter = match &self.source {
            Source::Counter(counter) => counter,
            Source::Hook(..) => &Counter::Estimate(Tokenizer::O200k),
        };
        counter.count_until(text, u64::MAX).unwrap_or(u64::MAX)
    }

    /// Room for the end of a text that was counted with a line end but will have none.
    pub(crate) fn slack(&self) -> Cost {
        let is_open = self.last.is_none() && self.drops_line_end;
        Cost { tokens: if is_open { self.line_end } else { 0 }, ..Cost::default() }
    }

    /// The extra cost of a piece without its line end: its last token may split into several.
    pub(crate) fn line_end_cost(&self, view: View<'_>, piece: Piece) -> StageResult<u64> {
        let tokens = |is_last| -> StageResult<u64> {
            let cost = self.measure(&form::parts(view, piece, is_last), u64::MAX)?;
            Ok(cost.unwrap_or_default().tokens)
        };
        Ok(tokens(true)?.saturating_sub(tokens(false)?))
    }

    /// True if a piece ends a text, so that no line end follows it.
    fn is_last(&self, view: View<'_>, piece: Piece) -> bool {
        self.last == Some(piece) || view.fill.quotes.last() == Some(&piece)
    }

    fn cost_until(
        &self,
        view: View<'_>,
        piece: Piece,
        token_limit: u64,
    ) -> StageResult<Option<Cost>> {
        let is_last = self.is_last(view, piece);
        let parts = || form::parts(view, piece, is_last);
        let is_whole = view.shortened_text(piece).is_none() && view.media_lines(piece).is_empty();
        // The last piece of a text has no line end, so its cost differs. The cost of a shortened piece differs too, and
        // so does that of a piece whose call or result depends on others of its group.
        let (row, form) = match (piece, self.form) {
            (Piece::Message(row), Some(form))
                if !is_last
                    && is_whole
                    && view.marks.open_calls_of(row).is_empty()
                    && view.marks.repeats_of(row) == 0 =>
            {
                (row, if view.marks.goes_on(row) { form.wrapping_add(2) } else { form })
            }
            (Piece::Quoted(row), Some(form)) if !is_last && is_whole => {
                // In the text formats, a call is a line like any other.
                let is_chat = view.input.config.render.format == Format::Messages;
                (row, if is_chat { !form } else { form })
            }
            _ => return self.measure(&parts(), token_limit),
        };
        // Without its thinking, a message has a different cost.
        let form = if view.withholds(piece) { form.wrapping_add(1) } else { form };
        if let Some(cost) = view.input.transcript.remembered_cost(form, row) {
            return Ok((cost.tokens <= token_limit).then_some(cost));
        }
        let Some(cost) = self.measure(&parts(), token_limit)? else {
            return Ok(None);
        };
        view.input.transcript.remember_cost(form, row, cost);
        Ok(Some(cost))
    }

    fn measure(&self, parts: &Parts<'_>, token_limit: u64) -> StageResult<Option<Cost>> {
        let mut tokens = parts.flat_tokens;
        for text in parts.texts() {
            let Some(room) = token_limit.checked_sub(tokens) else {
                return Ok(None);
            };
            let Some(count) = self.source.count_until(&text, room)? else {
                return Ok(None);
            };
            tokens += count;
        }
        let chars = if self.counts_chars { parts.chars() } else { 0 };
        let bytes = if self.counts_bytes { parts.bytes() } else { 0 };
        Ok((tokens <= token_limit).then_some(Cost { tokens, chars, bytes }))
    }
}

/// The cost of the form itself, and of every message of a transcript in it. Times are counted in UTC.
#[must_use]
pub fn measure_all(
    transcript: &Rc<Transcript>,
    config: ContextConfig,
    counter: Counter,
) -> (Cost, Vec<Cost>) {
    let input = Input::new(Rc::clone(transcript), None, config, Milliseconds(0), Vec::new());
    let meter = Meter::of(&input, Source::Counter(counter));
    let (marks, fill) = (Marks::default(), Fill::default());
    let view = View { input: &input, marks: &marks, fill: &fill };
    let rows = 0..transcript.len();
    // windrow's own counters never ask.
    let cost = |row| meter.cost(view, Piece::Message(row)).unwrap_or_default();
    let has_instruction = rows.clone().any(|row| transcript.role(row).is_instruction());
    (meter.fixed(&input, has_instruction).unwrap_or_default(), rows.map(cost).collect())
}
