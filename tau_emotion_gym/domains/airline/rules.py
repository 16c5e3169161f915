"""The policy: each rule is the sentence that the agent reads and the check on its calls."""

from collections import Counter
from datetime import datetime
from typing import Any, NamedTuple

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.ledger import FlightOn
from tau_emotion_gym.domains.airline.records import Cabin, Certificate, Customer, Flight, Reservation
from tau_emotion_gym.domains.airline.tools.reads import get_customer, get_reservation
from tau_emotion_gym.domains.airline.tools.writes import (
    WRITES,
    add_bags,
    add_insurance,
    book_reservation,
    cancel_reservation,
    change_cabin,
    change_flights,
    change_passengers,
    issue_certificate,
)
from tau_emotion_gym.kit import TRANSFER, Context, authentication, confirmation, one_customer, rule
from tau_emotion_gym.world import World, money

NOT_FLOWN = "partly_flown"
GROUP = "group_booking"
REASONS = (NOT_FLOWN, GROUP, "lost_baggage", "safety", "other")
"""Reasons of a hand-off."""


def _owner(world: World, arguments: Any) -> str | None:
    """Whose record a call touches."""
    if customer := getattr(arguments, "customer_id", None):
        return str(customer)
    reservation = world.get(Reservation, getattr(arguments, "reservation_id", ""))
    return reservation.customer_id if reservation else None


def _reservation(context: Context, arguments: Any) -> Reservation | None:
    return context.world.get(Reservation, arguments.reservation_id)


AUTHENTICATION = authentication(
    "Identify the customer first, by email address or by full name and date of birth, before you look into "
    "an account or a reservation or change anything.",
    get_customer,
    get_reservation,
    *WRITES,
)
ONE_CUSTOMER = one_customer(
    "Serve one customer per conversation: nothing of anybody else's account may be shown or changed.",
    _owner,
    get_customer,
    get_reservation,
    *WRITES,
)
CONFIRMATION = confirmation(
    "Before any change (booking, cancelling, changing, adding, issuing) say what will be done and what it "
    "costs or pays back, and get an explicit yes.",
    *WRITES,
)


@rule(
    "A reservation may be cancelled only if it was booked within the last 24 hours, or is in business class, "
    "or the airline cancelled one of its flights, or it has travel insurance and the reason is illness, "
    "bereavement or severe weather. Otherwise refuse. Check that the airline did cancel a flight before you "
    "record 'airline_cancelled'.",
    cancel_reservation,
)
def cancel_covered(context: Context, arguments: Any) -> bool:
    """Whether a cancellation is due."""
    reservation = _reservation(context, arguments)
    if reservation is None:
        return True
    called_off = terms.airline_cancelled(context.world, reservation)
    if arguments.reason == "airline_cancelled" and not called_off:
        return False
    return terms.cancellable(context.world, reservation, arguments.reason)


@rule(
    "Once a flight of a reservation has departed, you may neither cancel the reservation nor change its "
    f"flights or cabin: hand over to a human colleague with the reason '{NOT_FLOWN}'.",
    cancel_reservation,
    change_flights,
    change_cabin,
)
def nothing_flown(context: Context, arguments: Any) -> bool:
    """Whether no flight of the reservation has left."""
    reservation = _reservation(context, arguments)
    return reservation is None or not terms.flown(context.world, reservation)


@rule(
    "The flights of a basic economy reservation cannot be changed. Its cabin can be.",
    change_flights,
)
def basic_flights_fixed(context: Context, arguments: Any) -> bool:
    """Whether the fare allows other flights."""
    reservation = _reservation(context, arguments)
    return reservation is None or reservation.cabin != "basic_economy"


@rule(
    "New flights must keep the origin, the destination and the kind of trip (one way or round trip) of the "
    "reservation.",
    change_flights,
)
def same_route(context: Context, arguments: Any) -> bool:
    """Whether the new flights go where the old ones went."""
    reservation = _reservation(context, arguments)
    ends = [context.world.get(Flight, chosen.flight_number) for chosen in arguments.flights]
    if reservation is None or not ends or ends[0] is None or ends[-1] is None:
        return True
    last = reservation.origin if reservation.trip == "round_trip" else reservation.destination
    stops = {flight.destination for flight in ends if flight}
    return ends[0].origin == reservation.origin and ends[-1].destination == last and reservation.destination in stops


@rule(
    "Nobody can be put on a flight that departs in less than 2 hours.",
    book_reservation,
    change_flights,
)
def enough_notice(context: Context, arguments: Any) -> bool:
    """Whether every new flight leaves late enough."""
    reservation = context.world.get(Reservation, getattr(arguments, "reservation_id", ""))
    kept = {(leg.flight_number, leg.date) for leg in reservation.legs} if reservation else set()
    new: list[FlightOn] = [f for f in arguments.flights if (f.flight_number, f.date) not in kept]
    return all(
        terms.departure(context.world, chosen.flight_number, chosen.date) - context.now >= terms.NOTICE
        for chosen in new
        if context.world.get(Flight, chosen.flight_number)
    )


@rule(
    f"A reservation is for at most {terms.LARGEST_PARTY} passengers. For a larger party book nothing and hand "
    f"over with the reason '{GROUP}'.",
    book_reservation,
)
def party_size(context: Context, arguments: Any) -> bool:
    """Whether the party is small enough."""
    return len(arguments.passengers) <= terms.LARGEST_PARTY


class _Bags(NamedTuple):
    """The bags of a reservation as a call would leave them; `paid` were paid for before."""

    owner: Customer | None
    cabin: Cabin
    passengers: int
    bags: int
    paid: int


def _bags(context: Context, arguments: Any) -> _Bags | None:
    """What a booking or an addition makes of the bags, or None when there is no such reservation."""
    if hasattr(arguments, "customer_id"):
        owner = context.world.get(Customer, arguments.customer_id)
        return _Bags(owner, arguments.cabin, len(arguments.passengers), arguments.bags, 0)
    found = _reservation(context, arguments)
    if found is None:
        return None
    owner = context.world.get(Customer, found.customer_id)
    bags = found.bags + arguments.added_bags
    return _Bags(owner, found.cabin, len(found.passengers), bags, found.paid_bags)


_TABLE = "; ".join(
    f"{tier}: {bags['basic_economy']} in basic economy, {bags['economy']} in economy, {bags['business']} in business"
    for tier, bags in terms.ALLOWANCE.items()
)


@rule(
    f"Checked bags free of charge per passenger, by tier of the customer ({_TABLE}). Every bag beyond the "
    f"allowance of the whole reservation costs ${terms.BAG_FEE:.0f} once; bags within it, and as many as were paid for "
    "before, are not charged.",
    book_reservation,
    add_bags,
)
def bags_charged(context: Context, arguments: Any) -> bool:
    """Whether exactly the bags beyond the allowance are charged."""
    after = _bags(context, arguments)
    if after is None or after.owner is None:
        return True
    due = terms.extra_bags(after.owner.tier, after.cabin, after.passengers, after.bags) - after.paid
    return bool(arguments.paid_bags == max(0, due))


@rule(
    f"No more than {terms.MOST_BAGS} checked bags per passenger.",
    book_reservation,
    add_bags,
)
def bags_limit(context: Context, arguments: Any) -> bool:
    """Whether the bags stay within the limit."""
    after = _bags(context, arguments)
    return after is None or after.bags <= terms.MOST_BAGS * after.passengers


@rule(
    f"Travel insurance costs ${terms.INSURANCE_PRICE:.0f} per passenger. It can be bought with the booking or "
    "added within 24 hours of it, not later.",
    add_insurance,
)
def insurance_window(context: Context, arguments: Any) -> bool:
    """Whether the reservation is recent enough."""
    reservation = _reservation(context, arguments)
    return reservation is None or terms.recent(context.world, reservation)


@rule(
    "A passenger's last name or date of birth may be corrected, but a passenger may not be replaced by "
    "another person: first names stay.",
    change_passengers,
)
def same_people(context: Context, arguments: Any) -> bool:
    """Whether the first names are those of before."""
    reservation = _reservation(context, arguments)
    if reservation is None:
        return True
    before = Counter(passenger.first_name for passenger in reservation.passengers)
    return before == Counter(passenger.first_name for passenger in arguments.passengers)


@rule(
    "Passenger details may be corrected until 24 hours before the first departure.",
    change_passengers,
)
def details_in_time(context: Context, arguments: Any) -> bool:
    """Whether there is time left."""
    reservation = _reservation(context, arguments)
    if reservation is None:
        return True
    first = reservation.legs[0]
    return terms.departure(context.world, first.flight_number, first.date) - context.now >= terms.WINDOW


@rule(
    "Travel certificates pay for new reservations only. Changes, bags, insurance and cabins are paid with a "
    "card or a gift card.",
    change_flights,
    change_cabin,
    add_bags,
    add_insurance,
)
def certificates_for_bookings(context: Context, arguments: Any) -> bool:
    """Whether the change is not paid with a certificate."""
    return context.world.get(Certificate, arguments.payment_method_id) is None


@rule(
    "A new reservation may be paid with at most one certificate, one gift card and one credit card. A "
    "certificate is used first and its rest lapses.",
    book_reservation,
)
def payment_mix(context: Context, arguments: Any) -> bool:
    """Whether each kind of payment occurs at most once."""
    customer = context.world.get(Customer, arguments.customer_id)
    if customer is None:
        return True
    kinds = {method.id: str(method.kind) for method in customer.payment_methods}
    used = Counter(kinds.get(payment.payment_method_id, "certificate") for payment in arguments.payments)
    return all(count <= 1 for count in used.values())


@rule(
    "Issue a compensation certificate only when the customer complains about a delayed or cancelled flight, "
    "and look up the flight's status first.",
    issue_certificate,
)
def certificate_verified(context: Context, arguments: Any) -> bool:
    """Whether the status of a flight of the reservation has been looked up."""
    reservation = _reservation(context, arguments)
    return reservation is None or any(
        context.called("get_flight_status", flight_number=leg.flight_number, date=leg.date) for leg in reservation.legs
    )


@rule(
    f"A certificate is ${terms.CANCELLED_AMOUNT:.0f} per passenger of the reservation when the airline "
    f"cancelled a flight, and ${terms.DELAY_AMOUNT:.0f} per passenger for a delay of {terms.DELAY_MINUTES} "
    "minutes or more. It is given to silver and gold members, and to anybody with travel insurance or in "
    "business class; a regular member in economy or basic economy without insurance gets none.",
    issue_certificate,
)
def certificate_amount(context: Context, arguments: Any) -> bool:
    """Whether the amount is what the terms give."""
    reservation = _reservation(context, arguments)
    if reservation is None:
        return True
    customer = context.world.get(Customer, reservation.customer_id)
    if customer is None:
        return True
    due = terms.certificate_due(context.world, customer, reservation)
    return due > 0 and money(arguments.amount) == due


@rule("One certificate at most is issued for a reservation.", issue_certificate)
def certificate_once(context: Context, arguments: Any) -> bool:
    """Whether none has been issued for it yet."""
    return not any(
        certificate.reservation_id == arguments.reservation_id
        for certificate in context.world.where(Certificate, "customer_id", arguments.customer_id)
    )


@rule(
    "Hand over to a human colleague only when a rule here says so or the request is outside your tools: "
    f"'{NOT_FLOWN}' only for a reservation of which a flight has departed, 'lost_baggage' for bags that "
    "did not arrive, 'safety' at once when somebody may be in danger.",
    TRANSFER,
)
def hand_off_grounds(context: Context, arguments: Any) -> bool:
    """Whether a hand-off over a partly flown trip concerns a customer who has one."""
    if arguments.reason != NOT_FLOWN or context.customer is None:
        return True
    return any(
        terms.flown(context.world, reservation)
        and datetime.fromisoformat(f"{reservation.legs[-1].date}T23:59") > context.now
        for reservation in context.world.where(Reservation, "customer_id", context.customer)
    )


RULES = (
    AUTHENTICATION,
    ONE_CUSTOMER,
    CONFIRMATION,
    cancel_covered,
    nothing_flown,
    basic_flights_fixed,
    same_route,
    enough_notice,
    party_size,
    bags_charged,
    bags_limit,
    insurance_window,
    same_people,
    details_in_time,
    certificates_for_bookings,
    payment_mix,
    certificate_verified,
    certificate_amount,
    certificate_once,
    hand_off_grounds,
)
