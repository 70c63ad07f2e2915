//! Generates the JavaScript side of the wasm, like the `wasm-bindgen` command but at the library's version in
//! `Cargo.lock`. First splits off the parts that are loaded later.
//!
//! `bindgen INPUT_WASM OUT_DIR OUT_NAME` writes `OUT_NAME.js`, `OUT_NAME.d.ts` and `OUT_NAME_bg.wasm`, and
//! `split_PART.wasm` for each part that is split off.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support::{Options, transform};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, out_dir, out_name] = arguments.as_slice() else {
        eprintln!("usage: bindgen INPUT_WASM OUT_DIR OUT_NAME");
        return ExitCode::from(2);
    };
    match split(input, out_dir).and_then(|main| generate(&main, out_dir, out_name)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bindgen: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Splits a module that was linked with `--emit-relocs`, and returns the path of its main part.
fn split(input: &str, out_dir: &str) -> Result<String, String> {
    let main = Path::new(out_dir).join("main.wasm");
    let linked = fs::read(input).map_err(|error| format!("{input}: {error}"))?;
    let mut options = Options::new(&linked);
    options.output_dir = Path::new(out_dir);
    options.main_out_path = &main;
    transform(options).map_err(|error| format!("{input}: {error:#}"))?;
    Ok(main.to_string_lossy().into_owned())
}

fn generate(input: &str, out_dir: &str, out_name: &str) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    bindgen
        .web(true)
        .map_err(|error| format!("{error:#}"))?
        .input_path(input)
        .out_name(out_name)
        .typescript(true)
        // Parts that are split off link to this one's exports.
        .keep_lld_exports(true)
        // Without it the glue refers to its own file by `new URL(…, import.meta.url)`, which bundlers try to resolve.
        .omit_default_module_path(true)
        // `__wbg_reset_state` restarts the module after a trap.
        .reset_state_function(true)
        .remove_producers_section(true)
        .generate(out_dir)
        .map_err(|error| format!("{error:#}"))
}
