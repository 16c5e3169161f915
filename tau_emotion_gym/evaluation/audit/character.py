"""Whether the user stays the customer that it plays: its side, its language, its manner."""

import re
from collections.abc import Iterator

from tau_emotion_gym.evaluation.audit.findings import Finding, Kind, quoted
from tau_emotion_gym.evaluation.audit.phrases import common_words, pattern
from tau_emotion_gym.evaluation.audit.talk import Talk

MOST_EFFUSIVE = 2
"""So many effusive phrases in one message are too warm for a cold customer in anger or disgust."""

_CITES = re.compile(r"\byou (?:\w+ )?(?:said|say|told|wrote|write|asked|ask|keep|kept|promised)\b", re.I)
"""What the customer says before it repeats the agent's words."""

_ENOUGH = 3
"""Common words of another language that a message has at least, to be in it."""

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1CFF\u2E80-\uD7AF\uF900-\uFDFF\uFE70-\uFEFF]")


def roles(talk: Talk) -> Iterator[Finding]:
    """Messages in the words of the other side."""
    for line in talk.user_lines:
        text = line.text.replace("’", "'")
        match = pattern("agent").search(text)
        if match and not _CITES.search(text[: match.start()]):
            why = "this is what the agent would say"
            yield Finding(kind=Kind.SPEAKS_AS_AGENT, turn=line.turn, quote=quoted(text, *match.span()), why=why)


def languages(talk: Talk) -> Iterator[Finding]:
    """Messages in another language than English."""
    for line in talk.user_lines:
        language = _language(line.text.replace("’", "'"))
        if language:
            quote = quoted(line.text, 0, min(80, len(line.text)))
            yield Finding(kind=Kind.LANGUAGE, turn=line.turn, quote=quote, why=f"the message is in {language}")


def _language(text: str) -> str:
    """The other language of a text, "" for English and for what is too short to tell."""
    words = [word.lower() for word in _WORD.findall(text)]
    letters = sum(len(word) for word in words)
    if letters and 2 * len(_OTHER_SCRIPT.findall(text)) > letters:
        return "another script"
    languages, ours = common_words()
    english = sum(word in ours for word in words)
    counts = {language: sum(word in own for word in words) for language, own in languages.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] >= _ENOUGH and counts[best] > 2 * english else ""


def manners(talk: Talk) -> Iterator[Finding]:
    """Warmth from a cold customer in anger or disgust, abuse from one in joy. The farewell may be warm."""
    condition = talk.brief.condition if talk.brief else None
    if condition is None:
        return
    for line in talk.user_lines[:-1]:
        text = line.text.replace("’", "'")
        if condition.politeness == "cold" and condition.family in ("anger", "disgust"):
            warm = list(pattern("effusive").finditer(text))
            if len(warm) >= MOST_EFFUSIVE:
                yield Finding(
                    kind=Kind.OUT_OF_CHARACTER,
                    turn=line.turn,
                    quote=quoted(text, warm[0].start(), warm[-1].end()),
                    why=f"thanks profusely, though the customer is cold and feels {condition.leaf}",
                )
        elif (
            condition.family == "enjoyment"
            and condition.politeness != "cold"
            and (match := pattern("abuse").search(text))
        ):
            why = f"abuse from a customer who feels {condition.leaf}"
            yield Finding(kind=Kind.OUT_OF_CHARACTER, turn=line.turn, quote=quoted(text, *match.span()), why=why)
