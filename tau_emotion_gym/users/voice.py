"""How a customer under a condition sounds.

The dialogue decides *what* is said: the core, plain sentences that stay in the text verbatim. A
`Voice` decides how it sounds around them: the feeling in the leaf's own words, markers of politeness,
urgency and trust, the Atlas's responses, remarks on what the agent just did. Not every part is in
every message: each act has shapes (`phrases/shapes.json`) that a customer goes through.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain

from tau_emotion_gym._draw import mix
from tau_emotion_gym.emotions.affect import Affect
from tau_emotion_gym.emotions.conditions import EmotionCondition
from tau_emotion_gym.emotions.taxonomy import LEAF_BY_NAME
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.users import phrases
from tau_emotion_gym.users.phrases import Guard, Table


class Act(StrEnum):
    """What a customer's message does in the dialogue."""

    OPENING = "opening"
    ANSWER = "answer"
    CONFIRM_YES = "confirm_yes"
    CONFIRM_NO = "confirm_no"
    UNKNOWN = "unknown"
    INSIST = "insist"
    ACCEPT_REFUSAL = "accept_refusal"
    FALLBACK = "fallback"
    PROD = "prod"
    NEXT_WISH = "next_wish"
    WAIT = "wait"
    THANKS_BYE = "thanks_bye"
    LEAVE_ANGRY = "leave_angry"
    HAND_OFF_REACTION = "hand_off_reaction"
    CORRECT = "correct"

    __hash__ = str.__hash__


_GUARDS: dict[Act, Guard] = {
    Act.OPENING: Guard.OPENING,
    Act.CONFIRM_YES: Guard.YES,
    Act.CONFIRM_NO: Guard.NO,
    Act.UNKNOWN: Guard.UNKNOWN,
    Act.ACCEPT_REFUSAL: Guard.ACCEPT,
    Act.THANKS_BYE: Guard.END,
    Act.LEAVE_ANGRY: Guard.END,
}

BEHAVIOUR_OF: dict[str, str] = {
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
"""The Atlas's name of a response where our name of the behaviour differs."""

MOVES: frozenset[str] = frozenset({"hesitate", "freeze", "avoid"})
"""Behaviours that change what is said, so that only the dialogue shows them, by `Voice.behave`."""

_RUDE: frozenset[str] = frozenset({"insult", "dehumanise", "quarrel"})
_SHARP_FAMILIES: frozenset[str] = frozenset({"anger", "disgust"})
_FEELING_SLOTS: frozenset[str] = frozenset({"lead", "aside", "behave"})
_UNCALM: frozenset[str] = _FEELING_SLOTS | {"before", "refused"}
_SILENT_ON_EVENTS: frozenset[Act] = frozenset({Act.OPENING, Act.CONFIRM_YES, Act.CONFIRM_NO, Act.THANKS_BYE})
_NEVER_EASED: frozenset[Act] = frozenset({Act.OPENING, Act.THANKS_BYE, Act.LEAVE_ANGRY, Act.INSIST})
_REACTION_LAST: frozenset[Act] = frozenset({Act.CONFIRM_YES, Act.CONFIRM_NO})

_LOUD = 6.0
_QUIET = 4.0
_UNIT = 1 << 64


class _Desk:
    """Everything one act needs: its shapes, the phrases for their slots, what it says by itself."""

    __slots__ = ("calm", "curt", "eased", "full", "own", "tables")

    def __init__(self, condition: EmotionCondition | None, act: Act) -> None:
        guard = _GUARDS.get(act, Guard.PLAIN)
        row = phrases.shapes()[act]
        self.full = _shape_table(f"{act}/full", row.full if condition else row.plain)
        self.curt = _shape_table(f"{act}/curt", row.curt if condition else row.plain)
        self.calm = _calm_shapes(act)
        own = _own_words(act, condition.politeness if condition else "neutral")
        self.own = None if act is Act.LEAVE_ANGRY else own
        self.tables = {**_slot_tables(condition, guard), "exit": own}
        self.eased = self.tables.get("eased")


class Voice:
    """The voice of one condition; None is the neutral customer: plain, civil, to the point.

    Stateless: the same arguments always give the same text.
    """

    __slots__ = (
        "_curt",
        "_desks",
        "_events",
        "_falling",
        "_low",
        "_salt",
        "_shouts",
        "_span",
        "behaviours",
        "condition",
    )

    def __init__(self, condition: EmotionCondition | None) -> None:
        self.condition = condition
        leaf = LEAF_BY_NAME[condition.leaf] if condition else None
        low, high = leaf.intensity if leaf else (0, 0)
        self.behaviours: frozenset[str] = frozenset(
            BEHAVIOUR_OF.get(name, name) for name in (leaf.responses if leaf else ())
        )
        self._low, self._span = low, high - low
        self._falling = condition is not None and condition.family == "enjoyment"
        self._shouts = (
            "scream" in self.behaviours and condition is not None and condition.politeness != "warm"
        )
        self._salt = (condition.index + 1) << 40 if condition else 0
        self._curt = _curtness(self.behaviours, condition)
        self._events = _event_tables(condition)
        self._desks = {act: _Desk(condition, act) for act in Act}

    def speak(
        self,
        act: Act,
        core: str,
        *,
        seed: int,
        turn: int,
        affect: Affect | None = None,
        stake: str = "",
        acknowledged: bool = False,
        events: Sequence[str] = (),
    ) -> str:
        """One message: `core` verbatim, dressed in this voice.

        Args:
            act: what the message does.
            core: plain sentences with wishes and facts; "" lets the act speak for itself.
            seed: the episode's seed.
            turn: the turn of the message in its episode.
            affect: how the customer feels now; falling satisfaction raises the intensity.
            stake: why they feel it, said in the opening.
            acknowledged: whether the agent just acknowledged the feeling.
            events: what the agent's last turn did, by name (`emotions.affect.Event`).
        """
        desk = self._desks[act]
        seed += self._salt
        dice = mix(seed, turn, act)
        if not core and desk.own is not None:
            core = desk.own.at(seed, turn)
        reaction = self._reaction(desk, act, seed, turn, dice, acknowledged, events)
        if reaction:
            parts = self._fill(desk, desk.calm.at(seed, turn), core, stake, seed, turn, dice, affect)
            parts.insert(len(parts) if act in _REACTION_LAST else 0, reaction)
        else:
            shapes = desk.curt if (dice & 255) < self._curt else desk.full
            parts = self._fill(desk, shapes.at(seed, turn), core, stake, seed, turn, dice, affect)
        return " ".join(parts)

    def behave(self, name: str, *, seed: int, turn: int) -> str:
        """One sentence that shows the behaviour `name`.

        Raises:
            UnknownName: no such behaviour.
        """
        family = self.condition.family if self.condition else "any"
        return _behaviour_table(name, family).at(seed + self._salt, turn)

    def intensity(self, seed: int, affect: Affect | None = None) -> float:
        """Strength of the feeling on the Atlas's scale of 1 to 10 (0 for neutral).

        The seed places it within the leaf's range. Falling satisfaction drives it to the upper end,
        or to the lower end for enjoyment.
        """
        return self._low + self._span * self._place(seed, affect)

    def _place(self, seed: int, affect: Affect | None) -> float:
        place = mix(seed, 0, "intensity") / _UNIT
        if affect is None:
            return place
        if self._falling:
            return place * (0.4 + 0.6 * affect.satisfaction)
        return 1 - (1 - place) * (0.5 + 0.5 * affect.satisfaction)

    def _reaction(
        self,
        desk: _Desk,
        act: Act,
        seed: int,
        turn: int,
        dice: int,
        acknowledged: bool,
        events: Sequence[str],
    ) -> str:
        """A remark on the agent's last turn, or ""."""
        draw = (dice >> 32) & 255
        if acknowledged and desk.eased is not None and draw < 160 and act not in _NEVER_EASED:
            return desk.eased.at(seed, turn)
        if events and draw < 180 and act not in _SILENT_ON_EVENTS:
            for event in events:
                table = self._events.get(event)
                if table is not None:
                    return table.at(seed, turn)
        return ""

    def _fill(
        self,
        desk: _Desk,
        shape: tuple[str, ...],
        core: str,
        stake: str,
        seed: int,
        turn: int,
        dice: int,
        affect: Affect | None,
    ) -> list[str]:
        """The parts of a message of this shape."""
        place = self._place(seed, affect)
        intensity = self._low + self._span * place
        loud = self._shouts and intensity >= _LOUD and (dice >> 16) & 255 < 90
        quiet = (dice >> 24) & 255 < (_QUIET - intensity) * 24
        tables = desk.tables
        parts: list[str] = []
        for slot in shape:
            if slot == "core" or slot == "stake":
                given = core if slot == "core" else stake
                if given:
                    parts.append(given)
                continue
            if slot in _FEELING_SLOTS:
                if quiet:
                    continue
                if slot == "lead":
                    strong = place * 256 > 64 + ((dice >> 8) & 127)
                    slot = "strong" if strong else "mild"
                elif slot == "behave" and loud:
                    slot = "scream"
            table = tables.get(slot)
            if table is not None:
                text = table.at(seed, turn)
                parts.append(text.upper() if loud and slot == "strong" else text)
        return parts


@cache
def voice(condition: EmotionCondition | None) -> Voice:
    """The voice of a condition, made once per process."""
    return Voice(condition)


def _curtness(behaviours: frozenset[str], condition: EmotionCondition | None) -> int:
    """How often, of 256 messages, the customer is curt."""
    if condition is None:
        return 0
    reserved = 64 if behaviours & {"withdraw", "suppress"} else 16
    return reserved + {"warm": 0, "neutral": 12, "cold": 32}[condition.politeness]


@cache
def _shape_table(name: str, lines: tuple[str, ...]) -> Table[tuple[str, ...]]:
    return Table(name, [tuple(line.split()) for line in lines])


@cache
def _calm_shapes(act: Act) -> Table[tuple[str, ...]]:
    """Shapes of an act to go with a remark on the agent's turn: the core and at most markers."""
    if act in _REACTION_LAST:
        return _shape_table(f"{act}/calm", ("core",))
    row = phrases.shapes()[act]
    calm = [line for line in row.full + row.curt if not _UNCALM & set(line.split())]
    return _shape_table(f"{act}/calm", tuple(dict.fromkeys(calm)) or ("core",))


@cache
def _own_words(act: Act, politeness: str) -> Table[str]:
    row = phrases.acts()[act]
    return Table(f"{act}/own", row.get(politeness) or row["any"])


@cache
def _behaviour_table(name: str, family: str) -> Table[str]:
    rows = phrases.behaviours()
    if name not in rows:
        raise unknown("behaviour", name, rows)
    row = rows[name]
    return Table(name, row.get(family) or next(iter(row.values())))


@cache
def _event_tables(condition: EmotionCondition | None) -> dict[str, Table[str]]:
    if condition is None:
        return {}
    sharp = condition.family in _SHARP_FAMILIES and condition.politeness != "warm"
    return {
        name: Table(name, words.sharp if sharp else words.soft) for name, words in phrases.events().items()
    }


def _slot_tables(condition: EmotionCondition | None, guard: Guard) -> dict[str, Table[str]]:
    """The phrases for every slot of a shape under a guard; a slot without any is absent."""
    slots = _manner_slots(condition.politeness if condition else "neutral", guard)
    if condition is not None:
        slots = slots | _urgency_slots(condition.urgency, guard) | _trust_slots(condition.trust, guard)
        slots |= _leaf_slots(condition.family, condition.leaf, condition.politeness == "warm", guard)
    return slots


def _tables(prefix: str, slots: dict[str, Iterable[str]], guard: Guard) -> dict[str, Table[str]]:
    made = {slot: phrases.guarded(f"{prefix}/{slot}", tuple(words), guard) for slot, words in slots.items()}
    return {slot: table for slot, table in made.items() if table is not None}


@cache
def _manner_slots(level: str, guard: Guard) -> dict[str, Table[str]]:
    words = phrases.levels().politeness[level]
    civil = {Guard.YES: words.yes, Guard.NO: words.no, Guard.UNKNOWN: words.unknown}.get(guard, words.after)
    slots: dict[str, Iterable[str]] = {
        "greet": words.greet,
        "before": words.before,
        "civil": civil,
        "bye": words.bye,
    }
    return _tables("politeness", slots, guard)


@cache
def _urgency_slots(level: str, guard: Guard) -> dict[str, Table[str]]:
    words = phrases.levels().urgency[level]
    chosen = {Guard.OPENING: words.opening, Guard.YES: words.yes}.get(guard, words.mid)
    return _tables("urgency", {"urgency": chosen}, guard)


@cache
def _trust_slots(level: str, guard: Guard) -> dict[str, Table[str]]:
    words = phrases.levels().trust[level]
    chosen = {Guard.OPENING: words.opening, Guard.YES: words.yes, Guard.END: words.bye}.get(guard, words.mid)
    return _tables("trust", {"trust": chosen}, guard)


@cache
def _leaf_slots(family: str, leaf: str, warm: bool, guard: Guard) -> dict[str, Table[str]]:
    words = phrases.leaf_words(family)[leaf]
    slots: dict[str, Iterable[str]] = {
        "open": words.openings,
        "mild": words.mild,
        "strong": words.strong,
        "aside": words.asides,
        "refused": words.refused,
        "eased": words.eased,
        "closing": words.closings,
        "farewell": words.farewells,
        "behave": _colour(family, leaf, warm),
    }
    if family == "enjoyment" and guard is Guard.UNKNOWN:
        return {}
    if not warm:
        slots["scream"] = _behaviour_table("scream", family).entries
    return _tables(leaf, slots, guard)


def _colour(family: str, leaf: str, warm: bool) -> Iterable[str]:
    """Sentences of the leaf's behaviours that colour a message without changing what it says."""
    names = (BEHAVIOUR_OF.get(name, name) for name in LEAF_BY_NAME[leaf].responses)
    barred = MOVES | {"scream"} | (_RUDE if warm else frozenset())
    return chain.from_iterable(_behaviour_table(name, family).entries for name in names if name not in barred)
