"""What customers say with each wish, read from `intents.json`."""

from importlib.resources import files
from typing import Any

import msgspec


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The sentences of one intent, as `kit.intent` takes them."""

    phrasings: tuple[str, ...]
    stakes: dict[str, tuple[str, ...]]
    fallback: tuple[str, ...] = ()
    insist: tuple[str, ...] = ()


_TEXTS = msgspec.json.decode(
    files("tau_emotion_gym.domains.retail").joinpath("intents.json").read_bytes(), type=dict[str, Texts]
)


def texts(name: str) -> dict[str, Any]:
    """The keyword arguments of `kit.intent` for the intent of this name."""
    return msgspec.structs.asdict(_TEXTS[name])
