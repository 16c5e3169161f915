"""What came back from a conversation as one user message, for trainers that know only user and assistant."""

from collections.abc import Iterable

from tau_emotion_gym.envs.chat import Message


def as_user_text(messages: Iterable[Message]) -> str:
    """Results of tools between `<tool_response>` tags, and what the customer said, in order.

    The tags are those that the prompt of `tools_in_prompt` announces, and that the templates of Qwen and Hermes write.
    """
    return "\n".join(_text(message) for message in messages)


def _text(message: Message) -> str:
    content = str(message["content"])
    return f"<tool_response>\n{content}\n</tool_response>" if message["role"] == "tool" else content
