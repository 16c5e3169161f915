import copy
import pickle
from collections import Counter

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym.emotions import (
    CONDITIONS,
    LEAVES,
    TRUST,
    EmotionCondition,
    parse,
    resolve,
    validate,
)
from tau_emotion_gym.errors import UnknownName

ASSIGNED = CONDITIONS[77]
INDEX = st.integers(0, 593)
SEED = st.integers(-(2**63), 2**64)


def named(spec: object, seed: int = 0) -> EmotionCondition | None:
    return resolve(spec, assigned=ASSIGNED, seed=seed)  # type: ignore[arg-type]


def test_the_index_is_the_nested_order() -> None:
    assert [condition.index for condition in CONDITIONS] == list(range(594))
    assert CONDITIONS[0].path == "anger/annoyance/warm/low/trusting"
    assert CONDITIONS[1].trust == "cautious"
    assert CONDITIONS[3].urgency == "moderate"
    assert CONDITIONS[9].politeness == "neutral"
    assert CONDITIONS[27].leaf == "frustration"
    assert CONDITIONS[593].path == "enjoyment/excitement/cold/high/skeptical"


@given(INDEX, SEED)
def test_every_full_name_of_a_condition_means_that_condition(at: int, seed: int) -> None:
    condition = CONDITIONS[at]
    for spec in (at, np.int64(at), np.uint16(at), str(at), f" {at} "):
        assert named(spec, seed) is condition
    for spec in (condition.path, str(condition), condition.path.upper(), f"  {condition.path}\n"):
        assert named(spec, seed) is condition
    assert named(condition, seed) is condition
    rebuilt = EmotionCondition(*condition.path.split("/"))
    assert rebuilt == condition
    assert rebuilt.index == at


@given(SEED)
def test_neutral_and_task_do_not_draw(seed: int) -> None:
    assert named(None, seed) is None
    assert named("neutral", seed) is None
    assert named("task", seed) is ASSIGNED
    assert named(" Task ", seed) is ASSIGNED
    assert resolve("task", assigned=None, seed=seed) is None


@given(INDEX, st.tuples(*[st.booleans()] * 5), st.integers(1, 5), SEED)
def test_open_places_are_drawn_and_given_places_kept(
    at: int, given_places: tuple[bool, ...], length: int, seed: int
) -> None:
    names = CONDITIONS[at].path.split("/")
    path = [name if keep else "*" for name, keep in zip(names, given_places, strict=True)][:length]
    drawn = named("/".join(path), seed)
    assert drawn is not None
    for wanted, got in zip(path, drawn.path.split("/"), strict=False):
        assert wanted in ("*", got)
    assert named("/".join(path), seed) is drawn


@pytest.mark.parametrize("spec", ["random", "*", "*/*", "*/*/*/*/*"])
def test_a_wholly_open_spec_reaches_everything(spec: str) -> None:
    assert {named(spec, seed) for seed in range(8000)} == set(CONDITIONS)


def test_a_family_means_a_uniform_leaf_and_uniform_levels() -> None:
    drawn = [named("sadness", seed) for seed in range(9000)]
    leaves = Counter(condition.leaf for condition in drawn if condition)
    assert set(leaves) == {leaf.name for leaf in LEAVES if leaf.family == "sadness"}
    assert all(abs(count - 1800) < 200 for count in leaves.values())
    trust = Counter(condition.trust for condition in drawn if condition)
    assert set(trust) == set(TRUST)
    assert all(abs(count - 3000) < 250 for count in trust.values())


def test_a_path_may_start_at_the_leaf() -> None:
    assert set(parse("dread/cold")) == set(parse("fear/dread/cold/*/*"))
    assert len(parse("dread")) == 27


def test_parse_lists_what_a_spec_can_mean() -> None:
    assert parse(None) == parse("neutral") == ()
    assert parse("task") == parse("random") == CONDITIONS
    assert len(parse("anger")) == 5 * 27
    assert len(parse("*/*/cold/high")) == 22 * 3
    assert parse(5) == (CONDITIONS[5],)


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("angr", "'anger'"),
        ("frustratoin", "did you mean 'frustration'"),
        ("hapiness", "Valid: anger"),
        ("", "valid: anger"),
        ("cold", r"level of politeness; write '\*/\*/cold'"),
        ("skeptical", r"write '\*/\*/\*/\*/skeptical'"),
        ("angr/frustration", "unknown family 'angr'; did you mean 'anger'"),
        ("anger/frustratoin", "unknown leaf 'frustratoin'; did you mean 'frustration'"),
        ("anger/dread", "unknown leaf of anger 'dread'; valid: annoyance"),
        ("fear/dread/cool", "unknown politeness 'cool'; did you mean 'cold'"),
        ("fear/dread/cold/hihg", "unknown urgency 'hihg'; did you mean 'high'"),
        ("fear/dread/cold/high/sceptical", "unknown trust 'sceptical'; did you mean 'skeptical'"),
        ("fear/dread/cold/high/skeptical/x", "at most five places"),
        ("fear/", "unknown leaf ''"),
        (594, "index 594; valid: 0 to 593"),
        (-1, "index -1; valid: 0 to 593"),
        ("594", "index 594"),
        (10**30, "valid: 0 to 593"),
        (True, "type bool"),
        (np.bool_(True), "an index 0 to 593"),
        (2.0, "type float"),
        ([1, 2], "type list"),
        ({"leaf": "dread"}, "type dict"),
        (np.array([1, 2]), "type ndarray"),
    ],
)
def test_a_wrong_name_is_refused_with_the_nearest_valid_ones(spec: object, hint: str) -> None:
    for use in (validate, named):
        with pytest.raises(UnknownName, match=hint):
            use(spec)  # type: ignore[arg-type]


def test_a_condition_cannot_be_built_wrong() -> None:
    with pytest.raises(UnknownName, match="leaf of anger"):
        EmotionCondition("anger", "dread", "cold", "high", "skeptical")
    with pytest.raises(UnknownName, match="unknown trust 'x'"):
        EmotionCondition("anger", "annoyance", "cold", "high", "x")
    with pytest.raises(UnknownName, match="unknown family"):
        EmotionCondition("*", "annoyance", "cold", "high", "skeptical")
    with pytest.raises(msgspec.ValidationError, match="unknown urgency"):
        msgspec.convert({**msgspec.to_builtins(ASSIGNED), "urgency": "now"}, EmotionCondition)


def test_conditions_travel() -> None:
    for condition in CONDITIONS[::50]:
        assert pickle.loads(pickle.dumps(condition)) == condition
        assert copy.deepcopy(condition) == condition
        assert msgspec.json.decode(msgspec.json.encode(condition), type=EmotionCondition) == condition
        assert len({condition, copy.copy(condition)}) == 1
