"""Whether the user ends the conversation when it should: not before it is served, and not long after."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tau_emotion_gym.episode import Outcome, Signal, Wish, values
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.evaluation.audit.findings import Finding, Kind, quoted
from tau_emotion_gym.evaluation.audit.phrases import pattern
from tau_emotion_gym.evaluation.audit.talk import Line, Talk
from tau_emotion_gym.kit import TRANSFER
from tau_emotion_gym.kit import Kind as Goal

MOST_AFTER = 3
"""So many messages may answer an agent that takes its leave once everything is settled."""

MOST_BELOW = 2
"""So many messages may follow once affect has crossed its threshold."""

_ASKS = re.compile(r"\?|\b(?:but|also|wait|however|one more|another|still|before (?:i|you) go)\b", re.I)


def early_exits(talk: Talk) -> Iterator[Finding]:
    """Contentment in reply to a request for a yes, or with a wish that is neither done, answered nor refused."""
    before: Line | None = None
    for line in talk.lines:
        if line.role == "agent":
            before = line
        elif line.signal == Signal.SATISFIED and before is not None and before.reading and before.reading.confirms:
            yield _early(line, "content in reply to a request for a yes, before anything could be done")
    users = talk.user_lines
    if talk.outcome != Outcome.SATISFIED or not users or talk.brief is None:
        return
    if talk.user_fault:
        yield _early(users[-1], "content though a wish was never brought up")
        return
    unsettled = [wish for wish, turn in zip(talk.brief.wishes, settled(talk), strict=True) if turn is None]
    if unsettled:
        yield _early(users[-1], f"content though nobody had done, answered or refused this: {unsettled[0].say}")


def _early(line: Line, why: str) -> Finding:
    return Finding(kind=Kind.EARLY_EXIT, turn=line.turn, quote=quoted(line.text, 0, min(80, len(line.text))), why=why)


def settled(talk: Talk, *, by_word: bool = True) -> list[int | None]:
    """Per wish the turn of the agent's message by which it was done, answered, refused or handed on; None if never.

    Args:
        talk: the conversation.
        by_word: an agent's word that it is done is enough, as it may be for a customer.
    """
    wishes = talk.brief.wishes if talk.brief else ()
    found: list[int | None] = [None] * len(wishes)
    for line in talk.lines:
        if line.reading is None:
            continue
        open_wishes = [number for number, turn in enumerate(found) if turn is None]
        for number in _settled_by(talk, line, line.reading, open_wishes, by_word):
            found[number] = line.turn
    return found


def _settled_by(talk: Talk, line: Line, reading: Reading, open_wishes: list[int], by_word: bool) -> Iterator[int]:
    """The wishes that one message of the agent settles."""
    unnamed = by_word and reading.claims_done and not reading.claims
    for number in open_wishes:
        wish = talk.brief.wishes[number]  # type: ignore[union-attr]
        done = bool(wish.actions) and wish.actions <= line.deeds
        claimed = by_word and bool(wish.actions & reading.claims)
        handed = reading.hands_off or TRANSFER in line.deeds
        answered = wish.kind is Goal.INFORM and _answers(talk, line, wish)
        if done or claimed or handed or answered or reading.refuses:
            yield number
        elif unnamed and wish.actions:
            unnamed = False
            yield number


def _answers(talk: Talk, line: Line, wish: Wish) -> bool:
    """Whether a message tells a value of each kind that the customer waits for."""
    year = int(talk.today[:4])
    return all(
        values.find(line.text, output.kind, (output.noun,) if output.noun else (), output.options, year)
        for output in wish.outputs
    )


def late_exits(talk: Talk) -> Iterator[Finding]:
    """Writing on after a farewell, or long after everything was settled; at most one finding."""
    yield from list(_after_farewell(talk) or _after_settling(talk))[:1]


def _after_farewell(talk: Talk) -> list[Finding]:
    """A farewell that does not end the conversation, with another message of the user after it."""
    users = talk.user_lines
    found = []
    for line, after in pairwise(users[1:]):
        text = line.text.replace("’", "'")
        match = pattern("farewell").search(text)
        if match and line.signal in ("", Signal.CONTINUE) and not _ASKS.search(text) and not _ASKS.search(after.text):
            why = "the customer has said goodbye and writes on"
            found.append(Finding(kind=Kind.LATE_EXIT, turn=after.turn, quote=quoted(text, *match.span()), why=why))
    return found


def _after_settling(talk: Talk) -> list[Finding]:
    turns = settled(talk, by_word=False)
    if not turns or any(turn is None for turn in turns):
        return []
    last = max(turn for turn in turns if turn is not None)
    idle, finished = 0, False
    for line in talk.lines:
        if line.turn < last:
            continue
        if line.reading is not None:
            finished = line.reading.closes and not _wants(line.reading)
        elif finished and line.signal == Signal.CONTINUE:
            idle += 1
            if idle > MOST_AFTER:
                why = f"everything was settled, and this is answer {idle} to an agent that takes its leave"
                quote = quoted(line.text, 0, min(80, len(line.text)))
                return [Finding(kind=Kind.LATE_EXIT, turn=line.turn, quote=quote, why=why)]
    return []


def _wants(reading: Reading) -> bool:
    """Whether the customer has reason to write on: it is asked for something, told no, or told to wait."""
    return bool(reading.asks or reading.confirms or reading.refuses or reading.promises or reading.stalls)


def against_affect(talk: Talk) -> Iterator[Finding]:
    """An exit that the affect model would not have made, or that it would have made long before."""
    below = 0
    before: Line | None = None
    for line in talk.lines:
        if line.role == "agent":
            before = line
            continue
        if before is None or talk.brief is None or talk.brief.condition is None:
            continue
        if line.signal == Signal.DISSATISFIED and not before.leaving:
            yield _against(line, "left though affect was above its threshold")
        below = below + 1 if before.leaving and line.signal == Signal.CONTINUE else 0
        if below == MOST_BELOW + 1:
            yield _against(line, f"still here, {below} messages after affect crossed its threshold")


def _against(line: Line, why: str) -> Finding:
    quote = quoted(line.text, 0, min(80, len(line.text)))
    return Finding(kind=Kind.EXIT_AGAINST_AFFECT, turn=line.turn, quote=quote, why=why)
