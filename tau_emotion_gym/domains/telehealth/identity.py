"""How a patient says who they are: by email address, or by name and date of birth."""

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.kit import Call, Fact, long_date

from .records import Patient


def identify(patient: Patient, draw: Draw) -> tuple[tuple[Fact, ...], Call]:
    """What the patient knows to identify themselves, and the call that uses it."""
    if draw.chance(0.5):
        return (Fact("email", patient.email),), Call("find_patient_by_email", {"email": patient.email})
    facts = (
        Fact("name", f"{patient.first_name} {patient.last_name}"),
        Fact("birth_date", patient.birth_date, long_date(patient.birth_date)),
    )
    arguments = {
        "first_name": patient.first_name,
        "last_name": patient.last_name,
        "birth_date": patient.birth_date,
    }
    return facts, Call("find_patient_by_name", arguments)
