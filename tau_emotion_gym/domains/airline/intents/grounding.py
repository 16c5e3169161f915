"""How customers point at what they mean, and what an agent says and looks up for it."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple, TypeVar

from tau_emotion_gym import kit
from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.network import cities
from tau_emotion_gym.domains.airline.records import Cabin, Customer, Flight, FlightDay, Leg, PaymentMethod, Reservation
from tau_emotion_gym.kit import (
    Call,
    Fact,
    Output,
    Pointer,
    Situation,
    days_after,
    days_between,
    long_date,
    plus,
    short_date,
    total,
    usd,
    yours,
)
from tau_emotion_gym.world import World

TRIES = 3
"""Draws of a day, a route or a flight before a wish is given up."""

T = TypeVar("T")

CABIN_WORDS: dict[Cabin, str] = {
    "basic_economy": "basic economy",
    "economy": "economy",
    "business": "business class",
}
IN_POLICY = frozenset((terms.BAG_FEE, terms.INSURANCE_PRICE, terms.DELAY_AMOUNT, terms.CANCELLED_AMOUNT))
"""Amounts that stand in the policy and so are nothing that an agent has to find out."""


# --- words ------------------------------------------------------------------------------------------


def clock(time: str) -> str:
    """A time as people say it: 9:05 for 09:05."""
    return time.removeprefix("0")


def amount_output(amount: Decimal) -> tuple[Output, ...]:
    """The amount as something that must be told; nothing when the policy says it anyway."""
    return () if amount in IN_POLICY or amount <= 0 else (Output("money", f"{amount:.2f}"),)


# --- calls ------------------------------------------------------------------------------------------


def status_calls(legs: Iterable[Leg]) -> tuple[Call, ...]:
    """Looking up every leg's flight."""
    return tuple(Call("get_flight_status", {"flight_number": leg.flight_number, "date": leg.date}) for leg in legs)


def open_account(s: Situation) -> Call:
    """Looking the account up again."""
    return Call("get_customer", {"customer_id": s.customer.id})


# --- reservations -----------------------------------------------------------------------------------


def trips_of(s: Situation) -> list[Reservation]:
    """The customer's reservations."""
    return s.world.where(Reservation, "customer_id", s.customer.id)


def untouched(s: Situation) -> list[Reservation]:
    """Those of the customer's reservations that no earlier wish of the conversation changes."""
    return kit.untouched(s, trips_of(s), "reservation_id", look_up="get_reservation")


def upcoming(s: Situation) -> list[Reservation]:
    """Those of them that are active and all of whose flights are still to come as scheduled."""
    tomorrow = days_after(s.world.base.today, 1)
    return [t for t in untouched(s) if t.legs[0].date >= tomorrow and terms.upcoming(s.world, t)]


def point_at(s: Situation, trip: Reservation) -> Pointer:
    """By its number half of the time, else by where it goes and, where that is not enough, when."""
    calls = (Call("get_reservation", {"reservation_id": trip.id}),)
    if s.draw.chance(0.5):
        return _by_number(trip, calls)
    goal = cities()[trip.destination]
    same = [other for other in trips_of(s) if other.destination == trip.destination]
    to = Fact("destination", trip.destination, goal)
    if len(same) == 1 and s.draw.chance(0.5):
        return Pointer(f"my trip to {goal}", (to,), calls)
    first = trip.legs[0].date
    if sum(other.legs[0].date == first for other in same) > 1:
        return _by_number(trip, calls)
    when = Fact("date", first, short_date(first))
    if s.draw.chance(0.5):
        start = cities()[trip.origin]
        words = f"my trip from {start} to {goal} on {when.say}"
        return Pointer(words, (Fact("origin", trip.origin, start), to, when), calls)
    return Pointer(f"my trip to {goal} on {when.say}", (to, when), calls)


def _by_number(trip: Reservation, calls: tuple[Call, ...]) -> Pointer:
    return Pointer(f"my reservation {trip.id}", (Fact("reservation_id", trip.id),), calls)


def flight_of(trip: Reservation) -> str:
    """ "from New York to Seattle on September 12, 2026", of a trip with one flight."""
    leg = trip.legs[0]
    return f"from {cities()[leg.origin]} to {cities()[leg.destination]} on {long_date(leg.date)}"


def paid_in_all(trip: Reservation) -> Decimal:
    """The balance of a reservation's payments."""
    return total(payment.amount for payment in trip.payments)


def payments_sum(trips: Iterable[Reservation]) -> str:
    """All payments as an expression."""
    return plus(payment.amount for trip in trips for payment in trip.payments)


# --- paying -----------------------------------------------------------------------------------------


def my_method(customer: Customer, method: PaymentMethod) -> str:
    """How the customer speaks of a payment method, so that no other fits."""
    if method.kind == "gift_card":
        return "my gift card"
    cards = sum(other.kind == "credit_card" for other in customer.payment_methods)
    return "my credit card" if cards == 1 else f"my {method.brand} ending in {method.last_four}"


class Payer(NamedTuple):
    """A payment method that the customer chose.

    Attributes:
        method: the method.
        fact: the choice as a detail that the customer knows, with its purpose ("my gift card for the bags").
        words: the method in the agent's mouth ("your gift card").
    """

    method: PaymentMethod
    fact: Fact
    words: str


def pay_with(s: Situation, method: PaymentMethod, purpose: str) -> Payer:
    """The choice of a payment method for a purpose ("bags")."""
    mine = my_method(s.customer, method)
    fact = Fact("payment_method", method.id, f"{mine} for the {purpose}")
    return Payer(method, fact, yours(mine))


def card_of(s: Situation) -> PaymentMethod:
    """One of the customer's credit cards."""
    methods: tuple[PaymentMethod, ...] = s.customer.payment_methods
    return s.draw.pick([method for method in methods if method.kind == "credit_card"])


def gift_card_of(customer: Customer) -> PaymentMethod | None:
    """The customer's gift card, if it has one."""
    return next((m for m in customer.payment_methods if m.kind == "gift_card"), None)


def able_to_pay(s: Situation, amount: Decimal) -> PaymentMethod:
    """A payment method that covers the amount; any does for a refund. Gift cards half of the time."""
    gift = gift_card_of(s.customer)
    if gift is not None and (gift.balance or 0) >= amount and s.draw.chance(0.5):
        return gift
    return card_of(s)


def settlement(due: Decimal, words: str) -> str:
    """What an agent says about a difference."""
    if due > 0:
        return f"charge the difference of {usd(due)} to {words}"
    return f"pay the difference of {usd(-due)} back to {words}"


def settled(due: Decimal, words: str) -> str:
    """The same, afterwards."""
    if due > 0:
        return f"The difference of {usd(due)} was charged to {words}."
    return f"The difference of {usd(-due)} was paid back to {words}."


# --- flights ----------------------------------------------------------------------------------------


class Option(NamedTuple):
    """A flight that can be booked on a day."""

    flight: Flight
    day: FlightDay


def options(world: World, route: str, iso: str) -> list[Option]:
    """The direct flights that a search shows, earliest first."""
    found: list[Option] = []
    for flight in world.where(Flight, "route", route):
        flown = terms.flight_day(world, flight.number, iso)
        if flown is not None and flown.status == "scheduled":
            found.append(Option(flight, flown))
    found.sort(key=lambda option: option.flight.departs)
    return found


def search_call(route: str, iso: str) -> Call:
    """The search that shows `options`."""
    origin, destination = route.split("-")
    return Call("search_direct_flights", {"origin": origin, "destination": destination, "date": iso})


class Wanted(NamedTuple):
    """The flight that a customer wants on a day, and its words for it ("the earliest direct flight")."""

    option: Option
    words: str


def wanted(s: Situation, found: Sequence[Option], cabin: Cabin, seats: int) -> Wanted | None:
    """A flight with enough seats that the customer can describe without knowing its number."""
    if not found:
        return None
    how = s.draw.below(4)
    if how == 0:
        pick, words = found[0], "the earliest direct flight"
    elif how == 1:
        pick, words = found[-1], "the last direct flight of the day"
    elif how == 2:
        fares = sorted(terms.fare(option.day, cabin) for option in found)
        if len(fares) > 1 and fares[0] == fares[1]:
            return None
        pick = next(option for option in found if terms.fare(option.day, cabin) == fares[0])
        words = "the cheapest direct flight"
    else:
        pick = s.draw.pick(found)
        words = f"the flight that leaves at {clock(pick.flight.departs)}"
    return Wanted(pick, words) if terms.seats(pick.day, cabin) >= seats else None


def tried(make: Callable[[], T | None]) -> T | None:
    """The first of a few draws that gives something."""
    return next((found for _ in range(TRIES) if (found := make()) is not None), None)


def other_day(s: Situation, but: str, last: int = 13) -> str:
    """A day from the day after tomorrow on that is not `but`; `last` counts from today."""
    while True:
        found = day_in(s, s.draw.between(2, last))
        if found != but:
            return found


def day_in(s: Situation, days: int) -> str:
    """The date so many days from today."""
    return days_after(s.world.base.today, days)


def days_until(s: Situation, iso: str) -> int:
    """Days from today to a date."""
    return days_between(s.world.base.today, iso)
