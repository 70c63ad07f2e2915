//! Options as they were written, and the strict way from there into a typed config.
//!
//! A config crosses from JavaScript into a [`Value`], which sees every key that the caller wrote, and from there
//! through serde into the config's types. Every failure names the option's path, and a misspelt option the right
//! spelling; serde's own wording, which speaks of Rust types, never shows.

use crate::base::error::{Error, ErrorCode};
use crate::base::nearest::nearest;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, EnumAccess, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, forward_to_deserialize_any};
use std::fmt;

/// A value as plain data: what JSON can say, and numbers that are none.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null` or `undefined`: the option is not set.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Any number, NaN and the infinities included.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// An object's own keys in their order.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The value of a name, in an object that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(map) => map.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, where it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list; none where it is no list.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(list) => list,
            _ => &[],
        }
    }

    /// The names and values of an object; none where it is no object.
    #[must_use]
    pub fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Map(map) => map,
            _ => &[],
        }
    }

    /// The value in a few words.
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

    /// Decodes into a typed config; `options` lists the paths of all options, to name the right one.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` with the option's path, what is wrong with it, and the nearest right spelling.
    pub fn decode<T: DeserializeOwned>(&self, options: &[&'static str]) -> Result<T, Error> {
        T::deserialize(self).map_err(|failure| failure.into_error(options))
    }
}

/// A number as JavaScript writes it, in the shortest form that `serde_json` has: the standard library's would bring its own tables.
#[must_use]
pub fn number_text(number: f64) -> String {
    let text = serde_json::to_string(&number).unwrap_or_default();
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// As JSON. A name without a value is not written.
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

/// From JSON, the names of objects in their order.
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

/// Why a value does not fit, with the path from the inside out.
#[derive(Debug)]
pub struct Misfit {
    path: Vec<String>,
    problem: Problem,
}

#[derive(Debug)]
enum Problem {
    UnknownOption { expected: &'static [&'static str] },
    UnknownChoice { given: String, expected: &'static [&'static str] },
    Mismatch { expected: &'static str, given: String },
    Other(String),
}

impl Misfit {
    fn new(message: impl Into<String>) -> Self {
        Self { path: Vec::new(), problem: Problem::Other(message.into()) }
    }

    fn mismatch(expected: &'static str, given: &Value) -> Self {
        let given = given.describe();
        Self { path: Vec::new(), problem: Problem::Mismatch { expected, given } }
    }

    fn within(mut self, segment: impl Into<String>) -> Self {
        self.path.push(segment.into());
        self
    }

    fn into_error(mut self, options: &[&'static str]) -> Error {
        self.path.reverse();
        let path = self.path.join(".").replace(".[", "[");
        let (message, next_action) = match self.problem {
            Problem::UnknownOption { expected } => {
                let name = self.path.last().map_or("", String::as_str);
                match nearest_option(name, expected, &path, options) {
                    Some(right) => (
                        format!("unknown option; did you mean {right}?"),
                        format!("Rename it to {right}."),
                    ),
                    None => (
                        "unknown option".to_owned(),
                        format!("Remove it; known here are {}.", expected.join(", ")),
                    ),
                }
            }
            Problem::UnknownChoice { given, expected } => {
                let known = expected.join(", ");
                match nearest(&given, expected.iter().copied()) {
                    Some(right) => (
                        format!("unknown value \"{given}\"; did you mean \"{right}\"?"),
                        format!("Use one of {known}."),
                    ),
                    None => (format!("unknown value \"{given}\""), format!("Use one of {known}.")),
                }
            }
            Problem::Mismatch { expected, given } => (
                format!("expected {expected}, got {given}"),
                format!("Give {expected}, or leave the option out."),
            ),
            Problem::Other(message) => (message, "Correct the option, or leave it out.".to_owned()),
        };
        let error = Error::new(ErrorCode::InvalidConfig, message, next_action);
        if path.is_empty() { error } else { error.at(path) }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the value does not fit")
    }
}

impl std::error::Error for Misfit {}

impl de::Error for Misfit {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    // The checks below say what was expected before serde can; its own wording would bring its own number formatting.
    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::new("is of the wrong type")
    }

    fn invalid_value(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::new("is out of range")
    }

    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        Self::new("has the wrong length")
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self { path: vec![field.to_owned()], problem: Problem::UnknownOption { expected } }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self {
            path: Vec::new(),
            problem: Problem::UnknownChoice { given: variant.to_owned(), expected },
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new("is missing").within(field)
    }
}

/// The option that was meant: a near spelling beside it, or the same name in another group.
fn nearest_option(
    name: &str,
    expected: &'static [&'static str],
    path: &str,
    options: &[&'static str],
) -> Option<String> {
    let group = path.strip_suffix(name).unwrap_or("");
    if let Some(right) = nearest(name, expected.iter().copied()) {
        return Some(format!("{group}{right}"));
    }
    let leaf = |option: &&'static str| option.rsplit('.').next().unwrap_or_default();
    let right = nearest(name, options.iter().map(leaf))?;
    options.iter().find(|option| leaf(option) == right).map(|option| (*option).to_owned())
}

impl<'de> de::Deserializer<'de> for &'de Value {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(value) => visitor.visit_f64(*value),
            Value::Text(value) => visitor.visit_borrowed_str(value),
            Value::List(list) => visitor.visit_seq(Elements { list, position: 0 }),
            Value::Map(map) => visitor.visit_map(Entries { map, position: 0 }),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self {
            Value::Bool(value) => visitor.visit_bool(*value),
            other => Err(Misfit::mismatch("true or false", other)),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole and within the doubles' exact range"
    )]
    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        const EXACT: f64 = 9_007_199_254_740_991.0; // Number.MAX_SAFE_INTEGER
        match self {
            Value::Number(value) if value.fract() == 0.0 && (0.0..=EXACT).contains(value) => {
                visitor.visit_u64(*value as u64)
            }
            other => Err(Misfit::mismatch("a whole number of 0 or more", other)),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self {
            // JSON has no negative zero, so a recording would not keep it.
            Value::Number(value) if value.is_finite() => visitor.visit_f64(*value + 0.0),
            other => Err(Misfit::mismatch("a finite number", other)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self {
            Value::Text(value) => visitor.visit_borrowed_str(value),
            other => Err(Misfit::mismatch("a text", other)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self {
            Value::Null => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self {
            Value::List(list) => visitor.visit_seq(Elements { list, position: 0 }),
            other => Err(Misfit::mismatch("a list", other)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self {
            Value::Map(map) => visitor.visit_map(Entries { map, position: 0 }),
            // A group that is not set has its defaults.
            Value::Null => visitor.visit_map(Entries { map: &[], position: 0 }),
            other => Err(Misfit::mismatch("an object with options", other)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self {
            Value::Text(choice) => visitor.visit_enum(Choice(choice)),
            other => Err(Misfit::mismatch("a text", other)),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 char bytes byte_buf unit unit_struct
        tuple tuple_struct map identifier ignored_any
    }
}

struct Elements<'de> {
    list: &'de [Value],
    position: usize,
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        let Some(value) = self.list.get(self.position) else {
            return Ok(None);
        };
        let place = format!("[{}]", self.position);
        self.position += 1;
        seed.deserialize(value).map(Some).map_err(|misfit| misfit.within(place))
    }
}

struct Entries<'de> {
    map: &'de [(String, Value)],
    position: usize,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        let Some((key, _)) = self.map.get(self.position) else {
            return Ok(None);
        };
        self.position += 1;
        seed.deserialize(key.as_str().into_deserializer()).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Misfit> {
        let (key, value) = &self.map[self.position - 1];
        seed.deserialize(value).map_err(|misfit| misfit.within(key))
    }
}

struct Choice<'de>(&'de str);

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = Misfit;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Misfit> {
        Ok((seed.deserialize(self.0.into_deserializer())?, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'de> {
    type Error = Misfit;

    fn unit_variant(self) -> Result<(), Misfit> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Misfit> {
        Err(Misfit::new("expected a text"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Misfit> {
        Err(Misfit::new("expected a text"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Misfit> {
        Err(Misfit::new("expected a text"))
    }
}
