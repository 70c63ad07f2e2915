//! The weights of ranking: every constant that was tuned, in one struct, so that a program can vary them.
//!
//! They were found on the development halves of BEAM, REALTALK, `LoCoMo`, `QMSum`, `irc-disentanglement` and tau-bench together,
//! by changing one at a time: see `docs/recall.md`. "A share" below is of the best score of its part.

use crate::recall::rank::spread::Kernel;
use crate::recall::text::terms::Kind;

/// The weights of ranking.
#[derive(Clone, Debug)]
pub struct Weights {
    /// BM25's saturation: the higher, the more a word counts that is said again. The usual value (Robertson and Zaragoza, 2009).
    pub saturation: f32,
    /// BM25's length normalisation, from 0 (none) to 1 (by length alone). The usual value is 0.75, of the same source; more of
    /// it where long replies stand beside short lines.
    pub length_normalisation: f32,
    /// The length of a message counts up to this many times the mean length. A pasted page is not ranked down for all of its length, as a
    /// passage of it can be shown. Less raises all long messages.
    pub longest: f32,
    /// An identifier (`ORD-1234`, `src/main.rs`) against a word. More of it finds codes, and buries what is said about them.
    pub identifier: f32,
    /// All parts of a word together (four letters each), against the word. Finds other forms of words in languages without a
    /// stemmer; more of it finds words that only look alike.
    pub grams: f32,

    /// Terms that widen a request, of the messages that lead by its own words. More of them drift away from it.
    pub expansion_terms: usize,
    /// Messages that these terms are taken from.
    pub expansion_messages: usize,
    /// The terms together, as a share of the best message's score.
    pub expansion: f32,

    /// How a score spreads to the messages that answer, and to those that are answered. It counts 1, and the others against it.
    pub narrow: Kernel,
    /// How it spreads to the passage of a conversation that is about the request.
    pub wide: Kernel,
    /// How much that counts. More of it keeps whole passages, less of it single messages.
    pub wide_weight: f32,
    /// How it spreads to the whole of a conversation, where an overview is wanted.
    pub widest: Kernel,
    /// How much that counts.
    pub widest_weight: f32,
    /// The words of the message itself, whoever says them. More of it comes nearer to plain BM25.
    pub direct: f32,
    /// A message of a time that the request names. Less for a time that most messages are of.
    pub time: f32,
    /// A message by a speaker whom the request names.
    pub speaker: f32,
    /// The words of such a speaker, more than those of others: beside the message, and in its passage.
    pub speaker_narrow: f32,
    /// The same in its passage.
    pub speaker_wide: f32,
    /// Taken away from a question: it holds no answer.
    pub question: f32,
    /// The similarity of the message itself, where a model gives vectors.
    pub similarity: f32,
    /// The similarity of the messages beside it.
    pub similarity_narrow: f32,
    /// The similarity of its conversation.
    pub similarity_widest: f32,
    /// The same where an overview is wanted.
    pub similarity_overview: f32,

    /// The messages of the one who asks, where the request asks for their own words ("what did I say"). More of it leaves out
    /// what others said of it.
    pub own_words: f32,
    /// The answers of the assistant, where the request asks for these ("what did you recommend"). They are long: more of it
    /// buys few of them for many lines of the user.
    pub answers: f32,
    /// A message in which the one who asks says that something is otherwise than it was. More of it finds what changed, and
    /// loses what it was.
    pub correction: f32,

    /// How fast the need of a message grows with its score: the power. The higher, the more the best cost may cost.
    pub need_by_score: i32,
    /// What any message costs beside its own tokens, in tokens. The more, the less a message gains by being short.
    pub price_of_any: f32,
    /// So many times better than those of any other must a message's own words fit, that it is bought at any price. Less of it brings
    /// long replies, and loses the lines that they displace.
    pub outstanding: f32,

    /// What the excerpt of a message is worth, as a share of the message. More of it brings more of the long messages, each by less.
    pub excerpt: f32,

    /// Raises the score of a lasting statement, as a share of the best score: times the logarithm of the user's messages per statement.
    /// More of it brings statements into requests about past events.
    pub statement: f32,
    /// The same for matters of health, by their own rarity.
    pub health: f32,
    /// Nearness of meaning adds this to a statement.
    pub statement_similarity: f32,
    /// A statement must be worth this many times the last message that fits. With less it displaces more of the messages that rank last.
    pub margin: f32,

    /// A message about the request, within a conversation that the request goes on in, against what it goes on from.
    pub about_in_flow: f32,
    /// What that counts more where two talk: the speaker says nothing there, and what is near is sent anyway. It counts by how
    /// many of the request's words are found in one place.
    pub about_between_two: f32,
    /// How much of that remains for a request that is no question: it rather goes on than asks back.
    pub no_question: f32,

    /// How far back a request goes on from, in messages. More of them cost time, and count next to nothing.
    pub reach: usize,
    /// The nearest message.
    pub near: f32,
    /// Messages (without notices) after which that has fallen to 37 %.
    pub near_messages: f32,
    /// The same for the parts that follow.
    pub far_messages: f32,
    /// A message by anybody.
    pub anybody: f32,
    /// A message by the one who asks.
    pub by_asker: f32,
    /// A message by somebody whom the request names.
    pub by_named: f32,
    /// A message that names the one who asks.
    pub names_asker: f32,
    /// A message that names somebody whom the request names.
    pub names_named: f32,
    /// A message by somebody who and the asker have named each other.
    pub by_partner: f32,
    /// A message of the same conversation, however far back.
    pub same_conversation: f32,
    /// A message with the request's words.
    pub words: f32,
    /// Messages after which that has fallen to 37 %.
    pub words_messages: f32,
    /// How much of its score a notice keeps: a system message between others, which nobody goes on from.
    pub notice: f32,
    /// Identifiers, where tools are called: their arguments are taken from messages with identifiers.
    pub identifiers: f32,
}

impl Weights {
    /// The weights that were tuned.
    pub const TUNED: Self = Self {
        saturation: 1.2,
        length_normalisation: 0.9,
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
        similarity: 0.6,
        similarity_narrow: 0.3,
        similarity_widest: 0.3,
        similarity_overview: 0.8,
        own_words: 0.8,
        answers: 0.5,
        correction: 0.3,
        need_by_score: 2,
        price_of_any: 110.0,
        outstanding: 1.5,
        excerpt: 0.25,
        statement: 0.4,
        health: 0.15,
        statement_similarity: 2.0,
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

    /// What a term of a kind counts.
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
