"""What an agent can change."""

from decimal import Decimal
from typing import Literal

import msgspec

from tau_emotion_gym.kit import ToolError, existing, write
from tau_emotion_gym.world import Date, FreeText, Money, World, money

from ..billing import overdue, owed, prorated
from ..catalogue import add_ons, plans, suits
from ..records import (
    Account,
    AccountId,
    AddOnId,
    Arrangement,
    Bill,
    BillId,
    Booked,
    Credit,
    Device,
    Line,
    LineId,
    PauseReason,
    PaymentId,
    PlanId,
    Setting,
    Ticket,
    TicketId,
    Topic,
)

HANDLING_FEE = Decimal("5.00")
RECONNECTION_FEE = Decimal("10.00")
SIM_DIGITS = 13
INSTALLMENT_MONTHS = ("2026-06", "2026-07", "2026-08", "2026-09", "2026-10", "2026-11")
FIELD_OF: dict[Setting, str] = {
    "apn": "apn_correct",
    "mobile_data": "mobile_data_on",
    "network_mode": "network_mode_correct",
    "roaming": "roaming_on",
}


class PlanChange(msgspec.Struct, frozen=True):
    """A line on its new plan, and what the change puts onto the next bill."""

    line: Line
    prorated: Money
    next_bill: Date


def _put(world: World, record: Line | Account | Bill | Device | Ticket, **fields: object) -> None:
    world.put(msgspec.structs.replace(record, **fields))


def _payment(account: Account, payment_id: str) -> None:
    if all(payment.id != payment_id for payment in account.payments):
        raise ToolError(f"There is no payment method {payment_id!r} on the account. get_account shows them.")


@write("change ~ plan", "switch ~ plan", "move ~ plan")
def change_plan(world: World, line_id: LineId, plan_id: PlanId) -> PlanChange:
    """Change the plan of a line from today. The prorated difference goes onto the next bill; while a bill is
    overdue, the system bills the difference for a whole month instead.

    Args:
        line_id: The line's id.
        plan_id: The new plan's id.
    """
    line = existing(world, Line, line_id)
    if plan_id not in plans():
        raise ToolError(f"There is no plan {plan_id!r}. list_plans shows them.")
    if plan_id == line.plan:
        raise ToolError("The line is on this plan already.")
    account = existing(world, Account, line.account)
    old, new = plans()[line.plan], plans()[plan_id]
    late = overdue(world, account.id)
    difference = money(new.price - old.price) if late else prorated(world, account, old, new)
    _put(world, account, pending=money(account.pending + difference))
    _put(world, line, plan=plan_id)
    return PlanChange(existing(world, Line, line_id), difference, account.next_bill)


@write("add", "book")
def add_add_on(world: World, line_id: LineId, add_on_id: AddOnId) -> Line:
    """Add an add-on to a line from today. It is charged from the next bill. When the line's plan is too small for
    it, or the line has another add-on of its group, the system adds a handling fee of $5.00 to the next bill.

    Args:
        line_id: The line's id.
        add_on_id: The add-on's id.
    """
    line = existing(world, Line, line_id)
    if add_on_id not in add_ons():
        raise ToolError(f"There is no add-on {add_on_id!r}. list_add_ons shows them.")
    if any(booked.add_on == add_on_id for booked in line.add_ons):
        raise ToolError("The line has this add-on already.")
    account = existing(world, Account, line.account)
    if not suits(line, add_ons()[add_on_id]):
        _put(world, account, pending=money(account.pending + HANDLING_FEE))
    booked = Booked(add_on=add_on_id, since=world.base.today)
    _put(world, line, add_ons=(*line.add_ons, booked))
    return existing(world, Line, line_id)


@write("drop", "remove")
def drop_add_on(world: World, line_id: LineId, add_on_id: AddOnId) -> Line:
    """Take an add-on off a line from today.

    Args:
        line_id: The line's id.
        add_on_id: The add-on's id.
    """
    line = existing(world, Line, line_id)
    left = tuple(booked for booked in line.add_ons if booked.add_on != add_on_id)
    if len(left) == len(line.add_ons):
        raise ToolError("The line does not have this add-on. list_lines shows what it has.")
    _put(world, line, add_ons=left)
    return existing(world, Line, line_id)


@write("charge", "pay ~ bill")
def pay_bill(world: World, bill_id: BillId, payment_id: PaymentId, amount: Money) -> Bill:
    """Charge a payment method for a bill.

    Args:
        bill_id: The bill's id.
        payment_id: The payment method's id.
        amount: Dollars to pay.
    """
    bill = existing(world, Bill, bill_id, "list_bills shows the ids.")
    _payment(existing(world, Account, bill.account), payment_id)
    if not 0 < amount <= owed(bill):
        raise ToolError(f"The amount must be between $0.01 and what is owed on the bill, ${owed(bill)}.")
    settled = amount == owed(bill)
    status = "paid" if settled else bill.status
    _put(world, bill, paid=money(bill.paid + amount), status=status, paid_with=payment_id)
    return existing(world, Bill, bill_id)


@write("autopay")
def set_autopay(world: World, account_id: AccountId, payment_id: PaymentId) -> str:
    """Pay the account's future bills automatically with a payment method.

    Args:
        account_id: The account's id.
        payment_id: The payment method's id.
    """
    account = existing(world, Account, account_id)
    _payment(account, payment_id)
    _put(world, account, autopay=payment_id)
    return f"Autopay uses {payment_id} from the bill of {account.next_bill}."


@write("installment")
def arrange_payment(world: World, bill_id: BillId, installments: int) -> Bill:
    """Let the customer pay what is owed on a bill in equal monthly installments, from next month on.

    Args:
        bill_id: The bill's id.
        installments: How many installments, 2 to 6.
    """
    bill = existing(world, Bill, bill_id, "list_bills shows the ids.")
    if bill.status not in ("open", "overdue"):
        raise ToolError(f"The bill is {bill.status}: nothing on it can be arranged.")
    if not 2 <= installments <= len(INSTALLMENT_MONTHS):
        raise ToolError(f"Installments must be between 2 and {len(INSTALLMENT_MONTHS)}.")
    last = f"{INSTALLMENT_MONTHS[installments - 1]}-01"
    arrangement = Arrangement(installments=installments, last_due=last)
    _put(world, bill, status="arranged", arrangement=arrangement)
    return existing(world, Bill, bill_id)


@write("suspend", "pause", "block")
def suspend_line(world: World, line_id: LineId, reason: PauseReason, until: Date | None = None) -> Line:
    """Suspend a line: nobody can call or use data on it until it is restored.

    Args:
        line_id: The line's id.
        reason: Why it is suspended.
        until: The last day of a pause while the customer is away; left out for a lost or stolen phone.
    """
    line = existing(world, Line, line_id)
    if line.status != "active":
        raise ToolError(f"The line is not active: it is {line.status}.")
    status = "paused" if reason == "away" else "lost_or_stolen"
    _put(world, line, status=status, paused_until=until)
    return existing(world, Line, line_id)


@write("restore", "reactivate")
def restore_line(world: World, line_id: LineId) -> Line:
    """Make a suspended line active again. For a line that is suspended for unpaid bills, the system adds a
    reconnection fee of $10.00 to the next bill while a bill is overdue.

    Args:
        line_id: The line's id.
    """
    line = existing(world, Line, line_id)
    if line.status == "active":
        raise ToolError("The line is active already.")
    account = existing(world, Account, line.account)
    if line.status == "unpaid" and overdue(world, account.id):
        _put(world, account, pending=money(account.pending + RECONNECTION_FEE))
    _put(world, line, status="active", paused_until=None)
    return existing(world, Line, line_id)


@write("swap ~ sim", "change ~ sim")
def swap_sim(world: World, line_id: LineId, sim: str) -> Line:
    """Move a line to a new SIM; the old one stops working at once.

    Args:
        line_id: The line's id.
        sim: The 13 digits printed on the new SIM.
    """
    line = existing(world, Line, line_id)
    if len(sim) != SIM_DIGITS or not sim.isdigit():
        raise ToolError(f"A SIM number has {SIM_DIGITS} digits.")
    _put(world, line, sim=sim, sim_since=world.base.today)
    return existing(world, Line, line_id)


@write("register ~ sim", "re-register", "refresh ~ sim")
def refresh_sim(world: World, line_id: LineId) -> str:
    """Register the SIM of a line with the network again.

    Args:
        line_id: The line's id.
    """
    _put(world, _device(world, line_id), sim_registered=True)
    return "The SIM is registered."


@write("update ~ setting", "send ~ setting", "correct ~ setting")
def push_settings(world: World, line_id: LineId, setting: Setting) -> str:
    """Send the right value of one setting to the phone of a line.

    Args:
        line_id: The line's id.
        setting: The setting to put right.
    """
    _put(world, _device(world, line_id), **{FIELD_OF[setting]: True})
    return f"The setting {setting} is right now."


def _device(world: World, line_id: str) -> Device:
    existing(world, Line, line_id)
    (device,) = world.where(Device, "line", line_id)
    return device


@write("open ~ ticket", "create ~ ticket")
def open_ticket(world: World, line_id: LineId, topic: Topic, note: FreeText = "") -> Ticket:
    """Open a ticket for the engineers.

    Args:
        line_id: The id of the line it is about.
        topic: What it is about.
        note: What the customer noticed.
    """
    line = existing(world, Line, line_id)
    ticket = Ticket(
        id=world.new_id(Ticket, "T", line_id, topic),
        account=line.account,
        line=line_id,
        topic=topic,
        opened=world.base.today,
        status="open",
        priority="normal",
        note=note,
    )
    world.put(ticket)
    return ticket


@write("escalate", "update ~ ticket")
def update_ticket(
    world: World, ticket_id: TicketId, priority: Literal["normal", "urgent"], note: FreeText = ""
) -> Ticket:
    """Set the priority of a ticket and add what is new to it.

    Args:
        ticket_id: The ticket's id.
        priority: The new priority.
        note: What is new.
    """
    ticket = existing(world, Ticket, ticket_id, "list_tickets shows the ids.")
    if ticket.status == "closed":
        raise ToolError("The ticket is closed.")
    _put(world, ticket, priority=priority, note=note or ticket.note)
    return existing(world, Ticket, ticket_id)


@write("credit", "goodwill")
def apply_goodwill_credit(world: World, account_id: AccountId, amount: Money) -> str:
    """Take an amount off the account's next bill as a goodwill credit.

    Args:
        account_id: The account's id.
        amount: Dollars to take off.
    """
    account = existing(world, Account, account_id)
    if amount <= 0:
        raise ToolError("The amount must be more than zero.")
    credit = Credit(day=world.base.today, amount=amount)
    _put(world, account, credits=(*account.credits, credit), pending=money(account.pending - amount))
    return f"A credit of {amount} will be on the bill of {account.next_bill}."
