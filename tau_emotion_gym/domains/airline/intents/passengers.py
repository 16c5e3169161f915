"""Wishes about who travels."""

from tau_emotion_gym.domains.airline.intents.grounding import days_until, point_at, upcoming
from tau_emotion_gym.domains.airline.intents.wording import wish
from tau_emotion_gym.domains.airline.records import Customer, Passenger, Reservation
from tau_emotion_gym.kit import Call, Fact, Goal, Kind, Script, Situation, long_date


def own_details(customer: Customer) -> Passenger:
    """The customer as a passenger."""
    return Passenger(customer.first_name, customer.last_name, customer.birth_date)


def _right(customer: Customer, passenger: Passenger) -> Passenger | None:
    """The passenger as in the account: the customer or a companion of that first name."""
    known = (own_details(customer), *customer.companions)
    return next((other for other in known if other.first_name == passenger.first_name), None)


def as_arguments(passengers: tuple[Passenger, ...]) -> list[dict[str, str]]:
    """Passengers as a tool takes them."""
    return [{"first_name": p.first_name, "last_name": p.last_name, "birth_date": p.birth_date} for p in passengers]


@wish(Kind.FULFIL)
def correct_passenger(s: Situation) -> Goal | None:
    """A misspelt last name or a wrong date of birth."""
    found: list[tuple[Reservation, int, Passenger]] = []
    for trip in upcoming(s):
        if days_until(s, trip.legs[0].date) >= 2:
            for at, passenger in enumerate(trip.passengers):
                right = _right(s.customer, passenger)
                if right is not None and right != passenger:
                    found.append((trip, at, right))
    if not found:
        return None
    trip, at, right = s.draw.pick(found)
    wrong = trip.passengers[at]
    pointer = point_at(s, trip)
    whose = "my own" if right.first_name == s.customer.first_name else f"{right.first_name}'s"
    if right.last_name != wrong.last_name:
        detail, was, correct = "last name", wrong.last_name, Fact("passengers", right.last_name)
    else:
        detail, was = "date of birth", long_date(wrong.birth_date)
        correct = Fact("passengers", right.birth_date, long_date(right.birth_date))
    passengers = tuple(right if n == at else p for n, p in enumerate(trip.passengers))
    call = Call("change_passengers", {"reservation_id": trip.id, "passengers": as_arguments(passengers)})
    names = f"details of passenger {wrong.first_name} {wrong.last_name} on reservation {trip.id}"
    return Goal(
        fill={"trip": pointer.words, "whose": whose, "detail": detail, "right": correct.spoken},
        facts=(*pointer.facts, correct),
        calls=(*pointer.calls, call),
        script=Script(
            propose=f"I will correct the {names}: the {detail} will be {correct.spoken} instead of {was}.",
            report=f"The {names} have been corrected. The {detail} is now {correct.spoken}.",
        ),
    )
