"""The protocol of an agent, and agents by name."""

import importlib
from collections.abc import Mapping
from typing import Protocol

from tau_emotion_gym.episode import Action
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.kit import Domain, Task


class Agent(Protocol):
    """Plays one conversation after another."""

    def reset(self, domain: Domain, task: Task) -> None:
        """Begin a conversation. Only the reference agent and its relatives may look at the task."""
        ...

    def act(self, observation: Mapping[str, str]) -> Action:
        """The next action after a turn ({"role", "name", "content"})."""
        ...


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


def agent_names() -> list[str]:
    """The names that `make_agent` knows."""
    return list(_AGENTS)


def make_agent(name: str) -> Agent:
    """A fresh agent of this name.

    Raises:
        UnknownName: with the nearest valid names.
    """
    path = _AGENTS.get(name)
    if path is None:
        raise unknown("agent", name, _AGENTS)
    module, _, attribute = path.partition(":")
    made: Agent = getattr(importlib.import_module(f"tau_emotion_gym.agents.{module}"), attribute)()
    return made
