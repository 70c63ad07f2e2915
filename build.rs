//! Compiles tables into sources for the core: `windows.txt` has the models' context windows and the shortest prompts
//! that their providers cache, and `date-words.rs` has the words for dates and times in each language.

use std::path::Path;
use std::{env, fs};

const MODELS: &str = "src/tokens/models.tsv";
const DATE_WORDS: &str = "src/recall/text/dates/words.tsv";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    write("windows.txt", &windows(&rows(MODELS)));
    write("date-words.rs", &date_words(&rows(DATE_WORDS)));
}

/// The cells of a table's rows. Lines that begin with `#` are comments.
fn rows(path: &str) -> Vec<Vec<String>> {
    println!("cargo::rerun-if-changed={path}");
    let table = fs::read_to_string(path).expect("the table is there");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| row.split('\t').map(str::to_owned).collect()).collect()
}

fn write(name: &str, text: &str) {
    let directory = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&directory).join(name), text).expect("OUT_DIR is writable");
}

fn windows(models: &[Vec<String>]) -> String {
    let known = |cell: &str| if cell.is_empty() { "-".to_owned() } else { cell.to_owned() };
    let line = |row: &Vec<String>| {
        format!("{} {} {} {}\n", row[0], row[2], known(&row[3]), known(&row[6]))
    };
    models.iter().map(line).collect()
}

/// One list per language, of meanings with their words.
fn date_words(meanings: &[Vec<String>]) -> String {
    let languages = meanings.first().map_or(0, Vec::len);
    let list = |language: usize| {
        let with_words = meanings.iter().filter(move |row| !row[language].is_empty());
        let pair = |row: &Vec<String>| format!("({}, {:?}),", meaning(&row[0]), row[language]);
        format!("&[{}],\n", with_words.map(pair).collect::<String>())
    };
    format!("[{}]", (1..languages).map(list).collect::<String>())
}

/// The path of a meaning: `Word::Unit(Unit::Day)` for `Unit(Day)`.
fn meaning(short: &str) -> String {
    let long = short.replace("Unit(", "Unit(Unit::").replace("Part(", "Part(Part::");
    format!("Word::{}", long.replace("DayPart(Part::", "DayPart(").replace(", ", ", Part::"))
}
