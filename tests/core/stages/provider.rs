//! Messages for a provider that requires the user to speak first.

use crate::support::{Message, NOW, build, config, gap_notice, ranking_options, transcript};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use windrow::base::message::Role;
use windrow::state::context::{Context, Piece};
use windrow_property::properties;

const OPENING: &str = "[Earlier messages are not shown.]";

fn chat() -> impl Strategy<Value = Vec<Message>> {
    let role = select(vec![Role::System, Role::User, Role::Assistant, Role::Assistant]);
    let text = vec(select(vec!["harbour", "violin", "garden", "invoice"]), 1..12);
    vec((role, text, weighted(0.05, Just(()))), 0..40).prop_map(|all| {
        let message = |(at, (role, words, pinned)): (i64, (Role, Vec<&str>, Option<()>))| {
            let message = Message::new(role, &words.join(" ")).at(NOW.0 - 90_000 + at);
            if pinned.is_some() { message.pinned() } else { message }
        };
        (0_i64..).zip(all).map(message).collect()
    })
}

/// The roles of the prompt's messages in order, with the text of those made by the build.
fn spoken(context: &Context, messages: &[Message]) -> Vec<(Role, Option<String>)> {
    let of = |piece: Piece| match piece {
        Piece::Made(position) => {
            let made = &context.made[position];
            (made.role, Some(made.text.clone()))
        }
        Piece::Request => (Role::User, None),
        Piece::Message(row) | Piece::Quoted(row) => (messages[row].role, None),
    };
    let in_place = context.pieces.iter().filter(|it| !matches!(it.piece, Piece::Quoted(_)));
    in_place.map(|it| of(it.piece)).filter(|(role, _)| !role.is_instruction()).collect()
}

properties! {
#[test]
    fn the_user_speaks_first_if_the_provider_requires_it(
        messages in chat(),
        request in weighted(0.6, Just("And the violin in the harbour?")),
        provider in select(vec!["openai", "openai-responses", "anthropic", "gemini", "bedrock", "ai-sdk", "chrome", "web-llm"]),
        tokens in 25_u64..300,
        recall in ranking_options(),
        gap in gap_notice(),
    ) {
        let options = |provider: Option<&str>| json!({
            "encoding": "estimate", "budget": {"maxTokens": tokens, "onRequiredOverflow": "shorten"}, "recall": recall,
            "render": {"provider": provider, "gapNotice": gap},
        });
        let run = |provider| build(&transcript(&messages), request, config(&options(provider).to_string()));
        let Ok(context) = run(Some(provider)) else { return Ok(()) };
        prop_assert!(context.tokens.total <= tokens, "{} of {tokens}", context.tokens.total);
        let spoken = spoken(&context, &messages);
        let openings = spoken.iter().filter(|(_, text)| text.as_deref() == Some(OPENING)).count();
        let wants_user = matches!(provider, "anthropic" | "gemini" | "bedrock" | "ai-sdk");
        let first_is_users = spoken.first().is_none_or(|(role, _)| *role == Role::User);
        prop_assert!(first_is_users || !wants_user, "{spoken:?}");
        let second_is_users = spoken.get(1).is_none_or(|(role, _)| *role == Role::User);
        prop_assert!(openings == 0 || (openings == 1 && wants_user && !second_is_users), "{spoken:?}");
        if !wants_user {
            let plain = run(None).expect("it fits without a provider too");
            let pieces = |context: &Context| -> Vec<_> {
                context.pieces.iter().map(|it| (it.piece, it.section, it.checksum)).collect()
            };
            prop_assert_eq!(pieces(&plain), pieces(&context));
            // A request may merge messages.
            prop_assert!(plain.tokens.total >= context.tokens.total);
        }
    }
}

#[test]
fn a_text_has_no_provider() {
    let json = r#"{"render": {"provider": "anthropic", "format": "xml"}}"#;
    let error = crate::support::read_config(json).expect_err("it is refused");
    assert_eq!(error.path.as_deref(), Some("render.provider"));
}
