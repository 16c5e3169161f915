"""What the codecs for language models have in common when they read an action."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from tau_emotion_gym.episode import Action, Episode
from tau_emotion_gym.episode.actions import Malformed, shown, split_thought
from tau_emotion_gym.episode.turns import Sent
from tau_emotion_gym.llm import Call

UNREAD = "action"
"""The name of what is no message, in histories."""


def carried_out(actions: Sequence[Action], beside: str, reasoning: str = "") -> list[Action]:
    """The actions of one message, at least one; what stood beside them is the first one's thought."""
    text, thought = split_thought(beside)
    kept = "\n".join(filter(None, (reasoning, thought, text.strip())))
    first: Action = {**actions[0], "thought": kept} if kept else actions[0]
    return [first, *actions[1:]]


def refused(episode: Episode, action: Any, problem: str, *, native: bool) -> tuple[Malformed]:
    """An action that is no message: noted, and to become an error turn that states the problem."""
    text = shown(action)
    call = Call(next(made_ids(episode)), UNREAD, text)
    episode.sent.append(Sent(len(episode.transcript), None if native else text, (call,), native=native))
    return (Malformed("", text, problem),)


def made_ids(episode: Episode) -> Iterator[str]:
    """Ids for calls that come without one."""
    earlier = sum(len(sent.calls) for sent in episode.sent)
    return (f"call_{number}" for number in count(earlier + 1))
