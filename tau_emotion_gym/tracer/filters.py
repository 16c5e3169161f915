"""Which logged episodes are worth learning from: an ordered list of filters, each with its reason."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from tau_emotion_gym.emotions import Event
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.rollouts import Record

UNNECESSARY = (Event.REDUNDANT_QUESTION, Event.AVOIDABLE_QUESTION, Event.DRIPPED_QUESTION)
"""Questions that lean on the customer: already answered, answerable by a tool, or asked one by one."""

DUPLICATE = "duplicate"
"""The filter that needs the rows written before; it comes last."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What the filters are set to.

    Attributes:
        strict: drop episodes in which a policy rule was broken, though the final state is right.
        most_unnecessary_questions: questions of the kinds in `UNNECESSARY` that an episode may hold; None for any
            number. This is the interaction-aware filter of the paper's Tracer, which keeps successful
            trajectories that do not lean on the user; the paper states no number, and the bound of 1 is ours.
        most_tool_errors: calls that a tool may have answered with an error; None for any number, since an agent
            that recovers from an error is worth learning from.
    """

    strict: bool = True
    most_unnecessary_questions: int | None = 1
    most_tool_errors: int | None = None


class Filter(NamedTuple):
    """One reason to leave an episode out.

    Attributes:
        name: its name in the counts.
        meaning: which episodes it drops, in words.
        drops: whether it drops a record under the given limits.
    """

    name: str
    meaning: str
    drops: Callable[[Record, Limits], bool]


FILTERS: tuple[Filter, ...] = (
    Filter("infrastructure", "a server failed", lambda record, _: record.excluded),
    Filter("user_left", "the customer left dissatisfied", lambda record, _: record.outcome == Outcome.DISSATISFIED),
    Filter("failed", "no success", lambda record, _: not record.success),
    Filter(
        "policy_violation",
        "a policy rule was broken",
        lambda record, limits: limits.strict and not record.strict_success,
    ),
    Filter("user_fault", "the customer was content with a wish unspoken", lambda record, _: record.user_fault),
    Filter(
        "unnecessary_questions",
        "more unnecessary questions than the bound",
        lambda record, limits: _above(unnecessary_questions(record), limits.most_unnecessary_questions),
    ),
    Filter("malformed_call", "a call was malformed", lambda record, _: record.malformed > 0),
    Filter(
        "tool_errors",
        "more tool errors than the bound",
        lambda record, limits: _above(record.tool_errors, limits.most_tool_errors),
    ),
    Filter("nothing_to_learn", "the agent did nothing", lambda record, _: _idle(record)),
)
"""In the order in which they are asked; an episode counts for the first one that drops it. The customers who
left come before the failures, since every such episode has failed too."""

NAMES = (*(filter_.name for filter_ in FILTERS), DUPLICATE)
"""The names of all filters, in order."""

MEANINGS = {**{filter_.name: filter_.meaning for filter_ in FILTERS}, DUPLICATE: "the same conversation again"}
"""Filter → which episodes it drops."""


def dropped_by(record: Record, limits: Limits) -> str | None:
    """The name of the first filter that drops a record; None when all let it pass."""
    return next((filter_.name for filter_ in FILTERS if filter_.drops(record, limits)), None)


def unnecessary_questions(record: Record) -> int:
    """How many questions of the kinds in `UNNECESSARY` the agent asked."""
    return sum(record.events.get(event, 0) for event in UNNECESSARY)


def _above(number: int, bound: int | None) -> bool:
    return bound is not None and number > bound


def _idle(record: Record) -> bool:
    """Whether no turn of the agent says or does anything."""
    return not any(turn.role == "call" or (turn.role == "agent" and turn.content) for turn in record.transcript)
