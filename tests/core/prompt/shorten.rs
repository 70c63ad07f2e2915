//! Shortens a text that is too long for the budget: the whole is counted once, and the remaining work depends on the
//! kept part.

use crate::support::{build, config, reference_count, transcript};
use windrow::tokens::EncodingName;

/// Long texts of words, white space, one letter, one cluster, flags, joined emoji, and letters with marks.
fn texts(bytes: usize) -> Vec<String> {
    let sorts = [
        "the venue was booked, ",
        " ",
        "a",
        "\u{301}",
        "🇪🇺",
        "👩\u{200d}",
        "e\u{301}\u{301}",
        "\n",
        "क्",
        "漢字",
    ];
    sorts.iter().map(|sort| sort.repeat(bytes / sort.len())).collect()
}

fn cut(request: &str, room: u64) -> String {
    let json = format!(
        r#"{{"encoding":"o200k_base","render":{{"format":"text"}},
            "budget":{{"maxTokens":{room},"onRequiredOverflow":"shorten"}}}}"#
    );
    let context = build(&transcript(&[]), Some(request), config(&json)).expect("it can be cut");
    let text = context.text.expect("a text");
    assert_eq!(context.tokens.total, reference_count(EncodingName::O200kBase, &text));
    assert!(context.tokens.total <= room && text.contains("[truncated: "));
    text
}

#[test]
fn a_text_is_cut_to_fit_and_no_further() {
    for text in texts(200_000) {
        let cut = cut(&text, 200);
        let used = reference_count(EncodingName::O200kBase, &cut);
        // A cluster is kept whole or not at all.
        assert!(used > 150 || text.starts_with(['\u{301}', '👩', 'क', '\n', ' ']), "{used}: {cut}");
    }
}
