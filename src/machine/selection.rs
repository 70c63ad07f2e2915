//! All that selects, as a build asks for it.

use crate::recall::rank::reasons::Evidence;
use crate::stages::selection::Selection;
use crate::stages::{recall, tiers, triage};

/// All that selects.
pub static SELECTION: Selection = Selection {
    rank: recall::rank::rank,
    find: recall::items::find,
    triage: triage::choose,
    tiers: tiers::find,
    keep_ranked: |filling, frame, ranked, room| filling.keep_ranked(frame, ranked, room),
    keep_behind_cut: |filling, frame, cut, served, rest| {
        filling.keep_behind_cut(frame, cut, served, rest)
    },
    shapes: |filling| filling.shapes(),
    keep_conversations: |filling, frame, shapes| filling.keep_conversations(frame, shapes),
    recalled: Evidence::recalled,
    understand_triage: triage::understand,
    understand_summaries: tiers::understand,
    learn: recall::nearness::learn,
    understand_embeddings: recall::nearness::understand_embeddings,
};
