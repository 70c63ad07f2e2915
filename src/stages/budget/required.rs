//! Keeps the required pieces of a prompt: instructions, pinned messages, required sections, and the request with its
//! answers.

use super::SectionContent;
use super::frame::Frame;
use super::packer::{Packer, Shrunk};
use super::tiered::Shape;
use crate::base::cost::Cost;
use crate::base::error::{Error, ErrorCode};
use crate::base::message::Field;
use crate::base::text;
use crate::config::OnRequiredOverflow;
use crate::prompt::shorten;
use crate::stages::selection::{GivenSelection, needed};
use crate::stages::unread;
use crate::state::ask::StageResult;
use crate::state::context::Piece;
use std::ops::Range;

/// A text that may be cut.
struct Cuttable {
    piece: Piece,
    text: String,
    /// The cost of the whole text in the prompt.
    cost: Cost,
    token_count: u64,
    char_count: usize,
    /// True if it is the request or answers it.
    is_in_turn: bool,
    /// The user's own words, if it is the request.
    own: Vec<Range<usize>>,
}

impl Cuttable {
    /// Number of characters in the first `count` of the user's own words.
    fn own_length(&self, count: usize) -> usize {
        self.own[..count].iter().map(|it| self.text[it.clone()].chars().count()).sum()
    }
}

/// Returns the amount of a cost in one unit.
type Unit = fn(Cost) -> u64;

/// The first unit of a cost that exceeds a limit.
fn exceeded(cost: Cost, limit: Cost) -> Unit {
    let units: [Unit; 3] = [|it| it.tokens, |it| it.chars, |it| it.bytes];
    units.into_iter().find(|unit| unit(cost) > unit(limit)).unwrap_or(units[0])
}

/// Lengths that texts are cut to, in characters.
#[derive(Clone, Copy)]
struct Lengths {
    /// Texts that are in every prompt.
    standing: usize,
    /// The request and its answers.
    in_turn: usize,
    /// Minimum length of the request, for the user's own words in it.
    request: usize,
}

impl Lengths {
    fn all(length: usize, request: usize) -> Self {
        Self { standing: length, in_turn: length, request }
    }
}

impl Packer<'_> {
    /// Keeps the required pieces, shortened if necessary and allowed, and pays for them and for the form itself.
    pub(super) fn keep_required(
        &mut self,
        selection: GivenSelection,
        contents: &[SectionContent],
        shapes: &[Shape],
        frame: &mut Frame,
    ) -> StageResult {
        let (input, marks) = (self.input, self.marks);
        let open = marks.open_rows();
        let required = open.iter().copied().filter(|row| marks.requirement(*row).is_some());
        let (turn, rows): (Vec<usize>, Vec<usize>) =
            required.partition(|row| marks.is_in_turn(*row));
        let mut pieces: Vec<Piece> = rows.iter().copied().map(Piece::Message).collect();
        let required = contents.iter().filter(|content| content.is_required);
        pieces.extend(required.flat_map(|content| content.pieces.iter().copied()));
        let answers = turn.iter().map(|row| marks.piece(*row)).filter(|it| *it != Piece::Request);
        let request = marks.has_request(input).then_some(Piece::Request);
        pieces.extend(request.into_iter().chain(answers));
        frame.is_empty = open.iter().all(|row| marks.is_in_turn(*row)) && shapes.is_empty();
        if frame.is_empty {
            unread::ask_for_more(input, marks, &[])?; // all of it may be unread
        }
        let shapes = shapes.iter().filter(|_| !frame.is_empty);
        let around = shapes.flat_map(Shape::required_frame);
        let around: Vec<Piece> = frame.fixed().into_iter().chain(around).collect();
        let mut asked = pieces.clone();
        asked.extend_from_slice(&around);
        self.ask_for(&asked)?;
        let fixed =
            self.meter.fixed(input, false)?.plus(self.total(&around)?).plus(self.meter.slack());
        let limit = self.remaining;
        let within = self.cost_within(&mut pieces.iter().copied(), limit.minus(fixed))?;
        let spent = match within.map(|cost| fixed.plus(cost)).filter(|spent| spent.fits(limit)) {
            Some(spent) => spent,
            None => match self.shrink_results(selection, &pieces, limit.minus(fixed))? {
                Shrunk::Fits(cost) => fixed.plus(cost),
                Shrunk::TooLarge(least) => self.fit_required(selection, &pieces, (fixed, least))?,
            },
        };
        let own = self.own_cost(&rows, self.total(&pieces[..rows.len()])?);
        self.history.cost = self.history.cost.minus(own);
        let count = self.counted_messages(&rows);
        self.history.items = self.history.items.saturating_sub(count);
        self.is_over_budget = !spent.fits(limit);
        self.fill.kept = rows;
        self.fill.kept.extend(turn);
        self.remaining = limit.minus(spent);
        Ok(())
    }

    /// Shrinks the results among the required pieces until they fit.
    fn shrink_results(
        &mut self,
        selection: GivenSelection,
        pieces: &[Piece],
        room: Cost,
    ) -> StageResult<Shrunk> {
        let has_results = self.input.transcript.has_seen(Field::ResultId);
        if !has_results || !self.input.config.budget.tool_results.shrink {
            return Ok(Shrunk::TooLarge(self.total(pieces)?));
        }
        (needed(selection)?.shrink_last)(self, pieces, room)
    }

    /// Makes room for the required pieces if the config allows shortening them, or lets them exceed the budget. Returns
    /// their cost together with the fixed pieces. `least` is their cost with the smallest results.
    fn fit_required(
        &mut self,
        selection: GivenSelection,
        pieces: &[Piece],
        (fixed, least): (Cost, Cost),
    ) -> StageResult<Cost> {
        let limit = self.remaining;
        let needed = match self.input.config.budget.on_required_overflow {
            OnRequiredOverflow::Error => fixed.plus(least),
            // `render` adds the note, once everything is counted
            OnRequiredOverflow::Exceed => return Ok(fixed.plus(self.total(pieces)?)),
            OnRequiredOverflow::Shorten => {
                match self.cut_to_fit(selection, pieces, limit.minus(fixed))? {
                    Shrunk::Fits(cost) if fixed.fits(limit) => {
                        self.fill.is_trimmed = true;
                        return Ok(fixed.plus(cost));
                    }
                    Shrunk::Fits(least) | Shrunk::TooLarge(least) => fixed.plus(least),
                }
            }
        };
        Err(self.too_small(needed, limit).into())
    }

    fn too_small(&self, needed: Cost, limit: Cost) -> Error {
        let budget = &self.input.config.budget;
        let (needed, available, unit, option) = if needed.tokens <= limit.tokens {
            if needed.chars <= limit.chars {
                (needed.bytes, limit.bytes, "byte", "maxBytes")
            } else {
                (needed.chars, limit.chars, "character", "maxChars")
            }
        } else {
            let is_window = budget.context_limit.is_some();
            let option = if is_window { "contextLimit" } else { "maxTokens" };
            let available = budget.token_limit().unwrap_or(limit.tokens);
            (budget.calibration().tokens(needed.tokens), available, "token", option)
        };
        let (state, remedy) = if budget.on_required_overflow == OnRequiredOverflow::Shorten {
            (", with nothing left of their texts,", "or pin fewer messages")
        } else {
            (
                "",
                "pin fewer messages, shorten the request, or set budget.onRequiredOverflow to \"shorten\"",
            )
        };
        let mut error = Error::new(
            ErrorCode::BudgetTooSmall,
            format!(
                "instructions, required sections, pinned messages and request need{state} {}, but the budget has {available}",
                text::counted(needed, unit)
            ),
            format!("Raise budget.{option}, {remedy}."),
        )
        .at(format!("budget.{option}"));
        error.needed = Some(needed);
        error.available = Some(available);
        error
    }

    /// Cuts the longest of these texts to the longest common length that makes all of them fit. The request keeps the
    /// user's own words, if they fit. If the history is cut in steps, texts that are in every prompt are cut to a power
    /// of two of characters, so that they stay the same from turn to turn. The request and its answers get the rest.
    fn cut_to_fit(
        &mut self,
        selection: GivenSelection,
        pieces: &[Piece],
        limit: Cost,
    ) -> StageResult<Shrunk> {
        let mut texts: Vec<Cuttable> = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let text = self.view().text_of(*piece);
            let (token_count, char_count) = (self.meter.count(&text)?, text.chars().count());
            let is_in_turn =
                piece.row().map_or(*piece == Piece::Request, |row| self.marks.is_in_turn(row));
            let is_request = *piece == Piece::Request
                || (piece.row().is_some() && piece.row() == self.marks.asked());
            let own = if is_request { (needed(selection)?.own_words)(&text) } else { Vec::new() };
            let (piece, cost) = (*piece, self.total(&[*piece])?);
            texts.push(Cuttable { piece, text, cost, token_count, char_count, is_in_turn, own });
        }
        let whole = self.fill.shortened.clone();
        let unit = exceeded(self.total(pieces)?, limit);
        self.cut_texts(&texts, Lengths::all(0, 0), unit)?;
        if self.cost_within(&mut pieces.iter().copied(), limit)?.is_none() {
            let least = self.total(pieces)?;
            self.fill.shortened = whole;
            return Ok(Shrunk::TooLarge(least));
        }
        let longest = texts.iter().map(|text| text.char_count).max().unwrap_or(0);
        // One more than can fit: if even a single character exceeds the limit, this is 1 and nothing is kept.
        let most = self.meter.most_chars(limit).saturating_add(1);
        let is_in_steps = self.input.config.budget.cut.is_some();
        let mut fits = |lengths: Lengths| {
            self.fill.shortened.clone_from(&whole);
            self.cut_texts(&texts, lengths, unit)?;
            StageResult::Ok(self.cost_within(&mut pieces.iter().copied(), limit)?.is_some())
        };
        let failing = longest.min(most);
        let request = match texts.iter().find(|text| !text.own.is_empty()) {
            Some(request) => Self::own_words_that_fit(request, failing, &mut fits)?,
            None => 0,
        };
        let length =
            shorten::longest_fitting(failing, &mut |length| fits(Lengths::all(length, request)))?;
        if is_in_steps {
            let standing = length.checked_ilog2().map_or(0, |log| 1 << log);
            let in_turn = shorten::longest_fitting(failing, &mut |in_turn| {
                fits(Lengths { standing, in_turn, request })
            })?;
            if fits(Lengths { standing, in_turn, request })? {
                return Ok(Shrunk::Fits(self.total(pieces)?));
            }
        }
        fits(Lengths::all(length, request))?;
        Ok(Shrunk::Fits(self.total(pieces)?))
    }

    /// Counts the characters of the user's own words in a request that fit if everything else is cut to nothing. Words
    /// that make up most of the request don't take precedence, but its question does.
    fn own_words_that_fit(
        request: &Cuttable,
        failing: usize,
        fits: &mut dyn FnMut(Lengths) -> StageResult<bool>,
    ) -> StageResult<usize> {
        for count in [request.own.len(), 2] {
            let length = request.own_length(count.min(request.own.len()));
            if length < failing
                && length <= request.char_count / 2
                && fits(Lengths::all(0, length))?
            {
                return Ok(length);
            }
        }
        let failing = failing.min(request.own_length(1) + 1);
        shorten::longest_fitting(failing, &mut |length| fits(Lengths::all(0, length)))
    }

    /// Cuts every text to its length.
    fn cut_texts(&mut self, texts: &[Cuttable], lengths: Lengths, unit: Unit) -> StageResult {
        for Cuttable { piece, text, cost, token_count, char_count, is_in_turn, own } in texts {
            let length = if *is_in_turn { lengths.in_turn } else { lengths.standing };
            let length = if own.is_empty() { length } else { length.max(lengths.request) };
            if *char_count <= length {
                continue;
            }
            let cut = shorten::cut(text, own, length, *token_count, &self.meter)?;
            let before = self.fill.shortened.get(piece).cloned();
            self.fill.shortened.insert(*piece, cut);
            // The marker costs something too, so a text whose cost wouldn't fall stays whole.
            if unit(self.total(&[*piece])?) >= unit(*cost) {
                match before {
                    Some(before) => self.fill.shortened.insert(*piece, before),
                    None => drop(self.fill.shortened.remove(piece)),
                }
            }
        }
        Ok(())
    }
}
