"""The tools of retail agents. They keep the records consistent; what is allowed is up to the policy."""

from typing import Annotated

import msgspec
from msgspec.structs import replace

from tau_emotion_gym.domains.retail.ledger import (
    customer_at,
    item_at,
    move_money,
    one_line,
    order_at,
    orders_of,
    pairs_of,
    product_at,
    refund_of,
    require,
    restock,
    settle,
    today,
    variants_of,
)
from tau_emotion_gym.domains.retail.records import (
    Address,
    CancelReason,
    Customer,
    CustomerId,
    ItemId,
    Order,
    OrderId,
    PaymentId,
    Product,
    ProductId,
    Status,
    Variant,
    Voucher,
    VoucherCode,
)
from tau_emotion_gym.kit import ToolError, read, write
from tau_emotion_gym.world import Date, Ref, World

Items = Annotated[tuple[ItemId, ...], msgspec.Meta(min_length=1)]


class OrderLine(msgspec.Struct, frozen=True):
    """An order in a customer's list."""

    id: OrderId
    status: Status
    placed_on: Date


class Account(msgspec.Struct, frozen=True):
    """A customer's profile with what belongs to it, newest orders first."""

    profile: Customer
    orders: tuple[OrderLine, ...]
    vouchers: tuple[Voucher, ...]


class ProductPage(msgspec.Struct, frozen=True):
    """A product with all its variants."""

    product: Product
    variants: tuple[Variant, ...]


# --- reads ------------------------------------------------------------------------------------------


@read
def find_customer_by_email(world: World, email: Annotated[str, Ref("email")]) -> Customer:
    """Find a customer's profile by email address.

    Args:
        email: The email address on the customer's profile.
    """
    found = world.where(Customer, "email", email.strip().lower())
    if not found:
        raise ToolError(f"No customer has the email address {email!r}. Try the full name and ZIP code.")
    return found[0]


@read
def find_customer_by_name_zip(world: World, name: str, zip: str) -> Customer:
    """Find a customer's profile by full name and the ZIP code of the default address.

    Args:
        name: First and last name.
        zip: The five-digit ZIP code.
    """
    wanted = " ".join(name.lower().split())
    found = [c for c in world.where(Customer, "zip", zip.strip()) if c.name.lower() == wanted]
    if len(found) != 1:
        raise ToolError(f"{len(found)} customers are called {name!r} at ZIP code {zip!r}. Try the email address.")
    return found[0]


@read
def get_customer(world: World, customer_id: CustomerId) -> Account:
    """Get a customer's profile as it is now, with the status of all orders, and the customer's vouchers.

    Args:
        customer_id: The customer's id, as the find tools show it.
    """
    customer = customer_at(world, customer_id)
    orders = [OrderLine(o.id, o.status, o.placed_on) for o in orders_of(world, customer_id)]
    vouchers = sorted(world.where(Voucher, "customer_id", customer_id), key=lambda voucher: voucher.code)
    return Account(customer, tuple(orders), tuple(vouchers))


@read
def get_order(world: World, order_id: OrderId) -> Order:
    """Get an order: status, dates, address, items with prices, payments, tracking, earlier changes.

    Args:
        order_id: The order number, R and seven digits.
    """
    return order_at(world, order_id)


@read
def get_product(world: World, product_id: ProductId) -> ProductPage:
    """Get a product with all its variants, today's prices and stock.

    Args:
        product_id: The product's id, as orders and list_product_types show it.
    """
    return ProductPage(product_at(world, product_id), variants_of(world, product_id))


@read
def list_product_types(world: World) -> tuple[Product, ...]:
    """List all products with their ids and categories."""
    return tuple(world.all(Product))


@read
def search_variants(world: World, product_id: ProductId, option: str, value: str) -> tuple[Variant, ...]:
    """Find the variants of a product that have a given option, for example color blue.

    Args:
        product_id: The product's id.
        option: The option's name, for example "color".
        value: The option's value, for example "blue".
    """
    product_at(world, product_id)
    variants = variants_of(world, product_id)
    option, value = option.strip().lower(), value.strip().lower()
    found = tuple(v for v in variants if v.options.get(option, "").lower() == value)
    if not found:
        valid = {name: sorted({v.options[name] for v in variants}) for name in variants[0].options}
        raise ToolError(f"No variant of {product_id} has {option} {value!r}. Its options: {valid}.")
    return found


# --- writes -----------------------------------------------------------------------------------------


@write("cancel", "cancellation")
def cancel_order(world: World, order_id: OrderId, reason: CancelReason) -> Order:
    """Cancel an order. What was paid goes back to the payment method that paid for it.

    Args:
        order_id: The order number.
        reason: Why the customer cancels.
    """
    order = order_at(world, order_id)
    require(order, "cancelled", "pending", "processed")
    refund = move_money(world, order, "refund", order.payment_method, order.total)
    for item in order.items:
        restock(world, item.id, 1)
    order = replace(order, status="cancelled", cancel_reason=reason, payments=(*order.payments, *refund))
    world.put(order)
    return order


@write(
    "change ~ address", "update ~ address", "modify ~ address", "address ~ update", "address ~ change",
    "address ~ modify", "address ~ changed", "address change", "address update", "ship ~ new address",
    "address ~ set to", "redirect",
)  # fmt: skip
def change_order_address(world: World, order_id: OrderId, address: Address) -> Order:
    """Change the delivery address of one order. The customer's default address stays as it is.

    Args:
        order_id: The order number.
        address: The new address on one line: street, city, state and ZIP.
    """
    order = order_at(world, order_id)
    require(order, "sent elsewhere", "pending", "processed")
    order = replace(order, address=one_line(address), address_changed_on=today(world))
    world.put(order)
    return order


@write(
    "change ~ payment", "update ~ payment", "switch ~ payment", "modify ~ payment", "payment method ~ change",
    "payment method ~ update", "payment method ~ switch", "payment ~ switched", "payment change",
)  # fmt: skip
def change_order_payment(world: World, order_id: OrderId, payment_method: PaymentId) -> Order:
    """Pay for an order with another payment method: the old one is refunded, the new one is charged.

    Args:
        order_id: The order number.
        payment_method: Id of the customer's payment method that shall pay now.
    """
    order = order_at(world, order_id)
    require(order, "paid differently", "pending", "processed")
    if order.payment_method == payment_method:
        raise ToolError(f"Order {order_id} is paid with {payment_method} already.")
    moved = move_money(world, order, "refund", order.payment_method, order.total)
    moved += move_money(world, order, "payment", payment_method, order.total)
    order = replace(
        order,
        payment_method=payment_method,
        payments=(*order.payments, *moved),
        payment_changed_on=today(world),
    )
    world.put(order)
    return order


@write(
    "modify ~ item", "change ~ item", "switch ~ item", "swap", "upgrade", "modify ~ items", "change ~ items",
    "update ~ items", "items ~ modify", "item ~ modify", "item ~ change", "items ~ change", "item ~ updated",
    "items ~ updated", "item modification", "change ~ options", "replace ~ with", "downgrade",
    "change ~ color", "change ~ size", "item change", "new item",
)  # fmt: skip
def change_order_items(
    world: World, order_id: OrderId, item_ids: Items, new_item_ids: Items, payment_method: PaymentId
) -> Order:
    """Replace items of an order that has not been delivered. New items cost today's price.

    Args:
        order_id: The order number.
        item_ids: Ids of the items to replace.
        new_item_ids: Ids of the variants that replace them, in the same order.
        payment_method: Id of the payment method that pays or receives the price difference.
    """
    order = order_at(world, order_id)
    require(order, "changed", "pending", "processed")
    pairs = pairs_of(world, order, item_ids, new_item_ids)
    for old, new in pairs.items():
        restock(world, old, 1)
        restock(world, new.id, -1)
    items = tuple(pairs.get(item.id, item) for item in order.items)
    moved = settle(world, order, pairs, payment_method)
    order = replace(order, items=items, payments=(*order.payments, *moved), items_changed_on=today(world))
    world.put(order)
    return order


@write("return")
def return_items(world: World, order_id: OrderId, item_ids: Items, refund_method: PaymentId) -> Order:
    """Take delivered items back. The refund is their price, less the return fee of standard members.

    Args:
        order_id: The order number.
        item_ids: Ids of all items of this order that come back.
        refund_method: Id of the customer's payment method that receives the refund.
    """
    order = order_at(world, order_id)
    require(order, "returned", "delivered")
    chosen = [item_at(order, key) for key in dict.fromkeys(item_ids)]
    amount = refund_of(customer_at(world, order.customer_id), chosen)
    moved = move_money(world, order, "refund", refund_method, amount)
    order = replace(
        order,
        status="returned",
        returned_items=tuple(item.id for item in chosen),
        payments=(*order.payments, *moved),
    )
    world.put(order)
    return order


@write("exchange")
def exchange_items(
    world: World, order_id: OrderId, item_ids: Items, new_item_ids: Items, payment_method: PaymentId
) -> Order:
    """Exchange delivered items for others. New items cost today's price; there is no fee.

    Args:
        order_id: The order number.
        item_ids: Ids of the items to exchange.
        new_item_ids: Ids of the variants that the customer gets for them, in the same order.
        payment_method: Id of the payment method that pays or receives the price difference.
    """
    order = order_at(world, order_id)
    require(order, "exchanged", "delivered")
    pairs = pairs_of(world, order, item_ids, new_item_ids)
    for new in pairs.values():
        restock(world, new.id, -1)
    moved = settle(world, order, pairs, payment_method)
    order = replace(
        order,
        status="exchanged",
        returned_items=tuple(pairs),
        replacements=tuple(pairs.values()),
        payments=(*order.payments, *moved),
    )
    world.put(order)
    return order


@write(
    "default address", "default shipping address", "default delivery address", "profile address",
    "user address", "account address", "address on your profile", "address in your profile",
    "address on your account", "as your default",
)  # fmt: skip
def change_default_address(world: World, customer_id: CustomerId, address: Address) -> Customer:
    """Change the default address on a customer's profile. Orders already placed keep theirs.

    Args:
        customer_id: The customer's id.
        address: The new address on one line: street, city, state and ZIP.
    """
    customer = replace(customer_at(world, customer_id), address=one_line(address))
    world.put(customer)
    return customer


@write(
    "apply ~ voucher", "voucher ~ redeemed", "voucher ~ apply", "apply ~ coupon", "apply ~ promo", "redeem",
    "voucher ~ added", "apply ~ discount",
)  # fmt: skip
def apply_voucher(world: World, order_id: OrderId, code: VoucherCode) -> Order:
    """Apply a voucher to an order. The discount goes back to the payment method that pays for the order.

    Args:
        order_id: The order number.
        code: The voucher's code.
    """
    order = order_at(world, order_id)
    require(order, "discounted", "pending", "processed")
    voucher = world.get(Voucher, code.strip().upper())
    if voucher is None:
        raise ToolError(f"There is no voucher {code!r}. get_customer lists a customer's vouchers.")
    if voucher.used_on is not None:
        raise ToolError(f"Voucher {voucher.code} was used on order {voucher.used_on}.")
    saved = min(voucher.discount(order.subtotal), order.total)
    moved = move_money(world, order, "refund", order.payment_method, saved)
    order = replace(order, discount=order.discount + saved, voucher=voucher.code, payments=(*order.payments, *moved))
    world.put(order)
    world.put(replace(voucher, used_on=order_id))
    return order


TOOLS = (
    find_customer_by_email, find_customer_by_name_zip, get_customer, get_order, get_product,
    list_product_types, search_variants, cancel_order, change_order_address, change_order_payment,
    change_order_items, return_items, exchange_items, change_default_address, apply_voucher,
)  # fmt: skip
