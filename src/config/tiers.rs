use crate::base::error::{Error, Result};
use crate::base::time::Milliseconds;
use crate::base::value::FromValue;
use serde::Serialize;

/// How much of each conversation is shown: full, a summary, nothing.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TiersConfig {
    /// Whether conversations are told apart and tiered.
    pub enabled: bool,
    /// A conversation that ended more days before the clock is not shown. Fractions are allowed; 0 is off. Default: no
    /// limit (klausbot has 7).
    pub max_age_days: Option<f64>,
    /// Where messages name no conversation: after how many minutes without a message the next one begins.
    pub conversation_gap_minutes: u64,
    /// How many minutes may lie between the ends of two conversations of one thread, and between the end of the newest
    /// and the clock.
    pub thread_gap_minutes: u64,
    /// What counts as today for the tier; labels always go by the calendar day.
    pub today_window: TodayWindow,
    /// How the conversations of the active thread are shown.
    pub thread: TierForm,
    /// How today's other conversations are shown.
    pub today: TierForm,
    /// How yesterday's conversations are shown.
    pub yesterday: TierForm,
    /// How older conversations are shown.
    pub older: TierForm,
    /// What happens where a tier does not fit.
    pub on_overflow: TierOverflow,
    /// A conversation that doesn't fit is shown by its newest messages. In the format `conversations` one of the active thread is cut within
    /// a message if there is room for more than this number of its characters, and left out otherwise.
    pub min_tail_chars: u64,
    /// What is known of conversations beside their messages.
    pub conversations: Vec<KnownConversation>,
    /// How many summaries the hook `summarize` is asked for in one build.
    pub max_summaries: u64,
    /// The most characters of a summary that the hook or the extract gives; a longer one is cut.
    pub max_summary_chars: u64,
    /// How long the hook may take, in milliseconds.
    pub timeout_ms: u64,
    /// The thread status where the active thread goes on.
    pub continuation: String,
    /// The thread status where there is no active thread.
    pub new_conversation: String,
}

/// How a conversation is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TierForm {
    /// With its messages.
    Full,
    /// By its summary: given, by the hook, or an extract that is marked as one.
    Summary,
    /// Not at all.
    None,
}

/// What counts as today.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TodayWindow {
    /// The calendar day of the clock in `timeZone`.
    CalendarDay,
    /// The 24 hours before the clock.
    #[serde(rename = "rolling24Hours")]
    Rolling24Hours,
}

/// What happens where a tier does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TierOverflow {
    /// The tier ends; the next may still have room.
    NextTier,
    /// Nothing more is shown.
    Stop,
}

/// What is known of a conversation beside its messages.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownConversation {
    /// Its id: the `conversationId` of its messages.
    pub id: String,
    /// The session that it belongs to. Default: every one.
    #[serde(default)]
    pub session_id: Option<String>,
    /// When it began. Default: with its first message.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<crate::reference::Moment>"))]
    pub started_at: Option<Milliseconds>,
    /// When it ended. Default: with its last message.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<crate::reference::Moment>"))]
    pub ended_at: Option<Milliseconds>,
    /// Its summary. Default: what the message with `summaryOf` says.
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
