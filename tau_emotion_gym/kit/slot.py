"""Slots: the details of a domain, how agents ask for them and how customers give them."""

import msgspec

from tau_emotion_gym.kit.intent import placeholders


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """One detail that a conversation may need.

    Attributes:
        name: as in `Fact.slot`.
        label: short noun phrase ("order number").
        names: lower-case phrases by which an agent's message names it; the reader looks for these.
        ask: whole questions by which the reference agent asks for it.
        give: how the customer gives it, with `{value}` where its words stand.
        unknown: what the customer says when asked for it without knowing it.
        lookup: True when, once the customer is identified, a tool has it, so that asking is avoidable.
        instead: slots that the customer offers when it does not know this one, in order.
        choices: value → lower-case phrases that name it in an agent's message, for slots with few values;
            lets the customer notice that another choice is being confirmed than the one it made.
    """

    name: str
    label: str
    names: tuple[str, ...]
    ask: tuple[str, ...]
    give: tuple[str, ...]
    unknown: tuple[str, ...]
    lookup: bool = False
    instead: tuple[str, ...] = ()
    choices: dict[str, tuple[str, ...]] = {}

    def __post_init__(self) -> None:
        for sentence in self.give:
            if placeholders(sentence) != {"value"}:
                raise ValueError(
                    f"slot {self.name}: {{value}} is the one placeholder of what is given, not {sentence!r}"
                )
