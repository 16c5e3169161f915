"""The reference agent's own sentences."""

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


_LINES = msgspec.json.decode(files("tau_emotion_gym.agents").joinpath("lines.json").read_bytes(), type=Lines)

GREET = _LINES.greet
ACKNOWLEDGE = _LINES.acknowledge
REFUSE_AGAIN = _LINES.refuse_again
SHALL_I = _LINES.shall_i
ELSE = _LINES.otherwise
CLOSE = _LINES.close
