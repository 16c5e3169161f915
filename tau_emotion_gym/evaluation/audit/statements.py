"""Whether the user states only what it was told: identifiers, days, sums, and its own details."""

import re
from collections.abc import Iterator

from tau_emotion_gym.episode.events import states
from tau_emotion_gym.evaluation.audit.findings import Finding, Kind, quoted
from tau_emotion_gym.evaluation.audit.known import Known, Unknown, shapes_of
from tau_emotion_gym.evaluation.audit.talk import Line, Talk

_WHY = {
    Kind.INVENTED_ID: "{value} is neither among what the customer knows nor was it told by the agent",
    Kind.INVENTED_DATE: "the customer knows of no such day: {value}",
    Kind.INVENTED_AMOUNT: "the customer knows of no such sum: {value}",
}

_NAMED = re.compile(r"\b(?i:my (?:full )?name(?:'s| is))\s+((?:[A-Z][\w'-]+)(?:\s+[A-Z][\w'-]+)+)")
_NEGATES = re.compile(r"\b(?:not|no|isn't|wasn't|don't|didn't|never|instead|rather|than|from|or)\b|n't\b", re.I)
_APOSTROPHE = str.maketrans("’", "'")


def inventions(talk: Talk) -> Iterator[Finding]:
    """Identifiers, days and sums that the user made up; each is reported where it first stands."""
    if talk.knows is None:
        return
    known = Known((*talk.knows, talk.today), shapes_of(talk.domain) if talk.domain else frozenset())
    for line in talk.lines:
        if line.role == "user":
            yield from _inventions_of(line, known)
        known.hear(line.text)


def _inventions_of(line: Line, known: Known) -> Iterator[Finding]:
    found: tuple[tuple[Kind, Iterator[Unknown]], ...] = (
        (Kind.INVENTED_ID, known.unknown_ids(line.text)),
        (Kind.INVENTED_DATE, known.unknown_days(line.text)),
        (Kind.INVENTED_AMOUNT, known.unknown_sums(line.text)),
    )
    for kind, values in found:
        for start, end, value in values:
            quote = quoted(line.text, start, end)
            yield Finding(kind=kind, turn=line.turn, quote=quote, why=_WHY[kind].format(value=value))


def contradictions(talk: Talk) -> Iterator[Finding]:
    """Answers with another choice, or another name, than the customer's own."""
    if talk.brief is None or talk.domain is None:
        return
    asked: tuple[str, ...] = ()
    for line in talk.lines:
        if line.reading is not None:
            asked = line.reading.asks
            continue
        yield from _other_name(talk, line)
        for slot in asked:
            yield from _other_choice(talk, line, slot)


def _other_name(talk: Talk, line: Line) -> Iterator[Finding]:
    names = {fact.value for fact in talk.brief.facts if fact.slot == "name"} if talk.brief else set()
    match = _NAMED.search(line.text.translate(_APOSTROPHE))
    if not names or match is None:
        return
    said = set(match[1].lower().split())
    if not any(said & set(name.lower().split()) for name in names):
        why = f"the customer is called {' or '.join(sorted(names))}"
        yield Finding(kind=Kind.CONTRADICTION, turn=line.turn, quote=quoted(line.text, *match.span(1)), why=why)


def _other_choice(talk: Talk, line: Line, slot: str) -> Iterator[Finding]:
    """An answer to a question for one of few values that names only values which are not the customer's."""
    choices = talk.domain.slots[slot].choices if talk.domain and slot in talk.domain.slots else {}
    own = {fact.value for fact in talk.brief.facts if fact.slot == slot} if talk.brief else set()
    text = line.text.lower().translate(_APOSTROPHE)
    if not choices or not own or _NEGATES.search(text):
        return
    spoken = {value for value, phrases in choices.items() if any(states(text, phrase) for phrase in phrases)}
    facts = [fact.spoken.lower() for fact in talk.brief.facts if fact.slot == slot] if talk.brief else []
    if spoken and not spoken & own and not any(states(text, phrase) for phrase in facts):
        why = f"for {slot} the customer knows {', '.join(sorted(own))}"
        yield Finding(kind=Kind.CONTRADICTION, turn=line.turn, quote=quoted(line.text, 0, len(line.text)), why=why)
