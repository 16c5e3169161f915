"""The airline's terms in numbers, and what follows from them for a reservation."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal

from tau_emotion_gym.domains.airline.records import (
    Cabin,
    Customer,
    Flight,
    FlightDay,
    Leg,
    Reservation,
    Tier,
)
from tau_emotion_gym.world import World, money

BAG_FEE = money(45)
"""Dollars per checked bag beyond the allowance."""
INSURANCE_PRICE = money(29)
"""Dollars per passenger."""
WINDOW = timedelta(hours=24)
"""After booking: free cancellation, adding insurance. Before departure: passenger details."""
NOTICE = timedelta(hours=2)
"""A flight that departs sooner cannot be booked or changed to."""
LARGEST_PARTY = 5
"""Passengers in one reservation."""
MOST_BAGS = 5
"""Checked bags per passenger."""
DELAY_MINUTES = 180
"""From this delay on, a certificate may be due."""
DELAY_AMOUNT = money(60)
CANCELLED_AMOUNT = money(120)
"""Certificate dollars per passenger, for a long delay and for a flight that the airline cancelled."""
COVERED = frozenset(("illness", "bereavement", "severe_weather"))
"""Reasons for which travel insurance covers a cancellation."""
FLOWN = frozenset(("departed", "landed"))
"""Statuses of a flight that has left."""

ALLOWANCE: dict[Tier, dict[Cabin, int]] = {
    "regular": {"basic_economy": 0, "economy": 1, "business": 2},
    "silver": {"basic_economy": 0, "economy": 2, "business": 3},
    "gold": {"basic_economy": 1, "economy": 3, "business": 4},
}
"""Free checked bags per passenger."""


def flight_day(world: World, number: str, date: str) -> FlightDay | None:
    """The flight on that date, or None when it does not fly then."""
    return world.get(FlightDay, f"{number}/{date}")


def fare(day: FlightDay, cabin: Cabin) -> Decimal:
    """Dollars per passenger."""
    amount: Decimal = getattr(day.fares, cabin)
    return amount


def seats(day: FlightDay, cabin: Cabin) -> int:
    """Seats left in the cabin."""
    left: int = getattr(day.seats, cabin)
    return left


def departure(world: World, number: str, date: str) -> datetime:
    """When the flight is scheduled to leave on that date."""
    flight = world.get(Flight, number)
    if flight is None:
        raise KeyError(number)
    return datetime.fromisoformat(f"{date}T{flight.departs}")


def days(world: World, reservation: Reservation) -> list[FlightDay]:
    """The flight days of a reservation's legs, in order."""
    get = world.get
    found = [get(FlightDay, f"{leg.flight_number}/{leg.date}") for leg in reservation.legs]
    return [day for day in found if day is not None]


def flown(world: World, reservation: Reservation) -> bool:
    """Whether a flight of the reservation has left."""
    return any(day.status in FLOWN for day in days(world, reservation))


def upcoming(world: World, reservation: Reservation) -> bool:
    """Whether the reservation is active and none of its flights has left or was cancelled."""
    return reservation.status == "active" and all(day.status == "scheduled" for day in days(world, reservation))


def airline_cancelled(world: World, reservation: Reservation) -> bool:
    """Whether the airline cancelled a flight of the reservation."""
    return any(day.status == "cancelled" for day in days(world, reservation))


def recent(world: World, reservation: Reservation) -> bool:
    """Whether it was booked within the last 24 hours."""
    return world.now - datetime.fromisoformat(reservation.booked_at) <= WINDOW


def cancellable(world: World, reservation: Reservation, reason: str) -> bool:
    """Whether the policy allows a cancellation for this reason."""
    return (
        recent(world, reservation)
        or reservation.cabin == "business"
        or airline_cancelled(world, reservation)
        or (reservation.insurance == "yes" and reason in COVERED)
    )


def free_bags(tier: Tier, cabin: Cabin, passengers: int) -> int:
    """Checked bags included in a reservation."""
    return ALLOWANCE[tier][cabin] * passengers


def extra_bags(tier: Tier, cabin: Cabin, passengers: int, bags: int) -> int:
    """Checked bags for which the fee is due, out of `bags` in all."""
    return max(0, bags - free_bags(tier, cabin, passengers))


def certificate_due(world: World, customer: Customer, reservation: Reservation) -> Decimal:
    """Dollars of the certificate that the terms give for this reservation's flights; 0 for none."""
    entitled = customer.tier != "regular" or reservation.cabin == "business" or reservation.insurance == "yes"
    if not entitled:
        return money(0)
    flights = days(world, reservation)
    if any(day.status == "cancelled" for day in flights):
        return CANCELLED_AMOUNT * len(reservation.passengers)
    if any(day.delay_minutes >= DELAY_MINUTES for day in flights):
        return DELAY_AMOUNT * len(reservation.passengers)
    return money(0)


def refundable(world: World, reservation: Reservation) -> dict[str, Decimal]:
    """Payment method → dollars that a cancellation gives back: all but what certificates paid."""
    owner = world.get(Customer, reservation.customer_id)
    kept = {method.id for method in owner.payment_methods} if owner else set()
    back: dict[str, Decimal] = {}
    for payment in reservation.payments:
        if payment.payment_method_id in kept:
            back[payment.payment_method_id] = back.get(payment.payment_method_id, money(0)) + payment.amount
    return {key: amount for key, amount in back.items() if amount > 0}


def fares_of(world: World, flights: Iterable[tuple[str, str]], cabin: Cabin) -> Decimal:
    """Sum of the current fares per passenger."""
    found = (flight_day(world, number, date) for number, date in flights)
    return sum((fare(day, cabin) for day in found if day is not None), money(0))


def paid_fares(legs: Iterable[Leg]) -> Decimal:
    """Sum of the fares paid per passenger."""
    return sum((leg.fare for leg in legs), money(0))
