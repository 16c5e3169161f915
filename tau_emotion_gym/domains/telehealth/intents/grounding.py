"""What the samplers share: an account's records, and how patients point at them."""

from collections.abc import Sequence

from tau_emotion_gym.kit import Call, Fact, Named, Situation, clock, fresh, long_date, short_date
from tau_emotion_gym.world import World

from ..records import Appointment, Dependant, Device, InsurancePlan, Opening, Patient, Prescription, Provider, Supplier
from ..terms import MOST_BALANCE, MOST_UPCOMING, blocking, guarded, refill_from, today, upcoming

# --- calls ----------------------------------------------------------------------------------------------


def appointments_call(s: Situation) -> Call:
    """List the account's appointments."""
    return Call("list_appointments", {"patient_id": s.customer.id})


def prescriptions_call(s: Situation) -> Call:
    """List the account's prescriptions."""
    return Call("list_prescriptions", {"patient_id": s.customer.id})


def chart_call(s: Situation) -> Call:
    """Get the account with its dependants and devices."""
    return Call("get_patient", {"patient_id": s.customer.id})


def slots_call(provider_id: str) -> Call:
    """List a provider's free slots."""
    return Call("list_slots", {"provider_id": provider_id})


def suppliers_call(supplier: Supplier) -> Call:
    """Find a supplier by the name that its branches share."""
    return Call("find_suppliers", {"name": supplier.name.partition(" on ")[0]})


# --- people ---------------------------------------------------------------------------------------------


def relative(dependant: Dependant) -> str:
    """A dependant in the patient's words: "my son Leo"."""
    return f"my {dependant.relation} {dependant.first_name}"


def kin(world: World, dependant_id: str | None) -> str:
    """ "my son Leo", or nothing for the patient."""
    dependant = world.get(Dependant, dependant_id) if dependant_id else None
    return relative(dependant) if dependant else ""


def possessive(world: World, dependant_id: str | None) -> str:
    """ "my", or "my son Leo's"."""
    return f"{kin(world, dependant_id)}'s" if dependant_id else "my"


def family(s: Situation) -> list[Dependant | None]:
    """Those for whom the patient may act: the patient (None) and the dependants under guardianship."""
    dependants = s.world.where(Dependant, "guardian", s.customer.id)
    return [None, *(one for one in dependants if guarded(s.world, one))]


def for_whom(s: Situation, people: Sequence[Dependant | None]) -> tuple[Dependant | None, Fact]:
    """One of these people, and how the patient says for whom it is."""
    person = s.draw.pick(people)
    if person is None:
        return None, Fact("person", s.customer.id, "for me")
    return person, Fact("person", person.id, f"for {relative(person)}")


# --- visits ---------------------------------------------------------------------------------------------


def upcoming_visits(s: Situation) -> list[Appointment]:
    """The appointments that were booked before the conversation and that no earlier goal is about."""
    known = s.world.base.tables[Appointment]
    return fresh(s, [visit for visit in upcoming(s.world, s.customer.id) if visit.id in known])


def may_book(s: Situation) -> bool:
    """Whether the account may take another appointment."""
    patient: Patient = s.customer
    return patient.balance <= MOST_BALANCE and len(upcoming(s.world, patient.id)) < MOST_UPCOMING


def visit_named(s: Situation, visit: Appointment) -> Named:
    """An upcoming visit by its number or by who sees whom, with the day where that fits two."""
    if s.draw.chance(0.5):
        words = f"appointment {visit.id}"
    else:
        words = f"{possessive(s.world, visit.dependant)} visit with {visit.provider_name}"
        alike = [
            one
            for one in s.world.where(Appointment, "patient", s.customer.id)
            if one.provider == visit.provider and one.dependant == visit.dependant and one.status == "booked"
        ]
        if len(alike) > 1:
            words += f" on {short_date(visit.day)}"
    return Named(words, Fact("visit", visit.id, words))


def half(opening: Opening) -> str:
    """ "morning" or "afternoon"."""
    return "morning" if opening.time < "12" else "afternoon"


def clear_openings(world: World, provider_id: str) -> list[Opening]:
    """A provider's openings that a day and a half of it point out: those alone in their half of the day."""
    openings = world.where(Opening, "provider", provider_id)
    halves = [(opening.day, opening.time < "12") for opening in openings]
    if len(set(halves)) == len(halves):
        return openings
    return [opening for opening, where in zip(openings, halves, strict=True) if halves.count(where) == 1]


def slot_facts(opening: Opening) -> tuple[Fact, Fact]:
    """The day and the half of the day that a patient wants."""
    part = half(opening)
    return Fact("day", opening.day, short_date(opening.day)), Fact("part", part, f"in the {part}")


def when(record: Opening | Appointment) -> str:
    """A day and a time: "May 20, 2026 at 2:20 PM"."""
    return f"{long_date(record.day)} at {clock(record.time)}"


def fitting_providers(world: World, specialty: str, language: str) -> list[Provider]:
    """The providers of a specialty who speak a language."""
    return [one for one in world.where(Provider, "specialty", specialty) if language in one.languages]


# --- prescriptions --------------------------------------------------------------------------------------


def active(s: Situation) -> list[Prescription]:
    """The account's active prescriptions that no earlier goal is about."""
    found = s.world.where(Prescription, "patient", s.customer.id)
    return fresh(s, [one for one in found if one.status == "active"])


def due(world: World, prescription: Prescription) -> bool:
    """Whether the time for a refill has come."""
    return refill_from(prescription) <= today(world)


def refillable(world: World, prescription: Prescription) -> bool:
    """Whether the policy allows a refill now."""
    return prescription.refills_left > 0 and due(world, prescription) and not blocking(world, prescription)


def medicine_named(s: Situation, prescription: Prescription, *, by_number: float = 0.5) -> Named:
    """A prescription by its number (with that chance) or by its medicine, with the strength where that fits two."""
    numbered = s.draw.chance(by_number)
    words = f"prescription {prescription.id}" if numbered else medicine_words(s.world, prescription)
    return Named(words, Fact("prescription", prescription.id, words))


def medicine_words(world: World, prescription: Prescription) -> str:
    """A prescription in the patient's words: "my sertraline", "my son Leo's metformin 500 mg"."""
    words = f"{possessive(world, prescription.dependant)} {prescription.medicine}"
    alike = [
        one
        for one in world.where(Prescription, "patient", prescription.patient)
        if one.medicine == prescription.medicine and one.dependant == prescription.dependant
    ]
    return words if len(alike) == 1 else f"{words} {prescription.strength}"


def takers(s: Situation, prescription: Prescription | None = None) -> tuple[list[Supplier], list[Supplier]]:
    """(suppliers to which a prescription may go, or that may be the default; those that do not take the plan)."""
    patient: Patient = s.customer
    fitting: list[Supplier] = []
    others: list[Supplier] = []
    for supplier in s.world.all(Supplier):
        if supplier.id == (prescription.supplier if prescription else patient.supplier):
            continue
        if patient.plan not in supplier.plans:
            others.append(supplier)
        elif prescription is None or not (prescription.controlled and supplier.mail_order):
            fitting.append(supplier)
    return fitting, others


def supplier_fact(supplier: Supplier) -> Fact:
    """A supplier by its name."""
    return Fact("supplier", supplier.id, supplier.name)


# --- the rest of the account ----------------------------------------------------------------------------


def plan_name(world: World, plan_id: str) -> str:
    """A plan's name."""
    plan = world.get(InsurancePlan, plan_id)
    return plan.name if plan else ""


def device_named(s: Situation, device: Device) -> Named:
    """A device by its owner and its kind, which is unique in an account."""
    words = f"{possessive(s.world, device.dependant)} {device.kind}"
    return Named(words, Fact("device", device.id, words))
