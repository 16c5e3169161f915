"""How customers point at what they mean, and the look-ups by which an agent finds it."""

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from tau_emotion_gym import kit
from tau_emotion_gym.domains.retail.catalogue import spoken
from tau_emotion_gym.domains.retail.ledger import orders_of
from tau_emotion_gym.domains.retail.records import Customer, Item, Order, PaymentMethod, Variant
from tau_emotion_gym.kit import Call, Fact, Pointer, Situation, days_after, short_date, usd, yours
from tau_emotion_gym.world import World

# --- words ------------------------------------------------------------------------------------------


def ago(world: World, days: int) -> str:
    """The date so many days before the world's today, YYYY-MM-DD."""
    return days_after(world.base.today, -days)


def my_method(customer: Customer, method: PaymentMethod) -> str:
    """How the customer speaks of a payment method, so that no other fits."""
    if method.kind != "credit_card":
        return "my gift card" if method.kind == "gift_card" else "my PayPal account"
    same = sum(other.brand == method.brand for other in customer.payment_methods)
    return f"my {method.brand}" if same == 1 else f"my {method.brand} ending in {method.last_four}"


def your_method(customer: Customer, key: str) -> str:
    """How an agent speaks of the payment method with this id."""
    method = customer.method(key)
    return "what you paid with" if method is None else yours(my_method(customer, method))


def settled(difference: Decimal, words: str) -> str:
    """What an agent says about the price difference. `words`: the payment method's."""
    if not difference:
        return "the price is the same"
    return f"the difference of {usd(abs(difference))} is {'charged' if difference > 0 else 'refunded'} to {words}"


# --- orders and items -------------------------------------------------------------------------------


def orders(s: Situation) -> list[Order]:
    """The customer's orders, newest first."""
    return orders_of(s.world, s.customer.id)


def untouched(s: Situation, among: list[Order]) -> list[Order]:
    """Those of the orders that no earlier wish of the conversation changes."""
    return kit.untouched(s, among, "order_id", look_up="get_order")


def point_at_order(s: Situation, order: Order, among: list[Order]) -> Pointer:
    """By its number, or by one of its items that is in no other order, or by the day it was placed."""
    if s.draw.chance(0.5):
        return _by_number(order, f"order {order.id}", ())
    titles = _titles(among, order)
    unique = [item for item in order.items if item.title not in titles]
    if unique:
        item = s.draw.pick(unique)
        said = f"the {item.title}"
        fact = Fact("item", item.id, said)
        return Pointer(f"my order with {said}", (fact,), _search(among, order))
    if sum(other.placed_on == order.placed_on for other in among) == 1:
        said = short_date(order.placed_on)
        return Pointer(f"my order from {said}", (Fact("date", order.placed_on, said),), _search(among, order))
    return _by_number(order, f"order {order.id}", ())


def point_at_item(s: Situation, order: Order, item: Item, among: list[Order]) -> Pointer:
    """By its title alone where it is in no other order, else with the day or the number of its order."""
    said = f"the {item.title}"
    facts: tuple[Fact, ...] = (Fact("item", item.id, said),)
    if s.draw.chance(0.5):
        return _by_number(order, f"{said} from order {order.id}", facts)
    if item.title not in _titles(among, order):
        return Pointer(said, facts, _search(among, order))
    if sum(other.placed_on == order.placed_on for other in among) == 1:
        when = short_date(order.placed_on)
        facts = (*facts, Fact("date", order.placed_on, when))
        return Pointer(f"{said} that I ordered on {when}", facts, _search(among, order))
    return _by_number(order, f"{said} from order {order.id}", facts)


def _by_number(order: Order, words: str, facts: tuple[Fact, ...]) -> Pointer:
    return Pointer(words, (*facts, Fact("order_id", order.id)), (open_order(order),))


def _titles(among: Iterable[Order], but: Order) -> set[str]:
    return {item.title for order in among if order.id != but.id for item in order.items}


def _search(among: list[Order], wanted: Order) -> tuple[Call, ...]:
    """The agent opens the orders one after another, newest first, until it has found the wanted one."""
    calls: list[Call] = []
    for order in among:
        calls.append(open_order(order))
        if order.id == wanted.id:
            break
    return tuple(calls)


def open_order(order: Order) -> Call:
    """The look-up of an order."""
    return Call("get_order", {"order_id": order.id})


def open_product(product_id: str) -> Call:
    """The look-up of a product with its variants."""
    return Call("get_product", {"product_id": product_id})


def open_profile(customer: Customer) -> Call:
    """The look-up of a customer's profile and vouchers."""
    return Call("get_customer", {"customer_id": customer.id})


# --- variants and payments --------------------------------------------------------------------------


class Option(NamedTuple):
    """A variant that differs from an item in one option, whose name it has."""

    variant: Variant
    name: str

    @property
    def words(self) -> str:
        """How one speaks of the difference ("in blue")."""
        return spoken(self.name, self.variant.options[self.name])


def siblings(s: Situation, item: Item) -> list[Option]:
    """The other variants of an item's product that differ from it in one option, in stock or not."""
    mine = item.options
    found: list[Option] = []
    for variant in s.world.where(Variant, "product_id", item.product_id):
        different = [name for name, value in variant.options.items() if mine.get(name) != value]
        if len(different) == 1:
            found.append(Option(variant, different[0]))
    return found


def able_to_pay(customer: Customer, amount: Decimal) -> list[PaymentMethod]:
    """The payment methods that cover an amount."""
    return [m for m in customer.payment_methods if m.balance is None or m.balance >= amount]
