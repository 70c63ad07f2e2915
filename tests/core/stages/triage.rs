//! `triage.decided`: decisions of earlier builds stay, and aren't asked for again.

use crate::support::{Message, build_with, config, fates, kept, read_config, transcript};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use windrow::base::error::ErrorCode;
use windrow::base::message::{Field, Role};
use windrow::config::{ContextConfig, TriageDecisions};
use windrow::state::ask::{Answer, HookName, Need, Outcome};
use windrow::state::context::{Context, Piece};
use windrow::state::trace::{Fate, Reason};
use windrow_property::properties;

const WORDS: [&str; 8] =
    ["harbour", "violin", "garden", "invoice", "kitchen", "train", "plumber", "window"];

fn text(most_words: usize) -> impl Strategy<Value = String> {
    vec(select(WORDS.to_vec()), 1..most_words).prop_map(|words| words.join(" "))
}

/// A user message, now and then a call with its result, and a reply. Some have no id.
fn exchange() -> impl Strategy<Value = Vec<Message>> {
    let result = prop::option::weighted(0.3, text(20));
    (text(12), result, text(40)).prop_map(|(asked, result, reply)| {
        let mut messages = vec![Message::user(&asked)];
        if let Some(result) = result {
            messages.push(Message::calls(&["c"]));
            messages.push(Message::result("c", &result));
        }
        messages.push(Message::assistant(&reply));
        messages
    })
}

fn chat() -> impl Strategy<Value = Vec<Message>> {
    (vec(exchange(), 4..20), vec(prop::bool::weighted(0.9), 100)).prop_map(|(exchanges, named)| {
        let messages = exchanges.into_iter().flatten().enumerate();
        let with_id = |(at, message): (usize, Message)| {
            if named[at % named.len()] {
                message.with(Field::Id, &format!("m{at}"))
            } else {
                message
            }
        };
        messages.map(with_id).collect()
    })
}

fn options() -> impl Strategy<Value = String> {
    let cut = select(vec![r#""cut":{},"#, r#""cut":{"lowWater":0.3},"#, ""]);
    let placement = select(vec!["chronological", "chronological", "afterHistory"]);
    let unit = select(vec!["message", "exchange"]);
    let ranking = select(vec!["recency", "recency", "relevance"]);
    (cut, placement, unit, ranking, 0_u64..7, 150_u64..600).prop_map(
        |(cut, placement, unit, ranking, recent, tokens)| {
            format!(
                r#"{{"encoding":"estimate","recall":{{"ranking":"{ranking}","maxShare":0.2}},
                "window":{{"unit":"{unit}"}},
                "triage":{{"alwaysIncludeRecent":{recent},"placement":"{placement}"}},
                "budget":{{{cut}"maxTokens":{tokens}}}}}"#
            )
        },
    )
}

/// Builds with a hook that chooses candidates by `chooses`, and returns their ids and positions too. Returns `None` if
/// the budget is too small.
#[expect(clippy::type_complexity, reason = "a list of candidates, each with its positions")]
fn run(
    log: &[Message],
    config: ContextConfig,
    chooses: &dyn Fn(&str) -> Option<bool>,
) -> Option<(Context, Vec<(String, Vec<usize>)>)> {
    let asked = RefCell::new(Vec::new());
    let mut answer = |need: &Need| {
        let Need::Triage { candidates, .. } = need else { panic!("asks for {need:?}") };
        let units = candidates.iter().map(|unit| (unit.id.clone(), unit.positions.clone()));
        asked.borrow_mut().extend(units);
        let ids = candidates.iter().map(|unit| unit.id.clone());
        let fails = candidates.iter().any(|unit| chooses(&unit.id).is_none());
        let outcome = if fails { Outcome::Failed } else { Outcome::Given };
        let ids = (!fails).then(|| ids.filter(|id| chooses(id) == Some(true)).collect());
        Answer { hook: HookName::Select, outcome, ids, ..Answer::default() }
    };
    match build_with(&transcript(log), None, config, &[HookName::Select], &mut answer) {
        Ok(context) => Some((context, asked.into_inner())),
        Err(error) => {
            assert_eq!(error.code, ErrorCode::BudgetTooSmall);
            None
        }
    }
}

fn is_user(message: &Message) -> bool {
    message.role == Role::User
}

properties! {
/// Turn by turn, the hook chooses freely and sometimes fails. Decided messages stay decided and aren't asked about
/// again. Order and budget hold. With a cut, the decided messages of two prompts only differ at their beginning.
    #[test]
    fn decisions_are_stable(messages in chat(), json in options(), seed in any::<u64>()) {
        let mut decided = TriageDecisions::default();
        // For each row, true if it was chosen.
        let mut known: BTreeMap<usize, bool> = BTreeMap::new();
        let mut before: Option<Vec<usize>> = None;
        for asked in (0..messages.len()).filter(|row| is_user(&messages[*row])) {
            let log = &messages[..=asked];
            let mut options = config(&json);
            options.triage.decided = Some(decided.clone());
            let limit = options.budget.max_tokens.expect("a limit");
            let has_cut = options.budget.cut.is_some() && options.triage.placement == config("{}").triage.placement;
            // Chooses differently each turn. If the number is 0, it fails.
            let turn = seed.wrapping_add(asked as u64);
            let chooses = |id: &str| {
                let digits: u64 = id.bytes().map(u64::from).sum();
                let number = turn.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(digits) >> 7;
                (turn % 7 != 0).then_some(number % 3 == 0)
            };
            let Some((context, candidates)) = run(log, options, &chooses) else { continue };
            prop_assert!(context.tokens.total <= limit);
            let fates = fates(&context);
            let sent: Vec<Piece> = context.pieces.iter().map(|placed| placed.piece).collect();
            for (row, is_chosen) in &known {
                let is_asked = candidates.iter().any(|(_, rows)| rows.contains(row));
                prop_assert!(!is_asked, "{row} was decided");
                let (fate, reason) = fates[*row];
                if *is_chosen {
                    prop_assert!(!matches!(reason, Reason::NotChosen | Reason::TriageFailed), "{row}");
                } else {
                    let is_quoted = sent.contains(&Piece::Quoted(*row));
                    prop_assert!(fate == Fate::LeftOut || is_quoted, "{row} was passed: {reason:?}");
                }
            }
            let in_place = context.pieces.iter().filter_map(|placed| match placed.piece {
                Piece::Message(row) => Some(row),
                _ => None,
            });
            let in_place: Vec<usize> = in_place.filter(|row| *row != asked).collect();
            prop_assert!(in_place.is_sorted(), "{in_place:?}");
            if has_cut {
                let kept: BTreeSet<usize> = in_place.iter().copied().collect();
                let now: Vec<usize> =
                    known.keys().copied().filter(|row| kept.contains(row)).collect();
                if let Some(before) = &before {
                    let is_later = before.ends_with(&now) || now.ends_with(before);
                    prop_assert!(is_later, "{before:?} {now:?}");
                }
            }
            if turn % 7 != 0 {
                for (id, rows) in &candidates {
                    let is_chosen = chooses(id) == Some(true);
                    known.extend(rows.iter().map(|row| (*row, is_chosen)));
                }
            }
            if has_cut {
                let kept: BTreeSet<usize> = in_place.iter().copied().collect();
                before = Some(known.keys().copied().filter(|row| kept.contains(row)).collect());
            }
            if let Some(report) = &context.triage {
                decided = report.decided.clone();
            }
        }
    }
}

fn talk() -> Vec<Message> {
    let said = |at: usize| {
        let text = format!("message {at}");
        let message =
            if at.is_multiple_of(2) { Message::user(&text) } else { Message::assistant(&text) };
        message.with(Field::Id, &format!("m{at}"))
    };
    (0..21).map(said).collect()
}

const PLAIN: &str = r#"{"encoding":"estimate","triage":{"decided":{}}}"#;

#[test]
fn decisions_under_other_options_are_ignored() {
    let log = talk();
    let (context, asked) = run(&log, config(PLAIN), &|id| Some(id == "m3")).expect("it fits");
    assert_eq!(asked.len(), 15);
    let decided = context.triage.expect("it was asked about all").decided;
    assert_eq!(decided.chosen, ["m3"]);
    assert_eq!(decided.through.as_deref(), Some("m14"));
    let with = |json: &str| {
        let mut options = config(json);
        options.triage.decided = Some(decided.clone());
        run(&log, options, &|_| Some(true)).expect("it fits")
    };
    let (context, asked) = with(PLAIN);
    assert!(asked.is_empty());
    assert_eq!(kept(&context), [3, 15, 16, 17, 18, 19, 20]);
    assert_eq!(context.triage.map(|it| it.decided), Some(decided.clone()));
    // More or less room changes no decision, but another question does.
    let (_, asked) =
        with(r#"{"encoding":"estimate","triage":{"decided":{}},"budget":{"maxTokens":400}}"#);
    assert!(asked.is_empty());
    let (_, asked) = with(r#"{"encoding":"estimate","triage":{"model":"other"}}"#);
    assert_eq!(asked.len(), 15);
    let (_, asked) = with(r#"{"encoding":"estimate","filter":{"excludeToolCalls":true}}"#);
    assert_eq!(asked.len(), 15);
}

#[test]
fn new_messages_are_asked_about_even_if_the_last_decided_one_is_gone() {
    let log = talk();
    let mut options = config(PLAIN);
    let chosen = vec!["m3".to_owned(), "m9".to_owned()];
    options.triage.decided =
        Some(TriageDecisions { through: Some("gone".to_owned()), chosen, under: None });
    let (context, asked) = run(&log, options, &|_| Some(false)).expect("it fits");
    let asked: Vec<&str> = asked.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(asked, ["m10", "m11", "m12", "m13", "m14"]);
    assert_eq!(kept(&context), [3, 9, 15, 16, 17, 18, 19, 20]);
}

#[test]
fn the_best_ranked_are_not_decided_for_later_requests() {
    let error = read_config(r#"{"triage":{"candidates":"recalled","decided":{}}}"#)
        .expect_err("they do not go together");
    assert_eq!(error.path.as_deref(), Some("triage.decided"));
}
