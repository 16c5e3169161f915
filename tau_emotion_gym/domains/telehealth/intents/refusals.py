"""Wishes that the policy forbids."""

from tau_emotion_gym.kit import Fact, Goal, Kind, Output, Script, Situation, either_case, long_date

from ..catalogue import catalogue
from ..records import Dependant, Patient
from ..terms import blocking, guarded, plan_open_from, refill_from, runs_out, today
from .grounding import active, chart_call, due, medicine_named, plan_name, prescriptions_call, relative
from .medicines import check_call
from .wording import wish


@wish(Kind.DENY)
def too_early(s: Situation) -> Goal | None:
    """A refill long before the supply runs out."""
    early = [one for one in active(s) if one.refills_left and not due(s.world, one) and not blocking(s.world, one)]
    if not early:
        return None
    prescription = s.draw.pick(early)
    start = refill_from(prescription)
    named = medicine_named(s, prescription)
    return Goal(
        fill=either_case("medicine", named.words),
        facts=(named.fact,),
        calls=(prescriptions_call(s),),
        outputs=(Output("date", start),),
        script=Script(
            refuse=f"I can't order {prescription.medicine} {prescription.strength} before {long_date(start)}, because "
            f"the present supply ends on {long_date(runs_out(prescription))}."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY)
def dangerous_pair(s: Situation) -> Goal | None:
    """A refill that a severe interaction blocks."""
    found = [
        (one, others[0])
        for one in active(s)
        if one.refills_left and due(s.world, one) and len(others := blocking(s.world, one)) == 1
    ]
    if not found:
        return None
    prescription, other = s.draw.pick(found)
    named = medicine_named(s, prescription)
    medicines = tuple(medicine.id for medicine in catalogue().medicines)
    return Goal(
        fill=either_case("medicine", named.words),
        facts=(named.fact,),
        calls=(prescriptions_call(s), check_call(prescription)),
        outputs=(Output("choice", other.medicine, options=medicines),),
        script=Script(
            refuse=f"I can't order {prescription.medicine}, because the check shows a severe interaction with another "
            f"active prescription, {other.medicine}. Only {prescription.prescriber} can settle that."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY)
def no_longer_guardian(s: Situation) -> Goal | None:
    """A visit for somebody whose guardianship has ended."""
    grown = [d for d in s.world.where(Dependant, "guardian", s.customer.id) if not guarded(s.world, d)]
    if not grown:
        return None
    dependant = s.draw.pick(grown)
    person = relative(dependant)
    until = dependant.guardian_until
    return Goal(
        fill=either_case("person", person),
        facts=(Fact("person", dependant.id, person),),
        calls=(chart_call(s),),
        outputs=(Output("date", until),),
        script=Script(
            refuse=f"I can't book anything for {dependant.first_name}, because your guardianship ended on "
            f"{long_date(until)}. {dependant.first_name}'s own account is needed for that."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY)
def insurance_too_soon(s: Situation) -> Goal | None:
    """Another insurance plan before the present one is old enough."""
    patient: Patient = s.customer
    start = plan_open_from(patient)
    if start <= today(s.world):
        return None
    plan = s.draw.pick([plan for plan in catalogue().plans if plan.id != patient.plan])
    return Goal(
        fill={"plan": plan.name},
        facts=(Fact("plan", plan.id, plan.name),),
        calls=(chart_call(s),),
        outputs=(Output("date", start),),
        script=Script(
            refuse=f"I can't put {plan.name} on your account before {long_date(start)}, because "
            f"{plan_name(s.world, patient.plan)} has been there for less than 90 days."
        ),
        insists=s.draw.below(3),
    )
