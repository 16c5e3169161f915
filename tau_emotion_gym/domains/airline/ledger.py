"""What writes share: finding records or saying which are missing, moving money, and taking seats."""

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.records import (
    Cabin,
    Certificate,
    Customer,
    Flight,
    FlightDay,
    FlightNumber,
    Leg,
    Reservation,
    Seats,
)
from tau_emotion_gym.kit import ToolError, existing
from tau_emotion_gym.world import Date, World, money


class FlightOn(msgspec.Struct, frozen=True):
    """A flight on a date."""

    flight_number: FlightNumber
    date: Date


def customer_of(world: World, customer_id: str) -> Customer:
    """The customer, or an error."""
    return existing(world, Customer, customer_id)


def reservation_of(world: World, reservation_id: str) -> Reservation:
    """The reservation, or an error."""
    return existing(world, Reservation, reservation_id)


def active(world: World, reservation_id: str) -> tuple[Reservation, Customer]:
    """The reservation and its owner, or an error when it is cancelled."""
    reservation = reservation_of(world, reservation_id)
    if reservation.status == "cancelled":
        raise ToolError(f"Reservation {reservation_id} is cancelled already.")
    return reservation, customer_of(world, reservation.customer_id)


def day_of(world: World, number: str, date: str) -> FlightDay:
    """The flight on that date, or an error."""
    day = terms.flight_day(world, number, date)
    if day is None:
        existing(world, Flight, number)
        raise ToolError(f"Flight {number} is not in the timetable on {date}.")
    return day


def charge(world: World, customer_id: str, method_id: str, amount: Decimal) -> None:
    """Take `amount` dollars from a payment method or certificate; a negative amount is given back."""
    customer = customer_of(world, customer_id)
    certificate = world.get(Certificate, method_id)
    if certificate is not None and certificate.customer_id == customer_id:
        if amount <= 0:
            raise ToolError("Money cannot be given back to a certificate.")
        if amount > certificate.amount:
            raise ToolError(f"Certificate {method_id} is worth ${certificate.amount}, less than ${amount}.")
        world.remove(certificate)
        return
    method = next((method for method in customer.payment_methods if method.id == method_id), None)
    if method is None:
        valid = [method.id for method in customer.payment_methods]
        valid += [c.id for c in world.where(Certificate, "customer_id", customer_id)]
        raise ToolError(f"{method_id!r} is no payment method of this customer. Valid: {', '.join(valid)}.")
    if method.balance is None:
        return
    if amount > method.balance:
        raise ToolError(f"Gift card {method_id} has a balance of ${method.balance}, less than ${amount}.")
    changed = msgspec.structs.replace(method, balance=method.balance - amount)
    methods = tuple(changed if m.id == method_id else m for m in customer.payment_methods)
    world.put(msgspec.structs.replace(customer, payment_methods=methods))


def take_seats(world: World, number: str, date: str, cabin: Cabin, count: int) -> None:
    """Take seats on a flight (a negative count gives them back)."""
    day = day_of(world, number, date)
    left = terms.seats(day, cabin)
    if count > left:
        raise ToolError(f"Flight {number} on {date} has {left} {cabin} seats left, fewer than {count}.")
    seats: Seats = msgspec.structs.replace(day.seats, **{cabin: left - count})
    world.put(msgspec.structs.replace(day, seats=seats))


def give_back_seats(world: World, leg: Leg, cabin: Cabin, count: int) -> None:
    """Free the seats of a leg that has not been flown or called off."""
    day = terms.flight_day(world, leg.flight_number, leg.date)
    if day is not None and day.status == "scheduled":
        take_seats(world, leg.flight_number, leg.date, cabin, -count)


def itinerary(world: World, flights: Sequence[FlightOn], cabin: Cabin) -> tuple[Leg, ...]:
    """Legs at today's fares, or an error when the flights do not join or one of them is not scheduled."""
    if not flights:
        raise ToolError("A reservation needs at least one flight.")
    legs: list[Leg] = []
    ready = ""
    for chosen in flights:
        day = day_of(world, chosen.flight_number, chosen.date)
        flight = world.get(Flight, chosen.flight_number)
        assert flight is not None
        if legs and legs[-1].destination != flight.origin:
            raise ToolError(f"Flight {flight.number} leaves from {flight.origin}, not {legs[-1].destination}.")
        if f"{chosen.date} {flight.departs}" < ready:
            raise ToolError(f"Flight {flight.number} on {chosen.date} leaves before the flight before it lands.")
        ready = f"{chosen.date} {flight.arrives}"
        legs.append(Leg(flight.number, chosen.date, flight.origin, flight.destination, terms.fare(day, cabin)))
    return tuple(legs)


def require_scheduled(world: World, legs: Sequence[Leg]) -> None:
    """An error when one of the flights is not scheduled."""
    for leg in legs:
        status = day_of(world, leg.flight_number, leg.date).status
        if status != "scheduled":
            raise ToolError(f"Flight {leg.flight_number} on {leg.date} is {status}; choose a scheduled flight.")


def turning_point(legs: Sequence[Leg]) -> str:
    """Where the trip goes: the last stop, or for a trip that returns, the one in the middle."""
    if legs[-1].destination == legs[0].origin:
        return legs[(len(legs) - 1) // 2].destination
    return legs[-1].destination


def total(legs: Sequence[Leg], passengers: int) -> Decimal:
    """Fares of all legs for all passengers."""
    return money(terms.paid_fares(legs) * passengers)
