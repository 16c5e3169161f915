"""The own sentences of the reference agent and of its careless relatives."""

from importlib.resources import files

import msgspec


class Lines(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"otherwise": "else"}):
    """Sentences by what they do; each list is one draw."""

    greet: tuple[str, ...]
    acknowledge: tuple[str, ...]
    refuse_again: tuple[str, ...]
    shall_i: tuple[str, ...]
    otherwise: tuple[str, ...]
    close: tuple[str, ...]
    failed: tuple[str, ...]
    forbidden: tuple[str, ...]
    claim: tuple[str, ...]
    give_up: tuple[str, ...]


LINES = msgspec.json.decode(files("tau_emotion_gym.agents").joinpath("lines.json").read_bytes(), type=Lines)
