"""Wishes for a figure that the agent must work out."""

from decimal import Decimal

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.connections import cheapest_connection, unjoined
from tau_emotion_gym.domains.airline.intents.grounding import (
    CABIN_WORDS,
    Option,
    amount_output,
    day_in,
    days_until,
    flight_of,
    gift_card_of,
    open_account,
    options,
    other_day,
    payments_sum,
    point_at,
    search_call,
    status_calls,
    tried,
    trips_of,
    upcoming,
)
from tau_emotion_gym.domains.airline.intents.quotes import cabin_difference, next_cabin
from tau_emotion_gym.domains.airline.intents.wording import wish
from tau_emotion_gym.domains.airline.network import cities, network
from tau_emotion_gym.domains.airline.records import Cabin, Certificate
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
    one_of,
    plus,
    short_date,
    usd,
)
from tau_emotion_gym.world import money


@wish(Kind.INFORM)
def upcoming_total(s: Situation) -> Goal | None:
    """What was paid for all trips that are still ahead."""
    today = s.world.now.date().isoformat()
    ahead = [t for t in trips_of(s) if t.status == "active" and t.legs[-1].date > today]
    if not 2 <= len(ahead) <= 4 or any(trip.legs[0].date <= today for trip in ahead):
        return None
    total = sum((payment.amount for trip in ahead for payment in trip.payments), money(0))
    return Goal(
        calls=(
            *(Call("get_reservation", {"reservation_id": trip.id}) for trip in ahead),
            calculation(payments_sum(ahead)),
        ),
        outputs=amount_output(total),
        script=Script(report=f"For your {len(ahead)} upcoming trips you have paid {usd(total)} in total."),
    )


@wish(Kind.INFORM)
def bag_quote(s: Situation) -> Goal | None:
    """What some more bags would cost on a trip."""
    trip = one_of(s, upcoming(s))
    if trip is None:
        return None
    count = len(trip.passengers)
    added = s.draw.between(2, min(4, terms.MOST_BAGS * count - trip.bags))
    extra = terms.extra_bags(s.customer.tier, trip.cabin, count, trip.bags + added) - trip.paid_bags
    if extra < 2:
        return None
    pointer = point_at(s, trip)
    bags = counted(added, "more checked bag")
    fee = terms.BAG_FEE * extra
    return Goal(
        fill={"trip": pointer.words, "bags": bags},
        facts=(*pointer.facts, Fact("bags", str(added), bags)),
        calls=(*pointer.calls, calculation(f"{terms.BAG_FEE} * {extra}")),
        outputs=amount_output(fee),
        script=Script(report=f"On reservation {trip.id}, {bags} would cost {usd(fee)} in all."),
    )


@wish(Kind.INFORM)
def upgrade_quote(s: Situation) -> Goal | None:
    """What a higher cabin would cost for everybody on a trip."""
    trip = one_of(s, [trip for trip in upcoming(s) if trip.cabin != "business"])
    if trip is None:
        return None
    cabin = next_cabin(s, trip)
    expression, due = cabin_difference(s.world, trip, cabin)
    if due <= 0:
        return None
    pointer = point_at(s, trip)
    words = CABIN_WORDS[cabin]
    return Goal(
        fill={"trip": pointer.words, "cabin": words},
        facts=(*pointer.facts, Fact("cabin", cabin, words)),
        calls=(*pointer.calls, *status_calls(trip.legs), calculation(expression)),
        outputs=amount_output(due),
        script=Script(
            report=f"Moving everybody on reservation {trip.id} to {words} would cost {usd(due)} in total today."
        ),
    )


@wish(Kind.INFORM)
def refund_quote(s: Situation) -> Goal | None:
    """What cancelling would give back."""
    trips = [
        trip
        for trip in upcoming(s)
        if trip.cabin == "business" or terms.recent(s.world, trip)
        if len(trip.payments) > 1
    ]
    trip = one_of(s, trips)
    if trip is None:
        return None
    amounts = list(terms.refundable(s.world, trip).values())
    back = sum(amounts, money(0))
    pointer = point_at(s, trip)
    return Goal(
        fill={"trip": pointer.words},
        facts=pointer.facts,
        calls=(*pointer.calls, calculation(plus(amounts))),
        outputs=amount_output(back),
        script=Script(report=f"For reservation {trip.id} you would get {usd(back)} back."),
    )


@wish(Kind.INFORM)
def cheapest_return(s: Situation) -> Goal | None:
    """The cheapest way there and back on two days, for some people."""
    start, end = s.draw.pick(network().routes).ends
    if s.draw.chance(0.5):
        start, end = end, start
    cabin: Cabin = s.draw.pick(("basic_economy", "economy"))
    count = s.draw.between(2, 4)
    there = other_day(s, "", last=8)
    back = day_in(s, s.draw.between(days_until(s, there) + 1, 13))
    fares: list[Decimal] = []
    for route, iso in ((f"{start}-{end}", there), (f"{end}-{start}", back)):
        open_fares = [
            terms.fare(option.day, cabin)
            for option in options(s.world, route, iso)
            if terms.seats(option.day, cabin) >= count
        ]
        if not open_fares:
            return None
        fares.append(min(open_fares))
    total = sum(fares, money(0)) * count
    names = cities()
    fill = {
        "origin": names[start],
        "destination": names[end],
        "there": short_date(there),
        "back": short_date(back),
        "people": f"{count} people",
        "cabin": CABIN_WORDS[cabin],
    }
    return Goal(
        fill=fill,
        facts=(
            Fact("origin", start, fill["origin"]),
            Fact("destination", end, fill["destination"]),
            Fact("date", there, fill["there"]),
            Fact("date", back, fill["back"]),
            Fact("passengers", str(count), fill["people"]),
            Fact("cabin", cabin, fill["cabin"]),
        ),
        calls=(
            search_call(f"{start}-{end}", there),
            search_call(f"{end}-{start}", back),
            calculation(f"({fares[0]} + {fares[1]}) * {count}"),
        ),
        outputs=amount_output(total),
        script=Script(
            report=f"The cheapest direct flights there and back cost {usd(total)} in {fill['cabin']} "
            f"for {fill['people']} together."
        ),
    )


@wish(Kind.INFORM)
def connection_quote(s: Situation) -> Goal | None:
    """The cheapest connection between cities that no direct flight joins, for some people."""
    cabin: Cabin = s.draw.pick(("basic_economy", "economy", "business"))
    count = s.draw.between(2, 4)
    flights = tried(lambda: _some_connection(s, cabin, count))
    if flights is None:
        return None
    start, end, iso = flights[0].flight.origin, flights[1].flight.destination, flights[0].day.date
    first, second = (terms.fare(option.day, cabin) for option in flights)
    total = (first + second) * count
    people = f"{count} people"
    home, there, when = cities()[start], cities()[end], short_date(iso)
    words = CABIN_WORDS[cabin]
    return Goal(
        fill={"origin": home, "destination": there, "when": when, "people": people, "cabin": words},
        facts=(
            Fact("origin", start, home),
            Fact("destination", end, there),
            Fact("date", iso, when),
            Fact("passengers", str(count), people),
            Fact("cabin", cabin, words),
        ),
        calls=(
            Call("search_one_stop_flights", {"origin": start, "destination": end, "date": iso}),
            calculation(f"({first} + {second}) * {count}"),
        ),
        outputs=amount_output(total),
        script=Script(
            report=f"The cheapest connection from {home} to {there} costs {usd(total)} in {words} for {people} "
            "together."
        ),
    )


def _some_connection(s: Situation, cabin: Cabin, seats: int) -> tuple[Option, Option] | None:
    """The cheapest connection between two cities on some day."""
    start, end = s.draw.pick(unjoined())
    return cheapest_connection(s.world, start, end, other_day(s, ""), cabin, seats)


@wish(Kind.INFORM)
def credit_total(s: Situation) -> Goal | None:
    """What certificates and the gift card are worth together."""
    return credit(s)


def credit(s: Situation) -> Goal | None:
    """The same for a customer in any state; None when there is nothing to add up."""
    worth = [c.amount for c in s.world.where(Certificate, "customer_id", s.customer.id)]
    gift = gift_card_of(s.customer)
    if gift is not None and gift.balance:
        worth.append(gift.balance)
    if len(worth) < 2:
        return None
    total = sum(worth, money(0))
    return Goal(
        calls=(open_account(s), calculation(plus(worth))),
        outputs=amount_output(total),
        script=Script(report=f"Your certificates and your gift card are worth {usd(total)} together."),
    )


@wish(Kind.INFORM)
def delay_minutes(s: Situation) -> Goal | None:
    """How late a flown trip was."""
    today = s.world.now.date().isoformat()
    late = []
    for trip in trips_of(s):
        if trip.legs[0].date < today:
            minutes = [day.delay_minutes for day in terms.days(s.world, trip)]
            if sum(minutes) and sum(minutes) != terms.DELAY_MINUTES and len(minutes) == 1:
                late.append((trip, sum(minutes)))
    if not late:
        return None
    trip, delay = s.draw.pick(late)
    pointer = point_at(s, trip)
    return Goal(
        fill={"trip": pointer.words},
        facts=pointer.facts,
        calls=(*pointer.calls, *status_calls(trip.legs)),
        outputs=(Output("count", str(delay), "minute"),),
        script=Script(report=f"The flight {flight_of(trip)} was {counted(delay, 'minute')} late."),
    )
