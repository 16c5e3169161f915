"""What makes a task unsound, one function a reason; each returns the reason or None.

*Nothing for nothing*: no task is solved by an agent that does nothing, that only refuses, or that only
hands off, emergencies apart.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, get_args

import msgspec

from tau_emotion_gym.kit import TRANSFER, Domain, Fact, Goal, HandOff, Intent, Kind, missing_fill
from tau_emotion_gym.tasks.arguments import Step
from tau_emotion_gym.tasks.mentions import in_policy, known, mentions
from tau_emotion_gym.tasks.walks import MOST_TOOLS
from tau_emotion_gym.world import ChangeSet
from tau_emotion_gym.world.fields import bare
from tau_emotion_gym.world.records import field_types


def own_writes(domain: Domain, goal: Goal) -> list[str]:
    """The write tools that a goal's reference calls, hand-off apart."""
    return [call.name for call in goal.calls if call.name != TRANSFER and domain.tools[call.name].writes]


def unlike_its_kind(domain: Domain, goal: Goal, tools: int) -> str | None:
    """A goal whose calls and outputs do not fit its kind. `tools`: tools used, identification included."""
    writes = own_writes(domain, goal)
    transfers = [call.name for call in goal.calls].count(TRANSFER)
    if goal.kind in (Kind.FULFIL, Kind.CONDITIONAL) and not writes:
        return "grants a wish without a write"
    if goal.kind in (Kind.DENY, Kind.INFORM) and writes:
        return f"is {goal.kind} and yet calls {writes[0]}"
    if goal.kind is Kind.INFORM and not goal.outputs:
        return "informs without an output"
    if goal.kind is Kind.HAND_OFF and (transfers != 1 or goal.calls[-1].name != TRANSFER):
        return f"does not end with one {TRANSFER}"
    if goal.kind is not Kind.HAND_OFF and transfers:
        return f"is {goal.kind} and yet calls {TRANSFER}"
    if not (1 if goal.kind is Kind.DENY else 2) <= tools <= MOST_TOOLS:
        return f"uses {tools} tools, identification included (2 to {MOST_TOOLS} make a walk)"
    return None


def for_nothing(domain: Domain, goals: Sequence[Goal], reached: ChangeSet) -> str | None:
    """A task that an agent solves without doing what was asked."""
    outputs = any(goal.outputs for goal in goals)
    changed = bool(reached.added or reached.updated or reached.removed)
    if not changed and not outputs:
        return "nothing to do and nothing to tell: an idle agent solves it"
    writes = any(own_writes(domain, goal) for goal in goals)
    for goal in goals:
        if goal.kind is Kind.DENY and not goal.outputs and not writes:
            return f"{goal.intent}: a refusal without an output or a write in its task"
    if domain.intents[goals[-1].intent].emergency:
        return None
    only_transfer = set(reached.added) == {HandOff.table} and not reached.updated and not reached.removed
    if only_transfer and not outputs:
        return "a hand-off alone solves it"
    if goals[-1].kind is Kind.HAND_OFF and not (writes or outputs):
        return "a hand-off without a write or an output before it"
    return None


def given_away(domain: Domain, facts: Iterable[Fact], goals: Sequence[Goal]) -> str | None:
    """An output that the customer knows already or that the policy's text says."""
    outputs = [(goal, output) for goal in goals for output in goal.outputs]
    if not outputs:
        return None
    said = [text for fact in facts for text in (fact.value, fact.say) if text]
    said += (text for goal in goals for text in goal.fill.values())
    for goal, output in outputs:
        if in_policy(domain, output):
            return f"{goal.intent}: the policy says the output ({output.kind})"
        if known(said, output):
            return f"{goal.intent}: the customer knows the output ({output.kind})"
    return None


def unsayable(domain: Domain, intent: Intent, goal: Goal) -> str | None:
    """A goal whose sentences cannot be filled, or do not say what they must."""
    if missing := missing_fill(intent, goal):
        return f"a sentence of the intent has placeholders without fill: {missing}"
    for fact in goal.facts:
        if fact.slot not in domain.slots:
            return f"the fact's slot {fact.slot!r} is not among the domain's slots"
    return _mute(domain, goal)


def _mute(domain: Domain, goal: Goal) -> str | None:
    script = goal.script
    for name in own_writes(domain, goal):
        tool = domain.tools[name]
        for part in ("propose", "report"):
            if not tool.named_in(getattr(script, part)):
                return f"script.{part} does not name {name} ({', '.join(tool.says)})"
    if goal.kind in (Kind.DENY, Kind.CONDITIONAL) and not script.refuse:
        return "script.refuse is empty"
    if goal.kind is not Kind.DENY and not script.report:
        return "script.report is empty"
    told = f"{script.report} {script.refuse}"
    for output in goal.outputs:
        if not mentions(told, output):
            return f"the script does not tell the output {output.kind} {output.value}"
    return None


def twin(domain: Domain, facts: Iterable[Fact], steps: Sequence[Step], start: int) -> str | None:
    """An id that a write takes from a list in which another entry is the same but for its own id.

    Args:
        domain: the domain.
        facts: what the customer knows; an id that it names is no choice.
        steps: the calls so far.
        start: where among them the goal's calls begin.
    """
    chosen = {
        leaf.value: f"{done.name} {leaf.path}"
        for done, leaves in steps[start:]
        if domain.tools[done.name].writes
        for leaf in leaves
        if leaf.kind is not None
    }
    for fact in facts:
        chosen.pop(fact.value, None)
    if chosen:
        for done, _ in steps:
            for entries in _lists(done.value):
                if (key := _doubled(entries, chosen)) is not None:
                    return f"{chosen[key]}: another entry of {done.name} is just like it"
    return None


def _doubled(entries: Sequence[msgspec.Struct], chosen: Container[object]) -> object:
    """The chosen id of an entry from which another entry differs in its id alone."""
    own = entries[0].__struct_fields__[0]
    for entry in entries:
        if getattr(entry, own, None) in chosen:
            content = msgspec.structs.astuple(entry)[1:]
            if any(msgspec.structs.astuple(other)[1:] == content for other in entries if other is not entry):
                return getattr(entry, own)
    return None


def _lists(value: Any) -> Iterator[Sequence[msgspec.Struct]]:
    """The lists of two or more structs in a result."""
    if isinstance(value, msgspec.Struct):
        for name in _nesting(type(value)):
            yield from _lists(getattr(value, name))
    elif isinstance(value, tuple) and value and isinstance(value[0], msgspec.Struct):
        if len(value) > 1:
            yield value
        if _nesting(type(value[0])):
            for item in value:
                yield from _lists(item)


@cache
def _nesting(struct: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields of a struct that may hold further structs."""
    return tuple(name for name, hint in field_types(struct).items() if _holds_structs(hint))


def _holds_structs(hint: Any) -> bool:
    kind = bare(hint)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return True
    return any(_holds_structs(part) for part in get_args(kind) if part is not Ellipsis)


def ambiguous(goals: Sequence[Goal]) -> str | None:
    """Two facts said in the same words that mean different things."""
    meant: dict[tuple[str, str], str] = {}
    for goal in goals:
        for fact in goal.facts:
            key = (fact.slot, fact.spoken.casefold())
            if meant.setdefault(key, fact.value) != fact.value:
                return f"{fact.spoken!r} means two values of {fact.slot}"
    return None
