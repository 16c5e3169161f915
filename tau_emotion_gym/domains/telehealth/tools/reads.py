"""What the agent can look up."""

import msgspec

from tau_emotion_gym.kit import ToolError, existing, read
from tau_emotion_gym.world import Date, Money, World

from ..records import (
    Appointment,
    Dependant,
    Device,
    DeviceId,
    DeviceKind,
    InsurancePlan,
    Language,
    MedicineId,
    Opening,
    Patient,
    PatientId,
    Prescription,
    PrescriptionId,
    Provider,
    ProviderId,
    Specialty,
    Supplier,
)
from ..terms import conflicts, refill_copay


class DeviceInfo(msgspec.Struct, frozen=True):
    """A device as the chart lists it."""

    id: DeviceId
    kind: DeviceKind
    person: str
    serial: str


class Chart(msgspec.Struct, frozen=True):
    """An account with everybody and everything on it."""

    patient: Patient
    dependants: tuple[Dependant, ...]
    devices: tuple[DeviceInfo, ...]


class Conflict(msgspec.Struct, frozen=True):
    """An active prescription that interacts with the one that was checked."""

    prescription: PrescriptionId
    medicine: MedicineId
    severity: str


class Quote(msgspec.Struct, frozen=True):
    """What a refill costs the patient."""

    prescription: PrescriptionId
    copay: Money


@read
def find_patient_by_email(world: World, email: str) -> Patient:
    """Find a patient by the email address on the account.

    Args:
        email: The email address.
    """
    for patient in world.where(Patient, "email", email.strip().lower()):
        return patient
    raise ToolError(f"No patient has the email address {email!r}.")


@read
def find_patient_by_name(world: World, first_name: str, last_name: str, birth_date: Date) -> Patient:
    """Find a patient by full name and date of birth.

    Args:
        first_name: The first name.
        last_name: The last name.
        birth_date: The date of birth.
    """
    wanted = (first_name.strip().casefold(), last_name.strip().casefold())
    for patient in world.where(Patient, "birth_date", birth_date):
        if (patient.first_name.casefold(), patient.last_name.casefold()) == wanted:
            return patient
    raise ToolError("No patient has this name and date of birth.")


@read
def get_patient(world: World, patient_id: PatientId) -> Chart:
    """Get a patient's account as it is now, with the dependants, the ends of guardianship, and the devices.

    Args:
        patient_id: The patient's id.
    """
    patient = existing(world, Patient, patient_id)
    devices = world.where(Device, "patient", patient_id)
    return Chart(
        patient=patient,
        dependants=tuple(world.where(Dependant, "guardian", patient_id)),
        devices=tuple(DeviceInfo(d.id, d.kind, d.person, d.serial) for d in devices),
    )


@read
def list_appointments(world: World, patient_id: PatientId) -> tuple[Appointment, ...]:
    """List all appointments on an account, past and upcoming, those of dependants included.

    Args:
        patient_id: The patient's id.
    """
    return tuple(world.where(Appointment, "patient", existing(world, Patient, patient_id).id))


@read
def find_providers(world: World, specialty: Specialty, language: Language) -> tuple[Provider, ...]:
    """Find the providers of a specialty who speak a language.

    Args:
        specialty: The field of medicine.
        language: The language of the visit.
    """
    return tuple(p for p in world.where(Provider, "specialty", specialty) if language in p.languages)


@read
def list_slots(world: World, provider_id: ProviderId) -> tuple[Opening, ...]:
    """List a provider's free time slots.

    Args:
        provider_id: The provider's id.
    """
    return tuple(world.where(Opening, "provider", existing(world, Provider, provider_id).id))


@read
def list_prescriptions(world: World, patient_id: PatientId) -> tuple[Prescription, ...]:
    """List all prescriptions on an account, stopped ones and those of dependants included.

    Args:
        patient_id: The patient's id.
    """
    return tuple(world.where(Prescription, "patient", existing(world, Patient, patient_id).id))


@read
def check_interactions(world: World, prescription_id: PrescriptionId) -> tuple[Conflict, ...]:
    """Check a prescription against the other active prescriptions of the same person.

    Args:
        prescription_id: The prescription to check.
    """
    prescription = existing(world, Prescription, prescription_id)
    found = conflicts(world, prescription)
    return tuple(Conflict(other.id, other.medicine, pair.severity) for other, pair in found)


@read
def quote_copay(world: World, prescription_id: PrescriptionId) -> Quote:
    """Quote what one refill of a prescription costs under the patient's current insurance plan.

    Args:
        prescription_id: The prescription.
    """
    prescription = existing(world, Prescription, prescription_id)
    return Quote(prescription.id, refill_copay(world, prescription))


@read
def find_suppliers(world: World, name: str) -> tuple[Supplier, ...]:
    """Find suppliers whose name contains some words. Several branches may share a name.

    Args:
        name: The name or a part of it.
    """
    wanted = name.strip().casefold()
    if not wanted:
        raise ToolError("Give the supplier's name or a part of it.")
    found = tuple(supplier for supplier in world.all(Supplier) if wanted in supplier.name.casefold())
    if not found:
        raise ToolError(f"No supplier's name contains {name!r}. Try a shorter part of it.")
    return found


@read
def list_plans(world: World, insurer: str) -> tuple[InsurancePlan, ...]:
    """List an insurer's plans with the patient's share of visit fees and the copays of refills.

    Args:
        insurer: The insurer: Cedar, Harbor or Summit.
    """
    found = tuple(world.where(InsurancePlan, "insurer", insurer.strip().title()))
    if not found:
        raise ToolError(f"There is no insurer {insurer!r}. The insurers are Cedar, Harbor and Summit.")
    return found


@read
def get_telemetry(world: World, device_id: DeviceId) -> Device:
    """Get a home device with its readings, the oldest first, and the level above which they are flagged.

    Args:
        device_id: The device's id.
    """
    return existing(world, Device, device_id)


READS = (
    find_patient_by_email,
    find_patient_by_name,
    get_patient,
    list_appointments,
    find_providers,
    list_slots,
    list_prescriptions,
    check_interactions,
    quote_copay,
    find_suppliers,
    list_plans,
    get_telemetry,
)
