//! The `wasm-bindgen-test-runner` command: runs the tests of `tests/web.rs` in Node and in Chromium.

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::env::args_os())
}
