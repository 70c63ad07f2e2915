//! Computes the costs of tools. They aren't part of any message: each provider writes them into the prompt in its own
//! form.
//!
//! OpenAI's models see functions as TypeScript declarations, which are counted here. The other makers haven't published
//! their form. For Gemini, windrow counts names and descriptions, plus the cost of each function and parameter in
//! recorded requests. For Claude, it counts the JSON, plus figures from Anthropic's page and from recorded requests.
//! For open models, it counts the text of their [chat templates](crate::tokens::template). For all others, it counts only
//! the JSON. `tests/usage` has the recorded requests, and `docs/tokens.md` the counts'
//! accuracy.

use crate::base::json::{spaced, to_json};
use crate::base::message::Role;
use crate::base::text::JoinedText;
use crate::base::value::{Value, number_text};
use crate::config::{ContextConfig, Provider, ToolChoice};
use crate::tokens::model::Version;
use crate::tokens::template::{self, ToolFrames};
use crate::tokens::{EncodingName, Family};
use std::borrow::Cow;
use std::fmt::Write;

/// A function that a model may call, read from a definition in any form.
#[derive(Clone, Copy, Debug)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    /// A JSON schema.
    parameters: Option<&'a Value>,
}

/// The texts and tokens that tools or a tool call count as.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolText<'a> {
    pub(crate) texts: Vec<Cow<'a, str>>,
    /// Tokens in addition to the texts.
    pub(crate) flat_tokens: u64,
}

/// The cost of the tool definitions in `budget.tools`.
///
/// `has_instruction` is true if the prompt has an instruction that they follow.
pub(crate) fn definitions(config: &ContextConfig, has_instruction: bool) -> ToolText<'_> {
    let (tools, family) = (&config.budget.tools, config.family());
    if let (Some(frames), false) = (frames(config, family), tools.is_empty()) {
        return framed_definitions(config, frames, has_instruction);
    }
    let mut declared = String::new();
    let mut out = ToolText::default();
    for json in tools {
        let read: Option<Value> = match family {
            Family::OpenAi | Family::Gemini(_) => serde_json::from_str(json).ok(),
            Family::Claude(_) | Family::Other(_) => None,
        };
        let functions = read.as_ref().map(functions_of).unwrap_or_default();
        if functions.is_empty() {
            out.texts.push(json.into()); // one that the provider runs, or one of an unknown form
        }
        for function in functions {
            match family {
                Family::Gemini(version) => describe(&mut out, function, version),
                _ => declare(&mut declared, function),
            }
        }
    }
    if let (Family::Claude(version), false) = (family, tools.is_empty()) {
        let model = config.model.as_deref().unwrap_or_default();
        out.flat_tokens += instructions(model, version, config.budget.tool_choice);
        out.flat_tokens += tools.len() as u64 * DEFINITION;
    }
    if !declared.is_empty() {
        let text = format!("namespace functions {{\n\n{declared}}} // namespace functions");
        out.texts.push(text.into());
        let is_older = config.encoding_name() == Some(EncodingName::Cl100kBase);
        let (is_responses, is_required) = (
            config.render.provider == Some(Provider::OpenaiResponses),
            config.budget.tool_choice == ToolChoice::Required,
        );
        out.flat_tokens += u64::from(is_older);
        out.flat_tokens += match (is_responses, has_instruction) {
            (true, _) => RESPONSES_NAMESPACE + if is_required { RESPONSES_REQUIRED } else { 0 },
            (false, true) => NAMESPACE,
            (false, false) => NAMESPACE + OWN_MESSAGE,
        };
    }
    out
}

/// The cost of a tool call and its result, without the result's content.
pub(crate) fn call_text<'a>(
    id: &str,
    name: &str,
    arguments: Cow<'a, str>,
    config: &ContextConfig,
) -> ToolText<'a> {
    let family = config.family();
    if let Some(frames) = frames(config, family) {
        return framed(frames.call, [name, &spaced(&arguments, false), short_id(id)]);
    }
    let (texts, flat_tokens): (Vec<Cow<'a, str>>, u64) = match family {
        Family::OpenAi => {
            // The name counts twice: as the recipient of the call, and as the author of the result. The model doesn't
            // see the id.
            let name = format!("functions.{name}");
            let call = match config.render.provider {
                Some(Provider::OpenaiResponses) => RESPONSES_CALL,
                _ => CALL,
            };
            (vec![name.clone().into(), name.into(), arguments], call)
        }
        Family::Gemini(version) => {
            // Here too, the name counts twice: with the call and with its result.
            let call = if version < (2, 5) { 0 } else { GEMINI_CALL };
            (vec![name.to_owned().into(), name.to_owned().into(), arguments], call)
        }
        Family::Claude(_) => {
            let read: Option<Value> = serde_json::from_str(&arguments).ok();
            let count = read.map_or(0, |value| value.entries().len()) as u64;
            let flat_tokens = CLAUDE_CALL.saturating_add(CLAUDE_ARGUMENT.saturating_mul(count));
            (vec![name.to_owned().into(), arguments], flat_tokens)
        }
        Family::Other(_) => {
            let json = |text: &str| to_json(text);
            let (id, name, arguments) = (json(id), json(name), json(&arguments));
            let text = format!(r#"{{"id":{id},"name":{name},"arguments":{arguments}}}"#);
            (vec![text.into()], 0)
        }
    };
    ToolText { texts, flat_tokens }
}

/// The texts and tokens of a result besides its content and its message: its id, if the model may see it, and the
/// frame of a chat template.
pub(crate) fn result_text<'a>(id: &'a str, config: &ContextConfig, family: Family) -> ToolText<'a> {
    if let Some(frames) = frames(config, family) {
        return framed(frames.result, ["", "", short_id(id)]);
    }
    let is_seen = matches!(family, Family::Other(_));
    ToolText { texts: is_seen.then(|| id.into()).into_iter().collect(), flat_tokens: 0 }
}

/// True if a chat template writes the texts of results as JSON strings.
pub(crate) fn escapes_results(config: &ContextConfig, family: Family) -> bool {
    frames(config, family).is_some_and(|it| it.is_escaped)
}

fn frames(config: &ContextConfig, family: Family) -> Option<&'static ToolFrames> {
    config.template(family)?.tools.as_ref()
}

/// The definitions in a chat template, which may need a message of instructions for them.
fn framed_definitions<'a>(
    config: &ContextConfig,
    frames: &ToolFrames,
    has_instruction: bool,
) -> ToolText<'a> {
    let mut all = String::new();
    for json in &config.budget.tools {
        let read: Option<Value> = serde_json::from_str(json).ok();
        let is_wrapped = read.is_none_or(|tool| tool.get("function").is_some());
        let wrapped = format!(r#"{{"type":"function","function":{json}}}"#);
        let json = spaced(if is_wrapped { json } else { &wrapped }, frames.is_indented);
        all.extend(framed(frames.each, [&json, "", ""]).texts);
    }
    let mut out = framed(frames.all, [&all, "", ""]);
    let needs_message = frames.in_instructions && !has_instruction;
    if needs_message && config.template(config.family()).is_some_and(|it| it.default.is_none()) {
        out.flat_tokens = out.flat_tokens.saturating_add(config.budget.per_message());
        out.texts.push(Role::System.as_str().into());
    }
    out
}

/// The texts and marks of a frame with its places filled in.
fn framed<'a>(frame: &str, [first, second, id]: [&str; 3]) -> ToolText<'a> {
    let mut out = ToolText::default();
    let mut text = String::new();
    for letter in frame.chars() {
        match letter {
            template::FIRST => text.push_str(first),
            template::SECOND => text.push_str(second),
            template::ID => text.push_str(id),
            template::MARK | template::SPLIT => {
                out.flat_tokens += u64::from(letter == template::MARK);
                out.texts.push(std::mem::take(&mut text).into());
            }
            _ => text.push(letter),
        }
    }
    out.texts.push(text.into());
    out.texts.retain(|text| !text.is_empty());
    out
}

/// The id of a call with nine characters. Servers shorten or replace others, and an id of nine characters has at most
/// the tokens of nine digits.
fn short_id(id: &str) -> &str {
    const DIGITS: &str = "000000000";
    if id.len() == DIGITS.len() { id } else { DIGITS }
}

/// Cost of a call in addition to its name and arguments, in tokens.
const CALL: u64 = 3;

/// Cost of the text before the declarations of functions, in tokens: one more in `cl100k_base`.
const NAMESPACE: u64 = 4;

/// Cost in tokens of a separate message for the declarations if there is no instruction for them to follow.
const OWN_MESSAGE: u64 = 4;

/// Costs with the Responses API, from recorded requests: the text before the declarations, a call, and the statement
/// that the model must call a tool.
const RESPONSES_NAMESPACE: u64 = 2;
const RESPONSES_CALL: u64 = 1;
const RESPONSES_REQUIRED: u64 = 9;

/// Tokens of Claude's system prompt about tools, without their definitions, by a part of the model's name and its first
/// version, for optional and for forced tool use. From Anthropic's page [Tool
/// use](https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview) of September 2026; for 3.5, of 2025.
const CLAUDE: [(&str, Version, u64, u64); 9] = [
    ("sonnet", (5, 0), 354, 474),
    ("", (5, 0), 286, 406),
    ("", (4, 8), 290, 410),
    ("", (4, 7), 675, 804),
    ("", (4, 6), 497, 589),
    ("", (4, 5), 496, 588),
    ("", (4, 0), 313, 315),
    ("haiku", (3, 0), 264, 355),
    ("", (0, 0), 346, 313),
];

fn instructions(model: &str, version: Version, choice: ToolChoice) -> u64 {
    let fits = |(name, since, ..): &&(&str, Version, u64, u64)| {
        version >= *since && model.to_ascii_lowercase().contains(name)
    };
    CLAUDE.iter().find(fits).map_or(0, |(_, _, auto, required)| match choice {
        ToolChoice::Auto => *auto,
        ToolChoice::Required => *required,
    })
}

/// Tokens around a definition, around a call with its result, and around each argument for Claude: from recorded
/// requests to Claude 4.5 and 4.6.
const DEFINITION: u64 = 12;
const CLAUDE_CALL: u64 = 38;
const CLAUDE_ARGUMENT: u64 = 11;

/// Tokens around a function, around each of its parameters, and around a call with its result for Gemini from 2.5 on:
/// from recorded requests.
const GEMINI_FUNCTION: u64 = 13;
const GEMINI_PARAMETER: u64 = 14;
const GEMINI_CALL: u64 = 13;

/// A function as counted for Gemini: up to 2.0, only its name and description.
fn describe(out: &mut ToolText<'_>, function: Function<'_>, version: Version) {
    let mut text = format!("{} {}", function.name, function.description);
    if version >= (2, 5) {
        out.flat_tokens += GEMINI_FUNCTION;
        if let Some(schema) = function.parameters {
            describe_members(&mut text, &mut out.flat_tokens, schema);
        }
    }
    out.texts.push(text.into());
}

fn describe_members(text: &mut String, flat_tokens: &mut u64, schema: &Value) {
    for (name, member) in schema.get("properties").map(Value::entries).unwrap_or_default() {
        *flat_tokens += GEMINI_PARAMETER;
        let description = member.get("description").and_then(Value::text).unwrap_or_default();
        let _ = write!(text, " {name} {description}");
        for choice in member.get("enum").map(Value::items).unwrap_or_default() {
            let _ = write!(text, " {}", literal(choice));
        }
        for inner in [Some(member), member.get("items")].into_iter().flatten() {
            describe_members(text, flat_tokens, inner);
        }
    }
}

/// The functions that a tool declares: a Gemini tool can declare several.
fn functions_of(tool: &Value) -> Vec<Function<'_>> {
    let declared = ["functionDeclarations", "function_declarations"];
    if let Some(list) = declared.iter().find_map(|name| tool.get(name)) {
        return list.items().iter().filter_map(function_of).collect();
    }
    function_of(tool.get("function").unwrap_or(tool)).into_iter().collect()
}

fn function_of(declaration: &Value) -> Option<Function<'_>> {
    const SCHEMAS: [&str; 5] = [
        "parameters",
        "input_schema",
        "inputSchema",
        "parametersJsonSchema",
        "parameters_json_schema",
    ];
    let parameters = SCHEMAS.iter().find_map(|name| declaration.get(name));
    let description = declaration.get("description").and_then(Value::text).unwrap_or_default();
    let is_function = declaration.get("type").is_none_or(|kind| kind.text() == Some("function"));
    let name = declaration.get("name").and_then(Value::text)?;
    (is_function || parameters.is_some()).then_some(Function { name, description, parameters })
}

/// A function as a TypeScript declaration.
fn declare(out: &mut String, function: Function<'_>) {
    let Function { name, description, parameters } = function;
    comment(out, description, 0);
    let properties = parameters.and_then(|schema| schema.get("properties"));
    match parameters.filter(|_| properties.is_some_and(|it| !it.entries().is_empty())) {
        Some(schema) => {
            let _ = write!(out, "type {name} = (_: {{\n{}}}) => any;\n\n", members(schema, 0));
        }
        None => {
            let _ = write!(out, "type {name} = () => any;\n\n");
        }
    }
}

fn comment(out: &mut String, description: &str, indent: usize) {
    for line in description.lines() {
        let _ = writeln!(out, "{:indent$}// {line}", "");
    }
}

/// The members of an object, one line each, after their descriptions.
fn members(schema: &Value, indent: usize) -> String {
    let required = schema.get("required").map(Value::items).unwrap_or_default();
    let mut out = String::new();
    for (name, member) in schema.get("properties").map(Value::entries).unwrap_or_default() {
        if indent < DEEPEST_DESCRIPTION {
            let description = member.get("description").and_then(Value::text).unwrap_or_default();
            comment(&mut out, description, indent);
        }
        let is_required = required.iter().any(|it| it.text() == Some(name));
        let mark = if is_required { "" } else { "?" };
        let _ = writeln!(out, "{:indent$}{name}{mark}: {},", "", type_of(member, indent));
    }
    out
}

fn any_of(types: impl Iterator<Item = String>) -> String {
    let mut all = JoinedText::by(" | ");
    types.for_each(|it| all.push(&it));
    all.text()
}

/// The deepest indent that still has descriptions.
const DEEPEST_DESCRIPTION: usize = 2;

fn type_of(schema: &Value, indent: usize) -> String {
    let choices = schema.get("enum").map(Value::items).unwrap_or_default();
    if !choices.is_empty() {
        return any_of(choices.iter().map(literal));
    }
    let several = schema.get("type").map(Value::items).unwrap_or_default();
    if !several.is_empty() {
        let types = several.iter().map(|it| named(it.text().unwrap_or_default(), schema, indent));
        return any_of(types);
    }
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|name| schema.get(name));
    if let Some(alternatives) = alternatives {
        let types = alternatives.items().iter().map(|it| type_of(it, indent));
        return any_of(types);
    }
    named(schema.get("type").and_then(Value::text).unwrap_or_default(), schema, indent)
}

fn named(name: &str, schema: &Value, indent: usize) -> String {
    // Gemini writes the names of types in capitals.
    match name.to_ascii_lowercase().as_str() {
        "string" => "string".to_owned(),
        "number" | "integer" => "number".to_owned(),
        "boolean" => "boolean".to_owned(),
        "null" => "null".to_owned(),
        "array" => match schema.get("items") {
            Some(items) => format!("{}[]", type_of(items, indent)),
            None => "any[]".to_owned(),
        },
        "object" => {
            let inner = members(schema, indent + 2);
            if inner.is_empty() {
                "object".to_owned()
            } else {
                format!("{{\n{inner}{:indent$}}}", "")
            }
        }
        _ => "any".to_owned(),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{text}\""),
        Value::Number(number) => number_text(*number),
        Value::Bool(truth) => truth.to_string(),
        _ => "null".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tools: Vec<String>, model: &str) -> ContextConfig {
        let mut config =
            ContextConfig { model: Some(model.to_owned()), ..ContextConfig::default() };
        config.budget.tools = tools;
        config
    }

    fn declared(tools: &[&str]) -> String {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let config = of(tools, "gpt-4o");
        let out = definitions(&config, false);
        out.texts.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("|")
    }

    const SCHEMA: &str = r#"{"type":"object","required":["city"],"properties":{
        "city":{"type":"string","description":"Where."},
        "unit":{"type":"string","enum":["c","f"]},
        "days":{"type":"array","items":{"type":"integer"}},
        "near":{"type":"object","properties":{"lat":{"type":"number"}}},
        "when":{"anyOf":[{"type":"string"},{"type":"null"}]}}}"#;

    #[test]
    fn a_function_is_declared_in_typescript() {
        let tool = format!(
            r#"{{"type":"function","function":{{"name":"weather","description":"Get it.","parameters":{SCHEMA}}}}}"#
        );
        assert_eq!(
            declared(&[&tool]),
            "namespace functions {\n\n// Get it.\ntype weather = (_: {\n// Where.\ncity: string,\nunit?: \"c\" | \"f\",\n\
             days?: number[],\nnear?: {\n  lat?: number,\n},\nwhen?: string | null,\n}) => any;\n\n} // namespace functions"
        );
    }

    /// A function costs the same in every provider's form.
    #[test]
    fn every_form_of_a_definition_is_the_same_function() {
        let forms = [
            format!(
                r#"{{"type":"function","function":{{"name":"weather","description":"Get it.","parameters":{SCHEMA}}}}}"#
            ),
            format!(
                r#"{{"type":"function","name":"weather","description":"Get it.","parameters":{SCHEMA},"strict":true}}"#
            ),
            format!(r#"{{"name":"weather","description":"Get it.","input_schema":{SCHEMA}}}"#),
            format!(
                r#"{{"type":"custom","name":"weather","description":"Get it.","input_schema":{SCHEMA}}}"#
            ),
            format!(r#"{{"name":"weather","description":"Get it.","inputSchema":{SCHEMA}}}"#),
            format!(
                r#"{{"functionDeclarations":[{{"name":"weather","description":"Get it.","parameters":{SCHEMA}}}]}}"#
            ),
        ];
        for form in &forms {
            assert_eq!(declared(&[form]), declared(&[&forms[0]]), "{form}");
        }
    }

    #[test]
    fn a_definition_that_is_not_a_function_counts_as_json() {
        for tool in [
            r#"{"type":"web_search_20250305","name":"web_search"}"#,
            "no JSON",
            "[1]",
            r#"{"googleSearch":{}}"#,
        ] {
            assert_eq!(declared(&[tool]), tool);
            assert_eq!(definitions(&of(vec![tool.to_owned()], "mistral"), false).texts, [tool]);
        }
    }
}
