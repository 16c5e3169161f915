"""Whether a refusal is explained by the words that follow it, with no "because" to say so.

Only messages that refuse and name no reason outright come here, so this may take its time.
"""

import re
from functools import cache

from tau_emotion_gym.episode.phrases import bits, cues
from tau_emotion_gym.episode.phrases.lexicon import Lexicon
from tau_emotion_gym.episode.phrases.normal import normal

_SENTENCE = re.compile(r" ([.?!\n\v])(?= )")
_COLON = re.compile(r" [:-] ")
_BUT = re.compile(r" but ")
_WISH = " wish "
_SO = ("so ", "and so ", "thus ", "hence ", "that's why ")
"""A sentence that begins so draws a conclusion from the one before it."""
_NO = bits.CANNOT | bits.LACKING
_NO_STATEMENT = bits.ASK | bits.VERIFY | bits.PERMIT | bits.OPEN | bits.CONFIRM | bits.ABLE | bits.IF
_OTHER_NEWS = (
    bits.FEEL | bits.CLOSE | bits.WAIT | bits.OFFER | bits.WANT | bits.HANDS_OFF | bits.DISMISSIVE | bits.CONFIRM_SOFT
)  # fmt: skip
_SPEAKER = ("i ", "i'", "we ", "we'", "please ", "thank", "let ")


def explains(lexicon: Lexicon, text: str) -> bool:
    """True when a plain statement follows a refusal, after a colon, a dash or a "but", or as the next sentence;
    or stands before a refusal that begins with "so".

    Args:
        lexicon: the phrases of a domain.
        text: a normalised message.
    """
    refused = told = False
    parts = _SENTENCE.split(text)
    for sentence, mark in zip(parts[::2], (*parts[1::2], ""), strict=True):
        if not sentence.strip():
            continue
        if refused and mark != "?" and _states(lexicon, sentence):
            return True
        words = " ".join(sentence.split())
        refused = mark != "?" and _acts(lexicon, sentence)[0] & _NO > 0
        if refused and told and words.startswith(_SO):
            return True
        told = mark != "?" and not refused and _states(lexicon, words.rpartition(" , ")[2])
        head, *rest = (_BUT if _WISH in sentence else _COLON).split(f" {words} ", maxsplit=1)
        if refused and rest and _acts(lexicon, head)[0] & _NO and _states(lexicon, rest[0]):
            return True
    return False


def is_bad_news(lexicon: Lexicon, text: str) -> bool:
    """True when a plain statement follows words that announce bad news ("I'm sorry, but").

    Args:
        lexicon: the phrases of a domain.
        text: a normalised message.
    """
    parts = _SENTENCE.split(text)
    for sentence, mark in zip(parts[::2], (*parts[1::2], ""), strict=True):
        _, found, news = _announced(" ".join(sentence.split()))
        if found and mark != "?" and _states(lexicon, f" {news.strip(', ')} "):
            return True
    return False


def _announced(sentence: str) -> tuple[str, str, str]:
    for phrase in _announcements():
        if phrase in sentence:
            return sentence.partition(phrase)
    return sentence, "", ""


@cache
def _announcements() -> tuple[str, ...]:
    return tuple(" ".join(normal(phrase).split()) for phrase in cues().bad_news)


def _states(lexicon: Lexicon, sentence: str) -> bool:
    """A statement of at least three words about something else than what the agent does, feels or asks."""
    words = sentence.split()
    acts, flags = _acts(lexicon, sentence)
    if acts & _NO_STATEMENT or flags & _OTHER_NEWS or sentence.lstrip().startswith(_SPEAKER):
        return False
    return len(words) >= (4 if acts & _NO else 3)


def _acts(lexicon: Lexicon, sentence: str) -> tuple[int, int]:
    acts = flags = 0
    for act, flag, _, _ in lexicon.hits(f" {sentence.strip()} "):
        acts |= act
        flags |= flag
    return acts, flags
