"""Wishes to change, insure, load or cancel a reservation."""

from decimal import Decimal

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.grounding import (
    CABIN_WORDS,
    Payer,
    able_to_pay,
    amount_output,
    clock,
    my_method,
    pay_with,
    point_at,
    settled,
    settlement,
    status_calls,
    untouched,
    upcoming,
)
from tau_emotion_gym.domains.airline.intents.quotes import Move, cabin_difference, next_cabin, outbound_move, seats_in
from tau_emotion_gym.domains.airline.intents.reasons import REASON_WORDS, reason_fact
from tau_emotion_gym.domains.airline.intents.wording import wish
from tau_emotion_gym.domains.airline.records import Cabin, PaymentMethod, Reservation
from tau_emotion_gym.kit import (
    Call,
    Fact,
    Goal,
    Kind,
    Pointer,
    Script,
    Situation,
    calculation,
    counted,
    listed,
    long_date,
    one_of,
    plus,
    short_date,
    usd,
    yours,
)
from tau_emotion_gym.world import money


@wish(Kind.FULFIL, weight=2)
def cancel_trip(s: Situation) -> Goal | None:
    """A cancellation that the policy allows."""
    trip = one_of(s, [trip for trip in untouched(s) if _can_cancel(s, trip)])
    if trip is None:
        return None
    reason = reason_fact(s, trip)
    refunds = terms.refundable(s.world, trip)
    amounts = list(refunds.values())
    back = sum(amounts, money(0))
    paid = listed(
        [yours(my_method(s.customer, method)) for method in s.customer.payment_methods if method.id in refunds]
    )
    pointer = point_at(s, trip)
    checks = status_calls(trip.legs) if reason.value == "airline_cancelled" else ()
    sums = (calculation(plus(amounts)),) if len(amounts) > 1 else ()
    words = REASON_WORDS[reason.value]
    return Goal(
        fill={"trip": pointer.words, "why": reason.say},
        facts=(*pointer.facts, reason),
        calls=(
            *pointer.calls,
            *checks,
            *sums,
            Call("cancel_reservation", {"reservation_id": trip.id, "reason": reason.value}),
        ),
        outputs=amount_output(back),
        script=Script(
            propose=f"I will cancel reservation {trip.id} because of {words} and refund {usd(back)} to {paid}.",
            report=f"Reservation {trip.id} has been cancelled, and {usd(back)} goes back to {paid}.",
        ),
    )


def _can_cancel(s: Situation, trip: Reservation) -> bool:
    if trip.status != "active" or trip.legs[0].date <= s.world.now.date().isoformat():
        return False
    if terms.flown(s.world, trip) or not terms.refundable(s.world, trip):
        return False
    return any(terms.cancellable(s.world, trip, reason) for reason in ("change_of_plans", "illness"))


@wish(Kind.FULFIL, weight=2)
def move_flights(s: Situation) -> Goal | None:
    """Another flight on another day."""
    trip = one_of(s, [trip for trip in upcoming(s) if trip.cabin != "basic_economy"])
    move = None if trip is None else outbound_move(s, trip)
    if trip is None or move is None:
        return None
    pointer = point_at(s, trip)
    method = able_to_pay(s, move.quote.due)
    pay = pay_with(s, method, "flight change")
    return Goal(
        fill={
            "trip": pointer.words,
            "when": short_date(move.date),
            "flight": move.wanted.words,
            "payment": pay.fact.say,
        },
        facts=(*pointer.facts, *flight_facts(move), pay.fact),
        calls=(*pointer.calls, *move.calls, move_call(trip, move, method)),
        outputs=amount_output(abs(move.quote.due)),
        script=move_script(trip, move, pay),
    )


def flight_facts(move: Move) -> tuple[Fact, Fact]:
    """The new day and flight as the customer knows them."""
    number = move.wanted.option.flight.number
    return Fact("date", move.date, short_date(move.date)), Fact("flight", number, move.wanted.words)


def move_call(trip: Reservation, move: Move, method: PaymentMethod) -> Call:
    """The write of a move."""
    return Call(
        "change_flights",
        {"reservation_id": trip.id, "flights": move.flights, "payment_method_id": method.id},
    )


def move_script(trip: Reservation, move: Move, pay: Payer, refuse: str = "") -> Script:
    """What the reference agent says about a move."""
    flight = move.wanted.option.flight
    target = f"{flight.number} on {long_date(move.date)} at {clock(flight.departs)}"
    return Script(
        propose=f"I will change the flight of reservation {trip.id} to {target} and "
        f"{settlement(move.quote.due, pay.words)}.",
        report=f"The flights of reservation {trip.id} have been changed: you now leave with {target}. "
        f"{settled(move.quote.due, pay.words)}",
        refuse=refuse,
    )


@wish(Kind.FULFIL, weight=2)
def upgrade_cabin(s: Situation) -> Goal | None:
    """A higher cabin for everybody on a trip."""
    trip = one_of(s, upgradable(s))
    if trip is None:
        return None
    return upgrade(s, trip, point_at(s, trip))


def upgradable(s: Situation) -> list[Reservation]:
    """The coming trips with seats for everybody in business class."""
    return [trip for trip in upcoming(s) if trip.cabin != "business" and seats_in(s.world, trip, "business")]


def upgrade(s: Situation, trip: Reservation, pointer: Pointer) -> Goal | None:
    """A higher cabin on this trip, or None when seats lack or it is not dearer."""
    cabin = next_cabin(s, trip)
    expression, due = cabin_difference(s.world, trip, cabin)
    if due <= 0 or not seats_in(s.world, trip, cabin):
        return None
    method = able_to_pay(s, due)
    pay = pay_with(s, method, "upgrade")
    words = CABIN_WORDS[cabin]
    return Goal(
        fill={"trip": pointer.words, "cabin": words, "payment": pay.fact.say},
        facts=(*pointer.facts, Fact("cabin", cabin, words), pay.fact),
        calls=upgrade_calls(trip, pointer, expression, cabin, method),
        outputs=amount_output(due),
        script=upgrade_script(trip, words, due, pay),
    )


def upgrade_script(trip: Reservation, cabin: str, due: Decimal, pay: Payer, refuse: str = "") -> Script:
    """What the reference agent says about a higher cabin."""
    return Script(
        propose=f"I will upgrade reservation {trip.id} to {cabin} for everybody and charge {usd(due)} to {pay.words}.",
        report=f"Reservation {trip.id} has been upgraded to {cabin}. {usd(due)} was charged to {pay.words}.",
        refuse=refuse,
    )


def upgrade_calls(
    trip: Reservation, pointer: Pointer, expression: str, cabin: Cabin, method: PaymentMethod
) -> tuple[Call, ...]:
    """The look-ups, the sum and the write of another cabin."""
    arguments = {"reservation_id": trip.id, "cabin": cabin, "payment_method_id": method.id}
    return (
        *pointer.calls,
        *status_calls(trip.legs),
        calculation(expression),
        Call("change_cabin", arguments),
    )


@wish(Kind.FULFIL, weight=2)
def add_bags(s: Situation) -> Goal | None:
    """More checked bags, some of them beyond the allowance."""
    trip = one_of(s, upcoming(s))
    if trip is None:
        return None
    return more_bags(s, trip, point_at(s, trip), s.draw.between(1, 3))


def more_bags(s: Situation, trip: Reservation, pointer: Pointer, added: int) -> Goal | None:
    """So many more bags on this trip; None when that is too many."""
    count = len(trip.passengers)
    total = trip.bags + added
    if total > terms.MOST_BAGS * count:
        return None
    free = terms.free_bags(s.customer.tier, trip.cabin, count)
    extra = max(0, total - free - trip.paid_bags)
    words = counted(added, "more checked bag")
    fact = Fact("bags", str(added), words)
    fee = terms.BAG_FEE * extra
    arguments = {"reservation_id": trip.id, "added_bags": added, "paid_bags": extra}
    if not extra:
        return Goal(
            fill={"trip": pointer.words, "bags": words, "payment": ""},
            facts=(*pointer.facts, fact),
            calls=(*pointer.calls, Call("add_bags", arguments)),
            script=Script(
                propose=f"I will add {words} to reservation {trip.id}, free of charge.",
                report=f"I have added {words} to reservation {trip.id}, free of charge.",
            ),
        )
    method = able_to_pay(s, fee)
    pay = pay_with(s, method, "bags")
    spent = f" - {trip.paid_bags}" if trip.paid_bags else ""
    return Goal(
        fill={"trip": pointer.words, "bags": words, "payment": pay.fact.say},
        facts=(*pointer.facts, fact, pay.fact),
        calls=(
            *pointer.calls,
            calculation(f"{trip.bags} + {added} - {free}{spent}"),
            Call("add_bags", {**arguments, "payment_method_id": method.id}),
        ),
        outputs=amount_output(fee),
        script=Script(
            propose=f"I will add {words} to reservation {trip.id} and charge {usd(fee)} to {pay.words}.",
            report=f"I have added {words} to reservation {trip.id}. {usd(fee)} was charged to {pay.words}.",
        ),
    )


@wish(Kind.FULFIL)
def add_insurance(s: Situation) -> Goal | None:
    """Insurance for a trip that was booked within the last day."""
    trips = [trip for trip in upcoming(s) if trip.insurance == "no" and terms.recent(s.world, trip)]
    trip = one_of(s, trips)
    if trip is None:
        return None
    pointer = point_at(s, trip)
    count = len(trip.passengers)
    price = terms.INSURANCE_PRICE * count
    method = able_to_pay(s, price)
    pay = pay_with(s, method, "insurance")
    call = Call("add_insurance", {"reservation_id": trip.id, "payment_method_id": method.id})
    return Goal(
        fill={"trip": pointer.words, "payment": pay.fact.say},
        facts=(*pointer.facts, pay.fact),
        calls=(*pointer.calls, calculation(f"{terms.INSURANCE_PRICE} * {count}"), call),
        outputs=amount_output(price),
        script=Script(
            propose=f"I will add travel insurance to reservation {trip.id} for {usd(price)}, charged to {pay.words}.",
            report=f"Travel insurance has been added to reservation {trip.id}. {usd(price)} was charged to "
            f"{pay.words}.",
        ),
    )
