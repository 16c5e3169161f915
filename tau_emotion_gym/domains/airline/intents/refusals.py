"""Wishes that the policy forbids."""

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.grounding import (
    flight_of,
    other_day,
    paid_in_all,
    payments_sum,
    point_at,
    status_calls,
    trips_of,
    upcoming,
)
from tau_emotion_gym.domains.airline.intents.reasons import said_reason
from tau_emotion_gym.domains.airline.intents.second_best import booking_day, not_cancellable, too_late_to_cancel
from tau_emotion_gym.domains.airline.intents.wording import wish
from tau_emotion_gym.kit import (
    Fact,
    Goal,
    Kind,
    Output,
    Script,
    Situation,
    calculation,
    counted,
    long_date,
    one_of,
    short_date,
    usd,
)


@wish(Kind.DENY)
def refund_uncovered(s: Situation) -> Goal | None:
    """A cancellation that neither time, cabin nor insurance allows."""
    trip = one_of(s, [trip for trip in upcoming(s) if not_cancellable(s, trip)])
    if trip is None:
        return None
    pointer = point_at(s, trip)
    reason = said_reason(s, "change_of_plans")
    return Goal(
        fill={"trip": pointer.words, "why": reason.say},
        facts=(*pointer.facts, reason),
        calls=pointer.calls,
        outputs=(booking_day(trip),),
        script=Script(refuse=too_late_to_cancel(trip)),
        insists=s.draw.between(1, 2),
    )


@wish(Kind.DENY)
def move_basic_fare(s: Situation) -> Goal | None:
    """Other flights on a basic fare, and what was paid for it."""
    trip = one_of(s, [trip for trip in upcoming(s) if trip.cabin == "basic_economy"])
    if trip is None:
        return None
    pointer = point_at(s, trip)
    paid = paid_in_all(trip)
    sums = (calculation(payments_sum([trip])),) if len(trip.payments) > 1 else ()
    return Goal(
        fill={"trip": pointer.words, "when": short_date(other_day(s, trip.legs[0].date))},
        facts=pointer.facts,
        calls=(*pointer.calls, *sums),
        outputs=(Output("money", f"{paid:.2f}"),),
        script=Script(
            refuse=f"I can't move reservation {trip.id} to another day, because it is in basic economy and the "
            f"policy does not allow other flights for that fare. You paid {usd(paid)} for it in all."
        ),
        insists=s.draw.between(0, 2),
    )


@wish(Kind.DENY)
def late_insurance(s: Situation) -> Goal | None:
    """Insurance for a trip that was booked too long ago."""
    trips = [trip for trip in upcoming(s) if trip.insurance == "no" and not terms.recent(s.world, trip)]
    trip = one_of(s, trips)
    if trip is None:
        return None
    pointer = point_at(s, trip)
    return Goal(
        fill={"trip": pointer.words},
        facts=pointer.facts,
        calls=pointer.calls,
        outputs=(booking_day(trip),),
        script=Script(
            refuse=f"I can't insure reservation {trip.id} any more, because that is possible only within 24 hours "
            f"of the booking, and you booked it on {long_date(trip.booked_at)}."
        ),
        insists=s.draw.between(1, 2),
    )


@wish(Kind.DENY)
def small_delay(s: Situation) -> Goal | None:
    """Compensation for a delay that was too short, or for a fare and tier that get none."""
    today = s.world.now.date().isoformat()
    found: list[tuple[str, int]] = []
    trips = {trip.id: trip for trip in trips_of(s) if trip.legs[0].date < today and len(trip.legs) == 1}
    for trip in trips.values():
        (flown,) = terms.days(s.world, trip)
        if flown.delay_minutes > 0 and not terms.certificate_due(s.world, s.customer, trip):
            found.append((trip.id, flown.delay_minutes))
    if not found:
        return None
    key, delay = s.draw.pick(found)
    trip = trips[key]
    pointer = point_at(s, trip)
    if delay < terms.DELAY_MINUTES:
        why = f"a certificate is due only from {terms.DELAY_MINUTES} minutes on"
    else:
        why = "a regular member gets one only with travel insurance or in business class"
    return Goal(
        fill={"trip": pointer.words},
        facts=pointer.facts,
        calls=(*pointer.calls, *status_calls(trip.legs)),
        outputs=(Output("count", str(delay), "minute"),),
        script=Script(
            refuse=f"I can't issue a certificate, because {why}. The flight {flight_of(trip)} was "
            f"{counted(delay, 'minute')} late."
        ),
        insists=s.draw.between(0, 2),
    )


@wish(Kind.DENY)
def replace_passenger(s: Situation) -> Goal | None:
    """Another person in the place of a passenger, and when the trip was booked."""
    trips = [trip for trip in upcoming(s) if len(trip.passengers) > 1]
    trip = one_of(s, trips)
    if trip is None:
        return None
    aboard = {passenger.first_name for passenger in trip.passengers}
    others = [person.first_name for person in s.customer.companions if person.first_name not in aboard]
    leaving = [name for name in sorted(aboard) if name != s.customer.first_name]
    if not others or not leaving:
        return None
    leaver, joiner = s.draw.pick(leaving), s.draw.pick(others)
    pointer = point_at(s, trip)
    return Goal(
        fill={"trip": pointer.words, "leaver": leaver, "joiner": joiner},
        facts=(*pointer.facts, Fact("passengers", joiner)),
        calls=pointer.calls,
        outputs=(booking_day(trip),),
        script=Script(
            refuse=f"I can't put {joiner} in the place of {leaver}, because the policy does not allow a passenger "
            f"to be replaced by another person. You booked this trip on {long_date(trip.booked_at)}."
        ),
        insists=s.draw.between(0, 2),
    )
