use crate::base::map::Map;
use crate::base::value::FromValue;
use serde::Serialize;

/// How tool results shrink if not everything fits.
///
/// An older result shrinks to an excerpt, and then to a line that says how much is left out. The call itself stays.
/// Only if that isn't enough are whole steps dropped, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ToolResultsConfig {
    /// True if results shrink. If false, a result is in the prompt whole or not at all. Default: true.
    pub shrink: bool,
    /// Number of the newest results that start with more than a stub if not all steps fit. Together they get a fifth of
    /// the room. If all steps fit, they grow first, into a fifth of the rest. Default: 3.
    pub keep: u64,
    /// Names of tools whose results never shrink. Default: none.
    pub exclude_tools: Vec<String>,
    /// For each tool, the argument that names the resource, such as `{ "read_file": "path" }`. A newer result of the
    /// same tool with the same value supersedes an older one, whatever the other arguments are. Default: none, so all
    /// arguments must be equal.
    pub resources: Map<String, String>,
    /// True if the marker of an omitted part names its result, such as `result r12`. The model can then fetch it with
    /// the tool `context.retrieval`. Default: false.
    // Not written if it is off, so that the hashes of other contexts stay the same.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retrieval: bool,
}

impl Default for ToolResultsConfig {
    fn default() -> Self {
        Self {
            shrink: true,
            keep: 3,
            exclude_tools: Vec::new(),
            resources: Map::default(),
            retrieval: false,
        }
    }
}
