"""Airline: its world, tools and rules."""

import re
from collections import Counter
from decimal import Decimal
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.passengers import as_arguments
from tau_emotion_gym.domains.airline.records import (
    Certificate,
    Customer,
    Flight,
    FlightDay,
    Reservation,
)
from tau_emotion_gym.domains.airline.timetable import minutes
from tau_emotion_gym.domains.airline.tools import TOOLS
from tau_emotion_gym.domains.airline.tools.reads import Account
from tau_emotion_gym.kit import TRANSFER, Context, Domain, Done, ToolError, load
from tau_emotion_gym.world import World, canonical, money

WRITES = [tool.name for tool in TOOLS if tool.writes]


@pytest.fixture(scope="module")
def airline() -> Domain:
    return load("airline")


@pytest.fixture
def world(airline: Domain) -> World:
    return World(airline.base())


def run(world: World, name: str, /, **arguments: object) -> Any:
    tool = load("airline").tools[name]
    return tool.run(world, tool.bind(arguments))


def owner(world: World, trip: Reservation) -> Customer:
    customer = world.get(Customer, trip.customer_id)
    assert customer is not None
    return customer


def card(customer: Customer) -> str:
    return next(method.id for method in customer.payment_methods if method.kind == "credit_card")


def gift_balance(world: World, customer: Customer) -> Decimal:
    now = world.get(Customer, customer.id)
    assert now is not None
    return sum((m.balance for m in now.payment_methods if m.balance is not None), money(0))


def coming(world: World, **wanted: object) -> list[Reservation]:
    """Reservations still to be flown as scheduled, with these field values."""
    today = world.now.date().isoformat()
    return [
        trip
        for trip in world.all(Reservation)
        if trip.legs[0].date > today
        and terms.upcoming(world, trip)
        and all(getattr(trip, key) == value for key, value in wanted.items())
    ]


def free_flight(world: World, trip: Reservation) -> tuple[str, str] | None:
    """(number, date) of another direct flight for a one-leg trip."""
    leg = trip.legs[0]
    for flight in world.where(Flight, "route", f"{leg.origin}-{leg.destination}"):
        for day in world.where(FlightDay, "number", flight.number):
            fits = day.status == "scheduled" and terms.seats(day, trip.cabin) >= len(trip.passengers)
            if fits and day.date > leg.date:
                return flight.number, day.date
    return None


# --- policy -----------------------------------------------------------------------------------------


def test_the_policy_states_every_number_that_a_rule_checks(airline: Domain) -> None:
    for figure in ("24 hours", "2 hours", "5 passengers", "5 checked", "$45", "$29", "$120", "$60", "180 minutes"):
        assert figure in airline.policy
    assert "Monday, September 14, 2026, 15:00" in airline.policy
    assert airline.base().now.isoformat() == "2026-09-14T15:00:00"


# --- world ------------------------------------------------------------------------------------------


def test_the_timetable_holds_flights_an_hour_apart(world: World) -> None:
    apart = 0
    for route in {flight.route for flight in world.all(Flight)}:
        leaves = sorted(minutes(flight.departs) for flight in world.where(Flight, "route", route))
        apart += any(b - a == 60 for a, b in pairwise(leaves))
    assert apart >= 20
    assert all(flight.departs < flight.arrives for flight in world.all(Flight))


def test_there_are_customers_and_reservations_that_are_easily_confused(world: World) -> None:
    towns = Counter((customer.first_name, customer.address.city) for customer in world.all(Customer))
    assert sum(count > 1 for count in towns.values()) >= 40
    routes = Counter((trip.customer_id, trip.origin, trip.destination) for trip in world.all(Reservation))
    assert sum(count > 1 for count in routes.values()) >= 40


def test_statuses_agree_with_the_clock(world: World) -> None:
    today = world.now.date().isoformat()
    for day in world.all(FlightDay):
        if day.date > today:
            assert day.status in ("scheduled", "cancelled")
            assert day.delay_minutes == 0
        if day.date < today:
            assert day.status in ("landed", "cancelled")


def test_payments_add_up_to_the_price(world: World) -> None:
    for trip in world.all(Reservation):
        count = len(trip.passengers)
        price = terms.paid_fares(trip.legs) * count + terms.BAG_FEE * trip.paid_bags
        price += terms.INSURANCE_PRICE * count if trip.insurance == "yes" else 0
        assert sum(payment.amount for payment in trip.payments) == price
        assert trip.booked_at < f"{trip.legs[0].date}T24"


# --- reads ------------------------------------------------------------------------------------------


def test_every_customer_can_be_identified_in_both_ways(world: World) -> None:
    for customer in world.all(Customer):
        account = run(world, "find_customer_by_email", email=customer.email.upper())
        assert account.id == customer.id
        named = run(
            world,
            "find_customer_by_name_birth_date",
            first_name=customer.first_name,
            last_name=customer.last_name,
            birth_date=customer.birth_date,
        )
        assert named == account == run(world, "get_customer", customer_id=customer.id)


def test_an_account_lists_its_own_reservations_and_certificates(world: World) -> None:
    account = run(world, "get_customer", customer_id=next(world.all(Certificate)).customer_id)
    assert isinstance(account, Account)
    assert account.certificates
    assert {line.reservation_id for line in account.reservations} == {
        trip.id for trip in world.all(Reservation) if trip.customer_id == account.id
    }


def test_searches_show_what_can_be_booked_earliest_first(world: World) -> None:
    offers = run(world, "search_direct_flights", origin="ORD", destination="JFK", date="2026-09-20")
    assert [offer.departs for offer in offers] == sorted(offer.departs for offer in offers)
    for offer in offers:
        assert run(world, "get_flight_status", flight_number=offer.flight_number, date=offer.date).status == "scheduled"
    past = run(world, "search_direct_flights", origin="ORD", destination="JFK", date="2026-09-10")
    assert past == ()


def test_connections_leave_time_to_change(world: World) -> None:
    found = run(world, "search_one_stop_flights", origin="SEA", destination="MIA", date="2026-09-20")
    assert found
    for connection in found:
        first, second = connection.first, connection.second
        assert (first.origin, second.destination) == ("SEA", "MIA")
        assert first.destination == second.origin
        assert minutes(second.departs) - minutes(first.arrives) >= 45


# --- writes -----------------------------------------------------------------------------------------


def booking(world: World, customer: Customer, payments: list[dict[str, object]], **changed: object) -> dict[str, Any]:
    """Arguments of a plain booking for the customer alone on the first flight with a seat."""
    day = next(d for d in world.all(FlightDay) if d.date > "2026-09-15" and d.status == "scheduled" and d.seats.economy)
    own = {
        "first_name": customer.first_name,
        "last_name": customer.last_name,
        "birth_date": customer.birth_date,
    }
    return {
        "customer_id": customer.id,
        "flights": [{"flight_number": day.number, "date": day.date}],
        "cabin": "economy",
        "passengers": [own],
        "bags": 0,
        "paid_bags": 0,
        "insurance": "no",
        "payments": payments or [{"payment_method_id": card(customer), "amount": day.fares.economy}],
        **changed,
    }


def test_booking_takes_seats_and_the_whole_certificate(world: World) -> None:
    certificate = next(world.all(Certificate))
    customer = world.get(Customer, certificate.customer_id)
    assert customer is not None
    arguments = booking(world, customer, [])
    flight, due = arguments["flights"][0], arguments["payments"][0]["amount"]
    part = min(money(20), certificate.amount)
    arguments["payments"] = [
        {"payment_method_id": certificate.id, "amount": part},
        {"payment_method_id": card(customer), "amount": due - part},
    ]
    before = run(world, "get_flight_status", **flight)
    trip = run(world, "book_reservation", **arguments)
    after = run(world, "get_flight_status", **flight)
    assert after.seats.economy == before.seats.economy - 1
    assert world.get(Certificate, certificate.id) is None
    assert world.get(Reservation, trip.id) == trip
    assert trip.booked_at == "2026-09-14T15:00:00"


def test_a_return_booking_knows_where_it_turns(world: World) -> None:
    customer = next(world.all(Customer))
    out = run(world, "search_direct_flights", origin="SEA", destination="LAX", date="2026-09-20")[0]
    back = run(world, "search_direct_flights", origin="LAX", destination="SEA", date="2026-09-23")[0]
    flights = [{"flight_number": o.flight_number, "date": o.date} for o in (out, back)]
    due = out.fares.business + back.fares.business
    payments = [{"payment_method_id": card(customer), "amount": due}]
    trip = run(world, "book_reservation", **booking(world, customer, payments, flights=flights, cabin="business"))
    assert (trip.trip, trip.origin, trip.destination) == ("round_trip", "SEA", "LAX")


def test_the_order_of_two_bookings_does_not_matter(airline: Domain) -> None:
    customers = list(World(airline.base()).all(Customer))[:2]
    ends = []
    for pair in (customers, customers[::-1]):
        world = World(airline.base())
        first = [booking(world, customer, []) for customer in pair]
        for arguments in first:
            run(world, "book_reservation", **arguments)
        ends.append(canonical(world.changes()))
    assert ends[0] == ends[1]


def test_cancelling_gives_back_all_but_what_certificates_paid(world: World) -> None:
    trip = next(trip for trip in coming(world) if any(p.payment_method_id.startswith("cert") for p in trip.payments))
    after = run(world, "cancel_reservation", reservation_id=trip.id, reason="illness")
    kept = sum(p.amount for p in after.payments)
    assert kept == sum(p.amount for p in trip.payments if p.payment_method_id.startswith("cert"))
    assert after.status == "cancelled"
    for leg in trip.legs:
        before, now = (w.get(FlightDay, f"{leg.flight_number}/{leg.date}") for w in (World(world.base), world))
        assert before is not None
        assert now is not None
        assert terms.seats(now, trip.cabin) == terms.seats(before, trip.cabin) + len(trip.passengers)


def test_flights_that_stay_keep_their_fare(world: World) -> None:
    trip, found = next(
        (trip, found)
        for trip in coming(world, trip="round_trip", cabin="economy")
        if (found := free_flight(world, trip)) and found[1] < trip.legs[1].date
    )
    stays = trip.legs[1]
    flights = [
        {"flight_number": found[0], "date": found[1]},
        {"flight_number": stays.flight_number, "date": stays.date},
    ]
    method = card(owner(world, trip))
    after = run(world, "change_flights", reservation_id=trip.id, flights=flights, payment_method_id=method)
    assert after.legs[1] == stays
    due = (after.legs[0].fare - trip.legs[0].fare) * len(trip.passengers)
    assert sum(p.amount for p in after.payments) - sum(p.amount for p in trip.payments) == due
    with pytest.raises(ToolError, match="has already"):
        run(world, "change_flights", reservation_id=trip.id, flights=flights, payment_method_id=method)


def test_another_cabin_costs_the_difference_and_moves_the_seats(world: World) -> None:
    trip = next(
        trip
        for trip in coming(world, cabin="economy")
        if all(terms.seats(day, "business") >= len(trip.passengers) for day in terms.days(world, trip))
    )
    method = card(owner(world, trip))
    days = terms.days(world, trip)
    after = run(world, "change_cabin", reservation_id=trip.id, cabin="business", payment_method_id=method)
    count = len(trip.passengers)
    assert [leg.fare for leg in after.legs] == [day.fares.business for day in days]
    assert after.payments[-1].amount == sum((d.fares.business for d in days), money(0)) * count - (
        terms.paid_fares(trip.legs) * count
    )
    for before, now in zip(days, terms.days(world, trip), strict=True):
        assert now.seats.business == before.seats.business - count
        assert now.seats.economy == before.seats.economy + count


def test_bags_insurance_and_details_change_what_they_say(world: World) -> None:
    trip = next(trip for trip in coming(world, insurance="no") if trip.bags == 0)
    method = card(owner(world, trip))
    bagged = run(world, "add_bags", reservation_id=trip.id, added_bags=2, paid_bags=1, payment_method_id=method)
    assert (bagged.bags, bagged.paid_bags, bagged.payments[-1].amount) == (2, trip.paid_bags + 1, terms.BAG_FEE)
    insured = run(world, "add_insurance", reservation_id=trip.id, payment_method_id=method)
    assert insured.payments[-1].amount == terms.INSURANCE_PRICE * len(trip.passengers)
    people = [{**person, "last_name": "Changed"} for person in as_arguments(trip.passengers)]
    renamed = run(world, "change_passengers", reservation_id=trip.id, passengers=people)
    assert {passenger.last_name for passenger in renamed.passengers} == {"Changed"}
    with pytest.raises(ToolError, match="already"):
        run(world, "add_insurance", reservation_id=trip.id, payment_method_id=method)


def test_a_certificate_can_be_issued_and_spent(world: World) -> None:
    trip = next(world.all(Reservation))
    issued = run(world, "issue_certificate", customer_id=trip.customer_id, reservation_id=trip.id, amount=120)
    assert issued in run(world, "get_customer", customer_id=trip.customer_id).certificates
    assert (issued.amount, issued.issued) == (money(120), "2026-09-14")


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("find_customer_by_email", {"email": "nobody@mailbox.example"}, "No customer has the email"),
        (
            "find_customer_by_name_birth_date",
            {"first_name": "No", "last_name": "Body", "birth_date": "1990-01-01"},
            "was born on 1990-01-01",
        ),
        ("get_customer", {"customer_id": "nobody"}, "no customer"),
        ("get_reservation", {"reservation_id": "XXXXX0"}, "no reservation"),
        ("get_flight_status", {"flight_number": "JN1", "date": "2026-09-20"}, "no flight"),
        ("get_flight_status", {"flight_number": "?", "date": "2027-01-01"}, "not in the timetable"),
        ("search_direct_flights", {"origin": "XXX", "destination": "JFK", "date": "2026-09-20"}, "Valid: ATL"),
        ("cancel_reservation", {"reservation_id": "XXXXX0", "reason": "other"}, "no reservation"),
        ("change_cabin", {"reservation_id": "?", "cabin": "business", "payment_method_id": "cash"}, "Valid: card_"),
        ("add_bags", {"reservation_id": "?", "added_bags": 0, "paid_bags": 0}, "at least 1"),
        ("add_bags", {"reservation_id": "?", "added_bags": 1, "paid_bags": 2}, "between 0 and 1"),
        ("add_bags", {"reservation_id": "?", "added_bags": 1, "paid_bags": 1}, "no payment method"),
        ("change_passengers", {"reservation_id": "?", "passengers": []}, "number cannot change"),
        ("change_flights", {"reservation_id": "?", "flights": [], "payment_method_id": "cash"}, "at least one flight"),
        ("issue_certificate", {"customer_id": "?", "reservation_id": "?", "amount": 0}, "more than zero"),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong_and_change_nothing(
    world: World, name: str, arguments: dict[str, object], says: str
) -> None:
    trip = next(
        trip
        for trip in coming(world, cabin="economy")
        if all(terms.seats(day, "business") >= len(trip.passengers) for day in terms.days(world, trip))
    )
    real = {
        "reservation_id": trip.id,
        "customer_id": trip.customer_id,
        "flight_number": trip.legs[0].flight_number,
    }
    filled = {key: real[key] if value == "?" else value for key, value in arguments.items()}
    with pytest.raises(ToolError, match=re.escape(says)):
        run(world, name, **filled)
    assert canonical(world.changes()).empty


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"passengers": []}, "at least one passenger"),
        ({"bags": 1, "paid_bags": 2}, "no more can be paid for"),
        ({"payments": []}, "add up to $0"),
        ({"insurance": "yes"}, "add up to"),
        ({"customer_id": "nobody"}, "no customer"),
    ],
)
def test_a_booking_that_does_not_add_up_is_refused(world: World, changed: dict[str, object], says: str) -> None:
    arguments = {**booking(world, next(world.all(Customer)), []), **changed}
    with pytest.raises(ToolError, match=re.escape(says)):
        run(world, "book_reservation", **arguments)
    assert canonical(world.changes()).empty


def test_flights_that_do_not_join_or_have_no_seats_are_refused(world: World) -> None:
    customer = next(world.all(Customer))
    out = run(world, "search_direct_flights", origin="SEA", destination="LAX", date="2026-09-20")[0]
    once = {"flight_number": out.flight_number, "date": out.date}
    with pytest.raises(ToolError, match="leaves from SEA, not LAX"):
        run(world, "book_reservation", **booking(world, customer, [], flights=[once, once]))
    full = next(day for day in world.all(FlightDay) if day.status == "scheduled" and not day.seats.economy)
    flights = [{"flight_number": full.number, "date": full.date}]
    payments = [{"payment_method_id": card(customer), "amount": full.fares.economy}]
    with pytest.raises(ToolError, match="0 economy seats left"):
        run(world, "book_reservation", **booking(world, customer, payments, flights=flights))
    off = next(day for day in world.all(FlightDay) if day.status == "cancelled")
    with pytest.raises(ToolError, match="is cancelled"):
        run(
            world,
            "book_reservation",
            **booking(world, customer, [], flights=[{"flight_number": off.number, "date": off.date}]),
        )
    assert canonical(world.changes()).empty


def _random_arguments(world: World, draw: Draw, trip: Reservation, name: str) -> dict[str, object]:
    """Plausible arguments of any write, often off the policy."""
    customer = owner(world, trip)
    flights = [{"flight_number": leg.flight_number, "date": leg.date} for leg in trip.legs]
    if draw.chance(0.7) and (found := free_flight(world, trip)):
        flights[0] = dict(zip(("flight_number", "date"), found, strict=True))
    if draw.chance(0.1):
        elsewhere = draw.pick(list(world.base.tables[FlightDay])).split("/")
        flights = [dict(zip(("flight_number", "date"), elsewhere, strict=True))]
    certificates = [c.id for c in world.where(Certificate, "customer_id", customer.id)]
    method = draw.pick([*(m.id for m in customer.payment_methods), *certificates])
    cabin = draw.pick(("basic_economy", "economy", "business"))
    count, extra = len(trip.passengers), draw.below(3)
    due = terms.fares_of(world, ((f["flight_number"], f["date"]) for f in flights), cabin) * count
    people = as_arguments(trip.passengers) * draw.pick((1, 1, 1, 3))
    if draw.chance(0.3):
        people[0] = {**people[0], "first_name": "Somebody"}
    known: dict[str, object] = {
        "customer_id": customer.id,
        "reservation_id": trip.id,
        "flights": flights,
        "cabin": cabin,
        "passengers": people,
        "bags": draw.pick((extra, 3, 40)),
        "added_bags": draw.pick((1, 2, 40)),
        "paid_bags": min(extra, 1),
        "insurance": "no",
        "reason": draw.pick(("change_of_plans", "illness", "airline_cancelled")),
        "payment_method_id": method,
        "amount": draw.pick((60, 120, 180, 240)),
        "payments": [
            {"payment_method_id": key, "amount": due}
            for key in draw.pick(([method], [method, card(customer)], certificates * 2 or [method]))
        ],
    }
    return {field: known[field] for field in load("airline").tools[name].arguments.__struct_fields__}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.sampled_from(WRITES), min_size=1, max_size=6))
def test_money_and_seats_are_never_made_or_lost(seed: int, names: list[str]) -> None:
    """Whatever an agent does to a reservation, its payments are its price, and gift cards move by them."""
    airline = load("airline")
    world, draw = World(airline.base()), Draw(seed, "money")
    trip = draw.pick(list(world.all(Reservation)))
    customer = owner(world, trip)
    for name in names:
        tool = airline.tools[name]
        before = canonical(world.changes())
        try:
            tool.run(world, tool.bind(_random_arguments(world, draw, world.get(Reservation, trip.id) or trip, name)))
        except ToolError:
            assert canonical(world.changes()) == before
    changes = world.changes()
    touched = [record for record in changes.added if isinstance(record, Reservation)]
    touched += [after for _, after in changes.updated if isinstance(after, Reservation)]
    for after in touched:
        count = len(after.passengers)
        price = terms.paid_fares(after.legs) * count + terms.BAG_FEE * after.paid_bags
        price += terms.INSURANCE_PRICE * count if after.insurance == "yes" else 0
        if after.status == "active":
            assert sum(payment.amount for payment in after.payments) == price
    gifts = {method.id for method in customer.payment_methods if method.balance is not None}
    old = {key: r for key, r in world.base.tables[Reservation].items() if isinstance(r, Reservation)}
    spent = sum(
        payment.amount
        for after in touched
        for payment in after.payments[len(old[after.id].payments) if after.id in old else 0 :]
        if payment.payment_method_id in gifts
    )
    assert gift_balance(World(world.base), customer) - gift_balance(world, customer) == spent
    for _, day in changes.updated:
        if isinstance(day, FlightDay):
            assert min(day.seats.basic_economy, day.seats.economy, day.seats.business) >= 0


# --- rules ------------------------------------------------------------------------------------------


def test_every_rule_is_kept_and_broken_by_something(airline: Domain) -> None:
    """Over all reservations and plain arguments, each rule says yes to some calls and no to others."""
    world, draw = World(airline.base()), Draw(3, "rules")
    verdicts: dict[str, set[bool]] = {rule.id: set() for rule in airline.rules}
    stranger = next(world.all(Customer)).id
    for trip in list(world.all(Reservation)):
        leg = trip.legs[0]
        seen = Done("get_flight_status", {"flight_number": leg.flight_number, "date": leg.date}, True, None)
        for name in WRITES:
            bound = airline.tools[name].bind(_random_arguments(world, draw, trip, name))
            known = draw.pick([[trip.customer_id], [], [stranger]])
            said = (name,) if draw.chance(0.5) else ()
            context = Context(world, (seen,) if draw.chance(0.5) else (), known, said)
            for rule in airline.rules_of[name]:
                verdicts[rule.id].add(rule.check(context, bound))
        context = Context(world, (), [trip.customer_id])
        bound = airline.tools[TRANSFER].bind({"reason": "partly_flown"})
        verdicts["hand_off_grounds"].add(airline.rules_of[TRANSFER][0].check(context, bound))
        soon = {"flight_number": leg.flight_number, "date": leg.date}
        flights = booking(world, owner(world, trip), [], flights=[soon])
        late = airline.tools["book_reservation"].bind(flights)
        enough = next(rule for rule in airline.rules if rule.id == "enough_notice")
        verdicts["enough_notice"].add(enough.check(context, late))
    issue = next(rule for rule in airline.rules if rule.id == "certificate_once")
    certified = World(airline.base())
    trip = next(certified.all(Reservation))
    arguments = {"customer_id": trip.customer_id, "reservation_id": trip.id, "amount": 60}
    run(certified, "issue_certificate", **arguments)
    bound = airline.tools["issue_certificate"].bind(arguments)
    verdicts["certificate_once"].add(issue.check(Context(certified), bound))
    assert {name for name, seen in verdicts.items() if seen != {True, False}} == set()


@pytest.mark.parametrize(
    ("tier", "cabin", "passengers", "bags", "extra"),
    [
        ("regular", "basic_economy", 2, 3, 3),
        ("regular", "economy", 2, 3, 1),
        ("silver", "business", 1, 3, 0),
        ("gold", "basic_economy", 3, 4, 1),
        ("gold", "business", 1, 6, 2),
    ],
)
def test_the_allowance_is_by_tier_and_cabin(tier: Any, cabin: Any, passengers: int, bags: int, extra: int) -> None:
    assert terms.extra_bags(tier, cabin, passengers, bags) == extra


def test_the_24_hours_end_on_the_minute(world: World) -> None:
    trip = next(trip for trip in coming(world, cabin="economy", insurance="no"))
    at = {
        text: terms.recent(world, msgspec.structs.replace(trip, booked_at=text))
        for text in ("2026-09-13T15:00:00", "2026-09-13T14:59:00")
    }
    assert at == {"2026-09-13T15:00:00": True, "2026-09-13T14:59:00": False}
