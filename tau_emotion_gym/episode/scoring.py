"""The score: a pure function of the task, the reached state and the transcript."""

from collections.abc import Mapping, Sequence
from typing import Never, Self

import msgspec

from tau_emotion_gym.episode import values
from tau_emotion_gym.episode.outcomes import Outcome
from tau_emotion_gym.episode.turns import Turn
from tau_emotion_gym.errors import check_finite, unknown
from tau_emotion_gym.kit import Domain, Output, Task
from tau_emotion_gym.tasks.expected import expected_sets, unexpected
from tau_emotion_gym.world import Canonical, World, differences

DEFAULT_REWARD: Mapping[str, float] = {
    "success": 1.0,
    "dissatisfied": -1.0,
    "violation": 0.0,
    "tool_error": 0.0,
    "question": 0.0,
    "step": 0.0,
}
"""Reward terms and their weights: success and dissatisfied count once, the others per occurrence."""

MOST_OTHER_VALUES = 5
"""A message with more other values of an output's kind does not count as telling it; nor does one with every
option of a choice among three or more."""


class Score(msgspec.Struct, frozen=True):
    """How an episode went.

    Attributes:
        reward: the sum of `terms`, which are all 0.0 when a server failed.
        terms: reward term → its contribution, weight included.
        success: the user was served: state and outputs match, and the end is the user's or a hand-off.
        state_match: the net changes equal an expected set of changes.
        outputs_match: everything that had to be told was told.
        strict_success: success without a violation.
        outcome: why the episode ended.
        differences: where the reached state differs from the nearest expected one.
        missing_outputs: what was not told.
    """

    reward: float
    terms: dict[str, float]
    success: bool
    state_match: bool
    outputs_match: bool
    strict_success: bool
    outcome: Outcome
    differences: tuple[str, ...]
    missing_outputs: tuple[Output, ...]


class Weights(dict[str, float]):
    """Weights of all reward terms, checked. Episodes of one configuration share them, so nothing can change them."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> Never:
        raise TypeError("weights cannot be changed; give an episode its own with reward={…}")

    __setitem__ = __delitem__ = __ior__ = update = pop = popitem = setdefault = clear = _refuse

    def __reduce__(self) -> tuple[type[Self], tuple[dict[str, float]]]:
        return type(self), (dict(self),)


_USUAL = Weights(DEFAULT_REWARD)


def check_reward(weights: Mapping[str, float] | None) -> Weights:
    """The full mapping of reward terms, with the defaults for those not given.

    Raises:
        UnknownName: for a term that does not exist.
        TypeError: for a weight that is no finite number.
    """
    if weights is None:
        return _USUAL
    if type(weights) is Weights:
        return weights
    merged = dict(DEFAULT_REWARD)
    for term, weight in weights.items():
        if term not in merged:
            raise unknown("reward term", term, DEFAULT_REWARD)
        check_finite(f"the weight of the reward term {term!r}", weight)
        merged[term] = float(weight)
    return Weights(merged)


def score(
    domain: Domain,
    task: Task,
    world: World,
    transcript: Sequence[Turn],
    outcome: Outcome,
    counts: Mapping[str, int],
    weights: Mapping[str, float] = DEFAULT_REWARD,
) -> Score:
    """Score a finished episode. Changes nothing.

    Args:
        domain: the domain.
        task: the task.
        world: the reached state.
        transcript: every turn.
        outcome: why it ended.
        counts: occurrences of the countable terms ("violation", "tool_error", "question", "step").
        weights: reward terms (see `DEFAULT_REWARD`).
    """
    wrong = unexpected(domain, task, world.changes())
    state_match = wrong is None
    missing = missing_outputs(task, transcript, world.now.year)
    served = outcome in (Outcome.SATISFIED, Outcome.HANDED_OFF)
    success = served and state_match and not missing
    occurrences = {**counts, "success": success, "dissatisfied": outcome is Outcome.DISSATISFIED}
    terms = {
        term: weight * occurrences[term] if occurrences[term] and outcome is not Outcome.INFRASTRUCTURE else 0.0
        for term, weight in weights.items()
    }
    return Score(
        reward=sum(terms.values()),
        terms=terms,
        success=success,
        state_match=state_match,
        outputs_match=not missing,
        strict_success=success and not counts["violation"],
        outcome=outcome,
        differences=() if wrong is None else nearest_differences(wrong, expected_sets(domain, task)),
        missing_outputs=missing,
    )


def nearest_differences(reached: Canonical, allowed: Sequence[Canonical]) -> tuple[str, ...]:
    """The differences from the expected set that is nearest to the reached state."""
    found = [differences(reached, one) for one in allowed]
    return tuple(str(difference) for difference in min(found, key=lambda one: len(one)))


def missing_outputs(task: Task, transcript: Sequence[Turn], year: int) -> tuple[Output, ...]:
    """The outputs that no message to the customer tells."""
    outputs = task.outputs
    if not outputs:
        return ()
    messages = [turn.content for turn in transcript if turn.role == "agent"]
    return tuple(o for o in outputs if not any(tells(message, o, year) for message in reversed(messages)))


def _may_tell(message: str, kind: str, value: str) -> bool:
    """False when a message lacks the figures that a sum or a day has, however it is written: a quick look."""
    if kind == "date":
        figures = value[-2:].lstrip("0")
    elif kind == "money" and not value.startswith("0."):
        figures = value.partition(".")[0]
    else:
        return True
    return figures in message.replace(",", "").replace("*", "").replace("`", "")


def tells(message: str, output: Output, year: int) -> bool:
    """Whether a message tells an output, without burying it among many others of its kind."""
    wanted = values.normal(output.kind, output.value)
    if not _may_tell(message, output.kind, wanted):
        return False
    found = values.find(
        message, output.kind, nouns=(output.noun,) if output.noun else (), options=output.options, year=year
    )
    most = min(MOST_OTHER_VALUES, max(1, len(output.options) - 2)) if output.options else MOST_OTHER_VALUES
    return wanted in found and len(set(found) - {wanted}) <= most
