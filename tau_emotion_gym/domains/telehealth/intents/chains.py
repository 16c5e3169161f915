"""Wishes that come after another one and whose outcome depends on it."""

from tau_emotion_gym.kit import Goal, Kind, Situation

from ..records import Appointment, InsurancePlan, Patient, Prescription
from ..terms import MOST_BALANCE, MOST_UPCOMING
from .grounding import Named, may_book, refillable
from .medicines import refilled
from .visits import again
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
    return again(s, family=False) or again(s, family=True)


@wish(Kind.FULFIL, follows=("cancel_visit",))
def visit_in_place(s: Situation) -> Goal | None:
    """A visit for which the account had no room before another was cancelled."""
    booked = s.world.base.index(Appointment, "patient").get(s.customer.id, ())
    if sum(visit.status == "booked" for visit in booked) < MOST_UPCOMING or not may_book(s):
        return None
    return again(s, family=False) or again(s, family=True)


@wish(Kind.FULFIL, follows=("settle_balance",))
def visit_after_paying(s: Situation) -> Goal | None:
    """A visit that the balance would have blocked."""
    if _before(s).balance <= MOST_BALANCE or not may_book(s):
        return None
    return again(s, family=False) or again(s, family=True)


@wish(Kind.FULFIL, follows=("transfer", "transfer_or_other"))
def refill_at_new_supplier(s: Situation) -> Goal | None:
    """A refill of the prescription that has just been sent elsewhere."""
    fact = next(fact for fact in s.earlier[-1].facts if fact.slot == "prescription")
    prescription = s.world.get(Prescription, fact.value)
    if prescription is None or not refillable(s.world, prescription):
        return None
    return refilled(s, prescription, Named(fact.spoken, fact))
