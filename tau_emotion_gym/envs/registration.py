"""Registering one environment per domain, found by listing folders; no domain is imported."""

from pathlib import Path
from typing import Any, NoReturn

import gymnasium as gym

from tau_emotion_gym.envs.names import MULTI_ID, env_id
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.kit.discovery import add_folder, names

ENTRY_POINT = "tau_emotion_gym.envs.env:TauEmotionEnv"
VECTOR_ENTRY_POINT = "tau_emotion_gym.envs.vector:TauEmotionVectorEnv"
MIXTURE_ENTRY_POINT = "tau_emotion_gym.envs.registration:no_single_mixture"


def register_all() -> None:
    """Register every known domain, and the mixture of domains. May be called again."""
    for name in names():
        _register(env_id(name), name)
    if MULTI_ID not in gym.registry:
        gym.register(id=MULTI_ID, entry_point=MIXTURE_ENTRY_POINT, vector_entry_point=VECTOR_ENTRY_POINT)


def no_single_mixture(**arguments: Any) -> NoReturn:
    """What `gymnasium.make` of the mixture comes to: an error that says how to make it.

    Raises:
        TauEmotionError: always.
    """
    raise TauEmotionError(f"{MULTI_ID} mixes domains over many conversations: use gymnasium.make_vec({MULTI_ID!r}, …)")


def register_domain(folder: str | Path) -> str:
    """Make a domain of your own an environment: a folder with an `__init__.py` that defines `DOMAIN`.

    The environment's spec carries the folder, so `gymnasium.make(env.spec)` works in any process; by id it
    is known only in processes that registered it.

    Returns:
        The environment's id, made from the folder's name ("library" → "TauEmotion-Library-v0").

    Raises:
        TauEmotionError: no domain stands there, or a shipped one has its name.
    """
    name = add_folder(folder)
    _register(env_id(name), str(Path(folder).resolve()))
    return env_id(name)


def registered_ids() -> list[str]:
    """The ids of all domains' environments, shipped ones first."""
    return [env_id(name) for name in names()]


def _register(id: str, domain: str) -> None:
    known = gym.registry.get(id)
    if known is not None and known.kwargs.get("domain") == domain:
        return
    gym.registry.pop(id, None)
    gym.register(
        id=id,
        entry_point=ENTRY_POINT,
        vector_entry_point=VECTOR_ENTRY_POINT,
        kwargs={"domain": domain},
    )
