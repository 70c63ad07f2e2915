//! Promises of recall: an index may grow and shrink in any steps, no text breaks a score, and messages about the
//! request's topic are found, however old.

use crate::support::{
    Message, NOW, append, build, build_with, config, fates, groups_are_whole, kept,
    ranking_options, transcript,
};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{Index as Place, select};
use serde_json::{Value, json};
use std::rc::Rc;
use windrow::base::message::{Field, Role};
use windrow::base::time::{Milliseconds, Zone};
use windrow::recall::index::Index;
use windrow::recall::rank::query::{Query, Request};
use windrow::recall::rank::score::{Scores, best, score, score_by_words};
use windrow::recall::rank::scoring::Scoring;
use windrow::recall::rank::weights::Weights;
use windrow::recall::transcript::Transcript;
use windrow::state::ask::{Answer, HookName, Need, Outcome, TriageUnit};
use windrow::state::context::Context;
use windrow::state::trace::Reason;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Requests of all kinds: plain words, names, times, a follow-up, and blank.
const REQUESTS: [&str; 7] = [
    "Which boat did we rent for the lake?",
    "What did Ana say about the boats?",
    "Was hat Ben im März über den See gesagt?",
    "yes, do that",
    "order K4471902, since yesterday",
    "湖のボートはどこ",
    "",
];

fn request(text: &str) -> Request<'_> {
    Request { text, name: "", role: Role::User }
}

/// The index of all messages.
fn index_of(transcript: &Transcript) -> Rc<Index> {
    let rows: Vec<usize> = (0..transcript.len()).collect();
    transcript.index(&rows)
}

fn scoring<'a>(index: &'a Index, query: &'a Query, is_open: &'a [bool]) -> Scoring<'a> {
    Scoring { index, query, is_open, similarities: None, weights: &Weights::TUNED }
}

fn scores_of(index: &Index, request: Request<'_>, is_open: &[bool]) -> [Scores; 2] {
    let query = Query::new(index, request, NOW, &Zone::default());
    let scoring = scoring(index, &query, is_open);
    [score(scoring, NOW), score_by_words(scoring)]
}

/// For each message, its score as the one that the request follows up on.
fn flow_of(scores: &Scores) -> Vec<f32> {
    (0..scores.total.len()).map(|message| scores.flow.of(message)).collect()
}

/// Scores, bit by bit.
fn bits(scores: &Scores) -> (Vec<Vec<u32>>, Vec<bool>) {
    let of = |scores: &Vec<f32>| scores.iter().map(|score| score.to_bits()).collect();
    (vec![of(&scores.own), of(&scores.total), of(&flow_of(scores))], scores.is_in_time.clone())
}

/// Checks that the index and its answers agree with an index built from all messages at once.
fn check_index(transcript: &Transcript, index: &Index, request_name: &str) {
    let mut fresh = Index::default();
    fresh.extend(transcript, 0..transcript.len());
    assert_eq!(index.len(), fresh.len());
    let is_open: Vec<bool> = (0..transcript.len()).map(|row| row % 7 != 3).collect();
    for text in REQUESTS {
        for request in [request(text), Request { name: request_name, ..request(text) }] {
            let found = scores_of(index, request, &is_open);
            let expected = scores_of(&fresh, request, &is_open);
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(bits(found), bits(expected), "{text:?} {request_name:?}");
            }
        }
    }
}

/// Sentences of a few recurring words, now and then in another language or in none.
fn sentence() -> impl Strategy<Value = String> {
    let word = select(vec![
        "boat",
        "boats",
        "lake",
        "the",
        "and",
        "Ana",
        "Ben",
        "Cleo",
        "rented",
        "garden",
        "is",
        "where",
        "K4471902",
        "we",
        "yes",
        "See",
        "der",
        "die",
        "湖のボート",
        "march",
        "tickets",
    ]);
    prop_oneof![
        6 => vec(word, 0..12).prop_map(|words| words.join(" ")),
        1 => "\\PC{0,60}",
        1 => "[a-z]{1,9}\\?",
    ]
}

fn said() -> impl Strategy<Value = Message> {
    let role = select(vec![Role::User, Role::User, Role::Assistant, Role::Tool, Role::System]);
    let name = weighted(0.4, select(vec!["Ana", "Ben", "Cleo", "Ana Maria", "D"]));
    let conversation = weighted(0.1, select(vec!["one", "two"]));
    (role, sentence(), name, conversation, weighted(0.9, 0_i64..90 * 24 * 60)).prop_map(
        |(role, text, name, conversation, age)| {
            let mut message = Message::new(role, &text);
            message.fields.extend(name.map(|name| (Field::Name, name.to_owned())));
            message.fields.extend(conversation.map(|id| (Field::ConversationId, id.to_owned())));
            message.time = age.map(|age| NOW.0 - age * MINUTE);
            message
        },
    )
}

/// Messages in order of their times. The last was sent just now or long ago.
fn conversation(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Message>> {
    (vec(said(), count), any::<bool>()).prop_map(|(mut messages, goes_on)| {
        messages.sort_by_key(|message| message.time);
        if let (true, Some(last)) = (goes_on, messages.last_mut()) {
            last.time = Some(NOW.0 - MINUTE);
        }
        messages
    })
}

#[test]
fn an_index_that_grew_and_shrank_scores_like_a_fresh_one() {
    let steps = vec((vec(said(), 0..20), weighted(0.6, any::<Place>())), 1..8);
    windrow_property::check(&(steps, select(vec!["Ana", "Nobody"])), |(steps, name)| {
        let mut transcript = Transcript::default();
        let mut index = Index::default();
        for (messages, cut) in steps {
            append(&mut transcript, &messages);
            index.extend(&transcript, index.len()..transcript.len());
            if let Some(cut) = cut {
                let length = cut.index(transcript.len() + 1);
                transcript.truncate(length);
                index.truncate(length);
            }
            // The transcript does the same by itself.
            check_index(&transcript, &index_of(&transcript), name);
        }
        check_index(&transcript, &index, name);
        Ok(())
    });
}

#[test]
fn the_borders_of_segments_change_nothing() {
    const LONG: u32 = 9;
    let mut messages: Vec<Message> = (0..2600_i64)
        .map(|number| {
            let text = match number % 5 {
                0 => "we rented a boat on the lake".to_owned(),
                1 => "where is Ana?".to_owned(),
                2 => format!("order K{} is there", 4_471_000 + number),
                3 => "湖のボート".to_owned(),
                _ => format!("word{number} and the garden"),
            };
            let message =
                if number % 2 == 0 { Message::user(&text) } else { Message::assistant(&text) };
            message.at(NOW.0 - (2600 - number) * 7 * MINUTE)
        })
        .collect();
    // The maximum number of terms of a text, alternating between a language and none.
    for number in 0..LONG {
        let words = (0..9000).map(|word| match number % 3 {
            0 => format!("{} ", word * LONG + number),
            1 => format!("the q{}z ", word * LONG + number),
            _ => char::from_u32(0x4E00 + (word * 7 + number) % 20_000)
                .map_or(String::new(), String::from),
        });
        let text: String = words.collect();
        messages.insert(1100, Message::assistant(&text).at(NOW.0 - 1500 * 7 * MINUTE));
    }
    let mut transcript = Transcript::default();
    let mut index = Index::default();
    let mut next = 0;
    for length in
        [1024, 1023, 1025, 1024, 2048, 1103, 1110, 1101, 1400, 0, 1, 1500, 1024, 2600, 1107, 2609]
    {
        transcript.truncate(length);
        index.truncate(length);
        next = next.min(length);
        append(&mut transcript, &messages[next..length]);
        next = length;
        index.extend(&transcript, index.len()..length);
        assert_eq!((index.len(), transcript.len()), (length, length));
        check_index(&transcript, &index, "Ana");
    }
    // Each message is found by a word that only it has.
    let is_open = vec![true; index.len()];
    for (row, message) in messages.iter().enumerate().filter(|(row, _)| row % 97 == 0) {
        let text = &message.fields[0].1;
        let Some(own) = text.split(' ').find(|word| word.starts_with(['K', 'w']) && word.len() > 5)
        else {
            continue;
        };
        let scores = &scores_of(&index, request(own), &is_open)[1];
        assert_eq!(best(&scores.total, 1), [row], "{own}");
    }
}

#[test]
fn scores_are_finite_for_any_text() {
    let any_text = || prop_oneof!["\\PC{0,80}", ".{0,80}", sentence(), "[0-9/.:-]{0,40}"];
    let message = (any_text(), weighted(0.3, any_text()), weighted(0.7, any::<i64>())).prop_map(
        |(text, name, time)| {
            let mut message = Message::user(&text);
            message.fields.extend(name.map(|name| (Field::Name, name)));
            message.time = time;
            message
        },
    );
    let open = vec((any::<bool>(), windrow_property::number_in(-1.0..=1.0)), 30);
    let case = (vec(message, 0..30), any_text(), any_text(), open, any::<i64>());
    windrow_property::check(&case, |(messages, text, name, open, now)| {
        let index = index_of(&transcript(&messages));
        let request = Request { text: &text, name: &name, role: Role::User };
        let now = Milliseconds(now);
        let query = Query::new(&index, request, now, &Zone::default());
        let (is_open, similarities): (Vec<bool>, Vec<f32>) =
            open[..messages.len()].iter().copied().unzip();
        let all = [
            score(scoring(&index, &query, &is_open), now),
            score(
                Scoring { similarities: Some(&similarities), ..scoring(&index, &query, &is_open) },
                now,
            ),
            score_by_words(scoring(&index, &query, &is_open)),
        ];
        for scores in all {
            let lengths = [scores.own.len(), scores.total.len()];
            prop_assert_eq!(lengths, [messages.len(); 2]);
            let flow = flow_of(&scores);
            let mut values = scores.own.iter().chain(&scores.total).chain(&flow);
            prop_assert!(values.all(|score| score.is_finite()), "{:?}", scores);
            let best = best(&scores.total, 5);
            prop_assert!(best.iter().all(|row| *row < messages.len()) && best.len() <= 5);
        }
        Ok(())
    });
}

#[test]
fn closed_messages_spread_nothing_to_their_neighbors() {
    let case = (conversation(1..40), vec(any::<bool>(), 40), select(REQUESTS.to_vec()));
    windrow_property::check(&case, |(messages, open, text)| {
        let count = messages.len();
        let index = index_of(&transcript(&messages));
        let all = scores_of(&index, request(text), &vec![true; count]);
        let some = scores_of(&index, request(text), &open[..count]);
        for (all, some) in all.iter().zip(&some) {
            for (row, is_open) in open[..count].iter().enumerate() {
                let expected = if *is_open { all.own[row] } else { 0.0 };
                prop_assert_eq!(some.own[row].to_bits(), expected.to_bits());
            }
        }
        // With every message that shares words with the request closed, nothing is left to spread, neither to neighbors
        // nor through shared words.
        let mut others = messages.clone();
        let mut is_open = vec![true; count];
        for (row, message) in others.iter_mut().enumerate() {
            message.time = Some(NOW.0 - 2 * DAY);
            message.fields.retain(|(field, _)| *field == Field::Text);
            let text = if open[row] { "nothing else" } else { "the zeppelin has landed" };
            message.fields[0].1 = format!("{text} beside a wall");
            is_open[row] = open[row];
        }
        let index = index_of(&transcript(&others));
        for scores in scores_of(&index, request("zeppelin"), &is_open) {
            prop_assert!(best(&scores.total, count).is_empty(), "{:?}", scores.total);
        }
        Ok(())
    });
}

#[test]
fn a_ranked_context_is_bounded_whole_and_the_same_however_it_was_appended() {
    let tools = (select(vec!["a", "b", "c"]), sentence(), any::<bool>()).prop_map(
        |(id, text, has_between)| {
            let mut all = vec![Message::calls(&[id])];
            all.extend(has_between.then(|| Message::system("Ben joined.")));
            all.push(Message::result(id, &text));
            all
        },
    );
    let together = prop_oneof![6 => said().prop_map(|message| vec![message]), 1 => tools];
    let case = (
        vec(together, 10..60),
        ranking_options(),
        60_u64..600,
        select(vec!["messages", "text"]),
        select(REQUESTS.to_vec()),
        vec(any::<Place>(), 0..5),
    );
    windrow_property::check(&case, |(messages, recall, tokens, format, text, cuts)| {
        let mut messages = messages.concat();
        for (row, message) in (0..).zip(&mut messages) {
            message.time = Some(NOW.0 - 90 * DAY + 300 * MINUTE * row);
        }
        let options = json!({"encoding": "estimate", "recall": recall,
                                 "budget": {"maxTokens": tokens}, "render": {"format": format}});
        let run = |source: &Rc<Transcript>| build(source, Some(text), config(&options.to_string()));
        let Ok(whole) = run(&transcript(&messages)) else {
            return Ok(()); // the instructions alone don't fit
        };
        prop_assert!(whole.tokens.total <= tokens);
        groups_are_whole(&whole, &messages);
        prop_assert_eq!(fates(&whole).len(), messages.len());

        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(messages.len() + 1)).collect();
        cuts.push(messages.len());
        cuts.sort_unstable();
        let mut source = Rc::new(Transcript::default());
        for end in cuts {
            let transcript = Rc::make_mut(&mut source);
            let begin = transcript.len();
            append(transcript, &messages[begin..end]);
            let _ = run(&source); // remembered data changes nothing
        }
        let again = run(&source).expect("as before");
        prop_assert_eq!(&again.pieces, &whole.pieces);
        prop_assert_eq!(&again.text, &whole.text);
        prop_assert_eq!(&again.trace, &whole.trace);
        prop_assert_eq!(&again.snapshot.context_hash, &whole.snapshot.context_hash);
        Ok(())
    });
}

// Finding one old topic among many others. Each conversation is far larger than the budget.

const ENGLISH: [&str; 6] = [
    "The weather is so nice today, we should go for a walk.",
    "I am making soup for dinner, there is plenty for all of us.",
    "My neighbour has a new dog, it barks at every cyclist.",
    "The train was late again and I missed the meeting.",
    "That film was too long, but the music in it was great.",
    "I need to call the dentist before noon.",
];

/// Fifty messages of small talk around an old exchange, one every four minutes. The last was sent at `end`.
fn around(exchange: &[&str], small_talk: &[&str], end: i64) -> Vec<Message> {
    const BEFORE: usize = 10;
    const ALL: usize = 50;
    let mut texts: Vec<&str> = (0..ALL).map(|row| small_talk[row % small_talk.len()]).collect();
    texts.splice(BEFORE..BEFORE, exchange.iter().copied());
    let count = texts.len();
    let message = |(row, text): (usize, &str)| {
        let message = if row % 2 == 0 { Message::user(text) } else { Message::assistant(text) };
        message.at(end - i64::try_from(count - 1 - row).expect("few") * 4 * MINUTE)
    };
    texts.into_iter().enumerate().map(message).collect()
}

/// The first row of the old exchange.
const OLD: usize = 10;

fn run(messages: &[Message], text: &str, tokens: u64, recall: &Value) -> Context {
    let options = json!({"recall": recall, "budget": {"maxTokens": tokens}});
    build(&transcript(messages), Some(text), config(&options.to_string())).expect("it fits")
}

fn recalled(context: &Context) -> Vec<usize> {
    let fates = fates(context).into_iter().enumerate();
    fates.filter(|(_, (_, reason))| *reason == Reason::Recalled).map(|(row, _)| row).collect()
}

/// Checks that an old message is found, both by relevance and by words alone.
fn assert_found(messages: &[Message], row: usize, text: &str) {
    for ranking in ["relevance", "bm25"] {
        let context = run(messages, text, 150, &json!({"ranking": ranking}));
        assert!(kept(&context).contains(&row), "{ranking}: {text} {:?}", kept(&context));
        assert!(kept(&context).len() < messages.len() / 2, "{text}: nearly all of it fits");
    }
}

#[test]
fn a_word_is_found_in_another_form_in_each_language() {
    let german = [
        "Das Wetter ist heute so schön, wir sollten spazieren gehen.",
        "Ich koche gerade Suppe, es ist genug für alle da.",
        "Mein Nachbar hat einen neuen Hund, der bellt immer.",
        "Der Zug war schon wieder zu spät.",
    ];
    let french = [
        "Il fait très beau aujourd'hui, on devrait se promener.",
        "Je prépare une soupe, il y en a assez pour tous.",
        "Mon voisin a un nouveau chien qui aboie toute la nuit.",
        "Le train était encore en retard ce matin.",
    ];
    let spanish = [
        "Hoy hace muy buen tiempo, deberíamos dar un paseo.",
        "Estoy haciendo una sopa y hay bastante para todos.",
        "Mi vecino tiene un perro nuevo que ladra toda la noche.",
        "El tren llegó tarde otra vez esta mañana.",
    ];
    let portuguese = [
        "Hoje o tempo está muito bom, devíamos passear.",
        "Estou a fazer uma sopa e não falta para ninguém.",
        "O meu vizinho tem um cão novo que ladra toda a noite.",
        "O comboio chegou outra vez tarde esta manhã.",
    ];
    let italian = [
        "Oggi il tempo è molto bello, dovremmo fare una passeggiata.",
        "Sto preparando una zuppa, ce n'è per tutti.",
        "Il mio vicino ha un cane nuovo che abbaia tutta la notte.",
        "Il treno era di nuovo in ritardo questa mattina.",
    ];
    let russian = [
        "Сегодня такая хорошая погода, надо бы погулять.",
        "Я варю суп, его хватит на всех нас.",
        "У моего соседа новая собака, она лает всю ночь.",
        "Поезд снова опоздал, и я не успел на встречу.",
    ];
    let cases: [(&[&str], &str, &str); 7] = [
        (&ENGLISH, "I booked two nights in a cabin for us.", "Where is our booking?"),
        (&german, "Ich habe für uns zwei Karten am Schalter geholt.", "Wo ist denn die Karte?"),
        (&french, "J'ai réservé deux places pour nous.", "Où est donc notre réservation ?"),
        (&spanish, "Ayer compramos los billetes para la excursión.", "¿Dónde está el billete?"),
        (&portuguese, "Ontem comprámos os bilhetes para o museu.", "Onde é que está o bilhete?"),
        (&italian, "Ieri abbiamo comprato i biglietti per il museo.", "Dov'è il biglietto?"),
        (&russian, "Вчера мы купили билеты в музей.", "Где наш билет?"),
    ];
    for (small_talk, old, text) in cases {
        assert_found(&around(&[old], small_talk, NOW.0 - DAY), OLD, text);
    }
}

#[test]
fn scripts_without_spaces_are_found_by_pairs() {
    let japanese = [
        "今日はいい天気ですね。",
        "晩ごはんにスープを作っています。",
        "隣の人が新しい犬を飼いました。",
        "電車がまた遅れました。",
    ];
    let chinese = [
        "今天天气真好，出去走走吧。",
        "我在做汤，够大家喝。",
        "邻居养了一只狗。",
        "火车又晚点了。",
    ];
    let cases: [(&[&str], &str, &str); 2] = [
        (&japanese, "金曜日に京都の古い旅館を予約しました。", "旅館の名前は？"),
        (&chinese, "我们订了湖边的餐厅。", "餐厅叫什么名字？"),
    ];
    for (small_talk, old, text) in cases {
        assert_found(&around(&[old], small_talk, NOW.0 - DAY), OLD, text);
    }
}

#[test]
fn an_answer_is_found_next_to_its_question() {
    let exchange = [
        "Which venue did the committee choose for the wedding?",
        "The old boathouse, from two on.",
    ];
    let messages = around(&exchange, &ENGLISH, NOW.0 - DAY);
    let text = "What venue is it for the wedding?";
    let no_newest = |ranking: &str| json!({"ranking": ranking, "recentMessages": 0});
    let found = recalled(&run(&messages, text, 70, &no_newest("relevance")));
    assert!(found.contains(&OLD) && found.contains(&(OLD + 1)), "{found:?}");
    let by_words = recalled(&run(&messages, text, 70, &no_newest("bm25")));
    assert_eq!(by_words, [OLD], "the answer has none of the words");
}

#[test]
fn messages_of_a_named_speaker_are_found() {
    let names = ["Ana", "Ben", "Carla", "Dmitri", "Elif", "Femi"];
    let plants = ["roses", "onions", "tulips", "beans", "mint", "poppies"];
    let mut messages = around(&[], &ENGLISH, NOW.0 - DAY);
    for (row, message) in messages.iter_mut().enumerate() {
        *message = std::mem::replace(message, Message::user("")).with(Field::Name, names[row % 6]);
        message.role = Role::User;
    }
    for (place, plant) in plants.iter().enumerate() {
        // Seven rows apart, so that each has another author.
        let text = format!("I planted {plant} in the garden.");
        messages[place * 7].fields[0].1 = text;
    }
    let by = |row: usize| messages[row].fields[1].1.as_str();
    for (place, _) in plants.iter().enumerate() {
        let name = by(place * 7);
        let text = format!("What did {name} plant in the garden?");
        let context = run(&messages, &text, 45, &json!({"recentMessages": 0}));
        let first = recalled(&context);
        assert!(first.contains(&(place * 7)), "{name}: {first:?}");
        assert!(first.len() < 3, "{first:?}");
    }
}

#[test]
fn a_word_that_is_a_prefix_of_a_name_is_searched_for() {
    for count in [3, 6] {
        let names = ["Ana", "Ben", "Arthur", "Dmitri", "Elif", "Femi"];
        let exchange = ["Office supplies, paper and toner.", "The art museum has new supplies."];
        let mut messages = around(&exchange, &ENGLISH, NOW.0 - DAY);
        for (row, message) in messages.iter_mut().enumerate() {
            let name = names[row % count];
            *message = std::mem::replace(message, Message::user("")).with(Field::Name, name);
            message.role = Role::User;
        }
        let index = index_of(&transcript(&messages));
        let asked = request("What did Arthur say about art supplies?");
        let query = Query::new(&index, asked, NOW, &Zone::default());
        let scores = score_by_words(scoring(&index, &query, &vec![true; messages.len()]));
        assert!(scores.total[OLD + 1] > scores.total[OLD], "{count}");
    }
}

#[test]
fn speakers_beyond_the_limit_count_as_nobody() {
    const COUNT: usize = 65_540;
    let said = |row: usize| Message::user("so it was").with(Field::Name, &format!("Speaker{row}"));
    let messages: Vec<Message> = (0..COUNT).map(said).collect();
    let mut transcript = Transcript::default();
    append(&mut transcript, &messages);
    let names_of = |index: &Index, row: usize| {
        let text = format!("What did Speaker{row} say?");
        let query = Query::new(index, request(&text), NOW, &Zone::default());
        let scores = score(scoring(index, &query, &vec![true; COUNT]), NOW);
        best(&scores.total, 1)
    };
    let index = index_of(&transcript);
    assert_eq!(names_of(&index, 65_534), [65_534]);
    // Nobody is named: the newest of equals wins, and no message is attributed to someone else.
    let anybody = names_of(&index, COUNT);
    assert_eq!(names_of(&index, 65_535), anybody);
    assert_eq!(names_of(&index, 65_536), anybody);
}

#[test]
fn a_month_that_is_named_is_found() {
    // The clock shows June 15, 2025, with a message every two days back to the end of January.
    let mut messages = around(&[], &ENGLISH, NOW.0);
    messages.extend(around(&[], &ENGLISH, NOW.0).into_iter().take(20));
    let count = messages.len();
    for (row, message) in messages.iter_mut().enumerate() {
        message.time = Some(NOW.0 - DAY * 2 * i64::try_from(count - row).expect("few"));
    }
    let day = |row: usize| (messages[row].time.expect("a time") - NOW.0).div_euclid(DAY);
    // February, March, April and May 15, or the days around them.
    let rows: Vec<usize> = [-120, -92, -60, -30]
        .map(|wanted| (0..count).find(|row| day(*row) >= wanted).expect("a row"))
        .to_vec();
    for row in &rows {
        messages[*row].fields[0].1 = "We went swimming in the cold sea.".to_owned();
    }
    for (month, row) in ["February", "March", "April", "May"].iter().zip(&rows) {
        let text = format!("Where were we swimming in {month}?");
        let context = run(&messages, &text, 35, &json!({"recentMessages": 0}));
        assert_eq!(recalled(&context), [*row], "{month}");
    }
}

#[test]
fn an_identifier_is_found_among_similar_ones() {
    let exchange = [
        "Order K4471901 is for the blue lamp.",
        "Order K4471902 is for the green lamp.",
        "Order K4471903 is for the white lamp.",
    ];
    let messages = around(&exchange, &ENGLISH, NOW.0 - DAY);
    for (place, id) in ["k4471901", "K4471902", "#K4471903"].iter().enumerate() {
        let text = format!("Any news of {id}?");
        for ranking in ["relevance", "bm25"] {
            let recall = json!({"ranking": ranking, "recentMessages": 0});
            let context = run(&messages, &text, 38, &recall);
            assert_eq!(recalled(&context)[..], [OLD + place], "{ranking}: {text}");
        }
    }
}

const LIGHTHOUSE: [&str; 4] = [
    "Can we sleep in the lighthouse on the island?",
    "Yes, the lighthouse has two rooms and a kitchen.",
    "How do we reach the lighthouse?",
    "By the ferry at nine, and then an hour on foot.",
];

fn newest_rows(messages: &[Message], count: usize) -> Vec<usize> {
    (messages.len() - count..messages.len()).collect()
}

#[test]
fn a_follow_up_keeps_the_newest() {
    let messages = around(&LIGHTHOUSE, &ENGLISH, NOW.0 - MINUTE);
    for text in ["yes, do that", "ok", "why?", "Fine, then we take the lighthouse, not a tent."] {
        let kept = kept(&run(&messages, text, 120, &json!({"recentMessages": 0})));
        assert!(kept.ends_with(&newest_rows(&messages, 4)), "{text}: {kept:?}");
    }
}

#[test]
fn a_complete_question_finds_its_answer_at_once() {
    let messages = around(&LIGHTHOUSE, &ENGLISH, NOW.0 - MINUTE);
    let recall = json!({"recentMessages": 1, "maxRecentShare": 0.3});
    let context = run(&messages, "How do we reach the lighthouse?", 120, &recall);
    let found = recalled(&context);
    assert!([OLD + 2, OLD + 3].iter().all(|row| found.contains(row)), "{found:?}");
    assert_eq!(fates(&context)[messages.len() - 1].1, Reason::Newest, "it has its share");
}

#[test]
fn after_a_pause_the_newest_are_no_better_than_others() {
    let text = "Fine, then we take the lighthouse, not a tent.";
    for pause in [HOUR, DAY, 40 * DAY] {
        let messages = around(&LIGHTHOUSE, &ENGLISH, NOW.0 - pause);
        let kept = kept(&run(&messages, text, 120, &json!({"recentMessages": 0})));
        assert!((OLD..OLD + 4).all(|row| kept.contains(&row)), "{kept:?}");
        assert!(newest_rows(&messages, 4).iter().all(|row| !kept.contains(row)), "{kept:?}");
    }
}

#[test]
fn a_share_leaves_room_for_the_newest() {
    let messages = around(&LIGHTHOUSE, &ENGLISH, NOW.0 - DAY);
    let text = "What was it about the lighthouse?";
    let newest = newest_rows(&messages, 3);
    let of_items = |items: u64| json!({"sections": [{"id": "h", "kind": "history", "limit": {"items": items}}, {"id": "r", "kind": "request"}]});
    for limits in [json!({"budget": {"maxTokens": 150}}), of_items(10)] {
        let of = |share: f64| {
            let mut options = limits.clone();
            options["recall"] = json!({"recentMessages": 0, "maxShare": share});
            let context = build(&transcript(&messages), Some(text), config(&options.to_string()))
                .expect("it fits");
            let kept = kept(&context);
            (recalled(&context), newest.iter().all(|row| kept.contains(row)))
        };
        let (all, has_newest) = of(1.0);
        assert!(all.len() > 5 && !has_newest, "{all:?}");
        let (half, has_newest) = of(0.5);
        assert!(half.iter().any(|row| (OLD..OLD + 4).contains(row)) && half.len() < all.len());
        assert!(has_newest, "{half:?}");
        let (none, has_newest) = of(0.0);
        assert!(none.is_empty() && has_newest, "{none:?}");
    }
    let options = of_items(3);
    let context =
        build(&transcript(&messages), Some(text), config(&options.to_string())).expect("it fits");
    let last = messages.len() - 1;
    assert!(kept(&context).contains(&last), "of a few items a share is one at least");
    // A call and its result are one unit, and may exceed the share.
    let mut messages = messages;
    let end = NOW.0 - DAY;
    messages.push(Message::calls(&["call"]).at(end));
    messages.push(Message::result("call", "done").at(end));
    let options = of_items(10);
    let context =
        build(&transcript(&messages), Some(text), config(&options.to_string())).expect("it fits");
    let kept = kept(&context);
    assert!(recalled(&context).len() > 5);
    assert!(kept.contains(&(last + 1)) && kept.contains(&(last + 2)), "{kept:?}");
}

#[test]
fn triage_is_asked_about_the_best_ranked() {
    let messages = around(&LIGHTHOUSE, &ENGLISH, NOW.0 - DAY);
    let asked = |triage: Value| {
        let options = json!({"triage": triage, "budget": {"maxTokens": 300}}).to_string();
        let request = transcript(&[Message::user("What was it about the lighthouse?")]);
        let mut seen: Vec<TriageUnit> = Vec::new();
        let mut choose_all = |need: &Need| {
            let Need::Triage { candidates, .. } = need else { panic!("asks for {need:?}") };
            seen.clone_from(candidates);
            let ids = candidates.iter().map(|candidate| candidate.id.clone()).collect();
            let (hook, outcome) = (HookName::Select, Outcome::Given);
            Answer { hook, outcome, ids: Some(ids), ..Answer::default() }
        };
        let context = build_with(
            &transcript(&messages),
            Some(request),
            config(&options),
            &[HookName::Select],
            &mut choose_all,
        )
        .expect("it fits");
        let rows: Vec<usize> = seen.into_iter().flat_map(|candidate| candidate.positions).collect();
        (rows, fates(&context))
    };
    let (rows, fates) = asked(json!({"candidates": "recalled", "maxCandidates": 6}));
    assert_eq!(rows.len(), 6);
    assert!(rows.is_sorted(), "oldest first: {rows:?}");
    assert!((OLD..OLD + 4).all(|row| rows.contains(&row)), "{rows:?}");
    for (row, (_, reason)) in fates.iter().enumerate() {
        let expected = match row {
            _ if row + 5 >= messages.len() => Reason::Recent,
            _ if rows.contains(&row) => Reason::Chosen,
            _ => Reason::NotCandidate,
        };
        assert_eq!(*reason, expected, "{row}");
    }
    let (rows, _) = asked(json!({"candidates": "all", "maxCandidates": 6}));
    let before_recent = messages.len() - 5;
    assert_eq!(rows, (before_recent - 6..before_recent).collect::<Vec<_>>());
    let (rows, _) = asked(json!({"candidates": "all"}));
    assert_eq!(rows, (0..before_recent).collect::<Vec<_>>());
    let (rows, _) = asked(json!({"candidates": "recalled"}));
    assert!(rows.len() < before_recent && rows.contains(&OLD), "about what fits twice: {rows:?}");
}

#[test]
fn reasons_tell_recalled_messages_from_others() {
    let messages = around(&LIGHTHOUSE, &ENGLISH, NOW.0 - DAY);
    let text = "What was it about the lighthouse?";
    // If everything fits, nothing is recalled: it is all history, whether or not that is known in advance.
    for tokens in [100_000, 1_200] {
        let context = run(&messages, text, tokens, &json!({}));
        assert!(!context.trimmed, "{tokens}: {}", context.tokens.total);
        assert!(fates(&context).iter().all(|(_, reason)| *reason == Reason::History), "{tokens}");
    }
    let recall = json!({"recentMessages": 3, "maxRecentShare": 0.4, "maxShare": 0.4});
    let context = run(&messages, text, 200, &recall);
    let of = |wanted: Reason| -> Vec<usize> {
        let fates = fates(&context).into_iter().enumerate();
        fates.filter(|(_, (_, reason))| *reason == wanted).map(|(row, _)| row).collect()
    };
    assert!(context.trimmed);
    assert_eq!(of(Reason::Newest), newest_rows(&messages, 3));
    let recalled = [of(Reason::Recalled), of(Reason::Paired)].concat();
    assert!((OLD..OLD + 4).all(|row| recalled.contains(&row)));
    // The remaining room goes to the newest of the others.
    let rest = of(Reason::History);
    assert_eq!(rest.last(), Some(&(messages.len() - 4)));
    // They take the room of those that are left out.
    let rows = [of(Reason::Newest), recalled, rest, of(Reason::OverBudget)];
    assert!(rows.iter().all(|rows| !rows.is_empty()));
    assert_eq!(rows.concat().len(), messages.len(), "there is no other reason");
}

/// Without counting, the build predicts whether everything fits. If the prediction is wrong, the newest messages stay
/// and the hook's answer is dropped.
#[test]
fn messages_about_the_request_stay_whatever_they_cost() {
    let messages = around(&["The lighthouse is <painted> & red."], &ENGLISH, NOW.0 - DAY);
    let with_images = || messages.iter().cloned().map(|it| it.with(Field::Image, "high a.png"));
    let escaped = messages.iter().cloned().map(|it| it.with(Field::Text, "<<<<<&&&&&>>>>>\"\"\""));
    let with_calls = messages.iter().cloned().enumerate().flat_map(|(row, message)| {
        let id = format!("call {row}");
        let call = Message::calls(&[&id]).at(NOW.0 - DAY);
        [message, call, Message::result(&id, "\"done\"").at(NOW.0 - DAY)]
    });
    let cases: [(Vec<Message>, Value, u64); 8] = [
        (with_images().collect(), json!({}), 800),
        (with_images().collect(), json!({"render": {"format": "text"}}), 20),
        (messages.clone(), json!({"budget": {"tokensPerMessage": 100}}), 200),
        (
            messages.clone(),
            json!({"render": {"format": "text", "labels": {"user": "The one who asks all of it", "assistant": "The one who answers whatever is asked"}}}),
            30,
        ),
        (
            messages.clone(),
            json!({"render": {"format": "text", "times": true, "replace": [{"contains": ["train"], "text": "(it was about a train again, and that has been cut out here, at some length) ".repeat(3)}]}}),
            40,
        ),
        (escaped.clone().collect(), json!({"render": {"format": "xml"}}), 60),
        (escaped.collect(), json!({"render": {"format": "conversations"}}), 60),
        (with_calls.collect(), json!({}), 20),
    ];
    for (messages, options, each) in cases {
        let transcript = transcript(&messages);
        let row = messages
            .iter()
            .position(|it| it.fields.iter().any(|(_, text)| text.contains("lighthouse")))
            .expect("it is there");
        let count = messages.len() as u64;
        for share in 4..40 {
            let mut options = options.clone();
            options["budget"]["maxTokens"] = json!(200 + each * count * share / 20);
            let config = config(&options.to_string());
            let context = build(&transcript, Some("What is painted on the lighthouse?"), config);
            let kept = kept(&context.expect("it fits"));
            assert!(kept.contains(&row), "{options}: {kept:?}");
        }
    }
    // Counts from a hook don't reveal it either.
    for limit in (2000..40_000).step_by(1000) {
        let config = config(&json!({"budget": {"maxTokens": limit}}).to_string());
        let context = build_with(
            &transcript(&messages),
            Some(transcript(&[Message::user("What is painted on the lighthouse?")])),
            config,
            &[HookName::CountTokens],
            &mut |need| {
                let Need::Counts { texts, .. } = need else { panic!("asks for {need:?}") };
                let counts = texts.iter().map(|text| 10 * text.len() as u64).collect();
                Answer { hook: HookName::CountTokens, counts: Some(counts), ..Answer::default() }
            },
        );
        let kept = kept(&context.expect("it fits"));
        assert!(kept.contains(&OLD), "{limit}: {kept:?}");
    }
}

#[test]
fn a_long_instruction_does_not_stop_recall() {
    let mut messages = vec![Message::system(&"Be brief and kind. ".repeat(700)).at(0)];
    messages.extend(around(&LIGHTHOUSE, &ENGLISH, NOW.0 - DAY));
    let context = run(&messages, "What was it about the lighthouse?", 3_700, &json!({}));
    assert!(recalled(&context).iter().any(|row| (OLD + 1..OLD + 5).contains(row)));
}

#[test]
fn other_sessions_do_not_change_the_ranking() {
    let own = around(&LIGHTHOUSE, &ENGLISH, NOW.0 - DAY);
    let of = |session: &str, message: &Message| message.clone().with(Field::SessionId, session);
    let text = "What was it about the lighthouse?";
    let build_for = |messages: &[Message]| {
        let json = r#"{"sessionId":"one","budget":{"maxTokens":150}}"#;
        build(&transcript(messages), Some(text), config(json)).expect("it fits")
    };
    let alone: Vec<Message> = own.iter().map(|message| of("one", message)).collect();
    let mut others: Vec<Message> = (0..200)
        .map(|row| {
            let word = if row % 2 == 0 { "lighthouse" } else { "open" };
            of("two", &Message::user(word).at(row).with(Field::Name, "Lighthouse"))
        })
        .collect();
    let count = others.len();
    others.extend(alone.clone());
    let expected = recalled(&build_for(&alone));
    let found = recalled(&build_for(&others));
    assert!(!expected.is_empty());
    assert_eq!(found, expected.iter().map(|row| row + count).collect::<Vec<_>>());
}
