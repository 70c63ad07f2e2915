//! The fate of every message, and the reason for it.

use crate::base::json::to_json;
use crate::base::text::counted;
use crate::config::{ContextConfig, LimitsCount, Ranking, TierOverflow, TrimFirst, WindowUnit};
use crate::log::unread::RecalledWords;
use serde::Serialize;
use strum::VariantArray;

/// Number of groups that may fail to fit before older ones aren't tried anymore, if messages are ranked. A larger
/// number finds a small old message for the last tokens a little more often, but makes every build read and count more.
pub(crate) const MOST_MISSES: u64 = 64;

/// The fate of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Fate {
    /// In the context, whole.
    #[serde(rename = "kept")]
    Kept,
    /// In the context, cut to fit, with a visible marker.
    #[serde(rename = "shortened")]
    Shortened,
    /// In the context with some of its passages, and visible markers for the others.
    #[serde(rename = "excerpt")]
    Excerpt,
    /// A tool result replaced by a line that says how much is left out.
    #[serde(rename = "stub")]
    Stub,
    /// Not in the context.
    #[serde(rename = "left out")]
    LeftOut,
}

/// The reason for a fate. The codes are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Only read along with messages that belong to it, or while searching for such messages. Nothing else this old can
    /// be in the context.
    NotRead,
    /// Belongs to another session.
    OtherSession,
    /// Meant for another agent.
    OtherTarget,
    /// Expired: its time to live is over.
    Expired,
    /// Removed by its author.
    Deleted,
    /// An earlier message has the same id.
    Duplicate,
    /// The provider's compaction replaces it.
    Compacted,
    /// The same as the request that was passed, which has its own place in the context.
    SameAsRequest,
    /// History was turned off.
    Disabled,
    /// Older than the messages that the cache holds.
    BeyondCache,
    /// Older than the messages that are fetched.
    BeyondFetchLimit,
    /// Contains only a tool call, and no result for it follows in the transcript.
    CallWithoutResult,
    /// Contains only a tool result, and the transcript has no call for it.
    ResultWithoutCall,
    /// Its role isn't in `filter.roles`.
    Role,
    /// Its source is excluded.
    Source,
    /// One of its tags is excluded.
    Tag,
    /// Part of an unfinished turn.
    Unfinished,
    /// A tool call or a result, and these are excluded.
    ToolCalls,
    /// Has no content.
    Blank,
    /// Says only something that the user wants forgotten.
    Forgotten,
    /// Written too many days ago, or its conversation ended too many days ago.
    BeyondAge,
    /// The summary of a conversation that isn't shown by its summary.
    IsSummary,
    /// Older than the newest messages or exchanges that the window includes.
    BeyondLookback,
    /// Older than the newest user turns that the window includes.
    BeyondUserTurns,
    /// Older than the newest messages that may be kept.
    BeyondRecentMessages,
    /// Older than the window's hours.
    TooOld,
    /// Not a candidate, so triage wasn't asked about it.
    NotCandidate,
    /// Triage didn't choose it.
    NotChosen,
    /// Older than the guaranteed newest messages, and triage failed.
    TriageFailed,
    /// Older than the guaranteed newest messages, and triage is unavailable.
    TriageUnavailable,
    /// A summary replaces its conversation.
    Summarized,
    /// Its tier isn't shown, or only the required messages of its conversation are.
    TierNotShown,
    /// The prompt has no section for history.
    NoSection,
    /// Its tool call or result was left out, and the two belong together.
    SplitGroup,
    /// No room left within the history's own limit.
    OverLimit,
    /// No room left in the budget.
    OverBudget,
    /// No room left in the budget: better matches for the request filled it.
    RankedLower,
    /// Older than messages that didn't fit; older ones aren't tried after these.
    RunEnded,
    /// Before the cut, which moves in steps.
    BeforeCut,
    /// A system or developer message at the start of the transcript.
    Instruction,
    /// Contains the provider's newest compaction, which replaces everything before it.
    Compaction,
    /// Pinned by the caller.
    Pinned,
    /// Serves as the request, because none was passed, or answers the request.
    Request,
    /// The request replies to it.
    ReplyTo,
    /// One of the newest messages, which are required.
    RequiredNewest,
    /// Meant for the agent that the context is for.
    Direct,
    /// One of the guaranteed newest messages.
    Recent,
    /// Triage chose it.
    Chosen,
    /// One of the newest messages, which come before recalled ones.
    Newest,
    /// Has a standing instruction or preference of the user.
    Standing,
    /// Has a lasting statement of the user: a preference, a health condition, a person, how to be answered.
    Statement,
    /// Matches the request, or the request continues from it.
    Recalled,
    /// Accompanies a message that is kept for its rank, as its question or its reply.
    Paired,
    /// Part of the history, and there was room for it.
    History,
}

impl Reason {
    /// Every reason, in the order of the stages.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// True if a gap notice counts messages left out for this reason: missing history that the model may want to know
    /// about. A split group follows the reason of the part that split it.
    #[must_use]
    pub fn is_gap(self) -> bool {
        matches!(
            self,
            Self::NotRead
                | Self::BeyondCache
                | Self::BeyondFetchLimit
                | Self::BeyondAge
                | Self::BeyondLookback
                | Self::BeyondUserTurns
                | Self::BeyondRecentMessages
                | Self::TooOld
                | Self::NotCandidate
                | Self::NotChosen
                | Self::TriageFailed
                | Self::TriageUnavailable
                | Self::TierNotShown
                | Self::OverLimit
                | Self::OverBudget
                | Self::RankedLower
                | Self::RunEnded
                | Self::BeforeCut
        )
    }

    /// The reason in words, with the config's figures.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "a list")]
    pub fn words(self, config: &ContextConfig) -> String {
        let window = &config.window;
        let unit = match window.unit {
            WindowUnit::Message => "message",
            WindowUnit::Exchange => "exchange",
        };
        let limited = match config.collect.limits_count {
            LimitsCount::Messages => "message",
            LimitsCount::History => unit,
        };
        match self {
            Self::NotRead => {
                "older than the messages that were read, which already filled the window and the budget"
                    .to_owned()
            }
            Self::OtherSession => format!(
                "belongs to a session other than {}",
                config.session_id.as_deref().unwrap_or("the one asked for")
            ),
            Self::OtherTarget => format!(
                "meant for an agent other than {}",
                config.agent_id.as_deref().unwrap_or("the one asked for")
            ),
            Self::Expired => {
                "it has expired (ttlSeconds), or it has a time to live but no time".to_owned()
            }
            Self::Deleted => "its author removed it (status)".to_owned(),
            Self::Duplicate => {
                "an earlier message has the same id (collect.deduplicate)".to_owned()
            }
            Self::SameAsRequest => {
                "is the request itself (it has the request's id, or is the last message with the same text), which the context \
                 has in its place"
                    .to_owned()
            }
            Self::Compacted => {
                "before the provider's compaction, which replaces it: the model doesn't read it".to_owned()
            }
            Self::Disabled => "history is turned off (enabled)".to_owned(),
            Self::BeyondCache => format!(
                "older than {}, which fill the cache (collect.cacheLimit)",
                newest(config.collect.cache_limit, limited)
            ),
            Self::BeyondFetchLimit => format!(
                "older than {}, which are the only ones considered (collect.fetchLimit)",
                newest(config.collect.fetch_limit, limited)
            ),
            Self::CallWithoutResult => {
                "calls a tool and says nothing else, and no result for the call follows it"
                    .to_owned()
            }
            Self::ResultWithoutCall => {
                "is the result of a tool call that doesn't come before it in the transcript"
                    .to_owned()
            }
            Self::Role => "its role isn't one of filter.roles".to_owned(),
            Self::Source => "its source is excluded (filter.excludeSources)".to_owned(),
            Self::Tag => "one of its tags is excluded (filter.excludeTags)".to_owned(),
            Self::Unfinished => {
                "belongs to an unfinished turn (filter.completedOnly)".to_owned()
            }
            Self::ToolCalls => {
                "a tool call or a result, which are excluded (filter.excludeToolCalls)".to_owned()
            }
            Self::Blank => "has no content (filter.excludeBlank; render.provider also leaves it out, since providers reject it)".to_owned(),
            Self::Forgotten => {
                "says something that the user wants forgotten, and nothing else (filter.forgotten)".to_owned()
            }
            Self::BeyondAge => {
                "it, or the end of its conversation, is older than filter.maxAgeDays or tiers.maxAgeDays"
                    .to_owned()
            }
            Self::IsSummary => "is the summary of a conversation, shown only if tiers show that conversation by its summary (tiers)"
                .to_owned(),
            Self::BeyondLookback => format!(
                "older than {} (window.lookbackCount)",
                newest(window.lookback_count, unit)
            ),
            Self::BeyondUserTurns => format!(
                "older than {} (window.maxUserTurns)",
                newest(window.max_user_turns, "user turn")
            ),
            Self::BeyondRecentMessages => format!(
                "older than {} (window.maxRecentMessages)",
                newest(window.max_recent_messages, "message")
            ),
            Self::TooOld => format!(
                "older than the newest message by more than window.recencyHours ({}), and older than {} (window.minMessages)",
                to_json(&window.recency_hours).trim_end_matches(".0"),
                newest(Some(window.min_messages), "message")
            ),
            Self::NotCandidate => {
                "not among the messages that triage was asked about (triage.candidates, triage.maxCandidates)".to_owned()
            }
            Self::NotChosen => "not chosen by triage as relevant to the request".to_owned(),
            Self::TriageFailed => format!(
                "triage failed, and it is older than {}, which are kept then (triage.alwaysIncludeRecent, triage.onError)",
                newest(Some(config.triage.always_include_recent), "message")
            ),
            Self::TriageUnavailable => format!(
                "triage is unavailable, and it is older than {}, which are kept then (triage.alwaysIncludeRecent, \
                 triage.onUnavailable)",
                newest(Some(config.triage.always_include_recent), "message")
            ),
            Self::Summarized => "a summary replaces its conversation (tiers)".to_owned(),
            Self::TierNotShown => "conversations of its tier aren't shown, or only the required messages of this one (tiers)".to_owned(),
            Self::NoSection => "the prompt has no section of kind history (sections)".to_owned(),
            Self::SplitGroup => {
                "grouped with a tool call or result that was left out".to_owned()
            }
            Self::OverLimit => {
                "no room left in the history's own limit (sections, limit)".to_owned()
            }
            Self::OverBudget | Self::RankedLower
                if config.budget.trim_first == TrimFirst::History =>
            {
                "no room left in the budget while every item is shown whole (budget.trimFirst)"
                    .to_owned()
            }
            Self::OverBudget => {
                "no room left in the budget: newer, pinned or required messages filled it".to_owned()
            }
            Self::RankedLower => {
                "no room left in the budget: messages that fit the request better, or are required, filled it"
                    .to_owned()
            }
            Self::RunEnded if config.tiers.enabled && config.tiers.on_overflow == TierOverflow::Stop => {
                "comes after a conversation that didn't fit (tiers.onOverflow)".to_owned()
            }
            Self::RunEnded if config.recall.ranking == Ranking::Recency => {
                "older than a message that didn't fit: the newest are kept without gaps (recall.ranking)"
                    .to_owned()
            }
            Self::RunEnded => format!(
                "older than {} that didn't fit, so it wasn't tried",
                counted(MOST_MISSES, "message")
            ),
            Self::BeforeCut => {
                "it is before the cut, which moves in steps so that the beginning of the prompt stays the same for many turns (budget.cut)"
                    .to_owned()
            }
            Self::Instruction => {
                "one of the instructions that the transcript begins with, which are always kept"
                    .to_owned()
            }
            Self::Compaction => {
                "has the provider's newest compaction, which replaces everything before it".to_owned()
            }
            Self::Pinned => "pinned, or grouped with a pinned message".to_owned(),
            Self::Request => {
                "is the request (by default the newest user message), answers it, or is the newest message"
                    .to_owned()
            }
            Self::ReplyTo => {
                "the request replies to it, or to a message in its group (window.includeReplyTo)"
                    .to_owned()
            }
            Self::RequiredNewest => format!(
                "required, because it or a message in its group is {} (window.requiredNewest)",
                one_of_newest(window.required_newest)
            ),
            Self::Direct => "a message for this agent (agentId)".to_owned(),
            Self::Recent => format!(
                "kept without triage, because it is {} (triage.alwaysIncludeRecent)",
                one_of_newest(config.triage.always_include_recent)
            ),
            Self::Chosen => "chosen by triage as relevant to the request".to_owned(),
            Self::Newest => format!(
                "kept before recalled messages, because it is {} (recall.recentMessages)",
                one_of_newest(config.recall.recent_messages)
            ),
            Self::Standing => {
                "it has a standing instruction of the user, which has its own share (recall.maxStandingShare)".to_owned()
            }
            Self::Statement => {
                "it has a lasting statement of the user, which is worth more for the request than the messages left out (recall.maxStatementShare)".to_owned()
            }
            Self::Recalled => "fits the request better than the messages left out (recall)".to_owned(),
            Self::Paired => {
                "it is the question or the reply of another message in the prompt (recall.pairs)".to_owned()
            }
            Self::History => "within the window, and it fits".to_owned(),
        }
    }
}

/// The limit on the newest messages or exchanges, in words; empty without such a limit.
fn newest(count: Option<u64>, noun: &str) -> String {
    match count {
        Some(1) => format!("the newest {noun}"),
        Some(count) => format!("the newest {}", counted(count, noun)),
        None => String::new(),
    }
}

fn one_of_newest(count: u64) -> String {
    let newest = newest(Some(count), "message");
    if count == 1 { newest } else { format!("one of {newest}") }
}

/// A stage of a build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum StageName {
    #[default]
    /// Order, groups, session.
    Collect,
    /// Roles, sources, tags.
    Filter,
    /// Count, turns, time.
    Window,
    /// Ranking and search.
    Recall,
    /// A fast model's choice.
    Triage,
    /// Full or summary.
    Tiers,
    /// Fitting messages into the budget.
    Budget,
    /// The form.
    Render,
    /// The hash and the recording.
    Snapshot,
}

/// The decision about one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The fate.
    pub fate: Fate,
    /// The stage that decided.
    pub stage: StageName,
    /// The reason.
    pub reason: Reason,
}

impl Decision {
    /// Merges the decisions about two rows of one message. A message that is only partly there counts as shortened, for
    /// the reason of the missing part.
    pub(crate) fn about_both(self, other: Self) -> Self {
        let is_other = self.fate == Fate::LeftOut && other.fate != Fate::LeftOut;
        let fate = if self.fate == other.fate { self.fate } else { Fate::Shortened };
        Self { fate, ..(if is_other { other } else { self }) }
    }
}

/// The fate of every message, as runs of neighbors with the same fate. Its size depends on the decisions, not on the
/// length of the transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// The runs, in the order of the transcript. They cover it without gaps or overlaps.
    pub ranges: Vec<TraceRange>,
    /// The reasons that occur, in words.
    pub reasons: Vec<ReasonWords>,
    /// Reasons why messages that were kept for their rank were recalled.
    pub recalled: Vec<RecalledWords>,
    /// Notes about the build as a whole.
    pub notes: Vec<Note>,
    /// Number of older messages of the log that weren't read, because none of them could be in the context.
    pub unread_count: usize,
}

/// A note about a build as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// The topic.
    pub kind: NoteKind,
    /// The text.
    pub words: String,
}

/// The topic of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// Some rows of the session's log aren't messages and were skipped.
    RowsSkipped,
    /// The budget, a section's limit or `window.maxRecentMessages` left something out or shortened it.
    ContextTrim,
    /// The request has no room or no place for some images, audio and files, so lines replace them.
    MediaHidden,
    /// Some tool calls in the context have no result in the transcript. The note names them, and says how they were
    /// handled.
    OpenCalls,
    /// The required messages and sections cost more than the budget and are in the prompt anyway.
    RequiredOverflow,
    /// Triage is unavailable: the hook is missing or said so. Only the guaranteed newest messages stay.
    TriageUnavailable,
    /// Triage failed.
    TriageFailed,
    /// Nothing could be recalled.
    RecallUnavailable,
    /// Recall failed.
    RecallFailed,
    /// The embedding hook said that it is unavailable, so messages are ranked only by their words.
    EmbeddingUnavailable,
    /// The embedding hook failed, so messages are ranked only by their words.
    EmbeddingFailed,
    /// The hook for summaries failed.
    SummariesFailed,
    /// Thinking was left out, because something before it has changed since, and the model would refuse it.
    ThinkingLeftOut,
    /// The request has no place for some reasoning or provider notes in the context's messages. The note says which.
    NotSent,
    /// Some messages in the prompt have a `createdAt` that isn't a time, so they count as messages without one, for
    /// example for `filter.maxAgeDays`.
    TimesUnread,
    /// The provider itself will clear or compact parts of the prompt. The note says which, according to its documented
    /// rules.
    ProviderClears,
    /// Only part of a hook's answer could be read. The note names the hook, the unreadable part, and the fallback. Each
    /// such answer has its own note.
    AnswerMisunderstood,
}

/// A reason in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReasonWords {
    /// The reason.
    pub reason: Reason,
    /// The text, with the config's figures.
    pub words: String,
}

/// A run of neighboring messages with the same fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TraceRange {
    /// Position of the run's first message in the transcript, from 0.
    pub first: usize,
    /// Position of the run's last message, inclusive.
    pub last: usize,
    /// The messages' fate.
    pub fate: Fate,
    /// The stage that decided.
    pub stage: StageName,
    /// The reason.
    pub reason: Reason,
    /// The messages' total cost in the context, in tokens; 0 if they were left out.
    pub tokens: u64,
}

impl Trace {
    /// Converts rows to messages. The rows of a message are in one run.
    pub(crate) fn by_message(&mut self, message_of: impl Fn(usize) -> usize) {
        for recalled in &mut self.recalled {
            for position in &mut recalled.positions {
                *position = message_of(*position);
            }
            recalled.positions.dedup();
        }
        let mut ranges: Vec<TraceRange> = Vec::with_capacity(self.ranges.len());
        for mut range in self.ranges.drain(..) {
            (range.first, range.last) = (message_of(range.first), message_of(range.last));
            // One row of a message may be unread while another was read.
            if let Some(before) = ranges.last_mut().filter(|before| before.last == range.first) {
                if before.fate != Fate::LeftOut {
                    range.first += 1;
                } else if before.first < before.last {
                    before.last -= 1;
                } else {
                    ranges.pop();
                }
            }
            ranges.extend((range.first <= range.last).then_some(range));
        }
        self.ranges = ranges;
    }

    /// Merges decisions and costs, one per message, into runs.
    pub(crate) fn fold(
        decisions: impl Iterator<Item = (Decision, u64)>,
        config: &ContextConfig,
    ) -> Self {
        let mut ranges: Vec<TraceRange> = Vec::new();
        let mut reasons: Vec<ReasonWords> = Vec::new();
        for (position, (decision, tokens)) in decisions.enumerate() {
            let Decision { fate, stage, reason } = decision;
            match ranges.last_mut() {
                Some(range) if (range.fate, range.stage, range.reason) == (fate, stage, reason) => {
                    range.last = position;
                    range.tokens += tokens;
                }
                _ => {
                    ranges.push(TraceRange {
                        first: position,
                        last: position,
                        fate,
                        stage,
                        reason,
                        tokens,
                    });
                    if reasons.iter().all(|known| known.reason != reason) {
                        reasons.push(ReasonWords { reason, words: reason.words(config) });
                    }
                }
            }
        }
        Self { ranges, reasons, recalled: Vec::new(), notes: Vec::new(), unread_count: 0 }
    }
}
