//! Makes the list of context windows, `windows.txt` in `OUT_DIR`: what the core needs of `src/tokens/models.tsv`, the names of models
//! and their windows.

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
            format!("{}\n", [cells[0], cells[2], cells[3]].join(" ").trim_end())
        })
        .collect();
    let directory = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&directory).join("windows.txt"), windows.concat())
        .expect("OUT_DIR is writable");
}
