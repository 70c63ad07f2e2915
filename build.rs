//! Makes the list of context windows, `windows.txt` in `OUT_DIR`: what the core needs of `src/tokens/models.tsv`, the names of models,
//! their windows, and the least that their providers cache.

use std::path::Path;
use std::{env, fs};

const MODELS: &str = "src/tokens/models.tsv";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={MODELS}");

    let models = fs::read_to_string(MODELS).expect("the table of models is there");
    let rows = models.lines().filter(|line| !line.starts_with('#'));
    let windows: Vec<String> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('\t').collect();
            let known = |cell: usize| if cells[cell].is_empty() { "-" } else { cells[cell] };
            format!("{} {} {} {}\n", cells[0], cells[2], known(3), known(6))
        })
        .collect();
    let directory = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&directory).join("windows.txt"), windows.concat())
        .expect("OUT_DIR is writable");
}
