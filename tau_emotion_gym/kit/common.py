"""The three tools of every domain: hand-off, arithmetic and a private thought."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from tau_emotion_gym.kit.calculator import CalculationError, evaluate
from tau_emotion_gym.kit.tool import Tool, ToolError, read, write
from tau_emotion_gym.world import FreeText, Money, Record, Ref, World, money

TRANSFER = "transfer_to_human"
CALCULATE = "calculate"
THINK = "think"
COMMON_NAMES = frozenset({"respond", TRANSFER, CALCULATE, THINK})
"""What every agent can do in every domain; no domain's own tool may be called so."""


class HandOff(Record, frozen=True):
    """The change that a hand-off makes. Its reason decides in matching, its summary does not."""

    table: ClassVar[str] = "hand_offs"

    id: Annotated[str, Ref("hand_off")]
    reason: str
    summary: FreeText


def transfer_tool(reasons: Sequence[str]) -> Tool:
    """The domain's `transfer_to_human`, with its own closed list of reasons."""
    if len(reasons) < 5 or "other" not in reasons:
        raise TypeError("hand-off reasons: at least four and 'other'")

    def transfer_to_human(world: World, reason: str, summary: FreeText = "") -> str:
        """Hand the conversation over to a human colleague. This ends the conversation.

        Args:
            reason: Why a human has to take over.
            summary: One or two sentences for the colleague.
        """
        world.put(HandOff(id=world.new_id(HandOff, "H", reason), reason=reason, summary=summary))
        return "The conversation has been handed over to a human colleague."

    transfer_to_human.__annotations__["reason"] = Literal[tuple(reasons)]
    return write("transfer", "human", "colleague", "specialist")(transfer_to_human)


@read
def calculate(world: World, expression: str) -> Money:
    """Work out an arithmetic expression, rounded to two decimals, for example "(120.50 - 30) * 2".

    Args:
        expression: Numbers, + - * / and parentheses.
    """
    try:
        value = evaluate(expression)
    except CalculationError as error:
        raise ToolError(str(error)) from None
    return money(value)


@read
def think(world: World, thought: str) -> str:
    """Note a thought for yourself. The customer does not see it and nothing changes.

    Args:
        thought: The thought.
    """
    return ""
