//! The `wasm-bindgen` command. wasm-pack asks it for its version and looks for the test runner in the same folder.

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(std::env::args_os())
}
