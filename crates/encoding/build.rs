//! Generates the table of Unicode character classes for the pretokenizer.
//!
//! The classes come from `regex-syntax`, whose tables the reference tokenizer's patterns use too, so both agree on
//! every code point. The result is two files in `OUT_DIR`, read by `src/classes.rs`:
//!
//! - `class_blocks.bin`: the distinct blocks of 128 code points, two code points per byte, the lower one in the low
//!   four bits
//! - `class_index.bin`: for each block of 128 code points from U+0000 to U+10FFFF, its number in the first file

use regex_syntax::hir::{Class, ClassUnicode, HirKind};
use std::path::Path;
use std::{env, fs};

/// Numbers and patterns of the classes in `src/classes.rs`. A later entry wins over an earlier one. 8 is the bit of
/// characters that are neither punctuation nor symbols.
const CLASSES: [(u8, &str); 8] = [
    (8, r"[^\p{P}\p{S}]"),
    (1, r"\p{Ll}"),
    (2, r"[\p{Lu}\p{Lt}]"),
    (3, r"[\p{Lm}\p{Lo}]"),
    (4, r"\p{M}"),
    (5, r"\p{N}"),
    (7, r"\s"),
    (6, r"[\r\n]"),
];

const CODE_POINTS: usize = 0x11_0000;
const BLOCK: usize = 128;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");

    let mut classes = vec![0_u8; CODE_POINTS];
    for (number, pattern) in CLASSES {
        for range in members(pattern).ranges() {
            classes[range.start() as usize..=range.end() as usize].fill(number);
        }
    }

    let mut blocks: Vec<Vec<u8>> = Vec::new();
    let mut index: Vec<u8> = Vec::new();
    for block in classes.chunks(BLOCK) {
        let packed: Vec<u8> = block.chunks(2).map(|two| two[0] | two[1] << 4).collect();
        let number = blocks.iter().position(|known| *known == packed);
        let number = number.unwrap_or_else(|| {
            blocks.push(packed);
            blocks.len() - 1
        });
        index.push(u8::try_from(number).expect("the index is of bytes: at most 256 blocks"));
    }

    let directory = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let directory = Path::new(&directory);
    fs::write(directory.join("class_blocks.bin"), blocks.concat()).expect("OUT_DIR is writable");
    fs::write(directory.join("class_index.bin"), index).expect("OUT_DIR is writable");
}

/// The code points that a pattern of one character class matches.
fn members(pattern: &str) -> ClassUnicode {
    let parsed = regex_syntax::parse(pattern).expect("the patterns above are valid");
    match parsed.into_kind() {
        HirKind::Class(Class::Unicode(class)) => class,
        _ => panic!("{pattern} is not a class of characters"),
    }
}
