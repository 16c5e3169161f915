from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym.emotions import (
    CONDITIONS,
    LEAVES,
    NECESSARY_MOVES,
    POLITENESS,
    TRUST,
    URGENCY,
    Affect,
    EmotionCondition,
    Event,
    leaving,
    move,
    start,
)
from tau_emotion_gym.emotions.amounts import AffectTable, affect_table
from tau_emotion_gym.errors import UnknownName

CONDITION = st.sampled_from(CONDITIONS)
UNIT = st.floats(0, 1)
AFFECT = st.builds(Affect, UNIT, UNIT)
NECESSARY = st.lists(st.sampled_from(sorted(NECESSARY_MOVES)), max_size=60)
LEGITIMATE = st.lists(
    st.sampled_from([*sorted(NECESSARY_MOVES), Event.REFUSAL_WITH_REASON, Event.HAND_OFF]), max_size=60
)
FRICTION = (
    Event.REDUNDANT_QUESTION,
    Event.AVOIDABLE_QUESTION,
    Event.BUNDLED_QUESTIONS,
    Event.DRIPPED_QUESTION,
    Event.STALLING,
    Event.LONG_SILENCE,
    Event.OVERLONG_MESSAGE,
    Event.DISMISSIVE,
    Event.REFUSAL_WITHOUT_REASON,
)


def questions_until_leaving(condition: EmotionCondition, *between: Event, limit: int = 60) -> int:
    affect = start(condition)
    for count in range(1, limit + 1):
        affect = move(affect, (Event.REDUNDANT_QUESTION,), condition)
        if leaving(affect, condition):
            return count
        affect = move(affect, between, condition)
    return limit


def with_level(leaf_at: int, politeness: str, urgency: str, trust: str) -> EmotionCondition:
    leaf = LEAVES[leaf_at]
    return EmotionCondition(leaf.family, leaf.name, politeness, urgency, trust)


@given(AFFECT, NECESSARY, CONDITION)
def test_necessary_moves_cost_nothing(affect: Affect, events: list[Event], condition: EmotionCondition) -> None:
    for one in (condition, None):
        after = move(affect, events, one)
        assert after.satisfaction >= affect.satisfaction
        assert after.patience >= affect.patience


@given(LEGITIMATE, CONDITION)
def test_legitimate_moves_never_drive_a_user_out(events: list[Event], condition: EmotionCondition) -> None:
    affect = start(condition)
    for event in events:
        affect = move(affect, [event], condition)
        assert not leaving(affect, condition)


@given(AFFECT, LEGITIMATE, CONDITION)
def test_legitimate_moves_are_never_the_last_straw(
    affect: Affect, events: list[Event], condition: EmotionCondition
) -> None:
    if not leaving(affect, condition):
        assert not leaving(move(affect, events, condition), condition)


@pytest.mark.parametrize("condition", CONDITIONS[26::27], ids=str)
def test_three_explained_refusals_and_a_hand_off_are_affordable(condition: EmotionCondition) -> None:
    assert (condition.politeness, condition.urgency, condition.trust) == ("cold", "high", "skeptical")
    episode = [Event.NECESSARY_QUESTION, *[Event.REFUSAL_WITH_REASON] * 3, Event.HAND_OFF]
    affect = move(start(condition), episode, condition)
    assert affect.satisfaction < start(condition).satisfaction
    assert not leaving(affect, condition)
    assert not leaving(move(affect, [Event.REDUNDANT_QUESTION], condition), condition)


@given(AFFECT, st.lists(st.sampled_from(Event), max_size=40), st.one_of(st.none(), CONDITION))
def test_affect_stays_in_the_unit_interval(
    affect: Affect, events: list[Event], condition: EmotionCondition | None
) -> None:
    after = move(affect, events, condition)
    assert 0 <= after.satisfaction <= 1
    assert 0 <= after.patience <= 1
    one_by_one = affect
    for event in events:
        one_by_one = move(one_by_one, [event], condition)
    assert one_by_one == after


@pytest.mark.parametrize("event", FRICTION)
def test_friction_costs_under_every_condition(event: Event) -> None:
    for condition in (None, *CONDITIONS):
        before = start(condition)
        after = move(before, [event], condition)
        assert after.satisfaction < before.satisfaction
        assert after.patience < before.patience


@pytest.mark.parametrize("event", FRICTION)
def test_enough_of_any_friction_makes_anybody_leave(event: Event) -> None:
    for condition in CONDITIONS:
        assert leaving(move(start(condition), [event] * 60, condition), condition)


@given(AFFECT)
def test_a_neutral_user_never_leaves(affect: Affect) -> None:
    assert not leaving(affect, None)
    assert not leaving(move(start(None), [Event.DISMISSIVE] * 50, None), None)


@pytest.mark.parametrize("leaf_at", range(22), ids=[leaf.name for leaf in LEAVES])
@pytest.mark.parametrize("politeness", POLITENESS)
def test_users_leave_earlier_the_more_urgent_and_the_more_distrustful(leaf_at: int, politeness: str) -> None:
    grid = [
        [questions_until_leaving(with_level(leaf_at, politeness, urgency, trust)) for trust in TRUST]
        for urgency in URGENCY
    ]
    for line in (*grid, *zip(*grid, strict=True)):
        assert all(earlier > later for earlier, later in pairwise(line)), grid
    assert 7 <= grid[0][0] <= 12
    assert 3 <= grid[2][2] <= 4


@pytest.mark.parametrize("between", [(Event.PROGRESS,), (Event.PROGRESS, Event.NECESSARY_QUESTION)])
def test_leaves_rise_with_urgency_and_distrust_over_mixed_conversations(between: tuple[Event, ...]) -> None:
    def share(conditions: list[EmotionCondition]) -> float:
        leaves = [
            questions_until_leaving(condition, *between) <= asked for condition in conditions for asked in range(3, 9)
        ]
        return sum(leaves) / len(leaves)

    for leaf_at in range(22):
        for fixed in TRUST:
            by_urgency = [share([with_level(leaf_at, "neutral", level, fixed)]) for level in URGENCY]
            assert_rising(by_urgency)
        for fixed in URGENCY:
            by_trust = [share([with_level(leaf_at, "neutral", fixed, level)]) for level in TRUST]
            assert_rising(by_trust)


def assert_rising(shares: list[float]) -> None:
    for less, more in pairwise(shares):
        assert less < more or less == more == 0 or less == more == 1, shares


def test_stronger_feelings_leave_sooner_within_a_family() -> None:
    for family in {leaf.family for leaf in LEAVES}:
        leaves = sorted((leaf for leaf in LEAVES if leaf.family == family), key=lambda leaf: leaf.strength)
        swings = []
        for leaf in leaves:
            condition = EmotionCondition(family, leaf.name, "neutral", "moderate", "cautious")
            swings.append(move(Affect(0.5, 0.5), [Event.REDUNDANT_QUESTION], condition).patience)
        assert swings == sorted(swings, reverse=True)


def test_acknowledgement_helps_anger_and_sadness_most() -> None:
    intensity = affect_table().intensity

    def gain(family: str) -> float:
        condition = next(c for c in CONDITIONS if c.family == family)
        strength = next(leaf.strength for leaf in LEAVES if leaf.name == condition.leaf)
        gained = move(Affect(0.5, 0.5), [Event.ACKNOWLEDGEMENT], condition).satisfaction - 0.5
        return gained / (intensity.base + intensity.per_point * strength)

    assert min(gain("anger"), gain("sadness")) > max(gain("fear"), gain("disgust"), gain("enjoyment"))


def test_a_kind_word_does_not_undo_a_redundant_question() -> None:
    for condition in CONDITIONS:
        before = Affect(0.5, 0.5)
        after = move(before, [Event.REDUNDANT_QUESTION, Event.ACKNOWLEDGEMENT], condition)
        assert after.patience < before.patience


def test_acknowledging_buys_time() -> None:
    for condition in CONDITIONS[::7]:
        plain = questions_until_leaving(condition)
        assert questions_until_leaving(condition, Event.ACKNOWLEDGEMENT, Event.PROGRESS) >= plain


def test_the_scales_do_what_they_are_called() -> None:
    calm = EmotionCondition("anger", "bitterness", "neutral", "low", "trusting")
    hurried = EmotionCondition("anger", "bitterness", "neutral", "high", "trusting")
    doubting = EmotionCondition("anger", "bitterness", "neutral", "low", "skeptical")
    middle = Affect(0.5, 0.5)

    def cost(event: Event, condition: EmotionCondition) -> float:
        return 0.5 - move(middle, [event], condition).patience

    for event in (Event.REDUNDANT_QUESTION, Event.STALLING, Event.AVOIDABLE_QUESTION):
        assert cost(event, hurried) > cost(event, calm)
        assert cost(event, doubting) > cost(event, calm)
    for event in (Event.LONG_SILENCE, Event.OVERLONG_MESSAGE, Event.BUNDLED_QUESTIONS):
        assert cost(event, hurried) > cost(event, calm)
        assert cost(event, doubting) == cost(event, calm)
    for event in (Event.DISMISSIVE, Event.REFUSAL_WITHOUT_REASON):
        assert cost(event, hurried) == cost(event, calm)
        assert cost(event, doubting) > cost(event, calm)


def test_events_are_known_by_name() -> None:
    condition = CONDITIONS[0]
    by_name: list[Event] = ["stalling"]  # type: ignore[list-item]
    assert move(start(condition), by_name, condition) == move(start(condition), [Event.STALLING], condition)
    with pytest.raises(UnknownName, match="did you mean 'stalling'"):
        move(start(condition), ["staling"], condition)  # type: ignore[list-item]


def test_no_event_leaves_affect_as_it_is() -> None:
    affect = start(CONDITIONS[3])
    assert move(affect, [], CONDITIONS[3]) is affect


def test_the_table_gives_reasons_and_known_sources() -> None:
    table = affect_table()
    assert {row.name for row in table.events} == set(Event)
    for row in table.rows():
        assert len(row.reason.split()) >= 8
        assert row.sources or "evidence" in row.reason or "convention" in row.reason
        assert set(row.sources) <= set(table.sources)


def test_the_table_refuses_unknown_keys() -> None:
    raw = msgspec.to_builtins(affect_table())
    raw["events"][0]["surprise"] = 1
    with pytest.raises(msgspec.ValidationError, match="surprise"):
        msgspec.convert(raw, AffectTable)
