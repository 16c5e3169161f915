"""Filling one patient's chart: appointments, prescriptions and devices, with near-duplicates among them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple, get_args

from msgspec.structs import replace

from tau_emotion_gym.kit import Registry
from tau_emotion_gym.world import cents, money

from .catalogue import catalogue
from .records import (
    Appointment,
    Dependant,
    Device,
    DeviceKind,
    Measurement,
    Medicine,
    Patient,
    Prescription,
    Provider,
    Supplier,
)

ADULT_CARE = ("cardiology", "dermatology", "endocrinology", "family medicine", "mental health", "sleep medicine")
CHILD_CARE = ("pediatrics", "pediatrics", "dermatology", "family medicine", "mental health")
CHILDREN = ("son", "daughter")
CHILD_MEDICINES = ("cetirizine", "ibuprofen", "loratadine", "montelukast", "omeprazole")
READINGS = 10


class Chart(NamedTuple):
    """One account."""

    patient: Patient
    dependants: list[Dependant]
    appointments: list[Appointment]
    prescriptions: list[Prescription]
    devices: list[Device]


class _Writer(NamedTuple):
    """What every part of a chart is written from."""

    registry: Registry
    now: datetime
    patient: Patient
    dependants: list[Dependant]
    providers: Sequence[Provider]
    suppliers: Sequence[Supplier]


def fill_chart(
    registry: Registry,
    now: datetime,
    patient: Patient,
    dependants: list[Dependant],
    providers: Sequence[Provider],
    suppliers: Sequence[Supplier],
) -> Chart:
    """A chart for a patient and the patient's dependants."""
    writer = _Writer(registry, now, patient, dependants, providers, suppliers)
    return Chart(patient, dependants, _appointments(writer), _prescriptions(writer), _devices(writer))


def _people(writer: _Writer) -> list[Dependant | None]:
    """Whoever may be seen: the patient and the dependants under guardianship."""
    today = writer.now.date().isoformat()
    return [None, *(one for one in writer.dependants if one.guardian_until >= today)]


def _name(writer: _Writer, person: Dependant | None) -> str:
    return writer.patient.first_name if person is None else person.first_name


# --- appointments ---------------------------------------------------------------------------------------


def _appointments(writer: _Writer) -> list[Appointment]:
    """Visits on different days: up to three to come, some very soon, and some past, cancelled ones too."""
    draw = writer.registry.draw
    found: list[Appointment] = []
    for _ in range(draw.weighted((0, 1, 2, 3), (2, 3, 4, 4))):
        found.append(_visit(writer, found, soon=not found and draw.chance(0.45)))
    for number in range(draw.between(3, 5)):
        day = writer.now - timedelta(days=draw.between(4, 120) if number < 2 else draw.between(140, 300))
        past = _visit(writer, found, soon=False)
        status = "cancelled" if draw.chance(0.2) else "completed"
        found.append(replace(past, day=day.date().isoformat(), status=status, moves=0))
    return list({visit.day: visit for visit in found}.values())


def _visit(writer: _Writer, earlier: list[Appointment], *, soon: bool) -> Appointment:
    registry, draw = writer.registry, writer.registry.draw
    person = draw.pick(_people(writer))
    fitting = CHILD_CARE if person is not None and person.relation in CHILDREN else ADULT_CARE
    specialty = draw.pick(fitting)
    provider = draw.pick([one for one in writer.providers if one.specialty == specialty])
    if earlier and draw.chance(0.3):
        person = next((one for one in writer.dependants if one.id == earlier[-1].dependant), None)
        provider = next(one for one in writer.providers if one.id == earlier[-1].provider)
    day, time = _soon(writer) if soon else _later(writer)
    percent = next(plan.visit_percent for plan in catalogue().plans if plan.id == writer.patient.plan)
    return Appointment(
        id=registry.digits("AP", 6),
        patient=writer.patient.id,
        dependant=person.id if person else None,
        person=_name(writer, person),
        provider=provider.id,
        provider_name=provider.name,
        specialty=provider.specialty,
        day=day,
        time=time,
        status="booked",
        visit_fee=provider.visit_fee,
        copay=money(provider.visit_fee * percent / 100),
        deposit=cents(0),
        late_fee=cents(0),
        moves=draw.weighted((0, 1, 2), (5, 3, 2)),
    )


def _soon(writer: _Writer) -> tuple[str, str]:
    """A day and a time less than 24 hours ahead."""
    draw = writer.registry.draw
    if draw.chance(0.6):
        return writer.now.date().isoformat(), f"{draw.between(11, 16)}:{draw.pick(('00', '20', '40'))}"
    return (writer.now.date() + timedelta(days=1)).isoformat(), draw.pick(("08:00", "08:20", "08:40"))


def _later(writer: _Writer) -> tuple[str, str]:
    """A weekday more than a day ahead."""
    draw = writer.registry.draw
    day = writer.now.date() + timedelta(days=draw.between(2, 34))
    day += timedelta(days=max(0, 7 - day.weekday()) if day.weekday() > 4 else 0)
    return day.isoformat(), f"{draw.between(9, 16):02}:{draw.pick(('00', '20', '40'))}"


# --- prescriptions --------------------------------------------------------------------------------------


def _prescriptions(writer: _Writer) -> list[Prescription]:
    """Different medicines for everybody, some in two strengths and some that do not go together."""
    draw = writer.registry.draw
    found: list[Prescription] = []
    own = _medicines(writer)
    for person in _people(writer):
        for medicine in own if person is None else _alike(writer, person, own):
            strengths = medicine.strengths if draw.chance(0.35) else (draw.pick(medicine.strengths),)
            found += [_prescription(writer, person, medicine, strength) for strength in strengths]
    return found


def _medicines(writer: _Writer) -> list[Medicine]:
    """Two to five medicines; for most patients, a pair of them interacts."""
    draw = writer.registry.draw
    known = {medicine.id: medicine for medicine in catalogue().medicines}
    picked = draw.sample(sorted(known), draw.between(2, 3))
    if draw.chance(0.85):
        pair = draw.pick(catalogue().interactions)
        picked += [pair.first, pair.second]
    return [known[key] for key in dict.fromkeys(picked)]


def _alike(writer: _Writer, person: Dependant, own: list[Medicine]) -> list[Medicine]:
    """Up to two medicines of a dependant, one of which the patient often takes too."""
    draw = writer.registry.draw
    pool = [one for one in catalogue().medicines if person.relation not in CHILDREN or one.id in CHILD_MEDICINES]
    shared = [one for one in own if one in pool]
    picked = draw.sample(pool, draw.between(0, 1))
    if draw.chance(0.6):
        picked.append(draw.pick(shared or pool))
    return list({medicine.id: medicine for medicine in picked}.values())


def _prescription(writer: _Writer, person: Dependant | None, medicine: Medicine, strength: str) -> Prescription:
    registry, draw = writer.registry, writer.registry.draw
    supply = draw.pick((30, 30, 60, 90))
    ago = draw.between(supply - 6, supply) if draw.chance(0.65) else draw.between(2, supply - 9)
    plan = writer.patient.plan
    return Prescription(
        id=registry.digits("RX", 7),
        patient=writer.patient.id,
        dependant=person.id if person else None,
        person=_name(writer, person),
        medicine=medicine.id,
        strength=strength,
        controlled=medicine.controlled,
        prescriber=draw.pick([one for one in writer.providers if one.specialty == "family medicine"]).name,
        supplier=draw.pick(
            [s for s in writer.suppliers if plan in s.plans and not (medicine.controlled and s.mail_order)]
        ).id,
        refills_left=0 if draw.chance(0.28) else draw.between(1, 5),
        last_filled=(writer.now.date() - timedelta(days=ago)).isoformat(),
        days_supply=supply,
        status="stopped" if draw.chance(0.15) else "active",
    )


# --- devices --------------------------------------------------------------------------------------------


def _devices(writer: _Writer) -> list[Device]:
    """At most one device of a kind for each person, three in all."""
    draw = writer.registry.draw
    found: list[Device] = []
    for _ in range(draw.weighted((0, 1, 2, 3), (2, 4, 4, 1))):
        kind = draw.pick(get_args(DeviceKind))
        person = draw.pick(_people(writer))
        found.append(_device(writer, kind, person))
    return list({(device.kind, device.person): device for device in found}.values())


def _device(writer: _Writer, kind: DeviceKind, person: Dependant | None) -> Device:
    registry, draw = writer.registry, writer.registry.draw
    low, high = catalogue().device_levels[kind]
    values = draw.sample(range(low, high), READINGS)
    days = [(writer.now.date() - timedelta(days=READINGS - number)).isoformat() for number in range(READINGS)]
    return Device(
        id=registry.digits("DV", 6),
        patient=writer.patient.id,
        dependant=person.id if person else None,
        person=_name(writer, person),
        kind=kind,
        serial=registry.letters("", 3) + registry.digits("", 5),
        alert_above=int(low + Decimal(high - low) * draw.between(3, 7) / 10),
        readings=tuple(Measurement(day, value) for day, value in zip(days, values, strict=True)),
    )
