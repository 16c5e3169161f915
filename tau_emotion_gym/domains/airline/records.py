"""The tables: customers, scheduled flights and their days, reservations, certificates."""

from typing import Annotated, ClassVar, Literal

import msgspec

from tau_emotion_gym.world import MULTISET, Date, Money, Record, Ref

CustomerId = Annotated[str, Ref("customer")]
ReservationId = Annotated[str, Ref("reservation")]
FlightNumber = Annotated[str, Ref("flight")]
AirportCode = Annotated[str, Ref("airport")]
PaymentId = Annotated[str, Ref("payment_method")]

Tier = Literal["regular", "silver", "gold"]
Cabin = Literal["basic_economy", "economy", "business"]
Choice = Literal["yes", "no"]
Status = Literal["scheduled", "delayed", "cancelled", "departed", "landed"]
Trip = Literal["one_way", "round_trip"]
CancelReason = Literal["change_of_plans", "airline_cancelled", "illness", "bereavement", "severe_weather", "other"]


class Address(msgspec.Struct, frozen=True, gc=False):
    """A home address."""

    street: str
    city: str
    state: str
    zip: str


class PaymentMethod(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A card or gift card on file. `balance` is a gift card's, in dollars; `last_four` a card's."""

    id: PaymentId
    kind: Literal["credit_card", "gift_card"]
    brand: str = ""
    last_four: str = ""
    balance: Money | None = None


class Passenger(msgspec.Struct, frozen=True, gc=False):
    """Somebody who flies."""

    first_name: str
    last_name: str
    birth_date: Date


class Customer(Record, frozen=True, gc=False):
    """An account holder; `companions` are the travellers saved in the profile."""

    table: ClassVar[str] = "customers"

    id: CustomerId
    first_name: str
    last_name: str
    email: str
    phone: str
    birth_date: Date
    address: Address
    tier: Tier
    payment_methods: Annotated[tuple[PaymentMethod, ...], MULTISET]
    companions: Annotated[tuple[Passenger, ...], MULTISET] = ()


class Flight(Record, frozen=True, gc=False):
    """A daily flight. `route` is "origin-destination"; times are HH:MM on the airline's clock."""

    table: ClassVar[str] = "flights"

    number: FlightNumber
    route: str
    origin: AirportCode
    destination: AirportCode
    departs: str
    arrives: str


class Seats(msgspec.Struct, frozen=True, gc=False):
    """Seats left per cabin."""

    basic_economy: int
    economy: int
    business: int


class Fares(msgspec.Struct, frozen=True, gc=False):
    """Fare per passenger and cabin, in dollars."""

    basic_economy: Money
    economy: Money
    business: Money


class FlightDay(Record, frozen=True, gc=False):
    """A flight on one date: status, delay in minutes, seats left and fares."""

    table: ClassVar[str] = "flight_days"

    id: Annotated[str, Ref("flight_day")]
    number: FlightNumber
    date: Date
    status: Status
    delay_minutes: int
    seats: Seats
    fares: Fares


class Leg(msgspec.Struct, frozen=True, gc=False):
    """One flight of a reservation; `fare` is what each passenger paid for it."""

    flight_number: FlightNumber
    date: Date
    origin: AirportCode
    destination: AirportCode
    fare: Money


class Payment(msgspec.Struct, frozen=True, gc=False):
    """An amount charged to a payment method or certificate; refunds are negative."""

    payment_method_id: PaymentId
    amount: Money


class Reservation(Record, frozen=True, gc=False):
    """A booked trip. `bags` counts all checked bags, `paid_bags` those that a fee was charged for."""

    table: ClassVar[str] = "reservations"

    id: ReservationId
    customer_id: CustomerId
    status: Literal["active", "cancelled"]
    trip: Trip
    origin: AirportCode
    destination: AirportCode
    cabin: Cabin
    booked_at: str
    legs: tuple[Leg, ...]
    passengers: Annotated[tuple[Passenger, ...], MULTISET]
    bags: int
    paid_bags: int
    insurance: Choice
    payments: Annotated[tuple[Payment, ...], MULTISET]
    cancel_reason: str = ""


class Certificate(Record, frozen=True, gc=False):
    """A travel certificate: a credit in dollars that pays for a new reservation once."""

    table: ClassVar[str] = "certificates"

    id: PaymentId
    customer_id: CustomerId
    reservation_id: ReservationId
    amount: Money
    issued: Date


RECORDS = (Customer, Flight, FlightDay, Reservation, Certificate)
