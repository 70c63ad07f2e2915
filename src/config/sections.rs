use crate::base::error::{Error, Result};
use crate::base::message::Role;
use crate::base::value::FromValue;
use serde::Serialize;

/// A part of the prompt. The list of sections is the order in which it is put together.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Section {
    /// Its name in the result, in the trace and in `contents`; no two are the same.
    pub id: String,
    /// What it holds.
    pub kind: SectionKind,
    /// The role of its messages in the format `messages`. Default: `system`.
    #[serde(default)]
    pub role: Option<Role>,
    /// What stands before it in the text formats, and before its text in the format `messages`. Before the request it
    /// stands in the place of the speaker.
    #[serde(default)]
    pub label: Option<String>,
    /// The text in its place if it is empty. Default: an empty section is not there.
    #[serde(default)]
    pub empty: Option<String>,
    /// The text of kind `text`.
    #[serde(default)]
    pub text: Option<String>,
    /// The items of kind `items`, in order; or what the kind `recall` looks for the request in.
    #[serde(default)]
    pub items: Vec<Item>,
    /// Of kind `items`: whether only those parts of its items are shown that fit the request best, in the order of the
    /// items. A long text is cut into passages, at headings, blank lines and sentences. Without a limit of its own the
    /// section holds what the focus of recall allows.
    #[serde(default)]
    pub ranked: bool,
    /// How an item is written, in the kinds `items` and `recall`: `{text}`, `{source}`, `{score}` (four decimals) and
    /// `{number}` (from 1) stand for its own. Default: `{text}`.
    #[serde(default)]
    pub item: Option<String>,
    /// Whether each item is a message of its own in the format `messages`.
    #[serde(default)]
    pub separate: bool,
    /// What it may cost.
    #[serde(default)]
    pub limit: SectionLimit,
    /// Whether it may be left out for its cost. Default: `always` for texts, `optional` for items and recall.
    #[serde(default)]
    pub keep: Option<Keep>,
    /// What becomes of the front matter (`---` to `---`) that a text begins with.
    #[serde(default)]
    pub front_matter: FrontMatter,
}

/// What a section holds.
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
    /// What the hook `recall.search` gives, and what fits the request best of the section's items, best first.
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
    /// A shorter text, for where there is no room for the whole.
    #[serde(default)]
    pub summary: Option<String>,
    /// Which items go last where there is no room: the higher, the later. Default: 0.
    #[serde(default)]
    pub priority: Option<f64>,
    /// Where it is from.
    #[serde(default)]
    pub source: Option<String>,
    /// How well it fits the request. Where items are ranked, it is from 0 to 1, as a share of the best one's.
    #[serde(default)]
    pub score: Option<f64>,
}

/// What a section may cost. Its label, and what a format puts around the history, do not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SectionLimit {
    /// The most tokens. A text that is longer is cut with a marker, an item is shown by its summary. Default: no limit.
    pub tokens: Option<u64>,
    /// The most characters (code points). A text that is longer is cut with `...`. 0 is off. Default: no
    /// limit.
    pub chars: Option<u64>,
    /// The most items; the first stay. Default: all.
    pub items: Option<u64>,
    /// How the characters of the history are counted.
    pub measure: Measure,
    /// What happens where the newest message of the history is alone too long for `chars`.
    pub oversize: Oversize,
}

/// How characters are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Measure {
    /// As the messages are shown.
    #[default]
    Rendered,
    /// The text, the role's name and 4 more.
    RoleAndText,
}

/// What happens to a message that is alone too long.
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

/// Whether a section may be left out for its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Keep {
    /// It is required.
    Always,
    /// It comes before the history, as far as it fits.
    Optional,
}

/// What becomes of front matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum FrontMatter {
    /// It is part of the text.
    #[default]
    Keep,
    /// It is all of the text, where there is one.
    Only,
    /// It is left out.
    Omit,
}

impl Section {
    /// A section of a kind, with nothing but its name.
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

    /// Whether it may not be left out for its cost.
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
                "there is another section of this kind before it",
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
