//! Trains the classifier of lasting statements, and prints how well it finds them.
//!
//! `cargo run --release -p windrow-words --example statements -- scripts/statements crates/words/src/statements.bin`
//! reads the templates of each language and writes the weights. A template is a class and a sentence with slots. The
//! program fills the slots from a seed, so the same templates always yield the same weights. It trains six times: once
//! without each fifth of the templates, to measure on that fifth; then with all of them, to measure on `held-out.txt`,
//! `independent.txt`, `lines.txt` and `more-lines.txt`.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "counts of sentences, weights of a byte, gaps of seven bits"
)]
#![expect(clippy::print_stdout, reason = "it reports")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};
use windrow_words::statements::{STEP, Table, features};

const LANGUAGES: [&str; 9] = [
    "english",
    "german",
    "french",
    "spanish",
    "portuguese",
    "italian",
    "russian",
    "japanese",
    "chinese",
];
const CLASSES: [&str; 4] = ["fact", "instruction", "health", "none"];
const NONE: usize = 3;
/// Sentences made of each template.
const PER_TEMPLATE: usize = 16;
const EPOCHS: usize = 12;
/// Sentences made of each turn of `lines.txt`.
const FILLED: usize = 8;
/// The first step of a feature's weight.
const RATE: f64 = 0.3;

/// How a table's weights are learned.
struct Learning {
    table: Table,
    /// Number of random word mixtures per template, as examples of texts that state nothing. With more of them, the
    /// classifier finds fewer statements but makes fewer errors.
    salads: usize,
    /// Maximum number of pieces that a long mixture has more than a short one. Half of the mixtures are long, like
    /// pasted texts; with 0, none are.
    long: usize,
    /// A feature found in fewer templates gets no weight, because it is probably the content of a slot.
    least_templates: usize,
    /// L1 regularization. With a higher value, fewer features have a weight.
    l1: f64,
    /// A feature stays if one of its rounded weights is at least this. Weak regularization followed by this cut finds
    /// better weights for the same number of features than strong regularization does.
    least_weight: u8,
    /// Added to each class's score. A lower value finds less, with fewer errors.
    bias: [f64; 3],
    /// Sentences made from each template that states nothing. Chats mostly consist of these.
    copies_of_none: usize,
    /// Sentences made from each English template for the other languages' table, where they count as stating nothing.
    foreign: usize,
    /// Features per thousand that each training step leaves out, at random. Then weights don't rely on a single word, and
    /// a sentence with many words that never occurred in training is still recognized. Leaving out more raises the
    /// scores, so the bias must be lower.
    dropped: usize,
    /// Number of training rounds, each with other sentences from the same templates. The weights are averaged, so that
    /// effects of words that met by chance cancel out.
    rounds: u64,
}

/// English needs more evidence, because most pasted texts are English, and most instructions in them apply only once.
const LEARNINGS: [Learning; 2] = [
    Learning {
        table: Table::English,
        salads: 1,
        long: 0,
        least_templates: 1,
        l1: 5.0,
        least_weight: 2,
        bias: [-0.35, -0.85, -0.25],
        copies_of_none: 2 * PER_TEMPLATE,
        foreign: 0,
        dropped: 600,
        rounds: 32,
    },
    Learning {
        table: Table::Others,
        salads: 1,
        long: 20,
        least_templates: 2,
        l1: 110.0,
        least_weight: 1,
        bias: [1.3, 1.3, 1.5],
        copies_of_none: 3 * PER_TEMPLATE,
        foreign: 12,
        dropped: 0,
        rounds: 8,
    },
];
/// Factor for the weights of other languages: fewer of their features are known, so each must count more.
const SCALE_OF_OTHERS: f64 = 2.0;

struct Template {
    language: usize,
    /// True if only the other languages' table is trained on it.
    is_foreign: bool,
    class: usize,
    text: String,
}

struct Sentence {
    language: usize,
    class: usize,
    template: usize,
    keys: Vec<u32>,
    /// A random number, which decides its place in each epoch.
    draw: u64,
}

/// The words of each slot of a language.
type Slots = BTreeMap<String, Vec<String>>;

/// A linear congruential generator.
struct Random(u64);

impl Random {
    /// A generator whose seed is a text and a round. So a template's sentences don't depend on its place, and a change to
    /// one language doesn't redraw the sentences of the others.
    fn of(text: &str, round: u64) -> Self {
        let mixed = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        Self(text.bytes().fold(0xCBF2_9CE4_8422_2325 ^ round, mixed))
    }

    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, count: usize) -> usize {
        self.next() as usize % count.max(1)
    }

    fn pick<'a>(&mut self, all: &'a [impl AsRef<str>]) -> &'a str {
        all.get(self.below(all.len())).map_or("", AsRef::as_ref)
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, out] = arguments.as_slice() else {
        panic!("give a folder of templates, and the file to write");
    };
    let read = |name: &str| {
        fs::read_to_string(Path::new(folder).join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let (mut slots, mut templates) = (Vec::new(), Vec::new());
    for (language, name) in LANGUAGES.iter().enumerate() {
        slots.push(read_templates(&read(&format!("{name}.txt")), language, &mut templates));
    }
    let own = templates.len();
    let of_foreign = read_templates(&read("foreign.txt"), 0, &mut templates);
    slots[0].extend(of_foreign);
    for template in &mut templates[own..] {
        template.is_foreign = true;
    }
    let mut judged = Vec::new();
    for fifth in 0..5 {
        let part = |is_held_out: bool| -> Vec<&Template> {
            let all = templates.iter().enumerate();
            all.filter(|(at, _)| (at % 5 == fifth) == is_held_out).map(|it| it.1).collect()
        };
        let model = Model::train(&part(false), &slots);
        for learning in &LEARNINGS {
            judged.extend(judge(&model, &sentences(&part(true), &slots, learning, false, 0)));
        }
    }
    report("each fifth of the templates, by training on the others", &judged);
    let model = Model::train(&templates.iter().collect::<Vec<_>>(), &slots);
    for name in ["held-out.txt", "independent.txt"] {
        report(name, &judge(&model, &read_sentences(&read(name))));
    }
    for name in ["lines.txt", "more-lines.txt"] {
        report(name, &judge(&model, &read_lines(&read(name))));
    }
    let bytes = model.bytes();
    println!("{} features, {} bytes", model.0.len(), bytes.len());
    fs::write(out, bytes).expect("the file can be written");
}

fn class_of(name: &str) -> usize {
    CLASSES.iter().position(|it| *it == name).unwrap_or_else(|| panic!("{name} is not a class"))
}

/// Reads the slots of a language, and adds its templates.
fn read_templates(text: &str, language: usize, templates: &mut Vec<Template>) -> Slots {
    let mut slots = Slots::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((name, words)) = line.strip_prefix('@').and_then(|it| it.split_once(" = ")) {
            slots.insert(name.to_owned(), words.split("; ").map(str::to_owned).collect());
        } else {
            let (class, text) = line.split_once(" | ").expect("a class and a sentence");
            templates.push(Template {
                language,
                is_foreign: false,
                class: class_of(class),
                text: text.to_owned(),
            });
        }
    }
    slots
}

/// Reads sentences: language, class and text in each line.
fn read_sentences(text: &str) -> Vec<Sentence> {
    let sentence = |line: &str| {
        let mut cells = line.splitn(3, " | ");
        let mut next = || cells.next().unwrap_or_else(|| panic!("three cells: {line}"));
        let name = next();
        let language = LANGUAGES.iter().position(|it| *it == name).expect("a language");
        Sentence {
            language,
            class: class_of(next()),
            template: 0,
            keys: keys(next(), table_of(language)),
            draw: 0,
        }
    };
    text.lines().filter(|line| !line.starts_with('#')).map(sentence).collect()
}

/// Reads the lines that `npm run recall -- --lines` measures. Ordinary chat lines state nothing lasting: each is filled
/// with several subjects, as in that measurement.
fn read_lines(text: &str) -> Vec<Sentence> {
    let mut random = Random(3);
    let all: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.splitn(3, " | ").collect())
        .collect();
    let mut lines = Vec::new();
    for cells in all.iter().filter(|cells| cells[1] != "subject") {
        let [language, class, said] = cells[..] else { panic!("three cells: {cells:?}") };
        let is_of = |other: &&Vec<&str>| other[0] == language && other[1] == "subject";
        let subjects: Vec<&str> =
            all.iter().filter(is_of).flat_map(|other| other[2].split("; ")).collect();
        let of_chat = ["turn", "reply", "task"].contains(&class);
        for _ in 0..if of_chat && said.contains('*') { FILLED } else { 1 } {
            let subject: Vec<&str> = (0..4).map(|_| random.pick(&subjects)).collect();
            let said = said.replace('*', &subject.join(", "));
            lines.push(format!("{language} | {} | {said}", if of_chat { "none" } else { class }));
        }
    }
    read_sentences(&lines.join("\n"))
}

/// A template with its slots filled. `[a|b]` stands for one of its choices; a slot is `{a}`, or `{a|b}` for one of
/// several slots.
fn fill(template: &str, slots: &Slots, random: &mut Random) -> String {
    let mut text = template.to_owned();
    while let Some(end) = text.find(']') {
        let start = text[..end].rfind('[').expect("a [ before each ]");
        // A bar within a slot doesn't separate choices.
        let mut choices: Vec<String> = Vec::new();
        for choice in text[start + 1..end].split('|') {
            match choices.last_mut() {
                Some(last) if last.matches('{').count() > last.matches('}').count() => {
                    *last = format!("{last}|{choice}");
                }
                _ => choices.push(choice.to_owned()),
            }
        }
        text.replace_range(start..=end, random.pick(&choices));
    }
    while let Some(end) = text.find('}') {
        let start = text[..end].rfind('{').expect("a { before each }");
        let names: Vec<&str> = text[start + 1..end].split('|').collect();
        let words = slots.get(random.pick(&names)).unwrap_or_else(|| panic!("slots: {template}"));
        text.replace_range(start..=end, random.pick(words));
    }
    text
}

/// Makes sentences from templates, to train a table. If `is_mixed`, half of them get another clause before or after
/// them, and there are also random mixtures of words, and sentences of the other table.
fn sentences(
    templates: &[&Template],
    slots: &[Slots],
    learning: &Learning,
    is_mixed: bool,
    round: u64,
) -> Vec<Sentence> {
    let mut all = Vec::new();
    for (at, Template { language, is_foreign, class, text }) in templates.iter().enumerate() {
        let is_own = table_of(*language) == learning.table;
        if is_own && *is_foreign {
            continue;
        }
        let copies = match (is_own, is_mixed) {
            (true, _) if *class == NONE && is_mixed => learning.copies_of_none,
            (true, _) => PER_TEMPLATE,
            (false, true) => learning.foreign,
            (false, false) => 0,
        };
        let slots = &slots[*language];
        let is_like = |it: &&&Template| it.language == *language && it.is_foreign == *is_foreign;
        let of_language = templates.iter().filter(is_like);
        let others = of_language.clone().filter(|it| it.class == NONE);
        let [of_language, others]: [Vec<&str>; 2] = [
            of_language.map(|it| it.text.as_str()).collect(),
            others.map(|it| it.text.as_str()).collect(),
        ];
        let mut random = Random::of(text, round);
        let mut draws = Random::of(text, !round);
        let mut add = |class: usize, text: &str| {
            let keys = learned_keys(text, learning.table);
            let draw = draws.next();
            all.push(Sentence { language: *language, class, template: at, keys, draw });
        };
        for copy in 0..copies {
            if is_mixed && copy % 2 == 0 && copy < 2 * learning.salads {
                add(NONE, &salad(&of_language, slots, &mut random, learning.long));
            }
            let mut text = fill(text, slots, &mut random);
            if is_mixed && copy % 2 == 1 {
                let other = fill(random.pick(&others), slots, &mut random);
                let [one, other] = [&text, &other].map(|text| text.trim_end_matches(['.', '?']));
                text = if copy % 4 == 1 {
                    format!("{one}, {other}")
                } else {
                    format!("{other}, {one}")
                };
            }
            add(if is_own { *class } else { NONE }, &text);
        }
    }
    all
}

fn table_of(language: usize) -> Table {
    if language == 0 { Table::English } else { Table::Others }
}

/// Words from a language's sentences, one or two from each.
fn salad(templates: &[&str], slots: &Slots, random: &mut Random, long: usize) -> String {
    let is_short = long == 0 || random.below(2) == 0;
    let length = if is_short { 3 + random.below(5) } else { 6 + random.below(long) };
    let mut words = Vec::new();
    for _ in 0..length {
        let sentence = fill(random.pick(templates), slots, random);
        // In languages without spaces, runs of letters serve as words.
        let letters: Vec<String> = sentence.chars().map(String::from).collect();
        let pieces: Vec<String> = letters.chunks(3).map(<[String]>::concat).collect();
        let all: Vec<&str> = if sentence.contains(' ') || sentence.is_ascii() {
            sentence.split(' ').collect()
        } else {
            pieces.iter().map(String::as_str).collect()
        };
        let start = random.below(all.len());
        words.extend(all[start..].iter().take(1 + random.below(2)).map(|it| (*it).to_owned()));
    }
    words.join(" ").trim_end_matches('?').to_owned()
}

/// The features of a training sentence. Questions lose their question mark, because some people leave it out, and
/// because the first clauses of a question are read without it.
fn learned_keys(text: &str, table: Table) -> Vec<u32> {
    features(text.trim_end_matches(['?', '？', ' ']), table)
}

/// The features of a sentence to classify. A question has none.
fn keys(text: &str, table: Table) -> Vec<u32> {
    if text.ends_with(['?', '？']) { Vec::new() } else { features(text, table) }
}

/// The features that occur in enough templates.
fn common(sentences: &[Sentence], least: usize) -> BTreeSet<u32> {
    let mut templates: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for Sentence { template, keys, .. } in sentences {
        for key in keys {
            templates.entry(*key).or_default().insert(*template);
        }
    }
    let is_common = |(_, templates): &(u32, BTreeSet<usize>)| templates.len() >= least;
    templates.into_iter().filter(is_common).map(|it| it.0).collect()
}

/// State of FTRL-Proximal for a feature, for each class against "none".
struct Learned {
    l1: f64,
    gradients: [f64; 3],
    /// Sums of the squares of the gradients.
    squares: [f64; 3],
    weights: [f64; 3],
}

impl Learned {
    fn new(l1: f64) -> Self {
        Self { l1, gradients: [0.0; 3], squares: [0.0; 3], weights: [0.0; 3] }
    }
}

/// A feature's weight from its sums (`McMahan` et al., "Ad Click Prediction", 2013). L1 leaves few of them.
fn weight(l1: f64, gradients: f64, squares: f64) -> f64 {
    if gradients.abs() <= l1 {
        return 0.0;
    }
    -(gradients - gradients.signum() * l1) / ((1.0 + squares.sqrt()) / RATE + 1.0)
}

/// Weights by feature, for each class against "none".
struct Model(BTreeMap<u32, [i8; 3]>);

impl Model {
    fn train(templates: &[&Template], slots: &[Slots]) -> Self {
        Self(LEARNINGS.iter().flat_map(|it| Self::learned(templates, slots, it)).collect())
    }

    /// The weights of one table.
    fn learned(
        templates: &[&Template],
        slots: &[Slots],
        learning: &Learning,
    ) -> BTreeMap<u32, [i8; 3]> {
        let every = learning.table.every();
        let mut means: BTreeMap<u32, [f64; 3]> = BTreeMap::new();
        for round in 0..learning.rounds {
            for (key, weights) in Self::round(templates, slots, learning, round) {
                let mean = means.entry(key).or_default();
                for (mean, weight) in mean.iter_mut().zip(weights) {
                    *mean += weight / learning.rounds as f64;
                }
            }
        }
        let scale = if learning.table == Table::English { 1.0 } else { SCALE_OF_OTHERS };
        let byte =
            |weight: f64| (scale * weight / f64::from(STEP)).round().clamp(-127.0, 127.0) as i8;
        let weights = means.into_iter().map(|(key, weights)| {
            let bias = if key == every { learning.bias } else { [0.0; 3] };
            (key, [0, 1, 2].map(|kind| byte(weights[kind] + bias[kind])))
        });
        let is_strong = |byte: &i8| byte.unsigned_abs() >= learning.least_weight;
        weights.filter(|(_, bytes)| bytes.iter().any(is_strong)).collect()
    }

    /// The weights of one round.
    fn round(
        templates: &[&Template],
        slots: &[Slots],
        learning: &Learning,
        round: u64,
    ) -> BTreeMap<u32, [f64; 3]> {
        let plain = sentences(templates, slots, learning, false, round);
        let common = common(&plain, learning.least_templates);
        let mut sentences = sentences(templates, slots, learning, true, round);
        for sentence in &mut sentences {
            sentence.keys.retain(|key| common.contains(key));
        }
        let every = learning.table.every();
        // Features by number: their order is that of the keys.
        let keys: Vec<u32> = common.into_iter().collect();
        let number = |key: &u32| keys.binary_search(key).expect("only common keys are left");
        let examples: Vec<(usize, Vec<usize>)> =
            sentences.iter().map(|it| (it.class, it.keys.iter().map(number).collect())).collect();
        let mut learned: Vec<Learned> = keys
            .iter()
            .map(|key| Learned::new(if *key == every { 0.0 } else { learning.l1 }))
            .collect();
        let every = keys.iter().position(|key| *key == every);
        let mut order: Vec<usize> = (0..examples.len()).collect();
        for epoch in 0..EPOCHS as u64 {
            order.sort_by_cached_key(|at| Random(sentences[*at].draw ^ epoch << 31).next());
            for at in &order {
                let (class, mut features) = examples[*at].clone();
                if learning.dropped > 0 {
                    let mut random = Random(sentences[*at].draw ^ (epoch + 1) << 40);
                    features
                        .retain(|at| Some(*at) == every || random.below(1000) >= learning.dropped);
                }
                learn(class, &features, &mut learned);
            }
        }
        keys.into_iter().zip(learned.iter().map(|it| it.weights)).collect()
    }

    fn class(&self, keys: &[u32]) -> usize {
        let mut scores = [0_i32; 3];
        for bytes in keys.iter().filter_map(|key| self.0.get(key)) {
            for (score, byte) in scores.iter_mut().zip(bytes) {
                *score += i32::from(*byte);
            }
        }
        let best = (0..3).max_by_key(|kind| scores[*kind]).unwrap_or(NONE);
        if scores[best] > 0 { best } else { NONE }
    }

    /// The number of features, the gaps between their keys in groups of seven bits, and then the weights, kind by kind.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = (self.0.len() as u32).to_le_bytes().to_vec();
        let mut before = 0;
        for key in self.0.keys() {
            let mut gap = key - before;
            before = *key;
            while gap >= 0x80 {
                bytes.push((gap & 0x7F) as u8 | 0x80);
                gap >>= 7;
            }
            bytes.push(gap as u8);
        }
        for at in 0..3 {
            bytes.extend(self.0.values().map(|weights| weights[at].cast_unsigned()));
        }
        bytes
    }
}

/// One step of logistic regression.
fn learn(class: usize, features: &[usize], learned: &mut [Learned]) {
    let mut scores = [0.0; 4];
    for at in features {
        for (score, weight) in scores.iter_mut().zip(learned[*at].weights) {
            *score += weight;
        }
    }
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let powers = scores.map(|score: f64| (score - most).exp());
    let sum: f64 = powers.iter().sum();
    for at in features {
        let of_feature = &mut learned[*at];
        for (kind, power) in powers[..3].iter().enumerate() {
            let gradient = power / sum - if class == kind { 1.0 } else { 0.0 };
            let (before, square) = (of_feature.squares[kind], gradient * gradient);
            let step = ((before + square).sqrt() - before.sqrt()) / RATE;
            of_feature.gradients[kind] += gradient - step * of_feature.weights[kind];
            of_feature.squares[kind] += square;
            of_feature.weights[kind] =
                weight(of_feature.l1, of_feature.gradients[kind], of_feature.squares[kind]);
        }
    }
}

/// A sentence's language, its class, and the class that a model predicts.
type Judged = (usize, usize, usize);

fn judge(model: &Model, sentences: &[Sentence]) -> Vec<Judged> {
    sentences.iter().map(|it| (it.language, it.class, model.class(&it.keys))).collect()
}

/// Prints precision, recall, and the share of the found statements that have the right class, for each language.
fn report(title: &str, judged: &[Judged]) {
    println!("{title}: precision, recall, kind, in percent");
    for (language, name) in LANGUAGES.iter().enumerate() {
        let of_language: Vec<&Judged> = judged.iter().filter(|it| it.0 == language).collect();
        let count = |holds: &dyn Fn(usize, usize) -> bool| {
            of_language.iter().filter(|(_, wanted, found)| holds(*wanted, *found)).count() as f64
        };
        let wanted = count(&|wanted, _| wanted != NONE);
        let found = count(&|_, found| found != NONE);
        let right = count(&|wanted, found| wanted != NONE && found != NONE);
        let of_kind = count(&|wanted, found| wanted != NONE && found == wanted);
        let [precision, recall, kind] =
            [right / found, right / wanted, of_kind / right].map(|share| 100.0 * share);
        let others = count(&|wanted, _| wanted == NONE);
        println!(
            "{name:12} {precision:5.1} {recall:5.1} {kind:5.1}  {right} of {wanted}, and {} of {others} others",
            found - right
        );
    }
}
