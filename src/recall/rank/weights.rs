//! The weights of ranking: every tuned constant, in one struct, so that a program can vary them.
//!
//! They were tuned on the development halves of BEAM, REALTALK, `LoCoMo`, `QMSum`, `irc-disentanglement` and tau-bench
//! together, by changing one at a time: see `docs/recall.md`. "A share" below means a share of the best score of its
//! part.

use crate::recall::rank::spread::Kernel;
use crate::recall::text::terms::Kind;

/// The weights of ranking.
#[derive(Clone, Debug)]
pub struct Weights {
    /// BM25's saturation: with a higher value, repetitions of a word count more. The usual value (Robertson and
    /// Zaragoza, 2009).
    pub saturation: f32,
    /// BM25's length normalization, from 0 (none) to 1 (full). The usual value is 0.75, from the same source; it is
    /// higher here because chats have long replies next to short lines.
    pub length_normalization: f32,
    /// A message's length counts only up to this many times the mean length. A pasted page isn't penalized for its full
    /// length, because a passage of it can be shown. A lower value ranks all long messages higher.
    pub longest: f32,
    /// The weight of an identifier (`ORD-1234`, `src/main.rs`) relative to a word. A higher value finds codes, but
    /// buries comments about them.
    pub identifier: f32,
    /// The weight of all four-letter parts of a word together, relative to the word. They find other forms of words in
    /// languages without a stemmer. A higher value finds words that only look alike.
    pub grams: f32,

    /// Number of terms that expand a request, from the best messages by its own words. More of them drift away from the
    /// request.
    pub expansion_terms: usize,
    /// Number of the best messages that those terms are taken from.
    pub expansion_messages: usize,
    /// The weight of the terms together, as a share of the best message's score.
    pub expansion: f32,

    /// Spread of a score to messages that answer, and to those that are answered. Its weight is 1, and the others are
    /// relative to it.
    pub narrow: Kernel,
    /// Spread to the passage of a conversation that is relevant to the request.
    pub wide: Kernel,
    /// The weight of that spread. A higher value keeps whole passages, and a lower one single messages.
    pub wide_weight: f32,
    /// Spread over the whole conversation, if the request asks for an overview.
    pub widest: Kernel,
    /// The weight of that spread.
    pub widest_weight: f32,
    /// The weight of the message's own words, whoever the speaker is. A higher value comes closer to plain BM25.
    pub direct: f32,
    /// The weight of a message from a time that the request names. Less if most messages are from that time.
    pub time: f32,
    /// The weight of a message by a speaker whom the request names.
    pub speaker: f32,
    /// Raises the spread score of such a speaker's messages by this share.
    pub speaker_narrow: f32,
    /// Raises the scores of such a speaker's words by this share before they spread to their passage.
    pub speaker_wide: f32,
    /// Deduction for a question, because it contains no answer.
    pub question: f32,
    /// The weight of the message's own similarity, from a model or the table of token vectors.
    pub similarity: f32,
    /// The weight of its neighbors' similarity, if the request asks for an overview.
    pub similarity_narrow: f32,
    /// The weight of its conversation's similarity, if the request asks for an overview.
    pub similarity_widest: f32,

    /// The weight of the asker's own messages, if the request asks for them ("what did I say"). A higher value leaves
    /// out other people's replies to them.
    pub own_words: f32,
    /// The weight of the assistant's answers, if the request asks for these ("what did you recommend"). They are long:
    /// with a higher value, a few of them displace many of the user's lines.
    pub answers: f32,
    /// The weight of a message that corrects an earlier one. A higher value finds changes, but loses the earlier state.
    pub correction: f32,

    /// A message's value is this power of its score. With a higher value, the best messages may cost more.
    pub need_by_score: i32,
    /// Tokens added to the price of any message. With a higher value, a message gains less by being short.
    pub price_of_any: f32,
    /// A message's price doesn't count if its own words match this many times better than any other's. A lower value
    /// brings in long replies, but loses the lines that they displace.
    pub outstanding: f32,

    /// The worth of a message's excerpt, as a share of the message's. A higher value brings in more of the long
    /// messages, each with less text.
    pub excerpt: f32,

    /// Raises the score of a lasting statement, as a share of the best score, times the logarithm of the user's
    /// messages per statement. With a higher value, statements also appear for requests about past events.
    pub statement: f32,
    /// The same for health, by the rarity of health statements.
    pub health: f32,
    /// The share of these two that remains if the request isn't a question. A new task still needs statements.
    pub statement_of_task: f32,
    /// Additional score of a statement for similarity in meaning above that of most messages.
    pub statement_similarity: f32,
    /// A statement must be worth this many times the last message that fits. A lower value displaces more of the
    /// messages that rank last.
    pub margin: f32,

    /// The weight of topic relative to flow, within a conversation that the request continues.
    pub about_in_flow: f32,
    /// Additional weight of topic if only two people talk, because then the speaker isn't evidence, and recent messages
    /// are sent anyway. It depends on how many of the request's words occur in one place.
    pub about_between_two: f32,
    /// The share of that weight if the request isn't a question, and so more likely continues than asks about something
    /// earlier.
    pub no_question: f32,

    /// Maximum number of messages back that a request may continue from. A higher value costs time and has almost no
    /// effect.
    pub reach: usize,
    /// The weight of the nearest message.
    pub near: f32,
    /// Number of messages (without notices) after which that weight has fallen to 37 %.
    pub near_messages: f32,
    /// The same number for the weights that follow.
    pub far_messages: f32,
    /// The weight of a message by anybody.
    pub anybody: f32,
    /// The weight of a message by the asker.
    pub by_asker: f32,
    /// The weight of a message by somebody whom the request names.
    pub by_named: f32,
    /// The weight of a message that names the asker.
    pub names_asker: f32,
    /// The weight of a message that names somebody whom the request names.
    pub names_named: f32,
    /// The weight of a message by somebody who has named the asker and was named by them.
    pub by_partner: f32,
    /// The weight of a message in the same conversation, however far back.
    pub same_conversation: f32,
    /// The weight of a message with the request's words.
    pub words: f32,
    /// Number of messages after which that weight has fallen to 37 %.
    pub words_messages: f32,
    /// The share of its score that a notice keeps. A notice is a system message in the middle of a conversation, and
    /// nobody replies to it.
    pub notice: f32,
    /// The weight of identifiers in conversations with tool calls, whose arguments come from messages with identifiers.
    pub identifiers: f32,
}

impl Weights {
    /// The tuned weights.
    pub const TUNED: Self = Self {
        saturation: 1.2,
        length_normalization: 0.9,
        longest: 6.0,
        identifier: 2.0,
        grams: 0.3,
        expansion_terms: 8,
        expansion_messages: 8,
        expansion: 0.16,
        narrow: Kernel { forward: 0.6, backward: 0.5, decay: 0.7, message_tokens: f32::INFINITY },
        wide: Kernel { forward: 1.25, backward: 1.75, decay: 0.75, message_tokens: f32::INFINITY },
        wide_weight: 0.2,
        widest: Kernel { forward: 1.2, backward: 0.75, decay: 0.975, message_tokens: 50.0 },
        widest_weight: 3.5,
        direct: 0.6,
        time: 0.8,
        speaker: 0.4,
        speaker_narrow: 0.75,
        speaker_wide: 0.5,
        question: 0.065,
        similarity: 0.4,
        similarity_narrow: 0.3,
        similarity_widest: 0.8,
        own_words: 0.8,
        answers: 0.5,
        correction: 0.3,
        need_by_score: 2,
        price_of_any: 110.0,
        outstanding: 1.5,
        excerpt: 0.25,
        statement: 0.5,
        health: 0.15,
        statement_of_task: 0.8,
        statement_similarity: 2.5,
        margin: 2.0,
        about_in_flow: 0.5,
        about_between_two: 3.0,
        no_question: 0.4,
        reach: 600,
        near: 1.3,
        near_messages: 15.0,
        far_messages: 100.0,
        anybody: 0.3,
        by_asker: 1.3,
        by_named: 1.3,
        names_asker: 0.8,
        names_named: 0.5,
        by_partner: 1.0,
        same_conversation: 0.3,
        words: 0.4,
        words_messages: 300.0,
        notice: 0.1,
        identifiers: 2.0,
    };

    /// The weight of a kind of terms.
    #[must_use]
    pub fn of_kind(&self, kind: Kind) -> f32 {
        match kind {
            Kind::Word => 1.0,
            Kind::Identifier => self.identifier,
            Kind::Gram => self.grams,
        }
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self::TUNED
    }
}
