"""Raw completions as actions: text to the customer, or tool calls in any of the usual notations."""

from collections.abc import Sequence
from typing import Any

from gymnasium.spaces import Space

from tau_emotion_gym.agents.calls import MOST_CALLS, action_of
from tau_emotion_gym.envs.codecs.history import Messages
from tau_emotion_gym.envs.codecs.sending import carried_out, refused
from tau_emotion_gym.envs.codecs.spaces import CompletionSpace
from tau_emotion_gym.envs.spaces import ActionSpace
from tau_emotion_gym.episode import Episode, respond
from tau_emotion_gym.episode.actions import clean, kind_of
from tau_emotion_gym.episode.turns import Sent
from tau_emotion_gym.llm.tool_text import parse_tool_text, without_end_tokens

_WANTED = "an action is the text that a model wrote, not "


class ModelTextCodec(Messages):
    """The action is what a model wrote, as it stands; observations are messages (see `Messages`).

    The calls in it (as `tau_emotion_gym.llm.tool_text` reads them) are carried out in order, at most
    `MOST_CALLS`; a text without calls goes to the customer, think blocks taken out. A broken call becomes an
    error turn. Text beside calls is not sent: it stands in the transcript as the first call's thought. In
    the history the completion stands as it was written, without end tokens, so that it can be tokenised again.
    """

    def action_space(self, actions: ActionSpace) -> Space[Any]:
        """A `CompletionSpace`."""
        return CompletionSpace(actions)

    def read(self, episode: Episode, action: Any) -> Sequence[Any]:
        """The calls, or the message to the customer."""
        if not isinstance(action, str):
            return refused(episode, action, _WANTED + kind_of(action), native=False)
        text = clean(action)
        found = parse_tool_text(text)
        written = without_end_tokens(text)
        episode.sent.append(Sent(len(episode.transcript), written, found.calls, native=False))
        if not found.calls:
            return (respond(found.text),)
        return carried_out([action_of(call) for call in found.calls[:MOST_CALLS]], found.text)
