"""Exact arithmetic for the common `calculate` tool: numbers, + - * / and parentheses, in Decimal."""

import re
from decimal import Decimal, InvalidOperation, localcontext
from functools import lru_cache

_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?|\.\d+)|([-+*/()]))")
_WHOLE = re.compile(r"(?:\s*(?:\d+(?:\.\d*)?+|\.\d++|[-+*/()]))++")
LONGEST = 200
DEEPEST = 40
LARGEST = Decimal(10) ** 15
KEPT = 4096
"""Values kept in memory: a reference trajectory is replayed several times."""


class CalculationError(ValueError):
    """An expression that cannot be worked out; the message says why."""


@lru_cache(maxsize=KEPT)
def evaluate(expression: str) -> Decimal:
    """The value of an arithmetic expression.

    Raises:
        CalculationError: not an expression of numbers, + - * / and parentheses, nested too deeply, or of no
            finite value up to 10**15.
    """
    if len(expression) > LONGEST:
        raise CalculationError(f"the expression is longer than {LONGEST} characters")
    tokens = _tokens(expression.rstrip())
    if len(tokens) > DEEPEST and _depth(tokens) > DEEPEST:
        raise CalculationError("the expression is nested too deeply")
    with localcontext(prec=28):
        try:
            value, rest = _sum(tokens, 0)
        except (InvalidOperation, ZeroDivisionError):
            raise CalculationError(f"{expression!r} has no finite value (division by zero?)") from None
    if abs(value) > LARGEST:
        raise CalculationError("the value is too large")
    if rest != len(tokens):
        raise CalculationError(f"unexpected {tokens[rest]!r} in {expression!r}")
    return value


def _tokens(text: str) -> list[str]:
    if _WHOLE.fullmatch(text):
        return [number or sign for number, sign in _TOKEN.findall(text)]
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise CalculationError(f"unexpected {text[at:].strip()[:10]!r}: use numbers, + - * / and parentheses")
        at = found.end()
    raise CalculationError("the expression is empty")


def _depth(tokens: list[str]) -> int:
    """The deepest nesting of parentheses and signs in a row."""
    open_now = signs = deepest = 0
    for token in tokens:
        open_now += (token == "(") - (token == ")")
        signs = signs + 1 if token in "+-" else 0
        deepest = max(deepest, open_now + signs)
    return deepest


def _sum(tokens: list[str], at: int) -> tuple[Decimal, int]:
    value, at = _product(tokens, at)
    while at < len(tokens) and tokens[at] in "+-":
        right, after = _product(tokens, at + 1)
        value = value + right if tokens[at] == "+" else value - right
        at = after
    return value, at


def _product(tokens: list[str], at: int) -> tuple[Decimal, int]:
    value, at = _factor(tokens, at)
    while at < len(tokens) and tokens[at] in "*/":
        right, after = _factor(tokens, at + 1)
        value = value * right if tokens[at] == "*" else value / right
        at = after
    return value, at


def _factor(tokens: list[str], at: int) -> tuple[Decimal, int]:
    if at == len(tokens):
        raise CalculationError("the expression ends too early")
    token = tokens[at]
    if token in "+-":
        value, at = _factor(tokens, at + 1)
        return (value if token == "+" else -value), at
    if token == "(":
        value, at = _sum(tokens, at + 1)
        if at == len(tokens) or tokens[at] != ")":
            raise CalculationError("a parenthesis is not closed")
        return value, at + 1
    if token in "*/)":
        raise CalculationError(f"unexpected {token!r}")
    return Decimal(token), at + 1
