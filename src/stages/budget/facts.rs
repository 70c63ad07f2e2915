//! Collects facts from dropped messages: files that were read and changed, names of things, failing commands, open
//! questions.
//!
//! Rules find them, and the hook `compact.summarize` gets them as data. The summary also lists them, so they don't
//! depend on the model repeating them.

use crate::base::guard::collapse;
use crate::base::map::HashedMap;
use crate::base::message::{Field, Role};
use crate::base::text;
use crate::config::SummaryFacts;
use crate::log::messages::Messages;
use crate::prompt::excerpt::{identifiers, tells_failure};
use serde_json::Value;

/// Maximum number of entries of a list. The oldest are dropped first.
const MOST_ENTRIES: usize = 64;

/// Maximum number of characters of an entry.
const MOST_CHARS: usize = 160;

/// Maximum number of names that one message or result adds: a listing has hundreds, most of them useless.
const MOST_OF_A_MESSAGE: usize = 12;
const MOST_OF_A_RESULT: usize = 4;

/// The arguments that name a file, in lower case without underscores.
const PATHS: [&str; 7] =
    ["path", "file", "filepath", "filename", "targetfile", "notebookpath", "absolutepath"];

/// The arguments that name a command.
const COMMANDS: [&str; 3] = ["command", "cmd", "script"];

/// Parts of tool names that change a file.
const CHANGES: [&str; 11] = [
    "write", "edit", "patch", "create", "delete", "remove", "replace", "insert", "append", "move",
    "rename",
];

/// Returns the facts of earlier messages together with those of some rows.
pub(super) fn with_rows(
    mut facts: SummaryFacts,
    transcript: &Messages,
    rows: &[usize],
) -> SummaryFacts {
    // For the id of a call without a result so far, its command.
    let mut commands: HashedMap<&str, String> = HashedMap::default();
    for row in rows.iter().copied() {
        let role = transcript.role(row);
        let (mut id, mut name) = ("", "");
        let mut has_calls = false;
        let mut names = Vec::new();
        for (field, value) in transcript.fields(row) {
            match field {
                Field::CallId => (id, has_calls) = (value, true),
                Field::CallName => name = value,
                Field::CallArguments => {
                    let arguments = serde_json::from_str(value).unwrap_or(Value::Null);
                    facts.add_files(name, &arguments);
                    if let Some(command) = argument(&arguments, &COMMANDS).next() {
                        commands.insert(id, short(command));
                    }
                    names.extend(identifiers(value));
                }
                Field::Text => names.extend(identifiers(value)),
                _ => {}
            }
        }
        let answered = transcript.value(row, Field::ResultId);
        if let Some(command) = answered.and_then(|id| commands.get(id)) {
            facts.add_run(command, &transcript.text(row));
        }
        if matches!(role, Role::User | Role::Assistant) && !has_calls {
            facts.add_questions(role, &transcript.text(row));
        }
        let known = facts.files_read.iter().chain(&facts.files_changed);
        let known: Vec<String> = known.cloned().collect();
        let most = if answered.is_some() { MOST_OF_A_RESULT } else { MOST_OF_A_MESSAGE };
        let mut new = Vec::new();
        for name in names {
            let name = short(name.trim_matches(['.', ':', '#', '-', '/']));
            let is_known = known.iter().any(|it| it.ends_with(&name)) || new.contains(&name);
            if !is_known && new.len() < most {
                new.push(name);
            }
        }
        for name in new {
            if !facts.identifiers.contains(&name) {
                add(&mut facts.identifiers, name);
            }
        }
    }
    facts
}

impl SummaryFacts {
    fn add_files(&mut self, tool: &str, arguments: &Value) {
        let tool = tool.to_ascii_lowercase();
        let is_change = CHANGES.iter().any(|part| tool.contains(part));
        for path in argument(arguments, &PATHS) {
            let path = short(path);
            self.files_read.retain(|it| *it != path);
            if is_change || self.files_changed.contains(&path) {
                self.files_changed.retain(|it| *it != path);
                add(&mut self.files_changed, path);
            } else {
                add(&mut self.files_read, path);
            }
        }
    }

    /// Adds a command that fails, and removes one that doesn't fail anymore.
    fn add_run(&mut self, command: &str, output: &str) {
        let before = format!("{command}: ");
        self.failing_commands.retain(|it| !it.starts_with(&before));
        if let Some(line) = failing_line(output) {
            add(&mut self.failing_commands, before + &short(line));
        }
    }

    /// Adds the questions of a message, which answers the questions of other roles.
    fn add_questions(&mut self, role: Role, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let before = format!("{}: ", role.as_str());
        self.open_questions.retain(|it| it.starts_with(&before));
        let sentences = text.split_inclusive(['.', '!', '?', '？', '؟', '\n']);
        for sentence in sentences.filter(|it| it.ends_with(['?', '？', '؟'])) {
            let question = collapse(sentence);
            if question.contains(' ') || !question.is_ascii() {
                add(&mut self.open_questions, before.clone() + &short(&question));
            }
        }
    }

    /// The lists with their titles.
    fn lists(&mut self) -> [(&'static str, &mut Vec<String>); 5] {
        [
            ("Files read", &mut self.files_read),
            ("Files changed", &mut self.files_changed),
            ("Identifiers", &mut self.identifiers),
            ("Failing commands", &mut self.failing_commands),
            ("Open questions", &mut self.open_questions),
        ]
    }

    /// The facts as lines.
    pub(super) fn lines(&self) -> String {
        let mut facts = self.clone();
        let lists = facts.lists().map(|(name, entries)| (name, entries.join("; ")));
        let lines = lists.into_iter().filter(|(_, entries)| !entries.is_empty());
        lines.map(|(name, entries)| format!("{name}: {entries}")).collect::<Vec<_>>().join("\n")
    }

    /// Removes the oldest entry of the longest list. Returns false if all are empty.
    pub(super) fn drop_oldest(&mut self) -> bool {
        let longest = self.lists().into_iter().max_by_key(|(_, entries)| entries.len());
        match longest {
            Some((_, entries)) if !entries.is_empty() => {
                entries.remove(0);
                true
            }
            _ => false,
        }
    }
}

/// The texts of arguments with one of these names, also within lists.
fn argument<'a>(arguments: &'a Value, names: &'a [&str]) -> impl Iterator<Item = &'a str> {
    let fields = arguments.as_object().into_iter().flatten();
    let wanted = fields.filter(|(name, _)| {
        let name: String = name.chars().filter(|letter| *letter != '_').collect();
        names.contains(&name.to_ascii_lowercase().as_str())
    });
    wanted.filter_map(|(_, value)| value.as_str()).filter(|value| !value.trim().is_empty())
}

/// The line of an output that says that the command failed: the last line, or the first one.
fn failing_line(output: &str) -> Option<&str> {
    const HARMLESS: [&str; 5] = ["0 fail", "0 error", "no error", "no fail", "exit code 0"];
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next();
    let last = lines.next_back().or(first);
    let fails = |line: &&str| {
        let line = line.to_ascii_lowercase();
        (tells_failure(&line) || line.contains("exit code") || line.contains("exited with"))
            && !HARMLESS.iter().any(|words| line.contains(words))
    };
    [last, first].into_iter().flatten().find(fails)
}

fn short(entry: &str) -> String {
    text::excerpt(&collapse(entry), MOST_CHARS)
}

fn add(entries: &mut Vec<String>, entry: String) {
    entries.push(entry);
    if entries.len() > MOST_ENTRIES {
        entries.remove(0);
    }
}
