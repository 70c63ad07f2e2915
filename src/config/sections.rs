use crate::base::error::{Error, Result};
use crate::base::message::Role;
use crate::base::value::FromValue;
use serde::Serialize;

/// A part of the prompt. The list has the order of the prompt.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Section {
    /// The section's name in the result, in the trace and in `contents`. Ids must be unique.
    pub id: String,
    /// The kind of content.
    pub kind: SectionKind,
    /// The role of the section's messages in the format `messages`. Default: `system`.
    #[serde(default)]
    pub role: Option<Role>,
    /// A text before the section in the text formats, and before its text in the format `messages`. For the request, it
    /// replaces the speaker.
    #[serde(default)]
    pub label: Option<String>,
    /// The text to show if the section is empty. Default: an empty section is left out.
    #[serde(default)]
    pub empty: Option<String>,
    /// The text, for the kind `text`.
    #[serde(default)]
    pub text: Option<String>,
    /// The items: for the kind `items`, in order; for the kind `recall`, those to search.
    #[serde(default)]
    pub items: Vec<Item>,
    /// For the kind `items`: shows only the parts of the items that match the request best, in the order of the items.
    /// Long texts are cut into passages at headings, blank lines and sentences. Without a limit, the section has as
    /// much room as the focus of recall allows.
    #[serde(default)]
    pub ranked: bool,
    /// The template of an item, for the kinds `items` and `recall`. `{text}`, `{source}`, `{score}` (four decimals) and
    /// `{number}` (from 1) are replaced. Default: `{text}`.
    #[serde(default)]
    pub item: Option<String>,
    /// Makes each item a separate message in the format `messages`.
    #[serde(default)]
    pub separate: bool,
    /// Limits on the section's cost.
    #[serde(default)]
    pub limit: SectionLimit,
    /// Allows or forbids leaving out the section for its cost. Default: `always` for texts, `optional` for items and
    /// recall.
    #[serde(default)]
    pub keep: Option<Keep>,
    /// Keeps or omits front matter (`---` to `---`) at the beginning of a text, or keeps nothing else.
    #[serde(default)]
    pub front_matter: FrontMatter,
}

/// The kind of a section's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum SectionKind {
    /// Your text.
    #[default]
    Text,
    /// A list of your texts.
    Items,
    /// The messages of the transcript.
    History,
    /// The hits of the hook `recall.search`, and the section's items that match the request, best first.
    Recall,
    /// The focus in words, for example `balanced (0.50)`.
    Focus,
    /// The request. Without a section of this kind, the request isn't in the prompt.
    Request,
}

/// One of several texts.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Item {
    /// The id.
    #[serde(default)]
    pub id: Option<String>,
    /// The text.
    pub text: String,
    /// A shorter text to use if the whole text doesn't fit.
    #[serde(default)]
    pub summary: Option<String>,
    /// If there isn't enough room, items with a higher priority are dropped later. Default: 0.
    #[serde(default)]
    pub priority: Option<f64>,
    /// The origin.
    #[serde(default)]
    pub source: Option<String>,
    /// How well the item matches the request. Ranked items have a score from 0 to 1, relative to the best one.
    #[serde(default)]
    pub score: Option<f64>,
}

/// Limits on a section's cost. The label and the format's text around the history don't count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SectionLimit {
    /// Maximum number of tokens. A longer text is cut with a marker, and items are replaced by their summaries.
    /// Default: no limit.
    pub tokens: Option<u64>,
    /// Maximum number of characters (code points). A longer text is cut with `...`. 0 turns the limit off. Default: no
    /// limit.
    pub chars: Option<u64>,
    /// Maximum number of items; the first ones stay. Default: all.
    pub items: Option<u64>,
    /// How the characters of the history are counted.
    pub measure: Measure,
    /// Leaves out the history's newest message, or keeps its end, if it alone is too long for `chars`.
    pub oversize: Oversize,
}

/// How characters are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Measure {
    /// The messages as they appear in the prompt.
    #[default]
    Rendered,
    /// The text, the role's name, and 4 more.
    RoleAndText,
}

/// Leaves out a single message that is too long, or keeps its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Oversize {
    /// Leaves it out.
    #[default]
    LeaveOut,
    /// Keeps its end, at least one character.
    Tail,
}

/// When a section can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Keep {
    /// The section is required.
    Always,
    /// Filled before the history, while there is room.
    Optional,
}

/// Keeps or omits front matter, or keeps nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum FrontMatter {
    /// Keeps it as part of the text.
    #[default]
    Keep,
    /// Keeps only the front matter, if there is any.
    Only,
    /// Leaves it out.
    Omit,
}

impl Section {
    /// A section of a kind, with only an id.
    #[must_use]
    pub fn new(id: &str, kind: SectionKind) -> Self {
        Self {
            id: id.to_owned(),
            kind,
            role: None,
            label: None,
            empty: None,
            text: None,
            items: Vec::new(),
            ranked: false,
            item: None,
            separate: false,
            limit: SectionLimit::default(),
            keep: None,
            front_matter: FrontMatter::Keep,
        }
    }

    /// True if the section can't be left out for its cost.
    #[must_use]
    pub fn is_required(&self) -> bool {
        let by_kind = match self.kind {
            SectionKind::Items | SectionKind::Recall => Keep::Optional,
            _ => Keep::Always,
        };
        self.keep.unwrap_or(by_kind) == Keep::Always
    }
}

/// Ids in a result for costs outside all sections.
const RESERVED: [&str; 2] = ["format", "instructions"];

pub(super) fn check(sections: &[Section]) -> Result<()> {
    for (position, section) in sections.iter().enumerate() {
        let path = |field: &str| format!("sections[{position}].{field}");
        let before = &sections[..position];
        if before.iter().any(|other| other.id == section.id)
            || RESERVED.contains(&section.id.as_str())
        {
            return Err(Error::option(
                &path("id"),
                &format!("the id \"{}\" is taken", section.id),
                "Pass a different id for each section, other than format and instructions.",
            ));
        }
        let is_list = matches!(section.kind, SectionKind::Text | SectionKind::Items);
        if !is_list && before.iter().any(|other| other.kind == section.kind) {
            return Err(Error::option(
                &path("kind"),
                "an earlier section has the same kind",
                "Pass one section of each kind except text and items.",
            ));
        }
        if section.text.is_some() && section.kind != SectionKind::Text {
            return Err(Error::option(
                &path("text"),
                "only a section of kind text has a text",
                "Set its kind to text, or remove the text.",
            ));
        }
        if !section.items.is_empty()
            && !matches!(section.kind, SectionKind::Items | SectionKind::Recall)
        {
            return Err(Error::option(
                &path("items"),
                "only a section of kind items or recall has items",
                "Set its kind to items or recall, or remove the items.",
            ));
        }
        if section.ranked && section.kind != SectionKind::Items {
            return Err(Error::option(
                &path("ranked"),
                "only a section of kind items can be ranked",
                "Remove it. A section of kind recall is ranked anyway.",
            ));
        }
    }
    Ok(())
}
