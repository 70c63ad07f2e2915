//! The config: a build's input besides the transcript. Each group configures the stage of the same name.
//!
//! # Examples
//!
//! ```
//! use windrow::base::value::Value;
//! use windrow::config::ContextConfig;
//!
//! let options = [("budget", Value::Map(vec![("maxToken".into(), Value::Number(4000.0))]))];
//! let options = options.map(|(name, value)| (name.to_owned(), value)).to_vec();
//! let error = ContextConfig::read(&Value::Map(options)).unwrap_err();
//! assert_eq!(error.path.as_deref(), Some("budget.maxToken"));
//! ```

mod budget;
mod calibration;
mod collect;
mod compact;
mod cut;
mod encoding;
mod filter;
mod limits;
mod placement;
mod recall;
mod render;
mod sections;
mod shares;
mod tiers;
mod tool_results;
mod triage;
mod window;

pub use budget::{BudgetConfig, Counting, OnRequiredOverflow, ToolChoice, TrimFirst};
pub use calibration::{Calibration, Usage};
pub use collect::{CollectConfig, LimitsCount, SessionScope};
pub use compact::{CompactConfig, StoredSummary, SummaryFacts};
pub use cut::CutConfig;
pub use encoding::EncodingChoice;
pub use filter::{FilterConfig, ForgottenSentence};
pub use placement::Placement;
pub use recall::{
    ExcerptConfig, Focus, FocusSignals, Meaning, PairConfig, Ranking, RecallConfig, SearchResults,
};
pub use render::{
    Format, Guard, Labels, LateInstructions, OpenCalls, Provider, RenderConfig, Replacement, Server,
};
pub(crate) use render::{OPENAI_SUMMARIZED, is_sealed};
pub use sections::{
    FrontMatter, Item, Keep, Measure, Oversize, Section, SectionKind, SectionLimit,
};
pub use tiers::{KnownConversation, TierForm, TierOverflow, TiersConfig, TodayWindow};
pub use tool_results::ToolResultsConfig;
pub use triage::{TriageCandidates, TriageConfig, TriageDecisions, TriageFallback};
pub use window::{WindowConfig, WindowUnit};

use crate::base::error::{Error, Result};
use crate::base::json::to_json;
use crate::base::time::Milliseconds;
use crate::base::value::{FromValue, OptionNames, Value};
use crate::config::render::{ANTHROPIC_COMPACTION, OPENAI_COMPACTION};
use crate::tokens::model::NEWEST;
use crate::tokens::template::Template;
use crate::tokens::{EncodingName, Family, Tokenizer};
use serde::Serialize;

/// How a context is built. Everything is optional.
///
/// Limits on hours, days, user turns, or characters of one text are off at 0, because such a limit would leave nothing.
/// Counts of messages and items, and budgets, are literal: 0 allows none.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ContextConfig {
    /// Includes history in the context. Without it, only instructions, sections and the request remain.
    pub enabled: bool,
    /// The current time: milliseconds since 1970, or an ISO 8601 date and time. Default: the host's clock.
    #[cfg_attr(test, schemars(with = "Option<crate::reference::Moment>"))]
    pub now: Option<Milliseconds>,
    /// The user's time zone, an IANA name such as `Europe/Berlin`. It determines how times are shown and when a day
    /// begins. Default: UTC.
    pub time_zone: Option<String>,
    /// The session that the context is for. Messages of other sessions are left out; see `collect.sessionScope`.
    /// Default: the request's session, or all sessions if it names none.
    pub session_id: Option<String>,
    /// The agent that the context is for. Messages with another `target` are left out. Messages with this target come
    /// after the history, ordered by `priority`, then newest first. Default: `target` is ignored.
    pub agent_id: Option<String>,
    /// The id of this turn, for the snapshot. Default: a random one.
    pub turn_id: Option<String>,
    /// The model that the context is for, such as `gpt-4o`. It determines the encoding. If the model has no public
    /// encoding, tokens are estimated.
    pub model: Option<String>,
    /// How tokens are counted; overrides `model`. Default: by `model`. Without a model, counts use `o200k_base` and
    /// aren't called exact, because the model may count differently.
    pub encoding: Option<EncodingChoice>,
    /// Selects the messages to consider at all, and their order.
    pub collect: CollectConfig,
    /// Leaves out messages by their kind.
    pub filter: FilterConfig,
    /// How far back the context reaches.
    pub window: WindowConfig,
    /// Recalls older messages and items for the request.
    pub recall: RecallConfig,
    /// Asks a fast model for the older messages that matter.
    pub triage: TriageConfig,
    /// How much of each conversation is shown.
    pub tiers: TiersConfig,
    /// Limits on the cost of the prompt.
    pub budget: BudgetConfig,
    /// A summary that replaces the messages that the cut leaves out.
    // Not written if it is unset, so that the hashes of other contexts stay the same.
    #[serde(skip_serializing_if = "CompactConfig::is_default")]
    pub compact: CompactConfig,
    /// The form of the context.
    pub render: RenderConfig,
    /// The parts of the prompt, in order. Default: the history, then the request.
    pub sections: Option<Vec<Section>>,
}

impl Default for ContextConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            now: None,
            time_zone: None,
            session_id: None,
            agent_id: None,
            turn_id: None,
            model: None,
            encoding: None,
            collect: CollectConfig::default(),
            filter: FilterConfig::default(),
            window: WindowConfig::default(),
            recall: RecallConfig::default(),
            triage: TriageConfig::default(),
            tiers: TiersConfig::default(),
            budget: BudgetConfig::default(),
            compact: CompactConfig::default(),
            render: RenderConfig::default(),
            sections: None,
        }
    }
}

impl ContextConfig {
    /// Reads a config.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` with the option's path if an option is unknown, has the wrong type or is out of range, or if
    /// two options exclude each other.
    pub fn read(value: &Value) -> Result<Self> {
        let resolved = budget::resolve_window(value)?;
        let mut config: Self = resolved.as_ref().unwrap_or(value).decode(&OPTION_NAMES)?;
        config.filter.check()?;
        config.window.check()?;
        config.triage.check()?;
        config.tiers.check()?;
        config.recall.check()?;
        config.budget.check()?;
        config.compact.check()?;
        config.render.check()?;
        sections::check(config.sections())?;
        config.check_cut()?;
        config.turn_off_zeros();
        config.fill_in();
        Ok(config)
    }

    /// Rejects a cut that can't be made.
    fn check_cut(&self) -> Result<()> {
        if self.budget.cut.is_none() {
            return Ok(());
        }
        if self.tiers.enabled {
            return Err(Error::option(
                "budget.cut",
                "tiers can't be combined with a cut",
                "Leave out budget.cut, or tiers.enabled.",
            ));
        }
        let has_own = |section: &Section| {
            section.kind == SectionKind::History && section.limit.tokens.is_some()
        };
        let is_in_tokens =
            self.budget.token_limit().is_some() || self.sections().iter().any(has_own);
        if self.budget.max_chars.is_some() && !is_in_tokens {
            return Err(Error::option(
                "budget.cut",
                "the cut counts tokens, but the budget has only characters",
                "Pass budget.maxTokens or budget.contextLimit too, or leave out budget.cut.",
            ));
        }
        Ok(())
    }

    /// Turns off limits of 0 that would leave nothing: on age, on turns, and on the length of one text.
    fn turn_off_zeros(&mut self) {
        for hours_or_days in [
            &mut self.window.recency_hours,
            &mut self.filter.max_age_days,
            &mut self.tiers.max_age_days,
        ] {
            *hours_or_days = hours_or_days.filter(|limit| *limit > 0.0);
        }
        let sections = self.sections.iter_mut().flatten().map(|section| &mut section.limit.chars);
        let others = [&mut self.window.max_user_turns, &mut self.render.max_reply_chars];
        for turns_or_chars in sections.chain(others) {
            *turns_or_chars = turns_or_chars.filter(|limit| *limit > 0);
        }
    }

    /// Fills in defaults that depend on other options, so that the recorded config is complete.
    fn fill_in(&mut self) {
        let by_model = |model: &String| match EncodingName::for_model(model) {
            Some(name) => EncodingChoice::Exact(name),
            None => EncodingChoice::Estimate,
        };
        // Without a model and an encoding this stays unset: nobody knows which model the counts would be exact for.
        self.encoding = self.encoding.or_else(|| self.model.as_ref().map(by_model));
        let is_for_reasoning = self.model.as_deref().is_some_and(EncodingName::is_for_reasoning);
        let family = self.family();
        let (message, priming) = match self.template(family) {
            Some(template) => (template.message, Some(template.priming)),
            None if is_for_reasoning => {
                (budget::DEFAULT_PER_MESSAGE, Some(budget::REASONING_PRIMING))
            }
            None => (budget::DEFAULT_PER_MESSAGE, None),
        };
        self.budget.tokens_per_message.get_or_insert(message);
        self.budget.tokens_priming = self.budget.tokens_priming.or(priming);
        let limits = limits::of(self.render.provider, family, self.model.as_deref());
        self.budget.max_bytes = self.budget.max_bytes.or(limits.map(|it| it.bytes));
        self.budget.max_images = self.budget.max_images.or(limits.map(|it| it.images));
        if self.budget.context_limit.is_some() {
            self.budget.reply_reserve.get_or_insert(budget::DEFAULT_REPLY_RESERVE);
        }
        self.sections.get_or_insert_with(|| {
            vec![
                Section::new("history", SectionKind::History),
                Section::new("request", SectionKind::Request),
            ]
        });
    }

    /// The model's maker, by the model's name. If the name doesn't tell, by the named encoding; if no model is named, by
    /// the provider.
    #[must_use]
    pub fn family(&self) -> Family {
        let by_model = self.model.as_deref().map(Family::of);
        let named = self.encoding.and_then(EncodingChoice::exact);
        match (by_model, named.and_then(EncodingName::tokenizer), self.render.provider) {
            (None | Some(Family::Other(_)), Some(tokenizer), _) => Family::Other(tokenizer),
            (Some(family), ..) => family,
            (_, _, Some(Provider::Openai | Provider::OpenaiResponses)) => Family::OpenAi,
            (_, _, Some(Provider::Anthropic)) => Family::Claude(NEWEST),
            (_, _, Some(Provider::Gemini)) => Family::Gemini(NEWEST),
            _ => Family::Other(Tokenizer::O200k),
        }
    }

    /// The model's chat template, by its [`family`](Self::family). None if OpenAI's recipe for counting applies.
    pub(crate) fn template(&self, family: Family) -> Option<&'static Template> {
        Template::of(family, self.model.as_deref())
    }

    /// The maker of the compactions that the request's provider accepts, as in `Field::ReasoningOf`. None if it accepts
    /// none.
    #[must_use]
    pub fn compaction_maker(&self) -> Option<&'static str> {
        match (self.render.provider?, self.family()) {
            (Provider::Anthropic, _) | (Provider::AiSdk, Family::Claude(_)) => {
                Some(ANTHROPIC_COMPACTION)
            }
            (Provider::OpenaiResponses, _) | (Provider::AiSdk, Family::OpenAi) => {
                Some(OPENAI_COMPACTION)
            }
            _ => None,
        }
    }

    /// The new place for instructions that come after the conversation has begun. None if they don't move.
    #[must_use]
    pub fn moves_late_instructions(&self) -> Option<LateInstructions> {
        let provider = self.render.provider?;
        let stay = match provider {
            Provider::Openai | Provider::OpenaiResponses => true,
            Provider::Anthropic => self.takes_instructions_late(),
            _ => false,
        };
        (!stay).then_some(self.render.late_instructions)
    }

    /// True if the model is a Claude that accepts instructions among the messages. Sonnet 5 doesn't.
    /// `INSTRUCTIONS_AT_TOP` in the package is the same.
    fn takes_instructions_late(&self) -> bool {
        match (self.family(), &self.model) {
            (Family::Claude(version), Some(model)) => {
                version >= (4, 8)
                    && (version != (5, 0) || !model.to_ascii_lowercase().contains("sonnet"))
            }
            _ => false,
        }
    }

    /// True if a provider's request can contain a maker's reasoning or notes.
    #[must_use]
    pub fn sends_reasoning_of(&self, provider: Provider, maker: &str) -> bool {
        provider.takes_reasoning_of(maker, &self.render)
            || (provider.late_changes().contains(&maker) && self.takes_instructions_late())
    }

    /// The encoding to count in. None means the estimator.
    #[must_use]
    pub fn encoding_name(&self) -> Option<EncodingName> {
        self.encoding.unwrap_or(EncodingChoice::DEFAULT).exact()
    }

    /// The parts of the prompt, in order.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        self.sections.as_deref().unwrap_or_default()
    }

    /// A section's own limit in counted tokens, if it has one.
    #[must_use]
    pub fn token_limit_of(&self, section: &Section) -> Option<u64> {
        section.limit.tokens.map(|tokens| self.budget.calibration().limit(tokens))
    }

    /// The section of a kind that occurs at most once, and its position.
    #[must_use]
    pub fn section(&self, kind: SectionKind) -> Option<(usize, &Section)> {
        self.sections().iter().enumerate().find(|(_, section)| section.kind == kind)
    }

    /// The effective config as JSON, with every default filled in. The same config always yields the same text.
    #[must_use]
    pub fn canonical(&self) -> String {
        to_json(self)
    }

    /// Works like [`ContextConfig::canonical`], without the clock and the turn. Naming the default encoding doesn't
    /// change the result.
    pub(crate) fn canonical_of_content(&mut self) -> String {
        let kept = (self.now.take(), self.turn_id.take(), self.encoding);
        self.encoding.get_or_insert(EncodingChoice::DEFAULT);
        let text = self.canonical();
        (self.now, self.turn_id, self.encoding) = kept;
        text
    }
}

/// Other packages' names for options, in lower case without hyphens.
const MEANT: &[(&str, &str)] = &[
    ("tokens", "budget.maxTokens"),
    ("limit", "budget.maxTokens"),
    ("maxlength", "budget.maxTokens"),
    ("tokenlimit", "budget.maxTokens"),
    ("tokenbudget", "budget.maxTokens"),
    ("maxinputtokens", "budget.maxTokens"),
    ("maxcontexttokens", "budget.maxTokens"),
    ("contextwindow", "budget.contextLimit"),
    ("contextlength", "budget.contextLimit"),
    ("maxoutputtokens", "budget.replyReserve"),
    ("outputtokens", "budget.replyReserve"),
    ("replytokens", "budget.replyReserve"),
    ("reservedtokens", "budget.replyReserve"),
    ("maxmessages", "window.maxRecentMessages"),
    ("messagelimit", "window.maxRecentMessages"),
    ("lastmessages", "window.maxRecentMessages"),
    ("query", "request"),
    ("question", "request"),
    ("prompt", "request"),
    ("input", "request"),
    ("systemprompt", "sections"),
    ("instructions", "sections"),
    ("strategy", "recall.ranking"),
    ("functions", "budget.tools"),
];

/// The names of all options, to suggest one if a name is misspelled.
static OPTION_NAMES: OptionNames =
    OptionNames { options: ContextConfig::OPTIONS, outside: OUTSIDE, meant: MEANT };

/// Fields of the caller's config that are passed separately: the request, the binding's own fields, and the hooks.
const OUTSIDE: &[&str] = &[
    "request",
    "contents",
    "shape",
    "previous",
    "redact",
    "contextManagement",
    "signal",
    "countTokens",
    "recall.search",
    "recall.embed",
    "triage.select",
    "triage.complete",
    "tiers.summarize",
    "compact.summarize",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::nearest::plain;

    #[test]
    fn option_names_of_other_packages_lead_to_ours() {
        for (name, path) in MEANT {
            assert!(OPTION_NAMES.paths().contains(&(*path).to_owned()), "{path}");
            assert_eq!(plain(name), *name);
            let config = Value::Map(vec![((*name).to_owned(), Value::Number(1.0))]);
            let error = ContextConfig::read(&config).expect_err("there is no such option");
            assert_eq!(error.next_action, format!("Rename it to {path}."), "{name}");
        }
    }

    #[test]
    fn every_serialized_option_is_known_by_its_path() {
        fn walk(value: &serde_json::Value, path: &str, paths: &mut Vec<String>) {
            for (name, inner) in value.as_object().into_iter().flatten() {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                // A map of names is a single option, and so is a group that may be absent.
                let known = OPTION_NAMES.paths();
                let has_options = known.iter().any(|it| it.starts_with(&format!("{path}.")));
                if has_options {
                    walk(inner, &path, paths);
                }
                if !has_options || known.contains(&path) {
                    paths.push(path);
                }
            }
        }
        let mut paths: Vec<String> = OUTSIDE.iter().map(|path| (*path).to_owned()).collect();
        let mut whole = ContextConfig::default();
        whole.budget.cut = Some(CutConfig::default());
        whole.triage.decided = Some(TriageDecisions::default());
        whole.recall.focus_signals = Some(FocusSignals::default());
        whole.render.server = Some(Server::Other);
        whole.render.late_instructions = LateInstructions::User;
        whole.render.open_calls = OpenCalls::Drop;
        whole.budget.tool_results.retrieval = true;
        let summary = Some(StoredSummary::default());
        whole.compact = CompactConfig {
            prepare_at: Some(0.5),
            summary: summary.clone(),
            prepared: summary,
            ..CompactConfig::default()
        };
        whole.render.store = Some(false);
        walk(&serde_json::to_value(whole).expect("plain data"), "", &mut paths);
        let mut known = OPTION_NAMES.paths();
        paths.sort();
        known.sort();
        assert_eq!(known, paths);
    }
}
