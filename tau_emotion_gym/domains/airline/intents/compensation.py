"""Wishes for compensation."""

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.grounding import amount_output, point_at, status_calls, trips_of
from tau_emotion_gym.domains.airline.intents.wording import wish
from tau_emotion_gym.domains.airline.records import Certificate, Reservation
from tau_emotion_gym.kit import Call, Goal, Kind, Script, Situation, calculation, usd


@wish(Kind.FULFIL, weight=2)
def delay_compensation(s: Situation) -> Goal | None:
    """A certificate for a flight that was cancelled or hours late."""
    found = [(trip, due) for trip in _uncompensated(s) if (due := terms.certificate_due(s.world, s.customer, trip))]
    if not found:
        return None
    trip, due = s.draw.pick(found)
    called_off = terms.airline_cancelled(s.world, trip)
    count = len(trip.passengers)
    each = terms.CANCELLED_AMOUNT if called_off else terms.DELAY_AMOUNT
    pointer = point_at(s, trip)
    arguments = {"customer_id": s.customer.id, "reservation_id": trip.id, "amount": float(due)}
    return Goal(
        fill={"trip": pointer.words, "trouble": "was cancelled" if called_off else "was hours late"},
        facts=pointer.facts,
        calls=(
            *pointer.calls,
            *status_calls(trip.legs),
            calculation(f"{each} * {count}"),
            Call("issue_certificate", arguments),
        ),
        outputs=amount_output(due),
        script=Script(
            propose=f"I will issue a compensation certificate of {usd(due)} for reservation {trip.id}.",
            report=f"A compensation certificate of {usd(due)} has been issued to your account.",
        ),
    )


def _uncompensated(s: Situation) -> list[Reservation]:
    """Past trips without a certificate so far."""
    today = s.world.now.date().isoformat()
    given = {c.reservation_id for c in s.world.where(Certificate, "customer_id", s.customer.id)}
    return [trip for trip in trips_of(s) if trip.legs[0].date < today and trip.id not in given]
