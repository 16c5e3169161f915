"""Every tool of every domain: its schema, and that bad arguments never break it or the world."""

import json
from datetime import date, datetime
from functools import cache
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tau_emotion_gym.kit import BadArgumentsError, Domain, Tool, ToolError, load, names, read, write
from tau_emotion_gym.world import Base, Date, FreeText, Money, World, canonical, encode
from tau_emotion_gym.world.fields import DAY


def domains() -> list[str]:
    return names(added=False)


@pytest.fixture(scope="module", params=["library", *domains()])
def domain(request, library: Domain) -> Domain:
    return library if request.param == "library" else load(request.param)


def run(tool: Tool, world: World, arguments: Any) -> str | None:
    """The result as the agent reads it, or None after one of the two expected errors."""
    before, reads = canonical(world.changes()), world.savepoint()
    try:
        return encode(tool.run(world, tool.bind(arguments)))
    except (BadArgumentsError, ToolError) as error:
        str(error).encode()
        assert world.savepoint() == reads
        assert canonical(world.changes()) == before
        return None


# --- arguments made from the schema ---------------------------------------------------------------


def valid(schema: dict[str, Any], words: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Values that a schema allows; strings are often ids and words of the world."""
    if "anyOf" in schema:
        return st.one_of(*(valid(option, words) for option in schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("type") == "array":
        return st.lists(valid(schema["items"], words), min_size=schema.get("minItems", 0), max_size=4)
    if schema.get("type") == "object":
        if "properties" not in schema:
            return st.dictionaries(st.sampled_from(words), valid(schema.get("additionalProperties", {}), words))
        parts = {name: valid(part, words) for name, part in schema["properties"].items()}
        required = {name: parts.pop(name) for name in schema["required"]}
        return st.fixed_dictionaries(required, optional=parts)
    if schema.get("pattern") == DAY:
        return st.dates().map(date.isoformat)
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True)
    return {
        "string": st.sampled_from(words) | st.text(min_size=schema.get("minLength", 0), max_size=8),
        "integer": st.integers(schema.get("minimum", -3), schema.get("maximum", 30)),
        "number": st.decimals(schema.get("minimum", -5), schema.get("maximum", 500), places=2).map(float),
        "boolean": st.booleans(),
        "null": st.none(),
    }[schema["type"]]


RUBBISH = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(), max_size=6),
    st.sampled_from(["\ud800", "NaN", "Infinity", "1e999999999", "-0", "1e-400", "9" * 5000, "a" * 100_000, "\0"]),
    st.binary(max_size=3),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=2) | st.integers(), st.none(), max_size=2),
    st.builds(object),
    st.just(datetime(2026, 3, 5)),
    st.decimals(),
)


@cache
def words_of(domain: Domain) -> tuple[str, ...]:
    """Ids and texts that stand in the domain's first training world."""
    found: dict[str, None] = {}
    for rows in domain.train_base(0).tables.values():
        for record in list(rows.values())[:12]:
            found |= dict.fromkeys(text for text in texts(msgspec.to_builtins(record)))
    return tuple(found)


def texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [text for part in parts for text in texts(part)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_allowed_arguments_run_or_explain_themselves(domain: Domain, data):
    tool = data.draw(st.sampled_from([*domain.tools.values()]), "tool")
    arguments = data.draw(valid(dict(tool.parameters), words_of(domain)), "arguments")
    tool.bind(arguments)
    world = World(domain.train_base(0))
    result = run(tool, world, arguments)
    if not tool.writes or result is None:
        assert canonical(world.changes()).empty


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_bad_arguments_never_break_a_tool(domain: Domain, data):
    """One argument of a good call is missing, extra or rubbish, or the whole is."""
    tool = data.draw(st.sampled_from([*domain.tools.values()]), "tool")
    arguments = data.draw(valid(dict(tool.parameters), words_of(domain)), "arguments")
    name = data.draw(st.sampled_from([*tool.parameters["properties"], "extra", "\ud800"]), "name")
    change = data.draw(st.sampled_from(["drop", "replace", "whole"]), "change")
    if change == "whole":
        arguments = data.draw(RUBBISH, "rubbish")
    elif change == "drop":
        arguments.pop(name, None)
    else:
        arguments[name] = data.draw(RUBBISH, "rubbish")
    run(tool, World(domain.train_base(0)), arguments)


def test_each_schema_is_complete(domain: Domain):
    for tool in domain.tools.values():
        function = tool.schema["function"]
        assert function["name"] == tool.name
        assert len(function["description"]) > 20
        assert json.loads(json.dumps(function)) == json.loads(msgspec.json.encode(function))
        check_object(function["parameters"], tool.name)
        for name, part in function["parameters"]["properties"].items():
            assert part.get("description"), f"{tool.name}.{name} is not described"


def check_object(schema: Any, place: str) -> None:
    """Objects name their properties, arrays their items, enums their type; no references are left."""
    if isinstance(schema, list):
        for item in schema:
            check_object(item, place)
    if not isinstance(schema, dict):
        return
    assert "$ref" not in schema, place
    if schema.get("type") == "object":
        assert "properties" in schema or "additionalProperties" in schema, place
    if schema.get("type") == "array":
        assert "items" in schema, place
    if "enum" in schema:
        assert schema["type"] == "string", place
    for name, part in schema.items():
        check_object(part, f"{place}.{name}")


def test_unknown_and_missing_arguments_are_named(domain: Domain):
    for tool in domain.tools.values():
        with pytest.raises(BadArgumentsError, match=rf"{tool.name}: .*`no_such_argument`"):
            tool.bind({"no_such_argument": 1})
        if tool.parameters["required"]:
            with pytest.raises(BadArgumentsError, match=rf"{tool.name}: .*missing required field"):
                tool.bind({})


# --- tools of one's own ---------------------------------------------------------------------------

EMPTY = Base({}, datetime(2026, 1, 1))


class Part(msgspec.Struct, frozen=True):
    price: Money
    count: int = 1
    since: Date | None = None


@read
def probe(
    world: World,
    amount: Money,
    number: int,
    flag: bool = False,
    level: Literal["low", "high"] = "low",
    parts: tuple[Part, ...] = (),
    note: FreeText = "",
    day: Date | None = None,
    stay: tuple[Date, str] | None = None,
    days: dict[str, Date] | None = None,
) -> str:
    """Say what arrived, for tests of binding.

    Args:
        amount: An amount.
        number: A number.
        flag: A flag.
        level: A level.
        parts: Parts, each with a price
            and a count.
        note: A note.
        day: A day.
        stay: A day and how it is called.
        days: Days by name.
    """
    return repr((amount, number, flag, level, parts))


def bound(**arguments: Any) -> str:
    return probe.run(World(EMPTY), probe.bind({"amount": 1, "number": 1} | arguments))


@pytest.mark.parametrize(
    ("arguments", "same"),
    [
        ({"amount": "42.50"}, {"amount": 42.5}),
        ({"amount": "7"}, {"amount": 7}),
        ({"number": "3"}, {"number": 3}),
        ({"number": 3.0}, {"number": 3}),
        ({"flag": "true"}, {"flag": True}),
        ({"parts": [{"price": "2.50", "count": "2"}]}, {"parts": [{"price": 2.5, "count": 2}]}),
    ],
)
def test_numeric_strings_count_as_numbers(arguments, same):
    assert probe.bind({"amount": 1, "number": 1} | arguments) == probe.bind({"amount": 1, "number": 1} | same)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"amount": "1.005"}, "amount: 1.005 has more than two decimals"),
        ({"amount": float("nan")}, "not an amount"),
        ({"amount": "Infinity"}, "not an amount"),
        ({"amount": "1e99999999"}, "not an amount"),
        ({"amount": True}, "amount"),
        ({"number": 1.5}, "number"),
        ({"number": 2**60}, "number: the number is too large"),
        ({"number": None}, "number"),
        ({"level": "LOW"}, "level"),
        ({"level": "middle"}, "level"),
        ({"parts": [{"price": "1.001"}]}, "more than two decimals"),
        ({"parts": [{"price": 1, "count": 2**60}]}, "too large"),
        ({"parts": [{}]}, "price"),
        ({"note": "\ud83d"}, "not valid Unicode"),
        ({"day": "2026-13-45"}, "day: 2026-13-45 is no day of the calendar"),
        ({"day": "2026-02-29"}, "no day"),
        ({"parts": [{"price": 1}, {"price": 1, "since": "2026-13-45"}]}, "parts.since: 2026-13-45 is no day"),
        ({"day": "2026-02-28\n"}, "no day"),
        ({"stay": ["2026-13-45", "2026-13-45"]}, "stay: 2026-13-45 is no day"),
        ({"days": {"first": "2026-13-45"}}, "days: 2026-13-45 is no day"),
    ],
)
def test_what_no_tool_takes(arguments, reason):
    with pytest.raises(BadArgumentsError, match=reason):
        bound(**arguments)


def test_only_days_have_to_be_in_the_calendar():
    assert bound(stay=["2026-02-28", "2026-13-45"], days={"2026-13-45": "2026-02-28"})


def test_a_tool_is_read_off_its_function():
    assert probe.name == "probe"
    assert probe.description == "Say what arrived, for tests of binding."
    assert probe.parameters["required"] == ["amount", "number"]
    assert probe.parameters["properties"]["parts"]["description"] == "Parts, each with a price and a count."
    assert probe.requires == {"money", "date"}
    assert not probe.writes


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("I will change the delivery address.", True),
        ("Redirected.", True),
        ("The address does not change.", False),
        ("", False),
    ],
)
def test_a_text_names_an_action_by_its_words(text, named):
    @write("change ~ address", "Redirect")
    def move(world: World) -> str:
        """Send it elsewhere."""
        return ""

    assert move.named_in(text) is named


def test_a_failing_write_changes_nothing(library: Domain):
    kind = library.customer_kind
    world = World(library.train_base(0))
    first, second = list(world.all(kind))[:2]

    @write("break")
    def half_done(world: World, error: bool) -> str:
        """Change two things and then fail, in one way or another.

        Args:
            error: Whether to fail as a tool should.
        """
        world.remove(first)
        world.remove(second)
        raise ToolError("no") if error else RuntimeError("bug")

    for error, kind_of_error in ((True, ToolError), (False, RuntimeError)):
        with pytest.raises(kind_of_error):
            half_done.run(world, half_done.bind({"error": error}))
        assert world.get(kind, first.id) is first
        assert world.changes() == ((), (), ())


def test_a_tool_without_descriptions_is_refused():
    def bare(world: World, what: str) -> str:
        return what

    with pytest.raises(TypeError, match="needs a docstring"):
        read(bare)
    bare.__doc__ = "Do it."
    with pytest.raises(TypeError, match=r"do not describe \['what'\]"):
        read(bare)
    with pytest.raises(TypeError, match="words by which people name the action"):
        write()
