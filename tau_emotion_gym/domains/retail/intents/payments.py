"""Wishes about how orders that have not left yet are paid: other payment methods and vouchers."""

from tau_emotion_gym.domains.retail.intents.grounding import (
    able_to_pay,
    ago,
    my_method,
    open_profile,
    orders,
    point_at_order,
    untouched,
    your_method,
)
from tau_emotion_gym.domains.retail.intents.wording import wish
from tau_emotion_gym.domains.retail.records import Customer, Order, PaymentMethod, Voucher
from tau_emotion_gym.kit import Call, Fact, Goal, Kind, Output, Script, Situation, usd, yours


def _payable(order: Order) -> bool:
    return order.status == "pending" and order.payment_changed_on is None


def paying(customer: Customer, order: Order, method: PaymentMethod) -> Script:
    """The sentences around paying an order with another method."""
    words, total = yours(my_method(customer, method)), usd(order.total)
    return Script(
        propose=f"I will switch the payment of order {order.id} to {words}, charge {total} to it and refund the same "
        f"to {your_method(customer, order.payment_method)}.",
        report=f"The payment of order {order.id} has been switched to {words}, and {total} was charged to it.",
    )


@wish(Kind.FULFIL, weight=3)
def switch_payment(s: Situation) -> Goal | None:
    """Pay for a pending order with another method that covers it."""
    among = orders(s)
    fitting = [
        (order, method)
        for order in untouched(s, among)
        if _payable(order)
        for method in able_to_pay(s.customer, order.total)
        if method.id != order.payment_method
    ]
    if not fitting:
        return None
    order, method = s.draw.pick(fitting)
    at = point_at_order(s, order, among)
    said = my_method(s.customer, method)
    return Goal(
        fill={"order": at.words, "method": said},
        facts=(*at.facts, Fact("payment_method", method.id, said)),
        calls=(*at.calls, Call("change_order_payment", {"order_id": order.id, "payment_method": method.id})),
        script=paying(s.customer, order, method),
    )


@wish(Kind.CONDITIONAL, weight=3)
def gift_card_or_other(s: Situation) -> Goal | None:
    """Pay for a pending order with a gift card that does not cover it; then with another method."""
    among = orders(s)
    card = next((m for m in s.customer.payment_methods if m.balance is not None), None)
    if card is None or card.balance is None:
        return None
    fitting = [
        (order, method)
        for order in untouched(s, among)
        if _payable(order) and order.total > card.balance and order.payment_method != card.id
        for method in s.customer.payment_methods
        if method.id not in (order.payment_method, card.id)
    ]
    if not fitting:
        return None
    order, method = s.draw.pick(fitting)
    at = point_at_order(s, order, among)
    said = my_method(s.customer, method)
    script = paying(s.customer, order, method)
    return Goal(
        fill={"order": at.words, "method": said},
        facts=(*at.facts, Fact("payment_method", method.id, said)),
        calls=(*at.calls, Call("change_order_payment", {"order_id": order.id, "payment_method": method.id})),
        script=Script(
            propose=script.propose,
            report=script.report,
            refuse=f"I can't put order {order.id} on your gift card, because the order comes to {usd(order.total)}, "
            f"the card has only {usd(card.balance)} left, and the policy does not allow a payment to be split.",
        ),
        insists=s.draw.below(2),
    )


def say_voucher(s: Situation, voucher: Voucher, mine: list[Voucher]) -> str:
    """By its code, or by what it gives where no other voucher of the customer gives the same."""
    alike = [other for other in mine if (other.kind, other.value) == (voucher.kind, voucher.value)]
    if len(alike) > 1 or s.draw.chance(0.6):
        return f"voucher {voucher.code}"
    return f"my {int(voucher.value)} {'percent' if voucher.kind == 'percent' else 'dollar'} voucher"


def unredeemed(s: Situation, among: list[Order], mine: list[Voucher]) -> list[tuple[Order, Voucher]]:
    """The pending orders without a voucher, each with every voucher that has not been used."""
    fresh = [voucher for voucher in mine if voucher.used_on is None]
    pending = [order for order in untouched(s, among) if order.status == "pending" and order.voucher is None]
    return [(order, voucher) for order in pending for voucher in fresh]


def redeeming(order: Order, voucher: Voucher) -> Script:
    """The sentences around applying a voucher."""
    saved = voucher.discount(order.subtotal)
    total = usd(order.total - saved)
    return Script(
        propose=f"I will redeem voucher {voucher.code} on order {order.id}, which takes {usd(saved)} off.",
        report=f"Voucher {voucher.code} has been redeemed on order {order.id}. It takes {usd(saved)} off, so the order "
        f"now comes to {total}.",
    )


@wish(Kind.FULFIL, weight=3)
def use_voucher(s: Situation) -> Goal | None:
    """Apply a valid voucher to a pending order that is large enough, and say what it comes to then."""
    among = orders(s)
    mine = s.world.where(Voucher, "customer_id", s.customer.id)
    today = ago(s.world, 0)
    fitting = [
        (order, voucher)
        for order, voucher in unredeemed(s, among, mine)
        if voucher.valid_until >= today and voucher.minimum <= order.subtotal
    ]
    if not fitting:
        return None
    order, voucher = s.draw.pick(fitting)
    at = point_at_order(s, order, among)
    said = say_voucher(s, voucher, mine)
    total = order.total - voucher.discount(order.subtotal)
    return Goal(
        fill={"order": at.words, "voucher": said},
        facts=(*at.facts, Fact("voucher_code", voucher.code, said)),
        calls=(
            open_profile(s.customer),
            *at.calls,
            Call("apply_voucher", {"order_id": order.id, "code": voucher.code}),
        ),
        outputs=(Output("money", str(total)),),
        script=redeeming(order, voucher),
    )
