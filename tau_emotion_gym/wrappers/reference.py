"""A task's reference in the form in which a dialogue is compared with it, worked out once per task.

It is what the linking of this package's numeric interface stands on: given the values that a dialogue has shown, it
knows which of them belong together. Nothing of it is shown to a policy (see `wrappers.discrete`).
"""

from collections.abc import Mapping
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple, get_origin

import msgspec

from tau_emotion_gym.kit import CALCULATE, TRANSFER, Call, Domain, Fact, Goal, Kind, Task, Tool
from tau_emotion_gym.tasks.arguments import Leaf, leaves
from tau_emotion_gym.tasks.graph import GENERIC
from tau_emotion_gym.tasks.provenance import (
    Told,
    as_number,
    encode_json,
    has_number,
    numbers,
    plain,
    policy_values,
    words,
)
from tau_emotion_gym.world.fields import bare
from tau_emotion_gym.world.records import field_types

_MEMO = "reference in dialogue"

LARGEST_COUNT = 31
"""Whole numbers up to this one may count things or days that are seen without being written as a number."""


class Need(NamedTuple):
    """One value that a reference call needs.

    Attributes:
        text: the value as a tool's result shows it; for a number its whole part.
        number: the number that it is, if it is one.
        said: the value as a customer says it, in small letters between blanks.
        facts: the customer's facts, by number, that say it in other words; none for an id, which only a
            tool's result or the id itself can show.
    """

    text: str
    number: Decimal | None
    said: str
    facts: frozenset[int]

    def in_result(self, content: str) -> bool:
        """Whether a tool's result shows the value."""
        return self.text in content and (self.number is None or has_number(content, self.number))

    def in_message(self, said: str, message: str) -> bool:
        """Whether a customer's message says the value, given as `words` and as `plain` text."""
        return self.said in said if self.number is None else has_number(message, self.number)


class Step(NamedTuple):
    """One call of the reference.

    Attributes:
        call: the call.
        goal: number of its goal, -1 for the identification.
        bound: the arguments as the tool takes them, with its defaults.
        needs: the values that have to be shown before it can be made.
        writes: whether it changes the world.
        judged: a closed list's entry in it follows from what the goal's reads show.
    """

    call: Call
    goal: int
    bound: Mapping[str, Any]
    needs: tuple[Need, ...]
    writes: bool
    judged: bool


class Reference(NamedTuple):
    """A task's reference.

    Attributes:
        steps: the calls in order.
        facts: what the customer knows, identity first.
        owners: for each of `facts` the number of its goal, -1 for the identity.
        reads: per goal the numbers of the steps before its first write: the grounds of what is said.
        writes: per goal the numbers of its writes, the hand-off apart.
        all: per goal the numbers of its steps, the hand-off apart.
        by_tool: tool → the numbers of its steps.
    """

    steps: tuple[Step, ...]
    facts: tuple[Fact, ...]
    owners: tuple[int, ...]
    reads: tuple[tuple[int, ...], ...]
    writes: tuple[tuple[int, ...], ...]
    all: tuple[tuple[int, ...], ...]
    by_tool: Mapping[str, tuple[int, ...]]


def reference_of(domain: Domain, task: Task) -> Reference:
    """A task's reference; a memo on the task."""
    found: Reference | None = task.__dict__.get(_MEMO)
    if found is None:
        found = task.__dict__[_MEMO] = _reference(domain, task)
    return found


def refusable(goal: Goal) -> bool:
    """Whether the right end of a goal begins with a refusal."""
    return goal.kind in (Kind.DENY, Kind.CONDITIONAL)


def _reference(domain: Domain, task: Task) -> Reference:
    facts = [(fact, -1) for fact in task.identity]
    facts += [(fact, number) for number, goal in enumerate(task.goals) for fact in goal.facts]
    steps = [_step(domain, task.identify, -1, facts)]
    reads, writes, everything = [], [], []
    for number, goal in enumerate(task.goals):
        own = [_step(domain, call, number, facts) for call in goal.calls]
        start = len(steps)
        steps += own
        first = next((at for at, step in enumerate(own) if step.writes), len(own))
        reads.append(tuple(range(start, start + first)))
        kept = tuple(start + at for at, step in enumerate(own) if step.call.name != TRANSFER)
        writes.append(tuple(at for at in kept if steps[at].writes))
        everything.append(kept)
    names = {step.call.name for step in steps}
    return Reference(
        tuple(steps),
        tuple(fact for fact, _ in facts),
        tuple(owner for _, owner in facts),
        tuple(reads),
        tuple(writes),
        tuple(everything),
        {name: tuple(at for at, step in enumerate(steps) if step.call.name == name) for name in names},
    )


def _step(domain: Domain, call: Call, goal: int, facts: list[tuple[Fact, int]]) -> Step:
    tool = domain.tools[call.name]
    bound = msgspec.structs.asdict(tool.bind(call.arguments))
    if call.name == CALCULATE:
        figures = numbers(str(bound["expression"])) - policy_values(domain)[1]
        return Step(call, goal, bound, tuple(_figure(n) for n in sorted(figures) if not _counts(n)), False, False)
    known = [(number, fact) for number, (fact, owner) in enumerate(facts) if owner in (-1, goal)]
    listed = _closed_lists(tool)
    needs, judged = [], False
    for leaf in leaves(tool, bound, call.arguments):
        if not _is_id(leaf) and _given(domain, tool.name, leaf.path, leaf.value):
            continue
        need = _need(leaf, known)
        if leaf.path in listed and not need.facts:
            judged = True
        else:
            needs.append(need)
    return Step(call, goal, bound, tuple(needs), tool.writes, judged and tool.writes)


@cache
def _closed_lists(tool: Tool) -> frozenset[str]:
    """The parameters that take an entry of a closed list."""
    hints = field_types(tool.arguments).items()
    return frozenset(name for name, hint in hints if get_origin(bare(hint)) is Literal)


def _counts(number: Decimal) -> bool:
    return number.as_tuple().exponent == 0 and number <= LARGEST_COUNT


@lru_cache(maxsize=4096)
def _given(domain: Domain, tool: str, path: str, value: Any) -> bool:
    """Whether the policy names a value, or the tool takes it by default; a yes or no needs no source."""
    return isinstance(value, bool) or Told(domain).source(domain.tools[tool], path, value) is not None


def _is_id(leaf: Leaf) -> bool:
    return leaf.kind is not None and leaf.kind not in GENERIC


def _figure(number: Decimal) -> Need:
    return Need(str(number).split(".")[0], number, "", frozenset())


def _need(leaf: Leaf, facts: list[tuple[int, Fact]]) -> Need:
    value = leaf.value
    number = as_number(value)
    said = words(str(value))
    if _is_id(leaf):
        return Need(encode_json(value), None, said, frozenset())
    saying = [at for at, fact in facts if value in (fact.value, fact.say) or _contains(fact, said, number)]
    text = encode_json(value) if number is None else str(number).split(".")[0]
    return Need(text, number, said, frozenset(saying))


def _contains(fact: Fact, said: str, number: Decimal | None) -> bool:
    if number is not None:
        return any(has_number(plain(text), number) for text in (fact.value, fact.say))
    return said in words(fact.value) or said in words(fact.say)
