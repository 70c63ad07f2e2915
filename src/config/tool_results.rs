use crate::base::map::Map;
use crate::base::value::FromValue;
use serde::Serialize;

/// How tool results shrink if not everything fits.
///
/// An older result shrinks to an excerpt, and then to a line that says how much is left out. The call itself stays. Only if that is not
/// enough do whole steps go, the oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ToolResultsConfig {
    /// True if results shrink. Otherwise they are in the prompt whole or not at all. Default: true.
    pub shrink: bool,
    /// The number of newest results that begin with more than a stub if not all steps fit: a fifth of the room together. If all steps fit,
    /// they grow first, into a fifth of the rest. Default: 3.
    pub keep: u64,
    /// Names of tools whose results never shrink. Default: none.
    pub exclude_tools: Vec<String>,
    /// By the name of a tool: the argument that names the resource of a call, such as `{ "read_file": "path" }`. A newer result of the same
    /// tool with the same value supersedes an older one, whatever the other arguments are. Default: none, so all arguments must be equal.
    pub resources: Map<String, String>,
    /// True if the mark of an omitted part names its result, such as `result r12`. The model can then get it with the tool
    /// `context.retrieval`. Default: false.
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
