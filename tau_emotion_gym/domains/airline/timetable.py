"""Building the timetable: flights on every route, and each flight on each day."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.airline.network import network
from tau_emotion_gym.domains.airline.records import Fares, Flight, FlightDay, Seats, Status
from tau_emotion_gym.kit import Registry
from tau_emotion_gym.world import money

NOW = datetime(2026, 9, 14, 15, 0)
"""The airline's fixed clock."""
FIRST_DAY = NOW.date() - timedelta(days=7)
LAST_DAY = NOW.date() + timedelta(days=13)
CONNECTION = 45
"""Least minutes between two connecting flights."""


@dataclass(frozen=True)
class Timetable:
    """Flights by route, and flight days by (route, date)."""

    flights: dict[str, list[Flight]]
    days: dict[tuple[str, str], list[FlightDay]]

    def routes(self) -> list[str]:
        """Every route with direct flights."""
        return list(self.flights)


def clock(minutes: int) -> str:
    """Minutes after midnight as HH:MM."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def minutes(text: str) -> int:
    """HH:MM as minutes after midnight."""
    return int(text[:2]) * 60 + int(text[3:])


def calendar() -> list[date]:
    """The days of the timetable."""
    return [FIRST_DAY + timedelta(days=n) for n in range((LAST_DAY - FIRST_DAY).days + 1)]


def build_timetable(registry: Registry) -> Timetable:
    """Two or three flights a day on every route, both ways; many routes have two an hour apart."""
    flights: dict[str, list[Flight]] = {}
    days: dict[tuple[str, str], list[FlightDay]] = {}
    for route in network().routes:
        for origin, destination in (route.ends, route.ends[::-1]):
            name = f"{origin}-{destination}"
            flights[name] = [
                Flight(
                    number=registry.digits("JN", 3),
                    route=name,
                    origin=origin,
                    destination=destination,
                    departs=clock(leaves),
                    arrives=clock(leaves + _duration(route.miles)),
                )
                for leaves in _departures(registry.draw)
            ]
            for day in calendar():
                days[name, day.isoformat()] = [
                    _flight_day(registry.draw, flight, route.miles, day) for flight in flights[name]
                ]
    return Timetable(flights, days)


def _duration(miles: int) -> int:
    return 45 + round(miles / 40) * 5


def _departures(draw: Draw) -> list[int]:
    first = 360 + 5 * draw.below(48)
    second = first + (60 if draw.chance(0.6) else 120 + 5 * draw.below(24))
    third = 780 + 5 * draw.below(54)
    return [first, second, third] if draw.chance(0.4) else [first, second]


def _flight_day(draw: Draw, flight: Flight, miles: int, day: date) -> FlightDay:
    status, delay = _status(draw, flight, day)
    seats = Seats(_seats(draw, 15), _seats(draw, 13), _seats(draw, 8))
    return FlightDay(
        id=f"{flight.number}/{day.isoformat()}",
        number=flight.number,
        date=day.isoformat(),
        status=status,
        delay_minutes=delay,
        seats=seats,
        fares=_fares(draw, miles),
    )


def _seats(draw: Draw, most: int) -> int:
    """Seats left in a cabin, now and then none."""
    return 0 if draw.chance(0.12) else draw.between(0, most)


def _status(draw: Draw, flight: Flight, day: date) -> tuple[Status, int]:
    if day > NOW.date():
        return ("cancelled", 0) if draw.chance(0.04) else ("scheduled", 0)
    if draw.chance(0.05):
        return "cancelled", 0
    delay = draw.weighted((0, draw.between(8, 60), draw.between(70, 175), draw.between(182, 420)), (6, 2, 2, 2))
    if day < NOW.date():
        return "landed", delay
    now = NOW.hour * 60 + NOW.minute
    if minutes(flight.departs) >= now:
        return "scheduled", 0
    return ("landed" if minutes(flight.arrives) < now else "departed"), min(delay, 60)


def _fares(draw: Draw, miles: int) -> Fares:
    basic = 49 + miles // 15 + draw.below(60)
    economy = basic + 30 + draw.below(50)
    business = economy + 90 + miles // 12 + draw.below(120)
    return Fares(*(money(amount) for amount in (basic, economy, business)))


def paid_fare(draw: Draw, now_costs: Decimal) -> Decimal:
    """What a passenger paid some time ago for a flight that costs `now_costs` today."""
    return max(money(39), now_costs + draw.between(-28, 17))
