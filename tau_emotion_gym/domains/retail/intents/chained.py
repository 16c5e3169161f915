"""Wishes that come after another one and whose outcome depends on it."""

from tau_emotion_gym.domains.retail.intents.grounding import ago, my_method, open_profile, orders, point_at_order
from tau_emotion_gym.domains.retail.intents.payments import paying, redeeming, say_voucher
from tau_emotion_gym.domains.retail.intents.wording import wish
from tau_emotion_gym.domains.retail.records import Order, PaymentMethod, Voucher
from tau_emotion_gym.kit import Call, Fact, Goal, Kind, Output, Script, Situation, usd

RETURNS = ("return_item", "return_everything")


def _last_order(s: Situation) -> Order | None:
    """The order that the goal before has changed."""
    arguments = s.earlier[-1].calls[-1].arguments if s.earlier else {}
    return s.world.get(Order, arguments.get("order_id", ""))


@wish(Kind.FULFIL, follows=("change_option", "cheapest_swap", "option_or_second"))
def voucher_on_change(s: Situation) -> Goal | None:
    """Apply a voucher to the order whose items were just changed: its discount depends on the new price."""
    order = _last_order(s)
    if order is None or order.status != "pending" or order.voucher is not None:
        return None
    mine = s.world.where(Voucher, "customer_id", s.customer.id)
    today = ago(s.world, 0)
    fitting = [
        voucher
        for voucher in mine
        if voucher.kind == "percent"
        and voucher.used_on is None
        and voucher.valid_until >= today
        and voucher.minimum <= order.subtotal
    ]
    if not fitting:
        return None
    voucher = s.draw.pick(fitting)
    said = say_voucher(s, voucher, mine)
    total = order.total - voucher.discount(order.subtotal)
    return Goal(
        fill={"voucher": said},
        facts=(Fact("voucher_code", voucher.code, said),),
        calls=(open_profile(s.customer), Call("apply_voucher", {"order_id": order.id, "code": voucher.code})),
        outputs=(Output("money", str(total)),),
        script=redeeming(order, voucher),
    )


def _refilled(s: Situation) -> PaymentMethod | None:
    """The gift card to which the goal before has sent a refund."""
    arguments = s.earlier[-1].calls[-1].arguments if s.earlier else {}
    method = s.customer.method(arguments.get("refund_method", ""))
    return method if method is not None and method.balance is not None else None


@wish(Kind.INFORM, follows=RETURNS)
def gift_card_after(s: Situation) -> Goal | None:
    """What the gift card holds once the refund is on it."""
    card = _refilled(s)
    if card is None or card.balance is None:
        return None
    return Goal(
        calls=(open_profile(s.customer),),
        outputs=(Output("money", str(card.balance)),),
        script=Script(report=f"With the refund on it, your gift card now holds {usd(card.balance)}."),
    )


@wish(Kind.FULFIL, follows=RETURNS)
def pay_with_refund(s: Situation) -> Goal | None:
    """Pay a pending order with the gift card, which covers it only since the refund."""
    card, returned = _refilled(s), _last_order(s)
    if card is None or card.balance is None or returned is None:
        return None
    before = card.balance - returned.payments[-1].amount
    among = orders(s)
    fitting = [
        order
        for order in among
        if order.status == "pending"
        and order.payment_changed_on is None
        and order.payment_method != card.id
        and before < order.total <= card.balance
    ]
    if not fitting:
        return None
    order = s.draw.pick(fitting)
    at = point_at_order(s, order, among)
    return Goal(
        fill={"order": at.words},
        facts=(*at.facts, Fact("payment_method", card.id, my_method(s.customer, card))),
        calls=(*at.calls, Call("change_order_payment", {"order_id": order.id, "payment_method": card.id})),
        script=paying(s.customer, order, card),
    )
