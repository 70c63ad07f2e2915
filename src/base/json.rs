//! JSON as text, byte for byte like `serde_json`.
//!
//! Writing into memory can't fail. A serializer that says so needs no error path after each field. The core has some
//! hundred fields to write, and this takes a third of the code of `serde_json::to_string`.

use serde::Serialize;
use serde::ser::{self, Serializer};
use std::fmt::Display;

/// A value as JSON.
pub(crate) fn to_json(value: &(impl Serialize + ?Sized)) -> String {
    let mut text = String::new();
    match value.serialize(Json(&mut text)) {
        Ok(()) => text,
    }
}

/// The length of a text in JSON, in bytes of UTF-8: at least as much as `JSON.stringify` writes.
pub(crate) fn json_length(text: &str) -> u64 {
    // A lone surrogate of UTF-16 arrives as U+FFFD, and JSON writes it in six bytes.
    const HALF: u64 = 3;
    let halves = HALF * text.matches('\u{fffd}').count() as u64;
    let length = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..32 => 6,
        _ => 1,
    };
    text.bytes().map(length).fold(halves + 2, |all, bytes| all + bytes)
}

/// JSON with a space after each comma and colon, as Python writes it, or with a line for each entry, four spaces a level.
pub(crate) fn spaced(json: &str, is_indented: bool) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 4);
    let (mut is_text, mut is_escaped, mut depth) = (false, false, 0_usize);
    let line = |out: &mut String, depth: usize| {
        if is_indented {
            out.push('\n');
            (0..depth).for_each(|_| out.push_str("    "));
        }
    };
    let mut is_open = false;
    for letter in json.chars() {
        if is_text {
            out.push(letter);
            is_text = letter != '"' || is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            continue;
        }
        if letter.is_ascii_whitespace() {
            continue;
        }
        let is_end = matches!(letter, '}' | ']');
        depth = depth.saturating_sub(is_end.into());
        if is_open != is_end {
            line(&mut out, depth); // an empty object or list has no line
        }
        is_open = matches!(letter, '{' | '[');
        depth += usize::from(is_open);
        out.push(letter);
        is_text = letter == '"';
        match letter {
            ',' if is_indented => line(&mut out, depth),
            ',' | ':' => out.push(' '),
            _ => {}
        }
    }
    out
}

/// Appends one value to a text.
struct Json<'a>(&'a mut String);

/// Writes the values between brackets.
struct Within<'a> {
    text: &'a mut String,
    end: &'static str,
}

/// Error type of a serializer that can't fail.
#[derive(Debug)]
enum Never {}

type WriteResult = Result<(), Never>;

impl<'a> Json<'a> {
    #[expect(clippy::unnecessary_wraps, reason = "the traits below ask for it")]
    fn text(self, text: &str) -> WriteResult {
        self.0.push_str(text);
        Ok(())
    }

    fn open(self, start: &str, end: &'static str) -> Within<'a> {
        self.0.push_str(start);
        Within { text: self.0, end }
    }

    /// Writes a variant's value as the only field of an object, named after the variant.
    fn open_variant(self, variant: &'static str, start: &str, end: &'static str) -> Within<'a> {
        let mut object = self.open("{", "");
        object.name(variant);
        object.text.push_str(start);
        Within { end, ..object }
    }
}

impl Within<'_> {
    /// Writes a comma, unless a bracket was just opened.
    fn next(&mut self) -> Json<'_> {
        if !self.text.ends_with(['[', '{']) {
            self.text.push(',');
        }
        Json(self.text)
    }

    fn name(&mut self, name: &str) {
        quote(self.next().0, name);
        self.text.push(':');
    }

    #[expect(clippy::unnecessary_wraps, reason = "the traits below ask for it")]
    fn close(self) -> WriteResult {
        self.text.push_str(self.end);
        Ok(())
    }
}

/// Writes a text in quotation marks.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\')
    {
        out.push_str(&rest[..at]);
        let byte = rest.as_bytes()[at];
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            _ => {
                out.push_str("\\u00");
                out.extend(
                    [byte >> 4, byte & 15]
                        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])),
                );
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

impl<'a> Serializer for Json<'a> {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = Within<'a>;
    type SerializeTuple = Within<'a>;
    type SerializeTupleStruct = Within<'a>;
    type SerializeTupleVariant = Within<'a>;
    type SerializeMap = Within<'a>;
    type SerializeStruct = Within<'a>;
    type SerializeStructVariant = Within<'a>;

    fn serialize_bool(self, value: bool) -> WriteResult {
        self.text(if value { "true" } else { "false" })
    }
    fn serialize_i8(self, value: i8) -> WriteResult {
        self.serialize_i64(value.into())
    }
    fn serialize_i16(self, value: i16) -> WriteResult {
        self.serialize_i64(value.into())
    }
    fn serialize_i32(self, value: i32) -> WriteResult {
        self.serialize_i64(value.into())
    }
    fn serialize_i64(self, value: i64) -> WriteResult {
        self.text(itoa::Buffer::new().format(value))
    }
    fn serialize_u8(self, value: u8) -> WriteResult {
        self.serialize_u64(value.into())
    }
    fn serialize_u16(self, value: u16) -> WriteResult {
        self.serialize_u64(value.into())
    }
    fn serialize_u32(self, value: u32) -> WriteResult {
        self.serialize_u64(value.into())
    }
    fn serialize_u64(self, value: u64) -> WriteResult {
        self.text(itoa::Buffer::new().format(value))
    }
    fn serialize_f32(self, value: f32) -> WriteResult {
        self.text(&serde_json::to_string(&value).unwrap_or_default())
    }
    fn serialize_f64(self, value: f64) -> WriteResult {
        self.text(&serde_json::to_string(&value).unwrap_or_default())
    }
    fn serialize_char(self, value: char) -> WriteResult {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }
    fn serialize_str(self, value: &str) -> WriteResult {
        quote(self.0, value);
        Ok(())
    }
    fn serialize_bytes(self, value: &[u8]) -> WriteResult {
        self.collect_seq(value)
    }
    fn serialize_none(self) -> WriteResult {
        self.serialize_unit()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> WriteResult {
        value.serialize(self)
    }
    fn serialize_unit(self) -> WriteResult {
        self.text("null")
    }
    fn serialize_unit_struct(self, _: &'static str) -> WriteResult {
        self.serialize_unit()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> WriteResult {
        self.serialize_str(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> WriteResult {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> WriteResult {
        let object = self.open_variant(variant, "", "}");
        value.serialize(Json(object.text))?;
        object.close()
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Within<'a>, Never> {
        Ok(self.open("[", "]"))
    }
    fn serialize_tuple(self, _: usize) -> Result<Within<'a>, Never> {
        Ok(self.open("[", "]"))
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Within<'a>, Never> {
        Ok(self.open("[", "]"))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Within<'a>, Never> {
        Ok(self.open_variant(variant, "[", "]}"))
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Within<'a>, Never> {
        Ok(self.open("{", "}"))
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Within<'a>, Never> {
        Ok(self.open("{", "}"))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Within<'a>, Never> {
        Ok(self.open_variant(variant, "{", "}}"))
    }
}

/// Implements a serde trait for values that follow one another.
macro_rules! values {
    ($name:ident, $method:ident) => {
        impl ser::$name for Within<'_> {
            type Ok = ();
            type Error = Never;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
                value.serialize(self.next())
            }
            fn end(self) -> WriteResult {
                self.close()
            }
        }
    };
}

values!(SerializeSeq, serialize_element);
values!(SerializeTuple, serialize_element);
values!(SerializeTupleStruct, serialize_field);
values!(SerializeTupleVariant, serialize_field);

/// Implements a serde trait for values with names.
macro_rules! fields {
    ($name:ident) => {
        impl ser::$name for Within<'_> {
            type Ok = ();
            type Error = Never;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> WriteResult {
                self.name(name);
                value.serialize(Json(self.text))
            }
            fn end(self) -> WriteResult {
                self.close()
            }
        }
    };
}

fields!(SerializeStruct);
fields!(SerializeStructVariant);

impl ser::SerializeMap for Within<'_> {
    type Ok = ();
    type Error = Never;

    /// A name is always a text: numbers are quoted.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> WriteResult {
        let written = to_json(name);
        if written.starts_with('"') {
            self.next().text(&written)?;
        } else {
            quote(self.next().0, &written);
        }
        self.text.push(':');
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
        value.serialize(Json(self.text))
    }
    fn end(self) -> WriteResult {
        self.close()
    }
}

impl ser::Error for Never {
    fn custom<T: Display>(message: T) -> Self {
        unreachable!("only plain data is written: {message}")
    }
}

impl ser::StdError for Never {}

impl Display for Never {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::{spaced, to_json};
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;
    use serde::Serialize;
    use std::collections::BTreeMap;
    use windrow_property::properties;

    /// One variant for each kind of value that serde distinguishes.
    #[derive(Clone, Debug, Serialize)]
    enum Sample {
        Unit,
        Truth(bool),
        Letter(char),
        Text(String),
        Small(f32),
        Number(f64),
        Signed(i64),
        Tiny(i8),
        Unsigned(u64),
        Option(Option<Box<Sample>>),
        List(Vec<Sample>),
        Pair(Box<Sample>, u8),
        Named { first: Box<Sample>, second: () },
        Map(BTreeMap<String, Sample>),
        Numbered(BTreeMap<i32, Sample>),
        Flat(Flat),
        Tagged(Tagged),
    }

    #[derive(Clone, Debug, Serialize)]
    struct Flat {
        before: u16,
        #[serde(flatten)]
        rest: BTreeMap<String, Sample>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        after: Vec<(u32, i16)>,
    }

    #[derive(Clone, Debug, Serialize)]
    #[serde(tag = "kind", rename_all = "camelCase")]
    enum Tagged {
        Nothing,
        Something { text: String },
    }

    fn samples() -> impl Strategy<Value = Sample> {
        let leaf = prop_oneof![
            Just(Sample::Unit),
            any::<bool>().prop_map(Sample::Truth),
            any::<char>().prop_map(Sample::Letter),
            any::<String>().prop_map(Sample::Text),
            "[\\x00-\\x20\"\\\\/\u{7f}\u{2028}]{0,12}".prop_map(Sample::Text),
            any::<f32>().prop_map(Sample::Small),
            any::<f64>().prop_map(Sample::Number),
            any::<i32>().prop_map(|number| Sample::Number(number.into())),
            any::<i64>().prop_map(Sample::Signed),
            any::<i8>().prop_map(Sample::Tiny),
            any::<u64>().prop_map(Sample::Unsigned),
            Just(Sample::Option(None)),
            Just(Sample::Tagged(Tagged::Nothing)),
            any::<String>().prop_map(|text| Sample::Tagged(Tagged::Something { text })),
        ];
        leaf.prop_recursive(4, 48, 6, |inner| {
            let map = btree_map(any::<String>(), inner.clone(), 0..4);
            prop_oneof![
                inner.clone().prop_map(|value| Sample::Option(Some(Box::new(value)))),
                vec(inner.clone(), 0..5).prop_map(Sample::List),
                (inner.clone(), any::<u8>())
                    .prop_map(|(value, number)| Sample::Pair(Box::new(value), number)),
                inner
                    .clone()
                    .prop_map(|value| Sample::Named { first: Box::new(value), second: () }),
                map.clone().prop_map(Sample::Map),
                btree_map(any::<i32>(), inner, 0..4).prop_map(Sample::Numbered),
                (any::<u16>(), map, vec(any::<(u32, i16)>(), 0..3)).prop_map(
                    |(before, rest, after)| { Sample::Flat(Flat { before, rest, after }) }
                ),
            ]
        })
    }

    properties! {
    #[test]
            fn output_equals_that_of_serde_json(value in samples()) {
                prop_assert_eq!(to_json(&value), serde_json::to_string(&value).expect("it is JSON"));
            }
        }

    #[test]
    fn json_is_spaced_as_python_writes_it() {
        let json = r#"{"a":[1, 2],"b":{},"c":[],"d":{"e":"x:,\"{"}}"#;
        let spaced_json = r#"{"a": [1, 2], "b": {}, "c": [], "d": {"e": "x:,\"{"}}"#;
        assert_eq!(spaced(json, false), spaced_json);
        let lines = "{\n    \"a\": [\n        1,\n        2\n    ],\n    \"b\": {}\n}";
        assert_eq!(spaced(r#"{"a":[1,2],"b":{}}"#, true), lines);
    }
}
