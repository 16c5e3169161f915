"""What customers say with each wish: `intents.json`, and the stakes of each story: `stakes.json`."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.kit import Intent, Kind, intent
from tau_emotion_gym.kit.intent import Sampler

Stakes = dict[str, tuple[str, ...]]
"""Emotion family → sentences."""


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences of one intent; `story` names its stakes."""

    story: str
    phrasings: tuple[str, ...]
    fallback: tuple[str, ...] = ()
    insist: tuple[str, ...] = ()


def _decode(name: str, kind: Any) -> Any:
    path = Path(__file__).with_name(name)
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.DecodeError as error:
        raise DataError(f"{path}: {error}") from None


@cache
def _texts() -> dict[str, Texts]:
    found: dict[str, Texts] = _decode("intents.json", dict[str, Texts])
    return found


@cache
def _stakes() -> dict[str, Stakes]:
    found: dict[str, Stakes] = _decode("stakes.json", dict[str, Stakes])
    return found


def wish(
    kind: Kind, *, follows: Sequence[str] = (), weight: int = 1, emergency: bool = False
) -> Callable[[Sampler], Intent]:
    """Decorator: an intent whose sentences stand in the data under the sampler's name."""

    def decorate(sample: Sampler) -> Intent:
        texts = _texts()[sample.__name__]
        return intent(
            kind,
            phrasings=texts.phrasings,
            stakes=_stakes()[texts.story],
            fallback=texts.fallback,
            insist=texts.insist,
            follows=follows,
            weight=weight,
            emergency=emergency,
        )(sample)

    return decorate
