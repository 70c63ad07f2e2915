//! Prints the speed of counting next to the reference's, and the estimate's error against `o200k_base`, on the texts of
//! a folder: `cargo run --release --example measure_tokens -- FOLDER`. A file is one text, or several with U+001E
//! between.

#![expect(clippy::disallowed_methods, reason = "it measures time")]

#[path = "../tests/core/support/mod.rs"]
mod support;

use std::io::Result;
use std::time::Instant;
use support::{ASSETS, encoding, reference_count};
use windrow::tokens::{Counter, Encoding, EncodingName, Tokenizer};

fn main() -> Result<()> {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: measure_tokens FOLDER");
        std::process::exit(2);
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let text = std::fs::read_to_string(&path)?;
        let texts: Vec<String> = text.split('\x1e').map(str::to_owned).collect();
        files.push((path.display().to_string(), texts));
    }
    files.sort();
    for (file, texts) in &files {
        print_error(file, texts);
    }
    let texts: Vec<&str> = files.iter().flat_map(|(_, texts)| texts).map(String::as_str).collect();
    print_speed(&texts);
    Ok(())
}

/// The estimate's error in tenths of a percent of the tokens: in total, and on average a text.
fn print_error(file: &str, texts: &[String]) {
    let (mut exact, mut estimate, mut off) = (0, 0, 0);
    for text in texts {
        let counted = encoding(EncodingName::O200kBase).count(text);
        let estimated = Counter::Estimate(Tokenizer::O200k).count(text);
        exact += counted;
        estimate += estimated;
        off += counted.abs_diff(estimated);
    }
    let sign = if estimate < exact { '-' } else { '+' };
    let total = u64::abs_diff(estimate, exact) * 1000 / exact.max(1);
    let each = off * 1000 / exact.max(1);
    eprintln!("{sign}{total:4} in total, {each:4} a text: {file} ({exact} tokens)");
}

fn print_speed(texts: &[&str]) {
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let report = |what: &str, count: &dyn Fn(&str) -> u64| {
        let started = Instant::now();
        let tokens: u64 = texts.iter().map(|text| count(text)).sum();
        let speed = bytes as u128 / started.elapsed().as_micros().max(1);
        eprintln!("{speed:4} MB/s: {what} ({bytes} bytes, {tokens} tokens)");
    };
    for name in EncodingName::PACKAGED {
        let asset = &ASSETS[name as usize];
        let started = Instant::now();
        let encoding = Encoding::from_vocabulary(name, asset).expect("the asset is sound");
        eprintln!("{:?} to load {}", started.elapsed(), name.as_str());
        report("first time", &|text| encoding.count(text));
        report("again", &|text| encoding.count(text));
        reference_count(name, "");
        report("the reference", &|text| reference_count(name, text));
    }
    report("the estimate", &|text| Counter::Estimate(Tokenizer::O200k).count(text));
}
