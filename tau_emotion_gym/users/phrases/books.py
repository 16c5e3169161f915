"""Reading the phrase tables of this folder, each checked against its schema.

| file | holds |
|---|---|
| `anger.json` … `enjoyment.json` | per leaf: the feeling in the leaf's own words |
| `politeness.json`, `urgency.json`, `trust.json` | per level of a dimension: its markers |
| `behaviours.json` | per Atlas response: sentences that show it, where it matters per family |
| `events.json` | per event of the agent's making: sharp and soft remarks on it |
| `acts.json` | per act: what is said where the dialogue gives no sentence of its own |
| `shapes.json` | per act: which parts a message has, in order |
"""

import re
from enum import StrEnum
from functools import cache
from typing import Annotated, TypeAlias, TypeVar

import msgspec

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.users.phrases.table import Table

T = TypeVar("T")

Phrase: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
Few: TypeAlias = Annotated[tuple[Phrase, ...], msgspec.Meta(min_length=4)]
Some: TypeAlias = Annotated[tuple[Phrase, ...], msgspec.Meta(min_length=5)]
Many: TypeAlias = Annotated[tuple[Phrase, ...], msgspec.Meta(min_length=8)]


class LeafWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one leaf sounds; `mild` and `strong` together are its lead-ins, `yes` follows a confirmation."""

    openings: Many
    mild: Some
    strong: Some
    asides: Many
    yes: Some
    refused: Many
    eased: Many
    closings: Many
    farewells: Many


class SharpWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What anger and disgust add to a level of politeness."""

    before: tuple[Phrase, ...] = ()
    after: tuple[Phrase, ...] = ()
    yes: tuple[Phrase, ...] = ()
    bye: tuple[Phrase, ...] = ()


class PolitenessWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Markers of one level of politeness.

    `yes`, `no` and `unknown` follow such answers, `insist` a wish that is insisted on, `falter` a moment of
    faltering, `part` a refusal that ends the conversation, `bye` a happier end.
    """

    greet: Many
    before: Some
    after: Many
    yes: Some
    no: Some
    unknown: Some
    insist: Some
    falter: Some
    part: Some
    bye: Many
    sharp: SharpWords = SharpWords()


class UrgencyWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Markers of one level of urgency; `answer` follows a detail, `yes` a confirmation, `beside` what the
    others would contradict (see `conflicts`)."""

    opening: Many
    answer: Many
    mid: Many
    yes: Some
    beside: tuple[Phrase, ...] = ()


class TrustWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Markers of one level of trust; `answer`, `insist`, `yes` and `bye` follow a detail, a wish that is
    insisted on, a confirmation, the end, and `beside` what the others would contradict (see `conflicts`).
    `cold` holds those of a cold customer where they differ."""

    opening: Many
    answer: Many
    mid: Many
    insist: Some
    yes: Some
    bye: Some
    beside: tuple[Phrase, ...] = ()
    cold: "TrustWords | None" = None


class EventWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Remarks on an event: `sharp` from anger and disgust, `soft` from the others."""

    sharp: Some
    soft: Some


class ShapeRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Shapes of one act, each a line of slots: talkative, curt, without emotion, and beside a remark on
    what the agent did wrong (by default those without a word of feeling)."""

    full: tuple[Phrase, ...]
    curt: tuple[Phrase, ...]
    plain: tuple[Phrase, ...]
    irked: tuple[Phrase, ...] = ()


class Levels(msgspec.Struct, frozen=True):
    """The markers of all dimensions by level."""

    politeness: dict[str, PolitenessWords]
    urgency: dict[str, UrgencyWords]
    trust: dict[str, TrustWords]


Leaves: TypeAlias = dict[str, LeafWords]
Behaviours: TypeAlias = dict[str, dict[str, Many]]
Events: TypeAlias = dict[str, EventWords]
Acts: TypeAlias = dict[str, dict[str, Few]]
Shapes: TypeAlias = dict[str, ShapeRow]


def read(name: str, shape: type[T]) -> T:
    """The file `name` of this folder as a `shape`.

    Raises:
        DataError: the file is missing, is not JSON, or does not fit `shape`; names file and place.
    """
    from importlib.resources import files

    try:
        return msgspec.json.decode(files(__package__).joinpath(name).read_bytes(), type=shape)
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{__package__}/{name}: {error}") from error


@cache
def leaf_words(family: str) -> Leaves:
    """The leaves of one family and their words."""
    return read(f"{family}.json", Leaves)


@cache
def levels() -> Levels:
    """The markers of politeness, urgency and trust."""
    return Levels(
        politeness=read("politeness.json", dict[str, PolitenessWords]),
        urgency=read("urgency.json", dict[str, UrgencyWords]),
        trust=read("trust.json", dict[str, TrustWords]),
    )


@cache
def behaviours() -> Behaviours:
    """Sentences per Atlas response, then per family (`any` where the family makes no difference)."""
    return read("behaviours.json", Behaviours)


@cache
def events() -> Events:
    """Remarks per event."""
    return read("events.json", Events)


@cache
def acts() -> Acts:
    """What an act says by itself, per politeness (`any` where it makes no difference)."""
    return read("acts.json", Acts)


@cache
def shapes() -> Shapes:
    """Shapes per act."""
    return read("shapes.json", Shapes)


class Guard(StrEnum):
    """What a message must not contradict, so which phrases may stand beside its core."""

    WISH = "wish"
    ANSWER = "answer"
    PLAIN = "plain"
    FALTER = "falter"
    INSIST = "insist"
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"
    ACCEPT = "accept"
    END = "end"


_NEGATIVE = (
    r"\?|\b(no|not|never|none|nothing|nobody|nowhere|neither|nor|cannot|without|stop|wait|cancel|hold|refuse"
    r"|unless|but|however|maybe|unsure|instead|wrong|rather|hardly|barely|doubt|if|leave it|back|away|out of"
    r"|distance|avoid|disagree|dispute|object|reject|contest|protest|contradicted|steer clear)\b|n't\b"
)
_POSITIVE = (
    r"\?|\b(yes|yeah|yep|sure|ok|okay|fine|go ahead|do it|correct|right|agreed?|good|great|perfect|proceed"
    r"|confirm(ed)?|absolutely|certainly|of course|please do|works for me|gladly|happy to|exactly|true"
    r"|lovely|wonderful|thrilled|yay|woohoo|hooray|marvellous|brilliant|amazing|fantastic)\b"
)
_KNOWING = r"\?|\b(yes|sure|of course|certainly|i know|to hand|prepared|homework|organised|gladly|happy to)\b"
_RESISTING = (
    r"\?|\b(beg|begging|please|implore|pleading|disagree|contest|argue|arguing|argument|dispute|object|protest"
    r"|reject|hurry|now|immediately|proof|prove|evidence|double-check|not sure|won't)\b"
)
_DOUBTING = r"\?|\b(maybe|perhaps|not sure|unless|wait|but first)\b"

_BARRED: dict[Guard, re.Pattern[str]] = {
    Guard.YES: re.compile(_NEGATIVE, re.IGNORECASE),
    Guard.NO: re.compile(_POSITIVE, re.IGNORECASE),
    Guard.UNKNOWN: re.compile(_KNOWING, re.IGNORECASE),
    Guard.ACCEPT: re.compile(_RESISTING, re.IGNORECASE),
    Guard.END: re.compile(_DOUBTING, re.IGNORECASE),
}


@cache
def guarded(name: str, entries: tuple[str, ...], guard: Guard) -> Table[str] | None:
    """The entries that `guard` lets through as a table of that name; None if there are none."""
    barred = _BARRED.get(guard)
    kept = entries if barred is None else tuple(entry for entry in entries if not barred.search(entry))
    return Table(name, kept) if kept else None
