//! Messages' vectors from the hook `recall.embed`, stored as integers, and their similarity to a request's.
//!
//! A vector's key is made from its model and text, so the vector stays valid however the transcript around its message
//! changes. All computations on vectors use integers, so they are the same on every host.

use crate::base::map::{self, HashedMap, HashedSet};
use crate::base::message::Field;
use crate::log::messages::Messages;
use std::cell::RefCell;
use std::rc::Rc;
use xxhash_rust::xxh64::xxh64;

/// Maximum number of characters of a text that are embedded. Models ignore the rest.
const MOST_CHARS: usize = 8_000;

/// Maximum number of components, so that the sum of their squares fits 32 bits.
const MOST_DIMENSIONS: usize = 1 << 16;

/// Value that the largest component is scaled to.
const LARGEST: f32 = 127.0;

/// A vector's direction: components from -127 to 127, of which the largest has one of these values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    components: Box<[i8]>,
    /// The sum of the squares of the components.
    squares: u32,
}

impl Vector {
    /// Converts a model's vector, which may have any length. None if it has no components, too many, or one that isn't
    /// finite.
    #[must_use]
    pub fn new(values: &[f32]) -> Option<Self> {
        let is_vector = (1..=MOST_DIMENSIONS).contains(&values.len())
            && values.iter().all(|value| value.is_finite());
        let largest = values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        #[expect(clippy::cast_possible_truncation, reason = "it is at most 127")]
        let component = |value: &f32| {
            // Dividing first keeps the quotient at most 1, whatever the components are.
            if largest > 0.0 { (value / largest * LARGEST).round() as i8 } else { 0 }
        };
        is_vector.then(|| Self::of_components(values.iter().map(component).collect()))
    }

    fn of_components(components: Box<[i8]>) -> Self {
        let square = |component: &i8| u32::from(component.unsigned_abs()).pow(2);
        let squares = components.iter().map(square).sum();
        Self { components, squares }
    }

    /// Number of components.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.components.len()
    }

    /// The cosine of the angle between two vectors, from -1 to 1; 0 if one has no direction, or their numbers of
    /// components differ.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        let lengths = f64::from(self.squares) * f64::from(other.squares);
        if self.dimensions() != other.dimensions() || lengths == 0.0 {
            return 0.0;
        }
        let pairs = self.components.iter().zip(&other.components);
        let product: i32 = pairs.map(|(one, other)| i32::from(*one) * i32::from(*other)).sum();
        f64::from(product) / lengths.sqrt()
    }
}

/// The vectors of a transcript's messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vectors {
    /// The model of `keys`, as a checksum.
    model: u64,
    /// For each row, the key of its vector; 0 if none of it is embedded.
    keys: Vec<u64>,
    /// Known vectors by key. All copies of a transcript share them.
    known: Rc<RefCell<HashedMap<u64, Vector>>>,
}

impl Vectors {
    /// Computes the keys of the messages' vectors.
    pub(crate) fn read(&mut self, transcript: &Messages, model: &str) {
        let model = xxh64(model.as_bytes(), 0);
        if self.model != model {
            self.model = model;
            self.keys.clear();
        }
        for row in self.keys.len()..transcript.len() {
            self.keys.push(text_of(transcript, row).map_or(0, |text| self.key(&text)));
        }
    }

    /// Forgets the keys of the messages from the one at `length` on.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.keys.truncate(length);
    }

    /// The texts of rows whose vectors aren't known, without duplicates.
    pub(crate) fn unknown_texts(&self, transcript: &Messages, rows: &[usize]) -> Vec<String> {
        let known = self.known.borrow();
        let is_unknown =
            |row: &&usize| self.keys[**row] != 0 && !known.contains_key(&self.keys[**row]);
        let mut seen: HashedSet<u64> = HashedSet::default();
        rows.iter()
            .filter(is_unknown)
            .filter(|row| seen.insert(self.keys[**row]))
            .filter_map(|row| text_of(transcript, *row))
            .collect()
    }

    /// True if a text is the embedded text of any message.
    pub(crate) fn is_of_any(&self, text: &str) -> bool {
        self.keys.contains(&self.key(text))
    }

    /// Remembers the vector of a text.
    pub(crate) fn learn(&self, text: &str, vector: Vector) {
        let mut known = self.known.borrow_mut();
        if known.len() >= MOST_SPARE + 2 * self.keys.len() {
            let mut keys = self.keys.clone();
            map::sort_numbers(&mut keys);
            known.retain(|key, _| keys.binary_search(key).is_ok());
        }
        known.insert(self.key(text), vector);
    }

    /// Forgets the rows' vectors that don't have `dimensions` components, because they must be from another model.
    /// Returns true if there were any.
    pub(crate) fn forget_others(&self, rows: &[usize], dimensions: usize) -> bool {
        let mut known = self.known.borrow_mut();
        let before = known.len();
        for row in rows {
            let key = &self.keys[*row];
            if known.get(key).is_some_and(|vector| vector.dimensions() != dimensions) {
                known.remove(key);
            }
        }
        known.len() < before
    }

    /// The similarities of rows to a request. None if a vector is unknown.
    pub(crate) fn similarities(&self, rows: &[usize], request: &Vector) -> Option<Vec<f64>> {
        let known = self.known.borrow();
        let similarity = |row: &usize| match self.keys[*row] {
            0 => Some(0.0),
            key => known.get(&key).map(|vector| vector.similarity(request)),
        };
        rows.iter().map(similarity).collect()
    }

    /// Number of rows with a known vector.
    pub(crate) fn known_count(&self, rows: std::ops::Range<usize>) -> usize {
        let known = self.known.borrow();
        self.keys[rows].iter().filter(|key| known.contains_key(key)).count()
    }

    /// The known vectors of some rows, as bytes for [`Vectors::learn_bytes`]. Empty if none is known.
    pub(crate) fn bytes(&self, rows: std::ops::Range<usize>) -> Vec<u8> {
        let known = self.known.borrow();
        let mut records = Vec::new();
        let mut dimensions = None;
        for key in &self.keys[rows] {
            let Some(vector) = known.get(key) else {
                continue;
            };
            if *dimensions.get_or_insert(vector.dimensions()) == vector.dimensions() {
                records.extend(key.to_le_bytes());
                records.extend(vector.components.iter().flat_map(|it| it.to_le_bytes()));
            }
        }
        let Some(dimensions) = dimensions else {
            return Vec::new();
        };
        let mut bytes = Vec::with_capacity(HEADER_BYTES + records.len());
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((dimensions as u64).to_le_bytes());
        bytes.extend(xxh64(&records, dimensions as u64).to_le_bytes());
        bytes.extend(records);
        bytes
    }

    /// Remembers the vectors of some rows from `bytes`. Ignores bytes that aren't a list of vectors or are of another
    /// version.
    pub(crate) fn learn_bytes(&self, rows: std::ops::Range<usize>, bytes: &[u8]) {
        let Some((header, records)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return;
        };
        // The length was checked, so every part is there.
        let part = |at: usize| header[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
        let [version, dimensions, checksum] = [part(0), part(8), part(16)];
        if version != VERSION || checksum != xxh64(records, dimensions) {
            return;
        }
        let size = usize::try_from(dimensions).ok().filter(|it| (1..=MOST_DIMENSIONS).contains(it));
        let Some(size) = size else {
            return;
        };
        let mut keys = self.keys[rows].to_vec();
        map::sort_numbers(&mut keys);
        let mut known = self.known.borrow_mut();
        for record in records.chunks_exact(KEY_BYTES + size) {
            if let Some((key, components)) = record.split_first_chunk() {
                let key = u64::from_le_bytes(*key);
                if keys.binary_search(&key).is_ok() {
                    let components = components.iter().map(|byte| i8::from_le_bytes([*byte]));
                    known.insert(key, Vector::of_components(components.collect()));
                }
            }
        }
    }

    /// The key of a text's vector.
    fn key(&self, text: &str) -> u64 {
        xxh64(text.as_bytes(), self.model).max(1)
    }
}

/// Number of vectors of deleted messages that are kept, in addition to one per message.
const MOST_SPARE: usize = 64;

const KEY_BYTES: usize = 8;
/// Size of the header: the version, the number of components, and a checksum of the rest.
const HEADER_BYTES: usize = 24;
/// "vectors1"
const VERSION: u64 = u64::from_le_bytes(*b"vectors1");

/// The embedded text of a message: its speaker's name and its texts. None if the texts are blank.
fn text_of(transcript: &Messages, row: usize) -> Option<String> {
    let text = transcript.text(row);
    if text.trim().is_empty() {
        return None;
    }
    let name = transcript.value(row, Field::Name).filter(|name| !name.is_empty());
    Some(cut(&name.map_or_else(|| text.clone(), |name| format!("{name}: {text}"))).to_owned())
}

/// The part of a text that is embedded.
pub(crate) fn cut(text: &str) -> &str {
    text.char_indices().nth(MOST_CHARS).map_or(text, |(end, _)| &text[..end])
}

// ---- Similarities in recordings ----

/// Number of steps from 0 to 1, finer than the resolution of the components.
const STEPS: i16 = 2_000;

/// The letters of base64. Two of them encode a similarity.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Similarities as a text of two letters each, in steps of 1/2000.
#[must_use]
pub fn write_similarities(similarities: &[f64]) -> String {
    let mut text = String::with_capacity(2 * similarities.len());
    for similarity in similarities {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 4000"
        )]
        let code = ((similarity.clamp(-1.0, 1.0) + 1.0) * f64::from(STEPS)).round() as usize;
        text.push(char::from(LETTERS[code >> 6]));
        text.push(char::from(LETTERS[code & 63]));
    }
    text
}

/// Parses similarities from such a text, from -1 to 1. None if it isn't valid.
#[must_use]
pub fn read_similarities(text: &str) -> Option<Vec<f32>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let value = |letter: u8| -> Option<i16> {
        match letter {
            b'A'..=b'Z' => Some(i16::from(letter - b'A')),
            b'a'..=b'z' => Some(i16::from(letter - b'a') + 26),
            b'0'..=b'9' => Some(i16::from(letter - b'0') + 52),
            b'+' => Some(62),
            b'/' => Some(63),
            _ => None,
        }
    };
    let similarity = |pair: &[u8; 2]| {
        let code = value(pair[0])? * 64 + value(pair[1])?;
        (code <= 2 * STEPS).then(|| f32::from(code - STEPS) / f32::from(STEPS))
    };
    rest.is_empty().then(|| pairs.iter().map(similarity).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::messages::Columns;

    /// Deterministic pseudo-random numbers from -1 to 1.
    fn numbers(seed: u64) -> impl FnMut() -> f32 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            #[expect(clippy::cast_precision_loss, reason = "24 bits")]
            let unit = (state >> 40) as f32 / (1_u32 << 24) as f32;
            2.0 * unit - 1.0
        }
    }

    fn cosine(one: &[f32], other: &[f32]) -> f64 {
        let product = |one: &[f32], other: &[f32]| -> f64 {
            one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
        };
        product(one, other) / (product(one, one) * product(other, other)).sqrt()
    }

    fn transcript(texts: &[&str]) -> Messages {
        let mut transcript = Messages::default();
        let lengths: Vec<u32> =
            texts.iter().map(|text| u32::try_from(text.len()).expect("short")).collect();
        let count = texts.len();
        transcript
            .append(&Columns {
                text: texts.concat().as_bytes(),
                roles: &vec![2; count],
                pinned: &vec![0; count],
                times: &vec![f64::NAN; count],
                segment_counts: &vec![1; count],
                segment_fields: &vec![Field::Text as u8; count],
                segment_lengths: &lengths,
            })
            .expect("columns that fit");
        transcript
    }

    fn vectors(transcript: &Messages, model: &str) -> Vectors {
        let mut vectors = Vectors::default();
        vectors.read(transcript, model);
        vectors
    }

    fn vector(seed: u64) -> Vector {
        let mut number = numbers(seed);
        Vector::new(&(0..32).map(|_| number()).collect::<Vec<f32>>()).expect("a vector")
    }

    #[test]
    fn integer_vectors_preserve_angles() {
        for (seed, dimensions) in (0..200).zip([2, 32, 384, 768, 1536].into_iter().cycle()) {
            let mut number = numbers(seed);
            let one: Vec<f32> = (0..dimensions).map(|_| number()).collect();
            // A vector that is more or less close, has another length, and has one outlying component.
            let near = number().abs();
            let mut other: Vec<f32> =
                one.iter().map(|it| 1e-3 * (near * it + (1.0 - near) * number())).collect();
            other[dimensions / 2] *= 8.0;
            let wanted = cosine(&one, &other);
            let quantised = [&one, &other].map(|values| Vector::new(values).expect("a vector"));
            let found = quantised[0].similarity(&quantised[1]);
            assert!((found - wanted).abs() < 0.01, "{found} for {wanted} of {dimensions}");
            let again = quantised[1].similarity(&quantised[0]);
            assert_eq!(found.to_bits(), again.to_bits());
        }
    }

    #[test]
    fn a_vector_without_direction_is_similar_to_nothing() {
        let zero = Vector::new(&[0.0, 0.0]).expect("a vector");
        let one = Vector::new(&[f32::MAX, f32::MIN_POSITIVE]).expect("a vector");
        assert!((one.similarity(&one) - 1.0).abs() < 1e-12);
        assert!(zero.similarity(&one).abs() < 1e-12);
        assert!(one.similarity(&Vector::new(&[1.0]).expect("a vector")).abs() < 1e-12);
        for nonsense in
            [vec![], vec![f32::NAN], vec![1.0, f32::INFINITY], vec![1.0; MOST_DIMENSIONS + 1]]
        {
            assert_eq!(Vector::new(&nonsense), None);
        }
        let longest = Vector::new(&vec![-1.0; MOST_DIMENSIONS]).expect("a vector");
        assert!((longest.similarity(&longest) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn similarities_are_read_as_they_were_written() {
        let all: Vec<f64> = (-2_000..=2_000).map(|step| f64::from(step) / 2_000.0).collect();
        let text = write_similarities(&all);
        let read = read_similarities(&text).expect("they were written");
        assert_eq!(read.len(), all.len());
        for (read, written) in read.iter().zip(&all) {
            assert!((f64::from(*read) - written).abs() < 1e-6, "{read} for {written}");
        }
        let read: Vec<f64> = read.into_iter().map(f64::from).collect();
        assert_eq!(write_similarities(&read), text);
        assert_eq!(write_similarities(&[7.0, -7.0]), write_similarities(&[1.0, -1.0]));
        for nonsense in ["A", "AAA", "//", "A=", "\u{e4}", "  "] {
            assert_eq!(read_similarities(nonsense), None, "{nonsense}");
        }
        assert_eq!(read_similarities(""), Some(vec![]));
    }

    #[test]
    fn each_unknown_text_is_requested_once() {
        let transcript = transcript(&["tea", " ", "tea", "milk", ""]);
        let vectors = vectors(&transcript, "one");
        let rows = [0, 1, 2, 3, 4];
        assert_eq!(vectors.unknown_texts(&transcript, &rows), ["tea", "milk"]);
        vectors.learn("tea", vector(1));
        assert_eq!(vectors.unknown_texts(&transcript, &rows), ["milk"]);
        assert_eq!(vectors.similarities(&rows, &vector(1)), None);
        vectors.learn("milk", vector(2));
        let found = vectors.similarities(&rows, &vector(1)).expect("all are known");
        let is_near = |row: usize| (found[row] - 1.0).abs() < 1e-12;
        let is_blank = |row: usize| found[row].abs() < 1e-12;
        assert!(is_near(0) && is_blank(1) && is_near(2) && !is_near(3) && is_blank(4), "{found:?}");
        // A second model knows none of these vectors, and the first still knows them when asked again.
        let mut other = vectors.clone();
        other.read(&transcript, "two");
        assert_eq!(other.unknown_texts(&transcript, &rows), ["tea", "milk"]);
        other.read(&transcript, "one");
        assert!(other.unknown_texts(&transcript, &rows).is_empty());
        // Vectors of another length are from another model, even under the same name.
        assert!(!other.forget_others(&rows, 32));
        assert!(other.forget_others(&[0], 31));
        assert_eq!(vectors.unknown_texts(&transcript, &rows), ["tea"]);
    }

    #[test]
    fn removed_messages_are_eventually_forgotten() {
        let transcript = transcript(&["tea"]);
        let vectors = vectors(&transcript, "one");
        vectors.learn("tea", vector(1));
        for turn in 0..10_000 {
            vectors.learn(&format!("text {turn}"), vector(2));
        }
        assert!(vectors.known.borrow().len() <= 2 + MOST_SPARE);
        assert!(vectors.unknown_texts(&transcript, &[0]).is_empty());
    }

    #[test]
    fn known_vectors_survive_serialization_and_damaged_ones_are_ignored() {
        let transcript = transcript(&["tea", "milk", "", "honey"]);
        let rows = [0, 1, 2, 3];
        let first = vectors(&transcript, "one");
        assert!(first.bytes(0..4).is_empty());
        first.learn("tea", vector(1));
        first.learn("honey", vector(2));
        let bytes = first.bytes(0..4);
        assert_eq!(bytes.len(), HEADER_BYTES + 2 * (KEY_BYTES + 32));
        let second = vectors(&transcript, "one");
        second.learn_bytes(0..4, &bytes);
        assert_eq!(second.unknown_texts(&transcript, &rows), ["milk"]);
        assert_eq!([second.known_count(0..4), second.known_count(1..3)], [2, 0]);
        assert_eq!(second.bytes(0..4), bytes);
        // Learns only rows that were requested, and only from the same model.
        let part = vectors(&transcript, "one");
        part.learn_bytes(1..4, &bytes);
        assert_eq!(part.unknown_texts(&transcript, &rows), ["tea", "milk"]);
        let other = vectors(&transcript, "two");
        other.learn_bytes(0..4, &bytes);
        assert_eq!(other.known_count(0..4), 0);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            for damaged in [damaged.as_slice(), &bytes[..at]] {
                let third = vectors(&transcript, "one");
                third.learn_bytes(0..4, damaged);
                assert_eq!(third.known_count(0..4), 0, "byte {at}");
            }
        }
    }

    #[test]
    fn the_embedded_text_has_its_speaker_and_is_cut_if_long() {
        let long = "\u{e4}".repeat(MOST_CHARS);
        assert_eq!(cut(&long), long);
        assert_eq!(cut(&format!("{long}b")), long);
        let mut transcript = Messages::default();
        transcript
            .append(&Columns {
                text: "Anatea".as_bytes(),
                roles: &[2],
                pinned: &[0],
                times: &[f64::NAN],
                segment_counts: &[2],
                segment_fields: &[Field::Name as u8, Field::Text as u8],
                segment_lengths: &[3, 3],
            })
            .expect("columns that fit");
        assert_eq!(text_of(&transcript, 0).as_deref(), Some("Ana: tea"));
    }
}
