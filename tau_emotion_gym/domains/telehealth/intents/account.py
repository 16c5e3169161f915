"""Wishes about insurance, devices, allergies and the balance."""

from tau_emotion_gym.kit import Call, Fact, Goal, Kind, Script, Situation, usd, yours

from ..catalogue import catalogue
from ..records import Device, Patient
from ..terms import MOST_DEVICES, plan_open_from, today
from .grounding import chart_call, family, for_whom
from .wording import wish

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
ALLERGENS = ("penicillin", "latex", "peanuts", "aspirin", "iodine", "codeine", "shellfish", "nickel", "bee venom")
KINDS = ("blood pressure monitor", "glucose meter", "heart rate monitor", "smart scale")


def _code(s: Situation, letters: int, digits: int) -> str:
    """A code as it stands on a card or a device."""
    draw = s.draw
    return "".join(draw.pick(LETTERS) for _ in range(letters)) + str(draw.between(10 ** (digits - 1), 10**digits - 1))


@wish(Kind.FULFIL, weight=2)
def new_insurance(s: Situation) -> Goal | None:
    """Put a new insurance plan on the account."""
    patient: Patient = s.customer
    if plan_open_from(patient) > today(s.world):
        return None
    plan = s.draw.pick([plan for plan in catalogue().plans if plan.id != patient.plan])
    number = _code(s, 3, 6)
    return Goal(
        fill={"plan": plan.name, "number": number},
        facts=(Fact("plan", plan.id, plan.name), Fact("member_number", number)),
        calls=(
            Call("list_plans", {"insurer": plan.insurer}),
            Call("update_insurance", {"patient_id": patient.id, "plan_id": plan.id, "member_number": number}),
        ),
        script=Script(
            propose=f"I will update your insurance to {plan.name} with the member number {number}.",
            report=f"Your insurance has been updated to {plan.name} from today.",
        ),
    )


@wish(Kind.FULFIL)
def connect_device(s: Situation) -> Goal | None:
    """Enroll a home device for the patient or a dependant."""
    devices = s.world.where(Device, "patient", s.customer.id)
    if len(devices) >= MOST_DEVICES:
        return None
    person, whose = for_whom(s, family(s))
    key = person.id if person else None
    kinds = [kind for kind in KINDS if not any(d.kind == kind and d.dependant == key for d in devices)]
    kind, serial = s.draw.pick(kinds), _code(s, 2, 6)
    arguments = {"patient_id": s.customer.id, "kind": kind, "serial": serial}
    if key:
        arguments["dependant_id"] = key
    who = yours(whose.spoken) if key else "for you"
    return Goal(
        fill={"device": kind, "serial": serial, "whose": whose.spoken},
        facts=(Fact("device_kind", kind), Fact("serial", serial), whose),
        calls=(chart_call(s), Call("enroll_device", arguments)),
        script=Script(
            propose=f"I will enroll the {kind} with the serial number {serial} {who}.",
            report=f"The {kind} has been enrolled {who}, and its readings will reach the care team.",
        ),
    )


@wish(Kind.FULFIL)
def note_allergy(s: Situation) -> Goal | None:
    """Put an allergy into the chart of the patient or a dependant."""
    person, whose = for_whom(s, family(s))
    allergen = s.draw.pick(ALLERGENS)
    arguments = {"patient_id": s.customer.id, "kind": "allergy", "subject": allergen}
    if person:
        arguments["dependant_id"] = person.id
    chart = "your chart" if person is None else f"your {person.relation} {person.first_name}'s chart"
    return Goal(
        fill={"allergen": allergen, "whose": whose.spoken},
        facts=(Fact("allergen", allergen), whose),
        calls=(chart_call(s), Call("add_note", arguments)),
        script=Script(
            propose=f"I will add a note to {chart} about the allergy to {allergen}.",
            report=f"A note about the allergy to {allergen} has been added to {chart}.",
        ),
    )


@wish(Kind.FULFIL)
def settle_balance(s: Situation) -> Goal | None:
    """Pay what is owed."""
    patient: Patient = s.customer
    if not patient.balance:
        return None
    return Goal(
        calls=(Call("pay_balance", {"patient_id": patient.id, "amount": float(patient.balance)}),),
        script=Script(
            propose=f"I will charge {usd(patient.balance)} to the card on file to settle your balance.",
            report=f"Your balance of {usd(patient.balance)} has been settled: the card was charged, and you owe "
            f"nothing more.",
        ),
    )
