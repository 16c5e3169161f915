"""Figures that customers want and the agent must work out."""

from decimal import Decimal

from tau_emotion_gym.domains.retail.catalogue import spoken
from tau_emotion_gym.domains.retail.intents.delivered import last_day, return_sum, returnable
from tau_emotion_gym.domains.retail.intents.grounding import (
    open_order,
    open_product,
    open_profile,
    orders,
    point_at_item,
    point_at_order,
    untouched,
)
from tau_emotion_gym.domains.retail.intents.wording import wish
from tau_emotion_gym.domains.retail.ledger import refund_of
from tau_emotion_gym.domains.retail.records import ZERO, Order, Product, Variant
from tau_emotion_gym.kit import Call, Fact, Goal, Kind, Output, Script, Situation, calculation, long_date, usd


def _told(amount: Decimal) -> tuple[Output, ...]:
    return (Output("money", str(amount)),)


def _sum(orders: list[Order]) -> Call:
    terms = [str(item.price) for order in orders for item in order.items]
    terms += [f"-{order.discount}" for order in orders if order.discount]
    return calculation(" + ".join(terms))


@wish(Kind.INFORM, weight=2)
def still_to_come(s: Situation) -> Goal | None:
    """What all orders that have not arrived come to."""
    open_ones = [order for order in orders(s) if order.status in ("pending", "processed")]
    if len(open_ones) < 2:
        return None
    total = sum([order.total for order in open_ones], ZERO)
    return Goal(
        calls=(open_profile(s.customer), *(open_order(order) for order in open_ones), _sum(open_ones)),
        outputs=_told(total),
        script=Script(report=f"Your {len(open_ones)} orders that have not arrived yet come to {usd(total)} together."),
    )


@wish(Kind.INFORM, weight=2)
def refund_estimate(s: Situation) -> Goal | None:
    """What the return of a whole order would give back, less the fee."""
    among = orders(s)
    fitting = [o for o in returnable(s, among) if not any(item.final_sale for item in o.items)]
    if not fitting:
        return None
    order = s.draw.pick(fitting)
    at = point_at_order(s, order, among)
    items = list(order.items)
    amount = refund_of(s.customer, items)
    return Goal(
        fill={"order": at.words},
        facts=at.facts,
        calls=(*at.calls, return_sum(s.customer, items)),
        outputs=_told(amount),
        script=Script(report=f"If everything in order {order.id} came back, your refund would be {usd(amount)}."),
    )


@wish(Kind.INFORM, weight=2)
def price_change(s: Situation) -> Goal | None:
    """How far today's price of an ordered item is from what was paid."""
    among = orders(s)
    fitting = []
    for order in untouched(s, among):
        for item in order.items:
            variant = s.world.get(Variant, item.id)
            if variant is not None and variant.price != item.price and order.status != "cancelled":
                fitting.append((order, item, variant.price))
    if not fitting:
        return None
    order, item, price = s.draw.pick(fitting)
    at = point_at_item(s, order, item, among)
    difference = item.price - price
    way = "less" if difference > 0 else "more"
    return Goal(
        fill={"item": at.words},
        facts=at.facts,
        calls=(
            *at.calls,
            open_product(item.product_id),
            calculation(f"{item.price} - {price}"),
        ),
        outputs=_told(abs(difference)),
        script=Script(
            report=f"Today the {item.title} costs {usd(price)}, which is {usd(abs(difference))} {way} than the "
            f"{usd(item.price)} in your order."
        ),
    )


@wish(Kind.INFORM, weight=2)
def gift_card_rest(s: Situation) -> Goal | None:
    """What would be left on the gift card after paying for a pending order."""
    among = orders(s)
    card = next((m for m in s.customer.payment_methods if m.balance is not None), None)
    if card is None or card.balance is None:
        return None
    fitting = [
        order
        for order in untouched(s, among)
        if order.status == "pending" and order.payment_method != card.id and order.total < card.balance
    ]
    if not fitting:
        return None
    order = s.draw.pick(fitting)
    at = point_at_order(s, order, among)
    rest = card.balance - order.total
    terms = " - ".join(str(item.price) for item in order.items) + (f" + {order.discount}" if order.discount else "")
    return Goal(
        fill={"order": at.words},
        facts=at.facts,
        calls=(
            open_profile(s.customer),
            *at.calls,
            calculation(f"{card.balance} - {terms}"),
        ),
        outputs=_told(rest),
        script=Script(
            report=f"Order {order.id} comes to {usd(order.total)}, so {usd(rest)} would be left on your gift card."
        ),
    )


@wish(Kind.INFORM, weight=2)
def cheapest_in_stock(s: Situation) -> Goal | None:
    """The lowest price at which a product is in stock in a certain option."""
    product = s.draw.pick(list(s.world.base.tables[Product].values()))
    assert isinstance(product, Product)
    variants = s.world.where(Variant, "product_id", product.id)
    option, value = s.draw.pick(list(s.draw.pick(variants).options.items()))
    prices = [v.price for v in variants if v.stock and v.options[option] == value]
    if len(prices) < 2:
        return None
    what = f"{product.name} {spoken(option, value)}"
    return Goal(
        fill={"product": what, "a_product": f"{'an' if what[0] in 'aeiou' else 'a'} {what}"},
        facts=(Fact("item", product.id, what),),
        calls=(
            Call("list_product_types", {}),
            Call("search_variants", {"product_id": product.id, "option": option, "value": value}),
        ),
        outputs=_told(min(prices)),
        script=Script(report=f"The cheapest {what} that is in stock costs {usd(min(prices))}."),
    )


@wish(Kind.INFORM, weight=2)
def return_deadline(s: Situation) -> Goal | None:
    """The last day on which an item can be returned."""
    among = orders(s)
    fitting = [(order, item) for order in returnable(s, among) for item in order.items if not item.final_sale]
    if not fitting:
        return None
    order, item = s.draw.pick(fitting)
    at = point_at_item(s, order, item, among)
    until = last_day(s.world, order, s.customer)
    return Goal(
        fill={"item": at.words},
        facts=at.facts,
        calls=at.calls,
        outputs=(Output("date", until),),
        script=Script(report=f"The last day to send the {item.title} back is {long_date(until)}."),
    )
