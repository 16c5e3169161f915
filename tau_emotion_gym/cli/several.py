"""Options that take several values in a row: `--domains retail airline --trials 3`."""

from collections.abc import Iterable, Sequence
from typing import Any

from typer.core import TyperCommand, TyperOption


class SeveralCommand(TyperCommand):
    """A command without arguments whose repeatable options take all the values that follow them.

    `--domains a b`, `--domains a --domains b` and `--domains=a` mean what they say.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the option before each of its values, then parse as ever."""
        repeatable = {
            name
            for option in self.params
            if isinstance(option, TyperOption) and option.multiple
            for name in option.opts
        }
        return super().parse_args(ctx, list(spread(args, repeatable)))


def spread(arguments: Sequence[str], repeatable: Iterable[str]) -> Iterable[str]:
    """The arguments with the name of a repeatable option before each of its values."""
    names = frozenset(repeatable)
    current, values = "", 0
    for argument in arguments:
        if argument in names or argument.startswith("-"):
            current, values = argument if argument in names else "", 0
            yield argument
            continue
        if current and values:
            yield current
        values += 1
        yield argument


def listed(values: Iterable[str] | None) -> list[str]:
    """Values that may also be written with commas between them."""
    return [part.strip() for value in values or () for part in value.split(",") if part.strip()]
