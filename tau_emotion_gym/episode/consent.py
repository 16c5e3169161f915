"""Whether a customer's reply to a confirmation request says yes."""

import re
from functools import lru_cache

_LEAD = (
    r"(?:(?:oh|ok|okay|well|fine|alright|all right|great|perfect|good|please|absolutely|definitely|and|so"
    r"|then|but|sorry),? )*"
)
_YES = re.compile(
    _LEAD + r"(?:yes|yeah|yep|yup|sure|go ahead|please do|i confirm|confirmed|i agree|correct|proceed"
    r"|that'?s (?:right|correct|fine)|do (?:it|that|so|proceed|go ahead)|sounds good|that works"
    r"|you can (?:go ahead|proceed))\b"
)
_ALONE = re.compile(r"(?:ok|okay|fine|alright|all right|absolutely|definitely|perfect|great|good)\W*$")
_PLAIN_NO = r"no\b(?! (?:rush|hurry|problem|worries|stress|pressure|doubt|need to rush|trouble))|nope|nah"
_NO = re.compile(
    _LEAD + rf"(?:{_PLAIN_NO}"
    r"|not yet|not so fast|wait\b|hold on|hang on|stop\b|i did(?:n'?t| not) ask|i (?:don'?t|do not) want"
    r"|one second|just a (?:second|moment|minute)|give me a (?:second|moment|minute)|let me think|i'?m not sure)"
)
_PROHIBITION = re.compile(_LEAD + r"(?:don'?t|do not|never)\b")
_SENTENCE = re.compile(r"[.!?;\n…]+\s*|\s+[–—-]+\s+")


@lru_cache(maxsize=64)
def agrees(text: str) -> bool:
    """True when the reply says yes and no sentence of it takes that back. Several ask about the same reply in turn."""
    said_yes = False
    for sentence in _SENTENCE.split(text.lower().replace("’", "'")):
        sentence = sentence.strip(" \"'*_")
        if _NO.match(sentence) or (not said_yes and _PROHIBITION.match(sentence)):
            return False
        if _YES.match(sentence) or _ALONE.match(sentence):
            said_yes = True
    return said_yes


_DECLINES = re.compile(
    rf"{_PLAIN_NO}|not that|not like that"
    r"|i did(?:n'?t| not) ask|i (?:don'?t|do not) want|please don'?t"
)


def declines(text: str) -> bool:
    """True when the reply turns the proposal down, rather than putting it off."""
    if agrees(text):
        return False
    sentences = _SENTENCE.split(text.lower().replace("’", "'"))
    return any(_DECLINES.match(sentence.strip(" \"'*_")) for sentence in sentences)
