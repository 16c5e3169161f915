"""Wishes that the policy forbids; each refusal tells the date or the amount that decides."""

from tau_emotion_gym.domains.retail.intents.delivered import arrived
from tau_emotion_gym.domains.retail.intents.grounding import (
    ago,
    open_profile,
    orders,
    point_at_item,
    point_at_order,
    siblings,
    untouched,
)
from tau_emotion_gym.domains.retail.intents.payments import say_voucher, unredeemed
from tau_emotion_gym.domains.retail.intents.pending import REASONS
from tau_emotion_gym.domains.retail.intents.wording import wish
from tau_emotion_gym.domains.retail.records import Order, Voucher
from tau_emotion_gym.domains.retail.rules import EXCHANGE_DAYS, RETURN_DAYS
from tau_emotion_gym.kit import Fact, Goal, Kind, Output, Script, Situation, long_date, usd


@wish(Kind.DENY, weight=2)
def return_too_late(s: Situation) -> Goal | None:
    """Return an item after the windows for returns and exchanges."""
    among = orders(s)
    days = max(RETURN_DAYS[s.customer.membership], EXCHANGE_DAYS)
    young = {order.id for order in arrived(s, among, days)}
    fitting = [
        (order, item)
        for order in untouched(s, among)
        if order.status == "delivered" and order.id not in young
        for item in order.items
        if not item.final_sale
    ]
    if not fitting:
        return None
    order, item = s.draw.pick(fitting)
    assert order.delivered_on is not None
    at = point_at_item(s, order, item, among)
    return Goal(
        fill={"item": at.words},
        facts=at.facts,
        calls=at.calls,
        outputs=(Output("date", order.delivered_on),),
        script=Script(
            refuse=f"I can't take the {item.title} back, because order {order.id} was delivered on "
            f"{long_date(order.delivered_on)}, and returns are only possible within "
            f"{RETURN_DAYS[s.customer.membership]} days; an exchange is not possible any more either."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY, weight=2)
def cancel_shipped(s: Situation) -> Goal | None:
    """Cancel an order that is on its way."""
    among = orders(s)
    fitting = [order for order in untouched(s, among) if order.status == "processed"]
    if not fitting:
        return None
    order = s.draw.pick(fitting)
    assert order.shipped_on is not None
    at = point_at_order(s, order, among)
    reason, mine, _ = s.draw.pick(REASONS)
    return Goal(
        fill={"order": at.words, "reason": mine},
        facts=(*at.facts, Fact("reason", reason, mine)),
        calls=at.calls,
        outputs=(Output("date", order.shipped_on),),
        script=Script(
            refuse=f"I can't cancel order {order.id}, because it was shipped on {long_date(order.shipped_on)}, and "
            "only orders that are still pending can be cancelled. Once it has arrived, you can return it."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY, weight=2)
def second_change(s: Situation) -> Goal | None:
    """Change the items of an order a second time."""
    among = orders(s)
    fitting = [
        order for order in untouched(s, among) if order.status == "pending" and order.items_changed_on is not None
    ]
    if not fitting:
        return None
    order = s.draw.pick(fitting)
    assert order.items_changed_on is not None
    item = s.draw.pick(order.items)
    at = point_at_item(s, order, item, among)
    options = [option for option in siblings(s, item) if option.variant.stock]
    if not options:
        return None
    wanted = s.draw.pick(options)
    return Goal(
        fill={"item": at.words, "wanted": wanted.words},
        facts=(*at.facts, Fact("variant", wanted.variant.id, wanted.words)),
        calls=at.calls,
        outputs=(Output("date", order.items_changed_on),),
        script=Script(
            refuse=f"I can't change the {item.title} in order {order.id}, because its items were already changed on "
            f"{long_date(order.items_changed_on)}, and that is only possible once per order."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY, weight=2)
def voucher_refused(s: Situation) -> Goal | None:
    """Use a voucher that has expired, or one that asks for a larger order."""
    among = orders(s)
    mine = s.world.where(Voucher, "customer_id", s.customer.id)
    today = ago(s.world, 0)
    fitting = [
        (order, voucher)
        for order, voucher in unredeemed(s, among, mine)
        if (voucher.valid_until < today) != (voucher.minimum > order.subtotal)
    ]
    if not fitting:
        return None
    order, voucher = s.draw.pick(fitting)
    at = point_at_order(s, order, among)
    said = say_voucher(s, voucher, mine)
    output, why = _why_not(order, voucher, today)
    return Goal(
        fill={"order": at.words, "voucher": said},
        facts=(*at.facts, Fact("voucher_code", voucher.code, said)),
        calls=(open_profile(s.customer), *at.calls),
        outputs=(output,),
        script=Script(refuse=f"I can't redeem voucher {voucher.code} on order {order.id}, because {why}."),
        insists=s.draw.below(3),
    )


def _why_not(order: Order, voucher: Voucher, today: str) -> tuple[Output, str]:
    if voucher.valid_until < today:
        return Output("date", voucher.valid_until), f"its last valid day was {long_date(voucher.valid_until)}"
    return (
        Output("money", str(voucher.minimum)),
        f"it requires a minimum of {usd(voucher.minimum)}, and the items come to {usd(order.subtotal)}",
    )
