use serde::{Deserialize, Serialize};

/// What is recalled for the section of kind `recall`, by the hook `recall.search`. Without the hook or the section
/// nothing is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RecallConfig {
    /// How broad recall is; it sets `maxItems` and `maxChars` where they are not given. Default: by `focusSignals`
    /// (document 001).
    pub focus: Option<Focus>,
    /// What the focus is computed from, where `focus` is not given. Default: `balanced`, 0.50 (document 001).
    pub focus_signals: Option<FocusSignals>,
    /// How many items are asked for. Default: 4, 8 or 16 by focus (document 001).
    pub max_items: Option<u64>,
    /// The most characters of all items together as they are shown; cut with `...`. Default: 900, 1700 or 3600 by focus
    /// (document 001).
    pub max_chars: Option<u64>,
    /// The most characters of one item's text; cut with `...` (document 001).
    pub max_item_chars: u64,
    /// How long the hook may take, in milliseconds.
    pub timeout_ms: u64,
    /// What is shown where the request is blank, so that nothing can be asked for. Default: the section's `empty`.
    pub empty_query: Option<String>,
    /// What is shown where there is no hook, or it failed or says that it is unavailable. Default: the section's `empty`.
    pub unavailable: Option<String>,
}

/// How broad recall is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Focus {
    /// A small set: 4 items, 900 characters.
    Focused,
    /// 8 items, 1700 characters.
    Balanced,
    /// A broad set: 16 items, 3600 characters.
    Diffuse,
}

/// The signals of document 001 (DOSE), each from 0 to 1; what lies outside is taken as the nearer end, and what is not
/// given as 0.5.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FocusSignals {
    /// Dopamine.
    pub d: Option<f64>,
    /// Oxytocin.
    pub o: Option<f64>,
    /// Serotonin.
    pub s: Option<f64>,
    /// Endorphins.
    pub e: Option<f64>,
}

impl Default for RecallConfig {
    fn default() -> Self {
        Self {
            focus: None,
            focus_signals: None,
            max_items: None,
            max_chars: None,
            max_item_chars: 420,
            timeout_ms: 30_000,
            empty_query: None,
            unavailable: None,
        }
    }
}
