"""Making a clinic: patients, their families, doctors and free time slots, with near-duplicates among them."""

from datetime import date, datetime, timedelta
from typing import get_args

from tau_emotion_gym.kit import Person, Place, Registry
from tau_emotion_gym.world import Base, Record, cents

from .catalogue import catalogue
from .charts import Chart, fill_chart
from .records import (
    Appointment,
    Dependant,
    Device,
    Fill,
    InsurancePlan,
    Interaction,
    Language,
    Medicine,
    Note,
    Opening,
    Patient,
    Prescription,
    Provider,
    Relation,
    Specialty,
    Supplier,
)

NOW = datetime(2026, 5, 13, 9, 0)
PATIENTS = 240
PROVIDERS_EACH = 6
FIRST_SLOT_DAYS = (2, 10)
SLOT_DAYS = 16
PARENTS = (1958, 1988)
"""Years of birth of patients who may have children under 18, or just above."""
GROWN_CHILDREN = 1950
"""From this year of birth on, patients may look after a parent."""
LANGUAGES: tuple[Language, ...] = ("Spanish", "Mandarin", "Arabic", "French", "Portuguese")


def build(registry: Registry, scale: int) -> Base:
    """A clinic with 240 patients per unit of scale."""
    specialties = [name for name in get_args(Specialty) for _ in range(PROVIDERS_EACH * scale)]
    providers = _named_once([_provider(registry, specialty) for specialty in specialties])
    openings = [opening for provider in providers for opening in _openings(registry, provider)]
    suppliers = _suppliers(registry)
    charts: list[Chart] = []
    twin: Person | None = None
    for number in range(PATIENTS * scale):
        person = _person(registry, twin if number % 6 == 1 else None)
        twin = person
        patient = _patient(registry, person, suppliers)
        charts.append(fill_chart(registry, NOW, patient, _dependants(registry, patient), providers, suppliers))
    tables: dict[type[Record], list[Record]] = {
        Patient: [chart.patient for chart in charts],
        Dependant: [row for chart in charts for row in chart.dependants],
        Provider: list(providers),
        Opening: list(openings),
        Appointment: [row for chart in charts for row in chart.appointments],
        Medicine: list(catalogue().medicines),
        Interaction: list(catalogue().interactions),
        Prescription: [row for chart in charts for row in chart.prescriptions],
        Fill: [],
        Supplier: list(suppliers),
        InsurancePlan: list(catalogue().plans),
        Note: [],
        Device: [row for chart in charts for row in chart.devices],
    }
    return Base(tables, NOW)


def _person(registry: Registry, twin: Person | None) -> Person:
    """Somebody new, or somebody with the first name and the town of somebody else."""
    if twin is None:
        return registry.person()
    return registry.person(first=twin.first, place=Place(twin.city, twin.state, twin.zip[:3]))


def _patient(registry: Registry, person: Person, suppliers: list[Supplier]) -> Patient:
    draw = registry.draw
    plan = draw.pick(catalogue().plans)
    since = NOW.date() - timedelta(days=draw.between(5, 80) if draw.chance(0.4) else draw.between(100, 900))
    return Patient(
        id=registry.digits("PT", 6),
        first_name=person.first,
        last_name=person.last,
        email=person.email,
        birth_date=person.birth_date,
        city=person.city,
        zip=person.zip,
        plan=plan.id,
        plan_since=since.isoformat(),
        member_number=registry.letters("", 4) + registry.digits("", 5),
        supplier=draw.pick([s for s in suppliers if plan.id in s.plans]).id,
        balance=cents(draw.between(900, 24000) if draw.chance(0.5) else 0),
    )


# --- families -------------------------------------------------------------------------------------------


def _dependants(registry: Registry, patient: Patient) -> list[Dependant]:
    """Up to three people; guardianship has ended for about a third of them."""
    draw = registry.draw
    relations = draw.sample(_relations(patient), draw.weighted((0, 1, 2), (1, 3, 5)))
    return [_dependant(registry, patient, relation) for relation in relations]


def _relations(patient: Patient) -> list[Relation]:
    """The relations that fit a patient's age."""
    year = int(patient.birth_date[:4])
    found: list[Relation] = ["sister", "brother"]
    if PARENTS[0] <= year <= PARENTS[1]:
        found += ["son", "daughter"]
    if year >= GROWN_CHILDREN:
        found += ["mother", "father"]
    return found


def _dependant(registry: Registry, patient: Patient, relation: Relation) -> Dependant:
    draw = registry.draw
    first = draw.pick([name for name in catalogue().relatives[relation] if name != patient.first_name])
    until = NOW.date() + timedelta(days=-draw.between(3, 300) if draw.chance(0.32) else draw.between(200, 4000))
    year = int(patient.birth_date[:4])
    if relation in ("son", "daughter"):
        until = until.replace(day=min(until.day, 28))
        born = until.replace(year=until.year - 18)
    elif relation in ("mother", "father"):
        born = date(year - draw.between(22, 34), draw.between(1, 12), draw.between(1, 28))
    else:
        born = date(year + draw.pick((-6, -4, -3, -2, 2, 3, 4)), draw.between(1, 12), draw.between(1, 28))
    return Dependant(
        id=registry.digits("DP", 6),
        guardian=patient.id,
        first_name=first,
        relation=relation,
        birth_date=born.isoformat(),
        guardian_until=until.isoformat(),
    )


# --- the clinic -----------------------------------------------------------------------------------------


def _provider(registry: Registry, specialty: Specialty) -> Provider:
    draw = registry.draw
    person = registry.person()
    others = draw.sample(LANGUAGES, draw.weighted((0, 1, 2), (1, 4, 3)))
    return Provider(
        id=registry.digits("DR", 5),
        name=f"Dr. {person.first} {person.last}",
        specialty=specialty,
        languages=("English", *sorted(others)),
        visit_fee=cents(draw.between(95, 290) * 100),
    )


def _named_once(providers: list[Provider]) -> list[Provider]:
    """At most one provider of a name."""
    return list({provider.name: provider for provider in providers}.values())


def _openings(registry: Registry, provider: Provider) -> list[Opening]:
    """Free mornings and afternoons of the coming weekdays; never two in the same half of a day."""
    draw = registry.draw
    found: list[Opening] = []
    first = draw.between(*FIRST_SLOT_DAYS)
    for ahead in range(first, first + SLOT_DAYS):
        day = NOW.date() + timedelta(days=ahead)
        for hours in ((9, 11), (13, 16)):
            if day.weekday() < 5 and draw.chance(0.4):
                time = f"{draw.between(*hours):02}:{draw.pick(('00', '20', '40'))}"
                found.append(Opening(id=registry.digits("SL", 6), provider=provider.id, day=day.isoformat(), time=time))
    return found


def _suppliers(registry: Registry) -> list[Supplier]:
    """Pharmacies with three branches each, and mail-order ones; each takes four or five of the plans."""
    draw = registry.draw
    shops = [f"{name} on {street}" for name in catalogue().pharmacies for street in catalogue().branches]
    plans = [plan.id for plan in catalogue().plans]
    return [
        Supplier(
            id=registry.digits("SU", 5),
            name=name,
            mail_order=name in catalogue().mail_order,
            days=draw.between(4, 8) if name in catalogue().mail_order else draw.between(1, 3),
            plans=tuple(sorted(draw.sample(plans, draw.between(3, 4)))),
        )
        for name in (*shops, *catalogue().mail_order)
    ]
