"""What the scripted user remembers between its replies."""

import msgspec


class Memory(msgspec.Struct, array_like=True, omit_defaults=True):
    """The scripted user's view of the conversation so far; it travels as JSON in the requests.

    Attributes:
        revealed: how many wishes it has brought up.
        closed: bit i set: wish i is done, told, or given up.
        fallen: bit i set: for wish i the second best was taken.
        insisted: per wish, how often it has insisted.
        claimed: names of the actions that the agent has said are done.
        hesitated, froze, avoided: the one-off behaviours already shown.
        withdrew: how often only part of an answer was given.
    """

    revealed: int = 0
    closed: int = 0
    fallen: int = 0
    insisted: list[int] = []
    claimed: list[str] = []
    hesitated: bool = False
    froze: bool = False
    avoided: bool = False
    withdrew: int = 0


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Memory)


def remember(memory: Memory) -> str:
    """The memory as the JSON that goes into a reply."""
    return _encoder.encode(memory).decode()


def recall(text: str) -> Memory:
    """The memory of an earlier reply; a fresh one for the empty text."""
    return _decoder.decode(text) if text else Memory()
