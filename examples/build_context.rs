//! Builds a context natively, without JavaScript: `cargo run --release --example build_context -- 200 < CHAT`. A chat
//! is a line per message, `user: …` or `assistant: …`. It prints the messages that fit into 200 estimated tokens, and
//! the reason for each missing one.

use std::io::{BufRead, Error, Result, Write, stderr, stdin, stdout};
use std::rc::Rc;
use windrow::base::message::{Field, Role};
use windrow::base::time::Milliseconds;
use windrow::base::value::Value;
use windrow::config::ContextConfig;
use windrow::log::messages::Columns;
use windrow::machine::selection::SELECTION;
use windrow::machine::{Build, Step};
use windrow::recall::transcript::Transcript;
use windrow::state::ask::Need;
use windrow::state::context::Context;
use windrow::state::trace::Fate;

fn main() -> Result<()> {
    let Some(budget) = std::env::args().nth(1).and_then(|given| given.parse::<u32>().ok()) else {
        writeln!(stderr(), "usage: build_context TOKENS < CHAT")?;
        std::process::exit(2);
    };
    let lines: Vec<String> = stdin().lock().lines().collect::<Result<_>>()?;
    let messages: Vec<(Role, &str)> = lines.iter().filter_map(|line| message(line)).collect();
    let config = config(budget).map_err(Error::other)?;
    let context = build(&messages, config.clone()).map_err(Error::other)?;
    print(&messages, &context, &config)
}

/// Reads a line of a chat.
fn message(line: &str) -> Option<(Role, &str)> {
    match line.split_once(": ")? {
        ("user", text) => Some((Role::User, text)),
        ("assistant", text) => Some((Role::Assistant, text)),
        _ => None,
    }
}

/// The options are those of the reference, as values.
fn config(budget: u32) -> windrow::base::error::Result<ContextConfig> {
    let group = |name: &str, fields: Vec<(String, Value)>| (name.to_owned(), Value::Map(fields));
    let options = vec![
        ("encoding".to_owned(), Value::Text("estimate".to_owned())),
        group("budget", vec![("maxTokens".to_owned(), Value::Number(budget.into()))]),
    ];
    ContextConfig::read(&Value::Map(options))
}

fn build(
    messages: &[(Role, &str)],
    config: ContextConfig,
) -> windrow::base::error::Result<Context> {
    let count = messages.len();
    let text: String = messages.iter().map(|(_, text)| *text).collect();
    let roles: Vec<u8> = messages.iter().map(|(role, _)| *role as u8).collect();
    let lengths: Vec<u32> = messages
        .iter()
        .map(|(_, text)| u32::try_from(text.len()).expect("a line is shorter than 4 GiB"))
        .collect();
    let mut transcript = Transcript::default();
    transcript.append(&Columns {
        text: text.as_bytes(),
        roles: &roles,
        pinned: &vec![0; count],
        times: &vec![f64::NAN; count],
        segment_counts: &vec![1; count],
        segment_fields: &vec![Field::Text as u8; count],
        segment_lengths: &lengths,
    })?;
    let mut build = Build::new(Rc::new(transcript), None, config, Milliseconds(0), vec![])?;
    loop {
        match build.step()? {
            Step::Need(Need::Selection) => build.provide_selection(&SELECTION),
            Step::Need(need) => unreachable!("the config has no hook and no vocabulary: {need:?}"),
            Step::Done(context) => return Ok(*context),
        }
    }
}

fn print(messages: &[(Role, &str)], context: &Context, config: &ContextConfig) -> Result<()> {
    let mut out = stdout().lock();
    for range in &context.trace.ranges {
        for (_, text) in &messages[range.first..=range.last] {
            match range.fate {
                Fate::LeftOut => writeln!(out, "- {text}\n    {}", range.reason.words(config))?,
                _ => writeln!(out, "+ {text}")?,
            }
        }
    }
    writeln!(out, "{} tokens", context.tokens.total)
}
