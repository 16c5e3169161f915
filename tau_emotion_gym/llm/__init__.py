"""Language models behind one small protocol."""

from tau_emotion_gym.llm.base import (
    NO_USAGE,
    Call,
    ChatModel,
    ChatRequest,
    Completion,
    ContextOverflow,
    Message,
    ModelError,
    ModelRefused,
    Usage,
)

__all__ = [
    "NO_USAGE",
    "Call",
    "ChatModel",
    "ChatRequest",
    "Completion",
    "ContextOverflow",
    "Message",
    "ModelError",
    "ModelRefused",
    "Usage",
]
