"""Tasks as data: what the customer wants and knows, the reference calls, and the expected changes."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec

from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.world import ChangeSet


class Kind(StrEnum):
    """What the right end of a goal is."""

    FULFIL = "fulfil"
    """The wish is granted."""
    CONDITIONAL = "conditional"
    """The first wish is impossible; a fallback is granted."""
    DENY = "deny"
    """Policy forbids it: a clear refusal with its reason."""
    INFORM = "inform"
    """A figure that the agent must work out and tell."""
    HAND_OFF = "hand_off"
    """A person must take over."""


class Fact(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, forbid_unknown_fields=True):
    """One thing that the customer knows.

    Attributes:
        slot: the name of the detail, one of the domain's slots.
        value: the value as a tool takes it ("ordered_by_mistake").
        say: how the customer says it ("I ordered it by mistake"); the value itself when empty.
    """

    slot: str
    value: str
    say: str = ""

    @property
    def spoken(self) -> str:
        """The words that convey the fact."""
        return self.say or self.value


class Call(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A tool call of the reference trajectory."""

    name: str
    arguments: dict[str, Any]


class Output(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, forbid_unknown_fields=True):
    """Something that the agent must tell the customer in a message.

    Attributes:
        kind: how it is recognised and normalised.
        value: canonical: "42.50", "2026-03-05", "3", an id, or a choice's words.
        noun: for a count, what is counted, singular ("bag").
        options: for a choice, every option it is chosen from.
    """

    kind: Literal["money", "date", "count", "id", "choice"]
    value: str
    noun: str = ""
    options: tuple[str, ...] = ()


class Script(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, forbid_unknown_fields=True):
    """What the reference agent says for a goal, as whole sentences.

    Attributes:
        propose: the confirmation request before the writes, without the closing question.
        report: what is told at the end (what was done, the outputs).
        refuse: for deny and conditional: what cannot be done and why, with the outputs that decide.
    """

    propose: str = ""
    report: str = ""
    refuse: str = ""


class Goal(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, forbid_unknown_fields=True):
    """One wish, grounded in a world.

    Attributes:
        intent: name of the intent that sampled it; set by the intent itself.
        kind: what the right end is; set by the intent itself.
        fill: fills the placeholders of the intent's phrasings, stakes and fallback.
        facts: what the customer knows for this goal.
        calls: reference calls after identification, in order.
        outputs: what must be told.
        script: the reference agent's sentences.
        insists: how often the customer insists after a refusal before accepting (0 to 2).
        sources: "<call index>.<argument path>" of each reference write → "fact:<slot>", "lookup:<tool>",
            "policy"; filled in by the task builder.
    """

    intent: str = ""
    kind: Kind = Kind.FULFIL
    fill: dict[str, str] = {}
    facts: tuple[Fact, ...] = ()
    calls: tuple[Call, ...] = ()
    outputs: tuple[Output, ...] = ()
    script: Script = Script()
    insists: int = 0
    sources: dict[str, str] = {}


class Task(msgspec.Struct, frozen=True, omit_defaults=True, dict=True, forbid_unknown_fields=True):
    """A customer with one to three goals, the way to the right end, and what the end must be.

    Attributes:
        id: unique within the domain and split.
        domain: name of the domain.
        world: seed of the training world it plays in; None for the shipped test world.
        customer: id of the customer's record.
        identity: the facts by which the customer can be identified.
        identify: the reference's identification call.
        goals: what is wanted, in the order in which the customer brings it up.
        reveal: all wishes in the opening, or each when the one before is closed.
        expected: net changes that count as right; any of them will do.
        condition: index (0 to 593) of the emotion condition assigned to the task.
        seed: default episode seed.
    """

    id: str
    domain: str
    customer: str
    identity: tuple[Fact, ...]
    identify: Call
    goals: Annotated[tuple[Goal, ...], msgspec.Meta(min_length=1)]
    expected: tuple[ChangeSet, ...]
    reveal: Literal["together", "one_by_one"] = "together"
    world: int | None = None
    condition: Annotated[int, msgspec.Meta(ge=0, lt=len(CONDITIONS))] = 0
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0

    @property
    def calls(self) -> tuple[Call, ...]:
        """The whole reference: identification, then each goal's calls."""
        return (self.identify, *(call for goal in self.goals for call in goal.calls))

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Everything that must be told, over all goals."""
        return tuple(output for goal in self.goals for output in goal.outputs)
