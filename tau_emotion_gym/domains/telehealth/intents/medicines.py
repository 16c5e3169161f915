"""Wishes about prescriptions and suppliers that are granted as they are."""

from tau_emotion_gym.kit import (
    Call,
    Goal,
    Kind,
    Named,
    Output,
    Script,
    Situation,
    days_after,
    either_case,
    fresh,
    long_date,
    one_of,
    yours,
)

from ..records import Prescription, Supplier
from ..terms import today
from .grounding import (
    active,
    medicine_named,
    prescriptions_call,
    refillable,
    supplier_fact,
    suppliers_call,
    takers,
)
from .wording import wish


def check_call(prescription: Prescription) -> Call:
    """Check a prescription's interactions."""
    return Call("check_interactions", {"prescription_id": prescription.id})


@wish(Kind.FULFIL, weight=3)
def refill(s: Situation) -> Goal | None:
    """Order a refill."""
    ready = [one for one in active(s) if refillable(s.world, one)]
    if not ready:
        return None
    prescription = s.draw.pick(ready)
    return refilled(s, prescription, medicine_named(s, prescription))


def refilled(s: Situation, prescription: Prescription, named: Named) -> Goal:
    """A refill at the prescription's present supplier."""
    supplier = s.world.get(Supplier, prescription.supplier)
    assert supplier is not None
    ready = days_after(today(s.world), supplier.days)
    medicine = f"{prescription.medicine} {prescription.strength}"
    return Goal(
        fill=either_case("medicine", named.words),
        facts=(named.fact,),
        calls=(
            prescriptions_call(s),
            check_call(prescription),
            Call("refill_prescription", {"prescription_id": prescription.id}),
        ),
        outputs=(Output("date", ready),),
        script=Script(
            propose=f"I will order a refill of {yours(named.words)} from {supplier.name}.",
            report=f"The refill of {medicine} has been ordered from {supplier.name} and will be ready on "
            f"{long_date(ready)}.",
        ),
    )


@wish(Kind.FULFIL, weight=2)
def transfer(s: Situation) -> Goal | None:
    """Send a prescription to another supplier."""
    found = active(s)
    if not found:
        return None
    prescription = s.draw.pick(found)
    fitting, _ = takers(s, prescription)
    if not fitting:
        return None
    supplier = s.draw.pick(fitting)
    named = medicine_named(s, prescription)
    return Goal(
        fill={**either_case("medicine", named.words), "supplier": supplier.name},
        facts=(named.fact, supplier_fact(supplier)),
        calls=(prescriptions_call(s), suppliers_call(supplier), transfer_call(prescription, supplier)),
        script=transfer_script(prescription, supplier),
    )


def transfer_call(prescription: Prescription, supplier: Supplier) -> Call:
    """Send a prescription to a supplier."""
    arguments = {"prescription_id": prescription.id, "supplier_id": supplier.id}
    return Call("transfer_prescription", arguments)


def transfer_script(prescription: Prescription, supplier: Supplier, refuse: str = "") -> Script:
    """What the agent says about a transfer."""
    medicine = f"{prescription.medicine} {prescription.strength}"
    return Script(
        propose=f"I will send the prescription for {medicine} to {supplier.name}.",
        report=f"The prescription for {medicine} has been sent to {supplier.name}.",
        refuse=refuse,
    )


@wish(Kind.FULFIL)
def new_default_supplier(s: Situation) -> Goal | None:
    """Choose another default supplier."""
    fitting, _ = takers(s)
    supplier = one_of(s, fresh(s, fitting))
    if supplier is None:
        return None
    return Goal(
        fill={"supplier": supplier.name},
        facts=(supplier_fact(supplier),),
        calls=(
            suppliers_call(supplier),
            Call("change_supplier", {"patient_id": s.customer.id, "supplier_id": supplier.id}),
        ),
        script=Script(
            propose=f"I will make {supplier.name} your default supplier for new prescriptions.",
            report=f"{supplier.name} has been set as your default supplier.",
        ),
    )
