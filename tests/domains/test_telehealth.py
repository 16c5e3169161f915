"""Telehealth: its world, tools and rules."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_emotion_gym.domains.telehealth import terms
from tau_emotion_gym.domains.telehealth.records import (
    Appointment,
    Dependant,
    Device,
    InsurancePlan,
    Opening,
    Patient,
    Prescription,
    Provider,
    Supplier,
)
from tau_emotion_gym.domains.telehealth.tools import TOOLS, WRITES
from tau_emotion_gym.kit import TRANSFER, Context, Domain, Done, ToolError, load
from tau_emotion_gym.world import Base, World

AMOUNTS = st.decimals(min_value=Decimal("0.01"), max_value=Decimal("500"), places=2)


@pytest.fixture(scope="module")
def telehealth() -> Domain:
    return load("telehealth")


@pytest.fixture(scope="module")
def base(telehealth: Domain) -> Base:
    return telehealth.base()


@pytest.fixture
def world(base: Base) -> World:
    return World(base)


def first(world: World, kind: type[Any], fits: Callable[[Any], bool]) -> Any:
    """The first record that fits."""
    return next(record for record in world.all(kind) if fits(record))


def run(telehealth: Domain, world: World, name: str, /, **arguments: object) -> Any:
    tool = telehealth.tools[name]
    return tool.run(world, tool.bind(arguments))


def broken(telehealth: Domain, world: World, customer: str, name: str, /, **arguments: object) -> set[str]:
    """Ids of the rules that a call breaks, consent apart."""
    bound = telehealth.tools[name].bind(arguments)
    checked = Done("check_interactions", {"prescription_id": arguments.get("prescription_id")}, True, ())
    context = Context(world, [checked], [customer])
    return {rule.id for rule in telehealth.rules_of[name] if not rule.in_play and not rule.check(context, bound)}


# --- world ------------------------------------------------------------------------------------------------


def test_people_share_first_name_and_town(world: World) -> None:
    places = Counter((patient.first_name, patient.city) for patient in world.all(Patient))
    assert sum(count > 1 for count in places.values()) >= 30


def test_accounts_have_the_same_medicine_twice(world: World) -> None:
    twice = Counter((one.patient, one.medicine) for one in world.all(Prescription))
    assert sum(count > 1 for count in twice.values()) >= 100


def test_accounts_have_two_upcoming_visits_with_one_provider(world: World) -> None:
    booked = Counter((v.patient, v.provider) for v in world.all(Appointment) if v.status == "booked")
    assert sum(count > 1 for count in booked.values()) >= 30


def test_no_provider_is_free_twice_in_the_same_half_of_a_day(world: World) -> None:
    halves = Counter((o.provider, o.day, o.time < "12") for o in world.all(Opening))
    assert max(halves.values()) == 1


def test_accounts_have_one_appointment_a_day(world: World) -> None:
    days = Counter((visit.patient, visit.day) for visit in world.all(Appointment))
    assert max(days.values()) == 1


def test_records_belong_to_people_on_the_account(world: World) -> None:
    for kind in (Appointment, Prescription, Device):
        for record in world.all(kind):
            if record.dependant is not None:
                dependant = world.get(Dependant, record.dependant)
                assert dependant is not None
                assert dependant.guardian == record.patient
                assert dependant.first_name == record.person
                assert terms.guarded(world, dependant)


def test_relatives_are_as_old_as_they_can_be(world: World) -> None:
    for dependant in world.all(Dependant):
        patient = world.get(Patient, dependant.guardian)
        assert patient is not None
        years = int(dependant.birth_date[:4]) - int(patient.birth_date[:4])
        if dependant.relation in ("son", "daughter"):
            assert years >= 18
        elif dependant.relation in ("mother", "father"):
            assert years <= -18
        else:
            assert abs(years) < 10


def test_controlled_medicines_start_at_no_mail_order_supplier(world: World) -> None:
    for prescription in world.all(Prescription):
        supplier = world.get(Supplier, prescription.supplier)
        assert supplier is not None
        assert not (prescription.controlled and supplier.mail_order)


# --- tools ------------------------------------------------------------------------------------------------


def test_patients_are_found_by_email_and_by_name_and_birth_date(telehealth: Domain, world: World) -> None:
    for patient in list(world.all(Patient))[:20]:
        by_email = run(telehealth, world, "find_patient_by_email", email=patient.email.upper())
        by_name = run(
            telehealth,
            world,
            "find_patient_by_name",
            first_name=patient.first_name.lower(),
            last_name=patient.last_name,
            birth_date=patient.birth_date,
        )
        assert by_email == by_name == patient


def free_patient(world: World) -> Patient:
    """Somebody who owes nothing and has room for a visit."""
    return first(world, Patient, lambda p: not p.balance and len(terms.upcoming(world, p.id)) < 3)


def test_booking_takes_the_slot_and_the_plan_gives_the_copay(telehealth: Domain, world: World) -> None:
    patient, opening = free_patient(world), next(world.all(Opening))
    plan = world.get(InsurancePlan, patient.plan)
    provider = world.get(Provider, opening.provider)
    assert plan is not None
    assert provider is not None
    visit = run(telehealth, world, "book_appointment", patient_id=patient.id, slot_id=opening.id)
    assert visit.copay == provider.visit_fee * plan.visit_percent / 100
    assert visit.deposit == 0
    assert world.get(Opening, opening.id) is None


def test_who_owes_something_pays_half_of_the_copay_at_booking(telehealth: Domain, world: World) -> None:
    patient = first(world, Patient, lambda p: p.balance > 0)
    visit = run(telehealth, world, "book_appointment", patient_id=patient.id, slot_id=next(world.all(Opening)).id)
    assert abs(visit.deposit * 2 - visit.copay) <= Decimal("0.01")


def test_a_cancelled_time_can_be_booked_again(telehealth: Domain, world: World) -> None:
    visit = first(world, Appointment, lambda v: v.status == "booked")
    run(telehealth, world, "cancel_appointment", appointment_id=visit.id)
    slots = run(telehealth, world, "list_slots", provider_id=visit.provider)
    assert (visit.day, visit.time) in {(slot.day, slot.time) for slot in slots}


@settings(max_examples=30, deadline=None)
@given(fee=AMOUNTS)
def test_a_late_fee_goes_onto_the_balance(telehealth: Domain, base: Base, fee: Decimal) -> None:
    world = World(base)
    visit = first(world, Appointment, lambda v: v.status == "booked")
    before = world.get(Patient, visit.patient)
    cancelled = run(telehealth, world, "cancel_appointment", appointment_id=visit.id, late_fee=float(fee))
    after = world.get(Patient, visit.patient)
    assert before is not None
    assert after is not None
    assert after.balance - before.balance == cancelled.late_fee == fee


@settings(max_examples=30, deadline=None)
@given(amount=AMOUNTS)
def test_no_payment_is_larger_than_the_balance(telehealth: Domain, base: Base, amount: Decimal) -> None:
    world = World(base)
    patient = first(world, Patient, lambda p: p.balance > 100)
    if amount > patient.balance:
        with pytest.raises(ToolError):
            run(telehealth, world, "pay_balance", patient_id=patient.id, amount=float(amount))
        assert world.get(Patient, patient.id) == patient
    else:
        paid = run(telehealth, world, "pay_balance", patient_id=patient.id, amount=float(amount))
        assert paid.balance == patient.balance - amount >= 0


def test_moving_frees_the_old_time_and_counts(telehealth: Domain, world: World) -> None:
    opening = next(world.all(Opening))
    visit = first(world, Appointment, lambda v: v.status == "booked" and v.provider == opening.provider)
    moved = run(telehealth, world, "reschedule_appointment", appointment_id=visit.id, slot_id=opening.id)
    assert (moved.day, moved.time, moved.moves) == (opening.day, opening.time, visit.moves + 1)
    free = {(slot.day, slot.time) for slot in world.where(Opening, "provider", visit.provider)}
    assert (visit.day, visit.time) in free
    assert (opening.day, opening.time) not in free


@settings(max_examples=20, deadline=None)
@given(times=st.integers(1, 8))
def test_refills_never_fall_below_none(telehealth: Domain, base: Base, times: int) -> None:
    world = World(base)
    prescription = first(world, Prescription, lambda p: p.refills_left == 3)
    for _ in range(times):
        run(telehealth, world, "refill_prescription", prescription_id=prescription.id)
    left = world.get(Prescription, prescription.id)
    assert left is not None
    assert left.refills_left == max(3 - times, 0)


def test_the_plan_decides_what_a_refill_costs(telehealth: Domain, world: World) -> None:
    prescription = next(world.all(Prescription))
    quotes = []
    for plan in ("cedar_basic", "harbor_gold"):
        run(telehealth, world, "update_insurance", patient_id=prescription.patient, plan_id=plan, member_number="A1")
        quotes.append(run(telehealth, world, "quote_copay", prescription_id=prescription.id).copay)
    assert quotes[0] > quotes[1] > 0


def test_interactions_are_the_same_from_both_sides(telehealth: Domain, world: World) -> None:
    prescriptions = [one for one in world.all(Prescription) if one.status == "active"]
    found = {one.id: run(telehealth, world, "check_interactions", prescription_id=one.id) for one in prescriptions}
    pairs = {(key, conflict.prescription) for key, conflicts in found.items() for conflict in conflicts}
    assert pairs
    assert pairs == {(b, a) for a, b in pairs}


@pytest.mark.parametrize("name", [tool.name for tool in TOOLS if tool.name not in ("find_providers", "add_note")])
def test_unknown_ids_are_refused_with_a_hint(telehealth: Domain, world: World, name: str) -> None:
    arguments: dict[str, object] = {}
    for field, schema in telehealth.tools[name].parameters["properties"].items():
        if field in telehealth.tools[name].parameters["required"]:
            value: object = schema.get("enum", ["NOPE"])[0]
            arguments[field] = {"birth_date": "1901-01-01", "amount": 1, "late_fee": 0}.get(field, value)
    with pytest.raises(ToolError, match=r"."):
        run(telehealth, world, name, **arguments)
    assert not any(world.changes())


# --- rules: each is kept by one call and broken by another ------------------------------------------------


def kept_and_broken(
    telehealth: Domain, world: World, customer: str, rule: str, name: str, kept: dict[str, Any], bad: dict[str, Any]
) -> None:
    assert rule not in broken(telehealth, world, customer, name, **kept)
    assert rule in broken(telehealth, world, customer, name, **bad)


def test_nobody_is_served_before_identification(telehealth: Domain, world: World) -> None:
    patient = next(world.all(Patient))
    rule = next(rule for rule in telehealth.rules if rule.id == "authentication")
    arguments = telehealth.tools["get_patient"].bind({"patient_id": patient.id})
    assert not rule.check(Context(world), arguments)
    assert rule.check(Context(world, customers=[patient.id]), arguments)


def test_writes_need_a_yes(telehealth: Domain, world: World) -> None:
    rule = next(rule for rule in telehealth.rules if rule.id == "confirmation")
    assert set(rule.tools) == {tool.name for tool in WRITES}
    arguments = telehealth.tools["pay_balance"].bind({"patient_id": "P", "amount": 1})
    assert not rule.check(Context(world), arguments)
    assert rule.check(Context(world, consents={"pay_balance"}), arguments)


@pytest.mark.parametrize(
    ("name", "kind", "argument", "owner"),
    [
        ("get_patient", Patient, "patient_id", "id"),
        ("list_prescriptions", Patient, "patient_id", "id"),
        ("check_interactions", Prescription, "prescription_id", "patient"),
        ("cancel_appointment", Appointment, "appointment_id", "patient"),
        ("get_telemetry", Device, "device_id", "patient"),
    ],
)
def test_other_accounts_are_left_alone(
    telehealth: Domain, world: World, name: str, kind: type[Any], argument: str, owner: str
) -> None:
    record = next(world.all(kind))
    customer = getattr(record, owner)
    other = first(world, Patient, lambda p: p.id != customer).id
    assert "one_customer" not in broken(telehealth, world, customer, name, **{argument: record.id})
    assert "one_customer" in broken(telehealth, world, other, name, **{argument: record.id})


def test_only_a_present_guardian_acts(telehealth: Domain, world: World) -> None:
    def by(ended: bool) -> Dependant:
        return first(world, Dependant, lambda d: terms.guarded(world, d) is not ended)

    for dependant, wrong in ((by(False), False), (by(True), True)):
        arguments = {"patient_id": dependant.guardian, "kind": "allergy", "subject": "latex"}
        found = broken(telehealth, world, dependant.guardian, "add_note", **arguments, dependant_id=dependant.id)
        assert ("guardian_only" in found) is wrong


@pytest.mark.parametrize("name", ["cancel_appointment", "reschedule_appointment"])
def test_late_changes_cost_half_of_the_visit_fee(telehealth: Domain, world: World, name: str) -> None:
    late = first(world, Appointment, lambda v: v.status == "booked" and terms.is_late(world, v))
    early = first(world, Appointment, lambda v: v.status == "booked" and not terms.is_late(world, v))
    more = {"slot_id": next(world.all(Opening)).id} if name == "reschedule_appointment" else {}
    for visit, fee in ((late, float(late.visit_fee / 2)), (early, 0.0)):
        right = {"appointment_id": visit.id, "late_fee": fee, **more}
        wrong = {"appointment_id": visit.id, "late_fee": 7.0 + fee, **more}
        kept_and_broken(telehealth, world, visit.patient, "late_fee_charged", name, right, wrong)


def test_moves_are_limited_and_stay_with_the_provider(telehealth: Domain, world: World) -> None:
    opening = next(world.all(Opening))
    other = first(world, Opening, lambda o: o.provider != opening.provider)
    visits = [v for v in world.where(Appointment, "provider", opening.provider) if v.status == "booked"]
    fresh = next(v for v in visits if v.moves < 2)
    spent = first(world, Appointment, lambda v: v.status == "booked" and v.moves == 2)
    own = first(world, Opening, lambda o: o.provider == spent.provider)
    good = {"appointment_id": fresh.id, "slot_id": opening.id}
    for bad in ({**good, "slot_id": other.id}, {"appointment_id": spent.id, "slot_id": own.id}):
        kept_and_broken(telehealth, world, fresh.patient, "moved_twice_at_most", "reschedule_appointment", good, bad)


def test_bookings_need_room_and_a_small_balance(telehealth: Domain, world: World) -> None:
    slot = next(world.all(Opening)).id
    full = first(world, Patient, lambda p: len(terms.upcoming(world, p.id)) == 3)
    owing = first(world, Patient, lambda p: p.balance > 80)
    good = {"patient_id": free_patient(world).id, "slot_id": slot}
    for rule, patient in (("three_upcoming", full), ("balance_blocks", owing)):
        bad = {"patient_id": patient.id, "slot_id": slot}
        kept_and_broken(telehealth, world, patient.id, rule, "book_appointment", good, bad)


def test_balances_are_paid_in_full(telehealth: Domain, world: World) -> None:
    patient = first(world, Patient, lambda p: p.balance > 10)
    good = {"patient_id": patient.id, "amount": float(patient.balance)}
    kept_and_broken(telehealth, world, patient.id, "paid_in_full", "pay_balance", good, {**good, "amount": 1.0})


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ("severe_blocks", lambda w, p: terms.blocking(w, p)),
        ("not_too_early", lambda w, p: terms.refill_from(p) > terms.today(w)),
        ("refills_left", lambda w, p: p.refills_left == 0),
        ("refills_left", lambda w, p: p.status == "stopped"),
    ],
)
def test_refills_are_blocked(
    telehealth: Domain, world: World, rule: str, wrong: Callable[[World, Prescription], bool]
) -> None:
    good = first(
        world,
        Prescription,
        lambda p: (
            p.status == "active"
            and p.refills_left
            and terms.refill_from(p) <= terms.today(world)
            and not terms.blocking(world, p)
        ),
    )
    bad = first(world, Prescription, lambda p: wrong(world, p))
    args = [{"prescription_id": one.id} for one in (good, bad)]
    kept_and_broken(telehealth, world, good.patient, rule, "refill_prescription", *args)


def test_a_moderate_interaction_blocks_nothing(telehealth: Domain, world: World) -> None:
    found = first(
        world, Prescription, lambda p: {pair.severity for _, pair in terms.conflicts(world, p)} == {"moderate"}
    )
    call = {"prescription_id": found.id}
    assert "severe_blocks" not in broken(telehealth, world, found.patient, "refill_prescription", **call)


def test_interactions_are_checked_before_a_refill(telehealth: Domain, world: World) -> None:
    rule = next(rule for rule in telehealth.rules if rule.id == "checked_first")
    one, other = list(world.all(Prescription))[:2]
    arguments = telehealth.tools["refill_prescription"].bind({"prescription_id": one.id})
    for prescription, kept in ((one, True), (other, False)):
        done = Done("check_interactions", {"prescription_id": prescription.id}, True, ())
        assert rule.check(Context(world, [done]), arguments) is kept


def test_controlled_medicines_are_never_mailed(telehealth: Domain, world: World) -> None:
    mail = first(world, Supplier, lambda s: s.mail_order).id
    free, controlled = (first(world, Prescription, lambda p, c=c: p.controlled is c).id for c in (False, True))
    kept_and_broken(
        telehealth,
        world,
        "",
        "no_controlled_mail",
        "transfer_prescription",
        {"prescription_id": free, "supplier_id": mail},
        {"prescription_id": controlled, "supplier_id": mail},
    )


@pytest.mark.parametrize("name", ["transfer_prescription", "change_supplier"])
def test_suppliers_take_the_plan(telehealth: Domain, world: World, name: str) -> None:
    prescription = next(world.all(Prescription))
    patient = world.get(Patient, prescription.patient)
    assert patient is not None
    own = {"prescription_id": prescription.id} if name == "transfer_prescription" else {"patient_id": patient.id}
    yes, no = (first(world, Supplier, lambda s, t=t: (patient.plan in s.plans) is t).id for t in (True, False))
    calls = [{**own, "supplier_id": key} for key in (yes, no)]
    kept_and_broken(telehealth, world, patient.id, "takes_the_plan", name, *calls)


def test_insurance_stays_for_ninety_days(telehealth: Domain, world: World) -> None:
    old, new = (
        first(world, Patient, lambda p, t=t: (terms.plan_open_from(p) <= terms.today(world)) is t)
        for t in (True, False)
    )
    calls = [{"patient_id": p.id, "plan_id": "cedar_plus", "member_number": "A1"} for p in (old, new)]
    kept_and_broken(telehealth, world, old.id, "ninety_days", "update_insurance", *calls)


def test_devices_are_limited(telehealth: Domain, world: World) -> None:
    device = first(world, Device, lambda d: d.dependant is None)
    kinds = {d.kind for d in world.where(Device, "patient", device.patient)}
    other = next(k for k in ("smart scale", "glucose meter", "heart rate monitor") if k not in kinds)
    calls = [{"patient_id": device.patient, "kind": kind, "serial": "ZZ1"} for kind in (other, device.kind)]
    kept_and_broken(telehealth, world, device.patient, "few_devices", "enroll_device", *calls)


def test_hand_offs_have_their_reasons(telehealth: Domain, world: World) -> None:
    def keeps(rule_id: str, reason: str, context: Context) -> bool:
        rule = next(rule for rule in telehealth.rules if rule.id == rule_id)
        return rule.check(context, telehealth.tools[TRANSFER].bind({"reason": reason}))

    holder = first(world, Prescription, lambda p: p.controlled and p.status == "active").patient
    rows = groupby(sorted(world.all(Prescription), key=lambda p: p.patient), key=lambda p: p.patient)
    without = next(key for key, own in rows if not any(p.controlled for p in own))
    found, opened = Done("find_patient_by_email", {}, True, holder), Done("get_patient", {}, True, None)
    assert keeps("lost_controlled_only", "lost_controlled", Context(world, customers=[holder]))
    assert not keeps("lost_controlled_only", "lost_controlled", Context(world, customers=[without]))
    assert keeps("questions_after_identification", "clinical_question", Context(world, customers=[holder]))
    assert not keeps("questions_after_identification", "clinical_question", Context(world))
    assert keeps("emergencies_at_once", "emergency", Context(world, [found]))
    assert not keeps("emergencies_at_once", "emergency", Context(world, [found, opened]))
