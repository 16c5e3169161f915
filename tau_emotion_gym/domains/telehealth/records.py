"""The tables of the telehealth clinic."""

from typing import Annotated, ClassVar, Literal

import msgspec

from tau_emotion_gym.world import Date, FreeText, Money, Record, Ref

PatientId = Annotated[str, Ref("patient")]
DependantId = Annotated[str, Ref("dependant")]
ProviderId = Annotated[str, Ref("provider")]
SlotId = Annotated[str, Ref("slot")]
AppointmentId = Annotated[str, Ref("appointment")]
PrescriptionId = Annotated[str, Ref("prescription")]
MedicineId = Annotated[str, Ref("medicine")]
SupplierId = Annotated[str, Ref("supplier")]
PlanId = Annotated[str, Ref("plan")]
DeviceId = Annotated[str, Ref("device")]

Specialty = Literal[
    "cardiology", "dermatology", "endocrinology", "family medicine", "mental health", "pediatrics", "sleep medicine"
]
Language = Literal["Arabic", "English", "French", "Mandarin", "Portuguese", "Spanish"]
DeviceKind = Literal["blood pressure monitor", "glucose meter", "heart rate monitor", "smart scale"]
Relation = Literal["son", "daughter", "mother", "father", "sister", "brother"]
NoteKind = Literal["allergy", "renewal request"]


class Patient(Record, frozen=True):
    """Somebody with an account of their own."""

    table: ClassVar[str] = "patients"

    id: PatientId
    first_name: str
    last_name: str
    email: str
    birth_date: Date
    city: str
    zip: str
    plan: PlanId
    plan_since: Date
    """When the plan was last changed."""
    member_number: str
    """The number on the insurance card."""
    supplier: SupplierId
    """Where new prescriptions go."""
    balance: Money
    """What is owed to the clinic."""


class Dependant(Record, frozen=True):
    """Somebody whose care a patient manages."""

    table: ClassVar[str] = "dependants"

    id: DependantId
    guardian: PatientId
    first_name: str
    relation: Relation
    birth_date: Date
    guardian_until: Date
    """The last day on which the guardian may act."""


class Provider(Record, frozen=True):
    """A doctor or therapist."""

    table: ClassVar[str] = "providers"

    id: ProviderId
    name: str
    specialty: Specialty
    languages: tuple[Language, ...]
    visit_fee: Money


class Opening(Record, frozen=True):
    """A free time slot of a provider."""

    table: ClassVar[str] = "slots"

    id: SlotId
    provider: ProviderId
    day: Date
    time: str
    """24-hour clock, "14:30"."""


class Appointment(Record, frozen=True):
    """A visit, past or to come."""

    table: ClassVar[str] = "appointments"

    id: AppointmentId
    patient: PatientId
    dependant: DependantId | None
    person: str
    """First name of whoever is seen."""
    provider: ProviderId
    provider_name: str
    specialty: Specialty
    day: Date
    time: str
    status: Literal["booked", "cancelled", "completed"]
    visit_fee: Money
    copay: Money
    """The patient's share of the visit fee."""
    deposit: Money
    """The part of the copay that was taken at booking."""
    late_fee: Money
    moves: int
    """How often it was rescheduled."""


class Medicine(Record, frozen=True):
    """A medicine; its id is its name."""

    table: ClassVar[str] = "medicines"

    id: MedicineId
    tier: Literal[1, 2, 3]
    controlled: bool
    strengths: tuple[str, ...]


class Interaction(Record, frozen=True):
    """Two medicines that affect each other, in alphabetical order."""

    table: ClassVar[str] = "interactions"

    id: Annotated[str, Ref("interaction")]
    first: MedicineId
    second: MedicineId
    severity: Literal["moderate", "severe"]


class Prescription(Record, frozen=True):
    """A medicine prescribed to a patient or a dependant."""

    table: ClassVar[str] = "prescriptions"

    id: PrescriptionId
    patient: PatientId
    dependant: DependantId | None
    person: str
    medicine: MedicineId
    strength: str
    controlled: bool
    prescriber: str
    supplier: SupplierId
    refills_left: int
    last_filled: Date
    days_supply: int
    status: Literal["active", "stopped"]


class Fill(Record, frozen=True):
    """An order for a refill."""

    table: ClassVar[str] = "fills"

    id: Annotated[str, Ref("fill")]
    prescription: PrescriptionId
    supplier: SupplierId
    ready: Date
    copay: Money


class Supplier(Record, frozen=True):
    """A pharmacy that fills prescriptions."""

    table: ClassVar[str] = "suppliers"

    id: SupplierId
    name: str
    mail_order: bool
    days: int
    """Calendar days from an order until it is ready."""
    plans: tuple[PlanId, ...]
    """The insurance plans that it takes."""


class InsurancePlan(Record, frozen=True):
    """What a plan leaves for the patient to pay."""

    table: ClassVar[str] = "plans"

    id: PlanId
    insurer: str
    name: str
    visit_percent: int
    """The patient's share of a visit fee."""
    tier_copays: tuple[Money, Money, Money]
    """The copay of a refill in tier 1, 2 and 3."""


class Note(Record, frozen=True):
    """Something written into the chart."""

    table: ClassVar[str] = "notes"

    id: Annotated[str, Ref("note")]
    patient: PatientId
    dependant: DependantId | None
    kind: NoteKind
    subject: str
    """What it is about: an allergen, or the id of a prescription."""
    text: FreeText


class Measurement(msgspec.Struct, frozen=True):
    """One reading of a device."""

    day: Date
    value: int


class Device(Record, frozen=True):
    """A home device that sends readings."""

    table: ClassVar[str] = "devices"

    id: DeviceId
    patient: PatientId
    dependant: DependantId | None
    person: str
    kind: DeviceKind
    serial: str
    alert_above: int
    """Readings above this are flagged; set by the provider."""
    readings: tuple[Measurement, ...]
