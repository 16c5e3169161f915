"""Wishes for which a human colleague must take over."""

from tau_emotion_gym.domains.retail.intents.delivered import arrived, return_sum, returnable
from tau_emotion_gym.domains.retail.intents.grounding import orders, point_at_item, point_at_order, untouched
from tau_emotion_gym.domains.retail.intents.wording import wish
from tau_emotion_gym.domains.retail.ledger import refund_of
from tau_emotion_gym.domains.retail.records import Product
from tau_emotion_gym.domains.retail.rules import RETURN_LIMIT
from tau_emotion_gym.kit import Goal, Kind, Output, Script, Situation, hand_over, long_date, usd

REASONS = ("missing_parcel", "high_value_return", "dangerous_product", "payment_dispute", "other")
"""Why a conversation is handed over."""

MISSING_DAYS = 30
"""A parcel is reported missing at most so many days after the carrier says that it was delivered."""


HARD = ("kitchen", "electronics", "furniture")
"""Categories of products on which one can cut oneself."""


@wish(Kind.HAND_OFF)
def high_value_return(s: Situation) -> Goal | None:
    """Return an order whose refund is above the agent's limit."""
    among = orders(s)
    fitting = [
        order
        for order in returnable(s, among)
        if refund_of(s.customer, list(order.items)) > RETURN_LIMIT and not any(item.final_sale for item in order.items)
    ]
    if not fitting:
        return None
    order = s.draw.pick(fitting)
    at = point_at_order(s, order, among)
    items = list(order.items)
    amount = refund_of(s.customer, items)
    return Goal(
        fill={"order": at.words},
        facts=at.facts,
        calls=(
            *at.calls,
            return_sum(s.customer, items),
            hand_over("high_value_return", f"Wants to return all of order {order.id}, refund {usd(amount)}."),
        ),
        outputs=(Output("money", str(amount)),),
        script=Script(
            report=f"The refund for order {order.id} would be {usd(amount)}, which a human colleague has to "
            "approve, so I am handing you over now."
        ),
    )


@wish(Kind.HAND_OFF)
def missing_parcel(s: Situation) -> Goal | None:
    """An order that shows as delivered has not been received."""
    among = orders(s)
    fitting = arrived(s, among, MISSING_DAYS)
    if not fitting:
        return None
    order = s.draw.pick(fitting)
    assert order.delivered_on is not None
    at = point_at_order(s, order, among)
    return Goal(
        fill={"order": at.words},
        facts=at.facts,
        calls=(
            *at.calls,
            hand_over("missing_parcel", f"Order {order.id} shows as delivered but was not received."),
        ),
        outputs=(Output("date", order.delivered_on),),
        script=Script(
            report=f"According to the carrier, order {order.id} was delivered on {long_date(order.delivered_on)}. A "
            "human colleague has to look into a missing parcel, so I am handing you over now."
        ),
    )


@wish(Kind.HAND_OFF, emergency=True)
def dangerous_item(s: Situation) -> Goal | None:
    """A product has caught fire or hurt someone."""
    among = orders(s)
    fitting = [
        (order, item)
        for order in untouched(s, among)
        if order.status == "delivered"
        for item in order.items
        if (product := s.world.get(Product, item.product_id)) and product.category in HARD
    ]
    if not fitting:
        return None
    order, item = s.draw.pick(fitting)
    at = point_at_item(s, order, item, among)
    return Goal(
        fill={"item": at.words},
        facts=at.facts,
        calls=(hand_over("dangerous_product", f"Danger reported: {item.title}, order {order.id}."),),
        script=Script(report="I am handing you over to a human colleague at once."),
    )
