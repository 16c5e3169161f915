"""The notations in which models write an action, as completions and as messages."""

import json
from itertools import count
from typing import Any

from tau_emotion_gym.episode import Action

_ids = count()


def _hermes(name: str, arguments: dict[str, Any]) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n</tool_call>"


def _qwen_xml(name: str, arguments: dict[str, Any]) -> str:
    values = {key: value if isinstance(value, str) else json.dumps(value) for key, value in arguments.items()}
    parameters = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in values.items())
    return f"<tool_call>\n<function={name}>\n{parameters}</function>\n</tool_call>"


def _llama(name: str, arguments: dict[str, Any]) -> str:
    return json.dumps({"name": name, "parameters": arguments})


def _openai(name: str, arguments: dict[str, Any]) -> str:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return json.dumps({"tool_calls": [{"id": "x1", "type": "function", "function": function}]})


COMPLETIONS = {
    "hermes": _hermes,
    "hermes after a thought": lambda n, a: f"<think>\nI call it.\n</think>\n\nOne moment.\n{_hermes(n, a)}<|im_end|>",
    "qwen xml": _qwen_xml,
    "llama": _llama,
    "llama with a tag": lambda n, a: f"<|python_tag|>{_llama(n, a)}<|eom_id|>",
    "openai": _openai,
    "fenced": lambda n, a: f"```json\n{_llama(n, a)}\n```",
    "mistral": lambda n, a: f"[TOOL_CALLS][{json.dumps({'name': n, 'arguments': a})}]</s>",
}
"""Notation → a call as a completion."""


def completion(action: Action, notation: str) -> str:
    """An action as a model would write it."""
    if action["name"] == "respond":
        text: str = action["arguments"]["content"]
        return f"<think>I write.</think>\n{text}<|im_end|>" if "thought" in notation else text
    return COMPLETIONS[notation](action["name"], action["arguments"])


MESSAGES = ("text", "object", "bare", "content", "reasoned", "older", "parts")
"""Forms of an assistant message."""


def message(action: Action, form: str) -> dict[str, Any]:
    """An action as an assistant message."""
    name, arguments = action["name"], action["arguments"]
    if name == "respond":
        return _written(arguments["content"], form)
    if form == "content":
        return {"role": "assistant", "content": _hermes(name, arguments)}
    function = {"name": name, "arguments": arguments if form == "object" else json.dumps(arguments)}
    if form == "older":
        return {"role": "assistant", "content": None, "function_call": function}
    call: dict[str, Any] = {"id": f"id{next(_ids)}", "type": "function", "function": function}
    if form == "bare":
        return {"role": "assistant", "tool_calls": [function]}
    beside = "Let me look." if form == "reasoned" else None
    reasoning = {"reasoning_content": "I call it."} if form == "reasoned" else {}
    return {"role": "assistant", "content": beside, **reasoning, "tool_calls": [call]}


def _written(text: str, form: str) -> dict[str, Any]:
    if form == "parts":
        return {"role": "assistant", "content": [{"type": "text", "text": text}], "tool_calls": None}
    if form == "reasoned":
        return {"role": "assistant", "content": text, "reasoning_content": "I write."}
    return {"role": "assistant", "content": text}
