"""What the agent did wrong in an episode that failed, by category."""

import re
from collections import defaultdict
from collections.abc import Iterator
from enum import StrEnum

from tau_emotion_gym.emotions import Affect, Event, move
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.evaluation.audit.talk import Talk
from tau_emotion_gym.rollouts.record import Record


class AgentFault(StrEnum):
    """Categories of failure; an episode may have several."""

    MISSING_ACTION = "missing_action"
    """A change that had to be made was not made."""
    EXTRA_ACTION = "extra_action"
    """A change was made that nobody needed."""
    WRONG_CALL = "wrong_call"
    """A change was made to another record or value than it had to be."""
    INCOMPLETE = "incomplete"
    """Something that had to be told was not told."""
    INTEGRITY = "integrity"
    """A rule of the policy was broken."""
    UNFINISHED = "unfinished"
    """The conversation reached its limit."""
    DISMISSIVE = "exit_dismissive"
    """The customer left, most of all because it was belittled."""
    STEAMROLLED = "exit_steamrolled"
    """The customer left, most of all because it was told no without a reason, or handed on."""
    FRICTION = "exit_friction"
    """The customer left, most of all because of needless questions, bundles of them, or walls of text."""
    NEGLECT = "exit_neglect"
    """The customer left, most of all because it was kept waiting, or because its feelings were never acknowledged
    where nothing else explains it."""
    OTHER_EXIT = "exit_unexplained"
    """The customer left, and nothing that the agent did explains it."""

    __hash__ = str.__hash__


_CAUSES = {
    Event.DISMISSIVE: AgentFault.DISMISSIVE,
    Event.REFUSAL_WITHOUT_REASON: AgentFault.STEAMROLLED,
    Event.REFUSAL_WITH_REASON: AgentFault.STEAMROLLED,
    Event.HAND_OFF: AgentFault.STEAMROLLED,
    Event.REDUNDANT_QUESTION: AgentFault.FRICTION,
    Event.AVOIDABLE_QUESTION: AgentFault.FRICTION,
    Event.BUNDLED_QUESTIONS: AgentFault.FRICTION,
    Event.DRIPPED_QUESTION: AgentFault.FRICTION,
    Event.OVERLONG_MESSAGE: AgentFault.FRICTION,
    Event.STALLING: AgentFault.NEGLECT,
    Event.LONG_SILENCE: AgentFault.NEGLECT,
}
"""Event → the category that it speaks for."""

_DIFFERENCE = re.compile(r"(?P<table>[^/]+)/.*?: expected (?P<want>.*), reached (?P<have>.*)", re.S)
_NOTHING = frozenset({"(unchanged)", "(none)", "None"})


def agent_faults(record: Record, talk: Talk) -> tuple[AgentFault, ...]:
    """The categories of a failed episode; empty for a success and for an episode that a server spoilt.

    Where the customer left, only what was done counts, not what was still to be done.
    """
    if record.success or record.excluded:
        return ()
    return tuple(dict.fromkeys(_faults(record, talk)))


def _faults(record: Record, talk: Talk) -> Iterator[AgentFault]:
    left = record.outcome == Outcome.DISSATISFIED
    for fault in _actions(record.differences):
        if not (left and fault is AgentFault.MISSING_ACTION):
            yield fault
    if record.missing and not left:
        yield AgentFault.INCOMPLETE
    if record.violations:
        yield AgentFault.INTEGRITY
    if record.outcome in (Outcome.STEP_LIMIT, Outcome.CONTEXT_LIMIT):
        yield AgentFault.UNFINISHED
    if left:
        yield exit_cause(talk)


def _actions(differences: tuple[str, ...]) -> Iterator[AgentFault]:
    """What the differences between the reached and the expected state say of the agent's actions."""
    missing: set[str] = set()
    extra: set[str] = set()
    wrong = False
    for difference in differences:
        match = _DIFFERENCE.fullmatch(difference)
        if match is None:
            continue
        if match["have"] in _NOTHING or match["have"] == "kept":
            missing.add(match["table"])
        elif match["want"] in _NOTHING or match["want"] == "kept":
            extra.add(match["table"])
        else:
            wrong = True
    if wrong or missing & extra:
        yield AgentFault.WRONG_CALL
    if missing - extra:
        yield AgentFault.MISSING_ACTION
    if extra - missing:
        yield AgentFault.EXTRA_ACTION


def exit_cause(talk: Talk) -> AgentFault:
    """Why the customer left: the category whose events cost it most satisfaction and patience."""
    condition = talk.brief.condition if talk.brief else None
    costs: defaultdict[AgentFault, float] = defaultdict(float)
    acknowledged = False
    for line in talk.lines:
        acknowledged = acknowledged or Event.ACKNOWLEDGEMENT in line.events
        for event in map(Event, line.events):
            if event in _CAUSES and line.before is not None:
                costs[_CAUSES[event]] += _cost(line.before, move(line.before, [event], condition))
    if not costs or max(costs.values()) <= 0:
        known = talk.brief is not None
        return AgentFault.NEGLECT if known and not acknowledged else AgentFault.OTHER_EXIT
    return max(costs, key=costs.__getitem__)


def _cost(before: Affect, after: Affect) -> float:
    return max(0.0, before.satisfaction - after.satisfaction) + max(0.0, before.patience - after.patience)
