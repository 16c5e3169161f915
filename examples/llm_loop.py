"""The loop around a language model: messages and tool schemas in, one assistant message out, one action per step.

`complete` stands where your model goes: any function from (messages, tools) to an assistant message in the OpenAI
format. The one here needs no network: it asks who is there, and then hands the conversation over.

    python examples/llm_loop.py
"""

import json
from typing import Any

import gymnasium as gym

import tau_emotion_gym  # noqa: F401  (registers the environments)
from tau_emotion_gym.wrappers import ChatHistory

Message = dict[str, Any]


def complete(messages: list[Message], tools: list[Message]) -> Message:
    """A stand-in for `client.chat.completions.create(messages=messages, tools=tools)`."""
    asked = any(message["role"] == "assistant" for message in messages)
    if not asked:
        return {"role": "assistant", "content": "I understand, and I'll help. What is your email address?"}
    handing_over = next(tool for tool in tools if tool["function"]["name"] == "transfer_to_human")
    reason = handing_over["function"]["parameters"]["properties"]["reason"]["enum"][0]
    function = {"name": "transfer_to_human", "arguments": json.dumps({"reason": reason})}
    return {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": function}]}


def action_of(message: Message) -> dict[str, Any]:
    """The environment's action for an assistant message. Arguments may stay the text that the model wrote: text that
    is not JSON becomes an error turn, from which a model can recover."""
    if calls := message.get("tool_calls"):
        return {"name": calls[0]["function"]["name"], "arguments": calls[0]["function"]["arguments"]}
    return {"name": "respond", "arguments": {"content": message.get("content") or ""}}


def main() -> None:
    env = ChatHistory(gym.make("TauEmotion-Retail-v0", emotion="sadness"))
    tools = env.unwrapped.tools
    messages, info = env.reset(seed=5)
    terminated = truncated = False
    while not (terminated or truncated):
        action = action_of(complete(list(messages), tools))
        messages, reward, terminated, truncated, info = env.step(action)
    for message in messages[1:]:
        print(f"{message['role']}: {message.get('content') or message.get('tool_calls')}")
    print(f"{info['outcome']}, reward {reward:+g}")


if __name__ == "__main__":
    main()
