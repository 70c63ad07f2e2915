//! The ranking module, in the form that a build asks for.

use crate::prompt::excerpt;
use crate::recall::rank::reasons::Evidence;
use crate::stages::selection::Selection;
use crate::stages::{recall, tiers, triage};

/// Function table of the ranking module.
pub static SELECTION: Selection = Selection {
    rank: recall::rank::rank,
    find: recall::items::find,
    triage: triage::choose,
    tiers: tiers::find,
    keep_ranked: |packer, frame, ranked, room| packer.keep_ranked(frame, ranked, room),
    keep_behind_cut: |packer, frame, cut, served, rest| {
        packer.keep_behind_cut(frame, cut, served, rest)
    },
    shrink_last: |packer, pieces, room| packer.shrink_last(pieces, room),
    own_words: excerpt::own_words,
    begin_results: |packer| packer.begin_results(),
    shrink: |packer, members, to_stubs| {
        if to_stubs {
            packer.stub(members);
        } else {
            packer.shrink(members);
        }
    },
    asked_again: |packer| packer.asked_again(),
    grow_some: |packer, rows| packer.grow_some(rows),
    fill_up: |packer, frame, ranking| packer.fill_up(frame, ranking),
    shapes: |packer| packer.shapes(),
    keep_conversations: |packer, frame, shapes| packer.keep_conversations(frame, shapes),
    recalled: Evidence::recalled,
    understand_triage: triage::understand,
    understand_summaries: tiers::understand,
    learn: recall::nearness::learn,
    understand_embeddings: recall::nearness::understand_embeddings,
};
