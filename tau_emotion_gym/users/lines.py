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


_LINES = msgspec.json.decode(files("tau_emotion_gym.users").joinpath("lines.json").read_bytes(), type=Lines)

ALSO = _LINES.also
YES = _LINES.yes
NO = _LINES.no
NOT_ASKED = _LINES.not_asked
INSIST = _LINES.insist
ACCEPT = _LINES.accept
REST = _LINES.rest
NEXT = _LINES.next
DONE = _LINES.done
DECLINE = _LINES.decline
DONE_REFUSED = _LINES.done_refused
HAND_OFF = _LINES.hand_off
WAIT = _LINES.wait
STILL = _LINES.still
DO_NOT_KNOW = _LINES.do_not_know
