//! What tools cost. They are in no message: a provider writes them into the prompt in a form of its own.
//!
//! OpenAI's models are shown functions as declarations of TypeScript, which is what is counted here. How the other makers write them is
//! not published. Recorded requests to Gemini cost what the declarations do. For Claude the JSON counts, and what recorded requests
//! cost beside it; for all others the JSON alone. `tests/usage` has the recorded requests, `docs/tokens.md` how near the counts come.

use crate::base::value::{Value, number_text};
use crate::config::{ContextConfig, Provider};
use crate::tokens::EncodingName;
use std::borrow::Cow;
use std::fmt::Write;

/// A function that a model may call, in whatever form its definition was given.
#[derive(Clone, Copy, Debug)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    /// A JSON schema.
    parameters: Option<&'a Value>,
}

/// What tools, or a call of one, are counted as.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolText<'a> {
    pub(crate) texts: Vec<Cow<'a, str>>,
    /// Tokens beside the texts.
    pub(crate) flat_tokens: u64,
}

/// Who writes tools and their calls into the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maker {
    OpenAi,
    Anthropic,
    Google,
    Other,
}

impl Maker {
    /// Who does so for the requests of a config: the maker of the model; where no model is named, the provider; and where neither
    /// is, nobody knows.
    pub(crate) fn of(config: &ContextConfig) -> Self {
        match (&config.model, config.render.provider) {
            (Some(model), _) if EncodingName::for_model(model).is_some() => Self::OpenAi,
            (Some(model), _) if model.to_ascii_lowercase().contains("claude") => Self::Anthropic,
            (None, Some(Provider::Openai | Provider::OpenaiResponses)) => Self::OpenAi,
            (Some(model), _) if model.to_ascii_lowercase().contains("gemini") => Self::Google,
            (None, Some(Provider::Anthropic)) => Self::Anthropic,
            (None, Some(Provider::Gemini)) => Self::Google,
            _ => Self::Other,
        }
    }
}

/// What the definitions of tools in `budget.tools` are counted as.
///
/// `has_instruction` says whether the prompt has a message that they stand behind.
pub(crate) fn definitions(config: &ContextConfig, has_instruction: bool) -> ToolText<'_> {
    let (tools, maker) = (&config.budget.tools, Maker::of(config));
    let mut declared = String::new();
    let mut out = ToolText::default();
    for json in tools {
        let read: Option<Value> = match maker {
            Maker::OpenAi | Maker::Google => serde_json::from_str(json).ok(),
            Maker::Anthropic | Maker::Other => None,
        };
        let functions = read.as_ref().map(functions_of).unwrap_or_default();
        if functions.is_empty() {
            out.texts.push(json.into()); // one that the provider runs, or that is of an unknown form
        }
        for function in functions {
            declare(&mut declared, function);
        }
    }
    if maker == Maker::Anthropic && !tools.is_empty() {
        out.flat_tokens += INSTRUCTIONS + tools.len() as u64 * DEFINITION;
    }
    if !declared.is_empty() {
        let text = format!("namespace functions {{\n\n{declared}}} // namespace functions");
        out.texts.push(text.into());
        let is_older = config.encoding_name() == Some(EncodingName::Cl100kBase);
        out.flat_tokens += NAMESPACE + u64::from(is_older);
        out.flat_tokens += if has_instruction { 0 } else { OWN_MESSAGE };
    }
    out
}

/// What a call of a tool is counted as.
pub(crate) fn call_text<'a>(
    id: &str,
    name: &str,
    arguments: &'a str,
    maker: Maker,
) -> ToolText<'a> {
    match maker {
        Maker::OpenAi | Maker::Google => {
            // The name stands twice: whom the call is for, and who the result is from. No id is shown to the model.
            let name = format!("functions.{name}");
            ToolText {
                texts: vec![name.clone().into(), name.into(), arguments.into()],
                flat_tokens: CALL,
            }
        }
        Maker::Anthropic | Maker::Other => {
            let json = |text: &str| serde_json::to_string(text).unwrap_or_default();
            let (id, name, arguments) = (json(id), json(name), json(arguments));
            let text = format!(r#"{{"id":{id},"name":{name},"arguments":{arguments}}}"#);
            ToolText { texts: vec![text.into()], flat_tokens: 0 }
        }
    }
}

/// What a result is counted as beside what it says.
pub(crate) fn result_text(id: &str, maker: Maker) -> Option<Cow<'_, str>> {
    matches!(maker, Maker::Anthropic | Maker::Other).then(|| id.into())
}

/// What a call costs beside its name and arguments, in tokens.
const CALL: u64 = 3;

/// What stands before the declarations of functions, in tokens: one more in `cl100k_base`.
const NAMESPACE: u64 = 4;

/// What Claude is told about tools beside their definitions, and what stands around each of these, in tokens: by recorded requests
/// to Claude 4.5 and 4.6, where Anthropic's page (346 tokens, and 313 where a tool must be called) says less.
const INSTRUCTIONS: u64 = 580;
const DEFINITION: u64 = 12;

/// The message that the declarations are in, where there is no instruction that they could stand behind, in tokens.
const OWN_MESSAGE: u64 = 4;

/// The functions that a tool declares: Gemini has several in one.
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

/// A function as a declaration of TypeScript.
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

/// The members of an object, a line each with its description before it.
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

/// Descriptions are shown as far as this indent.
const DEEPEST_DESCRIPTION: usize = 2;

fn type_of(schema: &Value, indent: usize) -> String {
    let choices = schema.get("enum").map(Value::items).unwrap_or_default();
    if !choices.is_empty() {
        return choices.iter().map(literal).collect::<Vec<_>>().join(" | ");
    }
    let several = schema.get("type").map(Value::items).unwrap_or_default();
    if !several.is_empty() {
        return several
            .iter()
            .map(|it| named(it.text().unwrap_or_default(), schema, indent))
            .collect::<Vec<_>>()
            .join(" | ");
    }
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|name| schema.get(name));
    if let Some(alternatives) = alternatives {
        let types = alternatives.items().iter().map(|it| type_of(it, indent));
        return types.collect::<Vec<_>>().join(" | ");
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

    /// The same function costs the same in whatever provider's form it is given.
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
    fn what_is_no_function_counts_as_it_is_written() {
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
