"""The spaces: samples, membership, copies, and the refusal of shared memory."""

import pickle
import re
import sys
import time
from copy import deepcopy
from decimal import Decimal
from typing import Annotated, Literal

import gymnasium as gym
import msgspec
import pytest
from gymnasium.spaces import Dict, Tuple
from gymnasium.vector.utils import batch_space, create_empty_array
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym import call, respond
from tau_emotion_gym._draw import Draw
from tau_emotion_gym.envs._patterns import matching
from tau_emotion_gym.envs._values import draw_value, fits
from tau_emotion_gym.envs.spaces import ActionSpace, MessagesSpace, TurnSpace
from tau_emotion_gym.kit import BadArgumentsError, read
from tau_emotion_gym.world import Date, Money, World


class Bag(msgspec.Struct, frozen=True):
    """A bag."""

    kilos: Annotated[float, msgspec.Meta(gt=0, le=32)]
    colour: Literal["red", "blue"]
    label: str | None = None


@read
def everything(
    world: World,
    text: Annotated[str, msgspec.Meta(min_length=2, max_length=5)],
    count: Annotated[int, msgspec.Meta(ge=1, le=9)],
    amount: Money,
    day: Date,
    bags: Annotated[tuple[Bag, ...], msgspec.Meta(min_length=1, max_length=4)],
    pair: tuple[int, str],
    notes: dict[str, int],
    either: int | str,
    title: str,
    kind: Literal[1, 2, 3] = 1,
    urgent: bool = False,
    seat: Literal["A", "B"] | None = None,
) -> str:
    """Take one of everything.

    Args:
        text: A short text.
        count: A count.
        amount: Dollars.
        day: A day.
        bags: Bags.
        pair: A pair.
        notes: Notes.
        either: A number or a text.
        title: A title.
        kind: A kind.
        urgent: A flag.
        seat: A seat.
    """
    return ""


@read
def everything_else(world: World, text: str) -> str:
    """Nothing.

    Args:
        text: A text.
    """
    return ""


SPACES = [TurnSpace(), MessagesSpace(), ActionSpace([everything, everything_else])]


@pytest.mark.parametrize("space", SPACES, ids=str)
class TestAnySpace:
    def test_samples_are_inside_small_and_fast(self, space):
        space.seed(1)
        began = time.process_time()
        samples = [space.sample() for _ in range(1000)]
        assert time.process_time() - began < 1.0
        assert all(sample in space for sample in samples)
        assert max(len(msgspec.json.encode(sample)) for sample in samples) < 1000

    def test_seed_decides(self, space):
        def run(seed):
            space.seed(seed)
            return [space.sample() for _ in range(20)]

        assert run(3) == run(3)
        assert run(3) != run(4)

    @pytest.mark.parametrize("copy", [deepcopy, lambda space: pickle.loads(pickle.dumps(space))])
    def test_copies_are_equal_small_and_independent(self, space, copy):
        space.seed(5)
        twin = copy(space)
        assert twin == space
        assert twin is not space
        assert [twin.sample() for _ in range(5)] == [space.sample() for _ in range(5)]
        twin.sample()
        assert len(pickle.dumps(space)) < 10_000

    def test_not_a_box(self, space):
        assert space.is_np_flattenable is False
        assert space.shape is None
        assert space.dtype is None
        assert type(space).__name__ in repr(space)

    def test_inside_other_spaces(self, space):
        both = Tuple([space, Dict({"inner": deepcopy(space)})])
        assert both.sample() in both
        assert batch_space(space, 3).sample() in batch_space(space, 3)
        assert create_empty_array(space, 2) is None

    def test_masks_are_refused(self, space):
        with pytest.raises(ValueError, match="mask"):
            space.sample(mask=[1])

    @pytest.mark.parametrize("thing", [None, 3, "text", [3], [[]], {}, {"role": "user"}, object(), b"", {1: 2}])
    def test_other_things_are_outside(self, space, thing):
        assert thing not in space


def test_spaces_of_different_kinds_differ():
    assert len({repr(space) for space in SPACES}) == 3
    assert all(a != b for a in SPACES for b in SPACES if a is not b)
    assert ActionSpace([everything]) != ActionSpace([everything_else])
    assert ActionSpace([everything]) == ActionSpace([everything], seed=3)


def test_turns():
    space = TurnSpace()
    turn = {"role": "tool", "name": "calculate", "content": "é 你 \n" * 100_000}
    assert turn in space
    for wrong in ({"role": "agent"}, {"name": None}, {"content": 3}, {"more": ""}):
        assert {**turn, **wrong} not in space


def test_membership_of_turns_does_not_read_the_text():
    space = TurnSpace()
    turn = {"role": "user", "name": "user", "content": "x" * 10_000_000}
    began = time.process_time()
    assert all(turn in space for _ in range(1000))
    assert time.process_time() - began < 0.1


class TestActions:
    space = ActionSpace([everything, everything_else])

    def test_samples_reach_every_construct(self):
        self.space.seed(1)
        seen = [a["arguments"] for a in (self.space.sample() for _ in range(1500)) if a["name"] == "everything"]
        assert {value for arguments in seen for value in arguments} == set(everything.parameters["properties"])
        assert {arguments["kind"] for arguments in seen if "kind" in arguments} == {1, 2, 3}
        assert {type(arguments["either"]) for arguments in seen} == {int, str}
        assert {arguments["seat"] for arguments in seen if "seat" in arguments} == {"A", "B", None}
        assert {len(arguments["bags"]) for arguments in seen} == {1, 2, 3, 4}
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", arguments["day"]) for arguments in seen)

    def test_samples_bind(self):
        self.space.seed(2)
        for action in (self.space.sample() for _ in range(500)):
            if action["name"] == "everything":
                everything.bind(action["arguments"])

    @pytest.mark.parametrize(
        ("action", "inside"),
        [
            (respond("hello"), True),
            (respond(""), True),
            ({"name": "respond", "arguments": {}}, False),
            ({"name": "respond", "arguments": {"content": 3}}, False),
            ({"name": "respond", "arguments": {"content": "x", "to": "y"}}, False),
            (call("everything_else", text="a"), True),
            (call("everything_else", text=3), False),
            (call("everything_else"), False),
            (call("everything_else", text="a", more=1), False),
            (call("nothing_at_all"), False),
            ({"name": "everything_else", "arguments": {"text": "a"}, "id": 3}, False),
            ({"name": "everything_else", "arguments": ["a"]}, False),
            ({"name": ["everything_else"], "arguments": {"text": "a"}}, False),
            ({"name": "everything_else"}, False),
        ],
    )
    def test_membership(self, action, inside):
        assert (action in self.space) is inside

    def test_union_takes_either_schema(self):
        @read
        def everything_else(world: World, number: int) -> str:
            """Another tool of this name.

            Args:
                number: A number.
            """
            return ""

        union = ActionSpace([globals()["everything_else"], everything_else, everything_else])
        assert call("everything_else", text="a") in union
        assert call("everything_else", number=3) in union
        assert call("everything_else", other=3) not in union
        union.seed(0)
        drawn = [union.sample()["arguments"] for _ in range(100)]
        assert {"text", "number", "content"} == {name for arguments in drawn for name in arguments}
        assert union == pickle.loads(pickle.dumps(union))


VALID = {
    "text": "abc",
    "count": 3,
    "amount": 1.25,
    "day": "2026-05-11",
    "bags": [{"kilos": 3.5, "colour": "red"}],
    "pair": [1, "a"],
    "notes": {"a": 1},
    "either": "x",
    "title": "t",
    "kind": 2,
    "urgent": True,
    "seat": "A",
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-50, 50) | st.sampled_from(["", "a", "3", "2.5", "A", "red", "2026-01-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["kilos", "colour", "b"]), inner),
    max_leaves=4,
)


@given(st.sampled_from(sorted(VALID)), VALUES)
def test_membership_agrees_with_binding(name, value):
    """Wherever the tool takes the arguments, the space has them, and the other way round."""
    arguments = {**VALID, name: value}
    try:
        everything.bind(arguments)
        binds = True
    except BadArgumentsError:
        binds = False
    assert fits(everything.parameters, arguments) is binds


@pytest.mark.parametrize(
    "pattern",
    [r"^\d{4}-\d{2}-\d{2}$", r"^[A-Z]{2}\d+$", r"^[^,]+, [^,]+, [A-Z]{2} \d{5}$", r"#\w{3,6}\.x?", "^a*b{2,}$", r".\s"],
)
def test_patterns(pattern):
    made = {matching(pattern, Draw(seed)) for seed in range(200)}
    assert all(re.search(pattern, text) for text in made)
    assert len(made) > 3


@pytest.mark.parametrize("pattern", ["(a|b)", "a|b", "^(?=x)y$", "["])
def test_patterns_that_are_not_understood(pattern):
    with pytest.raises(ValueError, match="pattern"):
        matching(pattern, Draw(0))


def test_type_that_is_not_understood():
    with pytest.raises(ValueError, match="colour"):
        draw_value({"type": "colour"}, Draw(0))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "exclusiveMinimum": 3, "maximum": 5},
        {"type": "integer", "maximum": -10},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.1},
        {"type": ["string", "null"]},
        {"type": "array", "items": {"type": "boolean"}, "minItems": 6, "maxItems": 7},
        {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True},
        {"const": "x"},
        {},
    ],
    ids=str,
)
def test_schemas(schema):
    assert all(fits(schema, draw_value(schema, Draw(seed))) for seed in range(100))


def test_numbers_keep_to_cents():
    values = [draw_value({"type": "number"}, Draw(seed)) for seed in range(200)]
    assert all(Decimal(str(value)) == round(Decimal(str(value)), 2) for value in values)


@pytest.mark.skipif(sys.platform == "win32", reason="starts processes")
def test_shared_memory_is_refused_loudly(lending):
    with pytest.raises(ValueError, match="shared_memory"):
        gym.make_vec(lending, num_envs=2, vectorization_mode="async")
