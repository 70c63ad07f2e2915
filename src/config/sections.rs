use crate::base::error::{Error, Result};
use crate::base::message::Role;
use crate::base::value::FromValue;
use serde::Serialize;

/// A part of the prompt. The order of the list is the order in the prompt.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Section {
    /// Its name in the result, in the trace and in `contents`. Ids must be unique.
    pub id: String,
    /// The kind of its content.
    pub kind: SectionKind,
    /// The role of its messages in the format `messages`. Default: `system`.
    #[serde(default)]
    pub role: Option<Role>,
    /// A text before it in the text formats, and before its text in the format `messages`. For the request, it replaces
    /// the speaker.
    #[serde(default)]
    pub label: Option<String>,
    /// The text to show if it is empty. Default: an empty section is left out.
    #[serde(default)]
    pub empty: Option<String>,
    /// The text of kind `text`.
    #[serde(default)]
    pub text: Option<String>,
    /// The items of kind `items`, in order; or the items that the kind `recall` searches for the request.
    #[serde(default)]
    pub items: Vec<Item>,
    /// For kind `items`: shows only the parts of its items that match the request best, in the order of the items. A
    /// long text is cut into passages, at headings, blank lines and sentences. Without its own limit the section holds
    /// as much as the focus of recall allows.
    #[serde(default)]
    pub ranked: bool,
    /// The template of an item, in the kinds `items` and `recall`. `{text}`, `{source}`, `{score}` (four decimals) and
    /// `{number}` (from 1) are replaced. Default: `{text}`.
    #[serde(default)]
    pub item: Option<String>,
    /// Makes each item a separate message in the format `messages`.
    #[serde(default)]
    pub separate: bool,
    /// Limits on its cost.
    #[serde(default)]
    pub limit: SectionLimit,
    /// Allows the section to be left out for its cost, or requires it. Default: `always` for texts, `optional` for
    /// items and recall.
    #[serde(default)]
    pub keep: Option<Keep>,
    /// Treatment of the front matter (`---` to `---`) at the beginning of a text.
    #[serde(default)]
    pub front_matter: FrontMatter,
}

/// The kind of a section's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum SectionKind {
    /// A text of the caller's.
    #[default]
    Text,
    /// A list of texts of the caller's.
    Items,
    /// The messages of the transcript.
    History,
    /// The results of the hook `recall.search`, and the section's items that match the request best, best first.
    Recall,
    /// The focus in words, for example `balanced (0.50)`.
    Focus,
    /// The request. Without a section of this kind the request is not in the prompt.
    Request,
}

/// One of several texts.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Item {
    /// Its id.
    #[serde(default)]
    pub id: Option<String>,
    /// Its text.
    pub text: String,
    /// A shorter text to use if the whole doesn't fit.
    #[serde(default)]
    pub summary: Option<String>,
    /// Items with a higher priority are dropped later if there isn't enough room. Default: 0.
    #[serde(default)]
    pub priority: Option<f64>,
    /// Its origin.
    #[serde(default)]
    pub source: Option<String>,
    /// How well it matches the request. Ranked items have a score from 0 to 1, as a share of the best one's.
    #[serde(default)]
    pub score: Option<f64>,
}

/// Limits on a section's cost. Its label and the format's text around the history don't count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SectionLimit {
    /// The most tokens. A longer text is cut with a marker, and an item is shown by its summary. Default: no limit.
    pub tokens: Option<u64>,
    /// The maximum number of characters (code points). A longer text is cut with `...`. 0 turns it off. Default: no limit.
    pub chars: Option<u64>,
    /// The most items; the first ones stay. Default: all.
    pub items: Option<u64>,
    /// How the characters of the history are counted.
    pub measure: Measure,
    /// Treatment of the history's newest message if it alone is too long for `chars`.
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
    /// The text, the role's name and 4 more.
    RoleAndText,
}

/// Treatment of a message that alone is too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Oversize {
    /// It is left out.
    #[default]
    LeaveOut,
    /// Its end stays, at least one character of it.
    Tail,
}

/// Condition for leaving out a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Keep {
    /// It is required.
    Always,
    /// Filled before the history, while there is room.
    Optional,
}

/// Treatment of front matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum FrontMatter {
    /// It is part of the text.
    #[default]
    Keep,
    /// The front matter is the whole text, if there is any.
    Only,
    /// It is left out.
    Omit,
}

impl Section {
    /// A section of a kind, with only a name.
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

    /// True if it can't be left out for its cost.
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
                "Remove it. What a section of kind recall holds is ranked anyway.",
            ));
        }
    }
    Ok(())
}
