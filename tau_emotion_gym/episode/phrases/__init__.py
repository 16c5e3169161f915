"""The generic phrases of reading: which literal phrases are a cue of asking, confirming, claiming, refusing…"""

from functools import cache
from importlib.resources import files

import msgspec

from tau_emotion_gym.errors import DataError

Phrases = tuple[str, ...]


class Cues(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"if_": "if", "or_": "or"}):
    """Phrases per cue. The longest phrase at a place wins; one phrase may be several cues at once."""

    ask: Phrases
    """Requests a detail: "please provide"."""
    wh: Phrases
    """Question words, which ask only in a question or in an item of a list of asks."""
    verify: Phrases
    """Asks for a detail or for a yes, by what follows: "please confirm"."""
    wish: Phrases
    """After `verify`: it is a yes that is asked for."""
    confirm: Phrases
    """Asks for a yes."""
    permit: Phrases
    """Asks for leave to do what follows: with an action a confirmation, else an offer."""
    open: Phrases
    """Asks for something that is no detail of a list: "what would you like to change"."""
    if_: Phrases
    """Opens a condition, in which nothing is asked, claimed or refused."""
    or_: Phrases
    """Joins alternatives."""
    example: Phrases
    """Values after it are examples."""
    neutral: Phrases
    """Contain the words of a cue and are none."""
    perf: Phrases
    """With `done` after it: something was done."""
    done: Phrases
    """Participles of doing."""
    done_first: Phrases
    """Claim a deed when they open a sentence."""
    cannot: Phrases
    """Says no."""
    unless: Phrases
    """With `cannot`: what is missing, rather than a refusal."""
    reason: Phrases
    """Gives the reason of a refusal."""
    offer: Phrases
    """Offers an alternative, a choice or a further service."""
    hands_off: Phrases
    """Speaks of a human who takes over."""
    feel: Phrases
    """Apology, empathy, shared joy, reassurance."""
    dismissive: Phrases
    """Belittles the customer or the problem."""
    wait: Phrases
    """Asks the customer to wait."""
    close: Phrases
    """Anything else, goodbye."""
    status: Phrases
    """States of things, which inform."""


@cache
def cues() -> Cues:
    """The shipped phrases.

    Raises:
        DataError: the file is damaged; the message names it and the reason.
    """
    source = files(__name__) / "reading.json"
    try:
        return msgspec.json.decode(source.read_bytes(), type=Cues)
    except msgspec.DecodeError as error:
        raise DataError(f"{source}: {error}") from error
