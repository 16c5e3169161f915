"""The phone company's policy: each sentence that the agent reads, with its check."""
# ruff: noqa: D103 (the sentence of a rule is its documentation)

from decimal import Decimal
from typing import Any

from tau_emotion_gym.kit import TRANSFER, Context, Rule, authentication, confirmation, days_between, one_customer, rule
from tau_emotion_gym.world import World

from .billing import bills_of, credit_due, overdue, owed
from .catalogue import add_ons, plans
from .records import Account, Bill, Device, Line, Outage, Payment, Ticket
from .tools import (
    add_add_on,
    apply_goodwill_credit,
    arrange_payment,
    change_plan,
    drop_add_on,
    get_account,
    get_bill,
    get_usage,
    list_bills,
    list_lines,
    list_tickets,
    open_ticket,
    pay_bill,
    push_settings,
    refresh_sim,
    restore_line,
    run_diagnostics,
    set_autopay,
    suspend_line,
    swap_sim,
    update_ticket,
    verify_pin,
)

MINIMUM_TERM = 30
LEAST_INSTALLMENT = Decimal(25)
MOST_INSTALLMENTS = 4
LONGEST_PAUSE = 90
SIM_INTERVAL = 30
DAYS_UNTIL_URGENT = 7

READS = (verify_pin, get_account, list_lines, list_bills, get_bill, get_usage, run_diagnostics, list_tickets)
WRITES = (
    change_plan,
    add_add_on,
    drop_add_on,
    pay_bill,
    set_autopay,
    arrange_payment,
    suspend_line,
    restore_line,
    swap_sim,
    refresh_sim,
    push_settings,
    open_ticket,
    update_ticket,
    apply_goodwill_credit,
)


def _owner(world: World, arguments: Any) -> str | None:
    """The account that a call touches."""
    if hasattr(arguments, "account_id"):
        return str(arguments.account_id)
    for kind, field in ((Line, "line_id"), (Bill, "bill_id"), (Ticket, "ticket_id")):
        if hasattr(arguments, field):
            record = world.get(kind, getattr(arguments, field))
            return record.account if record else None  # type: ignore[attr-defined]
    return None


def _account_of(context: Context, arguments: Any) -> Account | None:
    owner = _owner(context.world, arguments)
    return context.world.get(Account, owner) if owner else None


identified = authentication(
    "Before anything else, find the account: by the phone number of a line and the billing ZIP code, or by the "
    "email address and the account holder's last name.",
    *READS,
    *WRITES,
    TRANSFER,
)

confirmed = confirmation(
    "Before every change to an account, a line, a phone, a bill or a ticket, say exactly what you will do and wait "
    "for a yes.",
    *WRITES,
)

one_account = one_customer(
    "Serve one account per conversation; never look into or change another one.",
    _owner,
    *READS,
    *WRITES,
)


@rule(
    "Change a plan or add an add-on only when no bill of the account is overdue. A bill that is paid in "
    "installments is not overdue.",
    change_plan,
    add_add_on,
)
def nothing_overdue(context: Context, arguments: Any) -> bool:
    account = _account_of(context, arguments)
    return account is None or not overdue(context.world, account.id)


@rule(
    "While a line is under contract, move it only to a plan that costs the same or more. The contract ends on the "
    "date that the line shows.",
    change_plan,
)
def contract_kept(context: Context, arguments: Any) -> bool:
    line = context.world.get(Line, arguments.line_id)
    if line is None or arguments.plan_id not in plans() or line.contract_until < context.world.base.today:
        return True
    return plans()[arguments.plan_id].price >= plans()[line.plan].price


@rule("An add-on goes only with a plan of its own tier or a higher one (basic, plus, premium).", add_add_on)
def add_on_fits_plan(context: Context, arguments: Any) -> bool:
    line, add_on = context.world.get(Line, arguments.line_id), add_ons().get(arguments.add_on_id)
    return line is None or add_on is None or add_on.goes_with(plans()[line.plan])


@rule("A line has at most one add-on of each group, so drop the old one before you add another.", add_add_on)
def one_of_a_group(context: Context, arguments: Any) -> bool:
    line, add_on = context.world.get(Line, arguments.line_id), add_ons().get(arguments.add_on_id)
    if line is None or add_on is None:
        return True
    return all(add_ons()[booked.add_on].group != add_on.group for booked in line.add_ons)


@rule("An add-on can be dropped from the 30th day after it was added.", drop_add_on)
def minimum_term(context: Context, arguments: Any) -> bool:
    line = context.world.get(Line, arguments.line_id)
    booked = [item for item in line.add_ons if item.add_on == arguments.add_on_id] if line else []
    return all(days_between(item.since, context.world.base.today) >= MINIMUM_TERM for item in booked)


@rule("A payment settles a bill in full, never in part, and the oldest overdue bill comes first.", pay_bill)
def oldest_in_full(context: Context, arguments: Any) -> bool:
    bill = context.world.get(Bill, arguments.bill_id)
    if bill is None:
        return True
    late = overdue(context.world, bill.account)
    return arguments.amount == owed(bill) and (not late or late[0].id == bill.id)


@rule(
    "Never charge an expired card and never use one for autopay. A card can be charged until the end of the month "
    "in which it expires.",
    pay_bill,
    set_autopay,
)
def no_expired_card(context: Context, arguments: Any) -> bool:
    account = _account_of(context, arguments)
    found = [p for p in account.payments if p.id == arguments.payment_id] if account else []
    return not any(expired(payment, context.world.base.today) for payment in found)


def expired(payment: Payment, today: str) -> bool:
    """Whether a card can no longer be charged."""
    return payment.expires is not None and payment.expires < today[:7]


@rule(
    "What is owed on a bill may be split into 2 to 4 monthly installments, each of at least $25.00.",
    arrange_payment,
)
def installment_limits(context: Context, arguments: Any) -> bool:
    bill = context.world.get(Bill, arguments.bill_id)
    if bill is None:
        return True
    parts = arguments.installments
    return bool(parts <= MOST_INSTALLMENTS) and (parts <= 0 or owed(bill) / parts >= LEAST_INSTALLMENT)


@rule("An account has one bill in installments at a time.", arrange_payment)
def one_arrangement(context: Context, arguments: Any) -> bool:
    account = _account_of(context, arguments)
    return account is None or all(bill.status != "arranged" for bill in bills_of(context.world, account.id))


@rule(
    "A pause while the customer is away needs a last day, which is at most 90 days from today.",
    suspend_line,
)
def pause_limit(context: Context, arguments: Any) -> bool:
    if arguments.reason != "away":
        return True
    return arguments.until is not None and (
        0 < days_between(context.world.base.today, arguments.until) <= LONGEST_PAUSE
    )


@rule(
    "A line that is suspended for unpaid bills is restored only when no bill of the account is overdue.", restore_line
)
def paid_before_restored(context: Context, arguments: Any) -> bool:
    line = context.world.get(Line, arguments.line_id)
    return line is None or line.status != "unpaid" or not overdue(context.world, line.account)


@rule(
    "Before you swap a SIM or restore a line that was reported lost or stolen, ask for the account PIN and check it "
    "with verify_pin.",
    swap_sim,
    restore_line,
)
def pin_first(context: Context, arguments: Any) -> bool:
    line = context.world.get(Line, arguments.line_id)
    needed = line is not None and (type(arguments) is swap_sim.arguments or line.status == "lost_or_stolen")
    return not needed or line is None or context.called("verify_pin", account_id=line.account)


@rule(
    "The SIM of a line is swapped at most once in 30 days, counted from the day of the last swap on the line.",
    swap_sim,
)
def sim_interval(context: Context, arguments: Any) -> bool:
    line = context.world.get(Line, arguments.line_id)
    return line is None or days_between(line.sim_since, context.world.base.today) >= SIM_INTERVAL


@rule(
    "When calls or data fail at home, go through the checks in this order and act on the first fault: a current "
    "outage in the billing ZIP code (open a ticket with the topic outage), the SIM check (refresh a SIM that is not "
    "registered), the settings check (push the one setting that it names). If all three find nothing, open a ticket "
    "with the topic device. Never mend what no check has found, and never swap a SIM to cure a fault.",
    refresh_sim,
    push_settings,
    open_ticket,
)
def first_fault(context: Context, arguments: Any) -> bool:
    world, line = context.world, context.world.get(Line, arguments.line_id)
    if line is None:
        return True
    (device,) = world.where(Device, "line", line.id)
    if getattr(arguments, "setting", "") == "roaming":
        return context.called("run_diagnostics", line_id=line.id, check="roaming") and not device.roaming_on
    return _due_at_home(context, line, device) == _kind_of_help(arguments) or _kind_of_help(arguments) == ""


def _kind_of_help(arguments: Any) -> str:
    """What a call is meant to cure; empty for tickets that are not about a fault at home."""
    if hasattr(arguments, "setting"):
        return str(arguments.setting)
    topic = getattr(arguments, "topic", "sim")
    return topic if topic in ("sim", "outage", "device") else ""


def _due_at_home(context: Context, line: Line, device: Device) -> str:
    """The help that the checks made so far lead to; "unknown" when one of them is missing."""
    account = context.world.get(Account, line.account)
    if account is None or not context.called("check_outage", zip=account.zip):
        return "unknown"
    if current_outage(context.world, account.zip):
        return "outage"
    if not context.called("run_diagnostics", line_id=line.id, check="sim"):
        return "unknown"
    if not device.sim_registered:
        return "sim"
    if not context.called("run_diagnostics", line_id=line.id, check="settings"):
        return "unknown"
    return wrong_setting(device) or "device"


def wrong_setting(device: Device) -> str:
    """The setting that the settings check names; empty when all are right."""
    if not device.apn_correct:
        return "apn"
    if not device.mobile_data_on:
        return "mobile_data"
    return "" if device.network_mode_correct else "network_mode"


def current_outage(world: World, zip_code: str) -> Outage | None:
    """The outage that a ZIP code has now."""
    return next((outage for outage in world.where(Outage, "zip", zip_code) if not outage.over), None)


@rule("A ticket becomes urgent only when it has been open for more than 7 days.", update_ticket)
def urgent_after_a_week(context: Context, arguments: Any) -> bool:
    ticket = context.world.get(Ticket, arguments.ticket_id)
    if ticket is None or arguments.priority != "urgent":
        return True
    return days_between(ticket.opened, context.world.base.today) > DAYS_UNTIL_URGENT


@rule(
    "A goodwill credit is given for an outage in the billing ZIP code and for nothing else: $5.00 for each full day "
    "of the outage, but never more than $25.00 in 365 days. The outage must be going on or have ended within the "
    "last 30 days. Roaming that was used without a pass is never credited.",
    apply_goodwill_credit,
)
def goodwill_limit(context: Context, arguments: Any) -> bool:
    account = _account_of(context, arguments)
    return account is None or arguments.amount == credit_due(context.world, account)


@rule(
    "When somebody else has taken over a customer's number, suspend the line as lost_or_stolen first, so that no "
    "more harm is done, then hand over with the reason fraud.",
    TRANSFER,
)
def fraud_is_stopped_first(context: Context, arguments: Any) -> bool:
    return arguments.reason != "fraud" or context.called("suspend_line", reason="lost_or_stolen")


RULES: tuple[Rule, ...] = (
    identified,
    confirmed,
    one_account,
    nothing_overdue,
    contract_kept,
    add_on_fits_plan,
    one_of_a_group,
    minimum_term,
    oldest_in_full,
    no_expired_card,
    installment_limits,
    one_arrangement,
    pause_limit,
    paid_before_restored,
    pin_first,
    sim_interval,
    first_fault,
    urgent_after_a_week,
    goodwill_limit,
    fraud_is_stopped_first,
)
