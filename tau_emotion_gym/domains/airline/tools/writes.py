"""What the agent may change. Tools keep the records sound; policy is the rules' affair."""

import msgspec

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.ledger import (
    FlightOn,
    active,
    charge,
    customer_of,
    day_of,
    give_back_seats,
    itinerary,
    require_scheduled,
    reservation_of,
    take_seats,
    total,
    turning_point,
)
from tau_emotion_gym.domains.airline.records import (
    Cabin,
    CancelReason,
    Certificate,
    Choice,
    CustomerId,
    Passenger,
    Payment,
    PaymentId,
    Reservation,
    ReservationId,
)
from tau_emotion_gym.kit import ToolError, write
from tau_emotion_gym.world import Money, World


@write("book", "new booking", "new reservation", "rebook", "make ~ reservation", "create ~ reservation")
def book_reservation(
    world: World,
    customer_id: CustomerId,
    flights: tuple[FlightOn, ...],
    cabin: Cabin,
    passengers: tuple[Passenger, ...],
    bags: int,
    paid_bags: int,
    insurance: Choice,
    payments: tuple[Payment, ...],
) -> Reservation:
    """Book a trip. The payments must add up to fares, bag fees and insurance together.

    Args:
        customer_id: Id of the customer who books.
        flights: Every flight in the order of travel, return flights included.
        cabin: The same cabin on every flight.
        passengers: Everybody who travels.
        bags: Checked bags of all passengers together.
        paid_bags: How many of them exceed the allowance.
        insurance: Whether travel insurance is bought for every passenger.
        payments: How the total is paid.
    """
    customer_of(world, customer_id)
    legs = itinerary(world, flights, cabin)
    require_scheduled(world, legs)
    count = len(passengers)
    if count == 0:
        raise ToolError("A reservation needs at least one passenger.")
    if not 0 <= paid_bags <= bags:
        raise ToolError("Bags cannot be negative, and no more can be paid for than there are.")
    due = total(legs, count) + terms.BAG_FEE * paid_bags
    due += terms.INSURANCE_PRICE * count if insurance == "yes" else 0
    if any(payment.amount <= 0 for payment in payments):
        raise ToolError("Every payment must be more than zero.")
    if (paid := sum(payment.amount for payment in payments)) != due:
        raise ToolError(f"The payments add up to ${paid}, but the total is ${due}.")
    for payment in payments:
        charge(world, customer_id, payment.payment_method_id, payment.amount)
    for leg in legs:
        take_seats(world, leg.flight_number, leg.date, cabin, count)
    booked_at = world.now.isoformat()
    reservation = Reservation(
        id=world.new_id(Reservation, "", customer_id, legs, passengers),
        customer_id=customer_id,
        status="active",
        trip="round_trip" if legs[-1].destination == legs[0].origin else "one_way",
        origin=legs[0].origin,
        destination=turning_point(legs),
        cabin=cabin,
        booked_at=booked_at,
        legs=legs,
        passengers=passengers,
        bags=bags,
        paid_bags=paid_bags,
        insurance=insurance,
        payments=payments,
    )
    world.put(reservation)
    return reservation


@write("cancel", "cancellation")
def cancel_reservation(world: World, reservation_id: ReservationId, reason: CancelReason) -> Reservation:
    """Cancel a whole reservation. What cards and gift cards paid goes back to them at once.

    Args:
        reservation_id: Six-character reservation number.
        reason: The customer's reason.
    """
    reservation, _ = active(world, reservation_id)
    refunds = terms.refundable(world, reservation)
    for method, amount in refunds.items():
        charge(world, reservation.customer_id, method, -amount)
    for leg in reservation.legs:
        give_back_seats(world, leg, reservation.cabin, len(reservation.passengers))
    cancelled = msgspec.structs.replace(
        reservation,
        status="cancelled",
        cancel_reason=reason,
        payments=reservation.payments + tuple(Payment(key, -amount) for key, amount in refunds.items()),
    )
    world.put(cancelled)
    return cancelled


@write(
    "change the flight", "flights of reservation",
    "change ~ flight", "change ~ flights", "move ~ flight", "move ~ flights", "switch ~ flight",
    "flight change", "flights ~ changed", "flights ~ moved", "new flight", "new flights", "reschedule",
    "change ~ date", "modify ~ flight", "modify ~ flights", "update ~ flight", "update ~ flights",
    "itinerary ~ changed", "change ~ itinerary", "move ~ reservation", "move ~ trip",
)  # fmt: skip
def change_flights(
    world: World,
    reservation_id: ReservationId,
    flights: tuple[FlightOn, ...],
    payment_method_id: PaymentId,
) -> Reservation:
    """Replace the flights of a reservation. Flights that stay keep their fare; new ones cost today's.

    Args:
        reservation_id: Six-character reservation number.
        flights: Every flight after the change in the order of travel, those that stay included.
        payment_method_id: Pays the difference, or receives it when the new flights cost less.
    """
    reservation, _ = active(world, reservation_id)
    cabin, count = reservation.cabin, len(reservation.passengers)
    kept = {(leg.flight_number, leg.date): leg for leg in reservation.legs}
    legs = tuple(kept.get((leg.flight_number, leg.date), leg) for leg in itinerary(world, flights, cabin))
    staying = {(leg.flight_number, leg.date) for leg in legs} & kept.keys()
    new = [leg for leg in legs if (leg.flight_number, leg.date) not in staying]
    if not new and len(legs) == len(reservation.legs):
        raise ToolError("These are the flights that the reservation has already.")
    require_scheduled(world, new)
    for key, leg in kept.items():
        if key not in staying:
            give_back_seats(world, leg, cabin, count)
    for leg in new:
        take_seats(world, leg.flight_number, leg.date, cabin, count)
    due = total(legs, count) - total(reservation.legs, count)
    changed = _paid(world, reservation, payment_method_id, due)
    changed = msgspec.structs.replace(changed, legs=legs, origin=legs[0].origin, destination=turning_point(legs))
    world.put(changed)
    return changed


@write(
    "upgrade", "downgrade", "cabin change", "change ~ cabin", "switch ~ cabin", "cabin ~ changed",
    "change ~ economy", "change ~ business", "switch ~ economy", "switch ~ business", "move ~ business",
    "move ~ economy", "update ~ cabin", "modify ~ cabin",
)  # fmt: skip
def change_cabin(
    world: World, reservation_id: ReservationId, cabin: Cabin, payment_method_id: PaymentId
) -> Reservation:
    """Change the cabin of all passengers on all flights of a reservation, at today's fares.

    Args:
        reservation_id: Six-character reservation number.
        cabin: The new cabin.
        payment_method_id: Pays the difference, or receives it when the new cabin costs less.
    """
    reservation, _ = active(world, reservation_id)
    count = len(reservation.passengers)
    if cabin == reservation.cabin:
        raise ToolError(f"Reservation {reservation_id} is in {cabin} already.")
    legs: list[msgspec.Struct] = []
    for leg in reservation.legs:
        give_back_seats(world, leg, reservation.cabin, count)
        take_seats(world, leg.flight_number, leg.date, cabin, count)
        fare = terms.fare(day_of(world, leg.flight_number, leg.date), cabin)
        legs.append(msgspec.structs.replace(leg, fare=fare))
    fresh = msgspec.structs.replace(reservation, cabin=cabin, legs=tuple(legs))
    due = total(fresh.legs, count) - total(reservation.legs, count)
    changed = _paid(world, fresh, payment_method_id, due)
    world.put(changed)
    return changed


@write(
    "more checked bag", "more checked bags",
    "add ~ bag", "add ~ bags", "add ~ baggage", "add ~ luggage", "bag ~ added", "bags ~ added",
    "baggage ~ added", "update ~ bags", "update ~ baggage", "bags ~ updated", "baggage update",
    "baggage ~ updated", "increase ~ bags", "change ~ bags",
)  # fmt: skip
def add_bags(
    world: World,
    reservation_id: ReservationId,
    added_bags: int,
    paid_bags: int,
    payment_method_id: PaymentId = "",
) -> Reservation:
    """Add checked bags to a reservation.

    Args:
        reservation_id: Six-character reservation number.
        added_bags: How many bags are added.
        paid_bags: For how many of the added bags the fee is charged; the others are free of charge.
        payment_method_id: Pays the fee; left out when no bag is charged.
    """
    reservation, _ = active(world, reservation_id)
    if added_bags < 1:
        raise ToolError("added_bags must be at least 1: bags can be added, not taken away.")
    if not 0 <= paid_bags <= added_bags:
        raise ToolError(f"paid_bags must be between 0 and {added_bags}.")
    changed = reservation
    if paid_bags:
        changed = _paid(world, reservation, payment_method_id, terms.BAG_FEE * paid_bags)
    changed = msgspec.structs.replace(
        changed, bags=reservation.bags + added_bags, paid_bags=reservation.paid_bags + paid_bags
    )
    world.put(changed)
    return changed


@write(
    "details of passenger",
    "change ~ passenger", "update ~ passenger", "replace ~ passenger", "passenger change",
    "passenger ~ updated", "passenger ~ changed", "passenger ~ corrected", "correct ~ passenger",
    "correct ~ name", "update ~ name", "change ~ name", "name ~ corrected", "name ~ updated",
    "correct ~ birth", "correct ~ dob", "update ~ dob", "birth ~ corrected", "change ~ passengers",
    "update ~ passengers", "modify ~ passenger",
)  # fmt: skip
def change_passengers(world: World, reservation_id: ReservationId, passengers: tuple[Passenger, ...]) -> Reservation:
    """Replace the passenger details of a reservation. Their number cannot change.

    Args:
        reservation_id: Six-character reservation number.
        passengers: Everybody on the reservation after the change, unchanged passengers included.
    """
    reservation, _ = active(world, reservation_id)
    if len(passengers) != len(reservation.passengers):
        raise ToolError(f"The reservation is for {len(reservation.passengers)} passengers; their number cannot change.")
    changed = msgspec.structs.replace(reservation, passengers=passengers)
    world.put(changed)
    return changed


@write(
    "add travel insurance", "insurance has been added",
    "add ~ insurance", "insurance ~ added", "include ~ insurance", "update ~ insurance", "buy ~ insurance",
    "insurance update",
)  # fmt: skip
def add_insurance(world: World, reservation_id: ReservationId, payment_method_id: PaymentId) -> Reservation:
    """Add travel insurance for all passengers of a reservation.

    Args:
        reservation_id: Six-character reservation number.
        payment_method_id: Pays the insurance.
    """
    reservation, _ = active(world, reservation_id)
    if reservation.insurance == "yes":
        raise ToolError(f"Reservation {reservation_id} has travel insurance already.")
    due = terms.INSURANCE_PRICE * len(reservation.passengers)
    changed = msgspec.structs.replace(_paid(world, reservation, payment_method_id, due), insurance="yes")
    world.put(changed)
    return changed


@write(
    "issue ~ certificate", "send ~ certificate", "certificate ~ issued", "certificate ~ sent",
    "compensation certificate", "goodwill certificate", "certificate ~ added", "provide ~ certificate",
    "offer ~ certificate", "issue ~ compensation", "issue ~ voucher",
)  # fmt: skip
def issue_certificate(
    world: World, customer_id: CustomerId, reservation_id: ReservationId, amount: Money
) -> Certificate:
    """Issue a travel certificate as compensation for a delayed or cancelled flight.

    Args:
        customer_id: Id of the customer who receives it.
        reservation_id: The reservation whose flight was late or cancelled.
        amount: Value in dollars.
    """
    reservation = reservation_of(world, reservation_id)
    if customer_of(world, customer_id).id != reservation.customer_id:
        raise ToolError(f"Reservation {reservation_id} is not this customer's.")
    if amount <= 0:
        raise ToolError("The amount must be more than zero.")
    certificate = Certificate(
        id=world.new_id(Certificate, "cert_", customer_id, reservation_id, amount),
        customer_id=customer_id,
        reservation_id=reservation_id,
        amount=amount,
        issued=world.now.date().isoformat(),
    )
    world.put(certificate)
    return certificate


def _paid(world: World, reservation: Reservation, method: str, due: Money) -> Reservation:
    """The reservation with a payment (or refund) of `due` recorded and carried out."""
    charge(world, reservation.customer_id, method, due)
    if due == 0:
        return reservation
    return msgspec.structs.replace(reservation, payments=(*reservation.payments, Payment(method, due)))


WRITES = (
    book_reservation,
    cancel_reservation,
    change_flights,
    change_cabin,
    add_bags,
    change_passengers,
    add_insurance,
    issue_certificate,
)
