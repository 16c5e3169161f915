"""Wishes about orders that have not left yet."""

from tau_emotion_gym.domains.retail.catalogue import catalogue
from tau_emotion_gym.domains.retail.intents.grounding import (
    able_to_pay,
    ago,
    my_method,
    open_product,
    orders,
    point_at_item,
    point_at_order,
    settled,
    siblings,
    untouched,
    your_method,
)
from tau_emotion_gym.domains.retail.intents.wording import wish
from tau_emotion_gym.domains.retail.records import Item, Order, PaymentMethod, Variant
from tau_emotion_gym.domains.retail.rules import CANCEL_DAYS
from tau_emotion_gym.kit import (
    Call,
    Fact,
    Goal,
    Kind,
    Output,
    Pointer,
    Script,
    Situation,
    calculation,
    long_date,
    usd,
    yours,
)
from tau_emotion_gym.kit.people import names
from tau_emotion_gym.world import World

REASONS = (
    ("no_longer_needed", "I don't need it any more", "you don't need it any more"),
    ("ordered_by_mistake", "I ordered it by mistake", "you ordered it by mistake"),
    ("found_cheaper", "I found it cheaper elsewhere", "you found it cheaper elsewhere"),
    ("arrives_too_late", "it would arrive too late for me", "it would arrive too late for you"),
)
"""(reason, the customer's words, the agent's words)"""


def cancellable(world: World, order: Order) -> bool:
    """Whether the policy lets the order be cancelled."""
    return order.status == "pending" and order.placed_on >= ago(world, CANCEL_DAYS)


@wish(Kind.FULFIL, weight=3)
def cancel_unwanted(s: Situation) -> Goal | None:
    """Cancel a pending order that is young enough."""
    among = orders(s)
    fitting = [order for order in untouched(s, among) if cancellable(s.world, order)]
    if not fitting:
        return None
    order = s.draw.pick(fitting)
    at = point_at_order(s, order, among)
    reason, mine, your = s.draw.pick(REASONS)
    paid = your_method(s.customer, order.payment_method)
    return Goal(
        fill={"order": at.words, "reason": mine},
        facts=(*at.facts, Fact("reason", reason, mine)),
        calls=(*at.calls, Call("cancel_order", {"order_id": order.id, "reason": reason})),
        script=Script(
            propose=f"I will cancel order {order.id} because {your}, and refund {usd(order.total)} to {paid}.",
            report=f"Order {order.id} has been cancelled, and {usd(order.total)} goes back to {paid}.",
        ),
    )


@wish(Kind.CONDITIONAL, weight=3)
def cancel_or_redirect(s: Situation) -> Goal | None:
    """Cancel a pending order that is too old for it; then send it to somebody who can use it."""
    among = orders(s)
    fitting = [o for o in untouched(s, among) if _redirectable(o) and not cancellable(s.world, o)]
    places = [place for place in s.customer.saved_addresses if place.address != s.customer.address]
    if not fitting or not places:
        return None
    order, place = s.draw.pick(fitting), s.draw.pick(places)
    at = point_at_order(s, order, among)
    said = catalogue().address_labels[place.label]
    reason, mine, _ = s.draw.pick(REASONS[:2])
    script = _redirecting(order, f"{yours(said)}, {place.address}")
    return Goal(
        fill={"order": at.words, "reason": mine, "destination": said},
        facts=(*at.facts, Fact("reason", reason, mine), Fact("address", place.address, said)),
        calls=(*at.calls, Call("change_order_address", {"order_id": order.id, "address": place.address})),
        script=Script(
            propose=script.propose,
            report=script.report,
            refuse=f"I can't cancel order {order.id}, because you placed it on {long_date(order.placed_on)}, and the "
            f"{CANCEL_DAYS} days for a cancellation are over. It is still pending, so I can change where it goes.",
        ),
        insists=s.draw.below(2),
    )


def _redirectable(order: Order) -> bool:
    return order.status == "pending" and order.address_changed_on is None


def _redirecting(order: Order, where: str) -> Script:
    return Script(
        propose=f"I will change the delivery address of order {order.id} to {where}.",
        report=f"The delivery address of order {order.id} has been changed to {where}.",
    )


@wish(Kind.FULFIL, weight=3)
def redirect_order(s: Situation) -> Goal | None:
    """Send a pending order to a saved address, or to a new one."""
    among = orders(s)
    fitting = [order for order in untouched(s, among) if _redirectable(order)]
    if not fitting:
        return None
    order = s.draw.pick(fitting)
    at = point_at_order(s, order, among)
    said, address = destination(s, order.address)
    script = _redirecting(order, address if said == address else f"{yours(said)}, {address}")
    return Goal(
        fill={"order": at.words, "destination": said},
        facts=(*at.facts, Fact("address", address, said)),
        calls=(*at.calls, Call("change_order_address", {"order_id": order.id, "address": address})),
        script=script,
    )


def destination(s: Situation, current: str) -> tuple[str, str]:
    """(the customer's words, the address): a saved one half of the time where there is one, else a new one."""
    saved = [place for place in s.customer.saved_addresses if place.address != current]
    if saved and s.draw.chance(0.5):
        place = s.draw.pick(saved)
        return catalogue().address_labels[place.label], place.address
    line = new_address(s)
    return line, line


def new_address(s: Situation) -> str:
    """An address that the shop does not know, on one line."""
    town = s.draw.pick(names().places)
    street = f"{s.draw.between(10, 989)} {s.draw.pick(names().streets)}"
    return f"{street}, {town.city}, {town.state} {town.zip}{s.draw.below(100):02}"


@wish(Kind.FULFIL, weight=2)
def move_house(s: Situation) -> Goal | None:
    """Make the address of a new home the default one."""
    address = new_address(s)
    return Goal(
        fill={"destination": address},
        facts=(Fact("address", address),),
        calls=(Call("change_default_address", {"customer_id": s.customer.id, "address": address}),),
        script=Script(
            propose=f"I will set {address} as your default address. Orders already placed keep theirs.",
            report=f"Your default address has been changed to {address}.",
        ),
    )


# --- items ------------------------------------------------------------------------------------------


def changeable_items(s: Situation, among: list[Order]) -> list[tuple[Order, Item]]:
    """The items of the orders whose items the policy lets be changed."""
    pending = [order for order in untouched(s, among) if order.status == "pending"]
    return [(order, item) for order in pending if order.items_changed_on is None for item in order.items]


def swapping(s: Situation, order: Order, item: Item, new: Variant, method: PaymentMethod, way: str) -> Script:
    """The sentences around swapping an item of a pending order. `way`: what is different about the new one."""
    words = yours(my_method(s.customer, method))
    money = settled(new.price - item.price, words)
    return Script(
        propose=f"I will swap the {item.title} in order {order.id} for {way}. It costs {usd(new.price)}, and {money}.",
        report=f"The {item.title} in order {order.id} has been swapped for {way}, and {money}.",
    )


def swap_calls(at: Pointer, order: Order, item: Item, new: Variant, method: PaymentMethod) -> tuple[Call, ...]:
    """The look-ups, then the change of one item."""
    arguments = {
        "order_id": order.id,
        "item_ids": [item.id],
        "new_item_ids": [new.id],
        "payment_method": method.id,
    }
    return (*at.calls, open_product(item.product_id), Call("change_order_items", arguments))


@wish(Kind.FULFIL, weight=3)
def change_option(s: Situation) -> Goal | None:
    """Swap an item of a pending order for the same product in another color, size, …"""
    among = orders(s)
    fitting = changeable_items(s, among)
    if not fitting:
        return None
    order, item = s.draw.pick(fitting)
    options = [option for option in siblings(s, item) if option.variant.stock]
    if not options:
        return None
    option = s.draw.pick(options)
    method = s.draw.pick(able_to_pay(s.customer, option.variant.price - item.price))
    at = point_at_item(s, order, item, among)
    said = my_method(s.customer, method)
    return Goal(
        fill={"item": at.words, "wanted": option.words, "method": said},
        facts=(*at.facts, Fact("variant", option.variant.id, option.words), Fact("payment_method", method.id, said)),
        calls=swap_calls(at, order, item, option.variant, method),
        script=swapping(s, order, item, option.variant, method, f"the one {option.words}"),
    )


@wish(Kind.FULFIL, weight=3)
def cheapest_swap(s: Situation) -> Goal | None:
    """Swap an item of a pending order for the cheapest variant in stock, and say what that saves."""
    among = orders(s)
    fitting = []
    for order, item in changeable_items(s, among):
        variants = s.world.where(Variant, "product_id", item.product_id)
        new = min((v for v in variants if v.stock), key=lambda v: v.price, default=None)
        if new is not None and new.id != item.id and new.price < item.price:
            fitting.append((order, item, new))
    if not fitting:
        return None
    order, item, new = s.draw.pick(fitting)
    method = s.draw.pick(s.customer.payment_methods)
    at = point_at_item(s, order, item, among)
    said = my_method(s.customer, method)
    calls = swap_calls(at, order, item, new, method)
    way = f"the cheapest one in stock ({', '.join(new.options.values())})"
    return Goal(
        fill={"item": at.words, "method": said},
        facts=(*at.facts, Fact("payment_method", method.id, said)),
        calls=(*calls[:-1], calculation(f"{item.price} - {new.price}"), calls[-1]),
        outputs=(Output("money", str(item.price - new.price)),),
        script=swapping(s, order, item, new, method, way),
    )


@wish(Kind.CONDITIONAL, weight=3)
def option_or_second(s: Situation) -> Goal | None:
    """Swap an item of a pending order for a variant that is sold out; then for the second choice."""
    among = orders(s)
    fitting = []
    for order, item in changeable_items(s, among):
        options = siblings(s, item)
        gone = [option for option in options if not option.variant.stock]
        if gone and len(gone) < len(options):
            fitting.append((order, item, gone, [option for option in options if option.variant.stock]))
    if not fitting:
        return None
    order, item, gone, there = s.draw.pick(fitting)
    first, second = s.draw.pick(gone), s.draw.pick(there)
    method = s.draw.pick(able_to_pay(s.customer, second.variant.price - item.price))
    at = point_at_item(s, order, item, among)
    said = my_method(s.customer, method)
    script = swapping(s, order, item, second.variant, method, f"the one {second.words}")
    return Goal(
        fill={"item": at.words, "wanted": first.words, "second": second.words, "method": said},
        facts=(*at.facts, Fact("variant", second.variant.id, second.words), Fact("payment_method", method.id, said)),
        calls=swap_calls(at, order, item, second.variant, method),
        script=Script(
            propose=script.propose,
            report=script.report,
            refuse=f"I can't swap the {item.title} for the one {first.words}, because that one is out of stock.",
        ),
        insists=s.draw.below(2),
    )
