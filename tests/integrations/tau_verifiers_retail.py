"""The module that verifiers finds by name, as a user would write it."""

from tau_emotion_gym.integrations.verifiers import TauEnv, TauTaskset

__all__ = ["TauEnv", "TauTaskset"]
