"""A tiny set of tables for tests of the world: every kind of field that matching knows."""

from datetime import datetime
from typing import Annotated, ClassVar, Literal

import msgspec

from tau_emotion_gym.world import IGNORED, MULTISET, SET, Base, Date, FreeText, Money, Record, Ref, cents

NOW = datetime(2026, 3, 5, 9, 30)


class Line(msgspec.Struct, frozen=True):
    """A part of a bill."""

    what: str
    price: Money
    note: FreeText = ""


class Order(Record, frozen=True, kw_only=True):
    """An order; `payment` links to a payment, which links back."""

    table: ClassVar[str] = "orders"

    id: Annotated[str, Ref("order")]
    owner: Annotated[str, Ref("owner")]
    status: Literal["open", "closed"] = "open"
    total: Money
    lines: tuple[Line, ...] = ()
    cards: Annotated[tuple[str, ...], MULTISET] = ()
    tags: Annotated[tuple[str, ...], SET] = ()
    sent: Date | None = None
    payment: Annotated[str, Ref("payment")] | None = None
    seats: dict[str, int] = msgspec.field(default_factory=dict)
    note: FreeText = ""
    touched: Annotated[int, IGNORED] = 0


class Payment(Record, frozen=True):
    """Money for an order."""

    table: ClassVar[str] = "payments"

    id: Annotated[str, Ref("payment")]
    order: Annotated[str, Ref("order")]
    amount: Money


KINDS = (Order, Payment)


def order(key: str, **fields: object) -> Order:
    """An order with plain values where none are given."""
    return msgspec.convert({"id": key, "owner": "ann", "total": "10.00"} | fields, Order)


def base() -> Base:
    """Four orders and a payment."""
    orders = [order(f"O{n}", owner="ann" if n % 2 else "bob", total=f"{10 * n}.00") for n in range(4)]
    return Base({Order: orders, Payment: [Payment(id="P0", order="O0", amount=cents(50))]}, NOW)
