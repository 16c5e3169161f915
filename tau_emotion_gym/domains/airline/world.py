"""Building a world: customers, the timetable, their reservations and certificates."""

from datetime import timedelta

from tau_emotion_gym.domains.airline.records import (
    Address,
    Certificate,
    Customer,
    Flight,
    FlightDay,
    Passenger,
    PaymentMethod,
    Reservation,
    Tier,
)
from tau_emotion_gym.domains.airline.timetable import NOW, build_timetable
from tau_emotion_gym.domains.airline.trips import TripMaker
from tau_emotion_gym.kit import Person, Place, Registry
from tau_emotion_gym.world import Base, money

CUSTOMERS = 240
"""Customers at scale 1."""
TIERS: tuple[Tier, ...] = ("regular", "silver", "gold")
BRANDS = ("Visa", "Mastercard", "Amex")


def build(registry: Registry, scale: int) -> Base:
    """A base world from the registry's draws, with `scale` times 240 customers."""
    timetable = build_timetable(registry)
    maker = TripMaker(registry, timetable)
    customers = _customers(registry, CUSTOMERS * scale)
    return Base(
        {
            Customer: customers,
            Flight: [flight for flights in timetable.flights.values() for flight in flights],
            FlightDay: [day for days in timetable.days.values() for day in days],
            Reservation: [trip for customer in customers for trip in maker.trips(customer)],
            Certificate: [c for customer in customers for c in _certificates(registry, customer)],
        },
        NOW,
    )


def _customers(registry: Registry, count: int) -> list[Customer]:
    """Customers, about a quarter of whom share first name and town with the one before."""
    found: list[Customer] = []
    person: Person | None = None
    for _ in range(count):
        if person is not None and registry.draw.chance(0.25):
            place = Place(person.city, person.state, person.zip[:3])
            person = registry.person(first=person.first, place=place)
        else:
            person = registry.person()
        found.append(_customer(registry, person))
    return found


def _customer(registry: Registry, person: Person) -> Customer:
    return Customer(
        id=registry.digits(person.handle + "_", 4),
        first_name=person.first,
        last_name=person.last,
        email=person.email,
        phone=person.phone,
        birth_date=person.birth_date,
        address=Address(person.street, person.city, person.state, person.zip),
        tier=registry.draw.weighted(TIERS, (4, 3, 3)),
        payment_methods=_payment_methods(registry),
        companions=_companions(registry, person),
    )


def _payment_methods(registry: Registry) -> tuple[PaymentMethod, ...]:
    draw = registry.draw
    brands = draw.sample(BRANDS, 2 if draw.chance(0.5) else 1)
    methods = [
        PaymentMethod(registry.digits("card_", 6), "credit_card", brand, str(draw.between(1000, 9999)))
        for brand in brands
    ]
    if draw.chance(0.75):
        balance = money(draw.between(30, 260) if draw.chance(0.5) else draw.between(300, 900))
        methods.append(PaymentMethod(registry.digits("gift_", 6), "gift_card", balance=balance))
    return tuple(methods)


def _companions(registry: Registry, person: Person) -> tuple[Passenger, ...]:
    """One to three saved travellers with different first names, often of the same family."""
    draw = registry.draw
    found: dict[str, Passenger] = {}
    wanted = draw.between(1, 3)
    while len(found) < wanted:
        other = registry.person()
        last = person.last if draw.chance(0.6) else other.last
        if other.first != person.first:
            found[other.first] = Passenger(other.first, last, other.birth_date)
    return tuple(found.values())


def _certificates(registry: Registry, customer: Customer) -> list[Certificate]:
    draw = registry.draw
    return [
        Certificate(
            id=registry.digits("cert_", 6),
            customer_id=customer.id,
            reservation_id="",
            amount=money(20 * draw.between(3, 11)),
            issued=(NOW.date() - timedelta(days=draw.between(20, 200))).isoformat(),
        )
        for _ in range(draw.weighted((0, 1, 2), (4, 5, 1)))
    ]
