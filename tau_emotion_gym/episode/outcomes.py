"""Why an episode ended."""

from enum import StrEnum


class Outcome(StrEnum):
    """The reason for an episode's end; the first three terminate, the others truncate."""

    SATISFIED = "satisfied"
    """The user is done and says so."""
    DISSATISFIED = "dissatisfied"
    """The user leaves because of how it was treated."""
    HANDED_OFF = "handed_off"
    """The agent transferred the conversation to a human."""
    STEP_LIMIT = "step_limit"
    """The agent used up its actions."""
    CONTEXT_LIMIT = "context_limit"
    """The agent's model cannot take a longer conversation."""
    INFRASTRUCTURE = "infrastructure"
    """A server failed: nobody's fault in the conversation, to be left out of training and metrics."""

    @property
    def terminated(self) -> bool:
        """True when the conversation itself came to an end."""
        return self in _TERMINATED


_TERMINATED = frozenset({Outcome.SATISFIED, Outcome.DISSATISFIED, Outcome.HANDED_OFF})

STOPS = tuple(outcome for outcome in Outcome if not outcome.terminated)
"""The outcomes that come from outside the conversation: they truncate."""
