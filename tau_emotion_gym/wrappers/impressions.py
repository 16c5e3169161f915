"""What the customer's words give away, by small word lists: tone, wishes, what it does with its last message."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import log
from string import Formatter

import msgspec

from tau_emotion_gym.kit import Domain
from tau_emotion_gym.tasks.provenance import words

VOCABULARY = 96
"""Words of a domain's wishes that are looked for."""

SHORTEST = 3
"""Shorter words are not looked for."""


@cache
def cues() -> Mapping[str, tuple[str, ...]]:
    """Cue → pieces of text, in small letters, that give it: the tone of each family and dimension, and acts."""
    data = files("tau_emotion_gym.wrappers").joinpath("cues.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, tuple[str, ...]])


@cache
def vocabulary(domains: tuple[Domain, ...]) -> tuple[str, ...]:
    """The words that tell the domains' wishes apart best, in alphabetical order.

    A word counts for how unevenly it is spread over the wordings of the intents: the sum over intents of
    p log(p / mean), with p the smoothed share of an intent's wordings that hold it.
    """
    groups = [_wordings(domain, name) for domain in domains for name in domain.intents]
    held = [Counter(word for text in group for word in text) for group in groups]
    every = sorted(set().union(*held))
    shares = {word: [(held[i][word] + 0.1) / (len(groups[i]) + 0.2) for i in range(len(groups))] for word in every}
    best = sorted(every, key=lambda word: (-_spread(shares[word]), word))[:VOCABULARY]
    return tuple(sorted(best))


def _wordings(domain: Domain, intent: str) -> list[frozenset[str]]:
    one = domain.intents[intent]
    texts = ("".join(literal for literal, *_ in Formatter().parse(text)) for text in (*one.phrasings, *one.fallback))
    return [frozenset(word for word in words(text).split() if len(word) >= SHORTEST) for text in texts]


def _spread(shares: Sequence[float]) -> float:
    mean = sum(shares) / len(shares)
    return sum(share * log(share / mean) for share in shares)


class Listener:
    """What to listen for in the customer's messages.

    Args:
        domains: the domains.
        tools: names of the tools; those that write are listened for by the words that name them.

    Attributes:
        names: what is listened for: "tone.…", "wants.<tool>", "word.<word>".
    """

    def __init__(self, domains: tuple[Domain, ...], tools: Sequence[str]) -> None:
        pieces = [(piece, at) for at, one in enumerate(cues().values()) for piece in one]
        self._pieces = tuple(pieces)
        wanted = {name: _phrases(domains, name) for name in tools}
        wanted = {name: phrases for name, phrases in wanted.items() if phrases}
        start = len(cues())
        self._wants = tuple((*parts, start + at) for at, one in enumerate(wanted.values()) for parts in one)
        self._words = {word: at for at, word in enumerate(vocabulary(domains))}
        self.names = (
            *(f"tone.{name}" for name in cues()),
            *(f"wants.{name}" for name in wanted),
            *(f"word.{word}" for word in self._words),
        )
        self._first_word = start + len(wanted)

    def hear(self, message: str) -> frozenset[int]:
        """The numbers of what a message in small letters holds."""
        found = {at for piece, at in self._pieces if piece in message}
        for first, rest, at in self._wants:
            if first in message and (not rest or in_order(message, (first, *rest))):
                found.add(at)
        known, start = self._words, self._first_word
        found.update(start + known[word] for word in words(message).split() if word in known)
        return frozenset(found)


def _phrases(domains: Sequence[Domain], tool: str) -> list[tuple[str, tuple[str, ...]]]:
    """The phrases that name a write tool: the first part of each and its other parts (see `Tool.says`)."""
    said = dict.fromkeys(say for domain in domains if tool in domain.tools for say in domain.tools[tool].says)
    return [(parts[0], tuple(parts[1:])) for parts in (say.split(" ~ ") for say in said)]


def in_order(text: str, parts: Sequence[str]) -> bool:
    """Whether the parts stand in the text one after another."""
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True
