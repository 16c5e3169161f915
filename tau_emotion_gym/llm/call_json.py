"""JSON that stands somewhere in a text: where it ends, and which tool calls it stands for."""

import re
from typing import NamedTuple

import msgspec

from tau_emotion_gym.llm.base import Call

DEEPEST = 16
"""Brackets within brackets; deeper is taken for no JSON, so that no text costs more than linear time."""

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+(?P<closed>")?|[{}\[\]]')
_SEPARATORS = re.compile(r"[\s,;]*+")
_NAME = re.compile(r"[\w.:/-]{1,200}")
_NAME_IN_BROKEN = re.compile(r"""["'](?:name|function)["']\s*+:\s*+["']([\w.:/-]{1,200})["']""")
_CALL_LIKE = re.compile(
    r"""(?:\[\s*+)?\{\s*+(?:["'](?:id|type|index)["']\s*+:\s*+[^,{}\[\]]{0,100},\s*+){0,3}"""
    r"""["'](?:name|function)["']\s*+:\s*+(?:\{\s*+["']name["']\s*+:\s*+)?["'][\w.:/-]{1,200}["']\s*+,\s*+"""
    r"""["'](?:arguments|parameters)["']\s*+:"""
)

_ID_KEYS = ("id", "call_id", "tool_call_id")
_CALL_KEYS = frozenset({*_ID_KEYS, "type", "index", "name", "function", "arguments", "parameters"})
_MESSAGE_KEYS = frozenset({"role", "content", "tool_calls", "refusal"})

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_STRING = msgspec.json.Decoder(str)


class Extent(NamedTuple):
    """How far a value goes.

    Attributes:
        end: the place after it; where to look on when it does not close.
        closed: whether its brackets close.
    """

    end: int
    closed: bool


def extent(text: str, start: int) -> Extent:
    """How far the object or list goes that begins at `start`."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        first = token[0][0]
        if first == '"':
            if token["closed"] is None:
                break
        elif first in "{[":
            depth += 1
            if depth > DEEPEST:
                return Extent(token.start(), False)
        else:
            depth -= 1
            if depth == 0:
                return Extent(token.end(), True)
    return Extent(start + 1, False)


def skip(text: str, at: int) -> int:
    """The next place that is neither blank nor a separator of JSON values."""
    found = _SEPARATORS.match(text, at)
    return found.end() if found else at


def opens(text: str, at: int) -> bool:
    """Whether an object or a list may begin here."""
    return text[at : at + 1] in ("{", "[")


def looks_like_call(text: str, at: int) -> bool:
    """Whether what begins here was meant as a call, though it may be no JSON."""
    return _CALL_LIKE.match(text, at) is not None


def broken(text: str) -> Call:
    """A call that cannot be read: the name if one can be made out, and the whole text as its arguments."""
    found = _NAME_IN_BROKEN.search(text)
    return Call("", found[1] if found else "", text.strip())


def meant_calls(text: str) -> tuple[Call, ...]:
    """The calls in a JSON text that was marked as calls; what is none becomes a broken one."""
    try:
        parts = _elements(text)
    except (msgspec.DecodeError, RecursionError):
        return (broken(text),)
    return tuple(call for part in parts for call in (_calls(part, marked=True) or (_no_call(part),)))


def plain_calls(text: str) -> tuple[Call, ...] | None:
    """The calls in a text that nothing marks: none unless all of it has the shape of calls, None if it is no JSON."""
    try:
        read = [_calls(part, marked=False) for part in _elements(text)]
    except (msgspec.DecodeError, RecursionError):
        return None
    return tuple(call for calls in read for call in calls) if all(read) else ()


def _elements(text: str) -> list[str]:
    """The JSON texts of a list's elements, or the text itself when it is another value.

    Raises:
        msgspec.DecodeError, RecursionError: it is no JSON.
    """
    msgspec.json.decode(text)
    return [_text(part) for part in _LIST.decode(text)] if text.startswith("[") else [text]


def _calls(text: str, *, marked: bool) -> tuple[Call, ...]:
    fields = _fields(text)
    if fields.get("tool_calls", "").startswith("[") and fields.keys() <= _MESSAGE_KEYS:
        return meant_calls(fields["tool_calls"])
    if fields.get("function", "").startswith("{"):
        fields |= _fields(fields.pop("function"))
    call = _call(fields, marked=marked)
    return (call,) if call else ()


def _fields(text: str) -> dict[str, str]:
    """Key → JSON text of its value; nothing when the text is no object."""
    try:
        return {key: _text(value) for key, value in _OBJECT.decode(text).items()}
    except msgspec.DecodeError:
        return {}


def _call(fields: dict[str, str], *, marked: bool) -> Call | None:
    """A call from the raw values of an object: strict about the keys where nothing marks it as one."""
    name = _string(fields.get("name", "")) or _string(fields.get("function", ""))
    arguments = fields.get("arguments", fields.get("parameters"))
    if not name or fields.keys() - _CALL_KEYS:
        return None
    if arguments is None and not marked:
        return None
    if not marked and not _NAME.fullmatch(name):
        return None
    ids = (_string(fields.get(key, "")) for key in _ID_KEYS)
    return Call(next(filter(None, ids), ""), name, _arguments(arguments))


def _arguments(raw: str | None) -> str:
    """Arguments as one JSON text: an object as it stands, and what was encoded once more decoded once."""
    if raw is None or raw == "null":
        return "{}"
    return _string(raw) if raw.startswith('"') else raw


def _no_call(text: str) -> Call:
    """JSON without the shape of a call, in a list, so that nobody can take it for the arguments of one."""
    call = broken(text)
    return Call("", call.name, f"[{call.arguments}]")


def _text(raw: msgspec.Raw) -> str:
    return bytes(raw).decode().strip()


def _string(raw: str) -> str:
    """The string that a raw value is; "" for any other value."""
    try:
        return _STRING.decode(raw) if raw.startswith('"') else ""
    except msgspec.DecodeError:
        return ""
