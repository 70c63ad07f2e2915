//! `vocabulary OUT_DIR` writes the vocabulary assets `o200k_base.bin` and `cl100k_base.bin` into a directory.
//!
//! The vocabularies are those of tiktoken-rs. Each written file is loaded again, and has to count some texts like
//! tiktoken-rs. An existing file that loads is left alone, so every build can run this.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};
use tiktoken_rs::CoreBPE;
use windrow::tokens::{Encoding, EncodingName, asset};

/// Texts that differ in script, case, white space and form, and one that only looks like a special token.
const TEXTS: [&str; 6] = [
    "The quick brown fox doesn't jump over 12345 lazy dogs.\n\n  It WON'T.\r\n",
    "fn main() {\n\tprintln!(\"{:?}\", vec![1_000, 0xff]);\n}\n",
    "{\"id\":\"a1b2c3\",\"content\":[{\"type\":\"text\",\"text\":\"héllo\"}],\"n\":-1.5e10}",
    "会議は何時からですか。下午三点开始。오후 세 시에 시작합니다.",
    "\u{feff}Когда начнём? نبدأ في الثالثة। हम तीन बजे शुरू करेंगे 👩‍👩‍👧‍👦🇪🇺",
    "<|endoftext|> is ordinary text",
];

fn main() -> ExitCode {
    let Some(directory) = env::args_os().nth(1) else {
        eprintln!("usage: vocabulary OUT_DIR");
        return ExitCode::from(2);
    };
    for name in EncodingName::PACKAGED {
        if let Err(reason) = write(name, Path::new(&directory)) {
            eprintln!("vocabulary: {}: {reason}", name.as_str());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Makes, checks and writes one asset, unless it exists.
fn write(name: EncodingName, directory: &Path) -> Result<(), String> {
    let path = directory.join(name.as_str()).with_extension("bin");
    if fs::read(&path).is_ok_and(|asset| Encoding::from_vocabulary(name, &asset).is_ok()) {
        return Ok(());
    }

    let reference = match name {
        EncodingName::O200kBase => tiktoken_rs::o200k_base_singleton(),
        EncodingName::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
        _ => return Err("the package doesn't have it".to_owned()),
    };
    let asset = asset::encode(&tokens(reference)).map_err(|error| error.to_string())?;
    let encoding = Encoding::from_vocabulary(name, &asset).map_err(|error| {
        format!("{error}; the header of the one made here is {:x?}", &asset[..24])
    })?;
    for text in TEXTS {
        let (ours, theirs) = (encoding.count(text), reference.encode_ordinary(text).len());
        if ours != theirs as u64 {
            return Err(format!("counts {ours} tokens, not {theirs}, in {text:?}"));
        }
    }

    fs::create_dir_all(directory).map_err(|error| error.to_string())?;
    fs::write(&path, &asset).map_err(|error| format!("{}: {error}", path.display()))?;
    eprintln!("wrote {} ({} bytes)", path.display(), asset.len());
    Ok(())
}

/// The bytes of every token in order of rank, up to the first unused rank. Special tokens come after a gap.
fn tokens(reference: &CoreBPE) -> Vec<Vec<u8>> {
    (0..).map_while(|rank| reference.decode_bytes(&[rank]).ok()).collect()
}
