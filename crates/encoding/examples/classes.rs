//! Prints the classes of all characters, one line per run of the same class: the first and last code point, the number
//! of the class, and 1 for punctuation and symbols, else 0.

#![expect(clippy::print_stdout, reason = "it prints")]

use windrow_encoding::classes::{Class, class_of, is_symbol};

fn main() {
    let kind = |code_point: u32| {
        let class = class_of(code_point);
        (class as u8, u8::from(class == Class::Other && is_symbol(code_point)))
    };
    let mut first = 0;
    for code_point in 0..=0x10_ffff {
        if kind(code_point + 1) != kind(first) || code_point == 0x10_ffff {
            let (class, symbol) = kind(first);
            println!("{first} {code_point} {class} {symbol}");
            first = code_point + 1;
        }
    }
}
