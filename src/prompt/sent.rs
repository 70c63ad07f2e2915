//! Computes the cost of a message as it is sent to a provider.
//!
//! A message may become several messages in a request, for example calls, their results, and text about them. It counts
//! as all of them. Without a provider each result is a separate message. With one, only the parts that are sent count.
//! `pkg-template/src/formats` makes the request. Parallel calls count as one message, and so do their results if the
//! provider expects one message. Other messages that the request merges count separately here; `merged` finds them in a
//! finished prompt.

use crate::base::guard;
use crate::base::json::{json_length, to_json};
use crate::base::message::{Field, Role};
use crate::base::value::Value;
use crate::config::{ContextConfig, OPENAI_SUMMARIZED, OpenCalls, Provider, is_sealed};
use crate::log::groups::HalfCall;
use crate::log::messages::UserNames;
use crate::log::tool_calls::{covered_count, shown_fields};
use crate::prompt::parts::{PART_BYTES, Parts};
use crate::prompt::tools;
use crate::recall::transcript::Transcript;
use crate::state::context::Piece;
use crate::state::input::Input;
use crate::state::view::{BINDS, View};
use crate::tokens::{Family, media};
use std::borrow::Cow;

/// The open message, to which the next part is added.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Message,
    /// A tool's result, without any text yet.
    Result,
    /// A tool's result with text.
    Answered,
}

/// A message that is being counted.
struct SentMessage<'a> {
    config: &'a ContextConfig,
    family: Family,
    provider: Option<Provider>,
    role: Role,
    name: Option<&'a str>,
    /// True if the request names speakers in its texts.
    names_in_texts: bool,
    /// True if the mark of late instructions comes before its next text.
    is_marked: bool,
    open: Open,
    /// True if the request joins the next text of the open message to the last one.
    joins_next: bool,
    parts: Parts<'a>,
}

impl<'a> SentMessage<'a> {
    /// An empty message. `is_more` is true if it continues the one before it.
    fn of(input: &'a Input, transcript: &'a Transcript, row: usize, is_more: bool) -> Self {
        let config = &*input.config;
        let open = if transcript.role(row) == Role::Tool { Open::Result } else { Open::Message };
        Self {
            config,
            family: config.family(),
            provider: config.render.provider,
            role: transcript.role(row),
            name: transcript.value(row, Field::Name),
            names_in_texts: input.names_in_texts(),
            is_marked: false,
            open: if is_more { open } else { Open::Nothing },
            joins_next: false,
            parts: Parts::default(),
        }
    }

    /// Adds a call. Arguments that aren't an object become a field of one, unless the tool takes a text.
    fn call(&mut self, [id, name]: [&str; 2], arguments: &'a str, is_custom: bool) {
        self.show();
        self.part();
        let is_text = is_custom && self.config.render.takes_custom_calls();
        let is_whole = self.provider.is_none() || is_text || is_object(arguments);
        let sent = if is_whole { arguments.into() } else { wrapped(arguments).into() };
        self.parts.add_tool(tools::call_text(id, name, sent, self.config));
    }

    /// Adds the result of a call that was interrupted.
    fn interrupt(&mut self, id: &'a str) {
        self.answer();
        self.parts.add_tool(tools::result_text(id, self.config, self.family));
        self.parts.hidden.push(INTERRUPTED.into());
    }

    /// Begins a message.
    #[inline(never)]
    fn begin(&mut self, role: Role, open: Open) {
        self.parts.add_envelope(self.config, self.family, role);
        (self.open, self.joins_next) = (open, false);
    }

    /// Adds a part between texts. `WebLLM` has these apart from a message's text.
    fn part(&mut self) {
        self.joins_next &= self.provider == Some(Provider::WebLlm);
    }

    /// The text between two texts of a message that the request joins. None if they stay apart.
    fn joint(&self) -> Option<&'static str> {
        let provider = self.provider?;
        if self.open == Open::Message && self.role.is_instruction() {
            provider.joins_instructions().then_some("\n\n")
        } else {
            provider.joins_texts().then_some("\n")
        }
    }

    /// Adds room for a line end between two texts of a tool's result, unless they are joined here.
    fn add_line_end(&mut self) {
        self.parts.flat_tokens += u64::from(!self.joins_next);
    }

    /// Adds a text of the open message.
    #[inline(never)]
    fn say(&mut self, text: Cow<'a, str>) {
        let joint = self.joint();
        match (joint, self.parts.visible.last_mut()) {
            (Some(joint), Some(last)) if self.joins_next => {
                // A blank result adds no line.
                if !text.is_empty() {
                    let joint = if last.is_empty() { "" } else { joint };
                    *last = [&**last, joint, &*text].concat().into();
                }
            }
            _ => {
                // It may follow a text of the row before.
                let is_more = self.open == Open::Message && self.parts.first_role.is_none();
                self.parts.flat_tokens += u64::from(joint.is_some() && is_more);
                self.parts.visible.push(text);
            }
        }
        self.joins_next = joint.is_some();
    }

    /// Begins a message of the speaker if none is open. Returns the name before its first text: a user's name, if the
    /// provider has no field for it.
    #[inline(never)]
    fn speak(&mut self) -> Option<String> {
        if self.open == Open::Message {
            return None;
        }
        self.begin(self.role, Open::Message);
        let name = self.name?;
        let has_field = match self.provider {
            None => true,
            Some(provider) => {
                provider == Provider::Openai && UserNames::of(name) == UserNames::Words
            }
        };
        if has_field {
            self.parts.flat_tokens += self.config.budget.tokens_per_name;
            self.parts.hidden.push(name.into());
        }
        let is_prefix = !has_field && self.role == Role::User;
        is_prefix.then(|| guard::speaker_name(name)).flatten()
    }

    /// True if the lines of its texts begin with a space, so that none can name another speaker.
    fn is_guarded(&self) -> bool {
        let is_in_field = self.provider == Some(Provider::Openai)
            && self.name.is_some_and(|name| UserNames::of(name) == UserNames::Words);
        self.names_in_texts && self.role == Role::User && !is_in_field
    }

    /// Begins a message for a part that isn't text.
    #[inline(never)]
    fn show(&mut self) {
        if let Some(name) = self.speak() {
            self.say((name + ":").into());
        }
    }

    /// Adds a maker's reasoning. In the Responses API, it is a separate item, not a message, and another item follows it.
    #[inline(never)]
    fn think(&mut self, text: &'a str, maker: &str) {
        if self.provider == Some(Provider::OpenaiResponses) {
            self.open = Open::Nothing;
        } else {
            self.show();
        }
        if is_sealed(maker) && self.provider.is_some() {
            self.parts.flat_tokens += sealed_tokens(text);
        } else {
            self.parts.hidden.push(text.into());
        }
        // OpenAI's servers take the reasoning of a message as one text.
        self.parts.flat_tokens += u64::from(self.provider == Some(Provider::Openai));
    }

    /// Begins a tool's result. Some providers take the results of one message as one.
    #[inline(never)]
    fn answer(&mut self) {
        let is_begun = matches!(self.open, Open::Result | Open::Answered);
        if !is_begun || !self.provider.is_some_and(Provider::joins_results) {
            self.begin(Role::Tool, Open::Result);
        }
        (self.open, self.joins_next) = (Open::Result, false);
    }

    /// Adds an image, audio or a file. A document that is a text costs what its text costs. Most providers are sent only
    /// that text.
    fn media(&mut self, field: Field, value: &'a str) {
        let text = media::text_of(value);
        if let Some(text) = text
            && self.provider.is_some_and(|provider| !provider.holds_text_documents())
        {
            return self.line(text);
        }
        if self.open == Open::Nothing {
            self.show();
        }
        self.part();
        if let Some(text) = text {
            self.parts.hidden.push(text.into());
            return;
        }
        let is_assistant = self.role == Role::Assistant;
        let cost = media::cost(field, value, self.config.model.as_deref(), is_assistant);
        self.parts.flat_tokens = self.parts.flat_tokens.saturating_add(cost);
    }

    /// Adds the line that replaces an image. After the text of a result it belongs to that text, even in the
    /// assistant's messages.
    fn line(&mut self, line: &'a str) {
        if self.open == Open::Answered {
            self.add_line_end();
            self.say(line.into());
        } else {
            self.text(line.into());
        }
    }

    #[inline(never)]
    fn text(&mut self, mut text: Cow<'a, str>) {
        if self.is_marked && !text.trim().is_empty() {
            text = format!("{LATE_INSTRUCTIONS}\n{text}").into();
            self.is_marked = false;
        }
        let is_more = self.open == Open::Answered && self.role == Role::Tool;
        if self.provider.is_none() && self.open == Open::Answered && !is_more {
            self.show();
        }
        if self.open == Open::Result || is_more || self.provider.is_none() {
            if is_more && self.provider.is_some() {
                self.add_line_end();
            }
            self.say(text);
            if self.open == Open::Result {
                self.open = Open::Answered;
            }
        } else if !text.trim().is_empty() {
            // Each text of the assistant is a separate item in the Responses API.
            if self.provider == Some(Provider::OpenaiResponses) && self.role == Role::Assistant {
                self.open = Open::Nothing;
            }
            let text = match self.speak() {
                Some(name) => Cow::from(format!("{name}: {}", guard::indent(&text))),
                None if self.is_guarded() => guard::indent_all(&text).into(),
                None => text,
            };
            self.say(text);
        }
    }
}

/// The place of a part of reasoning, or of a provider's note, in a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thought<'a> {
    /// In the server's fields, or in the part with its summary.
    Beside,
    /// A separate part, with its maker.
    Sent(&'a str),
    /// Not sent, because the request has no place for it. Has its maker.
    Unsent(&'a str),
}

/// Follows the fields of a message, and finds the place of its reasoning.
#[derive(Default)]
pub(crate) struct Thoughts<'a> {
    /// The maker of the next reasoning.
    maker: &'a str,
    /// True if the next reasoning is in the server's fields.
    is_in_fields: bool,
}

impl<'a> Thoughts<'a> {
    /// Reads the next field. Returns the place of its value if that is reasoning.
    pub(crate) fn read(
        &mut self,
        config: &ContextConfig,
        field: Field,
        value: &'a str,
    ) -> Option<Thought<'a>> {
        match field {
            Field::ReasoningOf => self.maker = value,
            Field::Reasoning => {
                let maker = std::mem::take(&mut self.maker);
                let sends = |provider| config.sends_reasoning_of(provider, maker);
                return Some(match config.render.provider {
                    _ if self.is_in_fields => Thought::Beside,
                    Some(provider) if sends(provider) => Thought::Sent(maker),
                    _ if maker.starts_with(OPENAI_SUMMARIZED) => Thought::Beside,
                    Some(_) => Thought::Unsent(maker),
                    None => Thought::Sent(maker),
                });
            }
            Field::ServerFields => self.is_in_fields = config.render.returns_server_fields(),
            _ => self.is_in_fields = false,
        }
        None
    }
}

/// The line before instructions that are sent as a user text. `pkg-template/src/formats/request/turns.ts` has the same.
const LATE_INSTRUCTIONS: &str = "[Instructions of the application]";

/// The result of an open call in a request. `pkg-template/src/formats/tool-parts.ts` has the same.
const INTERRUPTED: &str = "[Tool execution was interrupted]";

/// A message's connections to other messages.
#[derive(Clone, Copy, Default)]
struct Ties<'a> {
    /// The calls without a result.
    open_calls: &'a [HalfCall],
    /// True if it continues an earlier message. That one is then in the prompt too.
    goes_on: bool,
    /// How many of its results answer a call that has an earlier result. A line end joins each to that one.
    repeats: usize,
}

impl<'a> Ties<'a> {
    fn of(view: View<'a>, piece: Piece) -> Self {
        match piece {
            Piece::Message(row) => {
                // Without a provider, only rows of one message are joined.
                let is_joined = view.input.config.render.provider.is_some()
                    || view.input.transcript.role(row) != Role::Tool
                        && view.input.transcript.goes_on(row);
                let marks = view.marks;
                Self {
                    open_calls: marks.open_calls_of(row),
                    goes_on: is_joined && marks.goes_on(row),
                    repeats: marks.repeats_of(row),
                }
            }
            _ => Self::default(),
        }
    }
}

/// The parts of a message in the form that is sent.
pub(super) fn parts<'a>(
    view: View<'a>,
    piece: Piece,
    transcript: &'a Transcript,
    row: usize,
) -> Parts<'a> {
    let (input, shortened) = (view.input, view.shortened_text(piece));
    let withholds = view.withholds(piece);
    let mut lines = view.media_lines(piece).iter();
    let Ties { open_calls, goes_on, repeats } = Ties::of(view, piece);
    let config = &*input.config;
    let (provider, role) = (config.render.provider, transcript.role(row));
    let is_open = |place: usize| open_calls.binary_search_by_key(&place, |open| open.place).is_ok();
    let stays = config.render.open_calls == OpenCalls::Close;
    let covered = transcript.fields(row).take(covered_count(config, transcript, row));
    let mut call_count = covered.filter(|(field, _)| *field == Field::CallId).count();
    let mut interrupted = Vec::new();
    let mut out = SentMessage::of(input, transcript, row, goes_on);
    out.parts.flat_tokens += provider.map_or(0, |_| repeats as u64);
    if config.budget.max_bytes.is_some() {
        out.parts.flat_bytes = bytes_beside_texts(transcript, row);
    }
    out.is_marked =
        matches!(piece, Piece::Message(row) if view.marks.marked.binary_search(&row).is_ok());
    let (mut thoughts, mut call) = (Thoughts::default(), None);
    let (mut is_approval, mut is_custom) = (false, false);
    let mut left = shortened;
    // A message with a single result has its call id after the tool's output.
    let mut is_first_result = role == Role::Tool && is_one_result(transcript, row);
    match provider {
        None => {
            if role == Role::Tool || !begins_with_result(transcript, row) {
                out.show();
            }
            is_first_result = role == Role::Tool;
            out.parts.visible.extend(left.take().map(Into::into));
        }
        Some(_) if is_first_result => out.answer(),
        Some(_) => {}
    }
    for (field, value) in shown_fields(config, transcript, row) {
        let thought = thoughts.read(config, field, value);
        match field {
            Field::ServerFields if config.render.returns_server_fields() => {
                out.show();
                out.parts.hidden.push(value.into());
            }
            Field::Text if is_approval => {
                is_approval = false;
                left = None;
            }
            // A single text replaces all of them.
            Field::Text => match shortened {
                None => out.text(value.into()),
                Some(_) if provider.is_some() => out.text(left.take().unwrap_or_default().into()),
                Some(_) => {}
            },
            Field::Reasoning => {
                if let Some(Thought::Sent(maker)) = thought
                    && !(withholds && maker == BINDS)
                {
                    out.think(value, maker);
                }
            }
            Field::ApprovalAnswer => is_approval = provider.is_some(),
            Field::ResultId if is_approval => {}
            Field::ResultId => {
                if !is_first_result {
                    out.answer();
                }
                is_first_result = false;
                out.parts.add_tool(tools::result_text(value, config, out.family));
            }
            Field::Image | Field::Audio | Field::File => {
                if let Some(Some(line)) = lines.next() {
                    out.line(line);
                    continue;
                }
                out.media(field, value);
            }
            Field::CustomCall => is_custom = true,
            Field::CallId => {
                call = Some([value, ""]);
                call_count += 1;
            }
            Field::CallName => call = call.map(|[id, _]| [id, value]),
            Field::CallArguments => {
                let [id, name] = call.take().unwrap_or_default();
                // An approval request for a call has no name, and isn't sent.
                let is_half = is_open(call_count - 1);
                interrupted.extend((is_half && stays && !name.is_empty()).then_some(id));
                if (!name.is_empty() || provider.is_none()) && (stays || !is_half) {
                    out.call([id, name], value, is_custom);
                }
                is_custom = false;
            }
            _ => {}
        }
    }
    if let Some(text) = left {
        out.text(text.into());
    }
    out.parts.is_escaped = role == Role::Tool && tools::escapes_results(config, out.family);
    for id in interrupted {
        out.interrupt(id);
    }
    out.parts
}

/// The approximate tokens of reasoning that OpenAI has encrypted. The formula is from Codex CLI, OpenAI's own client:
/// `estimate_reasoning_length`, with four bytes per token.
fn sealed_tokens(encrypted: &str) -> u64 {
    const BESIDE_TEXT: u64 = 650;
    let bytes = encrypted.len() as u64 * 3 / 4;
    bytes.saturating_sub(BESIDE_TEXT).div_ceil(4)
}

/// The bytes of a message in the JSON, without its texts and without images and files that a line may replace. They
/// include room for that line, so hiding an image or file never makes the text too long.
fn bytes_beside_texts(transcript: &Transcript, row: usize) -> u64 {
    let beside = transcript.fields(row).map(|(field, value)| match field {
        Field::Text => 0,
        Field::ProofBytes => value.parse().unwrap_or(0),
        Field::Image | Field::Audio | Field::File => {
            let line = media::line(field, value);
            let bytes = line.map_or_else(|| media::sent_bytes(value), |line| json_length(&line));
            2 * PART_BYTES + bytes
        }
        // A call without a result gets one, and a result may repeat the name of its tool.
        Field::CallId | Field::ResultId => 2 * (PART_BYTES + json_length(value)),
        _ => PART_BYTES + json_length(value),
    });
    beside.fold(PART_BYTES, u64::saturating_add)
}

/// The bytes of a piece's images and files that are shown and could be replaced by lines.
pub(crate) fn media_bytes(view: View<'_>, piece: Piece) -> u64 {
    let is_sent = matches!(piece, Piece::Message(_) | Piece::Request);
    let Some((transcript, row)) = view.source(piece).filter(|_| is_sent) else { return 0 };
    let lines = view.media_lines(piece);
    let media = transcript.fields(row).filter(|(field, _)| field.is_media()).enumerate();
    let bytes = media.map(|(place, (field, value))| {
        let is_line = lines.get(place).is_some_and(Option::is_some);
        if is_line || media::line(field, value).is_none() { 0 } else { media::sent_bytes(value) }
    });
    bytes.fold(0, u64::saturating_add)
}

/// True if a message is the result of one call: its content comes before the id of the call.
fn is_one_result(transcript: &Transcript, row: usize) -> bool {
    !begins_with_result(transcript, row) && transcript.value(row, Field::ResultId).is_some()
}

/// True if the first part of a message is a result.
fn begins_with_result(transcript: &Transcript, row: usize) -> bool {
    let is_part = |field: &Field| field.is_content() && *field != Field::Name;
    transcript.fields(row).map(|(field, _)| field).find(is_part) == Some(Field::ResultId)
}

/// True if arguments are a JSON object.
fn is_object(arguments: &str) -> bool {
    serde_json::from_str(arguments).is_ok_and(|value: Value| matches!(value, Value::Map(_)))
}

/// Arguments that aren't an object, as a field of one. `pkg-template/src/formats/request/calls.ts` has the same.
fn wrapped(arguments: &str) -> String {
    if arguments.trim().is_empty() {
        "{}".to_owned()
    } else {
        format!(r#"{{"input":{}}}"#, to_json(arguments))
    }
}
