//! Text items ranked by the request: which of them the `recall` section finds, with and without the hook, and the
//! contents of a ranked section of items.

#![allow(clippy::needless_pass_by_value, reason = "values are made where they are passed")]

use crate::support;
use crate::support::{Message, build_with, config, read_config, transcript};
use proptest::prelude::*;
use serde_json::{Value, json};
use windrow::state::ask::{Answer, HookName, Need, Outcome, RecalledItem};
use windrow::state::context::{Context, Piece, RecallStatus};
use windrow::state::trace::NoteKind;
use windrow_property::properties;

const NOTES: [&str; 6] = [
    "The boiler was repaired in March by the Kowalski brothers.",
    "Anna is allergic to walnuts and carries her medicine with her.",
    "The spare key hangs behind the green door in the cellar.",
    "Rent is due on the third; the landlord prefers a bank transfer.",
    "The cat is called Biscuit and eats at seven.",
    "Swimming lessons were moved to the pool in Linden Street.",
];

fn items(texts: &[&str]) -> Value {
    let item = |(at, text): (usize, &&str)| json!({"id": format!("n{at}"), "text": text, "source": format!("notes/{at}")});
    texts.iter().enumerate().map(item).collect()
}

/// A config with one section, `memory`, and `recall` options.
fn memory(section: Value, recall: Value) -> Value {
    let mut sections = json!([{"id": "memory"}, {"id": "request", "kind": "request"}]);
    for (key, value) in section.as_object().expect("an object") {
        sections[0][key] = value.clone();
    }
    json!({"encoding": "estimate", "recall": recall, "sections": sections})
}

fn recall_over(texts: &[&str], recall: Value) -> Value {
    memory(
        json!({"kind": "recall", "items": items(texts), "empty": "nothing", "separate": true}),
        recall,
    )
}

fn run(options: &Value, request: &str) -> Context {
    asked(options, request, None)
}

fn asked(options: &Value, request: &str, answer: Option<Answer>) -> Context {
    let hooks: &[HookName] = if answer.is_some() { &[HookName::Recall] } else { &[] };
    let request = transcript(&[Message::user(request)]);
    build_with(&transcript(&[]), Some(request), config(&options.to_string()), hooks, &mut |need| {
        assert!(matches!(need, Need::Recall { .. }), "{need:?}");
        answer.clone().expect("asked only where there is a hook")
    })
    .expect("it builds")
}

fn hits(texts: &[&str]) -> Answer {
    let found = |text: &&str| RecalledItem { text: (*text).to_owned(), ..RecalledItem::default() };
    let items = texts.iter().map(found).collect();
    Answer { hook: HookName::Recall, items: Some(items), ..Answer::default() }
}

fn without(outcome: Outcome) -> Answer {
    Answer { hook: HookName::Recall, outcome, ..Answer::default() }
}

fn shown(context: &Context) -> Vec<&str> {
    let made = context.pieces.iter().filter_map(|placed| match placed.piece {
        Piece::Made(at) => context.made.get(at),
        _ => None,
    });
    made.map(|made| made.text.as_str()).collect()
}

fn ids(context: &Context) -> Vec<&str> {
    context.sections[0].items.iter().filter_map(|item| item.id.as_deref()).collect()
}

fn report(context: &Context) -> (RecallStatus, usize) {
    let report = context.recall.as_ref().expect("there is a section for it");
    (report.status, report.hits)
}

fn notes(context: &Context) -> Vec<NoteKind> {
    context.trace.notes.iter().map(|note| note.kind).collect()
}

#[test]
fn notes_are_found_by_other_forms_of_their_words() {
    let options = recall_over(&NOTES, json!({}));
    for (request, note) in [
        ("Who repairs boilers?", 0),
        ("What allergies does she have?", 1),
        ("Where do the spare keys hang?", 2),
        ("is there a swimming lesson today", 5),
    ] {
        let context = run(&options, request);
        assert_eq!(shown(&context).first(), Some(&NOTES[note]), "{request}");
        assert_eq!(ids(&context)[0], format!("n{note}"));
        let (status, count) = report(&context);
        assert_eq!((status, notes(&context)), (RecallStatus::Ok, vec![]));
        assert_eq!(count, ids(&context).len());
    }
    let context = run(&options, "quantum chromodynamics");
    assert_eq!((shown(&context), report(&context)), (vec!["nothing"], (RecallStatus::Ok, 0)));
}

#[test]
fn the_passage_is_shown_and_not_the_whole_text() {
    let filler =
        |topic: &str| format!("## {topic}\n\n{}\n\n", format!("All about {topic}. ").repeat(20));
    let text = format!("{}{}{}", filler("Gardening"), filler("Plumbing"), filler("Taxes"));
    let section = |kind: &str| {
        json!({"kind": kind, "ranked": kind == "items", "item": "{source}: {text}",
            "items": [{"text": NOTES[4]}, {"id": "handbook", "text": text, "source": "book.md"}]})
    };
    for kind in ["recall", "items"] {
        let recall = json!({"maxItems": 1});
        let context = run(&memory(section(kind), recall), "plumbing");
        assert_eq!(ids(&context), ["handbook"], "{kind}");
        let [shown] = shown(&context)[..] else { panic!("one text") };
        assert!(shown.starts_with("book.md: ## Plumbing\n\n All about"), "{shown}");
        assert!(!shown.contains("Taxes") && !shown.contains("Gardening"));
    }
}

#[test]
fn the_best_come_first_with_their_scores() {
    let texts =
        ["The lamp is new.", "A lamp, a lamp, a kingdom for a red lamp.", "The door is red."];
    let section = json!({"kind": "recall", "items": items(&texts), "item": "{number} {score} {text}", "separate": true});
    let context = run(&memory(section, json!({})), "the red lamp");
    assert!(shown(&context)[0].starts_with("1 1.0000 A lamp"));
    assert!(shown(&context)[1].starts_with("2 0."));
    // A section of items keeps the order of the items.
    let section =
        json!({"kind": "items", "ranked": true, "items": items(&texts), "separate": true});
    assert_eq!(shown(&run(&memory(section, json!({})), "the red lamp")), texts);
}

#[test]
fn the_focus_sets_the_amount() {
    let texts: Vec<String> = (0..40)
        .map(|number| format!("Tomatoes of sort {number}. {}", "They grow. ".repeat(8)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let section = |kind: &str, limit: Value| json!({"kind": kind, "ranked": kind == "items", "items": items(&texts), "limit": limit});
    for kind in ["recall", "items"] {
        for (focus, count, chars) in
            [("focused", 4, 900), ("balanced", 8, 1700), ("diffuse", 16, 3600)]
        {
            let options = memory(section(kind, json!({})), json!({"focus": focus}));
            let context = run(&options, "tomatoes");
            assert_eq!(ids(&context).len(), count, "{kind} {focus}");
            let length = shown(&context)[0].chars().count();
            assert!(length <= chars && length > chars / 3, "{kind} {focus} {length}");
        }
        let recall = json!({"maxItems": 3, "maxChars": 10_000});
        assert_eq!(ids(&run(&memory(section(kind, json!({})), recall), "tomatoes")).len(), 3);
        let recall = json!({"maxItems": 30, "maxChars": 300});
        let context = run(&memory(section(kind, json!({})), recall), "tomatoes");
        assert_eq!(ids(&context).len(), 2, "{kind}");
        assert!(!shown(&context)[0].ends_with("..."), "nothing has to be cut");
        let limit = json!({"items": 2});
        assert_eq!(ids(&run(&memory(section(kind, limit), json!({})), "tomatoes")).len(), 2);
    }
    // An explicit limit replaces the focus.
    for (limit, least) in
        [(json!({"items": 20}), 20), (json!({"chars": 4000}), 30), (json!({"tokens": 800}), 20)]
    {
        let context =
            run(&memory(section("items", limit.clone()), json!({"focus": "focused"})), "tomatoes");
        let count = ids(&context).len();
        assert!(count >= least, "{limit}: {count}");
        let length = shown(&context)[0].chars().count() as u64;
        assert!(length <= limit["chars"].as_u64().unwrap_or(u64::MAX));
    }
}

#[test]
fn the_best_items_stay_in_little_room() {
    let texts: Vec<String> =
        (0..9).map(|number| format!("An apple {}", "or a pear ".repeat(10 - number))).collect();
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.insert(4, "Apple pie with apple and apple juice");
    for limit in [json!({"tokens": 20}), json!({"chars": 60}), json!({"items": 1})] {
        let section =
            json!({"kind": "items", "ranked": true, "items": items(&texts), "limit": limit});
        let context = run(&memory(section, json!({})), "apple juice");
        assert!(shown(&context)[0].contains("juice"), "{limit}: {:?}", shown(&context));
    }
}

#[test]
fn the_hook_replaces_or_joins_the_items() {
    let request = "Where is the spare key of the cellar?";
    let given = hits(&["from the service", NOTES[2], "  ", "more of it"]);
    let options = recall_over(&NOTES, json!({}));
    let context = asked(&options, request, Some(given.clone()));
    assert_eq!(shown(&context), ["from the service", NOTES[2], "more of it"]);
    assert_eq!(report(&context), (RecallStatus::Ok, 4));

    let joined =
        |most: usize| recall_over(&NOTES, json!({"searchResults": "join", "maxItems": most}));
    let context = asked(&joined(4), request, Some(given.clone()));
    assert_eq!(shown(&context), ["from the service", NOTES[2], "more of it"], "no text twice");
    assert_eq!(report(&context), (RecallStatus::Ok, 3));
    let context = asked(&joined(1), request, Some(given));
    assert_eq!(shown(&context), ["from the service"]);
    let context = asked(&joined(4), request, Some(hits(&[])));
    assert_eq!(shown(&context), [NOTES[2]], "the hook found nothing");
    assert_eq!(shown(&run(&joined(4), request)), [NOTES[2]], "there is no hook");
    let context = asked(&options, request, Some(hits(&[])));
    assert_eq!((shown(&context), report(&context)), (vec!["nothing"], (RecallStatus::Ok, 0)));
}

#[test]
fn items_replace_a_hook_that_does_not_answer() {
    let request = "Where is the spare key?";
    let mut broken = without(Outcome::Failed);
    broken.reason = Some("the service is down".to_owned());
    for search_results in ["replace", "join"] {
        let recall = json!({"searchResults": search_results, "unavailable": "unavailable"});
        for (answer, note) in [
            (broken.clone(), vec![NoteKind::RecallFailed]),
            (without(Outcome::Given), vec![NoteKind::RecallFailed]),
            (without(Outcome::Unavailable), vec![]),
        ] {
            let context =
                asked(&recall_over(&NOTES, recall.clone()), request, Some(answer.clone()));
            assert_eq!((shown(&context), notes(&context)), (vec![NOTES[2]], note));
            assert_eq!(report(&context), (RecallStatus::Ok, 1));
            // Without items, nothing changes.
            let context = asked(&recall_over(&[], recall.clone()), request, Some(answer));
            assert_eq!(shown(&context), ["unavailable"]);
            assert_ne!(report(&context).0, RecallStatus::Ok);
            assert_eq!(notes(&context).len(), 1);
        }
        let context = run(&recall_over(&[], recall), request);
        assert_eq!(report(&context), (RecallStatus::Unavailable, 0));
        assert_eq!(notes(&context), [NoteKind::RecallUnavailable]);
    }
}

#[test]
fn a_blank_request_finds_nothing() {
    let options = recall_over(&NOTES, json!({"emptyQuery": "no query"}));
    let context = run(&options, " \n ");
    assert_eq!(
        (shown(&context), report(&context)),
        (vec!["no query"], (RecallStatus::EmptyQuery, 0))
    );
    let section =
        json!({"kind": "items", "ranked": true, "items": items(&NOTES), "empty": "nothing"});
    assert_eq!(shown(&run(&memory(section, json!({})), " ")), ["nothing"]);
    // Without a request, the newest user message takes its place.
    let messages = transcript(&[Message::user("the spare key?"), Message::assistant("Hm.")]);
    let mut options = options;
    options["sections"][1] = json!({"id": "history", "kind": "history"});
    let context = support::build(&messages, None, config(&options.to_string())).expect("it builds");
    assert_eq!(shown(&context), [NOTES[2]], "{:?}", context.recall);
}

#[test]
fn blank_items_are_never_shown() {
    let texts = ["", "  \n", NOTES[2], "\u{200b}", "# ", "---"];
    for request in ["the spare key", "# ---", "."] {
        let context = run(&recall_over(&texts, json!({})), request);
        assert!(shown(&context).iter().all(|text| *text == NOTES[2] || *text == "nothing"));
    }
}

#[test]
fn unranked_items_are_unchanged() {
    let section = |ranked: bool| json!({"kind": "items", "ranked": ranked, "items": items(&NOTES), "separate": true});
    assert_eq!(shown(&run(&memory(section(false), json!({})), "the spare key")), NOTES);
    assert_eq!(shown(&run(&memory(section(true), json!({})), "the spare key")), [NOTES[2]]);
    // A short text that is shown whole keeps its summary for tighter budgets.
    let item = json!([{"text": NOTES[2], "summary": "key: cellar"}]);
    let section = json!({"kind": "items", "ranked": true, "items": item, "limit": {"chars": 20}});
    assert_eq!(shown(&run(&memory(section, json!({})), "the spare key")), ["key: cellar"]);
}

#[test]
fn only_lists_are_ranked() {
    for (section, path) in [
        (json!({"kind": "recall", "ranked": true}), "sections[0].ranked"),
        (json!({"kind": "text", "ranked": true}), "sections[0].ranked"),
        (json!({"kind": "focus", "items": items(&NOTES)}), "sections[0].items"),
    ] {
        let error = read_config(&memory(section, json!({})).to_string()).expect_err("no list");
        assert_eq!(error.path.as_deref(), Some(path));
    }
    assert!(read_config(r#"{"recall": {"searchResults": "both"}}"#).is_err());
}

fn ends_line(letter: char) -> bool {
    matches!(letter, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

properties! {
#[test]
    fn any_texts_rank_reproducibly_and_within_bounds(
        texts in proptest::collection::vec(prop_oneof!["\\PC{0,200}", any::<String>(), "([a-d]{1,3}[ .\n#-]{1,2}){0,300}"], 0..12),
        request in prop_oneof!["([a-d]{1,3} ){1,4}", any::<String>()],
        max_items in 0_usize..20,
        max_chars in 0_usize..3000,
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let limits = json!({"maxItems": max_items, "maxChars": max_chars});
        let ranked = json!({"kind": "items", "ranked": true, "items": items(&texts), "separate": true});
        for (options, is_recall) in [(recall_over(&texts, limits.clone()), true), (memory(ranked, limits), false)] {
            let context = run(&options, &request);
            let again = run(&options, &request);
            prop_assert_eq!(shown(&context), shown(&again));
            prop_assert_eq!(&context.snapshot.context_hash, &again.snapshot.context_hash);
            prop_assert!(ids(&context).len() <= max_items);
            for text in shown(&context).into_iter().filter(|text| *text != "nothing") {
                let text = text.strip_suffix("...").filter(|_| is_recall).unwrap_or(text);
                // The item's lines are indented further.
                let text: String = text.split_inclusive(ends_line).enumerate().map(|(number, line)| {
                    if number > 0 { line.strip_prefix(' ').unwrap_or(line) } else { line }
                }).collect();
                prop_assert!(texts.iter().any(|whole| whole.contains(&text)), "{:?} is of none", text);
            }
        }
    }
}
