"""Wishes about orders that have arrived: returns and exchanges."""

from msgspec.structs import replace

from tau_emotion_gym.domains.retail.intents.grounding import (
    Option,
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
)
from tau_emotion_gym.domains.retail.intents.wording import wish
from tau_emotion_gym.domains.retail.ledger import RETURN_FEE, refund_of
from tau_emotion_gym.domains.retail.records import Customer, Item, Order, PaymentMethod
from tau_emotion_gym.domains.retail.rules import EXCHANGE_DAYS, RETURN_DAYS, RETURN_LIMIT
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
    days_after,
    listed,
    long_date,
    usd,
    yours,
)
from tau_emotion_gym.world import World


def arrived(s: Situation, among: list[Order], days: int) -> list[Order]:
    """The delivered orders that arrived at most so many days ago and are not settled."""
    since = ago(s.world, days)
    return [
        o
        for o in untouched(s, among)
        if o.status == "delivered" and o.delivered_on is not None and o.delivered_on >= since
    ]


def returnable(s: Situation, among: list[Order]) -> list[Order]:
    """The delivered orders within the customer's window for returns."""
    return arrived(s, among, RETURN_DAYS[s.customer.membership])


def return_calls(order: Order, items: list[Item], method: PaymentMethod) -> Call:
    """The return of some items."""
    keys = [item.id for item in items]
    return Call("return_items", {"order_id": order.id, "item_ids": keys, "refund_method": method.id})


def refund_choice(s: Situation, order: Order) -> PaymentMethod:
    """Where the customer wants a refund: the order's payment method, or a gift card."""
    methods: tuple[PaymentMethod, ...] = s.customer.payment_methods
    return s.draw.pick([m for m in methods if m.id == order.payment_method or m.balance is not None])


def fee_words(customer: Customer) -> str:
    """How the agent explains the fee."""
    return "" if customer.membership == "plus" else f", with the return fee of {usd(RETURN_FEE)} taken off,"


@wish(Kind.FULFIL, weight=3)
def return_item(s: Situation) -> Goal | None:
    """Return one item, refunded as the customer chooses."""
    among = orders(s)
    fitting = [
        (order, item)
        for order in returnable(s, among)
        for item in order.items
        if not item.final_sale and RETURN_FEE < item.price <= RETURN_LIMIT
    ]
    if not fitting:
        return None
    order, item = s.draw.pick(fitting)
    method = refund_choice(s, order)
    at = point_at_item(s, order, item, among)
    said = my_method(s.customer, method)
    amount = usd(refund_of(s.customer, [item]))
    return Goal(
        fill={"item": at.words, "method": said},
        facts=(*at.facts, Fact("refund_method", method.id, said)),
        calls=(*at.calls, return_calls(order, [item], method)),
        script=Script(
            propose=f"I will set up the return of the {item.title} from order {order.id} and refund {amount}"
            f"{fee_words(s.customer)} to {yours(said)}.",
            report=f"The return of the {item.title} has been set up, and {amount} goes to {yours(said)}.",
        ),
    )


@wish(Kind.FULFIL, weight=3)
def return_everything(s: Situation) -> Goal | None:
    """Return all items of an order, and say how much comes back."""
    among = orders(s)
    fitting = [
        order
        for order in returnable(s, among)
        if len(order.items) > 1 and order.subtotal <= RETURN_LIMIT and not any(item.final_sale for item in order.items)
    ]
    if not fitting:
        return None
    order = s.draw.pick(fitting)
    items = list(order.items)
    method = refund_choice(s, order)
    at = point_at_order(s, order, among)
    said = my_method(s.customer, method)
    amount = refund_of(s.customer, items)
    things = listed([f"the {item.title}" for item in items])
    return Goal(
        fill={"order": at.words, "method": said},
        facts=(*at.facts, Fact("refund_method", method.id, said)),
        calls=(*at.calls, return_sum(s.customer, items), return_calls(order, items, method)),
        outputs=(Output("money", str(amount)),),
        script=Script(
            propose=f"I will set up the return of everything in order {order.id} ({things}) and refund {usd(amount)}"
            f"{fee_words(s.customer)} to {yours(said)}.",
            report=f"The return of order {order.id} has been set up, and {usd(amount)} goes to {yours(said)}.",
        ),
    )


def return_sum(customer: Customer, items: list[Item]) -> Call:
    """The working out of a refund."""
    terms = " + ".join(str(item.price) for item in items)
    fee = "" if customer.membership == "plus" else f" - {RETURN_FEE}"
    return calculation(terms + fee)


# --- exchanges --------------------------------------------------------------------------------------


def exchange_calls(at: Pointer, order: Order, item: Item, option: Option, method: PaymentMethod) -> tuple[Call, ...]:
    """The look-ups, then the exchange of one item."""
    arguments = {
        "order_id": order.id,
        "item_ids": [item.id],
        "new_item_ids": [option.variant.id],
        "payment_method": method.id,
    }
    return (*at.calls, open_product(item.product_id), Call("exchange_items", arguments))


def exchanging(s: Situation, order: Order, item: Item, option: Option, method: PaymentMethod) -> Script:
    """The sentences around an exchange."""
    words = yours(my_method(s.customer, method))
    money = settled(option.variant.price - item.price, words)
    return Script(
        propose=f"I will exchange the {item.title} from order {order.id} for the one {option.words}, and {money}.",
        report=f"The exchange of the {item.title} for the one {option.words} has been set up, and {money}.",
    )


def exchange_goal(s: Situation, among: list[Order], order: Order, item: Item, options: list[Option]) -> Goal:
    """The exchange of an item for one of its other variants."""
    option = s.draw.pick(options)
    method = s.draw.pick(able_to_pay(s.customer, option.variant.price - item.price))
    at = point_at_item(s, order, item, among)
    said = my_method(s.customer, method)
    return Goal(
        fill={"item": at.words, "wanted": option.words, "method": said},
        facts=(*at.facts, Fact("variant", option.variant.id, option.words), Fact("payment_method", method.id, said)),
        calls=exchange_calls(at, order, item, option, method),
        script=exchanging(s, order, item, option, method),
    )


@wish(Kind.FULFIL, weight=3)
def exchange_item(s: Situation) -> Goal | None:
    """Exchange a delivered item for the same product in another color, size, …"""
    among = orders(s)
    fitting = [(order, item) for order in arrived(s, among, EXCHANGE_DAYS) for item in order.items]
    if not fitting:
        return None
    order, item = s.draw.pick(fitting)
    options = [option for option in siblings(s, item) if option.variant.stock]
    return exchange_goal(s, among, order, item, options) if options else None


def _why_no_return(s: Situation, order: Order, item: Item) -> str:
    """Why an item cannot be returned, or "" when it can."""
    assert order.delivered_on is not None
    days = RETURN_DAYS[s.customer.membership]
    if order.delivered_on < ago(s.world, days):
        return f"it was delivered on {long_date(order.delivered_on)}, and returns are only possible within {days} days"
    return "it was sold as final sale, and final sale items can only be exchanged" if item.final_sale else ""


@wish(Kind.CONDITIONAL, weight=3)
def return_or_exchange(s: Situation) -> Goal | None:
    """Return an item that is too old or on final sale; then exchange it."""
    among = orders(s)
    fitting = [
        (order, item, why)
        for order in arrived(s, among, EXCHANGE_DAYS)
        for item in order.items
        if (why := _why_no_return(s, order, item))
    ]
    if not fitting:
        return None
    order, item, why = s.draw.pick(fitting)
    options = [option for option in siblings(s, item) if option.variant.stock]
    if not options:
        return None
    goal = exchange_goal(s, among, order, item, options)
    refuse = f"I can't take the {item.title} back for a refund, because {why}. You can still exchange it."
    return replace(goal, script=replace(goal.script, refuse=refuse), insists=s.draw.below(2))


def last_day(world: World, order: Order, customer: Customer) -> str:
    """The last day on which the order can be returned."""
    assert order.delivered_on is not None
    return days_after(order.delivered_on, RETURN_DAYS[customer.membership])
