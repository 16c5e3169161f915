"""From phrase tables to what one condition may say: a table per slot of a message's shape.

| slot | filled from |
|---|---|
| `greet`, `before`, `civil`, `bye` | politeness |
| `urgency`, `trust` | the level of that dimension; `urgency_beside`, `trust_beside` where those would clash |
| `open`, `mild`, `strong`, `aside`, `agreed`, `refused`, `eased`, `closing`, `farewell` | the leaf |
| `behave`, `jab`, `cheer`, `contest`, `scream` | the leaf's Atlas responses |

`lead` in a shape stands for `mild` or `strong`; `core`, `stake` and `exit` are filled by the voice.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain

from tau_emotion_gym.emotions.conditions import EmotionCondition
from tau_emotion_gym.emotions.taxonomy import LEAF_BY_NAME
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.users.phrases import books, conflicts
from tau_emotion_gym.users.phrases.books import Guard, guarded
from tau_emotion_gym.users.phrases.table import Table

_SPELLING: dict[str, str] = {
    "be passive-aggressive": "passive_aggressive",
    "dehumanize": "dehumanise",
    "engage/connect": "engage",
    "feel ashamed": "feel_ashamed",
    "savor": "savour",
    "scream/yell": "scream",
    "seek comfort": "seek_comfort",
    "seek more": "seek_more",
    "simmer/brood": "simmer",
    "vomit": "avoid",
}
"""Our names of the Atlas's responses where they differ; who could vomit keeps things at a distance."""

_SLOTS: dict[str, frozenset[str]] = {
    "contest": frozenset({"quarrel", "dispute", "protest"}),
    "jab": frozenset({"undermine", "insult", "dehumanise", "passive_aggressive"}),
    "cheer": frozenset({"exclaim"}),
    "scream": frozenset({"scream"}),
}
"""Responses that need an occasion: something to contest, a grievance, good news. The others go anywhere."""

_MOVES: frozenset[str] = frozenset({"hesitate", "freeze", "avoid"})
"""They change what is said, so the dialogue alone decides on them (`Voice.behave`)."""

_DAMPERS: frozenset[Guard] = frozenset({Guard.UNKNOWN, Guard.INSIST})
"""Moments at which joy is silent."""

_SHARP_FAMILIES: frozenset[str] = frozenset({"anger", "disgust"})


def behaviours_of(leaf: str) -> tuple[str, ...]:
    """The Atlas's responses of a leaf in our spelling, each once."""
    return tuple(dict.fromkeys(_SPELLING.get(name, name) for name in LEAF_BY_NAME[leaf].responses))


@cache
def behaviour_table(name: str, family: str) -> Table[str]:
    """Sentences that show the behaviour `name`, in the words of the family where it matters.

    Raises:
        UnknownName: no such behaviour.
    """
    rows = books.behaviours()
    if name not in rows:
        raise unknown("behaviour", name, rows)
    row = rows[name]
    return Table(name, row.get(family) or next(iter(row.values())))


@cache
def event_tables(family: str, politeness: str, trust: str, guard: Guard) -> Mapping[str, Table[str]]:
    """Remarks per event: sharp from anger and disgust unless warm or trusting, soft from the others."""
    sharp = family in _SHARP_FAMILIES and politeness != "warm" and trust != "trusting"
    remarks = {name: words.sharp if sharp else words.soft for name, words in books.events().items()}
    return _tables("events", remarks, guard)


@cache
def own_words(act: str, politeness: str) -> Table[str]:
    """What an act says by itself."""
    row = books.acts()[act]
    return Table(f"{act}/own", row.get(politeness) or row["any"])


@cache
def shape_table(name: str, lines: tuple[str, ...]) -> Table[tuple[str, ...]]:
    """Shapes as tuples of slots."""
    return Table(name, [tuple(line.split()) for line in lines])


def slot_tables(condition: EmotionCondition | None, guard: Guard) -> dict[str, Table[str]]:
    """The phrases for every slot of a shape under a guard; a slot without any is absent."""
    if condition is None:
        return dict(_manner("neutral", False, guard))
    sharp = condition.family in _SHARP_FAMILIES and condition.trust != "trusting"
    return {
        **_manner(condition.politeness, sharp, guard),
        **_urgency(condition.urgency, guard),
        **_trust(condition.trust, condition.politeness == "cold", guard),
        **_leaf(condition.family, condition.leaf, conflicts.levels_of(condition), guard),
    }


def _tables(prefix: str, slots: Mapping[str, tuple[str, ...]], guard: Guard) -> dict[str, Table[str]]:
    made = {slot: guarded(f"{prefix}/{slot}", words, guard) for slot, words in slots.items()}
    return {slot: table for slot, table in made.items() if table is not None}


@cache
def _manner(level: str, sharp: bool, guard: Guard) -> Mapping[str, Table[str]]:
    words = books.levels().politeness[level]
    more = words.sharp if sharp else books.SharpWords()
    special = {
        Guard.YES: words.yes + more.yes,
        Guard.NO: words.no,
        Guard.UNKNOWN: words.unknown,
        Guard.INSIST: words.insist,
        Guard.FALTER: words.falter,
        Guard.ACCEPT: words.part,
    }
    slots = {
        "greet": words.greet,
        "before": words.before + more.before,
        "civil": special.get(guard, words.after + more.after),
        "bye": words.bye + more.bye,
    }
    return _tables("politeness", slots, guard)


@cache
def _urgency(level: str, guard: Guard) -> Mapping[str, Table[str]]:
    words = books.levels().urgency[level]
    special = {Guard.WISH: words.opening, Guard.ANSWER: words.answer, Guard.YES: words.yes}
    return _tables("urgency", {"urgency": special.get(guard, words.mid), "urgency_beside": words.beside}, guard)


@cache
def _trust(level: str, cold: bool, guard: Guard) -> Mapping[str, Table[str]]:
    words = books.levels().trust[level]
    if cold and words.cold is not None:
        words = words.cold
    special = {
        Guard.WISH: words.opening,
        Guard.ANSWER: words.answer,
        Guard.INSIST: words.insist,
        Guard.YES: words.yes,
        Guard.END: words.bye,
    }
    return _tables("trust", {"trust": special.get(guard, words.mid), "trust_beside": words.beside}, guard)


@cache
def _leaf(family: str, leaf: str, levels: tuple[str, str, str], guard: Guard) -> Mapping[str, Table[str]]:
    if family == "enjoyment" and guard in _DAMPERS:
        return _tables(leaf, {"refused": books.leaf_words(family)[leaf].refused}, guard)
    return _tables(leaf, _leaf_slots(family, leaf, levels), guard)


@cache
def _leaf_slots(family: str, leaf: str, levels: tuple[str, str, str]) -> Mapping[str, tuple[str, ...]]:
    """What a customer of these levels says of what it feels, by slot."""
    words = books.leaf_words(family)[leaf]
    hidden = conflicts.unlike(levels) | _MOVES
    shown = [name for name in behaviours_of(leaf) if name not in hidden]
    slots = {
        "open": words.openings,
        "mild": words.mild,
        "strong": words.strong,
        "aside": words.asides,
        "agreed": words.yes,
        "refused": words.refused,
        "eased": words.eased,
        "closing": words.closings,
        "farewell": words.farewells,
        "behave": _sentences(family, (name for name in shown if not any(name in own for own in _SLOTS.values()))),
        **{slot: _sentences(family, (name for name in shown if name in own)) for slot, own in _SLOTS.items()},
    }
    return {slot: conflicts.becoming(entries, levels) for slot, entries in slots.items()}


def _sentences(family: str, behaviours: Iterable[str]) -> tuple[str, ...]:
    return tuple(chain.from_iterable(behaviour_table(name, family).entries for name in behaviours))
