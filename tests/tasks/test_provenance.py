"""Where the values of writes come from, and what counts as the same value."""

from decimal import Decimal
from typing import Annotated, Literal

import msgspec
import pytest

from tau_emotion_gym.kit import TRANSFER, Call, Domain, Done, Fact, write
from tau_emotion_gym.tasks.arguments import Leaf, leaves, step
from tau_emotion_gym.tasks.provenance import Told, has_number, numbers, words
from tau_emotion_gym.world import FreeText, Money, Ref, World


class Line(msgspec.Struct, frozen=True):
    """An item with its price."""

    item: Annotated[str, Ref("item")]
    price: Money
    note: FreeText = ""


@write("send")
def send(
    world: World,
    order: Annotated[str, Ref("order")],
    lines: tuple[Line, ...] = (),
    to: str | None = None,
    amount: Money | None = None,
    seats: dict[str, int] | None = None,
    gift: bool = False,
    speed: Literal["slow", "fast"] = "slow",
    note: FreeText = "",
) -> str:
    """Send something somewhere, for tests of where values come from.

    Args:
        order: An order.
        lines: Lines.
        to: Where to.
        amount: How much.
        seats: Seats.
        gift: Whether it is a gift.
        speed: How fast.
        note: A note.
    """
    return order


def given(**arguments) -> list[Leaf]:
    bound = msgspec.structs.asdict(send.bind(arguments))
    return leaves(send, bound, arguments)


def told(domain: Domain, *facts: Fact, results=()) -> Told:
    known = Told(domain, facts)
    for name, value in results:
        known.add(Done(name, {}, True, value))
    return known


# --- leaves ---------------------------------------------------------------------------------------


def test_leaves_have_paths_and_kinds():
    assert given(
        order="O1", lines=[{"item": "I1", "price": "2.50", "note": "n"}], to="here", seats={"a": 1}, note="free"
    ) == [
        ("order", "order", "O1"),
        ("lines.0.item", "item", "I1"),
        ("lines.0.price", "money", Decimal("2.50")),
        ("to", None, "here"),
        ("seats.a", None, 1),
    ]


def test_only_given_arguments_have_leaves():
    assert given(order="O1", to=None, lines=[]) == [("order", "order", "O1")]


# --- sources --------------------------------------------------------------------------------------

LOOKED_UP = [("get_order", {"total": Decimal("42.50"), "owner": "Ada Byron", "open": True, "ids": ["O1", "I77"]})]


@pytest.mark.parametrize(
    ("facts", "path", "value", "source"),
    [
        ([Fact("order", "O1")], "order", "O1", "fact:order"),
        ([Fact("order", "x", "O1")], "order", "O1", "fact:order"),
        ([], "order", "O1", "lookup:get_order"),
        ([Fact("item", "O1"), Fact("order", "O1")], "order", "O1", "fact:item"),
        ([Fact("name", "Ada Lovelace")], "to", "Ada", "fact:name"),
        ([Fact("name", "Adamov")], "to", "Ada", "lookup:get_order"),
        ([Fact("why", "ordered_by_mistake", "I ordered it by mistake")], "to", "by mistake", "fact:why"),
        ([], "to", "byron", "lookup:get_order"),
        ([], "to", "Lovelace", None),
        ([], "order", "I7", None),
        ([Fact("sum", "$1,042.50")], "amount", Decimal("1042.5"), "fact:sum"),
        ([Fact("bags", "3 bags")], "amount", Decimal(3), "fact:bags"),
        ([Fact("order", "R3")], "amount", Decimal(3), None),
        ([], "amount", Decimal("42.5"), "lookup:get_order"),
        ([], "amount", Decimal("2.5"), None),
        ([], "gift", True, None),
        ([Fact("gift", "true")], "gift", True, "fact:gift"),
        ([], "gift", False, "policy"),
        ([], "speed", "slow", "policy"),
        ([], "speed", "fast", None),
        ([], "to", "Riverside", "policy"),
        ([], "amount", Decimal("0.25"), "policy"),
        ([], "amount", Decimal("0.26"), None),
    ],
)
def test_sources(library: Domain, facts, path, value, source):
    assert told(library, *facts, results=LOOKED_UP).source(send, path, value) == source


def test_the_latest_result_comes_first(library: Domain):
    known = told(library, results=[("get_order", "O1"), ("list_orders", ("O1", "O2"))])
    assert known.source(send, "order", "O1") == "lookup:list_orders"


def test_the_reason_of_a_hand_off_comes_from_its_list(library: Domain):
    transfer = library.tools[TRANSFER]
    assert told(library).source(transfer, "reason", "damaged_item") == "policy"


def test_a_result_counts_only_from_its_call_on(library: Domain):
    """The id that a write itself makes is no source for it, but it is one for the next."""
    calls = [Call("renew_loan", {"loan_id": "L1"}), Call("renew_loan", {"loan_id": "L1"})]
    done = [Done("renew_loan", {"loan_id": "L1"}, True, ("L1",))] * 2
    steps = [step(library, call, result) for call, result in zip(calls, done, strict=True)]
    found, missing = told(library).sources(steps)
    assert missing == ["renew_loan loan_id=L1"]
    assert found == {"1.loan_id": "lookup:renew_loan"}


def test_every_shipped_write_says_where_its_values_come_from(each_domain: Domain):
    for task in each_domain.test_tasks.values():
        for goal in task.goals:
            for index, call in enumerate(goal.calls):
                tool = each_domain.tools[call.name]
                if tool.writes:
                    bound = msgspec.structs.asdict(tool.bind(call.arguments))
                    for path, _, _ in leaves(tool, bound, call.arguments):
                        kind, _, name = goal.sources[f"{index}.{path}"].partition(":")
                        known = {"fact": each_domain.slots, "lookup": each_domain.tools, "policy": {"": ""}}[kind]
                        assert name in known, task.id


# --- sameness -------------------------------------------------------------------------------------


def test_words():
    assert words("Ordered_by  mistake, Ada!") == " ordered by mistake ada "
    assert words("Zoë") in words("for ZOË only")


def test_numbers_in_prose():
    assert numbers("$1,042.50 for 3 bags") == {Decimal("1042.50"), Decimal(3)}


@pytest.mark.parametrize(
    ("text", "number", "found"),
    [
        ('{"a":42.50}', "42.5", True),
        ('["42.50"]', "42.5", True),
        ('{"a":142.50}', "42.5", False),
        ('{"a":42.505}', "42.5", False),
        ('{"a":"R42"}', "42", False),
        ('{"a":"42nd"}', "42", False),
        ('{"day":"2026-03-05"}', "3", False),
        ('{"day":"2026-03-05"}', "2026", False),
        ('{"at":"10:30"}', "10", False),
        ('{"a":-5}', "-5", True),
        ('{"a":-5}', "5", False),
        ('{"a":[13,3]}', "3", True),
        ("I paid 42.50.", "42.5", True),
        ("3: a crowd", "3", True),
    ],
)
def test_numbers_that_stand_alone(text, number, found):
    assert has_number(text, Decimal(number)) is found
