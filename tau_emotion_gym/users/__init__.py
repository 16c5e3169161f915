"""Who answers the agent: user simulators, all behind one small protocol."""

from tau_emotion_gym.users.base import User, UserError, make_user
from tau_emotion_gym.users.scripted import ScriptedUser

__all__ = ["ScriptedUser", "User", "UserError", "make_user"]
