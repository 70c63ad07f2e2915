//! Untyped options, and reading them strictly into a typed config.
//!
//! A config arrives from JavaScript as a [`Value`] with every key that the caller wrote, and [`FromValue`] reads that
//! into the config's types. Every failure names the option's path, and suggests the right spelling of a misspelled
//! option.

use super::json::to_json;
use crate::base::error::{Error, ErrorCode};
use crate::base::nearest::{nearest, plain};
use crate::base::text::joined;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A value as plain data: anything in JSON, and also NaN and infinities.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null` or `undefined`: the option isn't set.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Any number, including NaN and the infinities.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// An object's own keys, in order.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The value of a name in an object. None if it isn't an object or lacks the name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(map) => map.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list; empty for anything else.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(list) => list,
            _ => &[],
        }
    }

    /// The names and values of an object; empty for anything else.
    #[must_use]
    pub fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Map(map) => map,
            _ => &[],
        }
    }

    /// The elements of a list. Fails for anything else.
    pub(crate) fn list(&self) -> Reading<&[Self]> {
        match self {
            Self::List(list) => Ok(list),
            other => Err(Misfit::mismatch("a list", other)),
        }
    }

    /// A few words about the value, for errors.
    fn describe(&self) -> String {
        match self {
            Self::Null => "nothing".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(number) if number.is_nan() => "NaN".to_owned(),
            Self::Number(number) if number.is_infinite() => "infinity".to_owned(),
            Self::Number(number) => number_text(*number),
            Self::Text(text) if text.len() <= 40 => format!("the text \"{text}\""),
            Self::Text(_) => "a text".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "an object".to_owned(),
        }
    }

    /// Decodes into a typed config. `options` lists the paths of all options, for suggestions.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` with the option's path, the problem, and the closest right spelling.
    pub fn decode<T: FromValue>(&self, options: &OptionNames) -> Result<T, Error> {
        T::from_value(self).map_err(|failure| failure.into_error(options))
    }
}

/// A number in JavaScript's spelling, in the shortest form. Uses `serde_json`, because the standard library's formatter
/// would bring its own tables.
#[must_use]
pub fn number_text(number: f64) -> String {
    let text = to_json(&number);
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// As JSON. Names without a value are left out.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_991.0; // Number.MAX_SAFE_INTEGER
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and exact")]
            Self::Number(number) if number.fract() == 0.0 && number.abs() <= EXACT => {
                serializer.serialize_i64(*number as i64)
            }
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(list) => serializer.collect_seq(list),
            Self::Map(map) => {
                let there = map.iter().filter(|(_, value)| *value != Self::Null);
                serializer.collect_map(there.map(|(name, value)| (name, value)))
            }
        }
    }
}

/// From JSON, with objects' names in order.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Value;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("plain data")
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Bool(value))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value::Number(value))
            }
            #[expect(clippy::cast_precision_loss, reason = "a number of JavaScript's is a double")]
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            #[expect(clippy::cast_precision_loss, reason = "a number of JavaScript's is a double")]
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(Value::Text(value.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Value::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
                let mut map = Vec::new();
                while let Some(entry) = entries.next_entry()? {
                    map.push(entry);
                }
                Ok(Value::Map(map))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// The names of options, to suggest the right one for a wrong one.
#[derive(Debug)]
pub struct OptionNames {
    /// The options of the target type.
    pub options: &'static [OptionName],
    /// The paths of other options, which are read elsewhere.
    pub outside: &'static [&'static str],
    /// Other packages' names for some of them, each with the path here.
    pub meant: &'static [(&'static str, &'static str)],
}

impl OptionNames {
    /// No names: an unknown name is compared only with its siblings.
    pub const NONE: Self = Self { options: &[], outside: &[], meant: &[] };

    /// The paths of all options. An optional group counts as one too.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.outside.iter().map(|path| (*path).to_owned()).collect();
        OptionName::add_paths(self.options, "", &mut paths);
        paths
    }
}

/// The name of an option, or of a group of options.
#[derive(Debug)]
pub struct OptionName {
    /// The spelling in a config.
    pub name: &'static str,
    /// True if it may be missing.
    pub is_optional: bool,
    /// The options of a group.
    pub options: &'static [OptionName],
}

impl OptionName {
    fn add_paths(names: &[Self], before: &str, paths: &mut Vec<String>) {
        for Self { name, is_optional, options } in names {
            let path = format!("{before}{name}");
            Self::add_paths(options, &format!("{path}."), paths);
            if options.is_empty() || *is_optional {
                paths.push(path);
            }
        }
    }
}

/// Reason why a value doesn't fit, with the path from the inside out.
///
/// It is boxed because every reader returns it in its result.
#[derive(Debug)]
pub struct Misfit(Box<(Vec<String>, Problem)>);

#[derive(Debug)]
enum Problem {
    UnknownOption { expected: &'static [&'static str] },
    UnknownChoice { given: String, expected: &'static [&'static str] },
    NoChoice { given: String, expected: &'static [&'static str] },
    Mismatch { expected: &'static str, given: String, is_required: bool },
    Other(String),
}

impl Misfit {
    fn of(problem: Problem) -> Self {
        Self(Box::new((Vec::new(), problem)))
    }

    /// A misfit with a message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::of(Problem::Other(message.into()))
    }

    fn mismatch(expected: &'static str, given: &Value) -> Self {
        Self::of(Problem::Mismatch { expected, given: given.describe(), is_required: false })
    }

    /// Says that the option can't be left out.
    fn required(mut self) -> Self {
        if let Problem::Mismatch { is_required, .. } = &mut self.0.1 {
            *is_required = true;
        }
        self
    }

    /// Adds the outer segment of the value's path.
    pub(crate) fn within(mut self, segment: impl Into<String>) -> Self {
        self.0.0.push(segment.into());
        self
    }

    fn into_error(self, options: &OptionNames) -> Error {
        let (mut names, problem) = *self.0;
        names.reverse();
        let path = joined(names.iter().map(String::as_str), ".").replace(".[", "[");
        let (message, next_action) = match problem {
            Problem::UnknownOption { expected } => {
                let name = names.last().map_or("", String::as_str);
                let paths = options.paths();
                let beside = names_beside(&path, name, expected, &paths);
                match nearest_option(name, &beside, &path, (&paths, options.meant)) {
                    Some(right) => (
                        format!("unknown option; did you mean {right}?"),
                        format!("Rename it to {right}."),
                    ),
                    None => (
                        "unknown option".to_owned(),
                        format!(
                            "Remove it. The options here are {}.",
                            joined(beside.iter().copied(), ", ")
                        ),
                    ),
                }
            }
            Problem::UnknownChoice { given, expected } => {
                let known = joined(expected.iter().copied(), ", ");
                match nearest(&given, expected.iter().copied()) {
                    Some(right) => (
                        format!("unknown value \"{given}\"; did you mean \"{right}\"?"),
                        format!("Use one of {known}."),
                    ),
                    None => (format!("unknown value \"{given}\""), format!("Use one of {known}.")),
                }
            }
            Problem::NoChoice { given, expected } => {
                let known = joined(expected.iter().copied(), ", ");
                (format!("expected one of {known}, got {given}"), format!("Use one of {known}."))
            }
            Problem::Mismatch { expected, given, is_required } => {
                // The first option of a group serves as an example.
                let paths = options.paths();
                let within = |option: &String| {
                    option.strip_prefix(path.as_str())?.strip_prefix('.').map(str::to_owned)
                };
                let first = paths.iter().find_map(within);
                let next_action = match first {
                    Some(first) => {
                        format!("Pass {expected}, for example {path}: {{ {first}: … }}.")
                    }
                    None if is_required => format!("Pass {expected}."),
                    None => format!("Pass {expected}, or leave the option out."),
                };
                (format!("expected {expected}, got {given}"), next_action)
            }
            Problem::Other(message) => (message, "Correct the option, or leave it out.".to_owned()),
        };
        let error = Error::new(ErrorCode::InvalidConfig, message, next_action);
        if path.is_empty() { error } else { error.at(path) }
    }
}

/// The option that was probably meant: a similar sibling, another package's name for it, or the same name in another
/// group.
fn nearest_option(
    name: &str,
    beside: &[&str],
    path: &str,
    (paths, all_meant): (&[String], &[(&str, &str)]),
) -> Option<String> {
    let group = path.strip_suffix(name).unwrap_or("");
    if let Some(right) = nearest(name, beside.iter().copied()) {
        return Some(format!("{group}{right}"));
    }
    let name = plain(name);
    let meant = all_meant.iter().find(|(other, _)| *other == name); // they are in plain form
    let leaf = |option: &str| option.rsplit('.').next().map(plain);
    // Several groups have a switch of the same name, and another group's switch would turn off something else.
    let is_same = |option: &&String| name != "enabled" && leaf(option).as_ref() == Some(&name);
    let same = || paths.iter().find(is_same).cloned();
    meant.map(|(_, right)| (*right).to_owned()).or_else(same)
}

/// The names of the group that has the unknown option at `path`.
fn names_beside<'a>(
    path: &str,
    name: &str,
    expected: &'static [&'static str],
    paths: &'a [String],
) -> Vec<&'a str> {
    let group = path.strip_suffix(name).unwrap_or("");
    let beside = paths.iter().filter_map(|option| option.strip_prefix(group));
    let mut names: Vec<&str> = expected.to_vec();
    for name in beside.filter_map(|option| option.split('.').next()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

pub use windrow_from_value::FromValue;

/// Result of reading a value.
pub type Reading<T> = Result<T, Misfit>;

/// A type that a value is read into, strictly. Derive it: see `crates/from-value`.
pub trait FromValue: Sized {
    /// The names of its fields, if it is a group of options.
    const OPTIONS: &'static [OptionName] = &[];

    /// Reads the value.
    ///
    /// # Errors
    ///
    /// The problem and its path.
    fn from_value(value: &Value) -> Reading<Self>;
}

/// Reads the fields of an object. `set` reads the value of the field at a place of `names`. `required` has a bit for
/// each place that must be present.
///
/// # Errors
///
/// If the value isn't an object, a name is unknown, or a field is missing or doesn't fit.
pub fn read_fields(
    value: &Value,
    names: &'static [&'static str],
    required: u64,
    set: &mut dyn FnMut(usize, &Value) -> Reading<()>,
) -> Reading<()> {
    let entries = match value {
        Value::Map(entries) => entries.as_slice(),
        // An unset group has its defaults.
        Value::Null => &[],
        other => return Err(Misfit::mismatch("an object with options", other)),
    };
    let mut missing = required;
    for (name, value) in entries {
        let Some(place) = names.iter().position(|known| known == name) else {
            return Err(Misfit::of(Problem::UnknownOption { expected: names }).within(name));
        };
        missing &= !(1 << place);
        set(place, value).map_err(|misfit| misfit.within(name))?;
    }
    let place = missing.trailing_zeros() as usize;
    match names.get(place) {
        // The error says which value is expected there.
        Some(name) => set(place, &Value::Null).map_err(|misfit| misfit.required().within(*name)),
        None => Ok(()),
    }
}

/// Reads a choice: its place in `names`.
///
/// # Errors
///
/// If it isn't in `names`.
pub fn read_choice(value: &Value, names: &'static [&'static str]) -> Reading<usize> {
    let Value::Text(given) = value else {
        let given = value.describe();
        return Err(Misfit::of(Problem::NoChoice { given, expected: names }));
    };
    names
        .iter()
        .position(|known| known == given)
        .ok_or_else(|| Misfit::of(Problem::UnknownChoice { given: given.clone(), expected: names }))
}

impl FromValue for bool {
    fn from_value(value: &Value) -> Reading<Self> {
        match value {
            Value::Bool(truth) => Ok(*truth),
            other => Err(Misfit::mismatch("true or false", other)),
        }
    }
}

impl FromValue for u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole and within the doubles' exact range"
    )]
    fn from_value(value: &Value) -> Reading<Self> {
        const EXACT: f64 = 9_007_199_254_740_991.0; // Number.MAX_SAFE_INTEGER
        match value {
            Value::Number(number) if number.fract() == 0.0 && (0.0..=EXACT).contains(number) => {
                Ok(*number as u64)
            }
            other => Err(Misfit::mismatch("an integer of 0 or more", other)),
        }
    }
}

impl FromValue for usize {
    fn from_value(value: &Value) -> Reading<Self> {
        Self::try_from(u64::from_value(value)?).map_err(|_| Misfit::new("is out of range"))
    }
}

impl FromValue for f64 {
    fn from_value(value: &Value) -> Reading<Self> {
        match value {
            // JSON lacks a negative zero, so a recording couldn't keep it.
            Value::Number(number) if number.is_finite() => Ok(*number + 0.0),
            other => Err(Misfit::mismatch("a finite number", other)),
        }
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> Reading<Self> {
        match value {
            Value::Text(text) => Ok(text.clone()),
            other => Err(Misfit::mismatch("a text", other)),
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const OPTIONS: &'static [OptionName] = T::OPTIONS;

    fn from_value(value: &Value) -> Reading<Self> {
        match value {
            Value::Null => Ok(None),
            value => T::from_value(value).map(Some),
        }
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: &Value) -> Reading<Self> {
        let elements = value.list()?;
        let mut list = Vec::with_capacity(elements.len());
        for place in 0..elements.len() {
            list.push(element(elements, place)?);
        }
        Ok(list)
    }
}

/// A list of three values of different types.
impl<A: FromValue, B: FromValue, C: FromValue> FromValue for (A, B, C) {
    fn from_value(value: &Value) -> Reading<Self> {
        match value {
            Value::List(list) => Ok((element(list, 0)?, element(list, 1)?, element(list, 2)?)),
            _ => Err(Misfit::new("is of the wrong type")),
        }
    }
}

fn element<T: FromValue>(list: &[Value], place: usize) -> Reading<T> {
    let value = list.get(place).ok_or_else(|| Misfit::new("has the wrong length"))?;
    T::from_value(value).map_err(|misfit| misfit.within(format!("[{place}]")))
}
