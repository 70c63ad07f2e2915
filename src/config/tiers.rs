use crate::base::error::{Error, Result};
use crate::base::time::Milliseconds;
use crate::base::value::FromValue;
use serde::Serialize;

/// How much of each conversation is shown: all, a summary, or nothing.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TiersConfig {
    /// Splits the history into conversations and shows them by tier.
    pub enabled: bool,
    /// Conversations that ended more than this many days ago aren't shown. Fractions are allowed; 0 is off. Default: no
    /// limit (klausbot uses 7).
    pub max_age_days: Option<f64>,
    /// For messages that name no conversation: after this many minutes without a message, a new one begins.
    pub conversation_gap_minutes: u64,
    /// Maximum number of minutes between the ends of two conversations of one thread, and between the end of the newest
    /// one and now.
    pub thread_gap_minutes: u64,
    /// The meaning of today for the tiers. Labels always use the calendar day.
    pub today_window: TodayWindow,
    /// How the conversations of the active thread are shown.
    pub thread: TierForm,
    /// How today's other conversations are shown.
    pub today: TierForm,
    /// How yesterday's conversations are shown.
    pub yesterday: TierForm,
    /// How older conversations are shown.
    pub older: TierForm,
    /// Continues or stops if a tier doesn't fit.
    pub on_overflow: TierOverflow,
    /// If a conversation doesn't fit, its newest messages are shown. In the format `conversations`, a message of the
    /// active thread is cut if there is room for more than this many of its characters, and left out otherwise.
    pub min_tail_chars: u64,
    /// Facts about conversations that aren't in their messages.
    pub conversations: Vec<KnownConversation>,
    /// Maximum number of summaries that one build requests from the hook `summarize`.
    pub max_summaries: u64,
    /// Maximum number of characters of the hook's summary or of an extract. A longer one is cut.
    pub max_summary_chars: u64,
    /// Time limit for the hook, in milliseconds.
    pub timeout_ms: u64,
    /// The thread status while the active thread continues.
    pub continuation: String,
    /// The thread status without an active thread.
    pub new_conversation: String,
}

/// How a conversation is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TierForm {
    /// All of its messages.
    Full,
    /// A summary: the caller's, the hook's, or an extract that is marked as one.
    Summary,
    /// Not at all.
    None,
}

/// The meaning of today.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TodayWindow {
    /// The current calendar day in `timeZone`.
    CalendarDay,
    /// The last 24 hours.
    #[serde(rename = "rolling24Hours")]
    Rolling24Hours,
}

/// Continues or stops if a tier doesn't fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TierOverflow {
    /// Skips the rest of the tier. The next tier may still fit.
    NextTier,
    /// Shows nothing more.
    Stop,
}

/// Facts about a conversation that aren't in its messages.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownConversation {
    /// The conversation's id: the `conversationId` of its messages.
    pub id: String,
    /// The session that it belongs to. Default: any session.
    #[serde(default)]
    pub session_id: Option<String>,
    /// When it began. Default: the time of its first message.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<crate::reference::Moment>"))]
    pub started_at: Option<Milliseconds>,
    /// When it ended. Default: the time of its last message.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<crate::reference::Moment>"))]
    pub ended_at: Option<Milliseconds>,
    /// A summary of it. Default: the text of the message with `summaryOf`.
    #[serde(default)]
    pub summary: Option<String>,
}

impl Default for TiersConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            max_age_days: None,
            conversation_gap_minutes: 30,
            thread_gap_minutes: 30,
            today_window: TodayWindow::CalendarDay,
            thread: TierForm::Full,
            today: TierForm::Full,
            yesterday: TierForm::Summary,
            older: TierForm::Summary,
            on_overflow: TierOverflow::NextTier,
            min_tail_chars: 200,
            conversations: Vec::new(),
            max_summaries: 8,
            max_summary_chars: 600,
            timeout_ms: 30_000,
            continuation: "CONTINUATION: the conversation is going on. Answer from where it stands, without a greeting."
                .to_owned(),
            new_conversation: "NEW CONVERSATION: some time has passed since the last one.".to_owned(),
        }
    }
}

impl TiersConfig {
    pub(super) fn check(&self) -> Result<()> {
        match self.max_age_days {
            Some(days) if days < 0.0 => Err(Error::option(
                "tiers.maxAgeDays",
                "expected 0 or more days",
                "Pass the days as a positive number, or leave the option out.",
            )),
            _ => Ok(()),
        }
    }
}
