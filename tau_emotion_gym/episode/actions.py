"""Actions: what an agent does in a step, and how anything it may send is taken in without an exception."""

import re
from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

import msgspec

from tau_emotion_gym.kit import BadArgumentsError, Tool

RESPOND = "respond"
"""The name of the action that sends a message to the customer."""

LONGEST_ARGUMENTS = 50_000
"""Characters of JSON in one call; more is refused as malformed."""

_KEYS = ("name", "arguments", "thought")
_THINK = re.compile(r"<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.S | re.I)
_CLOSED_ONLY = re.compile(r"\A(.*?)</think(?:ing)?>", re.S | re.I)


class Action(TypedDict):
    """A tool call, or a message to the customer (`name` "respond", `arguments` {"content": text}).

    Attributes:
        name: the tool's name, or "respond".
        arguments: what it is called with.
        thought: what the agent wrote beside it and keeps to itself; it stands in the transcript alone.
    """

    name: str
    arguments: dict[str, Any]
    thought: NotRequired[str]


def respond(content: str) -> Action:
    """The action that sends a message to the customer."""
    return {"name": RESPOND, "arguments": {"content": content}}


def call(name: str, /, **arguments: Any) -> Action:
    """The action that calls a tool: `call("cancel_order", order_id="#R1", reason="no_longer_needed")`."""
    return {"name": name, "arguments": arguments}


class Message(msgspec.Struct, frozen=True):
    """A message to the customer, think blocks taken out."""

    text: str
    thought: str


class ToolCall(msgspec.Struct, frozen=True):
    """A call whose arguments fit the tool's schema; `text` is their JSON as the agent gave them."""

    tool: Tool
    bound: msgspec.Struct
    text: str
    thought: str = ""


class Malformed(msgspec.Struct, frozen=True):
    """An action that cannot be carried out; `problem` goes back to the agent."""

    name: str
    text: str
    problem: str
    thought: str = ""


def parse(action: Any, tools: Mapping[str, Tool]) -> Message | ToolCall | Malformed:
    """Take in whatever an agent sent as its action. Never raises.

    A `Malformed` stays one: who reads actions out of something else says itself what is wrong with it. A `Message`
    stays as it is too.
    """
    if type(action) is not dict:
        if isinstance(action, (Malformed, Message)):
            return action
        if not isinstance(action, Mapping):
            return Malformed(
                "", shown(action), f"an action is a mapping with 'name' and 'arguments', not {kind_of(action)}"
            )
    name, arguments, thought = action.get("name"), action.get("arguments", {}), ""
    if not isinstance(name, str) or not name:
        return Malformed("", shown(action), f"an action needs a 'name' that is a string, not {kind_of(name)}")
    if name not in tools:
        name = clean(name[:200])
    if len(action) > 1 + ("arguments" in action) and (extra := [key for key in action if key not in _KEYS]):
        return Malformed(name, shown(arguments), f"an action has 'name' and 'arguments' only, not also {extra[:5]}")
    if "thought" in action:
        thought = action["thought"]
        if not isinstance(thought, str):
            return Malformed(name, shown(arguments), f"'thought' is a string, not {kind_of(thought)}")
        thought = clean(thought)
    if isinstance(arguments, str):
        arguments, problem = _decoded(arguments)
        if problem:
            return Malformed(name, clean(str(action["arguments"])[:500]), problem, thought)
    if type(arguments) is not dict and not isinstance(arguments, Mapping):
        return Malformed(name, shown(arguments), f"'arguments' is an object, not {kind_of(arguments)}", thought)
    parsed = _message(arguments) if name == RESPOND else _tool_call(name, arguments, tools)
    return _with(parsed, thought) if thought else parsed


def _with(parsed: Message | ToolCall | Malformed, thought: str) -> Message | ToolCall | Malformed:
    """The same with a thought before its own."""
    return msgspec.structs.replace(parsed, thought="\n".join(filter(None, (thought, parsed.thought))))


def _decoded(text: str) -> tuple[Any, str]:
    """Arguments that came as JSON text, also when they were encoded twice."""
    try:
        value = msgspec.json.decode(text)
        if isinstance(value, str):
            value = msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        return None, f"'arguments' is a text that is not valid JSON: {error}"
    return value, ""


def _message(arguments: Mapping[str, Any]) -> Message | Malformed:
    content = arguments.get("content")
    if not isinstance(content, str) or len(arguments) != 1:
        return Malformed(
            RESPOND,
            shown(arguments),
            "respond takes exactly one argument: 'content', the message as a string",
        )
    return Message(*split_thought(clean(content)))


def _tool_call(name: str, arguments: Mapping[str, Any], tools: Mapping[str, Tool]) -> ToolCall | Malformed:
    tool = tools.get(name)
    if tool is None:
        valid = ", ".join([RESPOND, *sorted(tools)])
        return Malformed(name, shown(arguments), f"there is no tool {name!r}; valid names: {valid}")
    try:
        text = msgspec.json.encode(arguments).decode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        return Malformed(name, shown(arguments), f"{name}: the arguments are not JSON: {error}")
    if len(text) > LONGEST_ARGUMENTS:
        return Malformed(name, text[:500], f"{name}: the arguments are longer than {LONGEST_ARGUMENTS} characters")
    try:
        bound = tool.bind(arguments, encoded=True)
    except BadArgumentsError as error:
        return Malformed(name, text, str(error))
    return ToolCall(tool, bound, text)


def split_thought(text: str) -> tuple[str, str]:
    """(what the customer sees, what stood in think blocks), both stripped."""
    if "hink" not in text and "HINK" not in text:
        return text, ""
    thoughts = [found[1] for found in _THINK.finditer(text)]
    rest = _THINK.sub("", text)
    if found := _CLOSED_ONLY.match(rest):
        thoughts.append(found[1])
        rest = rest[found.end() :]
    if not thoughts:
        return text, ""
    return rest.strip(), "\n".join(thought.strip() for thought in thoughts)


def clean(text: str) -> str:
    """The text without lone surrogates, which no encoder takes."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def shown(value: Any) -> str:
    """A short text of anything, for the transcript."""
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        try:
            text = repr(value)
        except Exception:
            text = object.__repr__(value)
    return clean(text[:500])


def kind_of(value: Any) -> str:
    """What kind of value this is, for error messages."""
    return "nothing" if value is None else type(value).__name__
