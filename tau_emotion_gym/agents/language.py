"""A language model as the agent: it reads the conversation, calls tools, and writes to the customer."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from tau_emotion_gym._draw import mix
from tau_emotion_gym.agents.calls import INTERRUPTED, MOST_CALLS, SENT, TOO_MANY, action_of
from tau_emotion_gym.agents.history import History, NativeHistory, TextHistory
from tau_emotion_gym.agents.instructions import digest, template
from tau_emotion_gym.episode import Action, respond
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.kit import Domain, Task
from tau_emotion_gym.llm import NO_USAGE, Call, ChatModel, ChatRequest, Completion, Usage
from tau_emotion_gym.llm.models import ModelSpec, make_model, split_options
from tau_emotion_gym.llm.options import OPTIONS
from tau_emotion_gym.llm.tool_text import tools_prompt

_MODES: dict[str, type[NativeHistory] | type[TextHistory]] = {"native": NativeHistory, "text": TextHistory}
_OWN_OPTIONS = ("tool_mode", "think_tool")
_SEEDS = 0x7FFFFFFF


class LanguageAgent:
    """An agent with a language model behind it; implements `ModelAgent`.

    An answer with tool calls is carried out call by call, in order, and text beside the calls is not sent; an
    answer without calls is the message to the customer, even an empty one. Calls that cannot be read go to the
    episode as they are, which answers with an error; nothing is asked again behind its back.

    Args:
        model: the model, see `make_model`.
        tool_mode: "native", or "text" for models and servers without tool calling.
        think_tool: offer the `think` tool; to be set as in the episode.

    Attributes:
        usage: tokens of the conversation so far.
        asides: number of an action, from 0 → what the model wrote with it and did not send.

    Raises:
        UnknownName: no such tool mode, kind of model or option of one.
        BadOption: an option of the model has a wrong value.
    """

    def __init__(self, model: ModelSpec, *, tool_mode: str = "native", think_tool: bool = False) -> None:
        if tool_mode not in _MODES:
            raise unknown("tool mode", tool_mode, _MODES)
        self._spec = dict(model)
        self._tool_mode = tool_mode
        self._think_tool = think_tool
        self.usage: Usage = NO_USAGE
        self.asides: dict[int, str] = {}
        make_model(self._spec)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation as the model reads it, in the OpenAI format."""
        return self._history.messages

    def describe(self) -> dict[str, Any]:
        """Model, decoding, tool mode and a digest of the prompt, for the log."""
        prompts = [template()] + [tools_prompt([])] * (self._tool_mode == "text")
        return {
            "kind": "language",
            "model": self._model.describe(),
            "tool_mode": self._tool_mode,
            "think_tool": self._think_tool,
            "prompt": digest(*prompts),
        }

    def reset(self, domain: Domain, task: Task, *, seed: int = 0) -> None:
        """Begin a conversation; sampling seeds follow from `seed`, the episode's. The task is not looked at."""
        self._history: History = _MODES[self._tool_mode](domain, think_tool=self._think_tool)
        self._seed = seed
        self._actions = 0
        self._running: Call | None = None
        self._waiting: deque[Call] = deque()
        self._excess: deque[Call] = deque()
        self.usage = NO_USAGE
        self.asides = {}

    def act(self, observation: Mapping[str, str]) -> Action:
        """The next action after a turn.

        Raises:
            ContextOverflow: the conversation no longer fits into the model's context.
            ModelError: no answer could be had.
        """
        if _is_notice(observation):
            return respond("")
        self._hear(observation)
        return self._next() or self._answered(self._model.complete(self._request()))

    async def aact(self, observation: Mapping[str, str]) -> Action:
        """`act` without blocking the event loop."""
        if _is_notice(observation):
            return respond("")
        self._hear(observation)
        return self._next() or self._answered(await self._model.acomplete(self._request()))

    # --- what happens in the conversation -------------------------------------------------------------

    @property
    def _model(self) -> ChatModel:
        return make_model(self._spec)

    def _hear(self, observation: Mapping[str, str]) -> None:
        """Take in a turn: the result of the running call, or a message of the customer, which ends all calls."""
        if observation["role"] == "tool" and self._running is not None:
            self._history.result(self._running, observation["content"])
            if not self._waiting:
                self._refuse(self._excess, TOO_MANY)
        else:
            if self._running is not None:
                self._history.result(self._running, SENT)
            self._refuse(self._waiting, INTERRUPTED)
            self._refuse(self._excess, TOO_MANY)
            self._history.customer(observation["content"])
        self._running = None

    def _refuse(self, calls: deque[Call], why: str) -> None:
        while calls:
            self._history.result(calls.popleft(), why)

    def _request(self) -> ChatRequest:
        seed = mix(self._seed, self._actions, "agent") & _SEEDS
        return ChatRequest(tuple(self._history.messages), self._history.tools, seed)

    def _answered(self, completion: Completion) -> Action:
        """The first action of an answer."""
        self.usage += completion.usage
        answer = self._history.answered(completion)
        beside = (completion.reasoning, answer.text if answer.calls else "")
        if unsent := "\n".join(filter(None, map(str.strip, beside))):
            self.asides[self._actions] = unsent
        self._waiting.extend(answer.calls[:MOST_CALLS])
        self._excess.extend(answer.calls[MOST_CALLS:])
        return self._next() or self._acted(respond(answer.text))

    def _next(self) -> Action | None:
        """The next call that waits."""
        if not self._waiting:
            return None
        self._running = self._waiting.popleft()
        return self._acted(action_of(self._running))

    def _acted(self, action: Action) -> Action:
        self._actions += 1
        return action


def _is_notice(observation: Mapping[str, str]) -> bool:
    """Whether the episode itself speaks, which means that it is over: no model has to be asked any more."""
    return observation["role"] == "tool" and observation["name"] == "episode"


def openai_agent(**options: Any) -> LanguageAgent:
    """An agent whose model is behind an OpenAI-compatible server: the model's options and `LanguageAgent`'s, flat.

    Raises:
        UnknownName, BadOption: as `LanguageAgent`.
    """
    return _flat("openai", options)


def vllm_agent(**options: Any) -> LanguageAgent:
    """An agent whose model vLLM runs in this process: the model's options and `LanguageAgent`'s, flat.

    Raises:
        UnknownName, BadOption: as `LanguageAgent`.
    """
    return _flat("vllm", options)


def _flat(kind: str, options: Mapping[str, Any]) -> LanguageAgent:
    model, own = split_options(kind, options)
    for name in own:
        if name not in _OWN_OPTIONS:
            raise unknown("option of an agent", name, [*_OWN_OPTIONS, *OPTIONS[kind].__struct_fields__])
    return LanguageAgent({"kind": kind, **model}, **own)
