"""How people ask for and give each detail, read from `slots.json`."""

from importlib.resources import files

import msgspec

from tau_emotion_gym.kit import Slot

SLOTS = msgspec.json.decode(files(__package__).joinpath("slots.json").read_bytes(), type=tuple[Slot, ...])
