"""Prints the sessions of compaction-conformance-kit as JSON. Arguments: the kit's wheel or folder, and the number of seeds."""

import json
import sys

sys.path.insert(0, sys.argv[1])

from compaction_kit.corpus import build_random_session  # noqa: E402
from compaction_kit.generated import build_generated_session  # noqa: E402
from compaction_kit.semantic_corpus import (  # noqa: E402
    build_semantic_heldout_session,
    build_semantic_session,
)

CORPORA = {
    "random": build_random_session,
    "generated": build_generated_session,
    "semantic": build_semantic_session,
    "semantic held out": build_semantic_heldout_session,
}


def session_of(corpus, seed):
    session, canaries, *more = CORPORA[corpus](seed)
    planted = [
        {
            "required": [
                *canary.required_tokens,
                *(canary.behavior_required_tokens if canary.behavior_scenario else ()),
                *(canary.exact_use_required_tokens if canary.exact_use_scenario else ()),
            ],
            "superseded": list(canary.superseded_tokens),
        }
        for canary in canaries
    ]
    turns = [{"role": turn.role, "text": turn.text} for turn in session.transcript()]
    return {"corpus": corpus, "seed": seed, "turns": turns, "planted": planted}


seeds = range(1, int(sys.argv[2]) + 1)
print(json.dumps([session_of(corpus, seed) for corpus in CORPORA for seed in seeds]))
