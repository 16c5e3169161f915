"""Wishes that come after another one and whose outcome depends on it."""

from tau_emotion_gym.kit import Goal, Kind, Named, Situation, only

from ..records import Appointment, Dependant, InsurancePlan, Opening, Patient, Prescription, Provider
from ..terms import MOST_BALANCE
from .grounding import chart_call, family, for_whom, may_book, refillable, slots_call
from .medicines import refilled
from .visits import again, booked
from .wording import wish


def _before(s: Situation) -> Patient:
    """The patient as they were before the conversation."""
    patient = s.world.base.tables[Patient][s.customer.id]
    assert isinstance(patient, Patient)
    return patient


@wish(Kind.FULFIL, follows=("new_insurance",))
def visit_on_new_plan(s: Situation) -> Goal | None:
    """A visit whose copay the new plan decides."""
    plans = [s.world.get(InsurancePlan, plan) for plan in (_before(s).plan, s.customer.plan)]
    if not may_book(s) or len({plan.visit_percent for plan in plans if plan}) < 2:
        return None
    return again(s, family=False)


@wish(Kind.FULFIL, follows=("cancel_visit",), weight=3)
def freed_time(s: Situation) -> Goal | None:
    """The time of the visit that has just been cancelled, for somebody else on the account."""
    visit = s.world.get(Appointment, s.earlier[-1].facts[0].value)
    if visit is None or not may_book(s):
        return None
    others = [one for one in family(s) if (one.id if one else None) != visit.dependant and _fits(visit, one)]
    if not others:
        return None
    person, whose = for_whom(s, others)
    opening = only(
        slot
        for slot in s.world.where(Opening, "provider", visit.provider)
        if (slot.day, slot.time) == (visit.day, visit.time)
    )
    provider = s.world.get(Provider, visit.provider)
    if opening is None or provider is None:
        return None
    reads = (chart_call(s), slots_call(provider.id))
    return booked(s, opening, provider, (whose,), reads, {"whose": whose.spoken}, person.id if person else None)


def _fits(visit: Appointment, person: Dependant | None) -> bool:
    """Whether somebody may take over a time: a pediatrician sees children alone."""
    child = person is not None and person.relation in ("son", "daughter")
    return child or visit.specialty != "pediatrics"


@wish(Kind.FULFIL, follows=("settle_balance",))
def visit_after_paying(s: Situation) -> Goal | None:
    """A visit that the balance would have blocked."""
    if _before(s).balance <= MOST_BALANCE or not may_book(s):
        return None
    return again(s, family=False)


@wish(Kind.FULFIL, follows=("transfer", "transfer_or_other"))
def refill_at_new_supplier(s: Situation) -> Goal | None:
    """A refill of the prescription that has just been sent elsewhere."""
    fact = next(fact for fact in s.earlier[-1].facts if fact.slot == "prescription")
    prescription = s.world.get(Prescription, fact.value)
    if prescription is None or not refillable(s.world, prescription):
        return None
    return refilled(s, prescription, Named(fact.spoken, fact))
