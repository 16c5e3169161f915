"""Persona: instructions for an LLM that plays the user, in the condition's voice.

Each instruction is put together from this project's own phrases (`phrases.json`): the frame with
the names of leaf and family, how the leaf feels and shows (after the responses the Atlas gives it),
manner, urgency, trust, the stake, and the rule that facts and objective never change. The seed
chooses each phrase independently, so a condition has tens of thousands of wordings. Every part
names its own label and no part names another leaf or level.
"""

from functools import cache

import msgspec

from tau_emotion_gym._draw import pick
from tau_emotion_gym.emotions._tables import read_table
from tau_emotion_gym.emotions.conditions import EmotionCondition
from tau_emotion_gym.emotions.taxonomy import LEAF_BY_NAME, POLITENESS, TRUST, URGENCY
from tau_emotion_gym.errors import DataError


class _LeafPhrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    feel: tuple[str, ...]
    show: tuple[str, ...]


class _Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    frame: tuple[str, ...]
    neutral_frame: tuple[str, ...]
    stake: tuple[str, ...]
    neutral_stake: tuple[str, ...]
    voice: tuple[str, ...]
    neutral_voice: tuple[str, ...]
    steady: tuple[str, ...]
    neutral_steady: tuple[str, ...]
    politeness: dict[str, tuple[str, ...]]
    urgency: dict[str, tuple[str, ...]]
    trust: dict[str, tuple[str, ...]]
    leaves: dict[str, _LeafPhrases]


@cache
def _phrases() -> _Phrases:
    table = read_table("phrases.json", _Phrases)
    keys = (table.leaves, LEAF_BY_NAME), (table.politeness, POLITENESS), (table.urgency, URGENCY)
    for found, expected in (*keys, (table.trust, TRUST)):
        if list(found) != list(expected):
            raise DataError(f"phrases.json: expected the keys {list(expected)}, found {list(found)}")
    return table


def persona(condition: EmotionCondition | None, seed: int, stake: str = "") -> str:
    """Instructions, in the second person, for an LLM that plays a user with this condition.

    Args:
        condition: the condition; None gives a customer in an even mood, with no word of emotion.
        seed: chooses the wording; the same seed gives the same text.
        stake: why this customer feels this way, as a sentence or two; "" leaves it out.
    """
    phrases = _phrases()
    if condition is None:
        parts = [
            pick(phrases.neutral_frame, seed, 0, "persona frame"),
            _stake(phrases.neutral_stake, stake, seed),
            pick(phrases.neutral_voice, seed, 0, "persona voice"),
            pick(phrases.neutral_steady, seed, 0, "persona steady"),
        ]
    else:
        leaf = phrases.leaves[condition.leaf]
        frame = pick(phrases.frame, seed, 0, "persona frame")
        parts = [
            frame.format(leaf=condition.leaf, family=condition.family),
            pick(leaf.feel, seed, 0, "persona feel"),
            _stake(phrases.stake, stake, seed),
            pick(leaf.show, seed, 0, "persona show"),
            pick(phrases.politeness[condition.politeness], seed, 0, "persona politeness"),
            pick(phrases.urgency[condition.urgency], seed, 0, "persona urgency"),
            pick(phrases.trust[condition.trust], seed, 0, "persona trust"),
            pick(phrases.voice, seed, 0, "persona voice"),
            pick(phrases.steady, seed, 0, "persona steady"),
        ]
    return "\n".join(part for part in parts if part)


def _stake(templates: tuple[str, ...], stake: str, seed: int) -> str:
    """The sentence that says why; the stake is put in as it is, braces and all."""
    return pick(templates, seed, 0, "persona stake").replace("{stake}", stake.strip()) if stake else ""
