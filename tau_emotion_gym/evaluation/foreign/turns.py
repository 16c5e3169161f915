"""The messages of a foreign episode as turns."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from tau_emotion_gym.episode import Turn
from tau_emotion_gym.episode.actions import clean, split_thought
from tau_emotion_gym.episode.reading import Reader
from tau_emotion_gym.llm import Usage

STOP = re.compile(r"#{2,3}\s*(STOP|UNSATISFIED|DISSATISFIED|TRANSFER|OUT[-_ ]OF[-_ ]SCOPE)\s*#{2,3}", re.I)
"""The marks by which simulated users of the family end a conversation; they are taken out of the turns."""

_REACT = re.compile(r"(?:\A|\n)\s*Action:\s*(?=\{)")
_REACT_RESULT = "API output:"
_FAILED = re.compile(r"\s*(?:error\b|unknown action\b)", re.I)


class Dialogue:
    """Turns and counts of one episode, collected message by message.

    What the user's own tools did (dual control) is left out, since neither side said it. A call stands right
    before its result. Text beside calls was not sent and stands in `asides`.

    Attributes:
        turns: every turn.
        marks: per user turn the end mark in it, in capitals; "" for none.
        asides: number of an action, as text → what the model wrote with it and did not send.
        malformed: calls whose arguments are no JSON object.
        errors: calls answered with an error.
        questions: questions in the agent's messages, as the reader of no particular domain counts them.
    """

    def __init__(self, messages: Iterable[Mapping[str, Any]]) -> None:
        self.turns: list[Turn] = []
        self.marks: list[str] = []
        self.asides: dict[str, str] = {}
        self.malformed = 0
        self.errors = 0
        self.questions = 0
        self._actions = 0
        self._waiting: list[tuple[str, Turn]] = []
        self._usage: dict[str, list[Any]] = {"assistant": [], "user": []}
        for message in _flat(messages):
            self._take(message)
        self._give_up()

    @property
    def actions(self) -> int:
        """Messages and calls of the agent."""
        return sum(turn.role in ("agent", "call") for turn in self.turns)

    @property
    def calls(self) -> list[Turn]:
        """The agent's calls."""
        return [turn for turn in self.turns if turn.role == "call"]

    def usage(self, role: str) -> Usage:
        """Tokens of "assistant" or "user"; None where a message does not tell."""
        told = self._usage[role]
        return Usage(len(told), _total(told, "prompt_tokens"), _total(told, "completion_tokens"))

    def _take(self, message: Mapping[str, Any]) -> None:
        role, text = message.get("role"), clean(text_of(message.get("content")))
        if role in ("tool", "function"):
            if message.get("requestor") != "user":
                self._result(str(message.get("tool_call_id") or message.get("id") or ""), message, text)
        elif role == "user" and self._waiting and text.startswith(_REACT_RESULT):
            self._result("", message, text.removeprefix(_REACT_RESULT).strip())
        elif role == "user":
            self._give_up()
            self._hear(message, text)
        elif role == "assistant":
            self._give_up()
            self._usage["assistant"].append(message.get("usage"))
            self._act(message, text)

    def _hear(self, message: Mapping[str, Any], text: str) -> None:
        self._usage["user"].append(message.get("usage"))
        if not text and message.get("tool_calls"):
            return
        found = STOP.search(text)
        self.marks.append(re.sub(r"[_ ]", "-", found[1].upper()) if found else "")
        self.turns.append(Turn("user", "user", STOP.sub("", text).strip() if found else text))

    def _act(self, message: Mapping[str, Any], text: str) -> None:
        calls = list(_calls(message))
        said, thought = split_thought(text)
        if not calls and (action := _react(said)):
            thought = "\n".join(filter(None, (thought, action[0])))
            if action[1] == "respond":
                self._say(str(action[2].get("content", "")), thought)
                return
            calls, said = [("", action[1], msgspec.json.encode(action[2]).decode())], ""
        if not calls:
            self._say(said, thought)
            return
        if aside := "\n".join(filter(None, (thought, said))):
            self.asides[str(self._actions)] = aside
        for call_id, name, arguments in calls:
            self._actions += 1
            self.malformed += not _is_object(arguments)
            self._waiting.append((call_id, Turn("call", name, arguments)))

    def _say(self, text: str, thought: str) -> None:
        self._actions += 1
        self.questions += _reader().read(text).questions
        self.turns.append(Turn("agent", "respond", text, thought))

    def _result(self, call_id: str, message: Mapping[str, Any], text: str) -> None:
        """Put a result behind the call that it belongs to: by id, else the first that waits."""
        if not self._waiting:
            return
        known = [at for at, (waiting, _) in enumerate(self._waiting) if waiting == call_id]
        _, call = self._waiting.pop(known[0] if known else 0)
        failed = bool(message.get("error")) or _FAILED.match(text) is not None
        self.errors += failed
        self.turns += [call, Turn("tool", call.name, text, error=failed)]

    def _give_up(self) -> None:
        """Calls that nobody answered still were made."""
        self.turns += [call for _, call in self._waiting]
        self._waiting.clear()


def text_of(content: Any) -> str:
    """A message's content as text, whatever form it has."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def _flat(messages: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    """The messages, several tool results in one taken apart; what is no message is passed over."""
    for message in messages:
        if isinstance(message, dict):
            if isinstance(message.get("tool_messages"), list):
                yield from _flat(message["tool_messages"])
            else:
                yield message


def _calls(message: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(id, name, arguments as JSON text) of every call."""
    given = message.get("tool_calls")
    calls = list(given) if isinstance(given, list) else []
    if isinstance(message.get("function_call"), dict):
        calls.append(message["function_call"])
    for call in calls:
        if isinstance(call, dict) and call.get("requestor") != "user":
            inner = call["function"] if isinstance(call.get("function"), dict) else call
            arguments = inner.get("arguments", inner.get("kwargs"))
            text = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments or {}).decode()
            yield str(call.get("id") or ""), str(inner.get("name") or ""), clean(text)


def _react(text: str) -> tuple[str, str, dict[str, Any]] | None:
    """(thought, action, arguments) of an agent that writes its action as text; None when it does not."""
    found = _REACT.search(text)
    if found is None:
        return None
    try:
        action = msgspec.json.decode(text[found.end() :].strip())
    except (msgspec.DecodeError, RecursionError):
        return None
    arguments = action.get("arguments", action.get("kwargs")) if isinstance(action, dict) else None
    if not isinstance(arguments, dict) or not isinstance(action.get("name"), str):
        return None
    return text[: found.start()].strip().removeprefix("Thought:").strip(), action["name"], arguments


def _is_object(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, RecursionError):
        return False


@cache
def _reader() -> Reader:
    return Reader({}, {})


def _total(told: list[Any], key: str) -> int | None:
    """The sum over all messages; None when one does not tell."""
    total = 0
    for usage in told:
        number = usage.get(key) if isinstance(usage, dict) else None
        if not isinstance(number, int):
            return None
        total += number
    return total
