"""Which phrases one customer does not say, or not in one breath.

A condition may join levels that pull in different directions (cold and trusting, calm and in a hurry).
A customer can be all of that, but no message of theirs contradicts itself.
"""

import re
from functools import cache

from tau_emotion_gym.emotions.conditions import EmotionCondition
from tau_emotion_gym.users.phrases.words import Words

_UNLIKE: dict[str, frozenset[str]] = {
    "warm": frozenset({"insult", "dehumanise", "scream"}),
    "cold": frozenset({"engage"}),
    "high": frozenset({"engage"}),
    "trusting": frozenset({"insult", "dehumanise", "undermine", "passive_aggressive"}),
}
"""Responses that are not in the mouth of a customer of this level."""


_UNSAID: dict[str, Words] = {
    "cold": Words("thank, bless, kind, angel, gratitude, grateful, hug, appreciate"),
    "low": Words("sooner, hurry, over with, just fix it, somebody!, right now, last straw"),
    "high": Words("own good time, own time, as (it|they) come, gently, let things flow, life flows, savour"),
    "trusting": Words("you people, likes of me, contradicted, argue with, your favourites, don't hide, doubt"),
    "skeptical": Words("relying on you, in your hands, you lead"),
}
"""Words that would give the lie to a level, so that no phrase of a feeling with them is said."""

_DUE = Words("""
    urgent, can't wait, any longer, right (now|away), immediately, at once, as soon as, high time, every day,
    emergency, now, terrified, panic, cut (us|me|you|it) off, cut off, help me, begging
""")
"""Beside these nobody says that there is no hurry."""

_PRESSING = Words("""
    collector, nearly (empty|used up), (run|runs|ran) out, running out, another night,
    one more (week|missed), too late, before, today, without it, snaps, stranded, los(e|ing),
    hospital, sick, dying, trouble
""")
_ACCUSING = Words("""
    your (store|company|website|app|letter|reminder|people|network|outage|help page|bill|statements|video),
    your (sales|portal|service|silence|methods|fault|link|trick|packaging|front desk|layout|excuses|office),
    nobody, promise, you (gave|cut|keep|simply|moved|took|have broken|sent|simply), talked into, was told,
    trick, rip-off, ignored, shabby, brushed, shuffled, forgotten, refused, useless, incompetent
""")
_EASY = Words("""
    serene, calm, peace, tranquil, content, at ease, balance, harmony, quiet, still day, relie, (finally|can) breathe,
    exhale, weight off, pressure is off, only asking, only want to know, sav, ripples, long breath
""")

_SHOUTED = re.compile(r"[A-Z](?<!\w[A-Z])[A-Z]{3,}\b")
"""A word in capitals; the look back comes second since a set at the front lets the engine skip what is not in it."""

_BESIDE: dict[str, Words] = {"low": _PRESSING, "high": _EASY, "trusting": _ACCUSING}
"""Per level, what its plain phrases would contradict: there its phrases for such a case are said."""

_COURTESIES = ("thank", "sorry", "forgive", "appreciate")


def unlike(levels: tuple[str, ...]) -> frozenset[str]:
    """Responses that a customer of these levels does not show."""
    return frozenset().union(*(_UNLIKE.get(level, ()) for level in levels))


def becoming(entries: tuple[str, ...], levels: tuple[str, ...]) -> tuple[str, ...]:
    """The entries that give the lie to none of the levels."""
    for level in levels:
        entries = _said_at(level, entries)
    return entries


@cache
def _said_at(level: str, entries: tuple[str, ...]) -> tuple[str, ...]:
    barred = _UNSAID.get(level)
    return entries if barred is None else tuple(text for text in entries if not barred.within(text))


def fitting(slot: str, level: str, said: str, *, soured: bool) -> str:
    """The slot to fill in place of `urgency` or `trust` after what was said in this message; "" for none.

    Args:
        slot: `urgency` or `trust`.
        level: the customer's level of it.
        said: the message so far.
        soured: whether the message complains about the agent.
    """
    if level == "trusting" and soured:
        return ""
    if level == "low" and _DUE.within(said):
        return ""
    if level in ("low", "moderate") and _SHOUTED.search(said):
        return ""
    contradicted = _BESIDE.get(level)
    return f"{slot}_beside" if contradicted is not None and contradicted.within(said) else slot


def repeats(text: str, said: str) -> bool:
    """Whether a courtesy was in the message already."""
    text = text.lower()
    courtesies = [word for word in _COURTESIES if word in text]
    if not courtesies:
        return False
    said = said.lower()
    return any(word in said for word in courtesies)


def levels_of(condition: EmotionCondition) -> tuple[str, str, str]:
    """The levels of politeness, urgency and trust."""
    return condition.politeness, condition.urgency, condition.trust
