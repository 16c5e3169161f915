"""Wishes about appointments that are granted as they are."""

from collections.abc import Sequence
from decimal import Decimal

from tau_emotion_gym.kit import (
    Call,
    Fact,
    Goal,
    Kind,
    Named,
    Output,
    Script,
    Situation,
    calculation,
    either_case,
    short_date,
    usd,
    yours,
)
from tau_emotion_gym.world import World

from ..records import Appointment, Opening, Provider
from ..terms import MOST_MOVES, deposit, is_late, late_fee, today, visit_copay
from .grounding import (
    appointments_call,
    clear_openings,
    fitting_providers,
    half,
    kin,
    may_book,
    slot_facts,
    slots_call,
    upcoming_visits,
    visit_named,
    when,
)
from .wording import wish

DOCTORS = {
    "cardiology": "a cardiologist",
    "dermatology": "a dermatologist",
    "endocrinology": "an endocrinologist",
    "family medicine": "a family doctor",
    "mental health": "a therapist",
    "pediatrics": "a pediatrician",
    "sleep medicine": "a sleep specialist",
}


# --- new visits -----------------------------------------------------------------------------------------


@wish(Kind.FULFIL, weight=3)
def book_visit(s: Situation) -> Goal | None:
    """A visit with a kind of doctor who speaks a language, on a day."""
    if not may_book(s):
        return None
    provider = s.draw.pick(list(s.world.base.tables[Provider].values()))
    assert isinstance(provider, Provider)
    openings = clear_openings(s.world, provider.id)
    if provider.specialty == "pediatrics" or len(provider.languages) < 2:
        return None
    language = s.draw.pick(provider.languages[1:])
    rivals = fitting_providers(s.world, provider.specialty, language)
    taken = _halves(s.world, provider, rivals)
    openings = [opening for opening in openings if (opening.day, half(opening)) not in taken]
    if not openings:
        return None
    opening = s.draw.pick(openings)
    doctor = DOCTORS[provider.specialty]
    facts = (Fact("specialty", provider.specialty, doctor), Fact("language", language), *slot_facts(opening))
    search = Call("find_providers", {"specialty": provider.specialty, "language": language})
    reads = (search, *(slots_call(rival.id) for rival in rivals))
    return booked(s, opening, provider, facts, reads, {"doctor": doctor, "language": language})


def _halves(world: World, provider: Provider, rivals: Sequence[Provider]) -> set[tuple[str, str]]:
    """The halves of days in which another provider among the rivals is free."""
    return {
        (opening.day, half(opening))
        for rival in rivals
        if rival.id != provider.id
        for opening in world.where(Opening, "provider", rival.id)
    }


def booked(
    s: Situation,
    opening: Opening,
    provider: Provider,
    facts: tuple[Fact, ...],
    reads: tuple[Call, ...],
    fill: dict[str, str],
    dependant: str | None = None,
) -> Goal:
    """A booking of an opening, for the patient or a dependant."""
    day, part = slot_facts(opening)
    arguments = {"patient_id": s.customer.id, "slot_id": opening.id}
    if dependant:
        arguments["dependant_id"] = dependant
    copay = visit_copay(s.world, s.customer, provider.visit_fee)
    first = deposit(s.customer, copay)
    taken = f" A deposit of {usd(first)} is taken now, since something is owed." if first else ""
    who = f" for {yours(kin(s.world, dependant))}" if dependant else ""
    return Goal(
        fill={**fill, "day": day.spoken, "part": part.spoken},
        facts=facts,
        calls=(*reads, Call("book_appointment", arguments)),
        outputs=(Output("money", str(copay)),),
        script=Script(
            propose=f"I will book a visit{who} with {provider.name} on {when(opening)}.{taken}",
            report=f"The visit{who} with {provider.name} has been booked for {when(opening)}, with a copay of "
            f"{usd(copay)}.",
        ),
    )


def again(s: Situation, *, family: bool) -> Goal | None:
    """Another visit with the doctor of a past one, for the patient or (`family`) for a dependant."""
    past = [
        visit
        for visit in s.world.where(Appointment, "patient", s.customer.id)
        if visit.status == "completed"
        and (visit.dependant is not None) == family
        and clear_openings(s.world, visit.provider)
    ]
    if not past:
        return None
    visit = s.draw.pick(past)
    openings = clear_openings(s.world, visit.provider)
    provider = s.world.get(Provider, visit.provider)
    assert provider is not None
    opening = s.draw.pick(openings)
    person = kin(s.world, visit.dependant)
    seen = f"who saw {person}" if family else "I saw"
    doctor = f"the doctor {seen} on {short_date(visit.day)}"
    facts = (Fact("past_visit", visit.id, doctor), *slot_facts(opening))
    reads = (appointments_call(s), slots_call(provider.id))
    fill = {"doctor": doctor, **either_case("person", person)}
    return booked(s, opening, provider, facts, reads, fill, visit.dependant)


@wish(Kind.FULFIL, weight=2)
def follow_up(s: Situation) -> Goal | None:
    """Another visit with a doctor whom the patient has seen."""
    return again(s, family=False) if may_book(s) else None


@wish(Kind.FULFIL, weight=3)
def follow_up_for_family(s: Situation) -> Goal | None:
    """Another visit for a dependant with a doctor whom the dependant has seen."""
    return again(s, family=True) if may_book(s) else None


# --- changes --------------------------------------------------------------------------------------------


@wish(Kind.FULFIL, weight=2)
def move_visit(s: Situation) -> Goal | None:
    """Move an upcoming visit to another day; a late one costs a fee."""
    visits = [visit for visit in upcoming_visits(s) if visit.moves < MOST_MOVES]
    if not visits:
        return None
    visit = s.draw.pick(visits)
    openings = [o for o in clear_openings(s.world, visit.provider) if o.day != visit.day]
    if not openings:
        return None
    opening = s.draw.pick(openings)
    named = visit_named(s, visit)
    return moved(s, visit, opening, named, slot_facts(opening))


def moved(s: Situation, visit: Appointment, opening: Opening, named: Named, facts: tuple[Fact, ...]) -> Goal:
    """Moving a visit to an opening, with the late fee where one is due."""
    fee = late_fee(s.world, visit)
    arguments = {"appointment_id": visit.id, "slot_id": opening.id}
    reads = [appointments_call(s), slots_call(visit.provider)]
    if is_late(s.world, visit):
        arguments["late_fee"] = float(fee)  # type: ignore[assignment]
        reads.append(calculation(f"{visit.visit_fee} / 2"))
    return Goal(
        fill=either_case("visit", named.words) | {fact.slot: fact.spoken for fact in facts},
        facts=(named.fact, *facts),
        calls=(*reads, Call("reschedule_appointment", arguments)),
        outputs=(Output("money", str(fee)),) if fee else (),
        script=Script(
            propose=f"I will move {yours(named.words)} to {when(opening)}.{late_words(fee)}",
            report=f"The visit with {visit.provider_name} has been moved to {when(opening)}"
            + (f", and a late fee of {usd(fee)} was added to your balance." if fee else "."),
        ),
    )


def late_words(fee: Decimal) -> str:
    """What a late change costs, as the agent says it before."""
    if not fee:
        return ""
    return f" Because the present time is less than 24 hours away, a late fee of {usd(fee)} goes onto your balance."


@wish(Kind.FULFIL, weight=2)
def cancel_visit(s: Situation) -> Goal | None:
    """Cancel a visit that is more than a day away."""
    visits = [visit for visit in upcoming_visits(s) if not is_late(s.world, visit) and visit.day > today(s.world)]
    if not visits:
        return None
    visit = s.draw.pick(visits)
    named = visit_named(s, visit)
    return Goal(
        fill=either_case("visit", named.words),
        facts=(named.fact,),
        calls=(appointments_call(s), Call("cancel_appointment", {"appointment_id": visit.id})),
        script=Script(
            propose=f"I will cancel {yours(named.words)}, set for {when(visit)}. There is no fee.",
            report=f"The visit with {visit.provider_name} on {when(visit)} has been cancelled without a fee.",
        ),
    )
