"""How far a user's wording fits its condition, turn by turn, by the words of the conditions' own phrase tables.

A lexicon is counted from the phrases in which this package's scripted customers speak: for each family, and for each
level of politeness, urgency and trust, how often each word occurs, against the words of the other tables. A message
fits a label when no other label of the dimension makes its words more likely. Messages without telling words count for
no label. What the customer has to say in any case, its wishes, facts and reasons, is left out first. The measure is
meant for comparing user models and for seeing drift over a conversation; a model that shows its feeling in other words
than these scores lower than it deserves.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from math import log
from typing import Any

import msgspec

from tau_emotion_gym.emotions import EmotionCondition
from tau_emotion_gym.emotions.taxonomy import FAMILIES
from tau_emotion_gym.episode import Brief
from tau_emotion_gym.evaluation.audit.talk import Talk
from tau_emotion_gym.users.phrases.books import leaf_words, levels

DIMENSIONS = ("family", "politeness", "urgency", "trust")

EVIDENCE = 2.0
"""How much likelier, as a logarithm, the best label is than the average one before a message says anything."""

SMOOTHING = 0.3

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")

Lexicon = Mapping[str, Mapping[str, float]]
"""Label → word → logarithm of its probability."""


class Fit(msgspec.Struct, frozen=True):
    """How many messages said something of a dimension, and how many of these fitted.

    Attributes:
        fitting: messages whose wording fits best to the customer's own label.
        telling: messages whose wording tells the labels apart.
    """

    fitting: int = 0
    telling: int = 0

    def __add__(self, other: "Fit") -> "Fit":
        return Fit(self.fitting + other.fitting, self.telling + other.telling)

    @property
    def share(self) -> float | None:
        """The part of the telling messages that fit; None where none tells anything."""
        return self.fitting / self.telling if self.telling else None


def adherence(talk: Talk) -> dict[str, Fit]:
    """Per dimension how the user's messages fit its condition; empty for a neutral or unknown customer."""
    condition = talk.brief.condition if talk.brief else None
    if condition is None or talk.brief is None:
        return {}
    fits = dict.fromkeys(DIMENSIONS, Fit())
    for line in talk.user_lines:
        for dimension, fit in fits_of(_own_words(line.text, talk.brief), condition):
            fits[dimension] += fit
    return fits


def fits_of(text: str, condition: EmotionCondition) -> Iterator[tuple[str, Fit]]:
    """Per dimension how one text fits a condition."""
    words = set(_words(text))
    for dimension in DIMENSIONS:
        scores = {label: _score(words, row) for label, row in lexicon(dimension).items()}
        best = max(scores.values())
        if best - sum(scores.values()) / len(scores) >= EVIDENCE:
            yield dimension, Fit(int(scores[getattr(condition, dimension)] >= best), 1)


@cache
def lexicon(dimension: str) -> Lexicon:
    """The words of one dimension's labels."""
    others = Counter(_words("\n".join(t for name in DIMENSIONS if name != dimension for t in _every(name))))
    counts = {label: others + Counter(_words("\n".join(texts))) for label, texts in _phrases(dimension).items()}
    vocabulary = {word for count in counts.values() for word in count}
    return {label: _probabilities(count, vocabulary) for label, count in counts.items()}


def _probabilities(count: Counter[str], vocabulary: set[str]) -> dict[str, float]:
    total = count.total() + SMOOTHING * len(vocabulary)
    return {word: log((count[word] + SMOOTHING) / total) for word in vocabulary}


def _phrases(dimension: str) -> dict[str, list[str]]:
    if dimension == "family":
        return {family: list(_strings(leaf_words(family))) for family in FAMILIES}
    return {label: list(_strings(words)) for label, words in getattr(levels(), dimension).items()}


def _every(dimension: str) -> list[str]:
    return [text for texts in _phrases(dimension).values() for text in texts]


def _strings(value: Any) -> Iterator[str]:
    """Every phrase in a table."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, msgspec.Struct):
        yield from _strings(msgspec.structs.asdict(value))
    elif isinstance(value, tuple):
        for part in value:
            yield from _strings(part)


def _score(words: Iterable[str], row: Mapping[str, float]) -> float:
    return sum(row.get(word, 0.0) for word in words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("’", "'"))


def _own_words(text: str, brief: Brief) -> str:
    """A message without what the customer has to say whatever it feels."""
    sayable = [fact.spoken for fact in brief.facts]
    for wish in brief.wishes:
        sayable += (wish.say, wish.stake, wish.fallback, *wish.insist)
    for given in sorted(filter(None, sayable), key=len, reverse=True):
        text = text.replace(given, " ")
    return text
