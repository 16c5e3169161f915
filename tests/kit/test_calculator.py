"""Exact arithmetic, and an error that says why for everything else."""

import ast
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym.kit import CALCULATE, Domain, ToolError
from tau_emotion_gym.kit.calculator import LONGEST, CalculationError, evaluate
from tau_emotion_gym.world import World

NUMBERS = st.decimals(min_value=0, max_value=9999, places=2).map(str)
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", " + ", " * "]), inner).map("".join),
        inner.map("({})".format),
        inner.map("-{}".format),
    ),
    max_leaves=6,
)


@given(EXPRESSIONS)
def test_agrees_with_exact_fractions(text):
    if len(text) > LONGEST:
        return
    exact = _exact(text)
    if abs(exact) > 10**15:
        with pytest.raises(CalculationError, match="too large"):
            evaluate(text)
        return
    assert abs(Fraction(evaluate(text)) - exact) <= abs(exact) / 10**20


def _exact(text: str) -> Fraction:
    """The value by Python's own parser, with every literal an exact fraction."""

    def value(node: ast.AST) -> Fraction:
        if isinstance(node, ast.Expression):
            return value(node.body)
        if isinstance(node, ast.Constant):
            return Fraction(ast.get_source_segment(text, node) or "0")
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand)
        assert isinstance(node, ast.BinOp)
        left, right = value(node.left), value(node.right)
        return {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}[type(node.op)]

    return value(ast.parse(text, mode="eval"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(120.50 - 30) * 2", "181"),
        ("0.1 + 0.2", "0.3"),
        ("2 - 3 - 4", "-5"),
        ("2 + 3 * 4", "14"),
        ("8 / 4 / 2", "1"),
        ("-(2 + 1)", "-3"),
        ("+.5", "0.5"),
        ("7.", "7"),
        ("  1  ", "1"),
        ("((((1))))", "1"),
    ],
)
def test_values(text, value):
    assert evaluate(text) == Decimal(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1 +",
        "* 2",
        "(1",
        "1)",
        "()",
        "1 2",
        "2 ** 3",
        "1e5",
        "$5",
        "1,000",
        "x",
        "__import__('os')",
        "1 / 0",
        "0 / 0",
        "1 / (2 - 2)",
        "9" * 30,
        "9" * 27 + " * " + "9" * 27,
        "(" * 199,
        "(" * 99 + "1" + ")" * 99,
        "-" * 199 + "1",
        "1" + " + 1" * LONGEST,
        "\ud800",
    ],
)
def test_anything_else_is_an_error(text):
    with pytest.raises(CalculationError) as caught:
        evaluate(text)
    assert str(caught.value)


@given(st.text(alphabet="0123456789.+-*/() e\u0663", max_size=30))
def test_no_text_breaks_it(text):
    with suppress(CalculationError):
        assert evaluate(text).is_finite()


def test_the_tool_rounds_half_up_and_reports_errors(library: Domain):
    tool, world = library.tools[CALCULATE], World(library.train_base(0))
    assert str(tool.run(world, tool.bind({"expression": "0.125"}))) == "0.13"
    assert str(tool.run(world, tool.bind({"expression": "10"}))) == "10.00"
    with pytest.raises(ToolError, match="division by zero"):
        tool.run(world, tool.bind({"expression": "1/0"}))
