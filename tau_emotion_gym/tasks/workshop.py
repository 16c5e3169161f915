"""Making tasks in one base world: a customer, a walk, goals grounded one after another, and the checks."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.errors import DataError
from tau_emotion_gym.kit import Call, Domain, Fact, Goal, Intent, Situation, missing_fill
from tau_emotion_gym.tasks import soundness, walks
from tau_emotion_gym.tasks.arguments import Step, step
from tau_emotion_gym.tasks.provenance import Told
from tau_emotion_gym.tasks.replay import Replayer, ReplayError
from tau_emotion_gym.world import Base, Changes, ChangeSet, Record, World, canonical, to_change_set

QUICK_TRIES = 12
"""Customers drawn before all are looked through."""

Reveal = Literal["together", "one_by_one"]


class RejectedError(Exception):
    """A candidate that is no task; the message says why, without ids, so that reasons can be counted."""


class Draft(NamedTuple):
    """A sound task without its id, condition and seed."""

    customer: str
    identity: tuple[Fact, ...]
    identify: Call
    goals: tuple[Goal, ...]
    reveal: Reveal
    changes: Changes
    expected: ChangeSet

    @property
    def signature(self) -> tuple[str, ...]:
        """The customer and the intents: no two tasks of a set share it."""
        return (self.customer, *(goal.intent for goal in self.goals))


class _Run(NamedTuple):
    """Goals as they are grounded one after another, and the steps so far, identification first."""

    goals: list[Goal]
    steps: list[Step]
    starts: list[int]
    """Where in `steps` each goal begins."""


class Workshop:
    """Makes drafts in one base world. What it remembers are functions of the base alone.

    Args:
        domain: the domain.
        base: the base world.
        sentences: also check what the goals' sentences say, which depends on the intents alone and so is
            checked when the test set is built.
    """

    def __init__(self, domain: Domain, base: Base, *, sentences: bool = True) -> None:
        self.domain = domain
        self._sentences = sentences
        self.base = base
        self._fits: dict[str, Mapping[str, int]] = {}
        self._rows: dict[str, tuple[str, ...]] = {}

    def fits(self, intent: Intent) -> Mapping[str, int]:
        """Ids of the customers for whom a first try of the intent gives a goal, in table order."""
        found = self._fits.get(intent.name)
        if found is None:
            world = World(self.base)
            found = {
                key: row
                for row, (key, customer) in enumerate(self._customers.items())
                if intent.goal(Situation(world.fork(), customer, Draw(row, intent.name))) is not None
            }
            self._fits[intent.name] = found
            self._rows[intent.name] = tuple(found)
        return found

    @property
    def _customers(self) -> Mapping[str, Record]:
        return self.base.tables[self.domain.customer_kind]

    def customer(self, intents: Sequence[Intent], draw: Draw) -> str:
        """Id of a customer whom every intent fits, chained ones apart; uniform over all of them.

        Raises:
            RejectedError: there is none.
        """
        fewest, *others = sorted((i for i in intents if not i.follows), key=lambda intent: len(self.fits(intent)))
        fits = [self.fits(intent) for intent in others]
        rows = self._rows[fewest.name]
        for _ in range(QUICK_TRIES if rows else 0):
            key = draw.pick(rows)
            if all(key in keys for keys in fits):
                return key
        common = [key for key in rows if all(key in keys for keys in fits)]
        if not common:
            raise RejectedError(f"{_names(intents)}: no customer fits")
        return draw.pick(common)

    def draft(self, wish: walks.Wish, draw: Draw, weigh: walks.Weigh) -> Draft:
        """One try at a task of the wished kind.

        Raises:
            RejectedError: this try leads to no sound task.
            DataError: the sentences are not checked, and an intent's need fill that its sampler does not give.
        """
        intents = walks.choose(self.domain, wish, draw, weigh)
        if intents is None:
            raise RejectedError("no intents of the wished kinds")
        customer = self.customer(intents, draw)
        identity, identify = self.domain.identify(self._customers[customer], draw)
        runner = Replayer(self.domain, self.base)
        run = self._ground(runner, customer, identity, identify, intents, draw)
        changes = runner.world.changes()
        expected = to_change_set(changes)
        self._refuse(run.goals, soundness.for_nothing(self.domain, run.goals, expected))
        facts = [*identity, *(fact for goal in run.goals for fact in goal.facts)]
        self._refuse(run.goals, soundness.given_away(self.domain, facts, run.goals))
        self._refuse(run.goals, soundness.ambiguous(run.goals))
        self._refuse(run.goals, walks.astray(self.domain, facts, run.steps))
        reveal = self._reveal(intents, run, identify, changes, draw)
        return Draft(customer, identity, identify, tuple(run.goals), reveal, changes, expected)

    # --- grounding ----------------------------------------------------------------------------------

    def _ground(
        self,
        runner: Replayer,
        customer: str,
        identity: tuple[Fact, ...],
        identify: Call,
        intents: Sequence[Intent],
        draw: Draw,
    ) -> _Run:
        """Sample the goals, each in the state that the calls before it lead to."""
        run = _Run([], [self._step(runner, identify, "identification")], [])
        told = Told(self.domain, identity)
        told.add(run.steps[0].done)
        for intent in intents:
            world = runner.world.fork()
            record = world.get(self.domain.customer_kind, customer)
            goal = intent.goal(Situation(world, record, draw, tuple(run.goals)))
            if goal is None:
                raise RejectedError(f"{intent.name}: fits no more after {_names(intents[: len(run.goals)])}")
            run.starts.append(len(run.steps))
            run.steps.extend([self._step(runner, call, intent.name) for call in goal.calls])
            told.hear(goal.facts)
            run.goals.append(self._checked(goal, intent, run, told))
        if (twice := walks.repeated(self.domain, run.goals)) is not None:
            raise RejectedError(f"{_names(intents)}: {twice} twice")
        return run

    def _step(self, runner: Replayer, call: Call, who: str) -> Step:
        try:
            runner.run(call)
        except ReplayError as error:
            raise RejectedError(f"{who}: the reference fails: {error.reason}") from None
        if runner.violations:
            raise RejectedError(f"{who}: {call.name} breaks the rule {runner.violations[0][1]}")
        return step(self.domain, call, runner.done[-1])

    def _checked(self, goal: Goal, intent: Intent, run: _Run, told: Told) -> Goal:
        """The goal with the sources of what it writes; its steps are the last ones of the run."""
        start = run.starts[-1]
        tools = walks.tools_used(run.steps[0].done.name, goal)
        reason = soundness.unlike_its_kind(self.domain, goal, tools)
        if reason is None and self._sentences:
            reason = soundness.unsayable(self.domain, intent, goal)
        if not self._sentences and (missing := missing_fill(intent, goal)):
            raise DataError(
                f"domain {self.domain.name}: the intent {intent.name} has placeholders without fill: {missing}"
            )
        reason = reason or soundness.twin(self.domain, goal.facts, run.steps, start)
        if reason is not None:
            raise RejectedError(f"{intent.name}: {reason}")
        found, missing = told.sources(run.steps[start:])
        if missing:
            places = ", ".join(place.split("=")[0] for place in missing)
            raise RejectedError(f"{intent.name}: nobody says where {places} comes from")
        return msgspec.structs.replace(goal, sources=found) if found else goal

    # --- order --------------------------------------------------------------------------------------

    def _reveal(self, intents: Sequence[Intent], run: _Run, identify: Call, changes: Changes, draw: Draw) -> Reveal:
        """How the wishes come out: a chain at once, goals that touch each other in order, others either way."""
        blocks = _blocks(intents)
        chained = any(len(block) > 1 for block in blocks)
        if chained:
            swapped = [at for block in blocks for at in (block[::-1] if len(block) > 1 else block)]
            if self._same(run, identify, swapped, changes):
                raise RejectedError(f"{_names(intents)}: chained, and yet their order does not matter")
        if len(blocks) > 1 and not self._same(run, identify, _turned(blocks, run.goals), changes):
            if chained:
                raise RejectedError(f"{_names(intents)}: a goal beside the chain depends on it")
            return "one_by_one"
        if chained or len(intents) == 1 or draw.chance(0.5):
            return "together"
        return "one_by_one"

    def _same(self, run: _Run, identify: Call, order: Sequence[int], changes: Changes) -> bool:
        """Whether the goals in another order give the same results and lead to the same state."""
        if order == sorted(order):
            return True
        runner = Replayer(self.domain, self.base)
        runner.run(identify)
        try:
            for at in order:
                for call, before in zip(run.goals[at].calls, run.steps[run.starts[at] :], strict=False):
                    if runner.run(call) != before.done.value or runner.violations:
                        return False
        except ReplayError:
            return False
        found = runner.world.changes()
        return _alike(found, changes) or canonical(found) == canonical(changes)

    def _refuse(self, goals: Sequence[Goal], reason: str | None) -> None:
        if reason is not None:
            raise RejectedError(f"{'+'.join(goal.intent for goal in goals)}: {reason}")


def _alike(one: Changes, other: Changes) -> bool:
    """Whether two changes are equal but for their order, generated ids included: a cheap first look."""
    if list(map(len, one)) != list(map(len, other)):
        return False
    ends = [*other.added, *other.removed, *(after for _, after in other.updated)]
    return all(record in ends for record in (*one.added, *one.removed, *(after for _, after in one.updated)))


def _blocks(intents: Sequence[Intent]) -> list[list[int]]:
    """The places of the intents, a chained one together with the one that it follows."""
    blocks: list[list[int]] = []
    for at, intent in enumerate(intents):
        if intent.follows:
            blocks[-1].append(at)
        else:
            blocks.append([at])
    return blocks


def _turned(blocks: Sequence[Sequence[int]], goals: Sequence[Goal]) -> list[int]:
    """The blocks in reverse, a hand-off still last."""
    last = 1 if goals[-1].kind == "hand_off" else 0
    kept, moved = blocks[len(blocks) - last :], blocks[: len(blocks) - last]
    return [at for block in (*reversed(moved), *kept) for at in block]


def _names(intents: Sequence[Intent]) -> str:
    return "+".join(intent.name for intent in intents)
