"""Walks: which intents make up a task, and when their tool chains are a path of the tool graph.

A *walk* is the sequence of a task's reference calls: identification, then the calls of one to three goals.
It is a walk of the tool graph in this sense:

* every step is *enabled*: for each id that a call gives to its tool, the customer told it, or an earlier
  step has an edge to this tool along which an id of that kind flows (or a reviewed edge);
* each intent uses 2 to 4 tools, identification included, `calculate` and `think` not counted (a refusal
  may need identification alone);
* no write tool is called twice in a task, nor do two goals end in the same read for their figure, and no
  intent occurs twice;
* a chained intent stands directly after one of those that it follows, and a hand-off stands last.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.kit import CALCULATE, THINK, Domain, Fact, Goal, Intent, Kind
from tau_emotion_gym.tasks.arguments import Step
from tau_emotion_gym.tasks.graph import GENERIC, edges

MOST_TOOLS = 4
_UNCOUNTED = frozenset({CALCULATE, THINK})

Weigh = Callable[[Intent], int]
"""Relative frequency of an intent, a positive integer."""


class Wish(NamedTuple):
    """What kind of task is wanted.

    Attributes:
        size: number of goals, 1 to 3.
        deny: one of them is a refusal.
        hand_off: the last one is a hand-off.
        chained: one of them is a chained intent.
        emergency: a single emergency; the other fields do not matter.
    """

    size: int
    deny: bool = False
    hand_off: bool = False
    chained: bool = False
    emergency: bool = False


class _Pools(NamedTuple):
    plain: tuple[Intent, ...]
    deny: tuple[Intent, ...]
    hand_off: tuple[Intent, ...]
    emergency: tuple[Intent, ...]
    chained: tuple[Intent, ...]


@cache
def _pools(domain: Domain) -> _Pools:
    alone = [intent for intent in domain.intents.values() if not intent.follows]
    return _Pools(
        plain=tuple(i for i in alone if i.kind not in (Kind.DENY, Kind.HAND_OFF)),
        deny=tuple(i for i in alone if i.kind is Kind.DENY),
        hand_off=tuple(i for i in alone if i.kind is Kind.HAND_OFF and not i.emergency),
        emergency=tuple(i for i in alone if i.emergency),
        chained=tuple(i for i in domain.intents.values() if i.follows),
    )


def possible(domain: Domain, wish: Wish) -> bool:
    """Whether the domain has intents for such a wish at all."""
    pools = _pools(domain)
    if wish.emergency:
        return bool(pools.emergency)
    return (
        (not wish.deny or bool(pools.deny))
        and (not wish.hand_off or bool(pools.hand_off))
        and (not wish.chained or bool(pools.chained))
        and wish.size >= wish.deny + wish.hand_off + 2 * wish.chained
    )


def choose(domain: Domain, wish: Wish, draw: Draw, weigh: Weigh) -> list[Intent] | None:
    """The intents of one task in order, or None when this draw leads nowhere."""
    pools = _pools(domain)
    if wish.emergency:
        return [_pick(pools.emergency, draw, weigh)]
    last = [_pick(pools.hand_off, draw, weigh)] if wish.hand_off else []
    blocks: list[list[Intent]] = []
    if wish.chained:
        chain = _chain(domain, wish, draw, weigh)
        if chain is None:
            return None
        if chain[-1].kind is Kind.HAND_OFF:
            last = chain
        else:
            blocks.append(chain)
    used = [intent for block in (*blocks, last) for intent in block]
    if wish.deny and all(intent.kind is not Kind.DENY for intent in used):
        blocks.append([_pick(pools.deny, draw, weigh)])
    while (missing := wish.size - len(last) - sum(map(len, blocks))) > 0:
        taken = {intent.name for block in (*blocks, last) for intent in block}
        free = [intent for intent in pools.plain if intent.name not in taken]
        if not free:
            return None
        blocks.append([_pick(free, draw, weigh)])
    if missing < 0:
        return None
    return [intent for block in draw.shuffled(blocks) for intent in block] + last


def _chain(domain: Domain, wish: Wish, draw: Draw, weigh: Weigh) -> list[Intent] | None:
    """An intent and a chained one after it, of kinds that the wish has room for."""
    fitting = [
        intent
        for intent in _pools(domain).chained
        if (wish.deny or intent.kind is not Kind.DENY)
        and (intent.kind is not Kind.HAND_OFF or (wish.hand_off and not intent.emergency))
    ]
    if not fitting:
        return None
    after = _pick(fitting, draw, weigh)
    before = [domain.intents[name] for name in after.follows]
    before = [i for i in before if not i.follows and i.kind is not Kind.HAND_OFF]
    before = [i for i in before if wish.deny or i.kind is not Kind.DENY]
    return [_pick(before, draw, weigh), after] if before else None


def _pick(options: Sequence[Intent], draw: Draw, weigh: Weigh) -> Intent:
    return options[0] if len(options) == 1 else draw.weighted(options, [weigh(i) for i in options])


# --- the path ---------------------------------------------------------------------------------------


@cache
def _into(domain: Domain) -> Mapping[str, tuple[Mapping[str, frozenset[str]], frozenset[str]]]:
    """Tool → (kind → tools from which it flows, tools with a reviewed edge)."""
    found: dict[str, tuple[dict[str, set[str]], set[str]]] = {name: ({}, set()) for name in domain.tools}
    for (a, b), kinds in edges(domain).items():
        for kind in kinds:
            found[b][0].setdefault(kind, set()).add(a)
        if (a, b) in domain.edges_added:
            found[b][1].add(a)
    return {
        name: ({kind: frozenset(tools) for kind, tools in flows.items()}, frozenset(reviewed))
        for name, (flows, reviewed) in found.items()
    }


def astray(domain: Domain, facts: Sequence[Fact], steps: Sequence[Step]) -> str | None:
    """Why a sequence of steps is no path of the graph, or None when it is one."""
    told = {fact.value for fact in facts}
    before: set[str] = set()
    into = _into(domain)
    for done, leaves in steps:
        flows, reviewed = into[done.name]
        if before.isdisjoint(reviewed):
            for _, kind, value in leaves:
                if kind is None or kind in GENERIC or value in told:
                    continue
                if before.isdisjoint(flows.get(kind, ())):
                    return f"{done.name} needs a {kind} that no earlier step gives"
        before.add(done.name)
    return None


def tools_used(identify: str, goal: Goal) -> int:
    """How many tools a goal uses, together with the tool of identification, `identify`."""
    return len({identify, *(call.name for call in goal.calls)} - _UNCOUNTED)


def repeated(domain: Domain, goals: Sequence[Goal]) -> str | None:
    """The write that a task calls twice, or the read in which two of its goals end; None when neither."""
    seen: set[str] = set()
    for goal in goals:
        names = [call.name for call in goal.calls if domain.tools[call.name].writes]
        if goal.kind is Kind.INFORM:
            names += [call.name for call in goal.calls if call.name not in _UNCOUNTED][-1:]
        for name in names:
            if name in seen:
                return name
            seen.add(name)
    return None
