"""Wishes that cannot be granted as they are, with a second best that can."""

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.changes import (
    flight_facts,
    move_call,
    move_script,
    upgradable,
    upgrade_calls,
    upgrade_script,
)
from tau_emotion_gym.domains.airline.intents.grounding import (
    CABIN_WORDS,
    Option,
    Wanted,
    able_to_pay,
    amount_output,
    card_of,
    clock,
    days_until,
    gift_card_of,
    options,
    other_day,
    pay_with,
    point_at,
    upcoming,
)
from tau_emotion_gym.domains.airline.intents.quotes import (
    Move,
    cabin_difference,
    move_to,
    next_cabin,
    outbound_move,
    seats_in,
)
from tau_emotion_gym.domains.airline.intents.reasons import said_reason
from tau_emotion_gym.domains.airline.intents.wording import wish
from tau_emotion_gym.domains.airline.records import Cabin, Certificate, Reservation
from tau_emotion_gym.kit import (
    Call,
    Fact,
    Goal,
    Kind,
    Output,
    Script,
    Situation,
    calculation,
    counted,
    long_date,
    one_of,
    short_date,
    usd,
)


@wish(Kind.CONDITIONAL)
def upgrade_by_gift_card(s: Situation) -> Goal | None:
    """A higher cabin paid with a gift card that does not suffice; else with a card."""
    gift = gift_card_of(s.customer)
    if gift is None or gift.balance is None:
        return None
    trip = one_of(s, upgradable(s))
    if trip is None:
        return None
    cabin = next_cabin(s, trip)
    expression, due = cabin_difference(s.world, trip, cabin)
    if due <= gift.balance or not seats_in(s.world, trip, cabin):
        return None
    card = card_of(s)
    pay = pay_with(s, card, "upgrade")
    pointer = point_at(s, trip)
    words = CABIN_WORDS[cabin]
    return Goal(
        fill={"trip": pointer.words, "cabin": words, "payment": pay.fact.say},
        facts=(*pointer.facts, Fact("cabin", cabin, words), pay.fact),
        calls=upgrade_calls(trip, pointer, expression, cabin, card),
        outputs=amount_output(due),
        script=upgrade_script(
            trip,
            words,
            due,
            pay,
            f"I can't charge this to your gift card, because {words} costs {usd(due)} more and the balance is only "
            f"{usd(gift.balance)}.",
        ),
        insists=s.draw.below(2),
    )


@wish(Kind.CONDITIONAL)
def cancel_or_move(s: Situation) -> Goal | None:
    """A cancellation that the fare does not allow; else another day."""
    trip = one_of(s, [trip for trip in upcoming(s) if trip.cabin == "economy" and not_cancellable(s, trip)])
    move = None if trip is None else outbound_move(s, trip)
    if trip is None or move is None:
        return None
    pointer = point_at(s, trip)
    reason = said_reason(s, "change_of_plans")
    method = able_to_pay(s, move.quote.due)
    pay = pay_with(s, method, "flight change")
    return Goal(
        fill={
            "trip": pointer.words,
            "why": reason.say,
            "when": short_date(move.date),
            "flight": move.wanted.words,
            "payment": pay.fact.say,
        },
        facts=(*pointer.facts, reason, *flight_facts(move), pay.fact),
        calls=(*pointer.calls, *move.calls, move_call(trip, move, method)),
        outputs=(booking_day(trip), *amount_output(abs(move.quote.due))),
        script=move_script(trip, move, pay, refuse=too_late_to_cancel(trip)),
        insists=s.draw.below(2),
    )


def not_cancellable(s: Situation, trip: Reservation) -> bool:
    """Whether a change of plans does not allow a cancellation."""
    return not terms.cancellable(s.world, trip, "change_of_plans")


def booking_day(trip: Reservation) -> Output:
    """The day on which a trip was booked, as something to be told."""
    return Output("date", trip.booked_at[:10])


def too_late_to_cancel(trip: Reservation) -> str:
    """The refusal of a cancellation."""
    cover = "travel insurance does not cover this reason" if trip.insurance == "yes" else "it has no insurance"
    return (
        f"I can't cancel reservation {trip.id}, because you booked it on {long_date(trip.booked_at)}, more than "
        f"24 hours ago, it is in {CABIN_WORDS[trip.cabin]}, and {cover}."
    )


@wish(Kind.CONDITIONAL)
def full_flight(s: Situation) -> Goal | None:
    """A flight that is sold out on the wanted day; else another one of that day."""
    trip = one_of(s, [t for t in upcoming(s) if t.cabin != "basic_economy" and _direct(t)])
    if trip is None:
        return None
    found = _full_and_free(s, trip)
    if found is None:
        return None
    move, full = found
    pointer = point_at(s, trip)
    method = able_to_pay(s, move.quote.due)
    pay = pay_with(s, method, "flight change")
    leaves, left = clock(full.flight.departs), terms.seats(full.day, trip.cabin)
    seats = "no seats are" if left == 0 else f"only {counted(left, 'seat')} {'is' if left == 1 else 'are'}"
    party = counted(len(trip.passengers), "passenger")
    return Goal(
        fill={
            "trip": pointer.words,
            "when": short_date(move.date),
            "full": leaves,
            "flight": move.wanted.words,
            "payment": pay.fact.say,
        },
        facts=(*pointer.facts, *flight_facts(move), pay.fact),
        calls=(*pointer.calls, *move.calls, move_call(trip, move, method)),
        outputs=amount_output(abs(move.quote.due)),
        script=move_script(
            trip,
            move,
            pay,
            refuse=f"I can't put you on the flight at {leaves} on {long_date(move.date)}, because {seats} left in "
            f"{CABIN_WORDS[trip.cabin]} and your reservation is for {party}.",
        ),
        insists=s.draw.below(2),
    )


def _direct(trip: Reservation) -> bool:
    return len(trip.legs) == (2 if trip.trip == "round_trip" else 1)


def _full_and_free(s: Situation, trip: Reservation) -> tuple[Move, Option] | None:
    """A move to a flight on a day on which another flight of the route is full."""
    first, count = trip.legs[0], len(trip.passengers)
    last = days_until(s, trip.legs[1].date) - 1 if trip.legs[1:] else 13
    if last < 2:
        return None
    for _ in range(4):
        iso = other_day(s, "", last)
        found = options(s.world, f"{first.origin}-{first.destination}", iso)
        full = [option for option in found if terms.seats(option.day, trip.cabin) < count]
        free = [option for option in found if terms.seats(option.day, trip.cabin) >= count]
        if iso != first.date and full and free:
            other = s.draw.pick(free)
            choice = Wanted(other, f"the flight that leaves at {clock(other.flight.departs)}")
            move = move_to(trip, iso, choice)
            if move.quote.due:
                return move, s.draw.pick(full)
    return None


@wish(Kind.CONDITIONAL)
def move_basic_or_upgrade(s: Situation) -> Goal | None:
    """Other flights on a basic fare; else economy, whose flights can be changed later."""
    trip = one_of(s, [trip for trip in upcoming(s) if trip.cabin == "basic_economy"])
    if trip is None:
        return None
    cabin: Cabin = "economy"
    expression, due = cabin_difference(s.world, trip, cabin)
    if due <= 0 or not seats_in(s.world, trip, cabin):
        return None
    method = able_to_pay(s, due)
    pay = pay_with(s, method, "upgrade")
    pointer = point_at(s, trip)
    when = short_date(other_day(s, trip.legs[0].date))
    return Goal(
        fill={"trip": pointer.words, "when": when, "cabin": "economy", "payment": pay.fact.say},
        facts=(*pointer.facts, Fact("cabin", cabin, "economy"), pay.fact),
        calls=upgrade_calls(trip, pointer, expression, cabin, method),
        outputs=amount_output(due),
        script=upgrade_script(
            trip,
            "economy",
            due,
            pay,
            f"I can't move reservation {trip.id} to another day, because it is in basic economy and the policy does "
            "not allow other flights for that fare.",
        ),
        insists=s.draw.below(2),
    )


@wish(Kind.CONDITIONAL)
def bags_by_certificate(s: Situation) -> Goal | None:
    """Bags paid with a travel certificate, which pays for bookings only; else with a card."""
    if not s.world.where(Certificate, "customer_id", s.customer.id):
        return None
    trip = one_of(s, upcoming(s))
    if trip is None:
        return None
    count, added = len(trip.passengers), s.draw.between(2, 4)
    free = terms.free_bags(s.customer.tier, trip.cabin, count)
    extra = trip.bags + added - free - trip.paid_bags
    if extra < 1 or extra > added or trip.bags + added > terms.MOST_BAGS * count:
        return None
    fee = terms.BAG_FEE * extra
    card = card_of(s)
    pay = pay_with(s, card, "bags")
    pointer = point_at(s, trip)
    words = counted(added, "more checked bag")
    arguments = {
        "reservation_id": trip.id,
        "added_bags": added,
        "paid_bags": extra,
        "payment_method_id": card.id,
    }
    spent = f" - {trip.paid_bags}" if trip.paid_bags else ""
    return Goal(
        fill={"trip": pointer.words, "bags": words, "payment": pay.fact.say},
        facts=(*pointer.facts, Fact("bags", str(added), words), pay.fact),
        calls=(
            *pointer.calls,
            calculation(f"{trip.bags} + {added} - {free}{spent}"),
            Call("add_bags", arguments),
        ),
        outputs=amount_output(fee),
        script=Script(
            propose=f"I will add {words} to reservation {trip.id} and charge {usd(fee)} to {pay.words}.",
            report=f"I have added {words} to reservation {trip.id}. {usd(fee)} was charged to {pay.words}.",
            refuse="I can't take a travel certificate for bags, because the policy allows certificates for new "
            "reservations only.",
        ),
        insists=s.draw.below(2),
    )
