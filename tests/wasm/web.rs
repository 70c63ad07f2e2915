//! The binding around the core: shapes, codes, and that no call is left half done. Runs in Chromium and in Node.

#![cfg(target_family = "wasm")]

use js_sys::{Array, Float64Array, Int32Array, JSON, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;
use windrow::wasm::{
    CoreBuild, CoreTranscript, count_text, counting_of, is_loaded, load_vocabulary, start_selection,
};

const USER: u8 = 2;
const TEXT: u8 = 2;

fn json(text: &str) -> JsValue {
    JSON::parse(text).expect("valid JSON")
}

fn get(value: &JsValue, path: &str) -> JsValue {
    path.split('.')
        .fold(value.clone(), |value, key| Reflect::get(&value, &key.into()).expect("an object"))
}

fn text(value: &JsValue, path: &str) -> String {
    get(value, path).as_string().expect(path)
}

fn append(transcript: &mut CoreTranscript, texts: &[&str]) -> Result<(), JsValue> {
    let lengths: Vec<u32> =
        texts.iter().map(|text| u32::try_from(text.len()).expect("a short text")).collect();
    let count = texts.len();
    transcript.append(
        texts.concat().as_bytes(),
        &vec![USER; count],
        &vec![0; count],
        &vec![f64::NAN; count],
        &vec![1; count],
        &vec![TEXT; count],
        &lengths,
    )
}

fn transcript(texts: &[&str]) -> CoreTranscript {
    let mut transcript = CoreTranscript::new();
    append(&mut transcript, texts).expect("the columns fit together");
    transcript
}

fn build(transcript: &CoreTranscript, config: &str) -> Result<JsValue, JsValue> {
    start_selection();
    CoreBuild::new(transcript, None, &json(config), 1_750_000_000_000.0, Vec::new())?.step()
}

const ESTIMATE: &str = r#"{"encoding":"estimate","budget":{"maxTokens":20}}"#;

#[wasm_bindgen_test]
fn a_context_crosses_as_plain_objects_and_typed_arrays() {
    let finished = build(&transcript(&["one", "two", "Grüße, 東京 🎉"]), ESTIMATE).expect("built");
    let rows: Int32Array = get(&finished, "rows").unchecked_into();
    assert!(rows.is_instance_of::<Int32Array>());
    assert_eq!(rows.to_vec().last(), Some(&2));
    let costs: Float64Array = get(&finished, "costs").unchecked_into();
    assert_eq!(costs.length(), rows.length());
    // Rarely used data crosses as one text.
    let context = json(&text(&finished, "json"));
    assert_eq!(get(&context, "tokens.exact").as_bool(), Some(false));
    assert_eq!(get(&context, "tokens.limit").as_f64(), Some(20.0));
    assert!(get(&context, "text").is_null());
    assert!(text(&context, "snapshot.contextHash").starts_with("ctx_"));
    assert!(text(&context, "snapshot.turnId").starts_with("turn_"));
    assert_eq!(get(&context, "snapshot.timestampMs").as_f64(), Some(1_750_000_000_000.0));
    let ranges: Array = get(&context, "trace.ranges").unchecked_into();
    let decision = get(&ranges.get(ranges.length() - 1), "2").as_f64().expect("its place");
    assert_eq!(text(&context, &format!("trace.decisions.{decision}.fate")), "kept");
}

#[wasm_bindgen_test]
fn a_failure_crosses_with_code_path_and_next_step() {
    let transcript = transcript(&["one"]);
    let failure = build(&transcript, r#"{"budget":{"maxToken":1}}"#).expect_err("misspelled");
    assert_eq!(text(&failure, "code"), "INVALID_CONFIG");
    assert_eq!(text(&failure, "path"), "budget.maxToken");
    assert!(text(&failure, "message").contains("did you mean budget.maxTokens?"));
    assert!(!text(&failure, "nextAction").is_empty());
    let failure = build(&transcript, r#"{"encoding":"estimate","budget":{"maxTokens":1}}"#)
        .expect_err("too small");
    assert_eq!(text(&failure, "code"), "BUDGET_TOO_SMALL");
    assert_eq!(get(&failure, "available").as_f64(), Some(1.0));
    assert!(get(&failure, "needed").as_f64() > Some(1.0));
    build(&transcript, ESTIMATE).expect("the next call works");
}

#[wasm_bindgen_test]
fn options_are_read_from_any_object() {
    let config: js_sys::Object = js_sys::Object::create(JsValue::NULL.unchecked_ref());
    Reflect::set(&config, &"encodng".into(), &"estimate".into()).expect("set");
    let failure = counting_of(&config, false, false).expect_err("misspelled");
    assert_eq!(text(&failure, "path"), "encodng");
    let certainty = counting_of(&json(r#"{"model":"gpt-4"}"#), false, false).expect("known");
    assert!(
        certainty.contains(r#""exact":true"#) && certainty.contains("cl100k_base"),
        "{certainty}"
    );
    assert_eq!(
        counting_of(&JsValue::from(5), false, false).map_err(|failure| text(&failure, "code")),
        Err("INVALID_CONFIG".into())
    );
}

#[wasm_bindgen_test]
fn a_missing_encoding_is_requested_by_name() {
    let mut build =
        CoreBuild::new(&transcript(&["one"]), None, &json("{}"), 0.0, Vec::new()).expect("begun");
    for _ in 0..2 {
        let need = build.step().expect("it asks");
        assert_eq!(
            (text(&need, "need"), text(&need, "name")),
            ("encoding".into(), "o200k_base".into())
        );
    }
    assert!(!is_loaded("o200k_base"));
    let o200k_base = 0; // named by `counting_of`
    let failure = count_text(o200k_base, 0).expect_err("not loaded");
    assert_eq!(text(&failure, "code"), "ENCODING_NOT_LOADED");
    for (name, bytes) in [("o200k_base", &b"no vocabulary"[..]), ("r50k_base", &[])] {
        let failure = load_vocabulary(name, bytes).expect_err("refused");
        assert_eq!(text(&failure, "code"), "INVALID_ENCODING");
    }
}

#[wasm_bindgen_test]
fn columns_that_do_not_fit_together_leave_nothing_behind() {
    let mut transcript = transcript(&["one"]);
    let torn = transcript.append(b"x", &[USER, USER], &[0], &[0.0], &[1], &[TEXT], &[1]);
    assert_eq!(text(&torn.expect_err("torn"), "code"), "INVALID_TRANSCRIPT");
    let cut =
        transcript.append("ü".as_bytes(), &[USER], &[0], &[0.0], &[2], &[TEXT, TEXT], &[1, 1]);
    assert_eq!(text(&cut.expect_err("cut inside a character"), "code"), "INVALID_TRANSCRIPT");
    assert_eq!(transcript.length(), 1);
    append(&mut transcript, &["two"]).expect("the next one is appended");
    assert_eq!(transcript.length(), 2);
}

#[wasm_bindgen_test]
fn a_build_sees_the_transcript_as_it_was_when_it_began() {
    start_selection();
    let mut transcript = transcript(&["one", "two"]);
    let mut build =
        CoreBuild::new(&transcript, None, &json(ESTIMATE), 0.0, Vec::new()).expect("begun");
    append(&mut transcript, &["three"]).expect("appended");
    transcript.truncate(1);
    let finished = build.step().expect("built");
    let context = json(&text(&finished, "json"));
    assert_eq!(get(&context, "recording.transcript.length").as_f64(), Some(2.0));
    assert_eq!(transcript.length(), 1);
}

#[wasm_bindgen_test]
fn a_hook_is_asked_and_answered() {
    start_selection();
    let texts = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
    let hooks = vec!["triage.select".to_owned()];
    let begin =
        |hooks: Vec<String>| CoreBuild::new(&transcript(&texts), None, &json(ESTIMATE), 0.0, hooks);
    let unknown = begin(vec!["triage.choose".to_owned()]).expect_err("no such hook");
    assert_eq!(text(&unknown, "code"), "INVALID_CONFIG");
    let mut build = begin(hooks).expect("begun");
    let need = build.step().expect("it asks");
    assert_eq!(text(&need, "need"), "triage");
    let candidates: Array = get(&need, "candidates").unchecked_into();
    assert_eq!(text(&candidates.get(0), "id"), "#0");
    let early = build.answer(&json(r#"{"hook":"recall.search","outcome":"given"}"#));
    assert_eq!(text(&early.expect_err("not asked"), "code"), "INVALID_RECORDING");
    build.step().expect("it asks again");
    let answer = json(r##"{"hook":"triage.select","outcome":"given","ids":["#1","#99"]}"##);
    build.answer(&answer).expect("understood");
    let context = json(&text(&build.step().expect("built"), "json"));
    let answers: Array = get(&context, "recording.answers").unchecked_into();
    let ids: Array = get(&answers.get(0), "ids").unchecked_into();
    assert_eq!((ids.length(), ids.get(0).as_string().as_deref()), (1, Some("#1")));
}

#[wasm_bindgen_test]
fn time_zone_offsets_are_requested_if_they_matter() {
    let config = r#"{"encoding":"estimate","timeZone":"Europe/Berlin","render":{"format":"text"}}"#;
    build(&transcript(&["one"]), config).expect("no time is shown");
    let config = config.replace("\"text\"", "\"text\",\"times\":true");
    let mut build = CoreBuild::new(&transcript(&["one"]), None, &json(&config), 5.0, Vec::new())
        .expect("begun");
    let need = build.step().expect("it asks");
    assert_eq!(text(&need, "timeZone"), "Europe/Berlin");
    assert_eq!(get(&need, "last").as_f64(), Some(5.0));
    build.answer_offsets(&[0.0, 120.0]);
    let context = json(&text(&build.step().expect("built"), "json"));
    assert_eq!(text(&context, "text"), "User: one");
}
