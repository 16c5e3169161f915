"""Looking records up with errors that name what is valid, and moving stock and money between them."""

from decimal import Decimal

from msgspec.structs import replace

from tau_emotion_gym.domains.retail.records import ZERO, Customer, Item, Order, Payment, Product, Variant
from tau_emotion_gym.kit import ToolError, existing
from tau_emotion_gym.world import World, money

RETURN_FEE = money(5)
"""Dollars kept from the refund of a return by a standard member."""


def orders_of(world: World, customer_id: str) -> list[Order]:
    """A customer's orders, newest first."""
    found = world.where(Order, "customer_id", customer_id)
    found.sort(key=lambda order: (order.placed_on, order.id), reverse=True)
    return found


def refund_of(customer: Customer, items: list[Item]) -> Decimal:
    """What a return of these items gives back."""
    amount = sum([item.price for item in items], ZERO)
    return amount if customer.membership == "plus" else max(amount - RETURN_FEE, ZERO)


def customer_at(world: World, key: str) -> Customer:
    """The customer with this id, or a `ToolError`."""
    return existing(world, Customer, key, "The find_customer tools show the id.")


def order_at(world: World, key: str) -> Order:
    """The order with this number, or a `ToolError`."""
    return existing(world, Order, key, "Order numbers are R and seven digits; get_customer lists them.")


def product_at(world: World, key: str) -> Product:
    """The product with this id, or a `ToolError`."""
    return existing(world, Product, key, "list_product_types lists the products.")


def variants_of(world: World, product_id: str) -> tuple[Variant, ...]:
    """A product's variants, by id."""
    return tuple(sorted(world.where(Variant, "product_id", product_id), key=lambda variant: variant.id))


def item_at(order: Order, key: str) -> Item:
    """The order's line with this item id, or a `ToolError` that lists the lines."""
    item = order.item(key)
    if item is not None:
        return item
    valid = ", ".join(f"{item.id} ({item.title})" for item in order.items)
    raise ToolError(f"Order {order.id} has no item {key!r}. Its items: {valid}.")


def require(order: Order, what: str, *statuses: str) -> None:
    """Raise a `ToolError` unless the order has one of these statuses."""
    if order.status not in statuses:
        raise ToolError(
            f"Order {order.id} is {order.status}; only orders that are {' or '.join(statuses)} can be {what}."
        )


def pairs_of(world: World, order: Order, item_ids: tuple[str, ...], new_item_ids: tuple[str, ...]) -> dict[str, Item]:
    """Id of each replaced item → the line that replaces it, at today's price."""
    if len(item_ids) != len(new_item_ids):
        raise ToolError(f"{len(item_ids)} items cannot be replaced by {len(new_item_ids)}: give one for each.")
    pairs: dict[str, Item] = {}
    for old, new in zip(item_ids, new_item_ids, strict=True):
        item_at(order, old)
        variant = existing(world, Variant, new, "get_product lists the variants of a product.")
        if old == new or old in pairs:
            raise ToolError(f"Item {old} cannot be replaced by itself or twice.")
        pairs[old] = Item(variant.id, variant.product_id, variant.title, variant.options, variant.price)
    return pairs


def restock(world: World, key: str, change: int) -> None:
    """Add pieces of a variant to the warehouse, or take them out (`change` < 0)."""
    variant = world.get(Variant, key)
    if variant is None:
        return
    if variant.stock + change < 0:
        raise ToolError(f"{variant.id} ({variant.title}) is out of stock.")
    world.put(replace(variant, stock=variant.stock + change))


def settle(world: World, order: Order, pairs: dict[str, Item], payment_method: str) -> tuple[Payment, ...]:
    """Charge or refund what the new items cost more or less than the old ones."""
    amount = sum([new.price - item_at(order, old).price for old, new in pairs.items()], ZERO)
    return move_money(world, order, "refund" if amount < 0 else "payment", payment_method, abs(amount))


def move_money(world: World, order: Order, kind: str, key: str, amount: Decimal) -> tuple[Payment, ...]:
    """Charge or refund a payment method of the order's customer; gift cards keep their balance."""
    customer = customer_at(world, order.customer_id)
    method = customer.method(key)
    if method is None:
        valid = ", ".join(method.id for method in customer.payment_methods)
        raise ToolError(f"The customer has no payment method {key!r}. On the profile: {valid}.")
    if method.balance is not None:
        balance = method.balance - amount if kind == "payment" else method.balance + amount
        if balance < 0:
            raise ToolError(f"{key} has {method.balance} left, which does not cover {amount}.")
        changed = replace(method, balance=balance)
        methods = tuple(changed if entry is method else entry for entry in customer.payment_methods)
        world.put(replace(customer, payment_methods=methods))
    return (Payment("payment" if kind == "payment" else "refund", key, amount),) if amount else ()


def one_line(address: str) -> str:
    """An address with single spaces."""
    return " ".join(address.split())


def today(world: World) -> str:
    """The world's date, YYYY-MM-DD."""
    return world.now.date().isoformat()
