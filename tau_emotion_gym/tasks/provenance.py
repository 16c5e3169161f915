"""Where each value of a reference write comes from: the customer, a tool, or the policy.

A value comes from a *fact* when the customer's words or the fact's value contain it, from a *lookup* when
an earlier call's result holds it, from the *policy* when the policy's text names it or the tool takes it
by default; the reason of a hand-off may also come from the tool's own closed list. Text is compared
without case, underscores and punctuation, by whole words ("Ada" comes from "Ada Lovelace"); numbers by
value. Free text needs no source, since it does not decide.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

import msgspec

from tau_emotion_gym.kit import TRANSFER, Domain, Done, Fact, Tool
from tau_emotion_gym.tasks.arguments import Step

POLICY = "policy"

_NOT_WORD = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")

_AT_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?!\w|[.:-]\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def words(text: str) -> str:
    """`text` as lower-case words between single blanks, with a blank at both ends."""
    return " " + _NOT_WORD.sub(" ", text.casefold()).strip() + " "


def numbers(text: str) -> frozenset[Decimal]:
    """The numbers that stand in `text`."""
    return frozenset(Decimal(found.replace(",", "")) for found in _NUMBER.findall(text))


def plain(text: str) -> str:
    """`text` with the numbers as JSON writes them: no commas between thousands."""
    return _THOUSANDS.sub("", text)


def has_number(text: str, number: Decimal) -> bool:
    """Whether a number stands in `text` by itself, not as a part of a word, a date or another number."""
    start = str(number).split(".")[0]
    at = text.find(start)
    while at >= 0:
        found = _AT_NUMBER.match(text, at)
        if found is not None and Decimal(found[0]) == number and not (at and _joined(text, at)):
            return True
        at = text.find(start, at + 1)
    return False


def _joined(text: str, at: int) -> bool:
    """Whether what stands before `at` makes one word with what stands there: "R42", "1.42", "10:42"."""
    before = text[at - 1]
    return before.isalnum() or before in "_.-" or (before == ":" and text[at - 2 : at - 1].isdigit())


class Told:
    """What is known at some point of a reference: the customer's facts, and the results so far."""

    def __init__(self, domain: Domain, facts: Iterable[Fact] = ()) -> None:
        self._domain = domain
        self._facts = list(facts)
        self._done: list[Done] = []
        self._texts: list[tuple[str, str]] = []

    def hear(self, facts: Iterable[Fact]) -> None:
        """Note what the customer knows from here on."""
        self._facts += facts

    def add(self, done: Done) -> None:
        """Note a result."""
        self._done.append(done)

    def sources(self, steps: Sequence[Step]) -> tuple[dict[str, str], list[str]]:
        """Where the values of a goal's writes come from; notes the results of its `steps` on the way.

        Returns:
            ("<call index>.<argument path>" → source, the places without a source with their values).
        """
        found: dict[str, str] = {}
        missing: list[str] = []
        for index, (done, leaves) in enumerate(steps):
            tool = self._domain.tools[done.name]
            for path, _, value in leaves if tool.writes else ():
                source = self.source(tool, path, value)
                if source is None:
                    missing.append(f"{tool.name} {path}={value}")
                else:
                    found[f"{index}.{path}"] = source
            self._done.append(done)
        return found, missing

    def source(self, tool: Tool, path: str, value: Any) -> str | None:
        """The source of one leaf of an argument, or None."""
        for fact in self._facts:
            if value == fact.value or value == fact.say:
                return f"fact:{fact.slot}"
        number = as_number(value)
        return (
            self._looked_up(value, number) or self._contained(value, number) or self._policy(tool, path, value, number)
        )

    def _looked_up(self, value: Any, number: Decimal | None) -> str | None:
        if isinstance(value, bool):
            return None
        wanted = encode_json(value) if number is None else str(number).split(".")[0]
        for name, text in self._read():
            if wanted in text and (number is None or has_number(text, number)):
                return f"lookup:{name}"
        return None

    def _read(self) -> Sequence[tuple[str, str]]:
        """(tool, its result as JSON) of the calls so far, the latest first."""
        for done in self._done[len(self._texts) :]:
            self._texts.insert(0, (done.name, encode_json(done.value)))
        return self._texts

    def _contained(self, value: Any, number: Decimal | None) -> str | None:
        wanted = words(str(value))
        for fact in self._facts:
            for text in (fact.value, fact.say):
                if has_number(plain(text), number) if number is not None else wanted in words(text):
                    return f"fact:{fact.slot}"
        if number is not None or isinstance(value, bool):
            return None
        held = (name for name, text in self._read() if wanted in words(text))
        return next((f"lookup:{name}" for name in held), None)

    def _policy(self, tool: Tool, path: str, value: Any, number: Decimal | None) -> str | None:
        if path in defaults(tool) and defaults(tool)[path] == value:
            return POLICY
        if tool.name == TRANSFER and path == "reason":
            return POLICY
        text, figures = policy_values(self._domain)
        named = number in figures if number is not None else words(str(value)) in text
        return POLICY if named and not isinstance(value, bool) else None


def encode_json(value: Any) -> str:
    """A value as JSON text."""
    return msgspec.json.encode(value).decode()


@cache
def policy_values(domain: Domain) -> tuple[str, frozenset[Decimal]]:
    """The words of the policy's text and the numbers in it."""
    return words(domain.policy), numbers(domain.policy)


@cache
def defaults(tool: Tool) -> Mapping[str, Any]:
    """Argument → default value."""
    return {
        field.name: field.default
        for field in msgspec.structs.fields(tool.arguments)
        if field.default is not msgspec.NODEFAULT
    }


def as_number(value: Any) -> Decimal | None:
    """The number that a value is, None for text and truth values."""
    if isinstance(value, bool | str):
        return None
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None
