"""Wishes for new trips."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.connections import cheapest_connection, unjoined
from tau_emotion_gym.domains.airline.intents.grounding import (
    CABIN_WORDS,
    Option,
    amount_output,
    card_of,
    clock,
    gift_card_of,
    my_method,
    options,
    other_day,
    pay_with,
    search_call,
    tried,
    wanted,
)
from tau_emotion_gym.domains.airline.intents.passengers import as_arguments, own_details
from tau_emotion_gym.domains.airline.intents.wording import wish
from tau_emotion_gym.domains.airline.network import cities, network
from tau_emotion_gym.domains.airline.records import Cabin, Certificate, Passenger
from tau_emotion_gym.kit import (
    Call,
    Fact,
    Goal,
    Kind,
    Script,
    Situation,
    calculation,
    counted,
    listed,
    long_date,
    short_date,
    usd,
    yours,
)

CABINS: tuple[Cabin, ...] = ("basic_economy", "economy", "business")


class _Plan(NamedTuple):
    """What is booked: the flights of one day, their words, the search, the cabin and who travels."""

    flights: Sequence[Option]
    words: str
    search: Call
    date: str
    cabin: Cabin
    party: tuple[Passenger, ...]


@wish(Kind.FULFIL, weight=3)
def book_trip(s: Situation) -> Goal | None:
    """A direct one-way trip, paid with one method or with a certificate and a card."""
    plan = tried(lambda: _direct(s))
    return None if plan is None else _booking(s, plan)


def _direct(s: Situation) -> _Plan | None:
    ends = s.draw.pick(network().routes).ends
    start, end = ends if s.draw.chance(0.5) else ends[::-1]
    iso = other_day(s, "")
    cabin, party = _cabin(s), _party(s)
    choice = wanted(s, options(s.world, f"{start}-{end}", iso), cabin, len(party))
    if choice is None:
        return None
    search = search_call(f"{start}-{end}", iso)
    return _Plan((choice.option,), choice.words, search, iso, cabin, party)


@wish(Kind.FULFIL)
def book_connection(s: Situation) -> Goal | None:
    """A one-way trip between cities that no direct flight joins, by the cheapest connection."""
    plan = tried(lambda: _connecting(s))
    return None if plan is None else _booking(s, plan)


def _connecting(s: Situation) -> _Plan | None:
    start, end = s.draw.pick(unjoined())
    iso = other_day(s, "")
    cabin, party = _cabin(s), _party(s)
    flights = cheapest_connection(s.world, start, end, iso, cabin, len(party))
    if flights is None:
        return None
    search = Call("search_one_stop_flights", {"origin": start, "destination": end, "date": iso})
    return _Plan(flights, "the cheapest connection", search, iso, cabin, party)


def _cabin(s: Situation) -> Cabin:
    return s.draw.weighted(CABINS, (2, 5, 3))


def _party(s: Situation) -> tuple[Passenger, ...]:
    """The customer, alone or with a companion."""
    return (own_details(s.customer), *s.draw.sample(s.customer.companions, s.draw.below(2)))


def _booking(s: Situation, plan: _Plan) -> Goal:
    count, names = len(plan.party), cities()
    start, end = plan.flights[0].flight.origin, plan.flights[-1].flight.destination
    free = terms.free_bags(s.customer.tier, plan.cabin, count)
    bags = s.draw.between(0, min(free + 2, terms.MOST_BAGS * count, 4))
    extra = max(0, bags - free)
    insured = s.draw.chance(0.3)
    expression, total = _price(plan, extra, insured)
    paying = _payments(s, total)
    who = [passenger.first_name for passenger in plan.party[1:]]
    fill = {
        "origin": names[start],
        "destination": names[end],
        "when": short_date(plan.date),
        "flight": plan.words,
        "cabin": CABIN_WORDS[plan.cabin],
        "who": f"{listed(who)} and me" if who else "just me",
        "bags": counted(bags, "checked bag") if bags else "no checked bags",
        "insurance": "travel insurance" if insured else "no insurance",
    }
    arguments = {
        "customer_id": s.customer.id,
        "flights": [{"flight_number": o.flight.number, "date": plan.date} for o in plan.flights],
        "cabin": plan.cabin,
        "passengers": as_arguments(plan.party),
        "bags": bags,
        "paid_bags": extra,
        "insurance": "yes" if insured else "no",
        "payments": paying.payments,
    }
    bag_sum = (calculation(f"{bags} - {free}"),) if extra else ()
    return Goal(
        fill=fill,
        facts=(
            Fact("origin", start, fill["origin"]),
            Fact("destination", end, fill["destination"]),
            Fact("date", plan.date, fill["when"]),
            Fact("flight", plan.flights[0].flight.number, fill["flight"]),
            Fact("cabin", plan.cabin, fill["cabin"]),
            Fact("passengers", who[0] if who else s.customer.first_name, fill["who"]),
            Fact("bags", str(bags), fill["bags"]),
            Fact("insurance", "yes" if insured else "no", fill["insurance"]),
            paying.fact,
        ),
        calls=(
            Call("list_airports", {}),
            plan.search,
            *bag_sum,
            calculation(expression),
            *paying.sums,
            Call("book_reservation", arguments),
        ),
        outputs=amount_output(total),
        script=_script(plan, fill, total, paying.words),
    )


def _price(plan: _Plan, extra: int, insured: bool) -> tuple[str, Decimal]:
    """The total as an expression, and its value."""
    count = len(plan.party)
    fares = [terms.fare(option.day, plan.cabin) for option in plan.flights]
    parts = [f"{fare} * {count}" for fare in fares]
    total = sum(fares, terms.BAG_FEE * 0) * count + terms.BAG_FEE * extra
    if extra:
        parts.append(f"{terms.BAG_FEE} * {extra}")
    if insured:
        total += terms.INSURANCE_PRICE * count
        parts.append(f"{terms.INSURANCE_PRICE} * {count}")
    return " + ".join(parts), total


def _script(plan: _Plan, fill: dict[str, str], total: Decimal, paid: str) -> Script:
    numbers = listed([f"{o.flight.number} at {clock(o.flight.departs)}" for o in plan.flights])
    cover = "without insurance" if fill["insurance"] == "no insurance" else "with travel insurance"
    people = listed([f"{p.first_name} {p.last_name}" for p in plan.party])
    return Script(
        propose=f"I will book {numbers} from {fill['origin']} to {fill['destination']} on {long_date(plan.date)} in "
        f"{fill['cabin']} for {people}, with {fill['bags']} and {cover}, for {usd(total)} in total, paid with {paid}.",
        report=f"Your trip to {fill['destination']} on {long_date(plan.date)} has been booked. "
        f"The price is {usd(total)} in total.",
    )


class _Paying(NamedTuple):
    """How a booking is paid: the customer's choice, the agent's words, the tool's argument, the sums."""

    fact: Fact
    words: str
    payments: list[dict[str, object]]
    sums: tuple[Call, ...] = ()


def _payments(s: Situation, total: Decimal) -> _Paying:
    """A certificate and a card for the rest where the customer has one certificate, or a single method."""
    certificates = s.world.where(Certificate, "customer_id", s.customer.id)
    card = card_of(s)
    if len(certificates) == 1 and certificates[0].amount < total and s.draw.chance(0.5):
        certificate = certificates[0]
        words = f"my travel certificate for the booking and, for the rest, {my_method(s.customer, card)}"
        return _Paying(
            Fact("payment_method", certificate.id, words),
            yours(words),
            [_payment(certificate.id, certificate.amount), _payment(card.id, total - certificate.amount)],
            (calculation(f"{total} - {certificate.amount}"),),
        )
    gift = gift_card_of(s.customer)
    suffices = gift is not None and (gift.balance or 0) >= total
    payer = pay_with(s, gift if gift is not None and suffices and s.draw.chance(0.5) else card, "booking")
    return _Paying(payer.fact, payer.words, [_payment(payer.method.id, total)])


def _payment(method: str, amount: Decimal) -> dict[str, object]:
    return {"payment_method_id": method, "amount": float(amount)}
