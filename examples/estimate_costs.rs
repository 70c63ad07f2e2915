//! Prints estimates of texts: a line for each text of the file, with U+001E between texts. First come its estimates for
//! all of `Tokenizer::ALL`, then the costs of its pieces by kind, in hundredths of a token. `scripts/estimates.mjs`
//! fits by it.

use std::io::{Result, Write as _, stdout};
use windrow::tokens::{Counter, Tokenizer, estimated_costs};

fn main() -> Result<()> {
    let Some(file) = std::env::args_os().nth(1) else {
        eprintln!("usage: estimate_costs FILE");
        std::process::exit(2);
    };
    for text in std::fs::read_to_string(file)?.split('\x1e') {
        let estimates = Tokenizer::ALL.map(|tokenizer| Counter::Estimate(tokenizer).count(text));
        let figures = estimates.into_iter().chain(estimated_costs(text));
        writeln!(stdout(), "{}", figures.map(|it| it.to_string()).collect::<Vec<_>>().join(" "))?;
    }
    Ok(())
}
