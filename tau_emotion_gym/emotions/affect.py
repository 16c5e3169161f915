"""Affect: how satisfied and patient a user is now, and how the agent's behaviour moves it.

The agent's turns are read as *events*. Each event has a plain amount for satisfaction and for
patience (`affect.json`, with a reason and sources), multiplied by the factors that the event names:

| factor | from | scales |
|---|---|---|
| `friction` | family | what costs effort or hurts |
| `acknowledgement` | family | being heard |
| `intensity` | leaf | every swing of feeling |
| `urgency` | urgency | what takes time |
| `trust` | trust | what can be read as not listening or not caring |

Both values stay in [0, 1]. A user leaves when either falls below its threshold. Necessary moves
cost nothing under any condition, and a reasoned refusal or a hand-off cannot by itself take a value
below its floor, which lies above the thresholds.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import NoReturn

import msgspec

from tau_emotion_gym.emotions.conditions import EmotionCondition
from tau_emotion_gym.errors import unknown


class Event(StrEnum):
    """What an agent's turn did to the user; `affect.json` says what each means."""

    NECESSARY_QUESTION = "necessary_question"
    CONFIRMATION_REQUEST = "confirmation_request"
    PROGRESS = "progress"
    ACKNOWLEDGEMENT = "acknowledgement"
    REDUNDANT_QUESTION = "redundant_question"
    AVOIDABLE_QUESTION = "avoidable_question"
    BUNDLED_QUESTIONS = "bundled_questions"
    DRIPPED_QUESTION = "dripped_question"
    STALLING = "stalling"
    LONG_SILENCE = "long_silence"
    OVERLONG_MESSAGE = "overlong_message"
    DISMISSIVE = "dismissive"
    REFUSAL_WITH_REASON = "refusal_with_reason"
    REFUSAL_WITHOUT_REASON = "refusal_without_reason"
    HAND_OFF = "hand_off"

    __hash__ = str.__hash__


NECESSARY_MOVES: frozenset[Event] = frozenset(
    {Event.NECESSARY_QUESTION, Event.CONFIRMATION_REQUEST, Event.PROGRESS, Event.ACKNOWLEDGEMENT}
)
"""Events that never lower satisfaction or patience, under any condition."""


class Affect(msgspec.Struct, frozen=True):
    """How a user feels now; both values lie in [0, 1], 1 being the best."""

    satisfaction: float
    patience: float


def start(condition: EmotionCondition | None) -> Affect:
    """How a user with this condition feels before the agent has said anything."""
    return _start(condition)


def move(affect: Affect, events: Sequence[Event], condition: EmotionCondition | None) -> Affect:
    """Affect after `events`, applied in order; an event may occur several times.

    Raises:
        UnknownName: an event is not one of `Event`.
    """
    if not events:
        return affect
    amounts = _amounts(condition)
    satisfaction, patience = affect.satisfaction, affect.patience
    try:
        for event in events:
            pleased, relaxed, floor = amounts[event]
            if pleased:
                satisfaction = _shift(satisfaction, pleased, floor)
            if relaxed:
                patience = _shift(patience, relaxed, floor)
    except KeyError as error:
        _refuse(error.args[0])
    return Affect(satisfaction, patience)


def leaving(affect: Affect, condition: EmotionCondition | None) -> bool:
    """Whether a user who feels like this ends the conversation now; a neutral user never does."""
    if condition is None:
        return False
    threshold = _threshold()
    return affect.satisfaction < threshold.satisfaction or affect.patience < threshold.patience


def _shift(value: float, amount: float, floor: float) -> float:
    """`value` moved by `amount`: at most 1, and not pushed below `floor`."""
    moved = value + amount
    if amount >= 0.0:
        return moved if moved < 1.0 else 1.0
    return moved if moved > floor else min(value, floor)


@cache
def _amounts(condition: EmotionCondition | None) -> dict[str, tuple[float, float, float]]:
    from tau_emotion_gym.emotions.amounts import scaled_amounts

    return scaled_amounts(condition)


@cache
def _start(condition: EmotionCondition | None) -> Affect:
    from tau_emotion_gym.emotions.amounts import affect_table, starting_satisfaction

    return Affect(starting_satisfaction(condition), affect_table().start.patience)


@cache
def _threshold() -> Affect:
    from tau_emotion_gym.emotions.amounts import affect_table

    leaving_row = affect_table().leaving
    return Affect(leaving_row.satisfaction, leaving_row.patience)


def _refuse(event: object) -> NoReturn:
    raise unknown("event", event, (known.value for known in Event))
