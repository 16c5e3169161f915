"""The conversation as a language model reads it: with native tool calls, or with tools in plain text.

Messages are in the OpenAI format and are only ever added, with one exception, the one that the templates of
thinking models make themselves: what the model thought stays while it works with its tools, and is taken out of
the history when the customer has written again.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from tau_emotion_gym.agents.calls import native_call
from tau_emotion_gym.agents.instructions import instructions
from tau_emotion_gym.episode.actions import clean, split_thought
from tau_emotion_gym.kit import Domain
from tau_emotion_gym.llm import Call, Completion, Message
from tau_emotion_gym.llm.tool_text import parse_tool_text, render_call, tools_prompt


class Answer(NamedTuple):
    """What a model answered.

    Attributes:
        text: what it wrote, think blocks included, without its calls.
        calls: its calls, each with an id of its own.
    """

    text: str
    calls: tuple[Call, ...]


class History(Protocol):
    """One conversation from the model's side.

    Attributes:
        messages: all so far, the system prompt first.
        tools: function definitions to be offered natively.
    """

    messages: list[Message]
    tools: Sequence[dict[str, Any]]

    def customer(self, text: str) -> None:
        """The customer wrote."""
        ...

    def answered(self, completion: Completion) -> Answer:
        """The model answered."""
        ...

    def result(self, call: Call, content: str) -> None:
        """The result of one of the calls in the model's last answer; they come in the order of the calls."""
        ...


class NativeHistory:
    """Tools are offered natively, and results come as messages with the role "tool".

    Calls that stand in the text, since the server does not read them off, count as native ones.
    """

    def __init__(self, domain: Domain, *, think_tool: bool) -> None:
        self.messages: list[Message] = [{"role": "system", "content": instructions(domain)}]
        self.tools: Sequence[dict[str, Any]] = _schemas(domain, think_tool=think_tool)
        self._ids: set[str] = set()

    def customer(self, text: str) -> None:
        """The customer wrote."""
        _forget_thoughts(self.messages)
        self.messages.append({"role": "user", "content": text})

    def answered(self, completion: Completion) -> Answer:
        """The model answered."""
        text, calls = clean(completion.text), completion.calls
        if not calls:
            text, calls = parse_tool_text(text)
        calls = tuple(self._with_own_id(call) for call in calls)
        self.messages.append({"role": "assistant", "content": text})
        if calls:
            self.messages[-1] |= {"content": text or None, "tool_calls": [native_call(call) for call in calls]}
        return Answer(text, calls)

    def result(self, call: Call, content: str) -> None:
        """The result of one of the calls in the model's last answer."""
        self.messages.append({"role": "tool", "tool_call_id": call.id, "content": content})

    def _with_own_id(self, call: Call) -> Call:
        """The call with the model's id, or with a new one where that is missing or taken."""
        own = clean(call.id)
        if not own or own in self._ids:
            own = f"call{len(self._ids):05d}"
        self._ids.add(own)
        return Call(own, clean(call.name), clean(call.arguments))


class TextHistory:
    """Tools stand in the system prompt, calls in the model's text, results in the next user message."""

    def __init__(self, domain: Domain, *, think_tool: bool) -> None:
        prompt = tools_prompt(_schemas(domain, think_tool=think_tool))
        self.messages: list[Message] = [{"role": "system", "content": f"{instructions(domain)}\n\n{prompt}"}]
        self.tools: Sequence[dict[str, Any]] = ()

    def customer(self, text: str) -> None:
        """The customer wrote."""
        _forget_thoughts(self.messages)
        self._add(text)

    def answered(self, completion: Completion) -> Answer:
        """The model answered; its text stays as it wrote it."""
        written = "\n".join(filter(None, [clean(completion.text), *map(render_call, completion.calls)]))
        self.messages.append({"role": "assistant", "content": written})
        return Answer(*parse_tool_text(written))

    def result(self, call: Call, content: str) -> None:
        """The result of one of the calls in the model's last answer."""
        self._add(f"<tool_response>\n{content}\n</tool_response>")

    def _add(self, text: str) -> None:
        """Put a text into the user message that the model reads next."""
        if self.messages[-1]["role"] == "user":
            self.messages[-1] = {"role": "user", "content": f"{self.messages[-1]['content']}\n{text}"}
        else:
            self.messages.append({"role": "user", "content": text})


def _schemas(domain: Domain, *, think_tool: bool) -> tuple[dict[str, Any], ...]:
    return tuple(tool.schema for tool in domain.offered(think_tool=think_tool))


def _forget_thoughts(messages: list[Message]) -> None:
    """Take think blocks out of the model's answers since the customer's last message."""
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if message["role"] == "assistant" and message["content"]:
            text, thought = split_thought(message["content"])
            if thought:
                messages[at] = message | {"content": text if text or "tool_calls" not in message else None}
        elif message["role"] == "user" and not message["content"].startswith("<tool_response>"):
            return
