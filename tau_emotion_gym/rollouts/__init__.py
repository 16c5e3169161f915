"""Many episodes: played, logged so that nothing is lost, resumed, scored again."""

from tau_emotion_gym.rollouts.record import Missing, Place, Record, line_of, record_from, record_of
from tau_emotion_gym.rollouts.replay import ReplayError, replay, replayed

__all__ = ["Missing", "Place", "Record", "ReplayError", "line_of", "record_from", "record_of", "replay", "replayed"]
