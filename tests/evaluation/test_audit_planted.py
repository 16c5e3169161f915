"""The audit finds planted faults, and nothing else, by kind: at least 95 % of each, and 95 % of what it finds."""

from collections import Counter

import pytest
from planting import KINDS, cases, clean_cases

from tau_emotion_gym.evaluation.audit import Kind, findings_of, talk_of

EACH = 60
GOAL = 0.95


@pytest.fixture(scope="module")
def counts():
    """(kind, "found" | "missed" | "false") → how often, over all planted and all clean conversations."""
    tally: Counter[tuple[str, str]] = Counter()
    for case in (*(case for kind in KINDS for case in cases(kind, EACH, seed=7)), *clean_cases(3 * EACH, seed=7)):
        talk = talk_of(case.record)
        assert not talk.text_only
        found = [finding for finding in findings_of(talk) if finding.fault]
        hits = [finding for finding in found if finding.kind == case.kind and finding.turn == case.turn]
        if case.kind:
            tally[case.kind, "found" if hits else "missed"] += 1
        tally.update((str(finding.kind), "false") for finding in found if finding not in hits)
    return tally


@pytest.mark.parametrize("kind", KINDS)
def test_planted_faults_are_found(counts, kind):
    assert counts[kind, "found"] + counts[kind, "missed"] == EACH
    assert counts[kind, "found"] / EACH >= GOAL


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_found_was_planted(counts, kind):
    found, wrong = counts[kind, "found"], counts[kind, "false"]
    assert found / (found + wrong) >= GOAL


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind not in KINDS])
def test_kinds_that_were_not_planted_are_rare(counts, kind):
    assert counts[str(kind), "false"] <= 0.01 * EACH * (len(KINDS) + 3)
