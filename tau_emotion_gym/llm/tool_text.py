"""Tool calls as text: how tools are shown to a model without native calling, and how its calls are read.

The reader knows what the common families of models write: Hermes and Qwen (`<tool_call>` with JSON, or with
`<function=…><parameter=…>`), Llama (`{"name", "parameters"}`, `<|python_tag|>`), Mistral (`[TOOL_CALLS]`),
OpenAI's own JSON, and any of these in a code fence. It repairs nothing: a call that is cut off, has a bracket
too many or is written in Python's notation is handed on as it stands, so that the episode can answer with an
error. Think blocks are never searched.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from tau_emotion_gym.llm.base import Call
from tau_emotion_gym.llm.call_json import (
    Extent,
    broken,
    extent,
    looks_like_call,
    meant_calls,
    opens,
    plain_calls,
    skip,
)
from tau_emotion_gym.llm.reading import well_formed

MOST_CALLS = 128
"""Calls read from one text; a model that writes more is caught in a loop, and the rest stays text."""

_MARK = re.compile(
    r"(?P<think>(?i:<think(?:ing)?>))"
    r"|(?P<function>(?:<tool_call>\s*+)?<function=(?P<name>[^<>\n]{1,200})>)"
    r"|(?P<hermes><tool_call>\s*+(?:```\w{0,20}\s*+)?)"
    r"|(?P<mistral>\[TOOL_CALLS\]\s*+)"
    r"|(?P<python><\|python_tag\|>\s*+)"
    r"|(?P<fence>```\w{0,20}\s*+(?=[\[{]))"
    r"""|(?P<plain>^[ \t]*+(?=\{\s*+["']|\[\s*+\{\s*+["']))""",
    re.M,
)
_THOUGHT_EDGE = re.compile(r"<(?P<end>/)?think(?:ing)?>", re.I)
_THOUGHT_END = re.compile(r"</think(?:ing)?>", re.I)
_CALL_EDGE = re.compile(r"<(?P<end>/)?tool_call>")
_FUNCTION_EDGE = re.compile(r"(?P<end></function>)|(?P<call></tool_call>)|<function=|<tool_call>")
_PARAMETER = re.compile(r"<parameter=(?P<name>[^<>\n]{1,200})>|(?P<end></parameter>)")
_AFTER_CALL = re.compile(r"\s*+(?:```)?\s*+(?P<closed></tool_call>)?")
_AFTER_FENCE = re.compile(r"\s*+(?:```)?")
_NAMED = re.compile(r"(?P<name>[\w.-]{1,200})(?:\[CALL_ID\](?P<id>[\w-]{1,200}))?(?:\[ARGS\])?\s*+(?=\{)")
_MISTRAL_NEXT = re.compile(r"\[TOOL_CALLS\]")
_END_TOKENS = ("</s>", "<|endoftext|>", "<|im_end|>", "<|eom_id|>", "<|eot_id|>")


class ToolText(NamedTuple):
    """What a model wrote, taken apart.

    Attributes:
        text: all that is no call, think blocks included, stripped.
        calls: the calls in order; the arguments of a broken one are the text of the whole call.
    """

    text: str
    calls: tuple[Call, ...]


class _Found(NamedTuple):
    """Calls that begin at a mark, and where they end."""

    calls: tuple[Call, ...]
    end: int


def tools_prompt(tools: Iterable[Mapping[str, Any]]) -> str:
    """The section of a system prompt that offers tools (OpenAI function definitions) in the Hermes form."""
    definitions = "\n".join(msgspec.json.encode(tool).decode() for tool in tools)
    return (
        "# Tools\n\n"
        "You can call these functions. Each line between the <tools> tags defines one of them in JSON.\n"
        f"<tools>\n{definitions}\n</tools>\n\n"
        "To call a function, write one JSON object with its name and its arguments between <tool_call> tags:\n"
        '<tool_call>\n{"name": "<name>", "arguments": {"<parameter>": <value>}}\n</tool_call>\n'
        "Write several such blocks to make several calls. Their results come between <tool_response> tags in the "
        "next message."
    )


def render_call(call: Call) -> str:
    """A call in the Hermes form; `parse_tool_text` gives it back, without its id."""
    name = msgspec.json.encode(well_formed(call.name)).decode()
    arguments = well_formed(call.arguments).strip()
    if not _is_object(arguments):
        arguments = msgspec.json.encode(arguments).decode()
    return f'<tool_call>\n{{"name": {name}, "arguments": {arguments}}}\n</tool_call>'


def _is_object(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, RecursionError):
        return False


def parse_tool_text(text: str) -> ToolText:
    """Tell the calls in a model's answer from its text. Never raises; takes linear time."""
    text = without_end_tokens(well_formed(text)).strip()
    at = _after_open_thought(text)
    pieces, calls = [text[:at]], list[Call]()
    while len(calls) < MOST_CALLS and (mark := _MARK.search(text, at)):
        pieces.append(text[at : mark.start()])
        found = _read(text, mark)
        at = found.end
        if found.calls:
            calls += found.calls
        else:
            pieces.append(text[mark.start() : at])
    pieces.append(text[at:])
    return ToolText("".join(pieces).strip(), tuple(calls))


def _read(text: str, mark: re.Match[str]) -> _Found:
    """The calls that a mark begins; without calls, what is passed over as text."""
    match mark.lastgroup:
        case "think":
            return _Found((), _before(_THOUGHT_END, text, mark.end()))
        case "function":
            return _function(text, mark)
        case "hermes":
            return _hermes(text, mark.end())
        case "mistral":
            return _mistral(text, mark.end())
        case "python":
            return _values(text, mark.end()) or _Found((broken(text[mark.end() :]),), len(text))
        case "fence":
            return _unmarked(text, mark, _AFTER_FENCE)
        case _:
            return _unmarked(text, mark, _AFTER_CALL)


# --- what stands after a mark ---------------------------------------------------------------------------


def _hermes(text: str, start: int) -> _Found:
    """JSON values up to the closing tag; anything else between the tags makes them one broken call."""
    values = _values(text, start)
    after = _AFTER_CALL.match(text, values.end if values else start)
    if values and after and after["closed"]:
        return _Found(values.calls, after.end())
    edge = _CALL_EDGE.search(text, values.end if values else start)
    if values and not (edge and edge["end"]):
        return values
    if edge is None:
        return _Found((broken(text[start:]),), len(text))
    return _Found((broken(text[start : edge.start()]),), edge.end() if edge["end"] else edge.start())


def _values(text: str, start: int) -> _Found | None:
    """Consecutive JSON values that are marked as calls."""
    calls: list[Call] = []
    end = start
    while len(calls) < MOST_CALLS and opens(text, at := skip(text, end)):
        value = extent(text, at)
        if not value.closed:
            break
        calls += meant_calls(text[at : value.end])
        end = value.end
    return _Found(tuple(calls), end) if calls else None


def _unmarked(text: str, mark: re.Match[str], after: re.Pattern[str]) -> _Found:
    """Consecutive JSON values that nothing marks as calls but their shape; other JSON is passed over."""
    calls: list[Call] = []
    end = mark.end()
    while len(calls) < MOST_CALLS and opens(text, at := skip(text, end)):
        value = extent(text, at)
        read = plain_calls(text[at : value.end]) if value.closed else None
        if read is None and looks_like_call(text, at):
            value = Extent(value.end if value.closed else len(text), True)
            read = (broken(text[at : value.end]),)
        if not read:
            return _Found(tuple(calls), end if calls else value.end)
        calls += read
        end = value.end
    tail = after.match(text, end)
    return _Found(tuple(calls), tail.end() if tail else end)


def _function(text: str, mark: re.Match[str]) -> _Found:
    """`<parameter=…>` elements up to `</function>`, or a JSON object in their place."""
    edge = _FUNCTION_EDGE.search(text, mark.end())
    if edge is None or not (edge["end"] or edge["call"]):
        end = edge.start() if edge else len(text)
        return _Found((Call("", mark["name"].strip(), text[mark.start() : end].strip()),), end)
    body = text[mark.end() : edge.start()].strip()
    end = edge.end() if edge["end"] else edge.start()
    after = _AFTER_CALL.match(text, end)
    arguments = body if opens(body, 0) else _parameters(text[mark.end() : edge.start()])
    return _Found((Call("", mark["name"].strip(), arguments),), after.end() if after else end)


def _parameters(body: str) -> str:
    """The parameters of one function element as JSON; the body itself when something else stands in it."""
    values: dict[str, Any] = {}
    at = 0
    while opening := _PARAMETER.search(body, at):
        closing = _PARAMETER.search(body, opening.end())
        if body[at : opening.start()].strip() or opening["end"] or closing is None or not closing["end"]:
            return body.strip()
        values[opening["name"].strip()] = _value(body[opening.end() : closing.start()])
        at = closing.end()
    return body.strip() if body[at:].strip() else msgspec.json.encode(values).decode()


def _value(text: str) -> Any:
    """A parameter's value: objects and lists are JSON, everything else is text, without the outer line ends."""
    text = text.removeprefix("\n").removesuffix("\n")
    if opens(text.lstrip(), 0):
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return text
    return text


def _mistral(text: str, start: int) -> _Found:
    """A list of calls, or a name followed by its arguments."""
    if values := _values(text, start):
        return values
    named = _NAMED.match(text, start)
    if named and (value := extent(text, named.end())).closed:
        return _Found((Call(named["id"] or "", named["name"], text[named.end() : value.end]),), value.end)
    end = _before(_MISTRAL_NEXT, text, start)
    return _Found((broken(text[start:end]),), end)


# --- edges of the text ------------------------------------------------------------------------------------


def without_end_tokens(text: str) -> str:
    """The text without end tokens that a server left on it, and without the blanks behind them."""
    for token in _END_TOKENS:
        bare = text.rstrip()
        if bare.endswith(token):
            text = bare.removesuffix(token)
    return text


def _after_open_thought(text: str) -> int:
    """Where a thought ends whose beginning the chat template wrote; 0 when there is none."""
    edge = _THOUGHT_EDGE.search(text)
    return edge.end() if edge and edge["end"] else 0


def _before(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Where the next match begins; the end of the text when there is none."""
    found = pattern.search(text, start)
    return found.start() if found else len(text)
