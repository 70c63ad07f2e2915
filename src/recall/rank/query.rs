//! Parses a request: its words, the speakers and times that it names, and its author.

use crate::base::map::HashedSet;
use crate::base::message::Role;
use crate::base::time::{Milliseconds, Zone};
use crate::recall::index::{Index, Speaker};
use crate::recall::text::cues::{self, Asked};
use crate::recall::text::dates;
use crate::recall::text::detect;
use crate::recall::text::terms::{self, Analyzer, Word};

/// A parsed request.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The words to search for.
    pub(crate) words: Vec<Word>,
    /// The speakers that it names, unless it names all of them.
    pub(crate) speakers: Vec<u16>,
    /// The times that it names.
    pub(crate) spans: Vec<dates::Span>,
    /// True if it asks for an overview, an opinion or a reason rather than a fact.
    pub(crate) wants_overview: bool,
    /// True if it is a question.
    pub(crate) is_question: bool,
    /// The asker.
    pub(crate) asker: Asker,
    /// The earlier messages that it asks for.
    pub(crate) asked: Asked,
}

/// The asker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Asker {
    /// Unknown: the request has no name, and several speakers or none have its role.
    #[default]
    Outside,
    /// A participant who hasn't said anything yet.
    New,
    /// A speaker.
    Known(u16),
}

/// A request in its original form.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The text.
    pub text: &'a str,
    /// The author's name.
    pub name: &'a str,
    /// The author's role.
    pub role: Role,
}

/// Maximum number of bytes of a request that are read. Of a longer one, only the beginning and the end are read, which
/// usually have the question.
const LONGEST_REQUEST: usize = 1 << 15;

/// The part of a request that is read.
pub(crate) fn readable(request: String) -> String {
    if request.len() <= LONGEST_REQUEST {
        return request;
    }
    let half = LONGEST_REQUEST / 2;
    let begin = (0..=half).rev().find(|at| request.is_char_boundary(*at)).unwrap_or_default();
    let end = (request.len() - half..=request.len()).find(|at| request.is_char_boundary(*at));
    format!("{}\n{}", &request[..begin], &request[end.unwrap_or(request.len())..])
}

impl Query {
    /// Parses a request.
    #[must_use]
    pub fn new(index: &Index, request: Request<'_>, now: Milliseconds, zone: &Zone) -> Self {
        let own = detect::detect(request.text);
        let mut languages = index.languages();
        languages.retain(|language| *language != own);
        languages.insert(0, own);
        let mut words = Analyzer::new().query(request.text, &languages);
        let (speakers, names) = named_speakers(index.speakers(), request.text);
        let is_some = !speakers.is_empty() && speakers.len() < index.speakers().len();
        let spans = index
            .time_range()
            .map_or_else(Vec::new, |known| dates::spans(request.text, now, zone, known));
        let wants_overview = terms::wants_overview(request.text, own);
        // Words that only say what to do, or who should do it, aren't searched for unless the request has no others.
        let is_name = |word: &Word| parts_of(&word.text).any(|part| names.contains(&part));
        let is_looked_for = |word: &Word| !word.is_request_word && !is_name(word);
        if words.iter().any(is_looked_for) {
            words.retain(is_looked_for);
        }
        Self {
            words,
            speakers: if is_some { speakers } else { Vec::new() },
            spans,
            wants_overview,
            is_question: terms::is_question(request.text, &[], own),
            asker: asker(index.speakers(), request),
            asked: cues::asked(request.text, own),
        }
    }
}

/// Finds the asker: the speaker with the request's name or, without a name, the only speaker with its role.
fn asker(speakers: &[Speaker], request: Request<'_>) -> Asker {
    let is_same = |(speaker, _): &(&Speaker, u16)| {
        speaker.name == request.name && speaker.role == request.role
    };
    if let Some((_, id)) = speakers.iter().zip(0..).find(is_same) {
        return Asker::Known(id);
    }
    if !request.name.is_empty() {
        return Asker::New;
    }
    let mut of_role = speakers.iter().zip(0..).filter(|(it, _)| it.role == request.role);
    match (of_role.next(), of_role.next()) {
        (Some((_, id)), None) => Asker::Known(id),
        _ => Asker::Outside,
    }
}

/// The speakers that a request names best (with the most words of their names), and the words of these names in the
/// request.
fn named_speakers(speakers: &[Speaker], request: &str) -> (Vec<u16>, HashedSet<String>) {
    const FEW: usize = 4;
    let said: HashedSet<String> = parts_of(request).collect();
    let said_of = |part: &str| -> Vec<String> {
        if said.contains(part) {
            return vec![part.to_owned()];
        }
        let may_begin = speakers.len() <= FEW;
        let beginnings = beginnings_of(part).filter(|beginning| said.contains(*beginning));
        beginnings.take(if may_begin { part.len() } else { 0 }).map(str::to_owned).collect()
    };
    let mut best = 0.0;
    let mut named = Vec::new();
    let mut words = HashedSet::default();
    for (speaker, id) in speakers.iter().zip(0_u16..) {
        let (mut parts, mut found) = (0.0, 0.0);
        let mut words_of_name = Vec::new();
        for part in parts_of(&speaker.name) {
            let said = said_of(&part);
            parts += 1.0;
            found += if said.is_empty() { 0.0 } else { 1.0 };
            words_of_name.extend(said);
        }
        let share = if parts > 0.0 { found / parts } else { 0.0 };
        if share > best {
            best = share;
            named.clear();
            words.clear();
        }
        if share > 0.0 && share >= best {
            named.push(id);
            words.extend(words_of_name);
        }
    }
    (named, words)
}

/// The words of a name or a request in comparable form: lower case, except for single letters, whose case matters in
/// names.
fn parts_of(name: &str) -> impl Iterator<Item = String> {
    let parts = name.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(|part| match part.chars().nth(1) {
        None => part.to_owned(),
        Some(_) => part.to_lowercase(),
    })
}

/// Prefixes of a name that are long enough to refer to it among few speakers.
fn beginnings_of(part: &str) -> impl Iterator<Item = &str> {
    const SHORTEST: usize = 3;
    part.char_indices().skip(SHORTEST).map(|(end, _)| &part[..end])
}
