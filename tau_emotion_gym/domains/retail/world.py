"""Builds the shop's world from a registry's draws."""

from datetime import datetime, timedelta
from decimal import Decimal
from itertools import product as combinations

from msgspec.structs import replace

from tau_emotion_gym.domains.retail.catalogue import Article, catalogue
from tau_emotion_gym.domains.retail.records import (
    RECORDS,
    ZERO,
    Customer,
    Item,
    Order,
    Payment,
    PaymentMethod,
    Product,
    SavedAddress,
    Status,
    Variant,
    Voucher,
)
from tau_emotion_gym.kit import Person, Place, Registry
from tau_emotion_gym.kit.people import names
from tau_emotion_gym.world import Base, cents, money

NOW = datetime(2026, 5, 20, 10, 0)
"""The shop's fixed clock, as stated in policy.md."""

CUSTOMERS = 240
"""Customers at scale 1."""

PERCENTS = (10, 15, 20)
AMOUNTS = (10, 15, 25)
MINIMUMS = (20, 35, 60, 90, 140)


def build(registry: Registry, scale: int) -> Base:
    """A base world with `scale` × 240 customers."""
    return _Shop(registry).base(CUSTOMERS * scale)


def _day(ago: int) -> str:
    return (NOW - timedelta(days=ago)).date().isoformat()


class _Shop:
    """One world under construction."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.draw = registry.draw
        self.variants: dict[str, list[Variant]] = {}
        self.products: list[Product] = []
        self.customers: list[Customer] = []
        self.orders: list[Order] = []
        self.vouchers: list[Voucher] = []
        self._named: set[tuple[str, str]] = set()

    def base(self, customers: int) -> Base:
        """Fill the tables."""
        for article in catalogue().products:
            self._product(article)
        twin: Person | None = None
        for number in range(customers):
            person = self._person(twin if number % 4 == 3 else None)
            twin = person
            customer = self._customer(person)
            orders = self._orders(customer)
            self.customers.append(replace(customer, orders=tuple(order.id for order in orders)))
            self.orders += orders
            self._vouchers(customer)
        variants = [variant for group in self.variants.values() for variant in group]
        rows = (self.customers, self.products, variants, self.orders, self.vouchers)
        return Base(dict(zip(RECORDS, rows, strict=True)), NOW)

    def _product(self, article: Article) -> None:
        """A product with a variant for every combination of options, all at different prices."""
        made = Product(id=self.registry.digits("P", 4), name=article.name, category=article.category)
        prices: set[int] = set()
        group = self.variants[made.id] = []
        for values in combinations(*article.options.values()):
            price = 0
            while not price or price in prices:
                price = article.price * self.draw.between(82, 124) // 1000 * 10 + self.draw.pick((0, 5, 9))
            prices.add(price)
            group.append(
                Variant(
                    id=self.registry.digits("V", 7),
                    product_id=made.id,
                    title=f"{values[0]} {article.name}",
                    options=dict(zip(article.options, values, strict=True)),
                    price=cents(price),
                    stock=0 if self.draw.chance(0.25) else self.draw.between(2, 30),
                )
            )
        self.products.append(made)

    def _person(self, twin: Person | None) -> Person:
        """A person whose name and ZIP code are nobody else's; a twin has the other's first name and town."""
        while True:
            if twin is None:
                person = self.registry.person()
            else:
                place = next(p for p in _places() if (p.city, p.state) == (twin.city, twin.state))
                person = self.registry.person(first=twin.first, place=place)
            key = (f"{person.first} {person.last}", person.zip)
            if key not in self._named:
                self._named.add(key)
                return person

    def _address(self, person: Person) -> str:
        return f"{person.street}, {person.city}, {person.state} {person.zip}"

    def _customer(self, person: Person) -> Customer:
        draw = self.draw
        labels = draw.sample(tuple(catalogue().address_labels), draw.weighted((0, 1, 2), (20, 55, 25)))
        return Customer(
            id=self.registry.digits(person.handle + "_", 4),
            name=f"{person.first} {person.last}",
            email=person.email,
            phone=person.phone,
            membership="plus" if draw.chance(0.3) else "standard",
            address=self._address(person),
            saved_addresses=tuple(SavedAddress(label, self._elsewhere()) for label in labels),
            payment_methods=self._methods(),
            orders=(),
        )

    def _elsewhere(self) -> str:
        place = self.draw.pick(_places())
        street = f"{self.draw.between(10, 989)} {self.draw.pick(_streets())}"
        return f"{street}, {place.city}, {place.state} {place.zip}{self.draw.below(100):02}"

    def _methods(self) -> tuple[PaymentMethod, ...]:
        """One to four methods; now and then two cards of one brand."""
        draw = self.draw
        first = draw.pick(catalogue().brands)
        methods = [self._card(first)]
        if draw.chance(0.25):
            methods.append(self._card(first if draw.chance(0.5) else draw.pick(catalogue().brands)))
        if draw.chance(0.45):
            methods.append(PaymentMethod(id=self.registry.digits("paypal_", 6), kind="paypal"))
        if draw.chance(0.8):
            balance = cents(draw.between(800, 9900) if draw.chance(0.5) else draw.between(10000, 62000))
            key = self.registry.digits("gift_card_", 6)
            methods.append(PaymentMethod(id=key, kind="gift_card", balance=balance))
        return tuple(draw.shuffled(methods))

    def _card(self, brand: str) -> PaymentMethod:
        last_four = f"{self.draw.below(10000):04}"
        key = self.registry.digits("card_", 6)
        return PaymentMethod(id=key, kind="credit_card", brand=brand, last_four=last_four)

    def _orders(self, customer: Customer) -> list[Order]:
        """Three to six orders in several stages, newest first; often two that look alike."""
        draw = self.draw
        stages: list[Status] = ["pending", "delivered"]
        stages += draw.sample(("pending", "processed", "delivered", "delivered"), draw.between(1, 3))
        if draw.chance(0.2):
            stages.append("cancelled" if draw.chance(0.6) else "returned")
        made: list[Order] = []
        for stage in stages:
            like = draw.pick(made) if made and draw.chance(0.3) else None
            made.append(self._order(customer, stage, like))
        return sorted(made, key=lambda order: (order.placed_on, order.id), reverse=True)

    def _order(self, customer: Customer, status: Status, like: Order | None) -> Order:
        draw = self.draw
        final_sale = 0.15 if status == "delivered" else 0.0
        items = tuple(self._item(variant, final_sale) for variant in self._chosen(like))
        total = sum([item.price for item in items], ZERO)
        placed, shipped, delivered = self._days(status)
        method = self._payer(customer)
        payments = [Payment("payment", method, total)]
        if status in ("cancelled", "returned"):
            payments.append(Payment("refund", method, total))
        pending = status == "pending"
        changed = placed - draw.below(placed) if pending and placed > 1 else 0
        return Order(
            id=self.registry.digits("R", 7),
            customer_id=customer.id,
            status=status,
            placed_on=_day(placed),
            address=customer.address,
            payment_method=method,
            items=items,
            payments=tuple(payments),
            shipped_on=_day(shipped) if shipped else None,
            delivered_on=_day(delivered) if delivered else None,
            tracking=self.registry.digits("TRK", 9) if shipped else None,
            address_changed_on=_day(changed) if changed and draw.chance(0.12) else None,
            payment_changed_on=_day(changed) if changed and draw.chance(0.12) else None,
            items_changed_on=_day(changed) if changed and draw.chance(0.3) else None,
            cancel_reason="no_longer_needed" if status == "cancelled" else None,
            returned_items=tuple(item.id for item in items) if status == "returned" else (),
        )

    def _days(self, status: Status) -> tuple[int, int, int]:
        """Days since the order was placed, shipped and delivered; 0 for what has not happened."""
        draw = self.draw
        if status in ("pending", "cancelled"):
            return draw.between(1, 9), 0, 0
        if status == "processed":
            shipped = draw.between(1, 4)
            return shipped + draw.between(2, 5), shipped, 0
        delivered = draw.between(2, 28) if draw.chance(0.45) else draw.between(29, 95)
        shipped = delivered + draw.between(2, 6)
        return shipped + draw.between(1, 4), shipped, delivered

    def _payer(self, customer: Customer) -> str:
        """A card or PayPal nearly always: gift cards are for what comes next."""
        methods = customer.payment_methods
        others = [method for method in methods if method.kind != "gift_card"]
        return self.draw.pick(methods if self.draw.chance(0.1) else others).id

    def _chosen(self, like: Order | None) -> list[Variant]:
        """One to three variants of different products, the first of a product of `like` if given."""
        draw = self.draw
        products = [p.id for p in draw.sample(self.products, draw.weighted((1, 2, 3), (35, 45, 20)))]
        if like is not None:
            twin = draw.pick(like.items).product_id
            products = [twin, *(key for key in products[1:] if key != twin)]
        return [draw.pick(self.variants[key]) for key in products]

    def _item(self, variant: Variant, final_sale: float) -> Item:
        price: Decimal = variant.price
        if self.draw.chance(0.6):
            price = money(price * self.draw.between(88, 115) / 100)
        return Item(
            id=variant.id,
            product_id=variant.product_id,
            title=variant.title,
            options=variant.options,
            price=price,
            final_sale=self.draw.chance(final_sale),
        )

    def _vouchers(self, customer: Customer) -> None:
        """None to two vouchers, some of them expired or with a high minimum."""
        draw = self.draw
        for _ in range(draw.weighted((0, 1, 2), (20, 45, 35))):
            percent = draw.chance(0.6)
            ago = draw.between(2, 40) if draw.chance(0.3) else -draw.between(5, 60)
            self.vouchers.append(
                Voucher(
                    code=self.registry.letters("TREAT", 5),
                    customer_id=customer.id,
                    kind="percent" if percent else "amount",
                    value=money(draw.pick(PERCENTS if percent else AMOUNTS)),
                    minimum=money(draw.pick(MINIMUMS)),
                    valid_until=_day(ago),
                )
            )


def _places() -> tuple[Place, ...]:
    return names().places


def _streets() -> tuple[str, ...]:
    return names().streets
