//! Generates the TypeScript types and the reference page from the Rust types. Checks that the committed files are up to
//! date; `UPDATE=1 cargo test reference` writes them.

use crate::base::error::ErrorCode;
use crate::base::message::{Field, Role};
use crate::config::{ContextConfig, EncodingChoice, RecallConfig};
use crate::log::plan::Fetch;
use crate::prompt::certainty::{Beside, Certainty};
use crate::prompt::form::OPENING;
use crate::state::ask::{Answer, Need};
use crate::state::context::{
    CompactReport, ConversationReport, FocusReport, MadeText, RecallReport, Recording,
    SectionReport, Snapshot, TokenReport, TriageReport,
};
use crate::state::trace::{Reason, Trace};
use crate::tokens::media;
use crate::tokens::{EncodingName, Family, Tokenizer};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::Path;

/// A moment in any form that a config accepts.
#[derive(JsonSchema, Serialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "it stands for a shape only")]
pub(crate) enum Moment {
    /// Milliseconds since 1970.
    Number(f64),
    /// ISO 8601.
    Text(String),
}

/// The shape of `budget.contextLimit`.
pub(crate) struct ContextLimit;

impl JsonSchema for ContextLimit {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ContextLimit".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [{ "type": "integer" }, { "type": "string", "const": "model" }] })
    }
}

#[test]
fn the_typescript_types_are_up_to_date() {
    check("pkg-template/src/base/generated.ts", &typescript());
}

#[test]
fn the_reference_page_is_up_to_date() {
    check("docs/reference.md", &page());
}

fn check(path: &str, wanted: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(&file, wanted).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = found.lines().zip(wanted.lines()).position(|(found, wanted)| found != wanted);
    let line = differs.unwrap_or_else(|| found.lines().count().min(wanted.lines().count())) + 1;
    assert!(
        found == wanted,
        "{path} is not what the Rust types say, from line {line}. Run: UPDATE=1 cargo test reference"
    );
}

fn definitions() -> Map<String, Value> {
    let mut generator = SchemaGenerator::default();
    generator.subschema_for::<Answer>();
    generator.subschema_for::<ContextConfig>();
    generator.subschema_for::<ConversationReport>();
    generator.subschema_for::<FocusReport>();
    generator.subschema_for::<MadeText>();
    generator.subschema_for::<Need>();
    generator.subschema_for::<Fetch>();
    generator.subschema_for::<RecallReport>();
    generator.subschema_for::<SectionReport>();
    generator.subschema_for::<EncodingName>();
    generator.subschema_for::<ErrorCode>();
    generator.subschema_for::<Field>();
    generator.subschema_for::<Recording>();
    generator.subschema_for::<Role>();
    generator.subschema_for::<Snapshot>();
    generator.subschema_for::<TokenReport>();
    generator.subschema_for::<Trace>();
    generator.subschema_for::<TriageReport>();
    generator.subschema_for::<CompactReport>();
    generator.take_definitions(true)
}

// ---- TypeScript ----

fn typescript() -> String {
    let mut out = String::from(
        "// Made from the Rust types by `UPDATE=1 cargo test reference`: do not edit.\n",
    );
    for (name, schema) in &definitions() {
        declare(&mut out, name, schema);
    }
    constants(
        &mut out,
        "ROLES",
        "Role",
        "Every role, in the order of its code in the engine.",
        &Role::ALL,
    );
    constants(
        &mut out,
        "FIELDS",
        "Field",
        "Every field, in the order of its code in the engine.",
        Field::ALL,
    );
    constants(
        &mut out,
        "ENCODINGS",
        "EncodingChoice",
        "Every way to count tokens.",
        &EncodingChoice::ALL,
    );
    let _ = write!(
        out,
        "\n/** The user's first words if a provider accepts no other beginning. With `render.provider`, they count. */\n\
         export const EARLIER_MESSAGES = {OPENING:?};\n"
    );
    let _ = write!(
        out,
        "\n/** The default of `recall.maxStatementShare` for a request. */\n\
         export const DEFAULT_STATEMENT_SHARE = {};\n",
        RecallConfig::DEFAULT_STATEMENT_SHARE
    );
    out
}

fn declare(out: &mut String, name: &str, schema: &Value) {
    let name = type_name(name);
    let variants = variants(schema);
    out.push('\n');
    comment(out, "", &with_variants(schema, &variants));
    if let Some(properties) = schema["properties"].as_object() {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let _ = writeln!(out, "export interface {name} {{");
        for (field, schema) in properties {
            comment(out, "  ", &description(schema));
            let shape = shape(schema);
            if required.contains(&field.as_str()) {
                let _ = writeln!(out, "  readonly {field}: {shape};");
            } else {
                let _ = writeln!(out, "  readonly {field}?: {shape} | undefined;");
            }
        }
        out.push_str("}\n");
    } else if let Some(alternatives) = schema["oneOf"].as_array().filter(|_| variants.is_empty()) {
        let shapes: Vec<String> = alternatives.iter().map(|it| alternative(&shape(it))).collect();
        let _ = writeln!(out, "export type {name} =\n  | {};", shapes.join("\n  | "));
    } else if variants.is_empty() {
        let _ = writeln!(out, "export type {name} = {};", shape(schema));
    } else {
        let names: Vec<String> = variants.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let one_line = format!("export type {name} = {};", names.join(" | "));
        if one_line.len() <= 120 {
            let _ = writeln!(out, "{one_line}");
        } else {
            let _ = writeln!(out, "export type {name} =\n  | {};", names.join("\n  | "));
        }
    }
}

/// One of several object types: on one line if it is short enough.
fn alternative(shape: &str) -> String {
    if shape.len() + "  | ;".len() <= 120 {
        return shape.to_owned();
    }
    let fields = shape.trim_start_matches("{ ").trim_end_matches(" }").replace("; ", ";\n      ");
    format!("{{\n      {fields};\n    }}")
}

fn constants<T: Serialize>(out: &mut String, name: &str, kind: &str, about: &str, all: &[T]) {
    let values: Vec<String> =
        all.iter().map(|value| serde_json::to_string(value).expect("a name")).collect();
    let one_line = format!("export const {name}: readonly {kind}[] = [{}];", values.join(", "));
    let _ = write!(out, "\n/** {about} */\n");
    if one_line.len() <= 120 {
        let _ = writeln!(out, "{one_line}");
    } else {
        let _ = writeln!(
            out,
            "export const {name}: readonly {kind}[] = [\n  {},\n];",
            values.join(",\n  ")
        );
    }
}

/// The TypeScript config has the request and its hooks in addition to the options.
fn type_name(name: &str) -> &str {
    if name == "ContextConfig" { "ContextOptions" } else { name }
}

fn shape(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return type_name(reference.rsplit('/').next().expect("a name")).to_owned();
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().map(shape).collect::<Vec<_>>().join(" | ");
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(fields) = schema["properties"].as_object() {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let field = |(name, schema): (&String, &Value)| {
            let mark = if required.contains(&name.as_str()) { "" } else { "?" };
            format!("readonly {name}{mark}: {}", shape(schema))
        };
        return format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join("; "));
    }
    if schema["additionalProperties"].is_object() {
        return format!("Readonly<Record<string, {}>>", shape(&schema["additionalProperties"]));
    }
    if let Some(elements) = schema["prefixItems"].as_array() {
        let elements: Vec<String> = elements.iter().map(shape).collect();
        return format!("readonly [{}]", elements.join(", "));
    }
    if schema["minItems"] == schema["maxItems"]
        && let Some(count) = schema["minItems"].as_u64()
    {
        let elements: Vec<String> = (0..count).map(|_| shape(&schema["items"])).collect();
        return format!("readonly [{}]", elements.join(", "));
    }
    let types = match &schema["type"] {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return "unknown".to_owned(),
    };
    let shape = |name: &str| match name {
        "integer" | "number" => "number".to_owned(),
        "array" => {
            let element = self::shape(&schema["items"]);
            if element.contains([' ']) {
                format!("readonly ({element})[]")
            } else {
                format!("readonly {element}[]")
            }
        }
        other => other.to_owned(),
    };
    types.into_iter().map(shape).collect::<Vec<_>>().join(" | ")
}

/// The values of an enumeration, each with its description.
fn variants(schema: &Value) -> Vec<(String, String)> {
    let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let described = schema["oneOf"].as_array().into_iter().flatten();
    let described = described.filter(|variant| variant["const"].is_string());
    let plain = schema["enum"].as_array().into_iter().flatten();
    described
        .map(|variant| (name(&variant["const"]), description(variant)))
        .chain(plain.map(|value| (name(value), String::new())))
        .collect()
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().to_owned()
}

fn with_variants(schema: &Value, variants: &[(String, String)]) -> String {
    let mut text = description(schema);
    for (name, about) in variants {
        let _ = write!(text, "\n- `{name}`: {about}");
    }
    text
}

fn comment(out: &mut String, indent: &str, text: &str) {
    let text = text.replace("[`", "`").replace("`]", "`");
    let lines: Vec<&str> = text.lines().collect();
    match lines.as_slice() {
        [] => {}
        [line] => {
            let _ = writeln!(out, "{indent}/** {line} */");
        }
        lines => {
            let _ = writeln!(out, "{indent}/**");
            for line in lines {
                let _ = writeln!(out, "{}", format!("{indent} * {line}").trim_end());
            }
            let _ = writeln!(out, "{indent} */");
        }
    }
}

// ---- The reference page ----

fn page() -> String {
    let definitions = definitions();
    let mut out = String::from(
        "# Reference\n\n\
         Generated from the Rust types by `UPDATE=1 cargo test reference`: do not edit.\n\n\
         ## Config\n\n\
         The options of `buildContext(transcript, config)`. All are optional. A \
         misspelled or mistyped option is an error that names its path.\n\n\
         More options: `request` is the current input, a text of the user or a message. Its place is set by `sections`, by \
         default last, and it is always kept if they have a place for it. Without it the newest user \
         message and the newest message are required instead. `contents` fills the sections of kind `text` and `items`, by their \
         ids. `shape` names the format of all messages, one of `messageShapes`; by default each is recognized by its fields. \
         `previous` is the context before this one, or its `outline`: `prefix` compares with it. `redact` keeps \
         [secrets out of the prompt](redaction.md). `contextManagement` has the settings for a provider that \
         [clears parts of the prompt](providers.md#compaction). `signal` aborts the build. The hooks are functions in their groups: `triage.select` or `triage.complete`, \
         `recall.search`, `recall.embed`, `tiers.summarize`, `compact.summarize`, and `countTokens`.\n",
    );
    let root = &definitions["ContextConfig"];
    let groups: Vec<(&String, &str)> = properties(root)
        .filter_map(|(name, schema)| Some((name, reference(schema)?)))
        .filter(|(_, target)| definitions[*target]["properties"].is_object())
        .collect();
    out.push_str("\n### General\n");
    let is_group = |name: &str| groups.iter().any(|(group, _)| *group == name);
    options(&mut out, "", properties(root).filter(|(name, _)| !is_group(name)), &definitions);
    for (name, target) in &groups {
        let group = &definitions[*target];
        let _ = write!(out, "\n### `{name}`\n\n{}\n", one_line(&description(group)));
        options(&mut out, &format!("{name}."), properties(group), &definitions);
    }
    for (name, target) in NESTED {
        let group = &definitions[target];
        let _ = write!(out, "\n### `{name}`\n\n{}\n", one_line(&description(group)));
        options(&mut out, "", properties(group), &definitions);
    }
    out.push_str("\n## Notes\n\nNotes on a build as a whole (`trace.notes`).\n");
    listed(&mut out, "kind", &definitions["NoteKind"], 17);
    out.push_str(
        "\n## What became of a message\n\nThe reasons in a trace, in the order of the stages.\n",
    );
    listed(&mut out, "reason", &definitions["Reason"], Reason::ALL.len());
    counts(&mut out);
    out.push_str(
        "\n## Errors\n\nThe codes of a `ContextError`. Each error also has `kind` (which call failed), `path` (where in \
         the input), `nextAction` (what to do) and, if known, `cause`. Those of sessions and stores are in \
         [sessions.md](sessions.md). `request(provider)` fails with `NOT_SENDABLE` if the provider refuses such messages, and `init` of \
         `windrow/slim` fails with `INVALID_CORE` for anything but the core of this version.\n",
    );
    listed(&mut out, "code", &definitions["ErrorCode"], ErrorCode::ALL.len());
    out
}

/// Explains which figures of a result are exact.
fn counts(out: &mut String) {
    out.push_str(
        "\n## How exact a count is\n\n\
         `tokens.exact` of a context, and `exact` of a result of `countTokens`, is true if the count is exact for the named model, \
         or for the named encoding if no model is named. `words` has the reason:\n\n\
         | named | `exact` | `words` |\n|---|---|---|\n",
    );
    let encoding = Some(EncodingChoice::DEFAULT);
    for (named, model, encoding) in [
        ("a model whose encoding is public", Some("gpt-4o"), None),
        ("an encoding", None, encoding),
        ("neither", None, None),
        (
            "a model whose encoding is not public",
            Some("claude-sonnet-4"),
            Some(EncodingChoice::Estimate),
        ),
        ("such a model, and an encoding", Some("claude-sonnet-4"), encoding),
        ("`encoding: \"estimate\"`", None, Some(EncodingChoice::Estimate)),
    ] {
        let model = model.map(ToOwned::to_owned);
        let Certainty { is_exact, words } = Certainty::of(
            &ContextConfig { model, encoding, ..ContextConfig::default() },
            Beside::default(),
        );
        let _ = writeln!(out, "| {named} | `{is_exact}` | {words} |");
    }
    out.push_str(
        "\nWith the hook `countTokens`, and with an image, audio or a file in the messages, `exact` is false.\n\n\
         ## What images, audio, video and files cost\n\n\
         Costs in tokens, by the formula that the maker of `model` has published, or else by an assumption. A count of media \
         is never `exact`: makers scale images and change their rules. An assumption counts too much rather than too little. Name \
         the `model`, and state an image's size: an image of unknown size counts at the maximum.\n\n\
         windrow reads width and height, pages, \
         seconds and bytes from bytes, base64 or a data URL: the sizes of PNG, JPEG, GIF and WebP, the pages \
         of a PDF that shows them, the length of a WAV file. A part may state them as \
         `width`, `height`, `pages`, `seconds`, `bytes` and `mediaType`: these take precedence, and are the only way to \
         state the size of media passed by address or id. The text formats only name media (`[image]`), at the cost of the name.\n\n\
         | what | tokens | source |\n|---|---|---|\n",
    );
    let figures = include_str!("../../src/tokens/media.tsv");
    for row in figures.lines().filter(|line| !line.starts_with('#')) {
        let _ = writeln!(out, "| {} |", row.replace('\t', " | "));
    }
    models(out);
}

/// The table of current models, with the engine's interpretation of their names.
fn models(out: &mut String) {
    let table = include_str!("../../src/tokens/models.tsv");
    let about: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| !line.starts_with("model\t"))
        .collect();
    out.push_str("\n## Models\n\n`budget.contextLimit: \"model\"` takes the context window from this table, for `model` in this spelling, with \
         a provider before it, or with a date, `latest` or `preview` after it; if a model takes less input than its window has, \
         the rest of the window is kept free. The number in force is in the recording and in `contextHash`. ");
    out.push_str(&about.join(" "));
    out.push_str("\n\n| model | maker | counted | window | max input | max output | reasoning | image of 1,000 x 1,000 | min cached | input | cached | write | output |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for row in table.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = row.split('\t').collect();
        let model = cells[0];
        let counted = match (EncodingName::for_model(model), Family::of(model).tokenizer()) {
            (Some(name), _) => format!("exactly, `{}`", name.as_str()),
            (None, Tokenizer::O200k) => "estimate, as `o200k_base`".to_owned(),
            (None, Tokenizer::Claude) => "estimate, Claude up to 4.6".to_owned(),
            (None, Tokenizer::ClaudeNewer) => "estimate, Claude from 4.7 on".to_owned(),
            (None, Tokenizer::Gemma2) => "estimate, Gemini up to 2.0".to_owned(),
            (None, Tokenizer::Gemma3) => "estimate, Gemini from 2.5 on".to_owned(),
            (None, Tokenizer::Qwen) => "estimate, Qwen".to_owned(),
            (None, Tokenizer::Llama3) => "estimate, Llama 3".to_owned(),
            (None, Tokenizer::DeepseekV3) => "estimate, DeepSeek".to_owned(),
            (None, Tokenizer::Tekken) => "estimate, Mistral's Tekken".to_owned(),
        };
        let image =
            media::cost(Field::Image, "auto width=1000 height=1000 1-a", Some(model), false);
        let figures: Vec<String> = cells[2..5].iter().map(|it| thousands(it)).collect();
        let _ = writeln!(
            out,
            "| `{model}` | {} | {counted} | {} | {} | {image} | {} | {} |",
            cells[1],
            figures.join(" | "),
            cells[5],
            thousands(cells[6]),
            cells[7..].join(" | "),
        );
    }
}

/// Inserts a comma after every three digits of an integer.
fn thousands(figure: &str) -> String {
    let mut out = String::new();
    for (at, digit) in figure.chars().enumerate() {
        if at > 0 && (figure.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Paths of objects within options, and their types.
const NESTED: [(&str, &str); 16] = [
    ("sections[]", "Section"),
    ("sections[].items[]", "Item"),
    ("sections[].limit", "SectionLimit"),
    ("recall.excerpts", "ExcerptConfig"),
    ("recall.pairs", "PairConfig"),
    ("recall.focusSignals", "FocusSignals"),
    ("triage.decided", "TriageDecisions"),
    ("tiers.conversations[]", "KnownConversation"),
    ("budget.cut", "CutConfig"),
    ("budget.usage[]", "Usage"),
    ("compact.summary", "StoredSummary"),
    ("compact.summary.facts", "SummaryFacts"),
    ("compact.prepared", "StoredSummary"),
    ("compact.prepared.facts", "SummaryFacts"),
    ("render.labels", "Labels"),
    ("render.replace[]", "Replacement"),
];

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

fn reference(schema: &Value) -> Option<&str> {
    let direct = schema["$ref"].as_str();
    let optional = || schema["anyOf"].as_array()?.iter().find_map(|choice| choice["$ref"].as_str());
    direct.or_else(optional)?.rsplit('/').next()
}

fn options<'a>(
    out: &mut String,
    group: &str,
    options: impl Iterator<Item = (&'a String, &'a Value)>,
    definitions: &Map<String, Value>,
) {
    out.push_str("\n| option | type | default | unit | document | |\n|---|---|---|---|---|---|\n");
    for (name, schema) in options {
        let (mut about, document) = without_document(&one_line(&description(schema)));
        let target = reference(schema).map(|target| &definitions[target]);
        let variants = target.map(variants).unwrap_or_default();
        let kind = if variants.is_empty() {
            shape(schema).trim_end_matches(" | null").replace("readonly ", "").replace('|', "\\|")
        } else {
            for (name, meaning) in &variants {
                let _ = write!(about, " `{name}`: {}", one_line(meaning));
            }
            variants.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let default = match &schema["default"] {
            // A nested group has a separate table.
            Value::Null | Value::Object(_) => String::new(),
            value => format!("`{}`", value.to_string().replace('|', "\\|")),
        };
        let unit = unit(name, &kind);
        let _ = writeln!(
            out,
            "| `{group}{name}` | {kind} | {default} | {unit} | {document} | {about} |"
        );
    }
}

/// Splits a description into its text and the documents that it names.
fn without_document(about: &str) -> (String, String) {
    let Some(start) = about.find(" (document") else {
        return (about.to_owned(), String::new());
    };
    let length = about[start..].find(')').expect("the bracket is closed") + 1;
    let inside = &about[start + 2..start + length - 1];
    let named = inside.trim_start_matches("documents ").trim_start_matches("document ");
    let rest = format!("{}{}", &about[..start], &about[start + length..]);
    (rest, named.to_owned())
}

/// The unit of a number. Every numeric option has one.
fn unit(name: &str, kind: &str) -> &'static str {
    if kind != "number" {
        return "";
    }
    match name {
        "maxTokens" | "contextLimit" | "replyReserve" | "tokensPerMessage" | "tokensPerName"
        | "tokensPriming" | "tokens" | "minTokens" | "countedTokens" | "inputTokens"
        | "replyTokens" => "tokens",
        "maxChars" | "maxItemChars" | "maxCandidateChars" | "minTailChars" | "maxSummaryChars"
        | "maxReplyChars" | "chars" => "characters",
        "timeoutMs" => "milliseconds",
        "embedBatchSize" => "texts",
        "recencyHours" => "hours",
        "conversationGapMinutes" | "threadGapMinutes" => "minutes",
        "maxAgeDays" => "days",
        "cacheLimit" | "fetchLimit" => "`collect.limitsCount`",
        "maxRecentMessages" | "requiredNewest" | "recentMessages" => "messages",
        "lookbackCount"
        | "minMessages"
        | "previousTasksCount"
        | "skipSelectionThreshold"
        | "maxCandidates"
        | "alwaysIncludeRecent" => "`window.unit`",
        "maxUserTurns" => "user messages",
        "maxBytes" => "bytes",
        "maxImages" => "images",
        "maxItems" | "items" => "items",
        "maxSummaries" => "summaries",
        "maxActions" => "actions",
        "d" | "o" | "s" | "e" | "maxShare" | "maxRecentShare" | "maxStandingShare"
        | "maxStatementShare" | "highWater" | "lowWater" | "prepareAt" => "0 to 1",
        "priority" | "score" => "any number",
        other => panic!("the option {other} is a number: give it a unit here"),
    }
}

fn listed(out: &mut String, heading: &str, schema: &Value, count: usize) {
    let variants = variants(schema);
    assert_eq!(variants.len(), count, "the list of every {heading} is complete");
    let _ = write!(out, "\n| {heading} | |\n|---|---|\n");
    for (name, about) in variants {
        let _ = writeln!(out, "| `{name}` | {} |", one_line(&about));
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
