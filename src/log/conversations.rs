//! Finds the conversations within a transcript, chains them into threads, and gives them tiers and labels.

use crate::base::guard::collapse;
use crate::base::map::{self, HashedMap};
use crate::base::message::{Field, Role};
use crate::base::text::{self, JoinedText};
use crate::base::time::{self, MILLISECONDS_PER_DAY, MILLISECONDS_PER_MINUTE, Milliseconds, Zone};
use crate::config::{ContextConfig, KnownConversation, TierForm, TiersConfig, TodayWindow};
use crate::log::messages::Messages;
use crate::log::tool_calls::shown_fields;
use serde::Serialize;

/// The tier of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Tier {
    /// Part of the active thread.
    Thread,
    /// Ended today.
    Today,
    /// Ended yesterday.
    Yesterday,
    /// Ended earlier.
    Older,
}

/// One sitting: messages without a long pause between them, or with the same conversation id.
#[derive(Clone, Debug)]
pub(crate) struct Conversation {
    /// The id in its messages, or `#` and a number.
    pub(crate) id: String,
    /// Its messages, oldest first. Empty if only the config or a summary knows about it.
    pub(crate) rows: Vec<usize>,
    pub(crate) started_at: Option<Milliseconds>,
    pub(crate) ended_at: Option<Milliseconds>,
    /// The summary from the config or from a message with `summaryOf`.
    pub(crate) summary: Option<String>,
    pub(crate) tier: Tier,
    pub(crate) label: String,
    /// How its tier is shown.
    pub(crate) wanted: TierForm,
}

/// All conversations of a transcript.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conversations {
    /// In the order of display: the thread oldest first, then the others newest first.
    pub(crate) list: Vec<Conversation>,
    /// True if there is an active thread.
    pub(crate) is_continuation: bool,
    /// The rows that are summaries: messages of no conversation.
    pub(crate) summaries: Vec<usize>,
    /// The rows of conversations that ended too long ago.
    pub(crate) too_old: Vec<usize>,
}

/// Session, clock and time zone of a build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sitting<'a> {
    /// The session that the context is for, if any.
    pub(crate) session_id: Option<&'a str>,
    pub(crate) now: Milliseconds,
    /// The time zone of the user.
    pub(crate) zone: &'a Zone,
}

/// Finds the conversations of some rows (oldest first, groups together) and the form of each. A group is in the
/// conversation of its first row; `group_of` has the group of each row.
pub(crate) fn find(
    transcript: &Messages,
    rows: &[usize],
    group_of: &dyn Fn(usize) -> usize,
    config: &TiersConfig,
    sitting: Sitting<'_>,
) -> Conversations {
    let Sitting { session_id, now, zone } = sitting;
    let mut finder = Finder {
        transcript,
        session: session_id,
        list: Vec::new(),
        named: HashedMap::default(),
        derived: HashedMap::default(),
    };
    let mut summaries = Vec::new();
    let mut newest = None;
    let mut last_group = None;
    for &row in rows {
        if is_summary(transcript, row) {
            summaries.push(row);
            continue;
        }
        let group = Some(group_of(row));
        let home = newest.filter(|_| last_group == group);
        newest = Some(finder.add(row, home, milliseconds(config.conversation_gap_minutes)));
        last_group = group;
    }
    for row in &summaries {
        finder.summarize(*row);
    }
    for known in &config.conversations {
        finder.complete(known);
    }
    finder.name_the_nameless(config);

    let mut found = Conversations { summaries, ..Conversations::default() };
    let mut dated = Vec::with_capacity(finder.list.len());
    let mut order = Vec::with_capacity(finder.list.len());
    for (position, conversation) in finder.list.into_iter().enumerate() {
        if is_too_old(&conversation, config.max_age_days, now) {
            found.too_old.extend(conversation.rows);
            continue;
        }
        // A conversation can't end before it begins. If the newest one has no known time, it has just ended.
        let known = conversation.ended_at.or(conversation.started_at);
        order.push(dated.len());
        dated.push(Some((known.or((newest == Some(position)).then_some(now)), conversation)));
    }
    // Conversations without a time come first. Ties keep the order of their first messages.
    let place = |moment: Option<Milliseconds>| moment.map_or(i64::MIN, |moment| moment.0);
    map::sort_by_key(&mut order, &|position| {
        let it = dated[position].as_ref();
        it.map_or((0, 0), |(end, conversation)| (place(*end), place(conversation.started_at)))
    });
    let dated: Vec<_> = order.into_iter().filter_map(|position| dated[position].take()).collect();

    let thread_gap = milliseconds(config.thread_gap_minutes);
    let today = zone.day(now);
    let mut next_end = Some(now);
    let mut thread = Vec::new();
    for (end, mut conversation) in dated.into_iter().rev() {
        // The first longer gap ends the thread.
        next_end = end.filter(|end| {
            next_end.is_some_and(|next_end| next_end.0.saturating_sub(end.0) <= thread_gap)
        });
        let day = end.map(|end| zone.day(end));
        let age = end.map_or(i64::MAX, |end| now.0.saturating_sub(end.0));
        let is_today = match config.today_window {
            TodayWindow::CalendarDay => day >= Some(today),
            TodayWindow::Rolling24Hours => age < MILLISECONDS_PER_DAY,
        };
        (conversation.tier, conversation.wanted) = if next_end.is_some() {
            (Tier::Thread, config.thread)
        } else if is_today {
            (Tier::Today, config.today)
        } else if day >= Some(today - 1) {
            (Tier::Yesterday, config.yesterday)
        } else {
            (Tier::Older, config.older)
        };
        conversation.label = day.map_or_else(|| "unknown".to_owned(), |day| label(day, today));
        match conversation.tier {
            Tier::Thread => thread.push(conversation),
            _ => found.list.push(conversation),
        }
    }
    found.is_continuation = !thread.is_empty();
    thread.reverse();
    thread.append(&mut found.list);
    found.list = thread;
    found
}

fn milliseconds(minutes: u64) -> i64 {
    i64::try_from(minutes)
        .map_or(i64::MAX, |minutes| minutes.saturating_mul(MILLISECONDS_PER_MINUTE))
}

/// True if a message is the summary of a conversation.
fn is_summary(transcript: &Messages, row: usize) -> bool {
    transcript.value(row, Field::SummaryOf).is_some_and(|id| !id.is_empty())
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a Date are exact in a double")]
fn is_too_old(conversation: &Conversation, max_age_days: Option<f64>, now: Milliseconds) -> bool {
    let (Some(days), Some(end)) = (max_age_days, conversation.ended_at) else {
        return false;
    };
    now.0.saturating_sub(end.0) as f64 > days * MILLISECONDS_PER_DAY as f64
}

/// The label of a day, seen from today.
fn label(day: i64, today: i64) -> String {
    match today - day {
        ..=0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        2..=7 => time::weekday_name(day).to_owned(),
        _ => time::format_date(day),
    }
}

/// Puts rows into conversations, in order.
struct Finder<'a> {
    transcript: &'a Messages,
    /// The session of the build. Messages that name no session count as part of it.
    session: Option<&'a str>,
    list: Vec<Conversation>,
    /// Named conversations by id: for each, its session and position.
    named: HashedMap<&'a str, Vec<(Option<&'a str>, usize)>>,
    /// For each session, the position of its current unnamed conversation, and its latest time.
    derived: HashedMap<Option<&'a str>, (Option<usize>, Option<Milliseconds>)>,
}

impl<'a> Finder<'a> {
    /// Adds a message to its conversation and returns that conversation's position. `home` is the position if another
    /// message of its group is already there.
    fn add(&mut self, row: usize, home: Option<usize>, gap: i64) -> usize {
        let time = self.transcript.time(row);
        let session = self.session_of(row);
        let (before, latest) = self.derived.get(&session).copied().unwrap_or_default();
        let id = self.transcript.value(row, Field::ConversationId).filter(|id| !id.is_empty());
        // Without a time, the length of the pause is unknown.
        let pause = time.zip(latest).map_or(0, |(time, latest)| time.0.saturating_sub(latest.0));
        let (position, derived) = if let Some(home) = home {
            (home, before)
        } else if let Some(id) = id {
            (self.named(id, session), None)
        } else {
            let position = before.filter(|_| pause <= gap).unwrap_or_else(|| self.begin(""));
            (position, Some(position))
        };
        self.derived.insert(session, (derived, time.max(latest)));
        let conversation = &mut self.list[position];
        conversation.rows.push(row);
        let started = [conversation.started_at, time];
        conversation.started_at = started.into_iter().flatten().min();
        conversation.ended_at = conversation.ended_at.max(time);
        position
    }

    /// Uses a message as the summary of its conversation; the newest one wins.
    fn summarize(&mut self, row: usize) {
        let text = self.transcript.text(row);
        let id = self.transcript.value(row, Field::SummaryOf).unwrap_or_default();
        if text.trim().is_empty() {
            return;
        }
        let position = self.named(id, self.session_of(row));
        let conversation = &mut self.list[position];
        conversation.summary = Some(text);
        if conversation.rows.is_empty() {
            // It has no messages left that could tell its time.
            conversation.ended_at = conversation.ended_at.max(self.transcript.time(row));
        }
    }

    /// Adds the config's facts about a conversation, which override those of its messages.
    fn complete(&mut self, known: &'a KnownConversation) {
        let own = known.session_id.as_deref();
        if own.is_some() && self.session.is_some() && own != self.session {
            return;
        }
        let id = known.id.as_str();
        let fits = |(session, _): &&(Option<&str>, usize)| own.is_none() || own == *session;
        let mut positions: Vec<usize> = Vec::new();
        if let Some(named) = self.named.get(id) {
            positions.extend(named.iter().filter(fits).map(|(_, position)| *position));
        }
        let summary = known.summary.as_ref().filter(|summary| !summary.trim().is_empty());
        let says_something =
            known.started_at.is_some() || known.ended_at.is_some() || summary.is_some();
        if positions.is_empty() && says_something {
            positions.push(self.named(id, own.or(self.session)));
        }
        for position in positions {
            let conversation = &mut self.list[position];
            conversation.started_at = known.started_at.or(conversation.started_at);
            conversation.ended_at = known.ended_at.or(conversation.ended_at);
            if summary.is_some() {
                conversation.summary = summary.cloned();
            }
        }
    }

    /// Numbers the unnamed conversations, skipping names that are taken.
    fn name_the_nameless(&mut self, config: &'a TiersConfig) {
        for known in &config.conversations {
            self.named.entry(known.id.as_str()).or_default();
        }
        let mut number = 0;
        for conversation in self.list.iter_mut().filter(|found| found.id.is_empty()) {
            loop {
                number += 1;
                conversation.id = format!("#{number}");
                if !self.named.contains_key(conversation.id.as_str()) {
                    break;
                }
            }
        }
    }

    fn session_of(&self, row: usize) -> Option<&'a str> {
        self.transcript.value(row, Field::SessionId).or(self.session)
    }

    /// The position of the conversation with an id in a session. Begins it if necessary.
    fn named(&mut self, id: &'a str, session: Option<&'a str>) -> usize {
        let known = self.named.get(id);
        let known = known.and_then(|known| known.iter().find(|(found, _)| *found == session));
        if let Some((_, position)) = known {
            return *position;
        }
        let position = self.begin(id);
        self.named.entry(id).or_default().push((session, position));
        position
    }

    fn begin(&mut self, id: &str) -> usize {
        self.list.push(Conversation {
            id: id.to_owned(),
            rows: Vec::new(),
            started_at: None,
            ended_at: None,
            summary: None,
            tier: Tier::Older,
            label: String::new(),
            wanted: TierForm::None,
        });
        self.list.len() - 1
    }
}

/// An extract of a conversation's beginning and end, used without a summary.
pub(crate) fn extract(
    config: &ContextConfig,
    transcript: &Messages,
    rows: &[usize],
    max_chars: usize,
) -> String {
    let said = |role: Option<Role>| {
        move |row: &usize| {
            let is_of_role = role.is_none_or(|role| transcript.role(*row) == role);
            let text = if is_of_role { said_in(config, transcript, *row) } else { String::new() };
            (!text.is_empty()).then_some((*row, text))
        }
    };
    let first = rows.iter().find_map(said(Some(Role::User)));
    let Some((row, first)) = first.or_else(|| rows.iter().find_map(said(None))) else {
        return String::new();
    };
    let after = rows.iter().rev().take_while(|later| **later != row);
    let last = after.clone().find_map(said(Some(Role::Assistant)));
    let text = match last.or_else(|| after.clone().find_map(said(None))) {
        None => format!("{BEGAN}{first}"),
        Some((_, last)) => {
            // Each gets half of the room, plus what the other leaves of its half.
            let room = max_chars.saturating_sub(BEGAN.len() + ENDED.len());
            let first = cut(&first, (room / 2).max(room.saturating_sub(last.chars().count())));
            let last = cut(&last, room - first.chars().count());
            format!("{BEGAN}{first}{ENDED}{last}")
        }
    };
    cut(&text, max_chars)
}

const BEGAN: &str = "Began: ";
const ENDED: &str = " Ended: ";

/// Messages as text, one line each: `user: text`.
pub(crate) fn text_of(config: &ContextConfig, transcript: &Messages, rows: &[usize]) -> String {
    let line = |row: &usize| {
        collapse(&format!(
            "{}: {}",
            transcript.role(*row).as_str(),
            said_in(config, transcript, *row)
        ))
    };
    let mut lines = JoinedText::by("\n");
    for row in rows {
        lines.push(&line(row));
    }
    lines.text()
}

/// The text of a message on one line. Other parts are only named.
fn said_in(config: &ContextConfig, transcript: &Messages, row: usize) -> String {
    let mut out = String::new();
    for (field, value) in shown_fields(config, transcript, row) {
        let (before, after) = match field {
            Field::Text => ("", " "),
            Field::CallName => ("[Calling ", "] "),
            Field::Image => ("[image] ", ""),
            Field::Audio => ("[audio] ", ""),
            Field::File => ("[file] ", ""),
            _ => continue,
        };
        out.push_str(before);
        if !after.is_empty() {
            out.push_str(value);
            out.push_str(after);
        }
    }
    collapse(&out)
}

/// A text of at most `max_chars` code points. A longer one is cut between whole characters and ends in `…`.
pub(crate) fn cut(text: &str, max_chars: usize) -> String {
    if text.chars().nth(max_chars).is_none() {
        return text.to_owned();
    }
    let Some(room) = max_chars.checked_sub(1) else {
        return String::new();
    };
    format!("{}…", text::head(text, room).trim_end())
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use crate::log::messages::Columns;
    use proptest::prelude::*;
    use windrow_property::properties;

    const MINUTE: i64 = MILLISECONDS_PER_MINUTE;
    /// Friday 2026-02-06 15:00.
    const NOW: i64 = 1_770_390_000_000;

    #[derive(Clone, Debug, Default)]
    struct Message<'a> {
        role: u8,
        /// Minutes before `NOW`.
        ago: Option<i64>,
        fields: Vec<(Field, &'a str)>,
    }

    fn message<'a>(ago: i64, fields: &[(Field, &'a str)]) -> Message<'a> {
        Message { role: 2, ago: Some(ago), fields: fields.to_vec() }
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn transcript(messages: &[Message<'_>]) -> Messages {
        let segments = || messages.iter().flat_map(|message| &message.fields);
        let code =
            |field| Field::ALL.iter().position(|found| *found == field).expect("in the list");
        let small = |number: usize| u32::try_from(number).expect("small");
        let mut transcript = Messages::default();
        transcript
            .append(&Columns {
                text: segments().map(|(_, text)| *text).collect::<String>().as_bytes(),
                roles: &messages.iter().map(|message| message.role).collect::<Vec<_>>(),
                pinned: &vec![0; messages.len()],
                times: &messages
                    .iter()
                    .map(|message| message.ago.map_or(f64::NAN, |ago| (NOW - ago * MINUTE) as f64))
                    .collect::<Vec<_>>(),
                segment_counts: &messages
                    .iter()
                    .map(|message| small(message.fields.len()))
                    .collect::<Vec<_>>(),
                segment_fields: &segments()
                    .map(|(field, _)| u8::try_from(code(*field)).expect("few"))
                    .collect::<Vec<_>>(),
                segment_lengths: &segments().map(|(_, text)| small(text.len())).collect::<Vec<_>>(),
            })
            .expect("whole columns");
        transcript
    }

    fn find_in(
        messages: &[Message<'_>],
        config: &TiersConfig,
        session: Option<&str>,
    ) -> Conversations {
        let rows: Vec<usize> = (0..messages.len()).collect();
        let zone = Zone::default();
        let sitting = Sitting { session_id: session, now: Milliseconds(NOW), zone: &zone };
        find(&transcript(messages), &rows, &|row| row, config, sitting)
    }

    fn with(change: impl FnOnce(&mut TiersConfig)) -> TiersConfig {
        let mut config = TiersConfig::default();
        change(&mut config);
        config
    }

    fn known(id: &str, started: Option<i64>, ended: Option<i64>) -> KnownConversation {
        let at = |ago: i64| Milliseconds(NOW - ago * MINUTE);
        KnownConversation {
            id: id.to_owned(),
            session_id: None,
            started_at: started.map(at),
            ended_at: ended.map(at),
            summary: None,
        }
    }

    /// Conversations with their rows.
    fn rows_of(found: &Conversations) -> Vec<(&str, &[usize])> {
        found.list.iter().map(|found| (found.id.as_str(), found.rows.as_slice())).collect()
    }

    /// Conversations with their tiers and labels.
    fn tiers_of(found: &Conversations) -> Vec<(&str, Tier, &str)> {
        let list = found.list.iter();
        list.map(|found| (found.id.as_str(), found.tier, found.label.as_str())).collect()
    }

    #[test]
    fn a_long_pause_begins_a_conversation() {
        let none = &[][..];
        let messages = [
            message(200, none),
            message(170, none), // half an hour isn't a pause
            message(139, none),
            Message { ago: None, ..message(0, none) }, // continues the conversation
            message(10, none),
        ];
        let found = find_in(&messages, &TiersConfig::default(), None);
        assert_eq!(rows_of(&found), [("#3", &[4][..]), ("#2", &[2, 3]), ("#1", &[0, 1])]);
        let second = &found.list[1];
        let at = |ago: i64| Some(Milliseconds(NOW - ago * MINUTE));
        assert_eq!((second.started_at, second.ended_at), (at(139), at(139)));
        let config = with(|config| config.conversation_gap_minutes = u64::MAX);
        assert_eq!(rows_of(&find_in(&messages, &config, None)), [("#1", &[0, 1, 2, 3, 4][..])]);
        assert!(find_in(&[], &config, None).list.is_empty());
    }

    #[test]
    fn named_conversations_are_separated_by_session() {
        let in_session = |ago, session, id| {
            message(ago, &[(Field::SessionId, session), (Field::ConversationId, id)])
        };
        let messages = [
            in_session(9, "a", "c"),
            in_session(8, "b", "c"),
            in_session(7, "a", "c"),
            message(6, &[(Field::SessionId, "a")]),
            message(5, &[(Field::SessionId, "b")]),
            message(4, &[(Field::SessionId, "a")]), // another session's message doesn't interrupt
            in_session(3, "a", "#1"),
            message(2, &[(Field::SessionId, "a")]), // a named conversation does
            message(1, &[(Field::ConversationId, "")]),
        ];
        let found = find_in(&messages, &TiersConfig::default(), None);
        let mut rows = rows_of(&found);
        rows.sort_by_key(|(_, rows)| rows[0]);
        assert_eq!(
            rows,
            [
                ("c", &[0, 2][..]),
                ("c", &[1]),
                ("#2", &[3, 5]),
                ("#3", &[4]),
                ("#1", &[6]),
                ("#4", &[7]),
                ("#5", &[8]),
            ]
        );
        // A message without a session belongs to the session of the build.
        let messages = [in_session(9, "a", "c"), message(8, &[(Field::ConversationId, "c")])];
        let of = |session| find_in(&messages, &TiersConfig::default(), session).list.len();
        assert_eq!((of(Some("a")), of(None)), (1, 2));
    }

    #[test]
    fn a_thread_is_a_chain_of_ends() {
        let ended = |minutes: &[i64]| {
            let ids = ["a", "b", "c", "d", "e"];
            let list = minutes.iter().zip(ids).map(|(ago, id)| known(id, None, Some(*ago)));
            let config = with(|config| config.conversations = list.collect());
            let found = find_in(&[], &config, None);
            let is_of_thread = |found: &&Conversation| found.tier == Tier::Thread;
            let thread: String =
                found.list.iter().take_while(is_of_thread).map(|found| &*found.id).collect();
            assert_eq!(found.is_continuation, !thread.is_empty());
            assert_eq!(found.list.iter().filter(is_of_thread).count(), thread.len());
            thread
        };
        assert_eq!(ended(&[30]), "a");
        assert_eq!(ended(&[31]), "");
        assert_eq!(ended(&[-90]), "a");
        assert_eq!(ended(&[60, 35, 10, 90, 180]), "dabc");
        // Later chains don't join an ended one.
        assert_eq!(ended(&[5, 20, 90, 100, 110]), "ba");
        assert_eq!(ended(&[40, 50]), "");
        assert_eq!(ended(&[-60, -30, 0]), "cba");
    }

    #[test]
    fn tiers_and_labels_depend_on_the_day() {
        let day = 24 * 60;
        let ends = [
            ("thread", 5),
            ("morning", 300),
            ("midnight", 15 * 60),
            ("late", 15 * 60 + 1),
            ("yesterday", day + 3 * 60),
            ("wednesday", 2 * day),
            ("friday", 7 * day),
            ("before", 8 * day),
        ];
        let list = || ends.iter().map(|(id, ago)| known(id, None, Some(*ago))).collect();
        let config = with(|config| config.conversations = list());
        let expected = [
            ("thread", Tier::Thread, "today"),
            ("morning", Tier::Today, "today"),
            ("midnight", Tier::Today, "today"),
            ("late", Tier::Yesterday, "yesterday"),
            ("yesterday", Tier::Yesterday, "yesterday"),
            ("wednesday", Tier::Older, "Wednesday"),
            ("friday", Tier::Older, "Friday"),
            ("before", Tier::Older, "2026-01-29"),
        ];
        let found = find_in(&[], &config, None);
        assert_eq!(tiers_of(&found), expected);
        let wanted: Vec<_> = found.list.iter().map(|found| found.wanted).collect();
        assert_eq!(wanted[..3], [TierForm::Full; 3]);
        assert_eq!(wanted[3..], [TierForm::Summary; 5]);

        let rolling = with(|config| {
            config.conversations = list();
            config.today_window = TodayWindow::Rolling24Hours;
            config.today = TierForm::None;
        });
        let found = find_in(&[], &rolling, None);
        assert_eq!(tiers_of(&found)[3], ("late", Tier::Today, "yesterday"));
        assert_eq!(tiers_of(&found)[4], expected[4]);
        assert_eq!(found.list[3].wanted, TierForm::None);
    }

    #[test]
    fn a_day_of_23_hours_is_a_day() {
        // Case 002-39: Monday 2026-03-09, noon, in Los Angeles.
        let at = |text| time::parse(text).expect("a moment");
        let zone = Zone::new(vec![[0, -480], [at("2026-03-08T10:00Z").0, -420]]);
        let ended =
            |id, text| KnownConversation { ended_at: Some(at(text)), ..known(id, None, None) };
        let config = with(|config| {
            config.conversations =
                vec![ended("a", "2026-03-08T09:00Z"), ended("b", "2026-03-07T20:00Z")];
        });
        let now = at("2026-03-09T19:00Z");
        let sitting = Sitting { session_id: None, now, zone: &zone };
        let found = find(&Messages::default(), &[], &|row| row, &config, sitting);
        let expected = [("a", Tier::Yesterday, "yesterday"), ("b", Tier::Older, "Saturday")];
        assert_eq!(tiers_of(&found), expected);
    }

    #[test]
    fn conversations_that_ended_too_long_ago_are_reported() {
        let week = 7 * 24 * 60;
        let of = |ago, id| message(ago, &[(Field::ConversationId, id)]);
        let messages =
            [of(week + 2, "out"), of(week + 1, "in"), of(week + 1, "out"), of(week, "in")];
        let config = with(|config| config.max_age_days = Some(7.0));
        let found = find_in(&messages, &config, None);
        assert_eq!(rows_of(&found), [("in", &[1, 3][..])]);
        assert_eq!(found.list[0].label, "Friday");
        assert_eq!(found.too_old, [0, 2]);
        let config = with(|config| config.max_age_days = Some(6.999));
        assert_eq!(find_in(&messages, &config, None).too_old.len(), 4);
        assert!(find_in(&messages, &TiersConfig::default(), None).too_old.is_empty());
    }

    #[test]
    fn the_strongest_summary_wins() {
        let summary = |ago, id, text| message(ago, &[(Field::SummaryOf, id), (Field::Text, text)]);
        let messages = [
            message(500, &[(Field::ConversationId, "a")]),
            summary(400, "a", "first"),
            message(400, &[(Field::ConversationId, "b")]),
            summary(390, "a", "second"),
            summary(380, "a", " \n"),
            summary(370, "b", "weaker"),
            summary(20, "gone", "all that is left"),
        ];
        let config = with(|config| {
            config.conversations = vec![
                KnownConversation {
                    summary: Some("stronger".to_owned()),
                    ..known("b", None, None)
                },
                KnownConversation { summary: Some(" ".to_owned()), ..known("a", Some(600), None) },
                KnownConversation { summary: Some(" ".to_owned()), ..known("blank", None, None) },
            ];
        });
        let found = find_in(&messages, &config, None);
        assert_eq!(found.summaries, [1, 3, 4, 5, 6]);
        let summaries: Vec<_> =
            found.list.iter().map(|found| (&*found.id, found.summary.as_deref())).collect();
        let expected =
            [("gone", Some("all that is left")), ("b", Some("stronger")), ("a", Some("second"))];
        assert_eq!(summaries, expected);
        assert_eq!(found.list[0].tier, Tier::Thread);
        assert_eq!(found.list[2].started_at, Some(Milliseconds(NOW - 600 * MINUTE)));
        assert_eq!(found.list[2].ended_at, Some(Milliseconds(NOW - 500 * MINUTE)));
    }

    #[test]
    fn the_config_applies_to_its_own_sessions() {
        let of = |session| KnownConversation {
            session_id: Some(String::from(session)),
            summary: Some(format!("of {session}")),
            ..known("c", None, Some(100))
        };
        let every = KnownConversation { ended_at: None, ..known("c", Some(200), None) };
        let config = with(|config| config.conversations = vec![of("a"), of("b"), every]);
        let count = |session| find_in(&[], &config, session).list.len();
        assert_eq!((count(None), count(Some("a")), count(Some("x"))), (2, 1, 1));
        let found = find_in(&[], &config, Some("b"));
        assert_eq!(found.list[0].summary.as_deref(), Some("of b"));
        assert_eq!(found.list[0].started_at, Some(Milliseconds(NOW - 200 * MINUTE)));
    }

    #[test]
    fn the_newest_message_without_a_time_counts_as_just_sent() {
        let of = |id| Message { ago: None, ..message(0, &[(Field::ConversationId, id)]) };
        let found = find_in(&[of("a"), of("b"), of("c")], &TiersConfig::default(), None);
        let expected = [
            ("c", Tier::Thread, "today"),
            ("b", Tier::Older, "unknown"),
            ("a", Tier::Older, "unknown"),
        ];
        assert_eq!(tiers_of(&found), expected);
        assert_eq!(found.list[0].ended_at, None);
        // If the beginning is known, the conversation can't have ended earlier.
        let config = with(|config| config.conversations = vec![known("a", Some(3), None)]);
        let found = find_in(&[of("a"), of("b")], &config, None);
        assert_eq!(rows_of(&found), [("a", &[0][..]), ("b", &[1])]);
    }

    #[test]
    fn ties_have_a_stable_order() {
        let list = vec![
            known("late", Some(200), Some(100)),
            known("early", Some(300), Some(100)),
            known("second", Some(200), Some(100)),
        ];
        let config = with(|config| config.conversations = list);
        let found = find_in(&[], &config, None);
        let ids: Vec<_> = found.list.iter().map(|found| &*found.id).collect();
        assert_eq!(ids, ["second", "late", "early"]);
    }

    #[test]
    fn extracts_the_beginning_and_the_end() {
        let said = |role, text| Message { role, ..message(0, &[(Field::Text, text)]) };
        let of = |messages: &[Message<'_>], max_chars| {
            let rows: Vec<usize> = (0..messages.len()).collect();
            extract(&ContextConfig::default(), &transcript(messages), &rows, max_chars)
        };
        let talk = [
            said(3, "Hello!"),
            said(2, " How do I\n\nbake  bread? "),
            said(3, "Like this."),
            said(3, "With flour and water."),
            said(2, "Thanks"),
        ];
        assert_eq!(of(&talk, 600), "Began: How do I bake bread? Ended: With flour and water.");
        assert_eq!(of(&talk, 35), "Began: How do I… Ended: With flour…");
        assert_eq!(of(&talk, 0), "");
        assert_eq!(of(&talk[..2], 600), "Began: How do I bake bread?");
        assert_eq!(of(&talk[..1], 600), "Began: Hello!");
        assert_eq!(of(&talk[4..], 600), "Began: Thanks");
        assert_eq!(of(&[said(2, "a"), said(2, " "), said(2, "b")], 600), "Began: a Ended: b");
        assert_eq!(of(&[said(2, " ")], 600), "");
        assert_eq!(of(&[], 600), "");
        let call = message(0, &[(Field::CallName, "bake"), (Field::CallArguments, "{}")]);
        let image = message(0, &[(Field::Image, "low x"), (Field::Text, "and")]);
        let (talk, rows) = (transcript(&[talk[1].clone(), call, image, said(4, "")]), [0, 1, 2, 3]);
        let lines = "user: How do I bake bread?\nuser: [Calling bake]\nuser: [image] and\ntool:";
        assert_eq!(text_of(&ContextConfig::default(), &talk, &rows), lines);
    }

    #[test]
    fn cuts_between_whole_characters() {
        for (text, max_chars, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("ab cd", 4, "ab…"),
            ("abcd", 1, "…"),
            ("abcd", 0, ""),
            ("", 0, ""),
            ("ae\u{301}x", 3, "a…"),
            ("👩‍👩‍👧 and", 3, "…"),
            ("👩‍👩‍👧 and", 6, "👩‍👩‍👧…"),
        ] {
            assert_eq!(cut(text, max_chars), expected, "{text} to {max_chars}");
        }
    }

    fn messages() -> impl Strategy<Value = Vec<(i64, u8, u8, u8)>> {
        prop::collection::vec((-100_i64..20_000, 0_u8..4, 0_u8..4, 0_u8..3), 0..30)
    }

    properties! {
        #[test]
        fn every_row_is_in_one_place(mut times in messages(), days in prop::option::of(0_u8..9)) {
            times.sort_by_key(|(ago, ..)| -ago);
            let names = ["", "a", "b", "#1"];
            let messages: Vec<_> = times.iter().map(|(ago, id, summary, session)| {
                let mut one = message(*ago, &[(Field::ConversationId, names[*id as usize])]);
                if *summary == 0 {
                    one.fields.extend([(Field::SummaryOf, "a"), (Field::Text, "so it was")]);
                }
                if *session > 0 {
                    one.fields.push((Field::SessionId, names[*session as usize]));
                }
                one
            }).collect();
            let config = with(|config| config.max_age_days = days.map(f64::from));
            let found = find_in(&messages, &config, None);
            let mut rows: Vec<_> = found.list.iter().flat_map(|found| &found.rows).collect();
            rows.extend(found.summaries.iter().chain(&found.too_old));
            rows.sort_unstable();
            prop_assert!(rows.into_iter().copied().eq(0..messages.len()));

            let tiers: Vec<_> = found.list.iter().map(|found| found.tier).collect();
            prop_assert!(tiers.is_sorted());
            let others = tiers.iter().filter(|tier| **tier == Tier::Thread).count();
            let ends: Vec<_> = found.list.iter().map(|found| found.ended_at).collect();
            prop_assert!(ends[..others].is_sorted());
            prop_assert!(ends[others..].is_sorted_by(|newer, older| newer >= older));
            prop_assert_eq!(found.is_continuation, others > 0);
            for one in &found.list {
                prop_assert!(one.started_at <= one.ended_at && !one.label.is_empty());
            }
        }

        #[test]
        fn a_cut_fits(text in "(a|é|e\u{301}| |🇩🇪|👩‍👩‍👧|\n){0,20}", max_chars in 0_usize..30) {
            let shortened = cut(&text, max_chars);
            prop_assert!(shortened.chars().count() <= max_chars);
            let start = shortened.strip_suffix('…').unwrap_or(&shortened);
            prop_assert!(text.starts_with(start));
            let talk = [message(2, &[(Field::Text, &text)]), message(1, &[(Field::Text, &text)])];
            let extract = extract(&ContextConfig::default(), &transcript(&talk), &[0, 1], max_chars);
            prop_assert!(extract.chars().count() <= max_chars && !extract.contains('\n'));
        }
    }
}
