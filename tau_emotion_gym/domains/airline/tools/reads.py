"""What the agent may look up."""

import msgspec

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.ledger import (
    customer_of,
    day_of,
    reservation_of,
)
from tau_emotion_gym.domains.airline.network import Airport, neighbours, network
from tau_emotion_gym.domains.airline.records import (
    AirportCode,
    Cabin,
    Certificate,
    Customer,
    CustomerId,
    Fares,
    Flight,
    FlightDay,
    FlightNumber,
    Passenger,
    PaymentMethod,
    Reservation,
    ReservationId,
    Seats,
    Tier,
)
from tau_emotion_gym.domains.airline.timetable import CONNECTION
from tau_emotion_gym.domains.airline.timetable import minutes as minutes_of
from tau_emotion_gym.kit import ToolError, read
from tau_emotion_gym.world import Date, World


class TripLine(msgspec.Struct, frozen=True):
    """A reservation in one line; `date` is that of its first flight."""

    reservation_id: ReservationId
    status: str
    origin: AirportCode
    destination: AirportCode
    date: Date
    cabin: Cabin


class Account(msgspec.Struct, frozen=True):
    """A customer's account: who it is, how it can pay, with whom it travels, and its reservations."""

    id: CustomerId
    first_name: str
    last_name: str
    birth_date: Date
    tier: Tier
    payment_methods: tuple[PaymentMethod, ...]
    certificates: tuple[Certificate, ...]
    companions: tuple[Passenger, ...]
    reservations: tuple[TripLine, ...]


class Offer(msgspec.Struct, frozen=True):
    """A flight that can be booked: times, seats left and fare per passenger for each cabin."""

    flight_number: FlightNumber
    date: Date
    origin: AirportCode
    destination: AirportCode
    departs: str
    arrives: str
    seats: Seats
    fares: Fares


class Connection(msgspec.Struct, frozen=True):
    """Two flights with a change between them."""

    first: Offer
    second: Offer


@read
def find_customer_by_email(world: World, email: str) -> Account:
    """Find a customer's account by the email address on file.

    Args:
        email: Email address, for example "ada.berg@mailbox.example".
    """
    found = world.where(Customer, "email", email.strip().lower())
    if not found:
        raise ToolError(f"No customer has the email address {email!r}.")
    return _account(world, found[0])


@read
def find_customer_by_name_birth_date(world: World, first_name: str, last_name: str, birth_date: Date) -> Account:
    """Find a customer's account by full name and date of birth.

    Args:
        first_name: First name.
        last_name: Last name.
        birth_date: Date of birth as YYYY-MM-DD.
    """
    wanted = (first_name.strip().lower(), last_name.strip().lower())
    for customer in world.where(Customer, "birth_date", birth_date):
        if (customer.first_name.lower(), customer.last_name.lower()) == wanted:
            return _account(world, customer)
    raise ToolError(f"No customer {first_name} {last_name} was born on {birth_date}.")


@read
def get_customer(world: World, customer_id: CustomerId) -> Account:
    """Look up an account by its id, for example again after a change.

    Args:
        customer_id: Id of the customer.
    """
    return _account(world, customer_of(world, customer_id))


@read
def get_reservation(world: World, reservation_id: ReservationId) -> Reservation:
    """Look up a reservation: flights, passengers, cabin, bags, insurance, payments and when it was booked.

    Args:
        reservation_id: Six-character reservation number.
    """
    return reservation_of(world, reservation_id)


@read
def get_flight_status(world: World, flight_number: FlightNumber, date: Date) -> FlightDay:
    """Look up a flight on a date: status, delay in minutes, seats left and current fares per passenger.

    Args:
        flight_number: Flight number, for example "JN412".
        date: Date of departure as YYYY-MM-DD.
    """
    return day_of(world, flight_number, date)


@read
def search_direct_flights(world: World, origin: AirportCode, destination: AirportCode, date: Date) -> tuple[Offer, ...]:
    """List the direct flights that can be booked between two airports on a date, earliest first.

    Args:
        origin: Airport code of the departure, for example "JFK".
        destination: Airport code of the arrival.
        date: Date of departure as YYYY-MM-DD.
    """
    _check_airports(origin, destination)
    return _offers(world, origin, destination, date)


@read
def search_one_stop_flights(
    world: World, origin: AirportCode, destination: AirportCode, date: Date
) -> tuple[Connection, ...]:
    """List the connections with one change that can be booked between two airports on a date.

    Args:
        origin: Airport code of the departure, for example "JFK".
        destination: Airport code of the final arrival.
        date: Date of departure as YYYY-MM-DD.
    """
    _check_airports(origin, destination)
    found: list[Connection] = []
    for via in neighbours()[origin]:
        if destination in neighbours()[via] and (onward := _offers(world, via, destination, date)):
            for first in _offers(world, origin, via, date):
                ready = _later(first.arrives, CONNECTION)
                found += [Connection(first, second) for second in onward if second.departs >= ready]
    return tuple(found)


@read
def list_airports(world: World) -> tuple[Airport, ...]:
    """List the airports that the airline serves, with their codes and cities."""
    return network().airports


def _account(world: World, customer: Customer) -> Account:
    return Account(
        customer.id,
        customer.first_name,
        customer.last_name,
        customer.birth_date,
        customer.tier,
        customer.payment_methods,
        tuple(world.where(Certificate, "customer_id", customer.id)),
        customer.companions,
        tuple(
            TripLine(trip.id, trip.status, trip.origin, trip.destination, trip.legs[0].date, trip.cabin)
            for trip in world.where(Reservation, "customer_id", customer.id)
        ),
    )


def _check_airports(*codes: str) -> None:
    for code in codes:
        if code not in neighbours():
            raise ToolError(f"{code!r} is no airport code. Valid: {', '.join(neighbours())}.")


def _offers(world: World, origin: str, destination: str, date: str) -> tuple[Offer, ...]:
    found: list[Offer] = []
    for flight in world.where(Flight, "route", f"{origin}-{destination}"):
        day = terms.flight_day(world, flight.number, date)
        if day is not None and day.status == "scheduled":
            found.append(
                Offer(
                    flight.number,
                    date,
                    origin,
                    destination,
                    flight.departs,
                    flight.arrives,
                    day.seats,
                    day.fares,
                )
            )
    found.sort(key=lambda offer: offer.departs)
    return tuple(found)


def _later(time: str, minutes: int) -> str:
    """HH:MM that many minutes later; past midnight sorts after every time of the day."""
    at = minutes_of(time) + minutes
    return f"{at // 60:02}:{at % 60:02}" if at < 24 * 60 else "24:00"


READS = (
    find_customer_by_email,
    find_customer_by_name_birth_date,
    get_customer,
    get_reservation,
    get_flight_status,
    search_direct_flights,
    search_one_stop_flights,
    list_airports,
)
