"""Whether a refusal is explained by the words that follow it, with no "because" to say so.

Only messages that refuse and name no reason outright come here, so this may take its time.
"""

import re

from tau_emotion_gym.episode.phrases import lexicon as lex

_SENTENCE = re.compile(r" ([.?!\n\v])(?= )")
_COLON = re.compile(r" [:-] ")
_NO = lex.CANNOT | lex.LACKING
_NO_STATEMENT = lex.ASK | lex.VERIFY | lex.PERMIT | lex.OPEN | lex.CONFIRM | lex.ABLE | lex.IF
_OTHER_NEWS = (
    lex.FEEL | lex.CLOSE | lex.WAIT | lex.OFFER | lex.WANT | lex.HANDS_OFF | lex.DISMISSIVE | lex.CONFIRM_SOFT
)  # fmt: skip
_SPEAKER = ("i ", "i'", "we ", "we'", "please ", "thank", "let ")


def explains(lexicon: lex.Lexicon, text: str) -> bool:
    """True when a plain statement follows a refusal, after a colon or a dash or as the next sentence.

    Args:
        lexicon: the phrases of a domain.
        text: a normalised message.
    """
    refused = False
    parts = _SENTENCE.split(text)
    for sentence, mark in zip(parts[::2], (*parts[1::2], ""), strict=True):
        if not sentence.strip():
            continue
        if refused and mark != "?" and _states(lexicon, sentence):
            return True
        head, *rest = _COLON.split(f" {sentence.strip()} ", maxsplit=1)
        refused = mark != "?" and _acts(lexicon, sentence)[0] & _NO > 0
        if refused and rest and _acts(lexicon, head)[0] & _NO and _states(lexicon, rest[0]):
            return True
    return False


def _states(lexicon: lex.Lexicon, sentence: str) -> bool:
    """A statement of at least three words about something else than what the agent does, feels or asks."""
    words = sentence.split()
    acts, flags = _acts(lexicon, sentence)
    if acts & _NO_STATEMENT or flags & _OTHER_NEWS or sentence.lstrip().startswith(_SPEAKER):
        return False
    return len(words) >= (4 if acts & _NO else 3)


def _acts(lexicon: lex.Lexicon, sentence: str) -> tuple[int, int]:
    acts = flags = 0
    for hit in lexicon.find(f" {sentence.strip()} "):
        cue = lexicon.cue(hit, lex.FIGURE)
        acts |= cue[0]
        flags |= cue[1]
    return acts, flags
