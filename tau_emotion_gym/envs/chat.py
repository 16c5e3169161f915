"""Transcripts and tools in the OpenAI chat-completions format."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from itertools import chain
from typing import Any

from tau_emotion_gym.agents.calls import INTERRUPTED, MOST_CALLS, OVER, SENT, TOO_MANY, UNREADABLE, native_call
from tau_emotion_gym.episode import Episode, Turn
from tau_emotion_gym.episode.turns import Sent
from tau_emotion_gym.kit import Domain
from tau_emotion_gym.llm import Call

Message = dict[str, Any]
"""One chat message with `role` and `content`, and `tool_calls` or `tool_call_id` where they belong."""

Block = list[Message]
"""Messages that belong together: one of the customer, or one of the agent with the results of its calls."""


def function_tools(domain: Domain, *, think_tool: bool = False) -> list[dict[str, Any]]:
    """The tools that an agent is offered, as function definitions: new objects at every call.

    "respond" is none of them: a message to the customer is what a chat model writes when it calls no tool.
    """
    return [deepcopy(tool.schema) for tool in domain.offered(think_tool=think_tool)]


def chat_messages(policy: str, transcript: Iterable[Turn], sent: Sequence[Sent] = ()) -> list[Message]:
    """The conversation for a chat model: new objects at every call.

    The policy is the system message; the customer speaks as "user"; the agent's messages and tool calls
    are "assistant" messages (thoughts left out); each call is followed by its result with the same id.
    Arguments are always the JSON text of an object: a malformed call stands as `{"malformed": its text}`.
    A notice that nobody said (role "tool", name "episode") is a further system message. What the agent
    sent as a whole message (`sent`) stands as such, each of its calls answered, also those that were not run.
    """
    return [{"role": "system", "content": policy}, *chain.from_iterable(blocks(list(transcript), sent))]


def blocks(transcript: Sequence[Turn], sent: Sequence[Sent] = (), *, over: bool = False) -> list[Block]:
    """The conversation in blocks, without a system prompt.

    Args:
        transcript: the turns.
        sent: the messages of the agent that are known as they were sent; the others are made from the turns.
        over: the episode has ended, so that no call will be run any more.
    """
    writer = _Writer()
    messages = iter(sent)
    following = next(messages, None)
    for place, turn in enumerate(transcript):
        while following is not None and following.at <= place:
            writer.send(following)
            following = next(messages, None)
        writer.turn(turn)
    return writer.finished(over)


def answers(episode: Episode) -> list[Message]:
    """What the agent's last message brought about: results of its calls, the customer's answer, notices."""
    last = episode.sent[-1]
    writer = _Writer(earlier=episode.transcript[: last.at])
    writer.send(last)
    for turn in episode.transcript[last.at :]:
        writer.turn(turn)
    return list(chain.from_iterable(writer.finished(episode.outcome is not None)))[1:]


class _Writer:
    """Writes messages turn by turn; what the agent sent stays open until each of its calls is answered.

    Args:
        earlier: turns before the first one that is written.
    """

    def __init__(self, earlier: Sequence[Turn] = ()) -> None:
        self._blocks: list[Block] = []
        self._earlier = earlier
        self._calls = 0
        self._open: Sent | None = None
        self._answered = 0
        self._running = False

    def send(self, sent: Sent) -> None:
        """The agent sent a message."""
        self._close(OVER)
        self._open, self._answered = sent, 0
        self._blocks.append([_assistant(sent)])

    def turn(self, turn: Turn) -> None:
        """A turn, maybe one that the open message brought about."""
        if turn.role == "user":
            self._close(INTERRUPTED)
            self._blocks.append([{"role": "user", "content": turn.content}])
        elif turn.role == "agent":
            self._said(turn.content)
        elif turn.role == "call":
            self._calls += 1
            self._running = True
            if not self._waiting:
                self.send(Sent(0, None, (Call(self._made_id(), turn.name, turn.content),)))
        elif self._running:
            self._running = False
            self._answer(turn.content)
        else:
            self._close(OVER)
            self._notice({"role": "system", "content": turn.content})

    def finished(self, over: bool) -> list[Block]:
        """All blocks; calls not run are answered where it is sure that they will not be."""
        if over or self._answered >= MOST_CALLS:
            self._close(OVER)
        return self._blocks

    @property
    def _waiting(self) -> bool:
        return self._open is not None and self._answered < len(self._open.calls)

    def _made_id(self) -> str:
        """The id of the call that was written last, by its number in the conversation."""
        return f"call_{self._calls + sum(turn.role == 'call' for turn in self._earlier)}"

    def _said(self, text: str) -> None:
        """A message to the customer: the open message itself, one of its calls, or one that nobody noted."""
        if self._waiting:
            self._answer(SENT)
        elif self._open is None or self._open.calls:
            self.send(Sent(0, text))

    def _notice(self, message: Message) -> None:
        """A notice belongs to what went before."""
        if self._blocks:
            self._blocks[-1].append(message)
        else:
            self._blocks.append([message])

    def _answer(self, content: str) -> None:
        assert self._open is not None
        call = self._open.calls[self._answered]
        by = {"tool_call_id": call.id} if self._open.native else {"name": call.name or UNREADABLE}
        self._blocks[-1].append({"role": "tool", **by, "content": content})
        self._answered += 1

    def _close(self, why: str) -> None:
        while self._waiting:
            self._answer(TOO_MANY if self._answered >= MOST_CALLS else why)
        self._open = None


def _assistant(sent: Sent) -> Message:
    message: Message = {"role": "assistant", "content": sent.text}
    if sent.reasoning:
        message["reasoning_content"] = sent.reasoning
    if sent.calls and sent.native:
        message["tool_calls"] = [native_call(call) for call in sent.calls]
    return message
