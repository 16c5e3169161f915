"""The shop's records: customers, products and their variants, orders, vouchers."""

from decimal import Decimal
from typing import Annotated, ClassVar, Literal

import msgspec

from tau_emotion_gym.world import MULTISET, SET, Date, Money, Record, Ref, cents, money

CustomerId = Annotated[str, Ref("customer")]
OrderId = Annotated[str, Ref("order")]
ProductId = Annotated[str, Ref("product")]
ItemId = Annotated[str, Ref("item")]
PaymentId = Annotated[str, Ref("payment_method")]
VoucherCode = Annotated[str, Ref("voucher")]
Address = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[^,]+, [^,]+, [A-Z]{2} \d{5}$",
        description="One line: street, city, state and ZIP, for example 12 Elm Street, Ashford, CT 06210.",
    ),
    Ref("address"),
]

Status = Literal["pending", "processed", "delivered", "cancelled", "returned", "exchanged"]
CancelReason = Literal["no_longer_needed", "ordered_by_mistake", "found_cheaper", "arrives_too_late"]

ZERO = cents(0)


class PaymentMethod(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A way to pay. Only gift cards have a balance, only credit cards a brand and last four digits."""

    id: PaymentId
    kind: Literal["credit_card", "paypal", "gift_card"]
    brand: str = ""
    last_four: str = ""
    balance: Money | None = None


class SavedAddress(msgspec.Struct, frozen=True, gc=False):
    """An address in the customer's address book, under the customer's own label ("work")."""

    label: str
    address: Address


class Customer(Record, frozen=True, gc=False):
    """A customer's profile. `address` is the default delivery address; `orders` has the newest first."""

    table: ClassVar[str] = "customers"

    id: CustomerId
    name: str
    email: Annotated[str, Ref("email")]
    phone: str
    membership: Literal["standard", "plus"]
    address: Address
    saved_addresses: tuple[SavedAddress, ...]
    payment_methods: tuple[PaymentMethod, ...]
    orders: tuple[OrderId, ...]

    @property
    def zip(self) -> str:
        """ZIP code of the default address."""
        return self.address[-5:]

    def method(self, key: str) -> PaymentMethod | None:
        """The payment method with this id, or None."""
        return next((method for method in self.payment_methods if method.id == key), None)


class Product(Record, frozen=True, gc=False):
    """A type of product. Its variants carry price and stock."""

    table: ClassVar[str] = "products"

    id: ProductId
    name: str
    category: str


class Variant(Record, frozen=True, gc=False):
    """One way in which a product is sold. `price` is today's, `stock` counts pieces in the warehouse."""

    table: ClassVar[str] = "variants"

    id: ItemId
    product_id: ProductId
    title: str
    options: dict[str, str]
    price: Money
    stock: int


class Item(msgspec.Struct, frozen=True, gc=False):
    """A line of an order. `price` is what the customer agreed to pay for it."""

    id: ItemId
    product_id: ProductId
    title: str
    options: dict[str, str]
    price: Money
    final_sale: bool = False


class Payment(msgspec.Struct, frozen=True, gc=False):
    """Money that moved for an order: from the customer (payment) or back (refund)."""

    kind: Literal["payment", "refund"]
    method: PaymentId
    amount: Money


class Order(Record, frozen=True, omit_defaults=True, gc=False):
    """An order. What has not happened is left out. `payment_method` pays for it; refunds go there first."""

    table: ClassVar[str] = "orders"

    id: OrderId
    customer_id: CustomerId
    status: Status
    placed_on: Date
    address: Address
    payment_method: PaymentId
    items: Annotated[tuple[Item, ...], MULTISET]
    payments: Annotated[tuple[Payment, ...], MULTISET]
    discount: Money = ZERO
    voucher: VoucherCode | None = None
    shipped_on: Date | None = None
    delivered_on: Date | None = None
    tracking: str | None = None
    address_changed_on: Date | None = None
    payment_changed_on: Date | None = None
    items_changed_on: Date | None = None
    cancel_reason: CancelReason | None = None
    returned_items: Annotated[tuple[ItemId, ...], SET] = ()
    replacements: Annotated[tuple[Item, ...], MULTISET] = ()

    @property
    def subtotal(self) -> Decimal:
        """Sum of the item prices."""
        return sum([item.price for item in self.items], ZERO)

    @property
    def total(self) -> Decimal:
        """What the order costs after its voucher."""
        return self.subtotal - self.discount

    def item(self, key: str) -> Item | None:
        """The line with this item id, or None."""
        return next((item for item in self.items if item.id == key), None)


class Voucher(Record, frozen=True, gc=False):
    """A voucher of one customer. `value` is in percent of the subtotal or in dollars, by `kind`."""

    table: ClassVar[str] = "vouchers"

    code: VoucherCode
    customer_id: CustomerId
    kind: Literal["percent", "amount"]
    value: Money
    minimum: Money
    valid_until: Date
    used_on: OrderId | None = None

    def discount(self, subtotal: Decimal) -> Decimal:
        """What it takes off an order with this subtotal, never more than the subtotal."""
        return money(subtotal * self.value / 100) if self.kind == "percent" else min(self.value, subtotal)


RECORDS = (Customer, Product, Variant, Order, Voucher)
