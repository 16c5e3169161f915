"""Whether the user lets its instruction show: tokens, labels, talk of the part it plays, the prompt's own words."""

import re
from collections.abc import Iterable, Iterator

from tau_emotion_gym.episode import Brief
from tau_emotion_gym.evaluation.audit.findings import Finding, Kind, quoted
from tau_emotion_gym.evaluation.audit.phrases import Group, pattern
from tau_emotion_gym.evaluation.audit.talk import Talk
from tau_emotion_gym.users.prompt import part_of

RUN = 8
"""So many words in a row of the instruction, which are nothing that the customer has to say, are a leak."""

_GROUPS: tuple[tuple[Group, str], ...] = (
    ("tokens", "a token that steers the conversation stands in the message"),
    ("label", "the message begins like a line of a script"),
    ("part", "the customer talks of the part that it plays"),
)
_WORD = re.compile(r"[\w']+")


def leaks(talk: Talk, prompt: str = "") -> Iterator[Finding]:
    """Leaks of the instruction, at most one of each kind in a message.

    Args:
        talk: the conversation.
        prompt: the instruction that the user was given, where it is not this package's own.
    """
    runs = _instruction_runs(talk.brief, prompt)
    for line in talk.user_lines:
        text = line.text.replace("’", "'")
        for group, why in _GROUPS:
            if match := pattern(group).search(text):
                yield Finding(kind=Kind.LEAK, turn=line.turn, quote=quoted(text, *match.span()), why=why)
        if span := _first_run(text, runs):
            why = "these words stand in the instruction"
            yield Finding(kind=Kind.LEAK, turn=line.turn, quote=quoted(text, *span, around=0), why=why)


def _instruction_runs(brief: Brief | None, prompt: str) -> frozenset[tuple[str, ...]]:
    """The runs of words of the instruction, within its lines, without what the customer has to say."""
    lines = prompt
    if brief is not None:
        sayable = [fact.spoken for fact in brief.facts]
        for wish in brief.wishes:
            sayable += (wish.say, wish.stake, wish.fallback, *wish.insist)
        lines += "\n" + part_of(brief)
        for text in sorted(filter(None, sayable), key=len, reverse=True):
            lines = lines.replace(text, "\n")
    return frozenset(run for line in lines.split("\n") for run in _runs(line))


def _words(text: str) -> list[tuple[str, int, int]]:
    return [(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(text.replace("’", "'"))]


def _runs(text: str) -> Iterable[tuple[str, ...]]:
    words = [word for word, _, _ in _words(text)]
    return (tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


def _first_run(text: str, runs: frozenset[tuple[str, ...]]) -> tuple[int, int] | None:
    """Where the first stretch of the instruction stands, as far as it goes."""
    words = _words(text)
    hits = [at for at in range(len(words) - RUN + 1) if tuple(word for word, _, _ in words[at : at + RUN]) in runs]
    if not hits:
        return None
    last = hits[0]
    while last + 1 in hits:
        last += 1
    return words[hits[0]][1], words[last + RUN - 1][2]
