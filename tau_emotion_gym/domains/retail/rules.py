"""The shop's policy: each rule is the sentence that the agent reads and the check of a call."""
# ruff: noqa: D103 (the sentence of a rule is its documentation)

from decimal import Decimal
from typing import Any

from tau_emotion_gym.domains.retail.ledger import refund_of
from tau_emotion_gym.domains.retail.records import Customer, Item, Order, Variant, Voucher
from tau_emotion_gym.domains.retail.tools import (
    apply_voucher,
    cancel_order,
    change_default_address,
    change_order_address,
    change_order_items,
    change_order_payment,
    exchange_items,
    get_customer,
    get_order,
    return_items,
)
from tau_emotion_gym.kit import TRANSFER, Context, authentication, confirmation, days_between, one_customer, rule
from tau_emotion_gym.world import World, money

CANCEL_DAYS = 5
RETURN_DAYS = {"standard": 30, "plus": 60}
EXCHANGE_DAYS = 45
RETURN_LIMIT = money(300)
"""Dollars; a higher refund for a return is for a human to approve."""

WRITES = (
    cancel_order, change_order_address, change_order_payment, change_order_items, return_items,
    exchange_items, change_default_address, apply_voucher,
)  # fmt: skip
PENDING_CHANGES = (change_order_address, change_order_payment, change_order_items)


def days_since(world: World, day: str) -> int:
    """Whole days from an ISO date to the world's today."""
    return days_between(day, world.base.today)


def _order(context: Context, arguments: Any) -> Order | None:
    return context.world.get(Order, arguments.order_id)


def _customer(context: Context, order: Order) -> Customer:
    customer = context.world.get(Customer, order.customer_id)
    assert customer is not None
    return customer


def _owner(world: World, arguments: Any) -> str | None:
    order_id = getattr(arguments, "order_id", None)
    if order_id is None:
        return getattr(arguments, "customer_id", None)
    order = world.get(Order, order_id)
    return order.customer_id if order else None


AUTHENTICATION = authentication(
    "Before you look up a profile or an order or change anything, identify the customer: by email address, or "
    "by full name and ZIP code.",
    get_customer, get_order, *WRITES,
)  # fmt: skip

ONE_CUSTOMER = one_customer(
    "Serve one customer per conversation, and only that customer's profile and orders.",
    _owner, get_customer, get_order, *WRITES,
)  # fmt: skip

CONFIRMATION = confirmation(
    "Before every change, say what you are going to do and get the customer's explicit yes.", *WRITES
)


@rule(
    "Cancel only orders that are still pending; a processed order has left: say on which day it was shipped.",
    cancel_order,
)
def cancel_pending(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    return order is None or order.status == "pending"


@rule(
    f"A pending order may be cancelled until {CANCEL_DAYS} days after the day it was placed, not later.",
    cancel_order,
)
def cancel_window(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    return order is None or days_since(context.world, order.placed_on) <= CANCEL_DAYS


@rule(
    "Address, payment method and items can be changed, and vouchers applied, only while the order is pending.",
    *PENDING_CHANGES,
    apply_voucher,
)
def change_pending(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    return order is None or order.status == "pending"


@rule("The delivery address of an order may be changed once; the order shows when it was.", change_order_address)
def address_once(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    return order is None or order.address_changed_on is None


@rule("The payment method of an order may be changed once.", change_order_payment)
def payment_once(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    return order is None or order.payment_changed_on is None


@rule(
    "The items of an order may be changed once, so collect all item changes before you make them; if they were "
    "changed before, say on which day.",
    change_order_items,
)
def items_once(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    return order is None or order.items_changed_on is None


@rule(
    "Items are changed or exchanged only for another variant of the same product that is in stock.",
    change_order_items,
    exchange_items,
)
def same_product(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    if order is None:
        return True
    for old, new in zip(arguments.item_ids, arguments.new_item_ids, strict=False):
        item, variant = order.item(old), context.world.get(Variant, new)
        if item and variant and (variant.product_id != item.product_id or not variant.stock):
            return False
    return True


@rule(
    "A gift card can pay only if its balance covers the whole amount; payments are never split.",
    change_order_payment,
    change_order_items,
    exchange_items,
)
def gift_card_covers(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    if order is None:
        return True
    method = _customer(context, order).method(arguments.payment_method)
    if method is None or method.balance is None:
        return True
    amount = _price_difference(context, order, arguments) if hasattr(arguments, "item_ids") else order.total
    return method.balance >= amount


def _price_difference(context: Context, order: Order, arguments: Any) -> Decimal:
    old = [item.price for key in arguments.item_ids if (item := order.item(key))]
    new = [v.price for key in arguments.new_item_ids if (v := context.world.get(Variant, key))]
    return sum(new, Decimal(0)) - sum(old, Decimal(0))


@rule(
    f"Delivered items can be returned within {RETURN_DAYS['standard']} days of delivery, by plus members "
    f"within {RETURN_DAYS['plus']} days; if it is too late, say on which day they were delivered.",
    return_items,
)
def return_window(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    if order is None or order.delivered_on is None:
        return order is None
    return days_since(context.world, order.delivered_on) <= RETURN_DAYS[_customer(context, order).membership]


@rule(
    f"Delivered items can be exchanged within {EXCHANGE_DAYS} days of delivery, whatever the membership.",
    exchange_items,
)
def exchange_window(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    if order is None or order.delivered_on is None:
        return order is None
    return days_since(context.world, order.delivered_on) <= EXCHANGE_DAYS


@rule("Items marked as final sale cannot be returned; they can be exchanged.", return_items)
def final_sale(context: Context, arguments: Any) -> bool:
    return not any(item.final_sale for item in _chosen(context, arguments))


@rule(
    "An order can be returned or exchanged once: an order with the status returned or exchanged is settled.",
    return_items,
    exchange_items,
)
def settled_once(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    return order is None or order.status == "delivered"


@rule(
    "The refund of a return goes to the payment method of the order or to a gift card on the customer's "
    "profile, as the customer chooses; there are no other ways to receive it.",
    return_items,
)
def refund_destination(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    if order is None or arguments.refund_method == order.payment_method:
        return True
    method = _customer(context, order).method(arguments.refund_method)
    return method is None or method.kind == "gift_card"


@rule(
    f"A return whose refund is more than ${RETURN_LIMIT} is not yours to make: tell the customer the amount and "
    "hand the conversation over (high_value_return).",
    return_items,
)
def return_limit(context: Context, arguments: Any) -> bool:
    order = _order(context, arguments)
    chosen = _chosen(context, arguments)
    return order is None or refund_of(_customer(context, order), chosen) <= RETURN_LIMIT


def _chosen(context: Context, arguments: Any) -> list[Item]:
    order = _order(context, arguments)
    return [item for key in arguments.item_ids if (item := order.item(key))] if order else []


@rule(
    "A voucher can be applied only by the customer it belongs to and until its last valid day; if it has expired, "
    "say which day that was.",
    apply_voucher,
)
def voucher_valid(context: Context, arguments: Any) -> bool:
    order, voucher = _order(context, arguments), context.world.get(Voucher, arguments.code)
    if order is None or voucher is None:
        return True
    return voucher.customer_id == order.customer_id and days_since(context.world, voucher.valid_until) <= 0


@rule(
    "A voucher needs an order whose items come to at least the voucher's minimum (if they do not, say what it "
    "is), and an order takes one voucher.",
    apply_voucher,
)
def voucher_minimum(context: Context, arguments: Any) -> bool:
    order, voucher = _order(context, arguments), context.world.get(Voucher, arguments.code)
    if order is None or voucher is None:
        return True
    return order.voucher is None and order.subtotal >= voucher.minimum


@rule(
    "Hand over without asking anything further when a product has hurt someone or caught fire "
    "(dangerous_product); otherwise hand over only an identified customer.",
    TRANSFER,
)
def hand_over_identified(context: Context, arguments: Any) -> bool:
    return bool(context.customers) or arguments.reason == "dangerous_product"


RULES = (
    AUTHENTICATION, ONE_CUSTOMER, CONFIRMATION, cancel_pending, cancel_window, change_pending, address_once,
    payment_once, items_once, same_product, gift_card_covers, return_window, exchange_window, final_sale,
    settled_once, refund_destination, return_limit, voucher_valid, voucher_minimum, hand_over_identified,
)  # fmt: skip
