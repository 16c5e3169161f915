"""Wrappers: the same conversations with other observations and other forms of action."""

from tau_emotion_gym.wrappers.codecs import ChatHistory, CodecWrapper

__all__ = ["ChatHistory", "CodecWrapper"]
