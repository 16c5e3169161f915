"""Conversations as OpenAI messages: all of them, the latest that fit, or what is new."""

from collections.abc import Sequence
from typing import Any

from gymnasium.spaces import Space

from tau_emotion_gym.agents.instructions import instructions
from tau_emotion_gym.envs.chat import answers, blocks
from tau_emotion_gym.envs.codec import Turns
from tau_emotion_gym.envs.codecs.budget import Budget, Counter
from tau_emotion_gym.envs.spaces import MessagesSpace
from tau_emotion_gym.episode import Episode, Turn
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.kit import THINK
from tau_emotion_gym.llm.tool_text import tools_prompt

OBSERVE = ("new", "history")
"""What is shown: the messages to add to the conversation, or the conversation."""

SYSTEM = ("instructions", "policy")
"""The system message: the prompt that the package's own language agents get, with the policy in it, or the policy."""


class Messages(Turns):
    """Shows OpenAI messages; what is common to the codecs for language models.

    With "new", the first observation of an episode is the system message and the customer's opening, and each
    later one holds the messages to append behind the agent's own: the results of its calls, the customer's
    answer. With "history", it is the whole conversation, the agent's messages as they were sent. Appending
    and being shown come to the same: `history == earlier history + [what was sent] + new`.

    Args:
        observe: one of `OBSERVE`.
        system: one of `SYSTEM`.
        tools_in_prompt: describe the tools in the system message, in the Hermes form, for models whose chat
            template takes no tools.
        max_turns, max_tokens, count_tokens: what a history may hold, see `Budget`.

    Raises:
        UnknownName: another word for `observe` or `system`.
        TypeError, ValueError: a budget of the wrong form, or one without a history.
    """

    def __init__(
        self,
        *,
        observe: str = "new",
        system: str = "instructions",
        tools_in_prompt: bool = False,
        max_turns: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Counter | str | None = None,
    ) -> None:
        if observe not in OBSERVE:
            raise unknown("observe", observe, OBSERVE)
        if system not in SYSTEM:
            raise unknown("system", system, SYSTEM)
        self._budget = Budget(max_turns, max_tokens, count_tokens)
        if self._budget.limited and observe == "new":
            raise ValueError("max_turns and max_tokens are of a history; with observe='new' nothing is left out")
        self._news = observe == "new"
        self._system = system
        self._tools_in_prompt = tools_in_prompt

    def observation_space(self) -> Space[Any]:
        """A `MessagesSpace`."""
        return MessagesSpace()

    def show(self, episode: Episode, turns: Sequence[Turn]) -> Any:
        """The messages: new objects at every call."""
        if self._news and episode.sent:
            return answers(episode)
        conversation = blocks(episode.transcript, episode.sent, over=episode.outcome is not None)
        return self._budget.fit(self.prompt(episode), conversation)

    def prompt(self, episode: Episode) -> str:
        """The text of the system message."""
        domain = episode.domain
        text = instructions(domain) if self._system == "instructions" else domain.policy
        if not self._tools_in_prompt:
            return text
        tools = [tool.schema for tool in domain.offered(think_tool=THINK in episode.tools)]
        return f"{text}\n\n{tools_prompt(tools)}"


class ChatHistoryCodec(Messages):
    """The conversation as OpenAI messages, with the policy as the system message; actions stay actions.

    Args:
        system: one of `SYSTEM`.
        max_turns, max_tokens, count_tokens: what it may hold, see `Budget`; everything by default.
    """

    def __init__(
        self,
        *,
        system: str = "policy",
        max_turns: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Counter | str | None = None,
    ) -> None:
        super().__init__(
            observe="history",
            system=system,
            max_turns=max_turns,
            max_tokens=max_tokens,
            count_tokens=count_tokens,
        )
