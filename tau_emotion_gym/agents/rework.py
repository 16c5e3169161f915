"""A task worked out anew by somebody who picks other records, or takes the wishes in another order.

What the reference took from a result is taken from the same place in the new result, so that ids follow
from a wrongly chosen record, and amounts from the state in which they are looked up. A write that a rule
forbids there is not made, and what cannot be found or does not work is apologised for.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

import msgspec

from tau_emotion_gym.agents.choices import Choice, Place, Reference, Values, by_path, choices, entries, looked_past
from tau_emotion_gym.agents.lines import LINES
from tau_emotion_gym.kit import CALCULATE, Call, Domain, Goal, Output, Script, Task, long_date, usd
from tau_emotion_gym.kit.text import MONTHS
from tau_emotion_gym.tasks.arguments import Leaf, result_leaves
from tau_emotion_gym.tasks.graph import GENERIC
from tau_emotion_gym.tasks.provenance import as_number, words
from tau_emotion_gym.tasks.replay import Replayer, ReplayError

SMALL = 10
"""Whole numbers below this stand everywhere, so that one does not say where it comes from."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DATE = re.compile(rf"({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})")
_FIGURE = re.compile(rf"\$\d[\d,]*(?:\.\d+)?|{_DATE.pattern}|(?<![\w:.#])#?\w*\d[\w-]*(?![\w:])")


class LostError(Exception):
    """A value does not stand any more where the reference found it."""


class Rework:
    """Works the goals of a task out anew, one after another.

    Args:
        domain: the domain.
        task: the task.
        first: take the first match of a list instead of the entry that the customer means.
    """

    def __init__(self, domain: Domain, task: Task, *, first: bool = False) -> None:
        self._domain = domain
        self._task = task
        self._first = first
        self._reference = Reference(domain, task)
        self._choices = choices(self._reference) if first else []
        self._runner = Replayer(domain, domain.base(task.world), task.id)
        self._made: dict[int, Call] = {}
        self._results: dict[int, Values] = {}
        """Index of a call → the leaves of what it gives now; empty when it fails."""
        self._picked: dict[Place, str] = {}
        """Entry of one of the reference's lists → the entry that is taken for it now."""
        self._run(0, task.identify)

    def goal(self, number: int) -> Goal:
        """The next goal to be served, with the calls and the sentences of somebody who serves it now."""
        skipped = looked_past(self._reference, number) if self._first else frozenset()
        calls: list[Call] = []
        trouble = ""
        self._pick(number)
        for index in self._reference.calls_of(number):
            if index in skipped:
                continue
            made, problem = self._make(index, number)
            calls += made
            trouble = trouble or problem
            self._pick(number)
        goal = self._task.goals[number]
        return msgspec.structs.replace(goal, calls=tuple(calls), script=self._script(number, trouble))

    # --- calls --------------------------------------------------------------------------------------

    def _make(self, index: int, number: int) -> tuple[list[Call], str]:
        """Make a call of the reference anew: the calls that this takes (none or one), and what to apologise with."""
        writes = self._domain.tools[self._task.calls[index].name].writes
        try:
            call = self._call(index)
        except LostError:
            self._results[index] = {}
            return [], LINES.failed[0] if writes else ""
        if not writes and (again := self._same(call, number)) is not None:
            self._results[index] = self._results[again]
            return [], ""
        if rule := self._run(index, call):
            return [], f"{LINES.forbidden[0]} {rule}"
        return [call], LINES.failed[0] if writes and not self._results[index] else ""

    def _same(self, call: Call, number: int) -> int | None:
        """The read of the same goal that has shown this already, when records were mixed up."""
        if not self._first:
            return None
        return next((at for at in self._reference.calls_of(number) if self._made.get(at) == call), None)

    def _run(self, index: int, call: Call) -> str:
        """Run a call; returns the rule that forbids it when it is a write, and then nothing has changed."""
        tool, runner = self._domain.tools[call.name], self._runner
        self._made[index] = call
        self._results[index] = {}
        mark, kept = runner.world.savepoint(), len(runner.violations)
        with suppress(ReplayError):
            self._results[index] = by_path(result_leaves(tool, runner.run(call)))
        broken = [rule for _, rule in runner.violations[kept:]]
        if not (tool.writes and broken):
            return ""
        runner.world.rollback(mark)
        self._results[index] = {}
        return next(rule.text for rule in self._domain.rules if rule.id == broken[0])

    def _call(self, index: int) -> Call:
        """A call of the reference with its values taken from the new results."""
        call = self._task.calls[index]
        if call.name == CALCULATE:
            return Call(call.name, {"expression": self._expression(call.arguments["expression"], index)})
        new = {leaf.path: self._value(leaf.value, index) for leaf in self._reference.given[index]}
        return Call(call.name, {name: _with(value, name, new) for name, value in call.arguments.items()})

    def _expression(self, text: str, before: int) -> str:
        """A piece of arithmetic with its terms taken from the new results; a term that is not there counts 0."""

        def term(found: re.Match[str]) -> str:
            number = Decimal(found[0])
            place = None if _small(number) else self._place(number, before)
            if place is None:
                return found[0]
            if not self._results[place.call]:
                raise LostError
            leaf = self._results[place.call].get(self._instead(place))
            return "0" if leaf is None else found[0] if leaf.value == number else str(leaf.value)

        return _NUMBER.sub(term, text)

    # --- values -------------------------------------------------------------------------------------

    def _value(self, value: Any, before: int, *, count: bool = False) -> Any:
        """What stands now where the reference found a value; the value itself when nobody looked it up.

        Raises:
            LostError: nothing stands there.
        """
        if isinstance(value, bool) or (_small(as_number(value)) and not count):
            return value
        place = self._place(value, before)
        if place is None:
            return value
        path, results = self._instead(place), self._results[place.call]
        if path == place.path and any(leaf.value == value for leaf in _alike(results, path)):
            return value
        if path not in results:
            raise LostError
        return results[path].value

    def _place(self, value: Any, before: int) -> Place | None:
        """Where the reference has a value from, among the calls that have been made anew: an id from where it
        stands first, a figure from where it was read last; None when the customer gave it."""
        calls = [call for call in range(before) if call in self._results]
        first = next(self._reference.places(value, calls), None)
        if first is None:
            return None
        kind = self._reference.results[first.call][first.path].kind
        if kind is not None and kind not in GENERIC:
            return first
        if any(fact.value == str(value) for goal in self._task.goals for fact in goal.facts):
            return None
        return next(self._reference.places(value, calls[::-1]), None)

    def _instead(self, place: Place) -> str:
        """The path at which to look instead of the reference's, after what was picked from lists."""
        under = [
            entry
            for call, entry in self._picked
            if call == place.call and (place.path == entry or place.path.startswith(f"{entry}."))
        ]
        if not under:
            return place.path
        entry = max(under, key=len)
        return self._picked[Place(place.call, entry)] + place.path[len(entry) :]

    # --- picking ------------------------------------------------------------------------------------

    def _pick(self, number: int) -> None:
        """Pick entries for a goal from the lists that are known by now."""
        for choice in self._choices:
            entry = Place(choice.place.call, choice.entry)
            if choice.goal == number and entry.call in self._results and entry not in self._picked:
                options = entries(self._results[entry.call], self._instead(choice.place))
                if options:
                    taken = {self._picked.get(Place(c.place.call, c.entry)) for c in self._choices if c.goal == number}
                    self._picked[entry] = self._first_match(choice, [o for o in options if o not in taken] or options)

    def _first_match(self, choice: Choice, options: Sequence[str]) -> str:
        """The first entry that has a word of the customer's, or the first one."""
        values = self._results[choice.place.call]
        return next((entry for entry in options if _named(values, entry, choice.words)), options[0])

    # --- sentences ----------------------------------------------------------------------------------

    def _script(self, number: int, trouble: str) -> Script:
        goal = self._task.goals[number]
        calls = self._reference.calls_of(number)
        start = next((i for i in calls if self._domain.tools[self._task.calls[i].name].writes), calls.stop)
        untold = self._changed(calls) and any(not self._read(output, calls.stop) for output in goal.outputs)
        without = LINES.failed[0] if start == calls.stop else LINES.claim[0]
        refuse = self._text(goal, "" if untold else goal.script.refuse, calls.stop, "")
        return Script(
            propose=self._text(goal, goal.script.propose, start, goal.script.propose),
            report=trouble or (without if untold else self._text(goal, goal.script.report, calls.stop, without)),
            refuse=refuse or (LINES.forbidden[0] if goal.script.refuse else ""),
        )

    def _changed(self, calls: Iterable[int]) -> bool:
        """Whether one of these calls gives something else now."""
        before = self._reference.results
        return any(self._results.get(call, before[call]) != before[call] for call in calls)

    def _read(self, output: Output, before: int) -> bool:
        """Whether an output stands in a result, rather than being worked out in the head."""
        value = Decimal(output.value) if output.kind in ("money", "count") else output.value
        return self._figure(value, before) is not None

    def _figure(self, value: Any, before: int) -> Place | None:
        """Where a figure that is told stands, with either sign."""
        place = self._place(value, before)
        return self._place(-value, before) if place is None and isinstance(value, Decimal) else place

    def _text(self, goal: Goal, text: str, before: int, otherwise: str) -> str:
        """A sentence of the reference with its ids and figures taken from the new results."""
        counts = {output.value for output in goal.outputs if output.kind == "count"}

        def said(found: re.Match[str]) -> str:
            token = found[0]
            if token.startswith("$"):
                amount = Decimal(token[1:].replace(",", ""))
                sign = 1 if self._place(amount, before) is not None else -1
                return usd(abs(self._value(amount * sign, before)))
            if day := _DATE.fullmatch(token):
                return long_date(self._value(f"{day[3]}-{MONTHS.index(day[1]) + 1:02}-{int(day[2]):02}", before))
            value = Decimal(token) if token.isdigit() else token
            new = self._value(value, before, count=token in counts)
            return token if new == value else str(new)

        try:
            return _FIGURE.sub(said, text)
        except LostError:
            return otherwise


def _named(values: Values, entry: str, said: str) -> bool:
    """Whether an entry has a text that stands in what the customer said."""
    return any(
        leaf.kind is None and isinstance(leaf.value, str) and len(leaf.value) > 1 and words(leaf.value) in said
        for path, leaf in values.items()
        if path == entry or path.startswith(f"{entry}.")
    )


def _alike(values: Values, path: str) -> Iterator[Leaf]:
    """The leaves at a path and at the same place of the other entries of its lists."""
    pattern = re.compile(r"\.\d+(?=\.|$)")
    wanted = pattern.sub(".*", path)
    return (leaf for other, leaf in values.items() if pattern.sub(".*", other) == wanted)


def _small(number: Decimal | None) -> bool:
    return number is not None and number < SMALL and number.as_tuple().exponent == 0


def _with(value: Any, path: str, new: dict[str, Any]) -> Any:
    """A raw argument with its ends replaced, each in the form in which the reference gives it."""
    if isinstance(value, dict):
        return {key: _with(part, f"{path}.{key}", new) for key, part in value.items()}
    if isinstance(value, list):
        return [_with(part, f"{path}.{at}", new) for at, part in enumerate(value)]
    if path not in new or isinstance(value, bool):
        return value
    return type(value)(new[path]) if isinstance(value, int | float | str) else new[path]
