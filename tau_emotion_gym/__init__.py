"""Gymnasium environments in which tool-calling agents serve emotional customers.

Importing the package registers the environments: `gymnasium.make("TauEmotion-Retail-v0")`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tau_emotion_gym.envs.registration import register_all, register_domain, registered_ids

if TYPE_CHECKING:
    from tau_emotion_gym.emotions import EmotionCondition
    from tau_emotion_gym.envs.env import TauEmotionEnv
    from tau_emotion_gym.envs.vector import TauEmotionVectorEnv
    from tau_emotion_gym.episode import Episode, call, respond
    from tau_emotion_gym.errors import TauEmotionError, UnknownName

__version__ = "0.1.0"

__all__ = [
    "EmotionCondition",
    "Episode",
    "TauEmotionEnv",
    "TauEmotionError",
    "TauEmotionVectorEnv",
    "UnknownName",
    "__version__",
    "call",
    "register_domain",
    "registered_ids",
    "respond",
]

_LAZY = {
    "EmotionCondition": "tau_emotion_gym.emotions",
    "Episode": "tau_emotion_gym.episode",
    "TauEmotionEnv": "tau_emotion_gym.envs.env",
    "TauEmotionError": "tau_emotion_gym.errors",
    "TauEmotionVectorEnv": "tau_emotion_gym.envs.vector",
    "UnknownName": "tau_emotion_gym.errors",
    "call": "tau_emotion_gym.episode",
    "respond": "tau_emotion_gym.episode",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


register_all()
