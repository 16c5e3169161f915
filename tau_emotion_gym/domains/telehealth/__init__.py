"""A telehealth clinic: video visits, prescriptions, insurance and home devices."""

from tau_emotion_gym.kit import Domain

from .identity import identify
from .intents import INTENTS
from .records import (
    Appointment,
    Dependant,
    Device,
    Fill,
    InsurancePlan,
    Interaction,
    Medicine,
    Note,
    Opening,
    Patient,
    Prescription,
    Provider,
    Supplier,
)
from .rules import RULES
from .slots import SLOTS
from .tools import TOOLS
from .world import build

DOMAIN = Domain(
    name="telehealth",
    title="Telehealth",
    ordinal=3,
    summary="A telehealth clinic: video visits, prescriptions, insurance, dependants and home devices.",
    file=__file__,
    records=(
        Patient,
        Dependant,
        Provider,
        Opening,
        Appointment,
        Medicine,
        Interaction,
        Prescription,
        Fill,
        Supplier,
        InsurancePlan,
        Note,
        Device,
    ),
    tools=TOOLS,
    rules=RULES,
    intents=INTENTS,
    slots=SLOTS,
    build=build,
    identify=identify,
    identify_tools=("find_patient_by_email", "find_patient_by_name"),
    identity_slots=("email", "name", "birth_date"),
    reasons=("emergency", "clinical_question", "lost_controlled", "complaint", "other"),
)
