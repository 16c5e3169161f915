"""Macro-actions: the fixed, named set of things that an agent with a small action space can do."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from tau_emotion_gym.kit import THINK, TRANSFER, Domain


class Act(StrEnum):
    """The kinds of macro-actions."""

    ACKNOWLEDGE = "acknowledge"
    """Show that the feeling was heard."""
    CONFIRM = "confirm"
    """Propose what is next and ask for a yes."""
    REFUSE = "refuse"
    """Say that it cannot be done, with the reason where it is known."""
    REPORT = "report"
    """Tell what was done and found."""
    CLOSE = "close"
    """Ask whether there is anything else."""
    ASK = "ask"
    """Ask for one detail."""
    CALL = "call"
    """Call one tool, its arguments filled from what the dialogue has shown."""
    HAND_OFF = "hand_off"
    """Hand over to a human for one reason."""


TALK = (Act.ACKNOWLEDGE, Act.CONFIRM, Act.REFUSE, Act.REPORT, Act.CLOSE)
"""The macro-actions without a target, in the order in which they stand first."""


class Macro(NamedTuple):
    """One macro-action: what it does, and to which slot, tool or reason ("" for the talk)."""

    act: Act
    target: str = ""

    @property
    def name(self) -> str:
        """Its name, such as "confirm", "ask:order_id", "call:get_order", "hand_off:other"."""
        return f"{self.act}:{self.target}" if self.target else str(self.act)


class Macros:
    """The macro-actions of one domain, or of several under one numbering.

    In order: the talk (see `TALK`), a question for each slot, a call of each tool (the hand-off and `think`
    apart), a hand-off for each reason. With several domains each part is the union, in the order in which
    the domains bring its members.

    Args:
        domains: the domains.

    Attributes:
        actions: the macro-actions; an action is an index into them.
        names: their names.
        slots, tools, reasons: the targets of the three last parts.
    """

    def __init__(self, domains: Sequence[Domain]) -> None:
        self.domains = tuple(domains)
        self.slots = _union([domain.slots for domain in domains])
        self.tools = _union([[name for name in domain.tools if name not in (TRANSFER, THINK)] for domain in domains])
        self.reasons = _union([domain.reasons for domain in domains])
        self.actions = (
            *(Macro(act) for act in TALK),
            *(Macro(Act.ASK, slot) for slot in self.slots),
            *(Macro(Act.CALL, tool) for tool in self.tools),
            *(Macro(Act.HAND_OFF, reason) for reason in self.reasons),
        )
        self.names = tuple(macro.name for macro in self.actions)
        self.index: Mapping[str, int] = {name: number for number, name in enumerate(self.names)}
        self._calls = len(TALK) + len(self.slots)

    def __len__(self) -> int:
        return len(self.actions)

    def call_index(self, tool: int) -> int:
        """The action that calls tool number `tool`."""
        return self._calls + tool


@cache
def macros_of(*domains: Domain) -> Macros:
    """The macro-actions of these domains."""
    return Macros(domains)


def _union(parts: Sequence[Sequence[str] | Mapping[str, object]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts for name in part))
