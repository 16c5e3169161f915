"""The tables of the phone company."""

from typing import Annotated, ClassVar, Literal

import msgspec

from tau_emotion_gym.world import MULTISET, SET, Date, FreeText, Money, Record, Ref

AccountId = Annotated[str, Ref("account")]
LineId = Annotated[str, Ref("line")]
BillId = Annotated[str, Ref("bill")]
TicketId = Annotated[str, Ref("ticket")]
PaymentId = Annotated[str, Ref("payment")]
PlanId = Annotated[str, Ref("plan")]
AddOnId = Annotated[str, Ref("add_on")]

LineStatus = Literal["active", "paused", "lost_or_stolen", "unpaid"]
BillStatus = Literal["paid", "open", "overdue", "arranged"]
ItemKind = Literal["plan", "add_on", "roaming", "late_fee"]
Topic = Literal["outage", "coverage", "device", "billing"]
Setting = Literal["apn", "mobile_data", "network_mode", "roaming"]
PauseReason = Literal["away", "lost_or_stolen"]


class Payment(msgspec.Struct, frozen=True, kw_only=True):
    """A way to pay; `expires` is the last month in which a card can be charged."""

    id: PaymentId
    label: str
    expires: str | None = None


class Credit(msgspec.Struct, frozen=True, kw_only=True):
    """A goodwill credit that was given."""

    day: Date
    amount: Money


class Account(Record, frozen=True):
    """Somebody who is billed for one or more lines. `pending` goes onto the next bill; it may be negative."""

    table: ClassVar[str] = "accounts"

    id: AccountId
    first_name: str
    last_name: str
    email: str
    phone: str
    zip: str
    pin: str
    next_bill: Date
    pending: Money
    payments: Annotated[tuple[Payment, ...], SET]
    autopay: PaymentId | None
    credits: Annotated[tuple[Credit, ...], MULTISET]


class Booked(msgspec.Struct, frozen=True, kw_only=True):
    """An add-on on a line."""

    add_on: AddOnId
    since: Date


class Line(Record, frozen=True):
    """A phone number with its plan. `data_used` are gigabytes in the last three months, the latest last."""

    table: ClassVar[str] = "lines"

    id: LineId
    account: AccountId
    number: str
    user: str
    plan: PlanId
    add_ons: Annotated[tuple[Booked, ...], SET]
    status: LineStatus
    paused_until: Date | None
    contract_until: Date
    sim: str
    sim_since: Date
    data_used: tuple[int, int, int]


class Device(Record, frozen=True):
    """The phone on a line, as the network sees it."""

    table: ClassVar[str] = "devices"

    id: Annotated[str, Ref("device")]
    line: LineId
    model: str
    sim_registered: bool
    apn_correct: bool
    mobile_data_on: bool
    network_mode_correct: bool
    roaming_on: bool


class BillItem(msgspec.Struct, frozen=True, kw_only=True):
    """One charge on a bill; a late fee belongs to no line."""

    kind: ItemKind
    label: str
    number: str | None = None
    amount: Money


class Arrangement(msgspec.Struct, frozen=True, kw_only=True):
    """A bill that is paid in installments."""

    installments: int
    last_due: Date


class Bill(Record, frozen=True):
    """One month's bill of an account."""

    table: ClassVar[str] = "bills"

    id: BillId
    account: AccountId
    month: str
    due: Date
    total: Money
    paid: Money
    status: BillStatus
    paid_with: PaymentId | None
    arrangement: Arrangement | None
    items: tuple[BillItem, ...]


class Outage(Record, frozen=True):
    """A fault of the network in one ZIP code; `until` is the expected end, or the end if it is over."""

    table: ClassVar[str] = "outages"

    id: Annotated[str, Ref("outage")]
    zip: str
    since: Date
    until: Date
    over: bool


class Ticket(Record, frozen=True):
    """A fault that engineers work on."""

    table: ClassVar[str] = "tickets"

    id: TicketId
    account: AccountId
    line: LineId
    topic: Topic
    opened: Date
    status: Literal["open", "closed"]
    priority: Literal["normal", "urgent"]
    note: FreeText
