"""What changes of a reservation cost, with the arithmetic that an agent does for it."""

from decimal import Decimal
from typing import NamedTuple

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.grounding import (
    TRIES,
    Wanted,
    days_until,
    options,
    other_day,
    search_call,
    wanted,
)
from tau_emotion_gym.domains.airline.records import Cabin, Reservation
from tau_emotion_gym.kit import Call, Situation, calculation, short_date
from tau_emotion_gym.world import World


class Quote(NamedTuple):
    """An expression and its value in dollars; negative when money is paid back."""

    expression: str
    due: Decimal


def next_cabin(s: Situation, trip: Reservation) -> Cabin:
    """A higher cabin than the trip's."""
    return "economy" if trip.cabin == "basic_economy" and s.draw.chance(0.6) else "business"


def cabin_difference(world: World, trip: Reservation, cabin: Cabin) -> Quote:
    """Today's fares of the cabin less the fares paid, for all passengers."""
    parts = [
        f"{terms.fare(day, cabin)} - {leg.fare}" for day, leg in zip(terms.days(world, trip), trip.legs, strict=True)
    ]
    due = terms.fares_of(world, ((leg.flight_number, leg.date) for leg in trip.legs), cabin)
    count = len(trip.passengers)
    return Quote(f"({' + '.join(parts)}) * {count}", (due - terms.paid_fares(trip.legs)) * count)


def seats_in(world: World, trip: Reservation, cabin: Cabin) -> bool:
    """Whether every flight of the trip has seats in the cabin for everybody."""
    count = len(trip.passengers)
    return all(terms.seats(day, cabin) >= count for day in terms.days(world, trip))


class Move(NamedTuple):
    """Other flights for a reservation.

    Attributes:
        date: the new date of the first flight.
        wanted: the new first flight and its words, the date included.
        flights: the argument of `change_flights`.
        quote: what it costs.
        calls: the search and the arithmetic.
    """

    date: str
    wanted: Wanted
    flights: list[dict[str, str]]
    quote: Quote
    calls: tuple[Call, ...]


def outbound_move(s: Situation, trip: Reservation) -> Move | None:
    """Another day for the outbound flight of a direct trip, before its return; None when none is found."""
    first, rest = trip.legs[0], trip.legs[1:]
    last = 13 if not rest else (days_until(s, rest[0].date) - 1)
    if last < 2 or (trip.trip == "one_way" and rest) or len(rest) > 1:
        return None
    for _ in range(TRIES):
        iso = other_day(s, "", last)
        if iso == first.date:
            continue
        found = options(s.world, f"{first.origin}-{first.destination}", iso)
        choice = wanted(s, found, trip.cabin, len(trip.passengers))
        if choice is not None and (move := move_to(trip, iso, choice)).quote.due:
            return move
    return None


def move_to(trip: Reservation, iso: str, choice: Wanted) -> Move:
    """The move of a trip's first flight to the chosen one."""
    first, rest = trip.legs[0], trip.legs[1:]
    count = len(trip.passengers)
    fare = terms.fare(choice.option.day, trip.cabin)
    quote = Quote(f"({fare} - {first.fare}) * {count}", (fare - first.fare) * count)
    flights = [{"flight_number": choice.option.flight.number, "date": iso}]
    flights += [{"flight_number": leg.flight_number, "date": leg.date} for leg in rest]
    calls = (search_call(choice.option.flight.route, iso), calculation(quote.expression))
    dated = Wanted(choice.option, f"{choice.words} on {short_date(iso)}")
    return Move(iso, dated, flights, quote, calls)
