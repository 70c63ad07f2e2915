//! Trains the classifier of lasting statements, and prints its precision and recall.
//!
//! `cargo run --release -p windrow-words --example statements -- scripts/statements crates/words/src/statements.bin`
//! reads the templates of each language and writes the weights. A template is a class and a sentence with slots. The
//! program fills the slots from a seed, so that the same templates make the same weights. It trains twice: without a
//! fifth of the templates, to measure on these; then with all of them, to measure on `held-out.txt`.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "counts of sentences, weights of a byte, gaps of seven bits"
)]
#![expect(clippy::print_stdout, reason = "it reports")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};
use windrow_words::statements::{EVERY, STEP, features};

const LANGUAGES: [&str; 7] =
    ["english", "german", "french", "spanish", "portuguese", "italian", "russian"];
const CLASSES: [&str; 4] = ["fact", "instruction", "health", "none"];
const NONE: usize = 3;
/// Sentences made of each template.
const PER_TEMPLATE: usize = 16;
/// Random mixtures of words for each template, which say nothing. More of them make the classifier find less, with
/// fewer errors.
const SALADS: usize = 2;
/// A feature that fewer templates have gets no weight: it is a word of a slot.
const LEAST_TEMPLATES: usize = 2;
const EPOCHS: usize = 12;
/// The first step of a feature's weight.
const RATE: f64 = 0.3;
/// L1 regularization. The higher, the fewer features have a weight.
const L1: f64 = 20.0;

struct Template {
    language: usize,
    class: usize,
    text: String,
}

struct Sentence {
    language: usize,
    class: usize,
    template: usize,
    keys: Vec<u32>,
}

/// The words of each slot of a language.
type Slots = BTreeMap<String, Vec<String>>;

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count.max(1)
    }

    fn pick<'a>(&mut self, all: &'a [impl AsRef<str>]) -> &'a str {
        all[self.below(all.len())].as_ref()
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
    let part = |is_held_out: bool| -> Vec<&Template> {
        let all = templates.iter().enumerate();
        all.filter(|(at, _)| (at % 5 == 2) == is_held_out).map(|it| it.1).collect()
    };
    let model = Model::train(&part(false), &slots);
    report("a fifth of the templates", &model, &sentences(&part(true), &slots, false));
    let model = Model::train(&templates.iter().collect::<Vec<_>>(), &slots);
    report("held-out.txt", &model, &read_sentences(&read("held-out.txt")));
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
            templates.push(Template { language, class: class_of(class), text: text.to_owned() });
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
        Sentence { language, class: class_of(next()), template: 0, keys: keys(next()) }
    };
    text.lines().filter(|line| !line.starts_with('#')).map(sentence).collect()
}

/// A template with its slots filled. `[a|b]` is replaced by one of its choices. A slot is `{a}`, or `{a|b}` for one of
/// several.
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

/// Sentences of templates. If `is_mixed`, half of them have another clause before or after them, and random mixtures of
/// words are added.
fn sentences(templates: &[&Template], slots: &[Slots], is_mixed: bool) -> Vec<Sentence> {
    let mut random = Random(7);
    let mut all = Vec::new();
    for (at, Template { language, class, text }) in templates.iter().enumerate() {
        let slots = &slots[*language];
        let of_language: Vec<&str> = templates
            .iter()
            .filter(|it| it.language == *language)
            .map(|it| it.text.as_str())
            .collect();
        let others: Vec<&str> = templates
            .iter()
            .filter(|it| it.language == *language && it.class == NONE)
            .map(|it| it.text.as_str())
            .collect();
        let mut add = |class: usize, text: &str| {
            all.push(Sentence { language: *language, class, template: at, keys: keys(text) });
        };
        for copy in 0..PER_TEMPLATE {
            if is_mixed && copy % 2 == 0 && copy < 2 * SALADS {
                add(NONE, &salad(&of_language, slots, &mut random));
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
            add(*class, &text);
        }
    }
    all
}

/// Words of a language's sentences, one or two from each.
fn salad(templates: &[&str], slots: &Slots, random: &mut Random) -> String {
    let mut words = Vec::new();
    for _ in 0..3 + random.below(5) {
        let sentence = fill(random.pick(templates), slots, random);
        let all: Vec<&str> = sentence.split(' ').collect();
        let start = random.below(all.len());
        words.extend(all[start..].iter().take(1 + random.below(2)).map(|it| (*it).to_owned()));
    }
    words.join(" ").trim_end_matches('?').to_owned()
}

/// The features of a sentence. A question has none.
fn keys(text: &str) -> Vec<u32> {
    if text.ends_with('?') { Vec::new() } else { features(text) }
}

/// The features that enough templates have.
fn common(sentences: &[Sentence]) -> BTreeSet<u32> {
    let mut templates: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for Sentence { template, keys, .. } in sentences {
        for key in keys {
            templates.entry(*key).or_default().insert(*template);
        }
    }
    let is_common = |(_, templates): &(u32, BTreeSet<usize>)| templates.len() >= LEAST_TEMPLATES;
    templates.into_iter().filter(is_common).map(|it| it.0).collect()
}

/// The sums of FTRL-Proximal for a feature: of gradients, and of their squares, for each class against "none".
type Sums = ([f64; 3], [f64; 3]);

/// A feature's weight from its sums (`McMahan` et al., "Ad Click Prediction", 2013). L1 leaves few of them.
fn weight(key: u32, gradients: f64, squares: f64) -> f64 {
    let l1 = if key == EVERY { 0.0 } else { L1 };
    if gradients.abs() <= l1 {
        return 0.0;
    }
    -(gradients - gradients.signum() * l1) / ((1.0 + squares.sqrt()) / RATE + 1.0)
}

/// Weights by feature, for each class against "none".
struct Model(BTreeMap<u32, [i8; 3]>);

impl Model {
    fn train(templates: &[&Template], slots: &[Slots]) -> Self {
        let common = common(&sentences(templates, slots, false));
        let mut sentences = sentences(templates, slots, true);
        for sentence in &mut sentences {
            sentence.keys.retain(|key| common.contains(key));
        }
        let mut sums: BTreeMap<u32, Sums> = BTreeMap::new();
        let mut order: Vec<usize> = (0..sentences.len()).collect();
        let mut random = Random(11);
        for _ in 0..EPOCHS {
            for at in (1..order.len()).rev() {
                order.swap(at, random.below(at + 1));
            }
            for at in &order {
                learn(&sentences[*at], &mut sums);
            }
        }
        let byte = |weight: f64| (weight / f64::from(STEP)).round().clamp(-127.0, 127.0) as i8;
        let weights = sums.into_iter().map(|(key, (gradients, squares))| {
            (key, [0, 1, 2].map(|kind| byte(weight(key, gradients[kind], squares[kind]))))
        });
        let says_something = |(_, bytes): &(u32, [i8; 3])| bytes.iter().any(|byte| byte.abs() > 1);
        Self(weights.filter(says_something).collect())
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

    /// The features in order: the difference from the one before in groups of seven bits, and a byte for each class.
    fn bytes(&self) -> Vec<u8> {
        let (mut bytes, mut before) = (Vec::new(), 0);
        for (key, weights) in &self.0 {
            let mut gap = key - before;
            before = *key;
            while gap >= 0x80 {
                bytes.push((gap & 0x7F) as u8 | 0x80);
                gap >>= 7;
            }
            bytes.push(gap as u8);
            bytes.extend(weights.map(i8::cast_unsigned));
        }
        bytes
    }
}

/// One step of logistic regression.
fn learn(Sentence { class, keys, .. }: &Sentence, sums: &mut BTreeMap<u32, Sums>) {
    let mut scores = [0.0; 4];
    for key in keys {
        if let Some((gradients, squares)) = sums.get(key) {
            for kind in 0..3 {
                scores[kind] += weight(*key, gradients[kind], squares[kind]);
            }
        }
    }
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let powers = scores.map(|score: f64| (score - most).exp());
    let sum: f64 = powers.iter().sum();
    for kind in 0..3 {
        let gradient = powers[kind] / sum - if *class == kind { 1.0 } else { 0.0 };
        for key in keys {
            let (gradients, squares) = sums.entry(*key).or_default();
            let (before, square) = (squares[kind], gradient * gradient);
            let step = ((before + square).sqrt() - before.sqrt()) / RATE;
            gradients[kind] += gradient - step * weight(*key, gradients[kind], before);
            squares[kind] += square;
        }
    }
}

/// Prints precision, recall, and the share of the found statements with the right class, for each language.
fn report(title: &str, model: &Model, sentences: &[Sentence]) {
    println!("{title}: precision, recall, kind, in percent");
    for (language, name) in LANGUAGES.iter().enumerate() {
        let of_language: Vec<(usize, usize)> = sentences
            .iter()
            .filter(|it| it.language == language)
            .map(|it| (it.class, model.class(&it.keys)))
            .collect();
        let count = |holds: &dyn Fn(usize, usize) -> bool| {
            of_language.iter().filter(|(wanted, found)| holds(*wanted, *found)).count() as f64
        };
        let wanted = count(&|wanted, _| wanted != NONE);
        let found = count(&|_, found| found != NONE);
        let right = count(&|wanted, found| wanted != NONE && found != NONE);
        let of_kind = count(&|wanted, found| wanted != NONE && found == wanted);
        let [precision, recall, kind] =
            [right / found, right / wanted, of_kind / right].map(|share| 100.0 * share);
        let others = count(&|wanted, _| wanted == NONE);
        println!(
            "{name:12} {precision:5.1} {recall:5.1} {kind:5.1}  of {wanted} and {others} others"
        );
    }
}
