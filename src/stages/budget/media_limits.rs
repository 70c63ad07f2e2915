//! Replaces images and files that don't fit into a request, are too many for the provider, or have no place in it.
//!
//! Texts come first. Once the kept messages are decided, their images, audio and files share the bytes that the texts
//! leave, the newest first. The first one that doesn't fit and all older ones become lines. Then the prompt is packed
//! again, because lines cost less than images and more messages may fit, and the limits are checked again. They only
//! ever hide more, so this ends.

use crate::base::map::Map;
use crate::base::message::{Field, Role};
use crate::config::{ContextConfig, Format, Provider};
use crate::prompt::measure::Meter;
use crate::recall::transcript::Transcript;
use crate::state::ask::StageResult;
use crate::state::context::{MediaLines, Piece};
use crate::state::view::View;
use crate::tokens::Family;
use crate::tokens::media::{self, Kind};
use std::rc::Rc;

/// For each piece, the lines that replace its images and files.
pub(super) type HiddenMedia = Rc<Map<Piece, MediaLines>>;

/// Claude accepts at most this many images in a request with an image larger than [`MOST_PIXELS`] on a side.
const FEW_IMAGES: u64 = 20;
const MOST_PIXELS: u64 = 2000;

/// Maximum number of images and of documents of a message for Amazon Bedrock:
/// <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html>
const OF_A_MESSAGE: [u64; 2] = [20, 5];

/// The room for images and files.
struct Room {
    /// Number of images and documents of the current message that are shown so far. None if the provider doesn't limit
    /// them.
    in_message: Option<[u64; 2]>,
    bytes: u64,
    images: u64,
    /// The number of images shown so far.
    shown: u64,
    /// True if large images are limited.
    limits_large: bool,
    shows_large: bool,
    /// True if something didn't fit. Nothing older is then shown.
    is_over: bool,
}

impl Room {
    /// Takes the room for an image or a file. Returns false if it doesn't fit.
    fn take(&mut self, field: Field, value: &str) -> bool {
        let is_image = media::is_image(field, value);
        let is_large = is_image && media::is_larger(value, MOST_PIXELS);
        let shown = self.shown + u64::from(is_image);
        let is_one_of_many = self.limits_large && shown > FEW_IMAGES;
        let left = self.bytes.checked_sub(media::sent_bytes(value));
        self.is_over |= left.is_none() || shown > self.images;
        self.is_over |= is_one_of_many && is_image && self.shows_large;
        if self.is_over {
            return false;
        }
        if is_one_of_many && is_large {
            return false; // a smaller one may still be shown
        }
        if !self.takes_in_message(field, value) {
            return false;
        }
        self.bytes = left.unwrap_or_default();
        self.shown = shown;
        self.shows_large |= is_large;
        true
    }

    /// Counts an image or a document of the message. Returns false if it has no room for it.
    fn takes_in_message(&mut self, field: Field, value: &str) -> bool {
        let kind = media::kind(field, value, false);
        let is_image = kind == Kind::Image;
        let is_document = field == Field::File && !matches!(kind, Kind::Image | Kind::Video);
        let place = usize::from(!is_image);
        let Some(counts) = self.in_message.as_mut().filter(|_| is_image || is_document) else {
            return true;
        };
        counts[place] += 1;
        counts[place] <= OF_A_MESSAGE[place]
    }
}

/// The lines that replace images and files, if more of them are necessary.
pub(super) fn hidden_more(view: View<'_>) -> StageResult<Option<HiddenMedia>> {
    let (input, marks) = (view.input, view.marks);
    let budget = &input.config.budget;
    let provider = input.config.render.provider;
    let is_bedrock = provider == Some(Provider::Bedrock);
    let has_limit = provider.is_some() || budget.max_bytes.is_some() || budget.max_images.is_some();
    let has_media = |transcript: &Transcript| {
        [Field::Image, Field::Audio, Field::File].iter().any(|field| transcript.has_seen(*field))
    };
    let has_any = has_media(&input.transcript) || input.request.as_deref().is_some_and(has_media);
    if input.config.render.format != Format::Messages || !has_limit || !has_any {
        return Ok(None);
    }
    let mut room = Room {
        in_message: is_bedrock.then_some([0; 2]),
        bytes: u64::MAX,
        images: budget.max_images.unwrap_or(u64::MAX),
        shown: 0,
        limits_large: matches!(input.config.family(), Family::Claude(_)),
        shows_large: false,
        is_over: false,
    };
    if let Some(most) = budget.max_bytes {
        let meter = Meter::new(input, marks)?;
        let pieces: Vec<Piece> = view.fill.layout.iter().map(|(piece, _)| *piece).collect();
        let texts = meter.fixed(input, true)?.plus(meter.total(view, &pieces)?);
        room.bytes = most.saturating_sub(texts.bytes);
    }
    let mut is_kept = vec![false; input.transcript.len()];
    for (piece, _) in &view.fill.layout {
        if let (Piece::Message(row), _) | (Piece::Request, Some(row)) = (*piece, marks.asked()) {
            is_kept[row] = true;
        }
    }
    let request = input.request.iter().map(|request| (Piece::Request, &**request, 0));
    let rows = marks.open_rows().into_iter().rev();
    let rows = rows.map(|row| (Piece::Message(row), &*input.transcript, row));
    let mut hidden = Map::clone(&view.fill.hidden_media);
    let mut hides_more = false;
    for (piece, transcript, row) in request.chain(rows) {
        let is_shown = piece == Piece::Request || is_kept[row];
        if is_shown && transcript.role(row) == Role::Assistant && says(transcript, row) {
            room.in_message = room.in_message.map(|_| [0; 2]);
        }
        let before = view.media_lines(piece);
        let media = media_of(view, piece, transcript, row);
        let mut lines = vec![None; media.len()];
        // The last one of a message is the newest.
        for (place, ((field, value), has_place)) in media.into_iter().enumerate().rev() {
            let Some(line) = media::line(field, value) else {
                room.shown += u64::from(is_shown && media::is_image(field, value));
                _ = is_shown && room.takes_in_message(field, value);
                continue; // it is there in any case, and its bytes count as a text's
            };
            let is_line = before.get(place).is_some_and(Option::is_some);
            let has_room = has_place
                && if is_shown && !is_line { room.take(field, value) } else { !room.is_over };
            lines[place] = (!has_room).then_some(line);
            hides_more |= is_shown && !is_line && !has_room;
        }
        for (place, line) in hidden.get(&piece).into_iter().flatten().enumerate() {
            lines[place] = lines[place].take().or_else(|| line.clone());
        }
        if let Some(last) = lines.iter().rposition(Option::is_some) {
            lines.truncate(last + 1);
            hidden.insert(piece, lines);
        }
    }
    Ok(hides_more.then(|| Rc::new(hidden)))
}

/// The images, audio and files of a message, each with true if the request has a place for it. The request's own message
/// keeps all of them: if the model can't see the subject of the question, the request fails.
fn media_of<'a>(
    view: View<'_>,
    piece: Piece,
    transcript: &'a Transcript,
    row: usize,
) -> Vec<((Field, &'a str), bool)> {
    let is_asked = piece == Piece::Request || view.marks.asked() == Some(row);
    let provider = view.input.config.render.provider.filter(|_| !is_asked);
    let mut role = transcript.role(row);
    let mut media = Vec::new();
    for (field, value) in transcript.fields(row) {
        if field == Field::ResultId {
            role = Role::Tool; // the media of a result follow its id
        } else if field.is_media() {
            let kind = media::kind(field, value, role == Role::Assistant);
            let has_place = provider.is_none_or(|provider| provider.holds(role, kind));
            media.push(((field, value), has_place));
        }
    }
    media
}

/// True if an assistant's message is a message in the request, so that those around it aren't joined.
fn says(transcript: &Transcript, row: usize) -> bool {
    transcript.fields(row).any(|(field, value)| match field {
        Field::Text => !value.trim().is_empty(),
        field => field == Field::CallId,
    })
}

/// Counts the images and files of the prompt that became lines because they don't fit into the request.
pub(super) fn hidden_count(view: View<'_>) -> usize {
    let hidden = &view.fill.hidden_media;
    let pieces = view.fill.layout.iter().map(|(piece, _)| view.marks.as_given(*piece));
    pieces.filter_map(|piece| hidden.get(&piece)).flatten().flatten().count()
}

/// Says how many images and files became lines, and which limits apply.
pub(super) fn words(config: &ContextConfig, hidden: u64) -> String {
    let budget = &config.budget;
    let of_a_message = OF_A_MESSAGE
        .map(|most| (config.render.provider == Some(Provider::Bedrock)).then_some(most));
    let limits = [
        ("budget.maxImages", budget.max_images),
        ("budget.maxBytes", budget.max_bytes),
        ("images in a message", of_a_message[0]),
        ("documents in a message", of_a_message[1]),
    ];
    let named = limits.into_iter().filter_map(|(name, limit)| Some(format!("{name}: {}", limit?)));
    let named = named.collect::<Vec<_>>().join(", ");
    format!(
        "{}, because the request has no room or no place for {}{}",
        if hidden == 1 {
            "1 image or file is shown as a line".to_owned()
        } else {
            format!("{hidden} images and files are shown as a line each")
        },
        if hidden == 1 { "it" } else { "them" },
        if named.is_empty() { named } else { format!(" ({named})") }
    )
}
