"""What the clinic's terms come to: fees, copays, dates and limits. Tools, rules and samplers share them."""

from datetime import datetime, timedelta
from decimal import Decimal

from tau_emotion_gym.kit import days_after
from tau_emotion_gym.world import World, cents, money

from .records import Appointment, Dependant, InsurancePlan, Interaction, Medicine, Patient, Prescription

LATE_HOURS = 24
MOST_MOVES = 2
MOST_UPCOMING = 3
MOST_BALANCE = Decimal("80.00")
EARLY_DAYS = 7
PLAN_DAYS = 90
MOST_DEVICES = 3


def today(world: World) -> str:
    """The domain's date in ISO form."""
    return world.base.today


def is_late(world: World, appointment: Appointment) -> bool:
    """Whether an appointment starts in less than 24 hours."""
    start = datetime.fromisoformat(f"{appointment.day}T{appointment.time}")
    return start - world.now < timedelta(hours=LATE_HOURS)


def late_fee(world: World, appointment: Appointment) -> Decimal:
    """What cancelling or moving an appointment costs now: half of the visit fee when late, else nothing."""
    return _share(appointment.visit_fee, 50) if is_late(world, appointment) else cents(0)


def visit_copay(world: World, patient: Patient, visit_fee: Decimal) -> Decimal:
    """The patient's share of a visit fee under the plan that the patient has now."""
    plan = world.get(InsurancePlan, patient.plan)
    return _share(visit_fee, plan.visit_percent if plan else 100)


def deposit(patient: Patient, copay: Decimal) -> Decimal:
    """What a booking takes from the card at once: half of the copay while anything is owed, else nothing."""
    return _share(copay, 50) if patient.balance else cents(0)


def refill_copay(world: World, prescription: Prescription) -> Decimal:
    """What the patient pays for one refill under the plan that the patient has now."""
    patient = world.get(Patient, prescription.patient)
    plan = world.get(InsurancePlan, patient.plan) if patient else None
    medicine = world.get(Medicine, prescription.medicine)
    return plan.tier_copays[medicine.tier - 1] if plan and medicine else cents(0)


def _share(amount: Decimal, percent: int) -> Decimal:
    return money(amount * percent / 100)


def runs_out(prescription: Prescription) -> str:
    """The day on which the supply ends."""
    return days_after(prescription.last_filled, prescription.days_supply)


def refill_from(prescription: Prescription) -> str:
    """The first day on which the policy allows a refill."""
    return days_after(runs_out(prescription), -EARLY_DAYS)


def upcoming(world: World, patient_id: str) -> list[Appointment]:
    """The booked appointments on an account, dependants' included."""
    return [visit for visit in world.where(Appointment, "patient", patient_id) if visit.status == "booked"]


def guarded(world: World, dependant: Dependant) -> bool:
    """Whether the guardian may still act for a dependant."""
    return dependant.guardian_until >= today(world)


def conflicts(world: World, prescription: Prescription) -> list[tuple[Prescription, Interaction]]:
    """The same person's other active prescriptions that interact with this one."""
    pairs: dict[str, Interaction] = {}
    for pair in world.where(Interaction, "first", prescription.medicine):
        pairs[pair.second] = pair
    for pair in world.where(Interaction, "second", prescription.medicine):
        pairs[pair.first] = pair
    return [
        (other, pairs[other.medicine])
        for other in (world.where(Prescription, "patient", prescription.patient) if pairs else ())
        if other.medicine in pairs and other.status == "active" and other.dependant == prescription.dependant
    ]


def blocking(world: World, prescription: Prescription) -> list[Prescription]:
    """The other prescriptions with which this one interacts severely."""
    return [other for other, pair in conflicts(world, prescription) if pair.severity == "severe"]


def plan_open_from(patient: Patient) -> str:
    """The first day on which the patient may change plans again."""
    return days_after(patient.plan_since, PLAN_DAYS)
