"""Building reservations of every kind that intents need: recent, old, insured, flown, disrupted, doubled."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

import msgspec

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.network import neighbours
from tau_emotion_gym.domains.airline.records import (
    Cabin,
    Choice,
    Customer,
    FlightDay,
    Leg,
    Passenger,
    Payment,
    Reservation,
    Trip,
)
from tau_emotion_gym.domains.airline.timetable import CONNECTION, NOW, Timetable, minutes, paid_fare
from tau_emotion_gym.errors import DataError
from tau_emotion_gym.kit import Registry
from tau_emotion_gym.world import money

CABINS: tuple[Cabin, ...] = ("basic_economy", "economy", "business")


@dataclass(frozen=True)
class Plan:
    """One kind of reservation.

    Attributes:
        chance: how many customers have one.
        when: "future", "past" (flown or cancelled days), "partly" (outbound flown), "called_off" (the
            airline cancelled a coming flight), "disrupted" (late or cancelled, in the past).
        cabins: weights of basic economy, economy, business.
        insured: chance of travel insurance.
        recent: booked within the last 24 hours.
    """

    chance: float
    when: str
    cabins: tuple[int, int, int]
    insured: float = 0.15
    recent: bool = False


PLANS = (
    Plan(0.42, "future", (2, 5, 1), 0.2, recent=True),
    Plan(0.62, "future", (0, 1, 0), 0.0),
    Plan(0.45, "future", (1, 0, 0), 0.0),
    Plan(0.50, "future", (1, 3, 2), 0.8),
    Plan(0.62, "disrupted", (2, 5, 1), 0.3),
    Plan(0.30, "partly", (2, 5, 1)),
    Plan(0.14, "called_off", (2, 5, 1)),
)


class TripMaker:
    """Makes reservations for customers out of a timetable."""

    def __init__(self, registry: Registry, timetable: Timetable) -> None:
        self.registry = registry
        self.draw = registry.draw
        self.timetable = timetable
        self.routes = timetable.routes()
        every = [day for days in timetable.days.values() for day in days]
        self._late = [day for day in every if day.delay_minutes >= 70]
        self._off = [day for day in every if day.status == "cancelled"]
        self._route_of = {f.number: f.route for flights in timetable.flights.values() for f in flights}

    def trips(self, customer: Customer) -> list[Reservation]:
        """The customer's reservations: at least one."""
        plans = [plan for plan in PLANS if self.draw.chance(plan.chance)] or [PLANS[1]]
        found: list[Reservation] = []
        for plan in plans:
            trip = self._trip(customer, plan)
            found.append(trip)
            if plan.when == "future" and self.draw.chance(0.15):
                found.append(self._twin(customer, plan, trip))
        return self.draw.shuffled(found)

    def _trip(self, customer: Customer, plan: Plan) -> Reservation:
        days, trip = self._days(plan)
        return self._reservation(customer, plan, days, trip)

    def _days(self, plan: Plan) -> tuple[list[FlightDay], Trip]:
        """The flight days of a new trip, and its kind."""
        if plan.when == "disrupted":
            pool = self._off if self.draw.chance(0.3) else self._late
            return [self._where(pool, past=True)], "one_way"
        if plan.when == "called_off":
            return [self._where(self._off, past=False)], "one_way"
        if plan.when == "partly":
            return self._there_and_back(-self.draw.between(1, 6)), "round_trip"
        if self.draw.chance(0.15):
            return self._connection(self.draw.between(2, 12)), "one_way"
        ahead = self.draw.between(2, 12)
        if self.draw.chance(0.4) and ahead < 10:
            return self._there_and_back(ahead), "round_trip"
        return [self._flying(self.draw.pick(self.routes), ahead)], "one_way"

    def _where(self, pool: list[FlightDay], *, past: bool) -> FlightDay:
        today = NOW.date().isoformat()
        while True:
            day = self.draw.pick(pool)
            if day.date < today if past else day.date > today:
                return day

    def _flying(self, route: str, offset: int) -> FlightDay:
        """A flight of the route that was not cancelled, `offset` days from today or as near as possible.

        Raises:
            DataError: every flight of the route is cancelled on that side of today.
        """
        span = range(-7, 0) if offset < 0 else range(1, 14)
        for near in sorted(span, key=lambda n: abs(n - offset)):
            day = (NOW.date() + timedelta(days=near)).isoformat()
            if running := [d for d in self.timetable.days[route, day] if d.status != "cancelled"]:
                return self.draw.pick(running)
        raise DataError(f"airline: the route {route} has no running flight")

    def _there_and_back(self, offset: int) -> list[FlightDay]:
        route = self.draw.pick(self.routes)
        back = "-".join(reversed(route.split("-")))
        home = self.draw.between(2, 10) if offset < 0 else min(13, offset + self.draw.between(3, 4))
        return [self._flying(route, offset), self._flying(back, home)]

    def _connection(self, offset: int) -> list[FlightDay]:
        """Two flights on one day between airports that no direct flight joins."""
        joined = neighbours()
        while True:
            via = self.draw.pick(("ORD", "DEN", "ATL"))
            origin, destination = self.draw.sample(joined[via], 2)
            if destination in joined[origin]:
                continue
            first = self._flying(f"{origin}-{via}", offset)
            arrives = next(f.arrives for f in self.timetable.flights[f"{origin}-{via}"] if f.number == first.number)
            second = [
                day
                for flight, day in zip(
                    self.timetable.flights[f"{via}-{destination}"],
                    self.timetable.days[f"{via}-{destination}", first.date],
                    strict=True,
                )
                if day.status == "scheduled" and minutes(flight.departs) >= minutes(arrives) + CONNECTION
            ]
            if second:
                return [first, second[0]]

    def _twin(self, customer: Customer, plan: Plan, trip: Reservation) -> Reservation:
        """Another reservation on the same route: a different day, or an hour apart."""
        leg = trip.legs[0]
        route = f"{leg.origin}-{leg.destination}"
        offset = (date.fromisoformat(leg.date) - NOW.date()).days
        other = self._flying(route, offset if self.draw.chance(0.2) else self.draw.between(2, 12))
        return self._reservation(customer, plan, [other], "one_way")

    def _reservation(self, customer: Customer, plan: Plan, days: list[FlightDay], trip: Trip) -> Reservation:
        draw = self.draw
        cabin = draw.weighted(CABINS, plan.cabins)
        ends = [self._route_of[day.number].split("-") for day in days]
        legs = tuple(
            Leg(day.number, day.date, start, end, paid_fare(draw, terms.fare(day, cabin)))
            for day, (start, end) in zip(days, ends, strict=True)
        )
        passengers = self._passengers(customer)
        count = len(passengers)
        free = terms.free_bags(customer.tier, cabin, count)
        bags = draw.between(0, min(free, count)) + (1 if free == 0 and draw.chance(0.3) else 0)
        paid = max(0, bags - free)
        insurance: Choice = "yes" if draw.chance(plan.insured) else "no"
        total = terms.paid_fares(legs) * count + terms.BAG_FEE * paid
        total += terms.INSURANCE_PRICE * count if insurance == "yes" else 0
        return Reservation(
            id=self.registry.letters("", 6),
            customer_id=customer.id,
            status="active",
            trip=trip,
            origin=ends[0][0],
            destination=ends[0][1] if trip == "round_trip" else ends[-1][1],
            cabin=cabin,
            booked_at=self._booked_at(plan, days[0].date),
            legs=legs,
            passengers=passengers,
            bags=bags,
            paid_bags=paid,
            insurance=insurance,
            payments=self._payments(customer, total),
        )

    def _passengers(self, customer: Customer) -> tuple[Passenger, ...]:
        """The customer with up to two companions; now and then a detail is wrong."""
        own = Passenger(customer.first_name, customer.last_name, customer.birth_date)
        party = [own, *self.draw.sample(customer.companions, min(len(customer.companions), self._extra()))]
        if self.draw.chance(0.3):
            at = self.draw.below(len(party))
            party[at] = mistaken(self.draw, party[at])
        return tuple(party)

    def _extra(self) -> int:
        return self.draw.weighted((0, 1, 2), (4, 4, 2))

    def _booked_at(self, plan: Plan, first: str) -> str:
        if plan.recent:
            booked = NOW - timedelta(minutes=10 * self.draw.between(3, 130))
        else:
            start = min(NOW, datetime.fromisoformat(f"{first}T08:00"))
            booked = start - timedelta(days=self.draw.between(2, 40), minutes=5 * self.draw.below(140))
        return booked.isoformat()

    def _payments(self, customer: Customer, total: Decimal) -> tuple[Payment, ...]:
        cards = [method for method in customer.payment_methods if method.kind == "credit_card"]
        card = self.draw.pick(cards)
        if total > 150 and self.draw.chance(0.25):
            worth = money(self.draw.pick((60, 80, 100, 120)))
            used = self.registry.digits("cert_", 6)
            return Payment(used, worth), Payment(card.id, total - worth)
        gift = [method for method in customer.payment_methods if method.kind == "gift_card"]
        if gift and self.draw.chance(0.25):
            part = money(10 * self.draw.between(3, int(total) // 20 + 3))
            return Payment(gift[0].id, part), Payment(card.id, total - part)
        return (Payment(card.id, total),)


def mistaken(draw: Draw, passenger: Passenger) -> Passenger:
    """The passenger with a slip in the last name or the birth date."""
    if draw.chance(0.5):
        name = passenger.last_name
        at = 1 + draw.below(len(name) - 2)
        wrong = name[:at] + name[at + 1 :] if draw.chance(0.5) else name[:at] + name[at] + name[at:]
        return msgspec.structs.replace(passenger, last_name=wrong)
    year = int(passenger.birth_date[:4]) + draw.pick((-10, -1, 1, 10))
    return msgspec.structs.replace(passenger, birth_date=f"{year}{passenger.birth_date[4:]}")
