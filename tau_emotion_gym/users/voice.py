"""How a customer under a condition sounds.

The dialogue decides *what* is said: the core, plain sentences that stay in the text verbatim. A
`Voice` decides how it sounds around them: the feeling in the leaf's own words, markers of politeness,
urgency and trust, the Atlas's responses, remarks on what the agent just did. Not every part is in
every message: each act has shapes (`phrases/shapes.json`) that a customer goes through.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache

import msgspec

from tau_emotion_gym._draw import mix
from tau_emotion_gym.emotions.affect import Affect
from tau_emotion_gym.emotions.conditions import EmotionCondition
from tau_emotion_gym.emotions.taxonomy import LEAF_BY_NAME
from tau_emotion_gym.users.phrases import books, conflicts, slots
from tau_emotion_gym.users.phrases.books import Guard
from tau_emotion_gym.users.phrases.table import Table


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
    FALTER = "falter"

    __hash__ = str.__hash__


_GUARDS: dict[Act, Guard] = {
    Act.OPENING: Guard.WISH,
    Act.NEXT_WISH: Guard.WISH,
    Act.ANSWER: Guard.ANSWER,
    Act.FALTER: Guard.FALTER,
    Act.INSIST: Guard.INSIST,
    Act.CONFIRM_YES: Guard.YES,
    Act.CONFIRM_NO: Guard.NO,
    Act.UNKNOWN: Guard.UNKNOWN,
    Act.ACCEPT_REFUSAL: Guard.ACCEPT,
    Act.THANKS_BYE: Guard.END,
    Act.LEAVE_ANGRY: Guard.END,
}

_CONFIRMATIONS: frozenset[Act] = frozenset({Act.CONFIRM_YES, Act.CONFIRM_NO})
_SILENT_ON_EVENTS: frozenset[Act] = frozenset({Act.OPENING, Act.UNKNOWN, Act.FALTER, Act.THANKS_BYE}) | _CONFIRMATIONS
_NEVER_EASED: frozenset[Act] = frozenset(
    {Act.OPENING, Act.FALTER, Act.CONFIRM_NO, Act.INSIST, Act.ACCEPT_REFUSAL, Act.FALLBACK}
) | {Act.THANKS_BYE, Act.LEAVE_ANGRY}
_REFUSALS: frozenset[str] = frozenset({"refusal_with_reason", "refusal_without_reason"})

_FEELING_SLOTS: frozenset[str] = frozenset({"lead", "aside", "behave", "agreed", "contest", "jab", "cheer"})
_TOLD_SLOTS: frozenset[str] = frozenset({"jab", "cheer"})
"""After a wish they answer to the reason that was given for it."""

_SOURING_SLOTS: frozenset[str] = frozenset({"jab", "contest", "scream"})
"""Beside them nobody says that they trust the agent."""

_IN_DANGER = slots.shape_table("danger", ("core stake",))

_UNCALM_SLOTS: frozenset[str] = _FEELING_SLOTS | {"before", "refused"}

_SHOUTED_SLOTS: frozenset[str] = frozenset({"behave", "jab"})

_LOUD = 6.0
_QUIET = 4.0
_SPOILT = 0.35
_UNIT = 1 << 64
_IRKED, _EASED, _TAKEN_UP = 180, 132, 60
"""How often, of 256 times, an event, an acknowledgement and the words of a refusal are remarked on."""

_ENDS = ".!?…:"


class _Desk:
    """Everything one act needs: its shapes, the phrases for their slots, what it says by itself.

    `calm` are the shapes beside a word of thanks for an acknowledgement, `irked` those beside a remark on
    what the agent did. `own` is None where a message without a core is complete: a farewell always says
    that it is one (slot `exit`).
    """

    __slots__ = ("calm", "curt", "eased", "events", "full", "irked", "own", "tables")

    def __init__(self, condition: EmotionCondition | None, act: Act) -> None:
        row = books.shapes()[act]
        own = slots.own_words(act, condition.politeness if condition else "neutral")
        self.full = slots.shape_table(f"{act}/full", row.full if condition else row.plain)
        self.curt = slots.shape_table(f"{act}/curt", row.curt if condition else row.plain)
        self.calm = _calm_shapes(act)
        self.irked = slots.shape_table(f"{act}/irked", row.irked) if row.irked else self.calm
        self.own = None if act is Act.LEAVE_ANGRY else own
        guard = _GUARDS.get(act, Guard.PLAIN)
        self.tables = {**slots.slot_tables(condition, guard), "exit": own}
        self.eased = None if act in _NEVER_EASED else self.tables.get("eased")
        self.events: Mapping[str, Table[str]] = (
            {}
            if condition is None or act in _SILENT_ON_EVENTS
            else slots.event_tables(condition.family, condition.politeness, condition.trust, guard)
        )


class _Mood(msgspec.Struct, frozen=True):
    """How one message sounds: the slot of its lead-ins ("" for no word of feeling), whether it shouts, and
    whether it begins with a complaint."""

    lead: str
    loud: bool
    soured: bool


class Voice:
    """The voice of one condition; None is the neutral customer: plain, civil, to the point.

    Stateless: the same arguments always give the same text. `behaviours` are the Atlas's responses of
    the condition's leaf (none for neutral).
    """

    __slots__ = (
        "_curt",
        "_desks",
        "_falls",
        "_levels",
        "_low",
        "_salt",
        "_shouts",
        "_span",
        "behaviours",
        "condition",
    )

    def __init__(self, condition: EmotionCondition | None) -> None:
        self.condition = condition
        low, high = LEAF_BY_NAME[condition.leaf].intensity if condition else (0, 0)
        self.behaviours: frozenset[str] = frozenset(slots.behaviours_of(condition.leaf) if condition else ())
        self._low, self._span = low, high - low
        self._falls = condition is not None and condition.family == "enjoyment"
        self._salt = (condition.index + 1) << 40 if condition else 0
        self._curt = _curtness(self.behaviours, condition)
        self._levels = {"urgency": condition.urgency, "trust": condition.trust} if condition else {}
        self._desks: dict[Act, _Desk] = {}
        self._shouts = "scream" in self._desk(Act.ANSWER).tables

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
        danger: bool = False,
    ) -> str:
        """One message: `core` verbatim, dressed in this voice.

        Args:
            act: what the message does.
            core: plain sentences with wishes and facts; "" lets the act speak for itself.
            seed: the episode's seed.
            turn: the turn of the message in its episode.
            affect: how the customer feels now; falling satisfaction raises the intensity.
            stake: why they feel it, said after a wish (opening and next wish).
            acknowledged: whether the agent just acknowledged the feeling.
            events: what the agent's last turn did, by name (`emotions.affect.Event`), in the order in
                which the customer would remark on them.
            danger: whether somebody is in danger: then the wish comes without ado.
        """
        desk = self._desks.get(act) or self._desk(act)
        key = self._key(seed)
        dice = mix(key, turn, act)
        if not core and desk.own is not None:
            core = desk.own.at(key, turn)
        draw = (dice >> 32) & 255
        shapes = desk.curt if dice & 255 < self._curt else desk.full
        remark, soured = "", False
        if events and (complaints := _complaints(desk, events, draw)) is not None:
            shapes = desk.irked
            remark = complaints.at(key, turn) if draw < _IRKED else ""
            soured = bool(remark)
        elif acknowledged and desk.eased is not None and draw < _EASED and _REFUSALS.isdisjoint(events):
            remark = desk.eased.at(key, turn)
            shapes = desk.calm
        if danger and "stake" in shapes.at(key, turn):
            shapes = _IN_DANGER
        lead, loud = self._mood(key, affect, dice)
        mood = _Mood(lead, loud, soured)
        said = [remark] if remark and act not in _CONFIRMATIONS else []
        parts = self._fill(desk.tables, shapes.at(key, turn), core, stake, mood, said, key, turn)
        if remark and act in _CONFIRMATIONS:
            parts.append(remark)
        return _joined(parts)

    def behave(self, name: str, *, seed: int, turn: int) -> str:
        """One sentence that shows the behaviour `name`.

        Raises:
            UnknownName: no such behaviour.
        """
        family = self.condition.family if self.condition else ""
        return slots.behaviour_table(name, family).at(self._key(seed), turn)

    def intensity(self, seed: int, affect: Affect | None = None) -> float:
        """Strength of the feeling on the Atlas's scale of 1 to 10 (0 for neutral).

        The seed places it within the leaf's range. Falling satisfaction drives it to the upper end,
        for enjoyment to the lower end.
        """
        return self._low + self._span * self._place(self._key(seed), affect)

    def _desk(self, act: Act) -> _Desk:
        """What an act needs, made when it is first spoken: a customer comes to a third of all acts."""
        desk = self._desks[act] = _Desk(self.condition, act)
        return desk

    def _key(self, seed: int) -> int:
        """64 mixed bits that stand for this customer in this episode."""
        return _key_of(seed + self._salt)

    def _place(self, key: int, affect: Affect | None) -> float:
        """Where in the leaf's range the intensity lies, from 0 to 1."""
        place = key / _UNIT
        if affect is None:
            return place
        if self._falls:
            return place * (0.4 + 0.6 * affect.satisfaction)
        return 1 - (1 - place) * (0.5 + 0.5 * affect.satisfaction)

    def _mood(self, key: int, affect: Affect | None, dice: int) -> tuple[str, bool]:
        """The slot of lead-ins for this message ("" for no word of feeling), and whether to shout.

        Weak feelings are often left out, and so is joy that the conversation has spoilt.
        """
        place = self._place(key, affect)
        intensity = self._low + self._span * place
        if (dice >> 24) & 255 < (_QUIET - intensity) * 24:
            return "", False
        if self._falls and affect is not None and affect.satisfaction < _SPOILT:
            return "", False
        loud = self._shouts and intensity >= _LOUD and (dice >> 16) & 255 < 90
        return ("strong" if place * 256 > 64 + ((dice >> 8) & 127) else "mild"), loud

    def _fill(
        self,
        tables: Mapping[str, Table[str]],
        shape: tuple[str, ...],
        core: str,
        stake: str,
        mood: _Mood,
        said: Sequence[str],
        key: int,
        turn: int,
    ) -> list[str]:
        """The parts of a message of this shape that begins with what was `said`."""
        parts, levels = list(said), self._levels
        soured = mood.soured
        for slot in shape:
            if slot == "core" or slot == "stake":
                given = core if slot == "core" else stake
                if given:
                    parts.append(given)
                continue
            told = bool(stake) or "stake" not in shape
            if slot in _FEELING_SLOTS:
                slot = _felt(slot, mood, told)
            elif slot in levels:
                slot = conflicts.fitting(slot, levels[slot], " ".join(parts), soured=soured)
            table = tables.get(slot)
            if table is None:
                continue
            text = table.at(key, turn)
            if slot == "civil" and conflicts.repeats(text, " ".join(parts)):
                continue
            soured = soured or slot in _SOURING_SLOTS
            parts.append(text.upper() if mood.loud and slot == "strong" else text)
        return parts


def _felt(slot: str, mood: _Mood, told: bool) -> str:
    """The slot of a word of feeling in this mood; "" where there is none."""
    if not mood.lead or (slot in _TOLD_SLOTS and not told):
        return ""
    if slot == "lead":
        return mood.lead
    return "scream" if mood.loud and slot in _SHOUTED_SLOTS else slot


def _joined(parts: list[str]) -> str:
    """The parts as sentences; one that is a bare value ("ana@example.com") gets a full stop."""
    for at in range(len(parts) - 1):
        if parts[at][-1] not in _ENDS:
            parts[at] += "."
    return " ".join(parts)


@lru_cache(maxsize=1024)
def _key_of(customer: int) -> int:
    """A memo: it is asked for with every message of a customer."""
    return mix(customer, 0, "voice")


@cache
def voice(condition: EmotionCondition | None) -> Voice:
    """The voice of a condition, made once per process."""
    return Voice(condition)


def _complaints(desk: _Desk, events: Sequence[str], draw: int) -> Table[str] | None:
    """Remarks on the first event of the agent's making that this customer minds; None if there is none.

    To a refusal a customer mostly says what it feels (slot `refused`), not that it has heard one.
    """
    for event in events:
        table = desk.events.get(event)
        if table is not None and (draw < _TAKEN_UP or event not in _REFUSALS):
            return table
    return None


def _curtness(behaviours: frozenset[str], condition: EmotionCondition | None) -> int:
    """How often, of 256 messages, the customer is curt."""
    if condition is None:
        return 0
    reserved = 90 if behaviours & {"withdraw", "suppress"} else 16
    return reserved + {"warm": 0, "neutral": 12, "cold": 32}[condition.politeness]


@cache
def _calm_shapes(act: Act) -> Table[tuple[str, ...]]:
    if act in _CONFIRMATIONS:
        return slots.shape_table(f"{act}/calm", ("core",))
    row = books.shapes()[act]
    calm = [line for line in row.full + row.curt if not _UNCALM_SLOTS & set(line.split())]
    return slots.shape_table(f"{act}/calm", tuple(dict.fromkeys(calm)))
