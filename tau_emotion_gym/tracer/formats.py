"""The file formats of training rows. Each row is one conversation; which tokens are learned is the trainer's choice."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tau_emotion_gym.errors import unknown
from tau_emotion_gym.llm import Call
from tau_emotion_gym.llm.tool_text import render_call, tools_prompt
from tau_emotion_gym.tracer.conversation import Conversation, Message

Row = dict[str, Any]


def openai_row(talk: Conversation, metadata: Mapping[str, Any]) -> Row:
    """`messages`, `tools`, `metadata`: the OpenAI chat format, which TRL and most trainers read.

    Arguments of calls are JSON strings, so that no reader pads them with the arguments of other calls.
    """
    return {"messages": talk.messages, "tools": talk.tools, "metadata": metadata}


def hermes_row(talk: Conversation, metadata: Mapping[str, Any]) -> Row:
    """`messages`, `metadata`: plain text in three roles, with tools as Hermes and Qwen models write them.

    The tools stand in the system prompt, calls as `<tool_call>` and results as `<tool_response>` of the user's
    side. There is no `tools` key: a chat template given one would list the tools a second time.
    """
    system = {"role": "system", "content": f"{talk.messages[0]['content']}\n\n{tools_prompt(talk.tools)}"}
    return {"messages": [system, *map(_hermes, talk.messages[1:])], "metadata": metadata}


def sharegpt_row(talk: Conversation, metadata: Mapping[str, Any]) -> Row:
    """`system`, `tools`, `conversations`, `metadata`: the ShareGPT format as LLaMA-Factory reads it.

    `human` and `observation` stand at even places, `gpt` and `function_call` at odd ones, as the format
    requires. `tools` is a JSON string.
    """
    return {
        "conversations": [_sharegpt(message) for message in talk.messages[1:]],
        "system": talk.messages[0]["content"],
        "tools": _json([tool["function"] for tool in talk.tools]),
        "metadata": metadata,
    }


Render = Callable[[Conversation, Mapping[str, Any]], Row]

FORMATS: dict[str, Render] = {"openai": openai_row, "hermes": hermes_row, "sharegpt": sharegpt_row}
"""Name of a format → what makes its rows."""


def renderer(name: str) -> Render:
    """The function that makes rows of a format.

    Raises:
        UnknownName: there is no such format.
    """
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return FORMATS[name]


def _hermes(message: Message) -> Message:
    if message["role"] == "tool":
        return {"role": "user", "content": f"<tool_response>\n{message['content']}\n</tool_response>"}
    if "tool_calls" not in message:
        return message
    parts = [message["content"]] if message["content"] else []
    parts += [render_call(Call(call["id"], **call["function"])) for call in message["tool_calls"]]
    return {"role": "assistant", "content": "\n".join(parts)}


_SPEAKERS = {"user": "human", "assistant": "gpt", "tool": "observation"}


def _sharegpt(message: Message) -> dict[str, str]:
    if "tool_calls" not in message:
        return {"from": _SPEAKERS[message["role"]], "value": message["content"]}
    calls = "\n".join(_call(call) for call in message["tool_calls"])
    return {"from": "function_call", "value": f"{message['content']}\n{calls}" if message["content"] else calls}


def _call(call: Mapping[str, Any]) -> str:
    """A call as one JSON object, its arguments an object too."""
    function = call["function"]
    return _json({"name": function["name"], "arguments": msgspec.Raw(function["arguments"].encode())})


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
