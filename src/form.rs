//! The forms of a prompt, and what each part of one is made of.
//!
//! Every form is a frame and one part a piece, so that the cost of a prompt is the sum of its parts. In the text formats
//! this is exact because a part ends with a line end and the next begins with a letter or a bracket: no token of the
//! supported encodings crosses such a border.

use crate::config::Format;
use crate::context::Piece;
use crate::draft::Draft;
use crate::time;
use crate::transcript::{Field, Role, Transcript};
use std::borrow::Cow;
use std::fmt::Write;

/// What a chat message costs beside its texts, after OpenAI's published recipe for counting chat messages (tiktoken
/// cookbook, `num_tokens_from_messages`): 3 tokens a message, 1 for a name, 3 that prime the reply.
const TOKENS_PER_MESSAGE: u64 = 3;
const TOKENS_PER_NAME: u64 = 1;
const TOKENS_PRIMING_REPLY: u64 = 3;

/// What an image costs in OpenAI's published formula for GPT-4o: 85 at low detail, and 85 + 4 * 170 for 1024 x 1024
/// pixels at high detail. Its real size is not known here, so a context with one is not exact.
const TOKENS_PER_IMAGE_LOW: u64 = 85;
const TOKENS_PER_IMAGE: u64 = 765;

/// What a part of a prompt is made of, as far as its cost goes.
#[derive(Debug, Default)]
pub(crate) struct Parts<'a> {
    /// Tokens that no text stands for.
    pub flat_tokens: u64,
    /// Texts that count as characters too.
    visible: Vec<Cow<'a, str>>,
    /// Texts that are tokens only: roles, names, tool calls.
    hidden: Vec<Cow<'a, str>>,
}

impl Parts<'_> {
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.visible.iter().chain(&self.hidden).map(AsRef::as_ref)
    }

    pub(crate) fn chars(&self) -> u64 {
        self.visible.iter().map(|text| text.chars().count() as u64).sum()
    }
}

/// What the form is made of with nothing in it.
pub(crate) fn frame(draft: &Draft) -> Parts<'static> {
    match draft.config.render.format {
        Format::Messages => Parts { flat_tokens: TOKENS_PRIMING_REPLY, ..Parts::default() },
        Format::Text => Parts::default(),
        Format::Xml => {
            let visible = vec![XML_OPEN.into(), xml_close(draft.request.is_some()).into()];
            Parts { visible, ..Parts::default() }
        }
    }
}

/// What the form makes of a piece.
pub(crate) fn parts(draft: &Draft, piece: Piece, is_last: bool) -> Parts<'_> {
    let visible = match draft.config.render.format {
        Format::Messages => {
            let (transcript, row) = draft.source(piece);
            return chat_parts(transcript, row, draft.shortened_text(piece));
        }
        Format::Text => line(draft, piece, is_last),
        Format::Xml => element(draft, piece),
    };
    Parts { visible: vec![visible.into()], ..Parts::default() }
}

/// What stands at the end of a text that was cut.
pub(crate) fn marker(kept_tokens: u64, all_tokens: u64) -> String {
    format!("{MARKER_BEGIN}{kept_tokens} of {all_tokens}{MARKER_END}")
}

const MARKER_BEGIN: &str = "[truncated: ";
const MARKER_END: &str = " tokens]";

fn is_marker(line: &str) -> bool {
    let figures =
        line.strip_prefix(MARKER_BEGIN).and_then(|rest| rest.trim_end().strip_suffix(MARKER_END));
    figures.is_some_and(|figures| {
        figures.bytes().all(|byte| byte.is_ascii_digit() || b" of".contains(&byte))
    })
}

/// A message's text: its text parts, one below the other.
pub(crate) fn plain_text(transcript: &Transcript, row: usize) -> String {
    transcript.values(row, Field::Text).collect::<Vec<_>>().join("\n")
}

// The format `messages`.

fn chat_parts<'a>(transcript: &'a Transcript, row: usize, shortened: Option<&'a str>) -> Parts<'a> {
    let mut parts = Parts { flat_tokens: TOKENS_PER_MESSAGE, ..Parts::default() };
    parts.hidden.push(transcript.role(row).as_str().into());
    parts.visible.extend(shortened.map(Into::into));
    let mut call = None;
    for (field, value) in transcript.fields(row) {
        match field {
            Field::Text if shortened.is_none() => parts.visible.push(value.into()),
            Field::Reasoning | Field::ResultId => parts.hidden.push(value.into()),
            Field::Name => {
                parts.flat_tokens += TOKENS_PER_NAME;
                parts.hidden.push(value.into());
            }
            Field::Image if value.starts_with("low ") => parts.flat_tokens += TOKENS_PER_IMAGE_LOW,
            Field::Image | Field::Audio | Field::File => parts.flat_tokens += TOKENS_PER_IMAGE,
            Field::CallId => call = Some([value, ""]),
            Field::CallName => call = call.map(|[id, _]| [id, value]),
            Field::CallArguments => {
                let [id, name] = call.take().unwrap_or_default();
                parts.hidden.push(call_json(id, name, value).into());
            }
            _ => {}
        }
    }
    parts
}

/// A tool call as the JSON that carries it: `{"id":…,"name":…,"arguments":…}`, the arguments as a JSON text.
fn call_json(id: &str, name: &str, arguments: &str) -> String {
    let json = |text: &str| serde_json::to_string(text).unwrap_or_default();
    format!(r#"{{"id":{},"name":{},"arguments":{}}}"#, json(id), json(name), json(arguments))
}

// The format `text`.

pub(crate) fn text(draft: &Draft, pieces: &[Piece]) -> String {
    let last = pieces.last();
    pieces.iter().map(|piece| line(draft, *piece, Some(piece) == last)).collect()
}

/// `Label: content` and a line end; the last line of a text has none.
fn line(draft: &Draft, piece: Piece, is_last: bool) -> String {
    let (transcript, row) = draft.source(piece);
    let mut out = String::new();
    if let (true, Some(moment)) = (draft.config.render.times, transcript.time(row)) {
        let _ = write!(out, "[{}] ", time::format_minute(moment));
    }
    out.push_str(&label(transcript, row));
    out.push(':');
    let content = content_text(draft, piece);
    if !content.is_empty() {
        out.push(' ');
        push_guarded(&mut out, &content);
    }
    if !is_last {
        out.push('\n');
    }
    out
}

/// The content in words: texts, tool calls as `[Calling name(arguments)]`, media as `[image]`.
fn content_text(draft: &Draft, piece: Piece) -> String {
    let (transcript, row) = draft.source(piece);
    let shortened = draft.shortened_text(piece);
    let mut lines: Vec<Cow<'_, str>> = shortened.map(Into::into).into_iter().collect();
    let mut name = "";
    for (field, value) in transcript.fields(row) {
        match field {
            Field::Text if shortened.is_none() && !value.is_empty() => lines.push(value.into()),
            Field::Image => lines.push("[image]".into()),
            Field::Audio => lines.push("[audio]".into()),
            Field::File => lines.push("[file]".into()),
            Field::CallName => name = value,
            Field::CallArguments => lines.push(format!("[Calling {name}({value})]").into()),
            _ => {}
        }
    }
    lines.join("\n")
}

/// The label of a line: the speaker's name, or the role. A name that could pass for a role, or would not read as a
/// label, stands behind the role in brackets.
fn label(transcript: &Transcript, row: usize) -> String {
    let role = role_label(transcript.role(row));
    let name: String = transcript
        .value(row, Field::Name)
        .unwrap_or_default()
        .chars()
        .filter(|letter| !is_invisible(*letter))
        .map(|letter| if letter.is_control() || is_line_end(letter) { ' ' } else { letter })
        .collect();
    let name = name.split_whitespace().take(LABEL_WORDS).collect::<Vec<_>>().join(" ");
    let is_plain = name.starts_with(char::is_alphanumeric) && !name.contains(':');
    match name.as_str() {
        "" => role.to_owned(),
        _ if transcript.role(row).is_instruction() || !is_plain => format!("{role} ({name})"),
        _ if Role::ALL.iter().any(|role| begins_with_word(&name, role.as_str())) => {
            format!("{role} ({name})")
        }
        _ => name,
    }
}

fn begins_with_word(text: &str, word: &str) -> bool {
    let first = text.split(|letter: char| !letter.is_alphanumeric()).next();
    first.is_some_and(|first| first.eq_ignore_ascii_case(word))
}

fn role_label(role: Role) -> &'static str {
    match role {
        Role::System => "System",
        Role::Developer => "Developer",
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
    }
}

fn is_line_end(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// How many words of a name a label shows, so that no line of a content can be made to look like a label.
const LABEL_WORDS: usize = 4;

/// Appends a content so that none of its lines can pass for the beginning of a message: such a line is indented.
fn push_guarded(out: &mut String, content: &str) {
    for (number, line) in content.split_inclusive(is_line_end).enumerate() {
        if number > 0 && looks_like_label(line) && !is_marker(line) {
            out.push_str("  ");
        }
        out.push_str(line);
    }
}

/// Whether a line begins as a message's line does: as many words as a label can have, a colon, and a space or nothing.
fn looks_like_label(line: &str) -> bool {
    let line = line.trim_start_matches(is_invisible).trim_end();
    if !line.starts_with(|letter: char| letter == '[' || letter.is_alphanumeric()) {
        return false;
    }
    // A time in brackets may stand before the label.
    let label = line.strip_prefix('[').and_then(|rest| Some(rest.split_once(']')?.1));
    let words = label.unwrap_or(line).split_whitespace().take(LABEL_WORDS + 1);
    words.map(|word| word.trim_end_matches(is_invisible)).any(|word| word.ends_with([':', '：']))
}

/// Characters that show nothing, and could hide what a line or a name begins with.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

// The format `xml`.

const XML_OPEN: &str = "<conversation>\n";

fn xml_close(has_request: bool) -> &'static str {
    if has_request { "</conversation>\n" } else { "</conversation>" }
}

pub(crate) fn xml(draft: &Draft, pieces: &[Piece]) -> String {
    let mut out = XML_OPEN.to_owned();
    for piece in pieces {
        if *piece == Piece::Request {
            out.push_str(xml_close(true));
        }
        out.push_str(&element(draft, *piece));
    }
    if draft.request.is_none() {
        out.push_str(xml_close(false));
    }
    out
}

/// `<message role="…">content</message>` and a line end, or the request's element without one.
fn element(draft: &Draft, piece: Piece) -> String {
    let (transcript, row) = draft.source(piece);
    let (tag, end) = match piece {
        Piece::Message(_) => ("message", "\n"),
        Piece::Request => ("request", ""),
    };
    let mut out = format!("<{tag} role=\"{}\"", transcript.role(row).as_str());
    let mut attribute = |name: &str, value: &str| {
        let _ = write!(out, " {name}=\"{}\"", escape_xml(value));
    };
    if let Some(name) = transcript.value(row, Field::Name) {
        attribute("name", name);
    }
    if let (true, Some(moment)) = (draft.config.render.times, transcript.time(row)) {
        attribute("time", &time::format_minute(moment));
    }
    let _ = write!(out, ">{}</{tag}>{end}", escape_xml(&content_text(draft, piece)));
    out
}

/// Escapes what XML gives a meaning to, and replaces what XML cannot hold.
fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(letter),
            _ if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}');
            }
            _ => out.push(letter),
        }
    }
    out
}

/// The canonical bytes of a chat message: its role and what the model sees of it, each with its length.
pub(crate) fn canonical_message(draft: &Draft, piece: Piece) -> Vec<u8> {
    let (transcript, row) = draft.source(piece);
    let shortened = draft.shortened_text(piece);
    let mut bytes = vec![transcript.role(row) as u8];
    let mut push = |field: Field, value: &str| {
        bytes.push(field as u8);
        bytes.extend((value.len() as u64).to_le_bytes());
        bytes.extend(value.as_bytes());
    };
    if let Some(text) = shortened {
        push(Field::Text, text);
    }
    for (field, value) in transcript.fields(row) {
        if field.is_content() && !(field == Field::Text && shortened.is_some()) {
            push(field, value);
        }
    }
    bytes
}
