"""Wishes that cannot be granted as they are, and the second best that can."""

from datetime import date, timedelta
from functools import cache

from tau_emotion_gym.kit import (
    Call,
    Fact,
    Goal,
    Kind,
    Output,
    Script,
    Situation,
    calculation,
    either_case,
    long_date,
    usd,
    yours,
)
from tau_emotion_gym.kit import short_date as spoken_day

from ..records import Opening, Patient
from ..terms import MOST_MOVES, blocking, is_late, late_fee, today
from .grounding import (
    active,
    appointments_call,
    due,
    medicine_named,
    plan_name,
    prescriptions_call,
    slots_call,
    supplier_fact,
    suppliers_call,
    takers,
    upcoming_visits,
    visit_named,
    when,
)
from .medicines import transfer_call, transfer_script
from .wording import wish

DAYS_AHEAD = (2, 16)


@wish(Kind.CONDITIONAL, weight=2)
def cancel_late(s: Situation) -> Goal | None:
    """Cancel a visit of today for nothing; failing that, with the late fee."""
    late = [visit for visit in upcoming_visits(s) if is_late(s.world, visit)]
    if not late:
        return None
    visit = s.draw.pick(late)
    fee = late_fee(s.world, visit)
    named = visit_named(s, visit)
    return Goal(
        fill=either_case("visit", named.words),
        facts=(named.fact,),
        calls=(
            appointments_call(s),
            calculation(f"{visit.visit_fee} / 2"),
            Call("cancel_appointment", {"appointment_id": visit.id, "late_fee": float(fee)}),
        ),
        outputs=(Output("money", str(fee)),),
        script=Script(
            refuse=f"I can't waive the late fee of {usd(fee)}, because the visit starts in less than 24 hours, on "
            f"{when(visit)}.",
            propose=f"I will cancel {yours(named.words)}, and the late fee of {usd(fee)} goes onto your balance.",
            report=f"The visit with {visit.provider_name} has been cancelled, with the late fee of {usd(fee)}.",
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.CONDITIONAL, weight=2)
def move_or_later(s: Situation) -> Goal | None:
    """Move a visit to a day on which the provider has nothing; failing that, to the first slot after it."""
    visits = [v for v in upcoming_visits(s) if v.moves < MOST_MOVES and not is_late(s.world, v)]
    if not visits:
        return None
    visit = s.draw.pick(visits)
    openings = s.world.where(Opening, "provider", visit.provider)
    last = max((opening.day for opening in openings), default="")
    days = [day for day in _weekdays(today(s.world)) if day < last and day != visit.day]
    days = [day for day in days if all(opening.day != day for opening in openings)]
    if not days:
        return None
    day = s.draw.pick(days)
    later = [opening for opening in openings if opening.day > day]
    opening = min(later, key=lambda one: (one.day, one.time))
    named = visit_named(s, visit)
    return Goal(
        fill={**either_case("visit", named.words), "day": spoken_day(day)},
        facts=(named.fact, Fact("day", day, spoken_day(day))),
        calls=(
            appointments_call(s),
            slots_call(visit.provider),
            Call("reschedule_appointment", {"appointment_id": visit.id, "slot_id": opening.id}),
        ),
        outputs=(Output("date", opening.day),),
        script=Script(
            refuse=f"I can't move it to {long_date(day)}, because {visit.provider_name} has nothing free on that day.",
            propose=f"I will move {yours(named.words)} to {when(opening)}, the first free slot after that day.",
            report=f"The visit with {visit.provider_name} has been moved to {when(opening)}.",
        ),
        insists=s.draw.below(2),
    )


@cache
def _weekdays(start: str) -> tuple[str, ...]:
    """The weekdays of the coming two weeks."""
    days = [date.fromisoformat(start) + timedelta(days=ahead) for ahead in range(*DAYS_AHEAD)]
    return tuple(day.isoformat() for day in days if day.weekday() < 5)


@wish(Kind.CONDITIONAL, weight=2)
def refill_or_request(s: Situation) -> Goal | None:
    """A refill where none is left; failing that, a note that asks the prescriber for a renewal."""
    empty = [one for one in active(s) if not one.refills_left and due(s.world, one) and not blocking(s.world, one)]
    if not empty:
        return None
    prescription = s.draw.pick(empty)
    named = medicine_named(s, prescription)
    arguments = {
        "patient_id": s.customer.id,
        "kind": "renewal request",
        "subject": prescription.id,
        "text": f"The patient asks for a renewal of {prescription.medicine} {prescription.strength}.",
    }
    if prescription.dependant:
        arguments["dependant_id"] = prescription.dependant
    medicine = f"{prescription.medicine} {prescription.strength}"
    return Goal(
        fill=either_case("medicine", named.words),
        facts=(named.fact,),
        calls=(prescriptions_call(s), Call("add_note", arguments)),
        script=Script(
            refuse=f"I can't order {medicine}, because no refills are left since the last one on "
            f"{long_date(prescription.last_filled)}. I can ask {prescription.prescriber} for a renewal.",
            propose=f"I will add a note to the chart that asks {prescription.prescriber} to renew {medicine}.",
            report=f"A note has been added to the chart. It asks {prescription.prescriber} to renew {medicine}.",
        ),
        insists=s.draw.below(2),
    )


@wish(Kind.CONDITIONAL, weight=2)
def transfer_or_other(s: Situation) -> Goal | None:
    """Send a prescription to a supplier that does not take the plan; failing that, to another one."""
    found = active(s)
    if not found:
        return None
    patient: Patient = s.customer
    prescription = s.draw.pick(found)
    fitting, closed = takers(s, prescription)
    if not fitting or not closed:
        return None
    first, second = s.draw.pick(closed), s.draw.pick(fitting)
    named = medicine_named(s, prescription)
    reads = [prescriptions_call(s), suppliers_call(first)]
    if suppliers_call(second) != reads[1]:
        reads.append(suppliers_call(second))
    refuse = (
        f"I can't send it to {first.name}, because they don't take your plan there, which is "
        f"{plan_name(s.world, patient.plan)}."
    )
    return Goal(
        fill={**either_case("medicine", named.words), "supplier": first.name, "other": second.name},
        facts=(named.fact, supplier_fact(first), supplier_fact(second)),
        calls=(*reads, transfer_call(prescription, second)),
        script=transfer_script(prescription, second, refuse),
        insists=s.draw.below(2),
    )
