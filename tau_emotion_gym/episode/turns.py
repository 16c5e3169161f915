"""Turns: the entries of a dialogue."""

from typing import Literal

import msgspec

from tau_emotion_gym.llm import Call


class Turn(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One entry of a transcript.

    Attributes:
        role: "user" (a message of the customer), "agent" (a message to the customer), "call" (a tool call)
            or "tool" (its result).
        name: "user", "respond", or the tool's name; "episode" for a notice that nobody said.
        content: the text; for a call its arguments as JSON.
        thought: what stood in think blocks, or was otherwise no part of the message: the other side never sees it.
        error: True for the result of a call that failed or was malformed, and for a malformed call itself.
    """

    role: Literal["user", "agent", "call", "tool"]
    name: str
    content: str
    thought: str = ""
    error: bool = False

    @property
    def observation(self) -> dict[str, str]:
        """The turn as an agent observes it (roles "user" and "tool" only)."""
        return {"role": self.role, "name": self.name, "content": self.content}


class Sent(msgspec.Struct, frozen=True):
    """A message of the agent as it was sent: maybe several calls, maybe text beside them.

    Attributes:
        at: length of the transcript when it came.
        text: its content; None when there is none.
        calls: its calls in order, each with an id of its own.
        native: whether the calls stand apart from the content; else they are part of it.
        reasoning: reasoning that came apart from the content.
    """

    at: int
    text: str | None
    calls: tuple[Call, ...] = ()
    native: bool = True
    reasoning: str = ""
