"""The clinic's policy: each sentence that the agent reads, with its check."""

from typing import Any

from tau_emotion_gym.kit import TRANSFER, Context, authentication, confirmation, one_customer, rule
from tau_emotion_gym.world import World

from .records import Appointment, Dependant, Device, Opening, Patient, Prescription, Supplier
from .terms import (
    MOST_BALANCE,
    MOST_DEVICES,
    MOST_MOVES,
    MOST_UPCOMING,
    blocking,
    guarded,
    late_fee,
    plan_open_from,
    refill_from,
    today,
    upcoming,
)
from .tools import WRITES
from .tools.reads import (
    check_interactions,
    get_patient,
    get_telemetry,
    list_appointments,
    list_prescriptions,
    quote_copay,
)
from .tools.writes import (
    add_note,
    book_appointment,
    cancel_appointment,
    change_supplier,
    enroll_device,
    pay_balance,
    refill_prescription,
    reschedule_appointment,
    transfer_prescription,
    update_insurance,
)

FINDERS = ("find_patient_by_email", "find_patient_by_name")
PERSONAL = (get_patient, list_appointments, list_prescriptions, check_interactions, quote_copay, get_telemetry)


def _appointment(world: World, arguments: Any) -> Appointment | None:
    return world.get(Appointment, getattr(arguments, "appointment_id", ""))


def _prescription(world: World, arguments: Any) -> Prescription | None:
    return world.get(Prescription, getattr(arguments, "prescription_id", ""))


def _owner(world: World, arguments: Any) -> str | None:
    """The patient whose account a call touches."""
    record = (
        _appointment(world, arguments)
        or _prescription(world, arguments)
        or world.get(Device, getattr(arguments, "device_id", ""))
    )
    return record.patient if record else getattr(arguments, "patient_id", None)


def _dependant(world: World, arguments: Any) -> Dependant | None:
    """The dependant whom a call is for."""
    record = _appointment(world, arguments) or _prescription(world, arguments)
    key = record.dependant if record else getattr(arguments, "dependant_id", None)
    return world.get(Dependant, key) if key else None


identified = authentication(
    "Before anything else but an emergency, find the patient: by the email address on the account, or by full name "
    "and date of birth.",
    *PERSONAL,
    *WRITES,
)

confirmed = confirmation(
    "Before you change anything, say exactly what you will do, with any fee, and wait for a yes.",
    *WRITES,
)

one_patient = one_customer(
    "Serve one patient per conversation, and touch no other account.",
    _owner,
    *PERSONAL,
    *WRITES,
)


@rule(
    "Act for a dependant only when the patient on the line is the guardian and the guardianship has not ended: its "
    "last day, guardian_until in the chart, must not lie before today. Otherwise refuse and say on which day it ended.",
    book_appointment,
    reschedule_appointment,
    cancel_appointment,
    refill_prescription,
    transfer_prescription,
    add_note,
    enroll_device,
)
def guardian_only(context: Context, arguments: Any) -> bool:
    """Whether nobody but a guardian acts for a dependant."""
    dependant = _dependant(context.world, arguments)
    return dependant is None or (dependant.guardian in context.customers and guarded(context.world, dependant))


@rule(
    "Cancelling or moving an appointment that starts in less than 24 hours costs a late fee of half its visit fee, "
    "which goes onto the balance; earlier it costs nothing. The fee is never waived. Say the amount first.",
    cancel_appointment,
    reschedule_appointment,
)
def late_fee_charged(context: Context, arguments: Any) -> bool:
    """Whether the late fee is the one that is due."""
    appointment = _appointment(context.world, arguments)
    return appointment is None or arguments.late_fee == late_fee(context.world, appointment)


@rule(
    "An appointment may be moved twice at most, and only to a free slot of the same provider; another provider needs a "
    "new booking.",
    reschedule_appointment,
)
def moved_twice_at_most(context: Context, arguments: Any) -> bool:
    """Whether the appointment may still be moved, and stays with its provider."""
    appointment = _appointment(context.world, arguments)
    opening = context.world.get(Opening, arguments.slot_id)
    if appointment is None or opening is None:
        return True
    return appointment.moves < MOST_MOVES and appointment.provider == opening.provider


@rule(
    "An account may hold three upcoming appointments at most, those of dependants included.",
    book_appointment,
)
def three_upcoming(context: Context, arguments: Any) -> bool:
    """Whether the account has room for another appointment."""
    return len(upcoming(context.world, arguments.patient_id)) < MOST_UPCOMING


@rule(
    "A patient whose balance is above $80.00 cannot book until it has been paid.",
    book_appointment,
)
def balance_blocks(context: Context, arguments: Any) -> bool:
    """Whether the balance is low enough to book."""
    patient = context.world.get(Patient, arguments.patient_id)
    return patient is None or patient.balance <= MOST_BALANCE


@rule("A balance is paid in full, never in part.", pay_balance)
def paid_in_full(context: Context, arguments: Any) -> bool:
    """Whether the amount is the whole balance."""
    patient = context.world.get(Patient, arguments.patient_id)
    return patient is None or arguments.amount == patient.balance


@rule("Check the interactions of a prescription before you refill it.", refill_prescription)
def checked_first(context: Context, arguments: Any) -> bool:
    """Whether this prescription's interactions have been checked."""
    return context.called("check_interactions", prescription_id=arguments.prescription_id)


@rule(
    "A severe interaction with another active prescription blocks a refill: refuse and name the other medicine. A "
    "moderate one does not block it.",
    refill_prescription,
)
def severe_blocks(context: Context, arguments: Any) -> bool:
    """Whether no active prescription interacts severely."""
    prescription = _prescription(context.world, arguments)
    return prescription is None or not blocking(context.world, prescription)


@rule(
    "A refill may be ordered from 7 days before the present supply runs out, not earlier. If it is too early, say "
    "from which day it can be ordered.",
    refill_prescription,
)
def not_too_early(context: Context, arguments: Any) -> bool:
    """Whether the supply is near its end."""
    prescription = _prescription(context.world, arguments)
    return prescription is None or refill_from(prescription) <= today(context.world)


@rule(
    "Refill only an active prescription that has refills left. When none is left, offer a note of the kind renewal "
    "request, whose subject is the prescription's id.",
    refill_prescription,
)
def refills_left(context: Context, arguments: Any) -> bool:
    """Whether the prescription is active and has refills left."""
    prescription = _prescription(context.world, arguments)
    return prescription is None or (prescription.status == "active" and prescription.refills_left > 0)


@rule("A controlled medicine never goes to a mail-order supplier.", transfer_prescription)
def no_controlled_mail(context: Context, arguments: Any) -> bool:
    """Whether a controlled medicine stays away from mail order."""
    prescription = _prescription(context.world, arguments)
    supplier = context.world.get(Supplier, arguments.supplier_id)
    return prescription is None or supplier is None or not (prescription.controlled and supplier.mail_order)


@rule(
    "Choose only a supplier that takes the patient's present insurance plan, for a transfer and as the default.",
    transfer_prescription,
    change_supplier,
)
def takes_the_plan(context: Context, arguments: Any) -> bool:
    """Whether the supplier takes the patient's plan."""
    supplier = context.world.get(Supplier, arguments.supplier_id)
    patient = context.world.get(Patient, _owner(context.world, arguments) or "")
    return supplier is None or patient is None or patient.plan in supplier.plans


@rule(
    "Insurance can be changed when the present plan has been on the account for 90 days or more; before that, say "
    "from which day it can.",
    update_insurance,
)
def ninety_days(context: Context, arguments: Any) -> bool:
    """Whether the present plan is old enough to be changed."""
    patient = context.world.get(Patient, arguments.patient_id)
    return patient is None or plan_open_from(patient) <= today(context.world)


@rule(
    "An account may have three devices at most, and a person one device of a kind.",
    enroll_device,
)
def few_devices(context: Context, arguments: Any) -> bool:
    """Whether the account and the person have room for the device."""
    devices = context.world.where(Device, "patient", arguments.patient_id)
    mine = [d for d in devices if d.dependant == arguments.dependant_id and d.kind == arguments.kind]
    return len(devices) < MOST_DEVICES and not mine


@rule(
    "Give no medical advice: a question about symptoms, doses or what a reading means goes to a human with the reason "
    "clinical_question, after everything else has been done.",
    TRANSFER,
)
def questions_after_identification(context: Context, arguments: Any) -> bool:
    """Whether the patient was identified before a clinical question is handed over."""
    return arguments.reason != "clinical_question" or context.customer is not None


@rule(
    "When a controlled medicine was lost or stolen, replace nothing and hand over to a human with the reason "
    "lost_controlled; use that reason only for a patient who has an active controlled prescription.",
    TRANSFER,
)
def lost_controlled_only(context: Context, arguments: Any) -> bool:
    """Whether the reason fits a prescription that the patient has."""
    held = context.world.where(Prescription, "patient", context.customer or "")
    return arguments.reason != "lost_controlled" or any(p.controlled and p.status == "active" for p in held)


@rule(
    "When somebody may be in danger, hand over at once with the reason emergency, even before you know who it is: "
    "change nothing and open no record first.",
    TRANSFER,
)
def emergencies_at_once(context: Context, arguments: Any) -> bool:
    """Whether an emergency is handed over before any record was opened."""
    opened = any(done.name not in FINDERS for done in context.calls)
    return arguments.reason != "emergency" or not opened


RULES = (
    identified,
    confirmed,
    one_patient,
    guardian_only,
    late_fee_charged,
    moved_twice_at_most,
    three_upcoming,
    balance_blocks,
    paid_in_full,
    checked_first,
    severe_blocks,
    not_too_early,
    refills_left,
    no_controlled_mail,
    takes_the_plan,
    ninety_days,
    few_devices,
    questions_after_identification,
    lost_controlled_only,
    emergencies_at_once,
)
