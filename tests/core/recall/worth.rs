//! Messages are ranked by their worth relative to their cost.

use crate::support::{Message, NOW, transcript};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeSet;
use windrow::base::message::Role;
use windrow::base::time::Zone;
use windrow::recall::index::Index;
use windrow::recall::rank::query::{Query, Request};
use windrow::recall::rank::score::{Scores, score};
use windrow::recall::rank::scoring::Scoring;
use windrow::recall::rank::weights::Weights;
use windrow::recall::rank::worth::{Bounds, best_without_repeats, worth};
use windrow_property::{number_in, properties};

const WORDS: [&str; 6] = ["boat", "lake", "rain", "tent", "lamp", "rope"];

/// Long enough before the request that it can't be a follow-up.
const LONG_AGO: i64 = NOW.0 - 86_400_000;

fn index_of(messages: &[Message]) -> Index {
    let transcript = transcript(messages);
    let mut index = Index::default();
    index.extend(&transcript, 0..transcript.len());
    index
}

fn worth_of(messages: &[Message], text: &str) -> (Scores, Vec<f32>) {
    worth_by(messages, text, None)
}

/// The worth of messages by the given scores, or by their own.
fn worth_by(messages: &[Message], text: &str, given: Option<Scores>) -> (Scores, Vec<f32>) {
    let index = index_of(messages);
    let request = Request { text, name: "", role: Role::User };
    let query = Query::new(&index, request, NOW, &Zone::default());
    let is_open = vec![true; index.len()];
    let scoring = Scoring {
        index: &index,
        query: &query,
        is_open: &is_open,
        similarities: None,
        weights: &Weights::TUNED,
    };
    let scores = given.unwrap_or_else(|| score(scoring, NOW));
    let worth = worth(scoring, &scores);
    (scores, worth)
}

/// Messages of four words with four letters each, so all cost the same.
fn alike() -> impl Strategy<Value = Vec<Message>> {
    let message = (vec(0..WORDS.len(), 4), any::<bool>()).prop_map(|(words, is_user)| {
        let text = words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ");
        let message = if is_user { Message::user(&text) } else { Message::assistant(&text) };
        message.at(LONG_AGO)
    });
    vec(message, 1..60)
}

properties! {
    #[test]
    fn equal_costs_do_not_change_the_ranking(messages in alike(), word in 0..WORDS.len()) {
        let (scores, worth) = worth_of(&messages, &format!("the {}", WORDS[word]));
        for (one, other) in (0..messages.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let of = |values: &[f32]| values[one].max(0.0).total_cmp(&values[other].max(0.0));
            // A square may make two different scores equal, but never reverses them.
            prop_assert!(of(&worth) == of(&scores.total) || of(&worth).is_eq() || (worth[one] - worth[other]).abs() < 1e-5);
        }
    }

    /// A message with no word that the request lacks doesn't lead: the user only asked before.
    #[test]
    fn the_leader_adds_a_word_to_the_request(messages in alike(), words in vec(select(&WORDS), 1..5)) {
        let (scores, _) = worth_of(&messages, &words.join(" "));
        if let Some(leader) = scores.leader {
            let text = transcript(&messages).text(leader).clone();
            prop_assert!(text.split(' ').any(|word| !words.contains(&word)), "{text}");
        }
    }

    /// If two messages have equal scores, the cheaper is worth more. If their costs are equal, the higher score is.
    #[test]
    fn scores_raise_worth_and_costs_lower_it(messages in vec((number_in(0.01..=9.0), 0_usize..4000), 1..40)) {
        let texts: Vec<Message> = messages.iter().map(|(_, size)| Message::user(&"-".repeat(*size)).at(LONG_AGO)).collect();
        let given = Scores { total: messages.iter().map(|(score, _)| *score).collect(), ..Scores::default() };
        let (_, worth) = worth_by(&texts, "boat", Some(given));
        for (one, (score, size)) in messages.iter().enumerate() {
            for (other, (other_score, other_size)) in messages.iter().enumerate() {
                if score >= other_score && size <= other_size {
                    prop_assert!(worth[one] >= worth[other]);
                }
            }
        }
    }
}

properties! {
    /// A message is worth its share of words that a better one like it lacks, and others keep their worth. If it is
    /// newer and nearly as good, it takes the better one's place. The n-th of the same short messages is worth 1/n². Nothing repeats a
    /// message that can't be recalled.
    #[test]
    fn repetitions_are_worth_what_they_add(
        messages in vec((vec(0..WORDS.len(), 1..14), any::<bool>()), 1..40),
        values in vec(number_in(0.1..=9.0), 40),
        is_open in vec(any::<bool>(), 40),
        count in 1_usize..60,
    ) {
        let texts: Vec<Message> = messages
            .iter()
            .map(|(words, is_user)| {
                let text = words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ");
                if *is_user { Message::user(&text) } else { Message::assistant(&text) }
            })
            .collect();
        let before: Vec<f32> = values[..messages.len()].to_vec();
        let mut best: Vec<usize> = (0..messages.len()).collect();
        best.sort_by(|one, other| before[*other].total_cmp(&before[*one]).then(other.cmp(one)));
        let mut after = before.clone();
        let index = index_of(&texts);
        let query = Query::new(&index, Request { text: "", name: "", role: Role::User }, NOW, &Zone::default());
        let weights = &Weights::TUNED;
        let is_open = &is_open[..index.len()];
        let scoring = Scoring { index: &index, query: &query, is_open, similarities: None, weights };
        let order = best_without_repeats(scoring, &mut after, Bounds { count, room: u64::MAX });
        let words = |row: usize| messages[row].0.iter().collect::<BTreeSet<_>>();
        let added = |row: usize, other: usize| {
            let (words, others) = (words(row), words(other));
            let common = words.intersection(&others).count();
            let is_same = messages[row].1 == messages[other].1 && is_open[other];
            let is_near = is_same && 3 * common > 2 * words.len().max(others.len());
            is_near.then(|| f32::from(u8::try_from(words.len() - common).expect("few")) / f32::from(u8::try_from(words.len()).expect("few")))
        };
        let (listed, others) = best.split_at(order.len());
        let place_of = |row: usize| best.iter().position(|it| *it == row).expect("each is ranked");
        // The possible worth of a message next to those that rank before it. A sketch may overlook some.
        let discounted = |row: usize| {
            let of = |other: &usize| Some(before[row] * added(row, *other)?);
            let near = best[..place_of(row)].iter().filter_map(of);
            near.chain([before[row]]).collect::<Vec<f32>>()
        };
        for (place, row) in listed.iter().enumerate() {
            let is_nearly = |expected: f32| (after[*row] - expected).abs() < 1e-3 * before[*row].max(expected);
            if !is_open[*row] {
                prop_assert!(is_nearly(before[*row]));
            } else if words(*row).len() < 5 {
                let is_same = |other: &&usize| is_open[**other] && added(*row, **other) == Some(0.0) && words(*row) == words(**other);
                let count = best[..place].iter().filter(is_same).count() + 1;
                let share = 1.0 / f32::from(u16::try_from(count * count).expect("few"));
                prop_assert!(is_nearly(before[*row] * share), "{row}: {}", after[*row]);
            } else {
                let older = best[..place].iter().filter(|other| **other < *row && added(*row, **other).is_some());
                let taken = older.flat_map(|other| discounted(*other));
                let newer = listed[place + 1..].iter().filter(|other| **other > *row);
                let shares: Vec<f32> = newer.filter_map(|other| added(*row, *other)).chain([1.0]).collect();
                let mut all = discounted(*row).into_iter().chain(taken);
                prop_assert!(all.any(|it| shares.iter().any(|share| is_nearly(it * share))), "{row}: {}", after[*row]);
                prop_assert!(after[*row] > 0.0);
            }
        }
        prop_assert!(others.iter().all(|row| after[*row].to_bits() == before[*row].to_bits()));
        let repeated = listed.iter().filter(|row| after[**row] < before[**row]).count();
        prop_assert!(others.is_empty() || order.len() >= count && 2 * repeated <= order.len());
        prop_assert!(order.windows(2).all(|pair| after[pair[0]] >= after[pair[1]]));
        let rows: BTreeSet<usize> = order.into_iter().collect();
        prop_assert_eq!(rows, listed.iter().copied().collect());
    }
}

properties! {
    /// A ranking within a room is the beginning of the whole one, and ends after more messages than fit.
    #[test]
    fn a_ranking_ends_when_the_room_is_full(
        messages in vec((0_usize..600, number_in(0.1..=9.0), any::<bool>()), 1..500),
        room in 0_u64..9000,
    ) {
        let text = |at: usize, bytes: usize| format!("message{at} {}", "-".repeat(bytes));
        let texts: Vec<Message> =
            messages.iter().enumerate().map(|(at, it)| Message::user(&text(at, it.0))).collect();
        let index = index_of(&texts);
        let request = Request { text: "", name: "", role: Role::User };
        let query = Query::new(&index, request, NOW, &Zone::default());
        let is_open: Vec<bool> = messages.iter().map(|it| it.2).collect();
        let weights = &Weights::TUNED;
        let scoring = Scoring { index: &index, query: &query, is_open: &is_open, similarities: None, weights };
        let ranked = |room: u64| {
            let mut worth: Vec<f32> = messages.iter().map(|it| it.1).collect();
            best_without_repeats(scoring, &mut worth, Bounds { count: messages.len(), room })
        };
        let (all, some) = (ranked(u64::MAX), ranked(room));
        prop_assert_eq!(&some[..], &all[..some.len()]);
        // No message has more tokens than bytes.
        let open = some.iter().filter(|it| is_open[**it]);
        let bytes: usize = open.map(|it| text(*it, messages[*it].0).len()).sum();
        prop_assert!(some.len() == all.len() || bytes as u64 > room);
    }
}

#[test]
fn a_page_with_relevant_words_is_worth_its_cost() {
    let line = |number: u32| format!("Bed number {number} gets seeds of the sort {number}. ");
    let page = |first: &str| format!("{first} {}", (0..80).map(line).collect::<String>());
    let of = |reply: &str| {
        let mut messages: Vec<Message> =
            (0..30).map(|at| Message::user(&format!("A boat and a rope on lake {at}"))).collect();
        messages.push(Message::assistant(&page(reply)));
        let messages: Vec<Message> = messages.into_iter().map(|it| it.at(LONG_AGO)).collect();
        let (_, worth) = worth_of(&messages, "Which rope and which lamp for the boat in the rain?");
        (0..30).all(|row| worth[row] < worth[30])
    };
    assert!(of("A rope of hemp, a lamp of brass, and a tent for the rain."));
    assert!(!of("Seeds for the boat, and for the sun."));
}

/// Only a limited part of a page's length counts against it.
#[test]
fn a_pasted_page_is_found_by_one_of_its_words() {
    let line = |number: u32| format!("Shed {number} has boats, ropes and lamps. ");
    let page: String = (0..400).map(line).collect::<String>() + "The pump needs a valve of brass.";
    let ask = |number: u32| {
        Message::user(&format!("What is in part {number} of the plan for the boats?"))
    };
    let mut messages: Vec<Message> = (0..40).map(ask).collect();
    messages.push(Message::assistant(&page));
    let messages: Vec<Message> = messages.into_iter().map(|it| it.at(LONG_AGO)).collect();
    let (scores, _) = worth_of(&messages, "Which valve does the pump of the boats need?");
    assert!((0..40).all(|row| scores.total[row] < scores.total[40]));
}

#[test]
fn a_message_without_a_score_is_worth_nothing() {
    let messages = [Message::user("A boat.").at(LONG_AGO), Message::user("Rain.").at(LONG_AGO)];
    let (_, worth) = worth_of(&messages, "zzzz");
    assert_eq!(worth, [0.0, 0.0]);
}
