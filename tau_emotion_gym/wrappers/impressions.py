"""What the customer's words give away, by small word lists: tone, and what it does with its message."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from tau_emotion_gym.kit import Domain
from tau_emotion_gym.kit.text import span


@cache
def cues() -> Mapping[str, tuple[str, ...]]:
    """Cue → pieces of text, in small letters, that give it: the tone of each family and dimension, and acts."""
    data = files("tau_emotion_gym.wrappers").joinpath("cues.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, tuple[str, ...]])


class Listener:
    """What to listen for in the customer's messages.

    Args:
        domains: the domains.
        tools: names of the tools; those that write are listened for by the words that name them.

    Attributes:
        names: what is listened for: "tone.…", "wants.<tool>".
    """

    def __init__(self, domains: tuple[Domain, ...], tools: Sequence[str]) -> None:
        pieces = [(piece, at) for at, one in enumerate(cues().values()) for piece in one]
        self._pieces = tuple(pieces)
        wanted = {name: _phrases(domains, name) for name in tools}
        wanted = {name: phrases for name, phrases in wanted.items() if phrases}
        start = len(cues())
        self._wants = tuple((*parts, start + at) for at, one in enumerate(wanted.values()) for parts in one)
        self.names = (*(f"tone.{name}" for name in cues()), *(f"wants.{name}" for name in wanted))

    def hear(self, message: str) -> frozenset[int]:
        """The numbers of what a message in small letters holds."""
        found = {at for piece, at in self._pieces if piece in message}
        for first, rest, at in self._wants:
            if first in message and (not rest or span(message, (first, *rest))):
                found.add(at)
        return frozenset(found)


def _phrases(domains: Sequence[Domain], tool: str) -> list[tuple[str, tuple[str, ...]]]:
    """The phrases that name a write tool: the first part of each and its other parts (see `Tool.says`)."""
    said = dict.fromkeys(say for domain in domains if tool in domain.tools for say in domain.tools[tool].says)
    return [(parts[0], tuple(parts[1:])) for parts in (say.split(" ~ ") for say in said)]
