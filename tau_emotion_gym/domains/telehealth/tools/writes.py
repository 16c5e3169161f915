"""What the agent can change. Tools check that a request makes sense; what is allowed is for the rules."""

from decimal import Decimal

from msgspec.structs import replace

from tau_emotion_gym.kit import ToolError, days_after, existing, write
from tau_emotion_gym.world import FreeText, Money, World, cents, money

from ..records import (
    Appointment,
    AppointmentId,
    Dependant,
    DependantId,
    Device,
    DeviceKind,
    Fill,
    InsurancePlan,
    Note,
    NoteKind,
    Opening,
    Patient,
    PatientId,
    PlanId,
    Prescription,
    PrescriptionId,
    Provider,
    SlotId,
    Supplier,
    SupplierId,
)
from ..terms import deposit, refill_copay, today, visit_copay


@write("book", "arrange ~ visit")
def book_appointment(
    world: World, patient_id: PatientId, slot_id: SlotId, dependant_id: DependantId | None = None
) -> Appointment:
    """Book a free time slot. Copay and deposit follow from the current insurance plan and balance.

    Args:
        patient_id: The account's patient.
        slot_id: The free slot.
        dependant_id: The dependant who is to be seen; leave it out when it is the patient.
    """
    patient = existing(world, Patient, patient_id)
    opening = existing(world, Opening, slot_id, "Free slots are listed by list_slots.")
    provider = existing(world, Provider, opening.provider)
    copay = visit_copay(world, patient, provider.visit_fee)
    appointment = Appointment(
        id=world.new_id(Appointment, "AP", patient_id, slot_id),
        patient=patient_id,
        dependant=dependant_id,
        person=_person(world, patient, dependant_id),
        provider=provider.id,
        provider_name=provider.name,
        specialty=provider.specialty,
        day=opening.day,
        time=opening.time,
        status="booked",
        visit_fee=provider.visit_fee,
        copay=copay,
        deposit=deposit(patient, copay),
        late_fee=cents(0),
        moves=0,
    )
    world.remove(opening)
    world.put(appointment)
    return appointment


@write("move", "reschedule", "postpone")
def reschedule_appointment(
    world: World, appointment_id: AppointmentId, slot_id: SlotId, late_fee: Money = Decimal("0.00")
) -> Appointment:
    """Move a booked appointment to a free time slot; its old time becomes free. A late fee goes onto the balance.

    Args:
        appointment_id: The appointment.
        slot_id: The free slot to move it to.
        late_fee: The fee for moving it late.
    """
    appointment = _booked(world, appointment_id)
    opening = existing(world, Opening, slot_id, "Free slots are listed by list_slots.")
    _add_to_balance(world, appointment.patient, late_fee)
    moved = replace(
        appointment,
        provider=opening.provider,
        provider_name=existing(world, Provider, opening.provider).name,
        day=opening.day,
        time=opening.time,
        late_fee=appointment.late_fee + late_fee,
        moves=appointment.moves + 1,
    )
    world.remove(opening)
    _set_free(world, appointment)
    world.put(moved)
    return moved


@write("cancel", "call off")
def cancel_appointment(world: World, appointment_id: AppointmentId, late_fee: Money = Decimal("0.00")) -> Appointment:
    """Cancel a booked appointment; its time becomes a free slot. A late fee goes onto the balance.

    Args:
        appointment_id: The appointment.
        late_fee: The fee for cancelling it late.
    """
    appointment = _booked(world, appointment_id)
    _add_to_balance(world, appointment.patient, late_fee)
    cancelled = replace(appointment, status="cancelled", late_fee=appointment.late_fee + late_fee)
    _set_free(world, appointment)
    world.put(cancelled)
    return cancelled


@write("refill", "fill ~ again")
def refill_prescription(world: World, prescription_id: PrescriptionId) -> Fill:
    """Order a refill from the prescription's supplier. The copay follows from the current insurance plan.

    Args:
        prescription_id: The prescription.
    """
    prescription = existing(world, Prescription, prescription_id)
    supplier = existing(world, Supplier, prescription.supplier)
    fill = Fill(
        id=world.new_id(Fill, "FL", prescription_id, prescription.refills_left),
        prescription=prescription_id,
        supplier=supplier.id,
        ready=days_after(today(world), supplier.days),
        copay=refill_copay(world, prescription),
    )
    left = max(prescription.refills_left - 1, 0)
    world.put(replace(prescription, refills_left=left, last_filled=today(world)))
    world.put(fill)
    return fill


@write("send ~ prescription", "prescription ~ sent", "transfer ~ prescription", "prescription ~ transferred")
def transfer_prescription(world: World, prescription_id: PrescriptionId, supplier_id: SupplierId) -> Prescription:
    """Send a prescription to another supplier, which fills it from then on.

    Args:
        prescription_id: The prescription.
        supplier_id: The supplier that takes it over.
    """
    prescription = existing(world, Prescription, prescription_id)
    supplier = existing(world, Supplier, supplier_id)
    if prescription.supplier == supplier.id:
        raise ToolError(f"The prescription is at {supplier.name} already.")
    moved = replace(prescription, supplier=supplier.id)
    world.put(moved)
    return moved


@write("default supplier", "usual supplier", "change ~ supplier")
def change_supplier(world: World, patient_id: PatientId, supplier_id: SupplierId) -> Patient:
    """Set the supplier to which a patient's new prescriptions go. Present prescriptions stay where they are.

    Args:
        patient_id: The patient.
        supplier_id: The new default supplier.
    """
    patient = existing(world, Patient, patient_id)
    changed = replace(patient, supplier=existing(world, Supplier, supplier_id).id)
    world.put(changed)
    return changed


@write("add ~ note", "note ~ added", "write ~ note", "put ~ note")
def add_note(
    world: World,
    patient_id: PatientId,
    kind: NoteKind,
    subject: str,
    text: FreeText = "",
    dependant_id: DependantId | None = None,
) -> Note:
    """Add a note to the chart, where the care team reads it.

    Args:
        patient_id: The account's patient.
        kind: What kind of note it is.
        subject: For an allergy the substance in one or two words, for a renewal request the prescription's id.
        text: A sentence for the care team.
        dependant_id: The dependant whom it concerns; leave it out when it is the patient.
    """
    patient = existing(world, Patient, patient_id)
    _person(world, patient, dependant_id)
    subject = subject.strip()
    if not subject:
        raise ToolError("A note needs a subject.")
    if kind == "renewal request":
        existing(world, Prescription, subject, "The subject of a renewal request is the prescription's id.")
    else:
        subject = subject.lower()
    key = world.new_id(Note, "NT", patient_id, kind, subject)
    note = Note(id=key, patient=patient_id, dependant=dependant_id, kind=kind, subject=subject, text=text)
    world.put(note)
    return note


@write("update ~ insurance", "insurance ~ updated", "change ~ insurance", "switch ~ insurance")
def update_insurance(world: World, patient_id: PatientId, plan_id: PlanId, member_number: str) -> Patient:
    """Put a new insurance plan on a patient's account, from today.

    Args:
        patient_id: The patient.
        plan_id: The new plan.
        member_number: The number on the new insurance card.
    """
    patient = existing(world, Patient, patient_id)
    plan = existing(world, InsurancePlan, plan_id, "Plans are listed by list_plans.")
    updated = replace(patient, plan=plan.id, plan_since=today(world), member_number=member_number.strip().upper())
    world.put(updated)
    return updated


@write("enroll", "connect", "link ~ device")
def enroll_device(
    world: World, patient_id: PatientId, kind: DeviceKind, serial: str, dependant_id: DependantId | None = None
) -> Device:
    """Enroll a home device, whose readings then reach the care team.

    Args:
        patient_id: The account's patient.
        kind: What kind of device it is.
        serial: The serial number on the device.
        dependant_id: The dependant who uses it; leave it out when it is the patient.
    """
    patient = existing(world, Patient, patient_id)
    serial = serial.strip().upper()
    if world.where(Device, "serial", serial):
        raise ToolError(f"A device with the serial number {serial} is enrolled already.")
    device = Device(
        id=world.new_id(Device, "DV", serial),
        patient=patient_id,
        dependant=dependant_id,
        person=_person(world, patient, dependant_id),
        kind=kind,
        serial=serial,
        alert_above=0,
        readings=(),
    )
    world.put(device)
    return device


@write("settle", "charge ~ card", "pay ~ balance")
def pay_balance(world: World, patient_id: PatientId, amount: Money) -> Patient:
    """Charge the card on file to pay what the patient owes.

    Args:
        patient_id: The patient.
        amount: The amount to charge.
    """
    patient = existing(world, Patient, patient_id)
    if not 0 < amount <= patient.balance:
        raise ToolError(f"The amount must lie above 0 and not above the balance of {patient.balance}.")
    paid = replace(patient, balance=money(patient.balance - amount))
    world.put(paid)
    return paid


def _person(world: World, patient: Patient, dependant_id: str | None) -> str:
    """The first name of whoever a call is for."""
    return patient.first_name if dependant_id is None else existing(world, Dependant, dependant_id).first_name


def _booked(world: World, appointment_id: str) -> Appointment:
    appointment = existing(world, Appointment, appointment_id)
    if appointment.status != "booked":
        raise ToolError(f"The appointment {appointment_id} is {appointment.status}.")
    return appointment


def _set_free(world: World, appointment: Appointment) -> None:
    key = world.new_id(Opening, "SL", appointment.id, appointment.day, appointment.time)
    world.put(Opening(id=key, provider=appointment.provider, day=appointment.day, time=appointment.time))


def _add_to_balance(world: World, patient_id: str, fee: Decimal) -> None:
    if fee < 0:
        raise ToolError("A late fee cannot be negative.")
    if fee:
        patient = existing(world, Patient, patient_id)
        world.put(replace(patient, balance=money(patient.balance + fee)))


WRITES = (
    book_appointment,
    reschedule_appointment,
    cancel_appointment,
    refill_prescription,
    transfer_prescription,
    change_supplier,
    add_note,
    update_insurance,
    enroll_device,
    pay_balance,
)
