"""One conversation, sans-IO: turns, actions, the reader of agents' text, the episode and its score."""

from tau_emotion_gym.episode.actions import RESPOND, Action, call, respond
from tau_emotion_gym.episode.episode import Episode
from tau_emotion_gym.episode.info import INFO_KEYS, info
from tau_emotion_gym.episode.outcomes import Outcome
from tau_emotion_gym.episode.requests import Brief, Signal, UserReply, UserRequest, Wish
from tau_emotion_gym.episode.scoring import DEFAULT_REWARD, Score
from tau_emotion_gym.episode.turns import Turn

__all__ = [
    "DEFAULT_REWARD",
    "INFO_KEYS",
    "RESPOND",
    "Action",
    "Brief",
    "Episode",
    "Outcome",
    "Score",
    "Signal",
    "Turn",
    "UserReply",
    "UserRequest",
    "Wish",
    "call",
    "info",
    "respond",
]
