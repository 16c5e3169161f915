"""What an agent can look up."""

from collections.abc import Callable
from typing import Literal

import msgspec

from tau_emotion_gym.kit import ToolError, existing, read
from tau_emotion_gym.world import Date, Money, World

from ..billing import bills_of, lines_of
from ..catalogue import AddOn, Plan, catalogue
from ..records import (
    Account,
    AccountId,
    Bill,
    BillId,
    BillStatus,
    Credit,
    Device,
    Line,
    LineId,
    Outage,
    Payment,
    PaymentId,
    Ticket,
)

Finding = Literal[
    "ok",
    "sim_not_registered",
    "apn_wrong",
    "mobile_data_off",
    "network_mode_wrong",
    "roaming_off",
]


class LineOfCaller(msgspec.Struct, frozen=True):
    """A line as the search for an account shows it."""

    line_id: LineId
    number: str
    user: str


class Caller(msgspec.Struct, frozen=True):
    """An account as the search for it shows it."""

    account_id: AccountId
    first_name: str
    last_name: str
    zip: str
    next_bill: Date
    lines: tuple[LineOfCaller, ...]


class AccountShown(msgspec.Struct, frozen=True):
    """An account without its PIN."""

    account_id: AccountId
    next_bill: Date
    pending: Money
    payments: tuple[Payment, ...]
    autopay: PaymentId | None
    credits: tuple[Credit, ...]


class BillSummary(msgspec.Struct, frozen=True):
    """A bill without its items."""

    bill_id: BillId
    month: str
    due: Date
    total: Money
    paid: Money
    status: BillStatus
    installments_until: Date | None


class Usage(msgspec.Struct, frozen=True):
    """Gigabytes that a line used in the last three months, the latest last."""

    line_id: LineId
    gigabytes: tuple[int, int, int]


class Diagnosis(msgspec.Struct, frozen=True):
    """What one check of a phone found."""

    line_id: LineId
    model: str
    check: str
    finding: Finding


def caller(world: World, account: Account) -> Caller:
    """The account with its lines."""
    lines = tuple(LineOfCaller(line.id, line.number, line.user) for line in lines_of(world, account.id))
    return Caller(account.id, account.first_name, account.last_name, account.zip, account.next_bill, lines)


@read
def find_account_by_phone(world: World, phone: str, zip: str) -> Caller:
    """Find an account by the phone number of one of its lines and the billing ZIP code. Shows its lines.

    Args:
        phone: The number, for example 555-1234567.
        zip: The five-digit billing ZIP code.
    """
    for line in world.where(Line, "number", phone.strip()):
        account = existing(world, Account, line.account)
        if account.zip == zip.strip():
            return caller(world, account)
    raise ToolError(f"There is no line {phone} with the billing ZIP code {zip}.")


@read
def find_account_by_email(world: World, email: str, last_name: str) -> Caller:
    """Find an account by email address and the account holder's last name. Shows its lines.

    Args:
        email: The email address on the account.
        last_name: The account holder's last name.
    """
    for account in world.where(Account, "email", email.strip().lower()):
        if account.last_name.casefold() == last_name.strip().casefold():
            return caller(world, account)
    raise ToolError(f"There is no account of {last_name} with the email address {email}.")


@read
def verify_pin(world: World, account_id: AccountId, pin: str) -> str:
    """Check the account PIN that the customer tells you. Fails when it is wrong.

    Args:
        account_id: The account's id.
        pin: The four digits.
    """
    if existing(world, Account, account_id).pin != pin.strip():
        raise ToolError("The PIN is wrong.")
    return "The PIN is right."


@read
def get_account(world: World, account_id: AccountId) -> AccountShown:
    """Show an account: the day of the next bill, ways to pay, autopay and the goodwill credits given so far.

    Args:
        account_id: The account's id.
    """
    account = existing(world, Account, account_id)
    return AccountShown(
        account.id, account.next_bill, account.pending, account.payments, account.autopay, account.credits
    )


@read
def list_lines(world: World, account_id: AccountId) -> tuple[Line, ...]:
    """List an account's lines: number, user, plan, add-ons with their start, status, contract and SIM.

    Args:
        account_id: The account's id.
    """
    existing(world, Account, account_id)
    return tuple(lines_of(world, account_id))


@read
def list_bills(world: World, account_id: AccountId) -> tuple[BillSummary, ...]:
    """List an account's bills, the oldest first, with what was paid and the last day of any installments.

    Args:
        account_id: The account's id.
    """
    existing(world, Account, account_id)
    return tuple(_summary(bill) for bill in bills_of(world, account_id))


def _summary(bill: Bill) -> BillSummary:
    until = bill.arrangement.last_due if bill.arrangement else None
    return BillSummary(bill.id, bill.month, bill.due, bill.total, bill.paid, bill.status, until)


@read
def get_bill(world: World, bill_id: BillId) -> Bill:
    """Show a bill with every charge on it.

    Args:
        bill_id: The bill's id.
    """
    return existing(world, Bill, bill_id, "list_bills shows the ids.")


@read
def list_plans(world: World) -> tuple[Plan, ...]:
    """List the plans on sale with price, data and tier, the cheapest first."""
    return catalogue().plans


@read
def list_add_ons(world: World) -> tuple[AddOn, ...]:
    """List the add-ons on sale with price, group and the lowest tier of plan that each goes with."""
    return catalogue().add_ons


@read
def get_usage(world: World, line_id: LineId) -> Usage:
    """Show how many gigabytes a line used in each of the last three months.

    Args:
        line_id: The line's id.
    """
    line = existing(world, Line, line_id)
    return Usage(line.id, line.data_used)


@read
def check_outage(world: World, zip: str) -> tuple[Outage, ...]:
    """List the network outages in a ZIP code: current ones with the expected end, and past ones.

    Args:
        zip: The five-digit ZIP code.
    """
    return tuple(world.where(Outage, "zip", zip.strip()))


@read
def run_diagnostics(world: World, line_id: LineId, check: Literal["sim", "settings", "roaming"]) -> Diagnosis:
    """Run one remote check on the phone of a line and show the finding.

    Args:
        line_id: The line's id.
        check: What to check: the SIM's registration, the data settings, or the roaming switch.
    """
    existing(world, Line, line_id)
    (device,) = world.where(Device, "line", line_id)
    return Diagnosis(line_id, device.model, check, FINDINGS[check](device))


def _settings(device: Device) -> Finding:
    if not device.apn_correct:
        return "apn_wrong"
    if not device.mobile_data_on:
        return "mobile_data_off"
    return "ok" if device.network_mode_correct else "network_mode_wrong"


def _sim(device: Device) -> Finding:
    return "ok" if device.sim_registered else "sim_not_registered"


def _roaming(device: Device) -> Finding:
    return "ok" if device.roaming_on else "roaming_off"


FINDINGS: dict[str, Callable[[Device], Finding]] = {"sim": _sim, "settings": _settings, "roaming": _roaming}


@read
def list_tickets(world: World, account_id: AccountId) -> tuple[Ticket, ...]:
    """List an account's tickets with topic, line, day of opening, status and priority.

    Args:
        account_id: The account's id.
    """
    existing(world, Account, account_id)
    return tuple(world.where(Ticket, "account", account_id))
