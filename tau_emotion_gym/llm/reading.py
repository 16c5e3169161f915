"""Reads a chat completion's JSON, as loosely as servers write it."""

import json
from collections.abc import Callable
from typing import Any

from tau_emotion_gym.llm.base import Call, Completion, Usage
from tau_emotion_gym.llm.failures import WRONG_URL, of_error_object, server_text
from tau_emotion_gym.llm.policy import Failure, Outcome, Verdict

SHOWN = 120
"""Characters that are shown of a body that is no completion."""


def outcome_of(body: bytes, hide: Callable[[str], str] = str) -> Outcome:
    """The completion in a body that came with status 200, or why there is none.

    Args:
        body: what the server sent.
        hide: takes keys out of a text before any of it is shown.
    """
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        return _no_json(hide(_text(body)))
    if not isinstance(reply, dict):
        return Failure(Verdict.AGAIN, f"the answer is JSON but no chat completion: {_start(hide(_text(body)))}")
    usage = _usage(reply.get("usage"))
    choices = reply.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if isinstance(choice, dict) and isinstance(message, dict):
        if choice.get("error") and not message.get("content"):
            return of_error_object(choice["error"], hide)
        return _completion(message, choice.get("finish_reason"), usage)
    if reply.get("error"):
        return of_error_object(reply["error"], hide)
    return Failure(Verdict.AGAIN, f"the answer has no choices: {_start(hide(_text(body)))}", usage=_counted(usage))


def well_formed(text: str) -> str:
    """`text` with what is no Unicode (lone surrogates) replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def well_formed_json(value: Any) -> Any:
    """JSON-able values with `well_formed` texts."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {key: well_formed_json(item) for key, item in value.items()}
    return [well_formed_json(item) for item in value] if isinstance(value, list | tuple) else value


def _completion(message: dict[str, Any], finish: Any, usage: Usage) -> Completion:
    text, thought = _content(message.get("content"))
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    calls = _calls(message)
    return Completion(
        text=text or _words(message.get("refusal")),
        calls=calls,
        reasoning=_words(reasoning) or thought,
        finish=finish if isinstance(finish, str) and finish else ("tool_calls" if calls else "stop"),
        usage=usage,
    )


def _content(content: Any) -> tuple[str, str]:
    """Text and reasoning of a content that is a string, null, or a list of parts."""
    if not isinstance(content, list):
        return _words(content), ""
    text, thought = [], []
    for part in content:
        if isinstance(part, str):
            text.append(well_formed(part))
        elif isinstance(part, dict) and part.get("type") in ("thinking", "reasoning"):
            thought.append(_content(part.get("thinking") or part.get("reasoning") or part.get("text"))[0])
        elif isinstance(part, dict):
            text.append(_words(part.get("text") or part.get("refusal")))
    return "".join(text), "".join(thought)


def _calls(message: dict[str, Any]) -> tuple[Call, ...]:
    given = message.get("tool_calls")
    calls = [call for call in given if isinstance(call, dict)] if isinstance(given, list) else []
    if not calls and isinstance(message.get("function_call"), dict):
        calls = [{"function": message["function_call"]}]
    return tuple(map(_call, calls))


def _call(call: dict[str, Any]) -> Call:
    function = call.get("function")
    function = function if isinstance(function, dict) else call
    return Call(_words(call.get("id")), _words(function.get("name")), _arguments(function.get("arguments")))


def _arguments(arguments: Any) -> str:
    """Arguments as JSON text: some servers send the object itself, or nothing where there are none."""
    if isinstance(arguments, str):
        return well_formed(arguments)
    return "{}" if arguments is None else well_formed(json.dumps(arguments, ensure_ascii=False))


def _words(value: Any) -> str:
    return well_formed(value) if isinstance(value, str) else ""


def _usage(usage: Any) -> Usage:
    told = usage if isinstance(usage, dict) else {}
    return Usage(1, _count(told.get("prompt_tokens")), _count(told.get("completion_tokens")))


def _counted(usage: Usage) -> Usage | None:
    """The tokens of an answer that was none, where the server told them."""
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return Usage(0, usage.prompt_tokens, usage.completion_tokens)


def _count(tokens: Any) -> int | None:
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0 else None


def _no_json(text: str) -> Failure:
    if not text:
        return Failure(Verdict.AGAIN, "the answer is empty")
    if text[:1] == "<":
        return Failure(Verdict.AGAIN, f"the answer is {server_text(text)} and not JSON; {WRONG_URL}")
    return Failure(Verdict.AGAIN, f"the answer is not JSON: {_start(text)}")


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace").strip()


def _start(text: str) -> str:
    return " ".join(text.split())[:SHOWN]
