"""The scripted user's plain sentences, before any voice."""

from importlib.resources import files

import msgspec


class Lines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences by what they do; each list is one draw."""

    also: tuple[str, ...]
    yes: tuple[str, ...]
    no: tuple[str, ...]
    not_asked: tuple[str, ...]
    insist: tuple[str, ...]
    what: tuple[str, ...]
    accept: tuple[str, ...]
    rest: tuple[str, ...]
    next: tuple[str, ...]
    done: tuple[str, ...]
    decline: tuple[str, ...]
    done_refused: tuple[str, ...]
    hand_off: tuple[str, ...]
    wait: tuple[str, ...]
    still: tuple[str, ...]
    do_not_know: tuple[str, ...]


LINES = msgspec.json.decode(files("tau_emotion_gym.users").joinpath("lines.json").read_bytes(), type=Lines)
