//! Counts the texts in files with a vocabulary: `count ENCODING ASSET ROUNDS FILE…`. Prints one line per file: its
//! tokens, and the first and the best speed in megabytes per second. A file is one text, or several separated by
//! U+001E.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "it measures time, and prints it"
)]

use std::time::Instant;
use windrow_encoding::Tokenizer;
use windrow_encoding::pretokenizer::Pieces;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [encoding, asset, rounds, files @ ..] = arguments.as_slice() else {
        return Err("usage: count ENCODING ASSET ROUNDS FILE...".into());
    };
    let pieces = match encoding.as_str() {
        "o200k_base" => Pieces::O200k,
        "cl100k_base" => Pieces::Cl100k,
        "qwen" => Pieces::Qwen,
        "deepseek_v3" => Pieces::Deepseek,
        "tekken" => Pieces::Tekken,
        "llama3" => Pieces::Llama3,
        _ => return Err("no such encoding".into()),
    };
    let asset = std::fs::read(asset)?;
    for file in files {
        let text = std::fs::read_to_string(file)?;
        let texts: Vec<&str> = text.split('\x1e').collect();
        let started = Instant::now();
        let (tokenizer, _) = Tokenizer::from_asset(pieces, &asset)?;
        let loaded = started.elapsed();
        let mut speeds = Vec::new();
        let mut tokens = 0;
        for _ in 0..rounds.parse::<usize>()? {
            let started = Instant::now();
            tokens = texts
                .iter()
                .filter_map(|text| tokenizer.count_until(text.as_bytes(), u64::MAX))
                .sum::<u64>();
            speeds.push(text.len() as u128 * 10 / started.elapsed().as_micros().max(1));
        }
        let tenths = |speed: Option<&u128>| {
            let speed = speed.copied().unwrap_or_default();
            format!("{}.{}", speed / 10, speed % 10)
        };
        println!(
            "{file}: {tokens} tokens of {} bytes; {} MB/s at first, {} at best; {loaded:?} to load",
            text.len(),
            tenths(speeds.first()),
            tenths(speeds.iter().max()),
        );
    }
    Ok(())
}
