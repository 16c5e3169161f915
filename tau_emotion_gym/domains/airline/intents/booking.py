"""Wishes for new trips."""

from decimal import Decimal

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.grounding import (
    CABIN_WORDS,
    Wanted,
    amount_output,
    calculate,
    card_of,
    clock,
    counted,
    day,
    gift_card_of,
    listed,
    method_fact,
    options,
    other_day,
    search_call,
    short_day,
    usd,
    wanted,
    yours,
)
from tau_emotion_gym.domains.airline.intents.passengers import as_arguments, own_details
from tau_emotion_gym.domains.airline.intents.texts import wish
from tau_emotion_gym.domains.airline.network import cities, network
from tau_emotion_gym.domains.airline.records import Cabin, Certificate, Passenger
from tau_emotion_gym.kit import Call, Fact, Goal, Kind, Script, Situation


@wish(Kind.FULFIL, weight=3)
def book_trip(s: Situation) -> Goal | None:
    """A one-way trip, paid with one method or with a certificate and a card."""
    draw = s.draw
    start, end = draw.pick(network().routes).ends
    if draw.chance(0.5):
        start, end = end, start
    iso = other_day(s, "")
    cabin: Cabin = draw.weighted(("basic_economy", "economy", "business"), (2, 5, 3))
    party = (own_details(s.customer), *draw.sample(s.customer.companions, draw.below(2)))
    choice = wanted(s, options(s.world, f"{start}-{end}", iso), cabin, len(party))
    if choice is None:
        return None
    return _booking(s, start, end, iso, cabin, party, choice)


def _booking(
    s: Situation, start: str, end: str, iso: str, cabin: Cabin, party: tuple[Passenger, ...], choice: Wanted
) -> Goal:
    count, names = len(party), cities()
    flight = choice.option.flight
    free = terms.free_bags(s.customer.tier, cabin, count)
    bags = s.draw.between(0, min(free + 2, terms.MOST_BAGS * count, 4))
    extra = max(0, bags - free)
    insured = s.draw.chance(0.3)
    parts = [f"{terms.fare(choice.option.day, cabin)} * {count}"]
    total = terms.fare(choice.option.day, cabin) * count + terms.BAG_FEE * extra
    if extra:
        parts.append(f"{terms.BAG_FEE} * {extra}")
    if insured:
        total += terms.INSURANCE_PRICE * count
        parts.append(f"{terms.INSURANCE_PRICE} * {count}")
    pay_facts, payments, rest_sum = _payments(s, total)
    who = [passenger.first_name for passenger in party[1:]]
    fill = {
        "origin": names[start],
        "destination": names[end],
        "when": short_day(iso),
        "flight": choice.words,
        "cabin": CABIN_WORDS[cabin],
        "who": f"{listed(who)} and me" if who else "just me",
        "bags": counted(bags, "checked bag") if bags else "no checked bags",
        "insurance": "travel insurance" if insured else "no insurance",
    }
    arguments = {
        "customer_id": s.customer.id,
        "flights": [{"flight_number": flight.number, "date": iso}],
        "cabin": cabin,
        "passengers": as_arguments(party),
        "bags": bags,
        "paid_bags": extra,
        "insurance": "yes" if insured else "no",
        "payments": payments,
    }
    bag_sum = (calculate(f"{bags} - {free}"),) if extra else ()
    cover = "with travel insurance" if insured else "without insurance"
    people = listed([f"{p.first_name} {p.last_name}" for p in party])
    paid = " and ".join(yours(fact.say) for fact in pay_facts)
    return Goal(
        fill=fill,
        facts=(
            Fact("origin", start, fill["origin"]),
            Fact("destination", end, fill["destination"]),
            Fact("date", iso, fill["when"]),
            Fact("flight", flight.number, fill["flight"]),
            Fact("cabin", cabin, fill["cabin"]),
            Fact("passengers", who[0] if who else s.customer.first_name, fill["who"]),
            Fact("bags", str(bags), fill["bags"]),
            Fact("insurance", "yes" if insured else "no", fill["insurance"]),
            *pay_facts,
        ),
        calls=(
            Call("list_airports", {}),
            search_call(f"{start}-{end}", iso),
            *bag_sum,
            calculate(" + ".join(parts)),
            *rest_sum,
            Call("book_reservation", arguments),
        ),
        outputs=amount_output(total),
        script=Script(
            propose=f"book {flight.number} from {fill['origin']} to {fill['destination']} on {day(iso)} at "
            f"{clock(flight.departs)} in {fill['cabin']} for {people}, with {fill['bags']} and {cover}, for "
            f"{usd(total)} in total, paid with {paid}.",
            report=f"Your trip to {fill['destination']} on {day(iso)} has been booked. The total is {usd(total)}.",
        ),
    )


Paying = tuple[tuple[Fact, ...], list[dict[str, object]], tuple[Call, ...]]
"""The customer's words, the argument of the tool, and the arithmetic for a rest."""


def _payments(s: Situation, total: Decimal) -> Paying:
    """A certificate and a card for the rest where the customer has one certificate, or a single method."""
    certificates = s.world.where(Certificate, "customer_id", s.customer.id)
    card = card_of(s)
    fact = method_fact(s.customer, card)
    if len(certificates) == 1 and certificates[0].amount < total and s.draw.chance(0.5):
        certificate = certificates[0]
        rest = total - certificate.amount
        return (
            (
                Fact("payment_method", certificate.id, "my travel certificate"),
                Fact("payment_method", card.id, f"{fact.say} for the rest"),
            ),
            [_payment(certificate.id, certificate.amount), _payment(card.id, rest)],
            (calculate(f"{total} - {certificate.amount}"),),
        )
    gift = gift_card_of(s.customer)
    if gift is not None and (gift.balance or 0) >= total and s.draw.chance(0.5):
        return (method_fact(s.customer, gift),), [_payment(gift.id, total)], ()
    return (fact,), [_payment(card.id, total)], ()


def _payment(method: str, amount: Decimal) -> dict[str, object]:
    return {"payment_method_id": method, "amount": float(amount)}
