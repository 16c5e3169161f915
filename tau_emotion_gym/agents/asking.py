"""The questions of a message: the stretches of text that ask, as the reader of agents' text understands them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tau_emotion_gym.episode.reading import Reader

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=\S)")
_BULLET = re.compile(r"\s*(?:[-*•–]|\(?\d{1,2}[.)]|[a-z]\))\s+\S")


class Part(NamedTuple):
    """A sentence, or a heading with the list under it.

    Attributes:
        text: the words, without the blanks around them.
        gap: the blanks before it.
        questions: how many things it asks for, a request for a yes apart.
        confirms: it asks for a yes.
    """

    text: str
    gap: str
    questions: int
    confirms: bool

    @property
    def asks(self) -> bool:
        """Whether it asks for a detail or an open question."""
        return self.questions > 0


def parts_of(text: str, reader: Reader) -> list[Part]:
    """The parts of a message in order."""
    return [_part(gap, words, reader) for gap, words in _stretches(text)]


def joined(parts: list[Part]) -> str:
    """A message of these parts."""
    return "".join(part.gap + part.text for part in parts).strip()


def _part(gap: str, words: str, reader: Reader) -> Part:
    reading = reader.read(words)
    questions = max(0, reading.questions - reading.confirms)
    if not reading.confirms and not questions and words.rstrip("\"')]*_ ").endswith("?") and not reading.closes:
        questions = 1
    return Part(words, gap, questions, reading.confirms)


def _stretches(text: str) -> Iterator[tuple[str, str]]:
    """(blanks before it, stretch) for every sentence; a line with a colon at its end takes its list along."""
    gap = ""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.rstrip(" *_").endswith(":"):
            end = at
            while end < len(lines) and (_BULLET.match(lines[end]) or (not lines[end].strip() and _goes_on(lines, end))):
                end += 1
            if end > at:
                yield gap, "\n".join([line, *lines[at:end]]).strip()
                at, gap = end, "\n"
                continue
        start = 0
        for match in _SENTENCE_END.finditer(line):
            yield gap, line[start : match.start()].strip()
            gap, start = " ", match.end()
        if line[start:].strip():
            yield gap, line[start:].strip()
            gap = ""
        gap += "\n"


def _goes_on(lines: list[str], at: int) -> bool:
    """Whether a list goes on after the blank line at this place."""
    return at + 1 < len(lines) and _BULLET.match(lines[at + 1]) is not None
