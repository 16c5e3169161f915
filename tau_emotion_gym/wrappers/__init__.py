"""Wrappers: the same conversations with other observations and other forms of action."""

from tau_emotion_gym.wrappers.codecs import ChatHistory, ChatMessage, CodecWrapper, ModelText
from tau_emotion_gym.wrappers.discrete import DiscreteActions
from tau_emotion_gym.wrappers.numeric import NumericObservation
from tau_emotion_gym.wrappers.shaped import ShapedReward

__all__ = [
    "ChatHistory",
    "ChatMessage",
    "CodecWrapper",
    "DiscreteActions",
    "ModelText",
    "NumericObservation",
    "ShapedReward",
]
