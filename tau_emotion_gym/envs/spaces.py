"""The spaces of the environments: turns to observe, actions to take, messages for chat models.

They subclass `gymnasium.spaces.Space` directly: `Text` refuses spaces and Unicode by default and comes
back stale from `AsyncVectorEnv`'s shared memory without an error, whereas a custom space makes shared
memory fail at once (use `shared_memory=False`, or `gymnasium.make_vec` in its default mode).
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Self

from gymnasium.spaces import Space

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.envs._values import Schema, draw_value, fits
from tau_emotion_gym.episode import RESPOND, Action, respond
from tau_emotion_gym.kit import Tool

Observation = dict[str, str]
"""`{"role": "user" | "tool", "name": str, "content": str}`."""

ROLES = ("user", "tool")

SENTENCES = (
    "How can I help you today?",
    "Could you tell me a little more, please?",
    "I am sorry about that. Let me look into it for you.",
    "Thank you, that is everything I need.",
    "Would you like me to go ahead?",
    "Ça marche — one moment, please.",
)


class PlainSpace(Space[Any]):
    """What these spaces share: no shape, no dtype, no flat form, one cheap source of draws."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: text has no fixed-size numeric form."""
        return False

    def _draw(self, mask: Any, probability: Any) -> Draw:
        if mask is not None or probability is not None:
            raise ValueError(f"{type(self).__name__}.sample() takes no mask and no probability")
        return Draw(int(self.np_random.integers(1 << 63)), "sample")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    __hash__ = None  # type: ignore[assignment]


class TurnSpace(PlainSpace):
    """One turn of a dialogue as an agent observes it.

    Elements are dicts with the string values `role` ("user": the customer's message; "tool": a tool's
    result), `name` ("user", the tool's name, or "episode" for a notice that nobody said) and `content`
    (any Unicode text).
    """

    def contains(self, x: Any) -> bool:
        """Whether `x` is a turn. O(1): texts are not scanned."""
        return (
            isinstance(x, dict)
            and len(x) == 3
            and x.get("role") in ROLES
            and isinstance(x.get("name"), str)
            and isinstance(x.get("content"), str)
        )

    def sample(self, mask: Any = None, probability: Any = None) -> Observation:
        """A short turn."""
        draw = self._draw(mask, probability)
        role = draw.pick(ROLES)
        name = "user" if role == "user" else draw.pick(("get_order", "calculate", "episode"))
        return {"role": role, "name": name, "content": draw.pick(SENTENCES)}


class MessagesSpace(PlainSpace):
    """A conversation as a list of OpenAI chat messages (dicts with at least `role` and `content`)."""

    _roles = frozenset({"system", "user", "assistant", "tool"})

    def contains(self, x: Any) -> bool:
        """Whether `x` is such a list. O(messages): texts are not scanned."""
        return isinstance(x, list) and all(
            isinstance(message, dict) and message.get("role") in self._roles and "content" in message for message in x
        )

    def sample(self, mask: Any = None, probability: Any = None) -> list[dict[str, Any]]:
        """A short conversation."""
        draw = self._draw(mask, probability)
        roles = ("system", "user", "assistant", "user")[: draw.between(2, 4)]
        return [{"role": role, "content": draw.pick(SENTENCES)} for role in roles]


class ActionSpace(PlainSpace):
    """Tool calls that fit the tools' schemas, and messages to the customer.

    Elements are mappings `{"name": tool, "arguments": {…}}`; the name "respond" with the one argument
    `content` is the message to the customer; a string `thought` may stand beside the two. `env.step` takes
    anything and answers what lies outside the space with an error turn.

    Args:
        tools: the tools on offer. Where two have one name but different schemas, either schema will do.
        seed: seeds `sample`.
    """

    def __init__(self, tools: Iterable[Tool], seed: int | None = None) -> None:
        super().__init__(seed)
        self._schemas, self._names = _schemas(tuple(tools))

    @property
    def schemas(self) -> Mapping[str, Schema]:
        """Tool name → JSON Schema of its arguments; read only."""
        return MappingProxyType(self._schemas)

    def contains(self, x: Any) -> bool:
        """Whether `x` is an action whose arguments fit."""
        if not isinstance(x, Mapping) or not {"name"} <= x.keys() <= {"name", "arguments", "thought"}:
            return False
        if not isinstance(x.get("thought", ""), str):
            return False
        name, arguments = x["name"], x.get("arguments", {})
        if name == RESPOND:
            return isinstance(arguments, Mapping) and len(arguments) == 1 and isinstance(arguments.get("content"), str)
        return isinstance(name, str) and name in self._schemas and fits(self._schemas[name], arguments)

    def sample(self, mask: Any = None, probability: Any = None) -> Action:
        """A message in a third of the cases, else a call of any tool with arguments that fit its schema."""
        return self.drawn(self._draw(mask, probability))

    def drawn(self, draw: Draw) -> Action:
        """As `sample`, from a source of one's own."""
        if draw.chance(1 / 3) or not self._names:
            return respond(draw.pick(SENTENCES))
        name = draw.pick(self._names)
        return {"name": name, "arguments": draw_value(self._schemas[name], draw)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ActionSpace) and self._schemas == other._schemas

    __hash__ = None

    def __repr__(self) -> str:
        return f"ActionSpace({', '.join((RESPOND, *self._names))})"

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._np_random = deepcopy(self._np_random, memo)
        return twin


@lru_cache(maxsize=64)
def _schemas(tools: tuple[Tool, ...]) -> tuple[dict[str, Schema], tuple[str, ...]]:
    """Schemas and names of tools, shared by all spaces of the same tools."""
    found: dict[str, Schema] = {}
    for tool in tools:
        known = found.get(tool.name, tool.parameters)
        if known == tool.parameters:
            found[tool.name] = tool.parameters
            continue
        alternatives = known.get("anyOf", [known])
        if tool.parameters not in alternatives:
            found[tool.name] = {"anyOf": [*alternatives, tool.parameters]}
    return found, tuple(found)
