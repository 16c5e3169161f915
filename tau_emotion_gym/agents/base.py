"""The protocol of an agent, and agents by name."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from inspect import signature
from typing import Any, Protocol, runtime_checkable

from tau_emotion_gym._specs import kind_and_options, target_of
from tau_emotion_gym.episode import Action
from tau_emotion_gym.errors import UnknownName, unknown
from tau_emotion_gym.kit import Domain, Task
from tau_emotion_gym.llm import Usage


class Agent(Protocol):
    """Plays one conversation after another."""

    def reset(self, domain: Domain, task: Task) -> None:
        """Begin a conversation. Only the reference agent and its relatives may look at the task."""
        ...

    def act(self, observation: Mapping[str, str]) -> Action:
        """The next action after a turn ({"role", "name", "content"})."""
        ...


@runtime_checkable
class ModelAgent(Protocol):
    """An agent with a language model behind it: one object per conversation, the model shared.

    Attributes:
        usage: tokens of the conversation so far.
        asides: number of an action, from 0 → what the model wrote with it and did not send: reasoning, and
            text beside tool calls.
    """

    usage: Usage
    asides: dict[int, str]

    def reset(self, domain: Domain, task: Task, *, seed: int = 0) -> None:
        """Begin a conversation; sampling seeds follow from `seed`, the episode's."""
        ...

    def act(self, observation: Mapping[str, str]) -> Action:
        """The next action after a turn.

        Raises:
            ContextOverflow: the conversation no longer fits into the model's context.
            ModelError: no answer could be had.
        """
        ...

    async def aact(self, observation: Mapping[str, str]) -> Action:
        """`act` without blocking the event loop."""
        ...

    def describe(self) -> dict[str, Any]:
        """Model, decoding and prompt as JSON-able values, for the log."""
        ...


AgentSpec = str | Mapping[str, Any]
"""An agent by name, as "module:callable", or as a JSON-able mapping with the name under "kind" and the
callable's keyword arguments beside it: `{"kind": "openai", "model": …, "base_url": …}`."""

_AGENTS = {
    "reference": "reference:ReferenceAgent",
    "friction": "friction:FrictionAgent",
    "first_match": "careless:FirstMatchAgent",
    "policy_ignorant": "careless:PolicyIgnorantAgent",
    "no_fallback": "careless:NoFallbackAgent",
    "wrong_order": "careless:WrongOrderAgent",
    "null": "baselines:NullAgent",
    "refuse_all": "baselines:RefuseAllAgent",
    "transfer_only": "baselines:TransferOnlyAgent",
}

_MODEL_AGENTS = {
    "openai": "language:openai_agent",
    "vllm": "language:vllm_agent",
    "llm": "language:LanguageAgent",
}

_INTERVENTIONS = {
    "capped": "interventions:capped_agent",
    "forced": "interventions:forced_agent",
    "bundled": "interventions:bundled_agent",
    "split": "interventions:split_agent",
}
"""Agents around another one, which stands under "agent"."""


def agent_names() -> list[str]:
    """The names of the agents that need no model."""
    return list(_AGENTS)


def make_agent(spec: AgentSpec) -> Agent:
    """A fresh agent as the configuration says.

    Raises:
        UnknownName: no agent of that name exists, or the module has no such callable.
        TypeError: the specification is neither a name nor a mapping with "kind".
    """
    found = kind_and_options(spec)
    if found is None:
        raise TypeError(f"an agent is a name, 'module:callable', or a mapping with 'kind'; not {spec!r:.80}")
    kind, options = found
    built_in = _AGENTS.get(kind) or _MODEL_AGENTS.get(kind) or _INTERVENTIONS.get(kind)
    target = target_of("agent", kind, f"{__package__}.{built_in}" if built_in else kind)
    if target is None:
        error = unknown("agent", kind, [*_AGENTS, *_MODEL_AGENTS, *_INTERVENTIONS])
        raise UnknownName(f"{error}; a model needs its kind, openai or vllm: on the command line openai:MODEL")
    made: Agent = target(**options)
    return made


def takes_seed(agent: Agent | ModelAgent) -> bool:
    """Whether an agent's `reset` takes the episode's seed."""
    return _takes_seed(getattr(agent.reset, "__func__", agent.reset))


@lru_cache(maxsize=64)
def _takes_seed(reset: Callable[..., None]) -> bool:
    """A memo, since reading a signature takes as long as a reset."""
    return "seed" in signature(reset).parameters


def begin(agent: Agent | ModelAgent, domain: Domain, task: Task, seed: int) -> None:
    """Begin a conversation; an agent that takes a seed gets the episode's."""
    if takes_seed(agent):
        agent.reset(domain, task, seed=seed)  # type: ignore[call-arg]
    else:
        agent.reset(domain, task)
