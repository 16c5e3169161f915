"""Questions whose answer has to be worked out."""

from tau_emotion_gym.kit import (
    Call,
    Fact,
    Goal,
    Kind,
    Output,
    Script,
    Situation,
    calculation,
    capital,
    counted,
    long_date,
    one_of,
    plus,
    usd,
    yours,
)
from tau_emotion_gym.world import money

from ..records import Appointment, Device, Opening, Prescription, Provider
from ..terms import refill_copay, runs_out, today
from .grounding import (
    appointments_call,
    chart_call,
    device_named,
    fitting_providers,
    medicine_words,
    prescriptions_call,
    slots_call,
    when,
)
from .visits import DOCTORS
from .wording import wish

MOST_QUOTES = 5


@wish(Kind.INFORM, weight=2)
def paid_for_visits(s: Situation) -> Goal | None:
    """What the account paid for visits this year."""
    year = today(s.world)[:4]
    copays = [
        visit.copay
        for visit in s.world.where(Appointment, "patient", s.customer.id)
        if visit.status == "completed" and visit.day.startswith(year)
    ]
    if len(copays) < 2:
        return None
    total = money(sum(copays))
    return Goal(
        calls=(appointments_call(s), calculation(plus(copays))),
        outputs=(Output("money", str(total)),),
        script=Script(report=f"Your copays for this year's completed visits come to {usd(total)} in all."),
    )


def _active(s: Situation) -> list[Prescription]:
    return [one for one in s.world.where(Prescription, "patient", s.customer.id) if one.status == "active"]


@wish(Kind.INFORM, weight=2)
def cost_of_refills(s: Situation) -> Goal | None:
    """What one refill of everything would cost."""
    found = _active(s)
    if not 2 <= len(found) <= MOST_QUOTES:
        return None
    copays = [refill_copay(s.world, one) for one in found]
    total = money(sum(copays))
    return Goal(
        calls=(
            prescriptions_call(s),
            *(Call("quote_copay", {"prescription_id": one.id}) for one in found),
            calculation(plus(copays)),
        ),
        outputs=(Output("money", str(total)),),
        script=Script(
            report=f"Ordering each of the {len(found)} active prescriptions on the account once costs {usd(total)} "
            f"in copays."
        ),
    )


@wish(Kind.INFORM, weight=2)
def first_to_run_out(s: Situation) -> Goal | None:
    """When the first of the medicines runs out."""
    found = sorted(_active(s), key=runs_out)
    if len(found) < 2 or runs_out(found[0]) == runs_out(found[1]):
        return None
    first = found[0]
    return Goal(
        calls=(prescriptions_call(s),),
        outputs=(Output("date", runs_out(first)),),
        script=Script(
            report=f"{capital(yours(medicine_words(s.world, first)))} runs out first, on {long_date(runs_out(first))}."
        ),
    )


def _device(s: Situation) -> Device | None:
    devices = s.world.where(Device, "patient", s.customer.id)
    devices = [device for device in devices if device.readings]
    return one_of(s, devices)


def _telemetry(s: Situation, device: Device) -> tuple[Call, Call]:
    return chart_call(s), Call("get_telemetry", {"device_id": device.id})


@wish(Kind.INFORM)
def highest_reading(s: Situation) -> Goal | None:
    """On which day a device measured its highest reading."""
    device = _device(s)
    if device is None:
        return None
    top = max(device.readings, key=lambda reading: reading.value)
    named = device_named(s, device)
    return Goal(
        fill={"device": named.words},
        facts=(named.fact,),
        calls=_telemetry(s, device),
        outputs=(Output("date", top.day),),
        script=Script(
            report=f"The highest reading of {yours(named.words)} was {top.value}, on {long_date(top.day)}. "
            f"I may not say what that means."
        ),
    )


@wish(Kind.INFORM)
def flagged_readings(s: Situation) -> Goal | None:
    """How many of a device's readings lie above the alert level."""
    device = _device(s)
    if device is None:
        return None
    number = sum(reading.value > device.alert_above for reading in device.readings)
    if not number:
        return None
    named = device_named(s, device)
    return Goal(
        fill={"device": named.words},
        facts=(named.fact,),
        calls=_telemetry(s, device),
        outputs=(Output("count", str(number), noun="reading"),),
        script=Script(
            report=f"{capital(counted(number, 'reading'))} of {yours(named.words)} lay above the alert level of "
            f"{device.alert_above}."
        ),
    )


@wish(Kind.INFORM, weight=2)
def soonest_slot(s: Situation) -> Goal | None:
    """The soonest day on which any fitting doctor is free."""
    provider = s.draw.pick(list(s.world.base.tables[Provider].values()))
    assert isinstance(provider, Provider)
    if provider.specialty == "pediatrics" or len(provider.languages) < 2:
        return None
    language = s.draw.pick(provider.languages[1:])
    rivals = fitting_providers(s.world, provider.specialty, language)
    openings = [opening for rival in rivals for opening in s.world.where(Opening, "provider", rival.id)]
    if len(rivals) < 2 or not openings:
        return None
    first = min(openings, key=lambda one: (one.day, one.time, one.id))
    name = next(rival.name for rival in rivals if rival.id == first.provider)
    doctor = DOCTORS[provider.specialty]
    return Goal(
        fill={"doctor": doctor, "language": language},
        facts=(Fact("specialty", provider.specialty, doctor), Fact("language", language)),
        calls=(
            Call("find_providers", {"specialty": provider.specialty, "language": language}),
            *(slots_call(rival.id) for rival in rivals),
        ),
        outputs=(Output("date", first.day),),
        script=Script(report=f"The soonest free slot is on {when(first)}, with {name}."),
    )
