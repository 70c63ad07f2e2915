//! Derives `windrow::base::value::FromValue` for structs with named fields and for enums without fields.
//!
//! Names, defaults and required fields come from serde's own attributes, which the types have for serialization:
//! `rename_all` (`camelCase`, `kebab-case`), `rename`, `default`, and `deserialize_with` for a function that reads the
//! value of a field. In a struct without defaults, every field is required unless it is an `Option`. Unknown fields are
//! always errors.
//!
//! The generated code is a table of names and one match arm per field: a thirtieth of the code for serde's
//! `Deserialize`.

use proc_macro::{Delimiter, TokenStream, TokenTree};
use std::collections::HashMap;
use std::fmt::Write;
use std::iter::Peekable;

type Tokens = Peekable<proc_macro::token_stream::IntoIter>;

/// Derives `FromValue`.
///
/// # Panics
///
/// If the item isn't a struct with named fields or an enum without fields.
#[proc_macro_derive(FromValue, attributes(serde))]
pub fn derive_from_value(item: TokenStream) -> TokenStream {
    let mut tokens = item.into_iter().peekable();
    let attributes = attributes_of(&mut tokens);
    skip_visibility(&mut tokens);
    let kind = tokens.next().map(|token| token.to_string());
    let name = tokens.next().map(|token| token.to_string()).expect("the name of a type");
    let Some(TokenTree::Group(body)) = tokens.next() else {
        panic!("{name}: expected a body in braces");
    };
    assert!(body.delimiter() == Delimiter::Brace, "{name}: expected a body in braces");
    let body = body.stream().into_iter().peekable();
    let (options, read) = match kind.as_deref() {
        Some("struct") => struct_reader(body, &attributes),
        Some("enum") => (String::new(), enum_reader(body, &attributes)),
        _ => panic!("{name}: expected a struct or an enum"),
    };
    let code = format!(
        "impl crate::base::value::FromValue for {name} {{
            const OPTIONS: &'static [crate::base::value::OptionName] = &[{options}];
            fn from_value(value: &crate::base::value::Value) -> crate::base::value::Reading<Self> {{ {read} }}
        }}"
    );
    code.parse().expect("Rust")
}

/// The arguments of all serde attributes, by name.
type Attributes = HashMap<String, String>;

/// Returns a struct's field names as options, and the code that reads them.
fn struct_reader(mut tokens: Tokens, attributes: &Attributes) -> (String, String) {
    let (mut names, mut arms, mut empty) = (String::new(), String::new(), String::new());
    let mut options = String::new();
    let mut required = 0_u64;
    let mut place = 0;
    while tokens.peek().is_some() {
        let own = attributes_of(&mut tokens);
        skip_visibility(&mut tokens);
        let field = tokens.next().map(|token| token.to_string()).expect("a field's name");
        let (is_optional, kind) = type_of(&mut tokens);
        let is_given = attributes.contains_key("default") || own.contains_key("default");
        if !is_given && !is_optional {
            required |= 1 << place;
        }
        let name = own.get("rename").cloned().unwrap_or_else(|| camel_case(&field));
        let reader = own
            .get("deserialize_with")
            .map_or("crate::base::value::FromValue::from_value", |it| it);
        // A field with its own reader is one option.
        let inner = match own.get("deserialize_with") {
            Some(_) => "&[]".to_owned(),
            None => format!("<{kind} as crate::base::value::FromValue>::OPTIONS"),
        };
        write!(
            options,
            "crate::base::value::OptionName {{ name: \"{name}\", is_optional: {is_optional}, options: {inner} }}, "
        )
        .expect("memory");
        write!(names, "\"{name}\", ").expect("memory");
        write!(arms, "{place} => it.{field} = {reader}(value)?, ").expect("memory");
        write!(empty, "{field}: Default::default(), ").expect("memory");
        place += 1;
    }
    let start = if attributes.contains_key("default") {
        "<Self as Default>::default()".to_owned()
    } else {
        format!("Self {{ {empty} }}")
    };
    let read = format!(
        "let mut it = {start};
        crate::base::value::read_fields(value, &[{names}], {required}, &mut |place, value| {{
            match place {{ {arms} _ => {{}} }}
            Ok(())
        }})?;
        Ok(it)"
    );
    (options, read)
}

fn enum_reader(mut tokens: Tokens, attributes: &Attributes) -> String {
    let (mut names, mut variants) = (String::new(), Vec::new());
    let is_kebab = attributes.get("rename_all").is_some_and(|case| case == "kebab-case");
    while tokens.peek().is_some() {
        let own = attributes_of(&mut tokens);
        let variant = tokens.next().map(|token| token.to_string()).expect("a variant's name");
        let comma = tokens.next().map(|token| token.to_string());
        assert!(comma.is_none_or(|it| it == ","), "{variant}: expected a variant without fields");
        let name = own.get("rename").cloned().unwrap_or_else(|| lower_case(&variant, is_kebab));
        write!(names, "\"{name}\", ").expect("memory");
        variants.push(variant);
    }
    let (last, others) = variants.split_last().expect("a variant");
    let arms = others.iter().enumerate().fold(String::new(), |arms, (place, variant)| {
        arms + &format!("{place} => Self::{variant}, ")
    });
    format!(
        "Ok(match crate::base::value::read_choice(value, &[{names}])? {{ {arms} _ => Self::{last} }})"
    )
}

/// Takes the attributes that come next, and returns the arguments of serde's.
fn attributes_of(tokens: &mut Tokens) -> Attributes {
    let mut attributes = Attributes::new();
    while tokens.next_if(|token| token.to_string() == "#").is_some() {
        let Some(TokenTree::Group(group)) = tokens.next() else { panic!("expected an attribute") };
        let mut inner = group.stream().into_iter();
        let is_serde = inner.next().is_some_and(|token| token.to_string() == "serde");
        let Some(TokenTree::Group(arguments)) = inner.next().filter(|_| is_serde) else { continue };
        let arguments: Vec<TokenTree> = arguments.stream().into_iter().collect();
        for argument in arguments.split(|token| token.to_string() == ",") {
            let name = argument.first().map(ToString::to_string).unwrap_or_default();
            let value = argument.get(2).map(ToString::to_string).unwrap_or_default();
            attributes.insert(name, value.trim_matches('"').to_owned());
        }
    }
    attributes
}

fn skip_visibility(tokens: &mut Tokens) {
    if tokens.next_if(|token| token.to_string() == "pub").is_some() {
        tokens.next_if(|token| {
            matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis)
        });
    }
}

/// Takes a colon, a type and the comma after it. Returns true if the type is an `Option`, and the type.
fn type_of(tokens: &mut Tokens) -> (bool, String) {
    tokens.next();
    let is_optional = tokens.peek().is_some_and(|token| token.to_string() == "Option");
    let mut depth = 0;
    let mut kind = TokenStream::new();
    for token in tokens {
        match token.to_string().as_str() {
            "<" => depth += 1,
            ">" => depth -= 1,
            "," if depth == 0 => break,
            _ => {}
        }
        kind.extend([token]);
    }
    (is_optional, kind.to_string())
}

/// The option's name for a field: `maxTokens` for `max_tokens`.
fn camel_case(field: &str) -> String {
    let mut words = field.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        name + &initial.to_uppercase() + rest
    })
}

/// The option's value for a variant: `leaveOut`, or `leave-out` in kebab case, for `LeaveOut`.
fn lower_case(variant: &str, is_kebab: bool) -> String {
    let mut name = String::new();
    for (at, letter) in variant.char_indices() {
        if at > 0 && is_kebab && letter.is_uppercase() {
            name.push('-');
        }
        let is_lower = at == 0 || is_kebab;
        name.push(if is_lower { letter.to_ascii_lowercase() } else { letter });
    }
    name
}
