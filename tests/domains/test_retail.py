"""Retail: its world, tools, rules and intents."""

import re
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.retail.records import Customer, Order, Product, Variant, Voucher
from tau_emotion_gym.domains.retail.tools import TOOLS
from tau_emotion_gym.kit import TRANSFER, Context, Domain, ToolError, load
from tau_emotion_gym.world import World, canonical

WRITES = [tool.name for tool in TOOLS if tool.writes]


@pytest.fixture(scope="module")
def retail() -> Domain:
    return load("retail")


@pytest.fixture
def world(retail: Domain) -> World:
    return World(retail.base())


def some_order(world: World, **wanted: object) -> Order:
    """The first order with these field values."""
    return next(o for o in world.all(Order) if all(getattr(o, k) == v for k, v in wanted.items()))


def run(retail: Domain, world: World, tool_name: str, /, **arguments: object) -> object:
    tool = retail.tools[tool_name]
    return tool.run(world, tool.bind(arguments))


def swap(old: str, new: str, *more: str) -> dict[str, object]:
    """Arguments of a change of items."""
    return {"item_ids": [old, *more], "new_item_ids": [new], "payment_method": "card"}


def net(order: Order) -> Decimal:
    """What the customer has paid for an order in the end."""
    return sum((p.amount if p.kind == "payment" else -p.amount for p in order.payments), Decimal(0))


# --- world ------------------------------------------------------------------------------------------


def test_there_are_near_duplicates(world: World) -> None:
    towns = Counter((c.name.split()[0], c.address.split(", ")[1]) for c in world.all(Customer))
    assert sum(count > 1 for count in towns.values()) >= 40
    alike = 0
    for customer in world.all(Customer):
        titles = Counter(i.title for o in world.where(Order, "customer_id", customer.id) for i in o.items)
        alike += max(titles.values()) > 1
    assert alike >= 20


def test_orders_add_up(world: World) -> None:
    for order in world.all(Order):
        assert net(order) == (0 if order.status in ("cancelled", "returned") else order.total)


def test_variants_of_a_product_differ_in_price_and_options(world: World) -> None:
    for product in world.all(Product):
        variants = world.where(Variant, "product_id", product.id)
        assert len({v.price for v in variants}) == len(variants) == len({tuple(v.options.values()) for v in variants})


# --- tools ------------------------------------------------------------------------------------------


def test_cancelling_refunds_in_full_and_puts_the_items_back(retail: Domain, world: World) -> None:
    order = some_order(world, status="pending")
    stock = {item.id: world.get(Variant, item.id).stock for item in order.items}  # type: ignore[union-attr]
    after = run(retail, world, "cancel_order", order_id=order.id, reason="found_cheaper")
    assert isinstance(after, Order)
    assert (after.status, net(after)) == ("cancelled", 0)
    for key, before in stock.items():
        assert world.get(Variant, key).stock == before + 1  # type: ignore[union-attr]


def test_a_gift_card_pays_and_gets_its_money_back(retail: Domain, world: World) -> None:
    customer, card, order = next(
        (c, m, o)
        for c in world.all(Customer)
        for m in c.payment_methods
        if m.balance is not None
        for o in world.where(Order, "customer_id", c.id)
        if o.status == "pending" and o.payment_method != m.id and o.total <= m.balance
    )
    run(retail, world, "change_order_payment", order_id=order.id, payment_method=card.id)
    paid = world.get(Customer, customer.id).method(card.id)  # type: ignore[union-attr]
    assert paid.balance == card.balance - order.total  # type: ignore[union-attr, operator]
    run(retail, world, "cancel_order", order_id=order.id, reason="no_longer_needed")
    assert world.get(Customer, customer.id) == customer


@pytest.mark.parametrize(("membership", "fee"), [("standard", 5), ("plus", 0)])
def test_the_return_fee_is_for_standard_members(retail: Domain, world: World, membership: str, fee: int) -> None:
    members = {c.id for c in world.all(Customer) if c.membership == membership}
    order = next(o for o in world.all(Order) if o.status == "delivered" and o.customer_id in members)
    item = order.items[0]
    after = run(
        retail, world, "return_items", order_id=order.id, item_ids=[item.id], refund_method=order.payment_method
    )
    assert isinstance(after, Order)
    assert after.payments[-1].amount == item.price - fee
    assert after.returned_items == (item.id,)


def test_a_percent_voucher_depends_on_when_it_is_applied(retail: Domain) -> None:
    base = retail.base()
    order, voucher = next(
        (o, v)
        for o in World(base).all(Order)
        if o.status == "pending"
        for v in World(base).where(Voucher, "customer_id", o.customer_id)
        if v.kind == "percent"
    )
    item = order.items[0]
    new = next(v for v in World(base).where(Variant, "product_id", item.product_id) if v.stock and v.id != item.id)
    card = next(
        m.id
        for m in World(base).get(Customer, order.customer_id).payment_methods  # type: ignore[union-attr]
        if m.balance is None
    )
    swap = {"order_id": order.id, "item_ids": [item.id], "new_item_ids": [new.id], "payment_method": card}
    redeem = {"order_id": order.id, "code": voucher.code}
    ends = []
    for calls in ([("change_order_items", swap), ("apply_voucher", redeem)], [("apply_voucher", redeem)]):
        world = World(base)
        for name, arguments in calls:
            run(retail, world, name, **arguments)
        if len(calls) == 1:
            run(retail, world, "change_order_items", **swap)
        ends.append(canonical(world.changes()))
    assert ends[0] != ends[1]


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("find_customer_by_email", {"email": "nobody@mailbox.example"}, "full name and ZIP"),
        ("find_customer_by_name_zip", {"name": "No Body", "zip": "00000"}, "0 customers"),
        ("get_customer", {"customer_id": "nobody"}, "find_customer"),
        ("get_order", {"order_id": "R0000000"}, "R and seven digits"),
        ("get_product", {"product_id": "P0"}, "list_product_types"),
        ("search_variants", {"product_id": "?", "option": "color", "value": "beige"}, "Its options"),
        ("change_order_payment", {"order_id": "?", "payment_method": "cash"}, "On the profile"),
        ("return_items", {"order_id": "?", "item_ids": ["V1"], "refund_method": "cash"}, "only orders"),
        ("change_order_items", {"order_id": "?", **swap("V1", "V2")}, "Its items"),
        ("change_order_items", {"order_id": "?", **swap("V1", "V3", "V2")}, "one for each"),
        ("apply_voucher", {"order_id": "?", "code": "NONE"}, "lists a customer's vouchers"),
    ],
)  # fmt: skip
def test_errors_say_what_would_be_valid_and_change_nothing(
    retail: Domain, world: World, name: str, arguments: dict[str, object], says: str
) -> None:
    real = {"order_id": some_order(world, status="pending").id, "product_id": next(world.all(Product)).id}
    filled = {key: real[key] if value == "?" else value for key, value in arguments.items()}
    with pytest.raises(ToolError, match=re.escape(says)):
        run(retail, world, name, **filled)
    assert canonical(world.changes()).empty


def test_sold_out_variants_and_empty_gift_cards_are_refused(retail: Domain, world: World) -> None:
    order, item, gone = next(
        (o, i, v)
        for o in world.all(Order)
        if o.status == "pending"
        for i in o.items
        for v in world.where(Variant, "product_id", i.product_id)
        if not v.stock and v.id != i.id
    )
    arguments = {"order_id": order.id, "item_ids": [item.id], "new_item_ids": [gone.id]}
    with pytest.raises(ToolError, match="out of stock"):
        run(retail, world, "change_order_items", **arguments, payment_method=order.payment_method)
    order, card = next(
        (o, m)
        for o in world.all(Order)
        if o.status == "pending"
        for m in world.get(Customer, o.customer_id).payment_methods  # type: ignore[union-attr]
        if m.balance is not None and m.balance < o.total and m.id != o.payment_method
    )
    with pytest.raises(ToolError, match="does not cover"):
        run(retail, world, "change_order_payment", order_id=order.id, payment_method=card.id)
    assert canonical(world.changes()).empty


def test_addresses_off_the_pattern_are_refused(retail: Domain) -> None:
    tool = retail.tools["change_default_address"]
    with pytest.raises(ValueError, match="address"):
        tool.bind({"customer_id": "x", "address": "somewhere"})


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.sampled_from(WRITES), min_size=1, max_size=6))
def test_money_is_never_made_or_lost(seed: int, names: list[str]) -> None:
    """Whatever an agent does to an order, its payments add up and gift cards move by what was paid."""
    retail = load("retail")
    world, draw = World(retail.base()), Draw(seed, "money")
    customer = draw.pick(list(world.all(Customer)))
    order = draw.pick(world.where(Order, "customer_id", customer.id))
    before = net(order)
    for name in names:
        tool = retail.tools[name]
        arguments = _random_arguments(world, draw, customer, order, name)
        try:
            tool.run(world, tool.bind(arguments))
        except ToolError:
            continue
    after = world.get(Order, order.id)
    now = world.get(Customer, customer.id)
    assert after is not None
    assert now is not None
    if after.status in ("pending", "processed"):
        assert net(after) == after.total
    if after.status == "cancelled":
        assert net(after) == 0
    moved = sum(
        (new.balance - old.balance for new, old in zip(now.payment_methods, customer.payment_methods, strict=True)
         if new.balance is not None and old.balance is not None), Decimal(0)
    )  # fmt: skip
    cards = {m.id for m in customer.payment_methods if m.balance is not None}
    paid = sum(
        (p.amount if p.kind == "payment" else -p.amount for p in after.payments if p.method in cards), Decimal(0)
    )
    paid_before = before if order.payment_method in cards else Decimal(0)
    assert moved == paid_before - paid


def _random_arguments(world: World, draw: Draw, customer: Customer, order: Order, name: str) -> dict[str, object]:
    item = draw.pick(order.items)
    variant = draw.pick(world.where(Variant, "product_id", item.product_id))
    method = draw.pick(customer.payment_methods).id
    vouchers = world.where(Voucher, "customer_id", customer.id)
    known = {
        "order_id": order.id,
        "customer_id": customer.id,
        "reason": "found_cheaper",
        "address": customer.address,
        "payment_method": method,
        "refund_method": method,
        "item_ids": [item.id],
        "new_item_ids": [variant.id],
        "code": draw.pick(vouchers).code if vouchers else "NONE",
    }
    fields = load("retail").tools[name].arguments.__struct_fields__
    return {field: known[field] for field in fields}


# --- rules ------------------------------------------------------------------------------------------


def test_every_rule_is_kept_and_broken_by_something(retail: Domain) -> None:
    """Over all orders and plain arguments, each rule says yes to some calls and no to others."""
    world = World(retail.base())
    verdicts: dict[str, set[bool]] = {rule.id: set() for rule in retail.rules}
    draw = Draw(3, "rules")
    strangers = [c.id for c in list(world.all(Customer))[:1]]
    for order in list(world.all(Order)):
        customer = world.get(Customer, order.customer_id)
        assert customer is not None
        for name in WRITES:
            tool = retail.tools[name]
            arguments = _random_arguments(world, draw, customer, order, name)
            if draw.chance(0.1) and "new_item_ids" in arguments:
                arguments["new_item_ids"] = [draw.pick(list(world.base.tables[Variant]))]
            bound = tool.bind(arguments)
            known = draw.pick([[customer.id], [], strangers])
            context = Context(world, (), known, (name,) if draw.chance(0.5) else ())
            for rule in retail.rules_of[name]:
                verdicts[rule.id].add(rule.check(context, bound))
    transfer = retail.tools[TRANSFER].bind({"reason": "other"})
    for known in ([], strangers):
        verdicts["hand_over_identified"].add(retail.rules_of[TRANSFER][0].check(Context(world, (), known), transfer))
    assert {name for name, seen in verdicts.items() if seen != {True, False}} == set()


def test_the_policy_states_every_number_that_a_rule_checks(retail: Domain) -> None:
    for figure in ("5 days", "30 days", "60 days", "45 days", "$300.00", "$5.00", "May 20, 2026"):
        assert figure in retail.policy
