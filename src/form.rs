//! The forms of a prompt, and what each part of one is made of.
//!
//! Every form is a frame and one part a piece, so that the cost of a prompt is the sum of its parts. In the text formats
//! this is exact because no token crosses a border: see `border`.

use crate::border::{self, is_line_end};
use crate::config::{ContextConfig, Format, Placement, Replacement, SectionKind};
use crate::context::{Made, Piece};
use crate::draft::Draft;
use crate::focus::fill_slots;
use crate::time::{self, Milliseconds};
use crate::transcript::{Field, Role, Transcript};
use std::borrow::Cow;
use std::fmt::Write;

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

/// What a remembered cost depends on beside the message.
pub(crate) fn key(config: &ContextConfig, counter: &str) -> String {
    let render = serde_json::to_string(&config.render).unwrap_or_default();
    let zone = config.time_zone.as_deref().unwrap_or_default();
    let budget = &config.budget;
    let (message, name) = (budget.tokens_per_message, budget.tokens_per_name);
    let own_lines = own_lines(config).join("\n");
    format!("{counter} {message} {name} {zone} {render} {own_lines}")
}

/// Whether times of day are shown, so that the time zone matters.
pub(crate) fn shows_times(config: &ContextConfig) -> bool {
    let is_named = config.render.gap_notice.is_some();
    is_named
        || match config.render.format {
            Format::Messages => quotes(config) && config.render.times,
            Format::Text | Format::Xml => config.render.times,
            Format::Conversations => true,
        }
}

/// Whether messages may be quoted after the history.
fn quotes(config: &ContextConfig) -> bool {
    [config.recall.placement, config.triage.placement].contains(&Placement::AfterHistory)
}

/// What the form is made of with nothing in it: what primes the reply, and the tools, which are in no message.
pub(crate) fn frame(config: &ContextConfig) -> Parts<'_> {
    let flat_tokens = match config.render.format {
        Format::Messages => config.budget.tokens_priming,
        _ => 0,
    };
    let hidden = config.budget.tools.iter().map(Into::into).collect();
    Parts { flat_tokens, hidden, ..Parts::default() }
}

/// No fewer than the tokens of some parts, and than their characters.
pub(crate) fn most_of(parts: &Parts<'_>) -> u64 {
    parts.texts().fold(parts.flat_tokens, |most, text| most.saturating_add(text.len() as u64))
}

/// What the form makes of a piece.
pub(crate) fn parts(draft: &Draft, piece: Piece, is_last: bool) -> Parts<'_> {
    let format = draft.config.render.format;
    let is_chat = format == Format::Messages;
    let visible = match (piece, draft.source(piece)) {
        (Piece::Made(position), _) if is_chat => {
            return made_message(draft, piece, &draft.made[position]);
        }
        (Piece::Message(_) | Piece::Request, Some((transcript, row))) if is_chat => {
            return chat_parts(&draft.config, transcript, row, draft.shortened_text(piece));
        }
        (Piece::Made(position), _) => made_block(draft, piece, &draft.made[position]),
        (_, Some((transcript, row))) => match format {
            Format::Xml => element(draft, piece, transcript, row),
            _ if piece == Piece::Request && request_label(&draft.config).is_some() => {
                let mut out = request_label(&draft.config).unwrap_or_default().to_owned();
                push_said(draft, &mut out, &content_text(draft, piece, transcript, row));
                out
            }
            Format::Conversations if !matches!(piece, Piece::Request) => {
                bracketed_line(draft, piece, transcript, row)
            }
            _ => line(draft, piece, transcript, row),
        },
        (_, None) => String::new(),
    };
    let ends_line = !is_last || (draft.config.render.trailing_newline && !is_chat);
    Parts { visible: vec![border::part(visible, ends_line).into()], ..Parts::default() }
}

/// What stands before the request in the place of a speaker's label.
fn request_label(config: &ContextConfig) -> Option<&str> {
    config.section(SectionKind::Request)?.1.label.as_deref()
}

/// The text of pieces, in the text formats.
pub(crate) fn text(draft: &Draft, pieces: impl IntoIterator<Item = Piece>) -> String {
    let mut out = String::new();
    let mut pieces = pieces.into_iter().peekable();
    while let Some(piece) = pieces.next() {
        for part in parts(draft, piece, pieces.peek().is_none()).texts() {
            out.push_str(part);
        }
    }
    out
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

// The format `messages`.

fn chat_parts<'a>(
    config: &ContextConfig,
    transcript: &'a Transcript,
    row: usize,
    shortened: Option<&'a str>,
) -> Parts<'a> {
    let mut parts = Parts { flat_tokens: config.budget.tokens_per_message, ..Parts::default() };
    parts.hidden.push(transcript.role(row).as_str().into());
    parts.visible.extend(shortened.map(Into::into));
    let mut call = None;
    for (field, value) in transcript.fields(row) {
        match field {
            Field::Text if shortened.is_none() => parts.visible.push(value.into()),
            Field::Reasoning | Field::ResultId => parts.hidden.push(value.into()),
            Field::Name => {
                parts.flat_tokens += config.budget.tokens_per_name;
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

fn made_message<'a>(draft: &'a Draft, piece: Piece, made: &'a Made) -> Parts<'a> {
    let flat_tokens = draft.config.budget.tokens_per_message;
    let text = draft.shortened_text(piece).unwrap_or(&made.text);
    let visible = vec![labelled(draft, made, text)];
    Parts { flat_tokens, visible, hidden: vec![made.role.as_str().into()] }
}

/// A text of the build's with its section's label; what stands around the history has none.
fn labelled<'a>(draft: &'a Draft, made: &Made, text: &'a str) -> Cow<'a, str> {
    let section = draft.config.sections().get(made.section);
    let section = section.filter(|section| section.kind != SectionKind::History);
    match section.and_then(|section| section.label.as_deref()) {
        Some(label) => format!("{label}{text}").into(),
        None => text.into(),
    }
}

/// What a message of the build's says, as it is sent.
pub(crate) fn made_content(draft: &Draft, piece: Piece, made: &Made) -> String {
    let text = draft.shortened_text(piece).unwrap_or(&made.text);
    labelled(draft, made, text).into_owned()
}

/// A tool call as the JSON that carries it: `{"id":…,"name":…,"arguments":…}`, the arguments as a JSON text.
fn call_json(id: &str, name: &str, arguments: &str) -> String {
    let json = |text: &str| serde_json::to_string(text).unwrap_or_default();
    format!(r#"{{"id":{},"name":{},"arguments":{}}}"#, json(id), json(name), json(arguments))
}

// The text formats.

/// A text of the build's. What stands around the history is in its form already.
fn made_block(draft: &Draft, piece: Piece, made: &Made) -> String {
    let section = draft.config.sections().get(made.section);
    let content = made_content(draft, piece, made);
    match section.filter(|section| section.kind != SectionKind::History) {
        None => content,
        Some(section) if draft.config.render.format == Format::Xml => {
            format!(
                "<section id=\"{}\">{}</section>",
                escape_xml(&section.id),
                escape_xml(&content)
            )
        }
        Some(_) => content.trim_end_matches(is_line_end).to_owned(),
    }
}

/// What stands before and after the history, where there is any.
pub(crate) fn around_history(draft: &Draft) -> (Vec<String>, Vec<String>) {
    let label = || draft.config.section(SectionKind::History).and_then(|(_, it)| it.label.clone());
    let heading = || draft.config.render.heading.clone();
    let above = |lines: [Option<String>; 2]| lines.into_iter().flatten().map(|line| block(&line));
    match draft.config.render.format {
        Format::Messages => (Vec::new(), Vec::new()),
        Format::Text => (above([label(), heading()]).collect(), Vec::new()),
        Format::Xml => (vec!["<conversation>".to_owned()], vec!["</conversation>".to_owned()]),
        Format::Conversations => {
            let tiers = &draft.config.tiers;
            let conversations = draft.conversations.as_ref();
            let status = conversations.map(|conversations| {
                let status = if conversations.is_continuation {
                    &tiers.continuation
                } else {
                    &tiers.new_conversation
                };
                format!("<thread-status>{}</thread-status>", escape_xml(status))
            });
            let mut opening: Vec<String> = above([label(), heading()]).collect();
            opening.push("<conversation-history>".to_owned());
            opening.extend(status);
            (opening, vec!["</conversation-history>".to_owned()])
        }
    }
}

/// What stands before and after what is quoted.
pub(crate) fn around_quotes(config: &ContextConfig) -> (Vec<String>, Vec<String>) {
    let mut label = block(&config.render.quote_label);
    match config.render.format {
        Format::Xml | Format::Conversations => {
            return (vec!["<recalled>".to_owned()], vec!["</recalled>".to_owned()]);
        }
        Format::Messages if !label.is_empty() => label.push('\n'),
        Format::Messages | Format::Text => {}
    }
    (vec![label], Vec::new())
}

/// What says that messages are left out, in its form; none where there is no such line.
pub(crate) fn gap_notice(
    config: &ContextConfig,
    count: usize,
    from: &str,
    to: &str,
) -> Option<String> {
    let template = config.render.gap_notice.as_deref().filter(|it| !it.trim().is_empty())?;
    let slots = [("count}", &*count.to_string()), ("from}", from), ("to}", to)];
    let text = fill_slots(template, &slots);
    Some(match config.render.format {
        Format::Messages => text,
        Format::Text => block(&text),
        Format::Xml | Format::Conversations => format!("<gap>{}</gap>", escape_xml(&text)),
    })
}

/// A text without the line ends around it: a part has one of its own.
fn block(text: &str) -> String {
    text.trim_matches(is_line_end).to_owned()
}

/// `Label: content`.
fn line(draft: &Draft, piece: Piece, transcript: &Transcript, row: usize) -> String {
    let mut out = String::new();
    if draft.config.render.times {
        match transcript.time(row) {
            Some(moment) => {
                let _ = write!(out, "[{}] ", time::format_minute(moment, &draft.zone));
            }
            None if piece == Piece::Request => {} // it is being asked
            None => {
                let _ = write!(out, "[{UNKNOWN_TIME}] ");
            }
        }
    }
    out.push_str(&label(&draft.config, transcript, row));
    out.push(':');
    let content = content_text(draft, piece, transcript, row);
    if !content.is_empty() {
        out.push(' ');
        push_said(draft, &mut out, &content);
    }
    push_actions(draft, &mut out, transcript, row);
    out
}

/// Appends what was said, in the formats `text` and `conversations`: none of its lines can pass for a line of the form's.
fn push_said(draft: &Draft, out: &mut String, content: &str) {
    let config = &draft.config;
    if config.render.format == Format::Conversations {
        push_guarded(out, &escape_xml(content), &looks_like_any_line);
    } else {
        push_guarded(out, content, &|line| looks_like_label(line) || looks_own(config, line));
    }
}

/// Whether a line begins as one that the config or the form puts between messages: a label, a heading, a summary.
fn looks_own(config: &ContextConfig, line: &str) -> bool {
    let line = line.trim_start_matches(is_invisible);
    for own in own_lines(config) {
        if first_line(own).is_some_and(|own| line.starts_with(own)) {
            return true;
        }
    }
    config.render.gap_notice.as_deref().is_some_and(|it| looks_like_notice(it, line))
}

/// What the config or the form puts between messages.
fn own_lines(config: &ContextConfig) -> Vec<&str> {
    let mut lines = SUMMARY_BEGINS.to_vec();
    for section in config.sections() {
        lines.push(section.label.as_deref().unwrap_or_default());
    }
    lines.push(config.render.heading.as_deref().unwrap_or_default());
    if quotes(config) {
        lines.push(&config.render.quote_label);
    }
    lines
}

fn first_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| !line.is_empty())
}

/// Whether a line could pass for a gap notice: it begins as the template does up to its first slot, with a value there, and
/// then the letter that follows it.
fn looks_like_notice(template: &str, line: &str) -> bool {
    let is_of_value = |byte: &u8| byte.is_ascii_digit() || b" -:".contains(byte);
    let behind_value = |text: &[u8]| text.iter().take_while(|byte| is_of_value(byte)).count();
    let template = first_line(template).unwrap_or_default().as_bytes();
    let slot = template.iter().position(|byte| *byte == b'{').unwrap_or(template.len());
    let (before, slot) = template.split_at(slot);
    let Some(rest) = line.as_bytes().strip_prefix(before.trim_ascii_end()) else {
        return false;
    };
    if slot.is_empty() {
        return !template.is_empty();
    }
    let rest = rest.trim_ascii_start();
    let after = rest.strip_prefix(UNKNOWN_TIME.as_bytes()).unwrap_or(rest);
    let after = &after[behind_value(after)..];
    let end = slot.iter().position(|byte| *byte == b'}').map_or(slot.len(), |end| end + 1);
    let behind = &slot[end..];
    let next = behind.get(behind_value(behind)).filter(|next| **next != b'{');
    after.len() < rest.len() && (next.is_none() || next == after.first())
}

/// What stands for a time that is not known.
pub(crate) const UNKNOWN_TIME: &str = "unknown";

/// What the summary of a conversation begins with, in the formats that have no element for it.
const SUMMARY_BEGINS: [&str; 2] = ["Summary of the conversation", "Extract of the conversation"];

/// What was done in a message, on a line of its own.
fn push_actions(draft: &Draft, out: &mut String, transcript: &Transcript, row: usize) {
    let limit = usize::try_from(draft.config.render.max_actions).unwrap_or(usize::MAX);
    let actions: Vec<String> = transcript.values(row, Field::Action).map(collapse).collect();
    if actions.is_empty() || limit == 0 {
        return;
    }
    let shown = actions[..actions.len().min(limit)].join(" | ");
    let _ = write!(out, "\n{ACTIONS_BEGIN} {shown}");
    if actions.len() > limit {
        let _ = write!(out, " +{} more", actions.len() - limit);
    }
    out.push(']');
}

const ACTIONS_BEGIN: &str = "[Actions:";

pub(crate) fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What was said, as the text formats and their limits take it: texts, tool calls as `[Calling name(arguments)]`, media as
/// `[image]`.
pub(crate) fn said(draft: &Draft, piece: Piece, transcript: &Transcript, row: usize) -> String {
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
    said_of(&draft.config, &lines.join("\n"))
}

/// A text as the text formats take it.
pub(crate) fn said_of(config: &ContextConfig, text: &str) -> String {
    if config.render.collapse_whitespace { collapse(text) } else { text.to_owned() }
}

/// What was said, or what is shown for it.
fn content_text(draft: &Draft, piece: Piece, transcript: &Transcript, row: usize) -> String {
    let said = said(draft, piece, transcript, row);
    let rules = &draft.config.render.replace;
    if rules.is_empty() {
        return said;
    }
    let lower = said.to_ascii_lowercase();
    let applies = |rule: &&Replacement| {
        rule.role.is_none_or(|role| role == transcript.role(row))
            && rule
                .tag
                .as_ref()
                .is_none_or(|tag| transcript.values(row, Field::Tag).any(|t| t == tag))
            && rule.contains.iter().all(|phrase| lower.contains(&phrase.to_ascii_lowercase()))
    };
    rules.iter().find(applies).map_or(said, |rule| rule.text.clone())
}

/// The label of a line: what the source is called, the speaker's name, or the role. A name that could pass for a role, or
/// would not read as a label, stands behind the role in brackets.
fn label(config: &ContextConfig, transcript: &Transcript, row: usize) -> String {
    let own_role = transcript.role(row);
    let role = role_label(config, own_role);
    let source = transcript.value(row, Field::Source);
    let of_source = source.and_then(|source| config.render.source_labels.get(source));
    if let (Role::User, Some(label)) = (own_role, of_source) {
        return label.clone();
    }
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
        _ if Role::ALL.iter().any(|other| {
            let label = role_label(config, *other);
            begins_with(&name, other.as_str()) || (*other != own_role && begins_with(&name, label))
        }) || config
            .render
            .source_labels
            .iter()
            .any(|(_, label)| begins_with(&name, label)) =>
        {
            format!("{role} ({name})")
        }
        _ => name,
    }
}

/// Whether a name begins with a label, in upper or lower case, and no word goes on behind it.
fn begins_with(name: &str, label: &str) -> bool {
    let start = name.get(..label.len()).filter(|start| start.eq_ignore_ascii_case(label));
    start.is_some() && !name[label.len()..].starts_with(char::is_alphanumeric)
}

fn role_label(config: &ContextConfig, role: Role) -> &str {
    let is_bracketed = config.render.format == Format::Conversations;
    config.render.labels.of(role).unwrap_or(match role {
        Role::User if is_bracketed => "human",
        Role::Assistant if is_bracketed => "you",
        Role::System => "System",
        Role::Developer => "Developer",
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
    })
}

/// How many words of a name a label shows, so that no line of a content can be made to look like a label.
const LABEL_WORDS: usize = 4;

/// Appends a content so that none of its lines can pass for the beginning of a message, or for what was done in one: such a
/// line is indented.
fn push_guarded(out: &mut String, content: &str, looks_like_line: &dyn Fn(&str) -> bool) {
    for (number, line) in content.split_inclusive(is_line_end).enumerate() {
        let shown = line.trim_start_matches(is_invisible);
        let is_forged = looks_like_line(line) || shown.starts_with(ACTIONS_BEGIN);
        if number > 0 && is_forged && !is_marker(line) {
            out.push_str("  ");
        }
        out.push_str(line);
    }
}

/// A text of others within a section: in the text formats none of its lines can pass for the beginning of a message, nor
/// its brackets for elements. The form `xml` escapes all of a section itself.
pub(crate) fn guarded<'a>(
    config: &ContextConfig,
    text: &'a str,
    begins_line: bool,
) -> Cow<'a, str> {
    let mut out = String::with_capacity(text.len());
    match config.render.format {
        Format::Messages | Format::Xml => return text.into(),
        Format::Text => {
            push_guarded(&mut out, text, &|line| looks_like_label(line) || looks_own(config, line));
        }
        Format::Conversations => push_guarded(&mut out, &escape_xml(text), &looks_like_any_line),
    }
    let first = text.split(is_line_end).next().unwrap_or_default();
    if begins_line && looks_like_any_line(first) {
        out.insert_str(0, "  ");
    }
    out.into()
}

/// Whether a line begins as a message's line does in any of the text formats.
fn looks_like_any_line(line: &str) -> bool {
    looks_like_label(line) || looks_bracketed(line)
}

/// Whether a line begins as one in the format `conversations` does.
fn looks_bracketed(line: &str) -> bool {
    line.trim_start_matches(is_invisible).starts_with('[')
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

/// `[label 14:05] content`, the line of the format `conversations`.
fn bracketed_line(draft: &Draft, piece: Piece, transcript: &Transcript, row: usize) -> String {
    let label = label(&draft.config, transcript, row);
    let mut out = format!("[{}", escape_xml(&label));
    if let Some(moment) = transcript.time(row) {
        let _ = write!(out, " {}", time::format_clock(moment, &draft.zone));
    }
    out.push_str("] ");
    let mut actions = String::new();
    push_actions(draft, &mut actions, transcript, row);
    push_said(draft, &mut out, &content_text(draft, piece, transcript, row));
    out.push_str(&escape_xml(&actions));
    out
}

/// `<message role="…">content</message>`, or the request's element.
fn element(draft: &Draft, piece: Piece, transcript: &Transcript, row: usize) -> String {
    let tag = if piece == Piece::Request { "request" } else { "message" };
    let mut out = format!("<{tag} role=\"{}\"", transcript.role(row).as_str());
    let mut attribute = |name: &str, value: &str| {
        let _ = write!(out, " {name}=\"{}\"", escape_xml(value));
    };
    if let Some(name) = transcript.value(row, Field::Name) {
        attribute("name", name);
    }
    if let (true, Some(moment)) = (draft.config.render.times, transcript.time(row)) {
        attribute("time", &time::format_minute(moment, &draft.zone));
    }
    let mut content = String::new();
    // Only what was done could be forged here: elements are escaped.
    push_guarded(&mut content, &content_text(draft, piece, transcript, row), &|_| false);
    push_actions(draft, &mut content, transcript, row);
    let _ = write!(out, ">{}</{tag}>", escape_xml(&content));
    out
}

/// The element that a conversation begins with, and what is below it where it is shown by a text.
pub(crate) fn conversation_open(
    started_at: Option<Milliseconds>,
    label: &str,
    summary: Option<(&str, bool)>,
    is_empty: bool,
) -> String {
    let mut out = "<conversation".to_owned();
    if let Some(moment) = started_at {
        let _ = write!(out, " timestamp=\"{}\"", time::format_iso(moment));
    }
    let _ = write!(out, " relative=\"{label}\"");
    match summary {
        Some((text, false)) => {
            let _ = write!(out, " summary=\"true\">\nSummary: {}", escape_xml(&collapse(text)));
        }
        Some((text, true)) => {
            let _ = write!(out, " summary=\"extract\">\nExtract: {}", escape_xml(&collapse(text)));
        }
        None if is_empty => out.push_str(">\n"),
        None => out.push('>'),
    }
    out
}

/// The summary of a conversation, in the formats that have no element for it.
pub(crate) fn conversation_summary(
    config: &ContextConfig,
    label: &str,
    text: &str,
    is_extract: bool,
) -> String {
    let kind = if is_extract { "Extract" } else { "Summary" };
    match config.render.format {
        Format::Xml => {
            let tag = kind.to_ascii_lowercase();
            format!("<{tag} relative=\"{label}\">{}</{tag}>", escape_xml(text))
        }
        Format::Text => format!("{kind} of the conversation of {label}: {}", collapse(text)),
        _ => format!("{kind} of the conversation of {label}: {text}"),
    }
}

/// The element that a conversation ends with.
pub(crate) const CONVERSATION_CLOSE: &str = "</conversation>";

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

/// What a message of the build's says with the messages that it quotes.
pub(crate) fn quoting_content(draft: &Draft) -> String {
    let last = draft.quotes.last();
    let mut out = String::new();
    for piece in &draft.quotes {
        for text in parts(draft, *piece, Some(piece) == last).visible {
            out.push_str(&text);
        }
    }
    out
}

/// The canonical bytes of a chat message: its role and what the model sees of it, each with its length.
pub(crate) fn canonical_message(draft: &Draft, piece: Piece) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut push = |field: Field, value: &str| {
        bytes.push(field as u8);
        bytes.extend((value.len() as u64).to_le_bytes());
        bytes.extend(value.as_bytes());
    };
    let role = match (piece, draft.source(piece)) {
        (Piece::Made(position), _) => {
            let made = &draft.made[position];
            push(Field::Text, &made_content(draft, piece, made));
            made.role
        }
        (Piece::Quoted(_), _) => {
            for text in parts(draft, piece, false).texts() {
                push(Field::Text, text);
            }
            Role::System
        }
        (_, Some((transcript, row))) => {
            let shortened = draft.shortened_text(piece);
            if let Some(text) = shortened {
                push(Field::Text, text);
            }
            for (field, value) in transcript.fields(row) {
                if field.is_content() && !(field == Field::Text && shortened.is_some()) {
                    push(field, value);
                }
            }
            transcript.role(row)
        }
        (_, None) => Role::User,
    };
    bytes.insert(0, role as u8);
    bytes
}
