//! Cues: phrases that reveal how a text is meant.
//!
//! A user's own line may be a standing instruction ("from now on", "I prefer"), or correct an earlier one ("we moved it
//! to"). A request may be about its author's words, or about an earlier answer. Each language has phrases that identify
//! such lines. Only prose counts: a phrase within code, markup or quotation marks, in a quoted line, or in a forwarded
//! mail is somebody else's.

use crate::language::Language;
use crate::lists::{self, Hashes, hash_of};
use crate::runs::{Run, is_between, runs};
use crate::terms::{find_character, has_byte, is_any_of, spaced_folded};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// A standing instruction or preference.
pub const STANDS: u8 = 1;
/// A correction of an earlier statement.
pub const CORRECTS: u8 = 2;

/// Maximum number of sentences of a text that are read: of a pasted page, only the beginning.
const MOST_SENTENCES: usize = 64;

/// A phrase that serves as a cue.
struct Phrase {
    /// The hash of its first word.
    hash: u32,
    /// The hash of its second word, if it has one.
    next: Option<u32>,
    language: Language,
    cue: u8,
    /// True if it counts only at the beginning of a sentence.
    is_first: bool,
    words: &'static str,
}

/// The phrases of all languages, by their first words. Most words of a text don't begin any.
struct Phrases {
    /// Sorted by the hashes of their first words.
    all: Vec<Phrase>,
    /// For the hash of a word, the place of the first phrase that begins with it.
    places: Hashes,
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let mut all = Vec::new();
    for language in Language::ALL {
        let stands = lists::standing_phrases(language).map(|phrase| (phrase, STANDS));
        let corrects = lists::correction_phrases(language).map(|phrase| (phrase, CORRECTS));
        for (phrase, cue) in stands.chain(corrects) {
            let words = phrase.strip_prefix('^').unwrap_or(phrase);
            let mut hashes = words.split(' ').map(hash_of);
            let (hash, next) = (hashes.next().unwrap_or_default(), hashes.next());
            let is_first = words.len() < phrase.len();
            all.push(Phrase { hash, next, language, cue, is_first, words });
        }
    }
    all.sort_by_key(|phrase| phrase.hash);
    let places = (0..).zip(&all).map(|(place, phrase)| (phrase.hash, place)).collect();
    Phrases { places: Hashes::new(places, |first, _| first), all }
});

impl Phrases {
    /// The phrases whose first two words may be the first ones of some runs.
    fn at_start_of(&self, runs: &[Run]) -> impl Iterator<Item = &Phrase> {
        let [hash, next] = [0, 1].map(|at| runs.get(at).map(|run| run.hash));
        let place = hash.and_then(|hash| self.places.get(hash));
        let begun = self.all[place.map_or(self.all.len(), |place| place as usize)..].iter();
        let begun = begun.take_while(move |phrase| Some(phrase.hash) == hash);
        begun.filter(move |phrase| phrase.next.is_none() || phrase.next == next)
    }
}

/// The cues in a text: [`STANDS`], [`CORRECTS`]. If the language is unknown, the phrases of every language count.
#[must_use]
pub fn cues(text: &str, language: Option<Language>) -> u8 {
    let prose = prose(text);
    cues_in(&prose, &runs(&prose, usize::MAX), language)
}

/// Works like [`cues`], with the [`prose`] of a text and its runs.
pub(crate) fn cues_in(prose: &str, mut rest: &[Run], language: Option<Language>) -> u8 {
    let is_ascii = prose.is_ascii();
    let mut cues = 0;
    for sentence in sentences(prose).take(MOST_SENTENCES) {
        // In ASCII only capitals need folding, and phrases are compared without case.
        cues |= if is_ascii {
            let count = rest.iter().take_while(|run| run.start < sentence.end).count();
            let (own, more) = rest.split_at(count);
            rest = more;
            cues_of_sentence(&prose[..sentence.end], own, language)
        } else {
            let folded = spaced_folded(&prose[sentence]);
            cues_of_sentence(&folded, &runs(&folded, usize::MAX), language)
        };
        if cues == STANDS | CORRECTS {
            break;
        }
    }
    cues
}

/// The cues of a sentence by its runs. `text` ends with it.
fn cues_of_sentence(text: &str, runs: &[Run], language: Option<Language>) -> u8 {
    let phrases = &*PHRASES;
    let mut cues = 0;
    for (at, run) in runs.iter().enumerate() {
        for phrase in phrases.at_start_of(&runs[at..]) {
            let may_be = language.is_none_or(|known| known == phrase.language)
                && (at == 0 || !phrase.is_first);
            let mut said = words_of(&text.as_bytes()[run.start..]);
            let mut is_next =
                |own: &str| said.next().is_some_and(|it| it.eq_ignore_ascii_case(own.as_bytes()));
            if may_be && phrase.words.split(' ').all(&mut is_next) {
                cues |= phrase.cue;
            }
        }
    }
    cues
}

/// The words of an ASCII text, or of a folded one.
fn words_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| is_between(*byte)).filter(|word| !word.is_empty())
}

/// The author whose words a request asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    /// Unspecified.
    #[default]
    Anybody,
    /// The request's own author.
    Asker,
    /// The one who answered, such as the assistant.
    Answerer,
}

/// The earlier messages that a request asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Their author.
    pub whose: Whose,
    /// True if it asks for something said or done earlier ("when did I say", "what did you recommend"). A request for
    /// advice doesn't.
    pub looks_back: bool,
}

/// The earlier messages that a request asks for, by the phrases of its language, or of every language if it is unknown.
#[must_use]
pub fn asked(request: &str, language: Option<Language>) -> Asked {
    let said = spaced_folded(request);
    let has = |phrase: &str| find(&said, phrase);
    let whose = if languages(language).any(|it| lists::answered_phrases(it).any(has)) {
        Whose::Answerer
    } else if languages(language).any(|it| lists::asker_words(it).any(has)) {
        Whose::Asker
    } else {
        Whose::Anybody
    };
    let looks_back = languages(language).any(|it| lists::recorded_phrases(it).any(has));
    Asked { whose, looks_back }
}

fn languages(known: Option<Language>) -> impl Iterator<Item = Language> {
    let is_it = move |language: &Language| known.is_none_or(|known| known == *language);
    Language::ALL.into_iter().filter(is_it)
}

/// True if a sentence has a phrase. The sentence has a space before and after each word.
fn find(said: &str, phrase: &str) -> bool {
    said.match_indices(phrase)
        .any(|(at, _)| said[..at].ends_with(' ') && said[at + phrase.len()..].starts_with(' '))
}

/// The places of a text's sentences.
fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let may_end = |byte: u8| !byte.is_ascii() | is_any_of(byte, *b".!?;:\n");
    let is_end =
        |letter, _: &str| matches!(letter, '.' | '!' | '?' | ';' | ':' | '\n' | '…' | '¡' | '¿');
    let mut at = 0;
    let sentences = std::iter::from_fn(move || {
        let (start, rest) = (at, &text[at..]);
        let end = find_character(rest, may_end, is_end).unwrap_or(rest.len()..rest.len());
        at += end.end;
        (!rest.is_empty()).then_some(start..start + end.start)
    });
    sentences.filter(|sentence| !text[sentence.clone()].trim_start().is_empty())
}

/// A text without code and markup, and without quoted or forwarded parts.
pub(crate) fn prose(text: &str) -> Cow<'_, str> {
    let text = &text[..start_of_mail(text)];
    let is_mark = |byte: u8| !byte.is_ascii() | matches!(byte, b'"' | b'`' | b'~' | b'<' | b'>');
    if !has_byte(text, is_mark) {
        return Cow::Borrowed(text); // it has no code or quotation
    }
    let text = without_markup(text);
    let mut prose = String::with_capacity(text.len());
    let mut fence = None;
    for line in text.split('\n') {
        let begin = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| begin.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) if !begin.starts_with('>') => {
                unquoted(line, &mut prose);
                prose.push('\n');
            }
            _ => {}
        }
    }
    Cow::Owned(prose)
}

/// Maximum number of unclosed tags that are skipped. Nothing after the next one counts.
const MOST_OPEN_TAGS: usize = 64;

/// A text without its elements: `<document>…</document>`, or HTML. If a tag isn't closed, only the tag is removed.
fn without_markup(text: &str) -> Cow<'_, str> {
    let mut prose = String::new();
    let (mut rest, mut open_count) = (text, 0);
    while let Some((at, name)) = next_tag(rest) {
        prose.push_str(&rest[..at]);
        prose.push(';'); // keeps the words around it from becoming a phrase
        let inner = &rest[at + 1 + name.len()..];
        rest = if let Some(end) = end_of_element(inner, name) {
            &inner[end..]
        } else if open_count < MOST_OPEN_TAGS {
            open_count += 1;
            inner.find('>').map_or("", |end| &inner[end + 1..])
        } else {
            ""
        };
    }
    if prose.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    prose.push_str(rest);
    Cow::Owned(prose)
}

/// The place and the name of the next opening tag.
fn next_tag(text: &str) -> Option<(usize, &str)> {
    text.match_indices('<').find_map(|(at, _)| {
        let name = &text[at + 1..];
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
        let length = name.find(|letter| !is_part(letter)).unwrap_or(name.len());
        name.starts_with(char::is_alphabetic).then_some((at, &name[..length]))
    })
}

/// The end of an element after its closing tag. Skips nested elements of the same name.
fn end_of_element(inner: &str, name: &str) -> Option<usize> {
    let (opening, closing) = (format!("<{name}"), format!("</{name}"));
    let (mut depth, mut at) = (1_usize, 0);
    loop {
        let end = at + inner[at..].find(&closing)?;
        depth += inner[at..end].matches(&opening).count();
        at = end + closing.len();
        depth -= 1;
        if depth == 0 {
            return Some(inner[at..].find('>').map_or(inner.len(), |close| at + close + 1));
        }
    }
}

/// The sender and the subject headers of a mail, in the languages of the cues.
const SENDERS: [&str; 7] = ["From:", "Von:", "De:", "De :", "Da:", "От:", "差出人:"];
const SUBJECTS: [&str; 8] =
    ["Subject:", "Betreff:", "Objet :", "Objet:", "Asunto:", "Assunto:", "Oggetto:", "Тема:"];
/// Maximum number of lines from the sender to the subject.
const LONGEST_HEADER: usize = 5;

/// The start of a forwarded mail in a text, or the end of the text if there is none.
fn start_of_mail(text: &str) -> usize {
    let mut start = 0;
    let mut sender: Option<(usize, usize)> = None;
    for line in text.split_inclusive('\n') {
        let begin = line.trim_start().trim_start_matches(['*', '_']);
        let is_rule = begin.starts_with("-----") && begin.contains(char::is_alphabetic);
        if is_rule {
            return start;
        }
        if let Some((at, lines)) = sender {
            if SUBJECTS.iter().any(|subject| begin.starts_with(subject)) {
                return at;
            }
            sender = (lines < LONGEST_HEADER).then_some((at, lines + 1));
        }
        if SENDERS.iter().any(|sender| begin.starts_with(sender)) {
            sender = Some((start, 0));
        }
        start += line.len();
    }
    text.len()
}

/// Appends a line without its quotations. An unpaired quotation mark quotes the rest of the line.
fn unquoted(line: &str, prose: &mut String) {
    let mut rest = line;
    while let Some((at, mark, end)) =
        rest.char_indices().find_map(|(at, letter)| Some((at, letter, closing(letter)?)))
    {
        prose.push_str(&rest[..at]);
        // Replaces the quotation, so that the words around it don't form a phrase.
        prose.push(';');
        let behind = &rest[at + mark.len_utf8()..];
        let ended = behind.char_indices().find(|(_, letter)| is_end(*letter, end));
        let Some((at, last)) = ended else { return };
        rest = &behind[at + last.len_utf8()..];
    }
    prose.push_str(rest);
}

/// The closing mark for an opening quotation mark. An apostrophe doesn't open a quotation.
fn closing(letter: char) -> Option<char> {
    match letter {
        '"' | '`' | '”' => Some(letter),
        '“' => Some('”'),
        '„' => Some('“'),
        '«' => Some('»'),
        '»' => Some('«'),
        '‹' => Some('›'),
        '「' => Some('」'),
        '『' => Some('』'),
        _ => None,
    }
}

/// True if a character closes a quotation: German ones end with `“` or `”`.
fn is_end(letter: char, end: char) -> bool {
    letter == end || end == '“' && letter == '”'
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    /// For each language, a sentence that sets a lasting rule and one that corrects an earlier message.
    const SAID: [(Language, [&str; 2]); 7] = [
        (Language::English, ["From now on, answer in metric units", "We moved it to Tuesday"]),
        (Language::German, ["Ab jetzt bitte immer mit Quelle", "Es wurde verschoben"]),
        (Language::French, ["Désormais, réponds en français", "La fête a été reportée au 4 mai"]),
        (Language::Spanish, ["A partir de ahora responde en español", "Ya no vivo en Lima"]),
        (
            Language::Portuguese,
            ["A partir de agora responda em português", "A festa passou para sexta"],
        ),
        (Language::Italian, ["D'ora in poi rispondi in italiano", "La festa è stata spostata"]),
        (Language::Russian, ["С этого момента отвечай по-русски", "Встречу перенесли на среду"]),
    ];

    #[test]
    fn each_language_has_cues() {
        for (language, [stands, corrects]) in SAID {
            for known in [Some(language), None] {
                assert_eq!(cues(stands, known) & STANDS, STANDS, "{stands}");
                assert_eq!(cues(corrects, known) & CORRECTS, CORRECTS, "{corrects}");
            }
        }
        assert_eq!(cues("Always use tabs. I prefer them.", Some(Language::English)), STANDS);
        assert_eq!(cues("It always rains here.", Some(Language::English)), 0);
        assert_eq!(cues("", None), 0);
    }

    #[test]
    fn a_request_names_the_speaker_it_asks_about() {
        let whose = |request| asked(request, Some(Language::English)).whose;
        assert_eq!(whose("What did you recommend for my garden?"), Whose::Answerer);
        assert_eq!(whose("When does my first sprint end?"), Whose::Asker);
        assert_eq!(whose("When did Anna leave?"), Whose::Anybody);
    }

    #[test]
    fn a_request_for_advice_does_not_look_back() {
        let looks_back = |request| asked(request, Some(Language::English)).looks_back;
        assert!(looks_back("How many rules did I mention?"));
        assert!(looks_back("Have I ever used Zotero before?"));
        assert!(looks_back("What did you recommend for my garden?"));
        assert!(!looks_back("What is your recommendation for dinner?"));
        assert!(!looks_back("What should I cook for my guests?"));
        assert!(!looks_back("Which options do I have in Lisbon?"));
        assert!(!looks_back("How do I calculate the area?"));
    }

    properties! {
        /// A page, a log or a program that contains "from now on" gets no cue.
        #[test]
        fn quoted_text_has_no_cue(
            which in 0_usize..SAID.len(),
            kind in 0_usize..2,
            around in "[a-z ,]{0,12}",
            quotation in 0_usize..12,
        ) {
            let (language, said) = SAID[which];
            let said = said[kind];
            let quoted = match quotation {
                0 => format!("{around} \"{said}\" {around}"),
                1 => format!("{around} “{said}” {around}"),
                2 => format!("{around} „{said}“ {around}"),
                3 => format!("{around} «{said}» {around}"),
                4 => format!("{around}\n> {said}\n{around}"),
                5 => format!("{around}\n```\n{said}\n```\n{around}"),
                6 => format!("{around}\n~~~ text\n{said}\n{said}"),
                7 => format!("{around}<document>\n{said}</document>{around}"),
                8 => format!("{around} <div id=1><div>{said}</div>\n{said}</div> {around}"),
                9 => format!("{around}\n---------- Forwarded message ---------\n{said}"),
                10 => format!("{around}\nFrom: Mallory\nTo: Ana\nSubject: Boats\n\n{said}"),
                _ => format!("{around} `{said}` {around}"),
            };
            prop_assert_eq!(cues(&quoted, Some(language)), cues(&format!("{around} ; {around}"), Some(language)));
        }

        /// Compares with a naive search for each phrase of the list.
        #[test]
        fn every_phrase_is_found_at_its_place(
            before in "([a-zé']{1,8} ){0,3}",
            which in 0_usize..400,
            behind in "( [a-zé']{1,8}){0,3}",
            language in 0_usize..8,
        ) {
            let known = Language::ALL.get(language).copied();
            let all: Vec<(Language, &str, u8)> = Language::ALL
                .into_iter()
                .flat_map(|it| {
                    let stands = lists::standing_phrases(it).map(move |phrase| (it, phrase, STANDS));
                    stands.chain(lists::correction_phrases(it).map(move |phrase| (it, phrase, CORRECTS)))
                })
                .collect();
            let text = format!("{before}{}{behind}", all[which % all.len()].1.trim_start_matches('^'));
            let said = spaced_folded(&text);
            let expected = all.iter().filter(|(it, ..)| known.is_none_or(|known| known == *it)).fold(0, |cues, (_, phrase, cue)| {
                let is_said = match phrase.strip_prefix('^') {
                    Some(phrase) => said[1..].strip_prefix(phrase).is_some_and(|end| end.starts_with(' ')),
                    None => find(&said, phrase),
                };
                if is_said { cues | cue } else { cues }
            });
            prop_assert_eq!(cues(&text, known), expected, "{}", text);
            prop_assert_eq!(cues(&text.to_ascii_uppercase(), known), expected, "{}", text);
        }

        /// Folding ASCII only lowercases it, and a folded text has the same words as the original.
        #[test]
        fn words_match_those_of_the_folded_text(text in "[ -~\t\n]{0,40}", other in any::<String>()) {
            let folded = |text: &str| spaced_folded(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>();
            let words = |text: &str| words_of(text.as_bytes()).map(|word| String::from_utf8_lossy(word).to_ascii_lowercase()).collect::<Vec<_>>();
            prop_assert_eq!(words(&text), folded(&text));
            prop_assert_eq!(words(&spaced_folded(&other)), folded(&other));
        }

        #[test]
        fn cues_of_any_text_never_panic(text in any::<String>()) {
            let all = cues(&text, None);
            for language in Language::ALL {
                prop_assert_eq!(cues(&text, Some(language)) & !all, 0);
            }
        }
    }
}
