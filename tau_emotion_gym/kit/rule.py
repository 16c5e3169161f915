"""Rules: one sentence of policy and its check, in one object."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from tau_emotion_gym.world import World


class Done(msgspec.Struct, frozen=True):
    """A call that was made earlier in the episode."""

    name: str
    arguments: Mapping[str, Any]
    """As the tool took them: typed, with its defaults."""
    ok: bool
    value: Any
    """What the tool returned; None when it failed."""


@dataclass(slots=True)
class Context:
    """What a rule's check may look at: everything before the call.

    Attributes:
        world: the state before the call.
        calls: the calls made so far, failed ones included.
        customers: ids of the customers identified so far, in order, without repeats.
        consents: names of the write tools to which the user has just said yes.
    """

    world: World
    calls: Sequence[Done] = ()
    customers: Sequence[str] = ()
    consents: frozenset[str] = frozenset()

    @property
    def now(self) -> datetime:
        """The domain's clock."""
        return self.world.now

    @property
    def customer(self) -> str | None:
        """Id of the customer identified first, or None."""
        return self.customers[0] if self.customers else None

    def serve(self, customer: str) -> None:
        """Note that a tool has identified this customer."""
        if customer not in self.customers:
            self.customers = [*self.customers, customer]

    def called(self, name: str, **arguments: Any) -> bool:
        """Whether a call of this name succeeded earlier, with these argument values where given."""
        return any(
            done.ok and done.name == name and all(done.arguments.get(k) == v for k, v in arguments.items())
            for done in self.calls
        )


Check = Callable[[Context, Any], bool]
"""`check(context, arguments)`: True when the call keeps the rule. `arguments` is the tool's struct."""


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One policy statement.

    Attributes:
        id: unique within the domain.
        text: the sentence that the agent reads.
        tools: names of the tools it governs.
        check: True when a call keeps it.
        in_play: True when only a dialogue can show it (consent), so that replay does not check it.
    """

    id: str
    text: str
    tools: tuple[str, ...]
    check: Check
    in_play: bool = False


def _names(tools: Sequence[Any]) -> tuple[str, ...]:
    return tuple(tool if isinstance(tool, str) else tool.name for tool in tools)


def rule(text: str, *tools: Any) -> Callable[[Check], Rule]:
    """Decorator: turn a check into a rule named after it. `tools`: the tools it governs (or their names)."""
    names = _names(tools)
    if not names:
        raise TypeError("rule() needs the tools that it governs")
    return lambda check: Rule(check.__name__, text, names, check)


def confirmation(text: str, *tools: Any) -> Rule:
    """The rule that these writes need the customer's explicit yes first."""

    def check(context: Context, arguments: Any) -> bool:
        return type(arguments).__name__ in context.consents

    return Rule("confirmation", text, _names(tools), check, in_play=True)


def authentication(text: str, *tools: Any) -> Rule:
    """The rule that the customer is identified before any of these tools."""
    return Rule("authentication", text, _names(tools), lambda context, arguments: bool(context.customers))


def one_customer(text: str, owner: Callable[[World, Any], str | None], *tools: Any) -> Rule:
    """The rule that a conversation serves one customer.

    Args:
        text: the sentence that the agent reads.
        owner: `owner(world, arguments)` gives the id of the customer whose record the call touches, or
            None when it touches nobody's.
        tools: the tools that it governs.
    """

    def check(context: Context, arguments: Any) -> bool:
        whose = owner(context.world, arguments)
        return len(context.customers) <= 1 and (whose is None or whose in context.customers)

    return Rule("one_customer", text, _names(tools), check)
