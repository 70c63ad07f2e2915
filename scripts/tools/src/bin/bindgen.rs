//! Makes the JavaScript side of the wasm: what the `wasm-bindgen` command does, tied to the library's
//! version by `Cargo.lock`.
//!
//! `bindgen INPUT_WASM OUT_DIR OUT_NAME` writes `OUT_NAME.js`, `OUT_NAME.d.ts` and `OUT_NAME_bg.wasm`.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, out_dir, out_name] = arguments.as_slice() else {
        eprintln!("usage: bindgen INPUT_WASM OUT_DIR OUT_NAME");
        return ExitCode::from(2);
    };
    match generate(input, out_dir, out_name) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bindgen: {message}");
            ExitCode::FAILURE
        }
    }
}

fn generate(input: &str, out_dir: &str, out_name: &str) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    bindgen
        .web(true)
        .map_err(|error| format!("{error:#}"))?
        .input_path(input)
        .out_name(out_name)
        .typescript(true)
        // Without it the glue refers to its own file by `new URL(…, import.meta.url)`, which bundlers try to resolve.
        .omit_default_module_path(true)
        // `__wbg_reset_state` starts the module afresh after a trap.
        .reset_state_function(true)
        .remove_producers_section(true)
        .generate(out_dir)
        .map_err(|error| format!("{error:#}"))
}
