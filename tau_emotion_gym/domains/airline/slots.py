"""How people ask for and give each detail, read from `slots.json`."""

from pathlib import Path

import msgspec

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.kit import Slot


def _load(path: Path) -> tuple[Slot, ...]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[Slot, ...])
    except msgspec.DecodeError as error:
        raise DataError(f"{path}: {error}") from None


SLOTS = _load(Path(__file__).with_name("slots.json"))
