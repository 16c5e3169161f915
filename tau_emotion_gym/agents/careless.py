"""Agents that know the tools and are civil, and are careless in one way each.

They show that a domain is hard in the right way: each must fail a share of the tasks that hold its trap.
Like the reference agent they look at the task; what they play is the task as they misunderstand it.
"""

from collections.abc import Generator
from typing import Any, get_origin

import msgspec

from tau_emotion_gym.agents.choices import Reference
from tau_emotion_gym.agents.lines import LINES
from tau_emotion_gym.agents.reference import PATIENCE, ReferenceAgent, Talk
from tau_emotion_gym.agents.rework import Rework
from tau_emotion_gym.episode import Action, respond
from tau_emotion_gym.episode.events import states
from tau_emotion_gym.kit import TRANSFER, BadArgumentsError, Call, Domain, Goal, Kind, Script, Task, Tool
from tau_emotion_gym.kit.schema import kinds_in
from tau_emotion_gym.tasks.graph import GENERIC
from tau_emotion_gym.world.fields import bare
from tau_emotion_gym.world.records import field_types


class CarelessAgent(ReferenceAgent):
    """The reference agent without its certainty that all is well.

    A customer for whom a wish is not settled comes back to it before the next one. It then repeats its
    `insistence`, and serves no wish that it has not heard of.
    """

    insistence = LINES.give_up

    def reset(self, domain: Domain, task: Task) -> None:
        """Begin a conversation on this task."""
        super().reset(domain, task)
        self._over = False

    def _serve(self, goal: Goal, carried: str) -> Generator[Action, str, str]:
        for _ in range(PATIENCE):
            if self._heard_of(goal):
                return (yield from super()._serve(goal, carried))
            yield respond(" ".join(filter(None, (carried, self._insist()))))
            carried = ""
        return carried

    def _heard_of(self, goal: Goal) -> bool:
        """Whether the customer has brought up a goal."""
        phrasings = self.domain.intents[goal.intent].phrasings
        if any(phrasing.format_map(goal.fill).lower().rstrip(".!?") in self._heard for phrasing in phrasings):
            return True
        return any(states(self._heard, fact.spoken.lower()) for fact in goal.facts)

    def _last_word(self) -> str:
        over, self._over = self._over, True
        return self._insist() if over else super()._last_word()

    def _insist(self) -> str:
        return self._line(self.insistence, "insist")


class FirstMatchAgent(CarelessAgent):
    """Where it has to find a record, it takes the first of the list that matches anything the customer said.

    What follows from that record follows: its ids, its amounts, what it tells. A tool error or a rule in the
    way is answered with an apology.
    """

    def reset(self, domain: Domain, task: Task) -> None:
        """Begin a conversation on what it takes this task for."""
        work = Rework(domain, task, first=True)
        goals = tuple([work.goal(number) for number in range(len(task.goals))])
        super().reset(domain, msgspec.structs.replace(task, goals=goals))


class WrongOrderAgent(CarelessAgent):
    """Serves the wishes in reverse, each in the state in which it finds it.

    A hand-off that depends on no other wish stays last, since it ends the conversation. Of wishes that come
    out one by one it can only serve the one it has heard.
    """

    def reset(self, domain: Domain, task: Task) -> None:
        """Begin a conversation on this task with its wishes in reverse."""
        if task.reveal == "together":
            work = Rework(domain, task)
            goals = tuple([work.goal(number) for number in reverse(domain, task)])
            task = msgspec.structs.replace(task, goals=goals)
        super().reset(domain, task)


def reverse(domain: Domain, task: Task) -> list[int]:
    """The goals' indices in reverse, a hand-off still last unless it depends on another goal."""
    order = list(range(len(task.goals)))[::-1]
    last = task.goals[-1]
    return order[1:] + order[:1] if last.kind is Kind.HAND_OFF and not domain.intents[last.intent].follows else order


class NoFallbackAgent(CarelessAgent):
    """Refuses what is impossible, and leaves it there instead of doing the second best."""

    def _serve(self, goal: Goal, carried: str) -> Generator[Action, str, str]:
        if goal.kind is not Kind.CONDITIONAL:
            return (yield from super()._serve(goal, carried))
        yield from super()._serve(msgspec.structs.replace(goal, kind=Kind.DENY), carried)
        yield respond(self._insist())
        return ""


class PolicyIgnorantAgent(CarelessAgent):
    """Knows no policy: it refuses nothing, asks for no yes, and hands nothing over.

    What policy forbids it does, where the domain shows the write that the customer wants, and otherwise
    says that it has done it.
    """

    insistence = LINES.claim

    def reset(self, domain: Domain, task: Task) -> None:
        """Begin a conversation on this task as if there were no policy."""
        reference = Reference(domain, task)
        goals = tuple([_granted(domain, reference, number) for number in range(len(task.goals))])
        super().reset(domain, msgspec.structs.replace(task, goals=goals))

    def _confirm(self, goal: Goal, carried: str) -> Talk:
        """Ask nothing; say what was still to be told."""
        if carried:
            yield respond(carried)


def _granted(domain: Domain, reference: Reference, number: int) -> Goal:
    """A goal as somebody grants it who knows no policy."""
    goal = reference.task.goals[number]
    if goal.kind in (Kind.FULFIL, Kind.INFORM):
        return goal
    reads = [call for call in goal.calls if not domain.tools[call.name].writes]
    wanted = None if goal.kind is Kind.HAND_OFF else _wanted(domain, reference, number)
    claim = LINES.claim[reference.task.seed % len(LINES.claim)]
    calls = (*reads, wanted) if wanted else tuple(reads)
    return msgspec.structs.replace(goal, kind=Kind.FULFIL, calls=calls, script=Script(report=claim))


def _wanted(domain: Domain, reference: Reference, number: int) -> Call | None:
    """The write that the customer's words name most among those that what is known can fill; None when that is
    the second best, which the reference does."""
    goal = reference.task.goals[number]
    phrasings = domain.intents[goal.intent].phrasings
    writes = [tool for name, tool in domain.tools.items() if tool.writes and name != TRANSFER]
    named = {tool.name: sum(map(tool.named_in, phrasings)) for tool in writes}
    for tool in sorted(writes, key=lambda tool: -named[tool.name]):
        if not named[tool.name]:
            return None
        call = Call(tool.name, _filled(tool, reference, number))
        try:
            bound = tool.bind(call.arguments)
        except BadArgumentsError:
            continue
        return None if bound in [domain.tools[own.name].bind(own.arguments) for own in goal.calls] else call
    return None


def _filled(tool: Tool, reference: Reference, number: int) -> dict[str, Any]:
    """A tool's arguments as far as they are known: a detail of the same name, or an id that was looked up, best
    one that the customer means."""
    facts = {fact.slot: fact.value for fact in reference.task.goals[number].facts}
    calls = [0, *reference.calls_of(number)][::-1]
    seen = [leaf for call in calls for leaf in reference.results[call].values() if leaf.kind not in (None, *GENERIC)]
    filled: dict[str, Any] = {}
    taken: set[Any] = set()
    for name, hint in field_types(tool.arguments).items():
        ids = [leaf.value for leaf in seen if leaf.kind in kinds_in(hint) and leaf.value not in taken]
        value = facts.get(name) or next((i for i in ids if i in facts.values()), next(iter(ids), None))
        if value is not None:
            taken.add(value)
            filled[name] = [value] if get_origin(bare(hint)) in (tuple, list) else value
    return filled
